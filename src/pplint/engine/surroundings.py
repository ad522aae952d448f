"""Where the walk of a file is: the class, the function, the stage, and what is written around the place."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from pplint.engine import guards as g
from pplint.engine import values as v
from pplint.engine.facts import Facts
from pplint.engine.flow import Flow, Listener
from pplint.engine.modules import flag_facts, is_flag, stages_of_callers
from pplint.engine.names import Place
from pplint.engine.predicates import unfolded
from pplint.engine.reach import entries_above
from pplint.engine.values import Atom, Value
from pplint.engine.vocabulary import DRAFT, DRAFT_FUNCTION
from pplint.records import Record
from pplint.source.blocks import statements

if TYPE_CHECKING:
    from pplint.source.text import Source


class Here(Record):
    """The scope of a place."""

    place: Place
    function_id: str
    draft: bool


class Written(Record):
    """The names and the attributes that a function assigns to."""

    names: frozenset[str]
    attributes: tuple[ast.Attribute, ...]


class Surroundings(Listener):
    """A place in the walk of one file, on the ground of all files' facts; `flow` is the state of the walk."""

    def __init__(self, facts: Facts, module: str, source: Source, tree: ast.Module) -> None:
        self.project, self.accessors = facts
        self.module = module
        self.source = source
        self.tree = tree
        self.flow: Flow = None  # type: ignore[assignment]  # set by `Walk.walk`
        self._heres: dict[tuple[str, ...], Here] = {}
        self._callers_said: dict[tuple[ast.ClassDef, str], frozenset[str]] = {}
        self._staged: tuple[object, object, frozenset[str]] = None, None, frozenset()
        self._unfolded: dict[tuple[ast.expr, bool, Place], list[Atom]] = {}
        self._stored: dict[tuple[ast.ClassDef, str], list[ast.expr]] = {}
        self._written: tuple[ast.AST | None, Written] = None, Written(frozenset(), ())

    @property
    def here(self) -> Here:
        """The class and the function that we are in."""
        names = self.flow.names
        known = self._heres.get(names)
        if known is None:
            known = self._heres[names] = self._find_here(names)
        return known

    def _find_here(self, names: tuple[str, ...]) -> Here:
        class_id = f"{self.module}:{'.'.join(one.name for one in self.flow.classes)}"
        draft = DRAFT.search(class_id) or any(map(DRAFT_FUNCTION.search, names))
        if class_id not in self.project.classes:
            class_id = ""
        function = ""
        if self.flow.functions:
            function = self.flow.functions[-1].name if class_id else ".".join(names)
        function_id = f"{class_id}.{function}" if class_id else f"{self.module}:{function}"
        return Here(Place(self.module, class_id, function), function_id, bool(draft))

    @property
    def class_id(self) -> str:
        """The id of the enclosing class, or ""."""
        return self.here.place.owner

    @property
    def place(self) -> Place:
        """Where we are, for questions about types."""
        return self.here.place

    @property
    def function_id(self) -> str:
        """The id of the enclosing function as `Accessors` writes it."""
        return self.here.function_id

    @property
    def draft(self) -> bool:
        """Whether we are in a draft model, which numbers its layers from 0 by itself."""
        return self.here.draft

    def stage(self, *more: Value) -> frozenset[str]:
        """What the conditions at this place (and those under which values were chosen) say about the stage."""
        flow = self.flow
        if any(value.guards for value in more):
            return self._stage(*more)
        # Each rule asks, mostly at the same place.
        if self._staged[0] is not flow.guards or self._staged[1] is not flow.names:
            self._staged = flow.guards, flow.names, self._stage()
        return self._staged[2]

    def _stage(self, *more: Value) -> frozenset[str]:
        known = self.conditions(*more)
        flags = [self._flag_facts(atom.test) for atom in known if atom.holds]
        return g.stage_facts(known).union(*flags, self._callers_facts(), self.refused())

    def conditions(self, *more: Value) -> list[Atom]:
        """The conditions at this place (and those under which values were chosen), those that functions return included."""
        return self.written_out((*self.flow.guards, *(one for value in more for one in value.guards)))

    def written_out(self, atoms: Iterable[Atom]) -> list[Atom]:
        """Conditions, and those that functions return which are asked in them."""
        known: list[Atom] = []
        for atom in atoms:
            test = atom.test
            if not isinstance(test, _ASKS) or (isinstance(test, ast.Compare) and not _asks_for_member(test)):
                known.append(atom)
                continue
            key = (*atom, self.place)
            if key not in self._unfolded:
                self._unfolded[key] = unfolded(self.project, self.place, (atom,))
            known += self._unfolded[key]
        return known

    def _callers_facts(self) -> frozenset[str]:
        """What all calls of the private method we are in say about the stage."""
        functions = self.flow.functions
        if not functions or not self.flow.classes or not functions[0].name.startswith("_"):
            return frozenset()
        owner, method = self.flow.classes[-1], functions[0].name
        known = self._callers_said.get((owner, method))
        if known is None:
            known = self._callers_said[owner, method] = stages_of_callers(owner, method, self.text_of)
        return known

    def refused(self) -> frozenset[str]:
        """{FIRST, LAST, SINGLE} where the class we are in, or all that lead to it, cannot be made on several stages."""
        owner = self.flow.classes[-1] if self.flow.classes else None
        if owner is None:
            return frozenset()
        if owner not in self._refusals:
            self._refusals[owner] = _refusal(owner, {one.name: one for one in self._refusals})
        return self._refusals[owner] or (self._refused_above() if self.file_refuses() else frozenset())

    @cached_property
    def _refusals(self) -> dict[ast.ClassDef, frozenset[str]]:
        """What the constructors of this file's classes refuse; classes inside of others are added when they are met."""
        classes = {one.name: one for one in self.tree.body if isinstance(one, ast.ClassDef)}
        return {one: _refusal(one, classes) for one in classes.values()}

    def file_refuses(self) -> bool:
        """Whether some class of this file cannot be made on several stages."""
        return any(self._refusals.values())

    def _refused_above(self) -> frozenset[str]:
        """The same for the top-level classes that lead to the class, if all of them stand in this file."""
        refusals = {one.name: said for one, said in self._refusals.items()}
        above = entries_above(self.project, self.class_id) if self.class_id else []
        names = [self.project.class_name(one) for one in above if self.project.module_of(one) == self.module]
        said = [refusals.get(name, frozenset[str]()) for name in names]
        return frozenset.intersection(*said) if said and len(said) == len(above) else frozenset()

    def text_of(self, node: ast.stmt) -> str:
        """The lines of a statement."""
        return "\n".join(self.source.lines[node.lineno - 1 : node.end_lineno])

    def stored(self, attribute: str) -> list[ast.expr]:
        """What the enclosing class assigns to `self.<attribute>`."""
        key = self.flow.classes[-1], attribute
        known = self._stored.get(key)
        if known is None:
            named = (part for part in key[0].body if attribute in self.text_of(part))
            known = self._stored[key] = [
                one.value
                for one in statements(named)
                if isinstance(one, ast.Assign)
                and any(v.dotted(target) == ("self", attribute) for target in one.targets)
            ]
        return known

    def _flag_facts(self, test: ast.expr) -> frozenset[str]:
        """What a flag that is true, of the own object or of one that it keeps, says about the stage."""
        path = v.dotted(test)
        if path is None or len(path) < 2 or path[0] != "self" or not self.class_id:
            return frozenset()
        if not is_flag(self.project, path[-1]):
            return frozenset()
        owners = [self.class_id] if len(path) == 2 else self.project.types_of(self.place, path[:-1])
        said = [flag_facts(self.project, one, path[-1]) for one in owners]
        return frozenset.intersection(*said) if said else frozenset()

    @property
    def written(self) -> Written:
        """What the innermost function assigns to; nothing outside functions."""
        function = self.flow.functions[-1] if self.flow.functions else None
        if self._written[0] is not function or function is None:
            stores = [
                part for part in (ast.walk(function) if function is not None else ())
                if not isinstance(getattr(part, "ctx", None), (ast.Load, type(None)))
            ]  # fmt: skip
            names = frozenset(one.id for one in stores if isinstance(one, ast.Name))
            attributes = tuple(one for one in stores if isinstance(one, ast.Attribute))
            self._written = function, Written(names, attributes)
        return self._written[1]

    def home(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement of the current function that holds a node, or None when it is not in there."""
        if not self.flow.functions:
            return None
        found: ast.stmt | None = None
        for part in ast.walk(self.flow.functions[-1]):
            if isinstance(part, ast.stmt) and any(child is node for child in ast.walk(part)):
                found = part
        return found if found is not self.flow.functions[-1] else None


_ASKS = (ast.Call, ast.Attribute, ast.Compare)


def _asks_for_member(test: ast.Compare) -> bool:
    """`x in self.own_layers`"""
    return isinstance(test.ops[0], (ast.In, ast.NotIn)) and isinstance(test.comparators[0], ast.Attribute)


def _refusal(owner: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> frozenset[str]:
    """{FIRST, LAST, SINGLE} where the constructor of a class refuses several stages, else nothing."""
    said = g.stage_facts(g.required(owner, classes))
    return said if g.SINGLE in said else frozenset()
