"""Whether the weight loader of a model skips the weights of layers that another stage owns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pplint.engine import values as v
from pplint.engine.filters import Names, Replies
from pplint.engine.flow import Flow
from pplint.engine.loaders import Call, LoaderWalk, Lookup, is_scale, walked
from pplint.engine.lookups import Loaders
from pplint.engine.project import Project
from pplint.engine.values import Atom
from pplint.readiness.models import kept_along
from pplint.readiness.sources import Sources, text_of
from pplint.records import Record

_DEPTH = 8
_START = "load_weights"
_LOADS = re.compile(r"load|weights")
_RANGE = re.compile(r"(start|end)_layer|pp_|_pp\b")
_OTHER_PART = re.compile(r"vis(ion|ual)|audio|buffer|proj|mm_|tower")
_WIDTH = 80
_WHOLE = 0
"""The rank of what filters for a function as a whole: it proves less than a test at the lookup."""


class Filter(Record):
    """A test that stands before lookups of weights: the function, the line, its text, and how sure it is about layers."""

    function: Names
    line: int
    text: str
    rank: int


class Open(Record):
    """A lookup that nothing filters, and the loader `top` that leads to it."""

    lookup: Lookup
    top: Names
    scale: bool


class ModuleLoaders(Record):
    """The loaders of one module: the tests before lookups, and the lookups without one."""

    filters: list[Filter]
    open: list[Open]


class FilterWalk(LoaderWalk):
    """The walk of the rule, which also notes the tests that it takes for filters."""

    def __init__(
        self, project: Project, module: str, names: frozenset[str], known: Replies = frozenset()
    ) -> None:
        super().__init__(project, module, names, known)
        self.filters: list[Filter] = []
        self._atom: Atom | None = None

    def subscript(self, flow: Flow, node: ast.Subscript) -> None:
        self._atom = None
        super().subscript(flow, node)
        if self._atom is not None and self._may_be_layer(flow, node.slice):
            self._note(flow, self._atom.test)

    def call(self, flow: Flow, node: ast.Call) -> None:
        self._atom = None
        known = flow.names in self.filtering
        super().call(flow, node)
        if flow.names in self.filtering and not known:
            self._note(flow, node, _WHOLE)
        elif self._atom is not None and self._callee(flow, node) in self.functions:
            self._note(flow, self._atom.test)

    def loop(self, flow: Flow, target: ast.expr, iterable: ast.expr, found: v.Values) -> None:
        known = flow.names in self.filtering
        super().loop(flow, target, iterable, found)
        if flow.names in self.filtering and not known:
            self._note(flow, iterable, _WHOLE)

    def _filters(self, flow: Flow, atom: Atom) -> bool:
        found = super()._filters(flow, atom)
        if found and (self._atom is None or _rank(atom.test) > _rank(self._atom.test)):
            self._atom = atom
        return found

    def _note(self, flow: Flow, test: ast.expr, rank: int | None = None) -> None:
        known = _rank(test) if rank is None else rank
        self.filters.append(Filter(flow.names, test.lineno, shown(test), known))


def _rank(test: ast.expr) -> int:
    """A test of the range says more than one of membership, and that more than one about another part."""
    text = ast.unparse(test)
    if _RANGE.search(text):
        return 3
    return 1 if _OTHER_PART.search(text) else 2


def shown(node: ast.expr) -> str:
    """An expression for a sentence, cut when it is long."""
    text = ast.unparse(node)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


class Filtered(Record):
    """Whether a loader filters (None: not known), the module and the line that show it, and a sentence."""

    filters: bool | None
    module: str
    line: int
    reason: str


class LoaderUse:
    """Follows the loaders of a tree from `load_weights` of a top-level class."""

    def __init__(self, project: Project, sources: Sources) -> None:
        self.project = project
        self.sources = sources
        self._known: dict[str, ModuleLoaders] = {}

    def of(self, class_id: str, parts: frozenset[str]) -> Filtered:
        """What the loader of a class does about the weights of other stages' layers.

        `parts` are the classes that hold the language model: the loaders of other instances have no say.
        """
        found = dict.fromkeys(self._reached(class_id, class_id, _START, 0))
        reached = list(dict.fromkeys(one[:2] for one in found if one[2] in parts))
        module, name = self.project.module_of(class_id), self.project.class_name(class_id)
        if not reached:
            line = self.project.classes[class_id]["line"]
            return Filtered(None, module, line, f"no `{_START}` of `{name}` is in view")
        opened: list[tuple[str, Open]] = []
        filters: list[tuple[str, Filter]] = []
        for owner, method in reached:
            where = self.project.module_of(owner)
            names = (*self.project.class_name(owner).split("."), method)
            loaders = self.loaders(where)
            opened += [(where, one) for one in loaders.open if one.top == names]
            filters += [(where, one) for one in loaders.filters if one.function[: len(names)] == names]
        if opened:
            where, gap = min(opened, key=lambda one: one[1].scale)
            node = gap.lookup.node
            said = f"`{shown(node)}` in `{'.'.join(gap.lookup.function)}` is reached without a test"
            return Filtered(False, where, node.lineno, said)
        if filters:
            where, best = max(filters, key=lambda one: one[1].rank)
            return Filtered(True, where, best.line, f"`{best.text}` in `{'.'.join(best.function)}`")
        owner, method = reached[0]
        line = self.project.classes[owner]["methods"][method]["line"]
        said = f"no lookup of a layer's parameter is seen from `{self.project.class_name(owner)}.{method}` on"
        return Filtered(None, self.project.module_of(owner), line, said)

    def loaders(self, module: str) -> ModuleLoaders:
        """The loaders of a module."""
        if module not in self._known:
            self._known[module] = self._loaders(module)
        return self._known[module]

    def _loaders(self, module: str) -> ModuleLoaders:
        parsed = self.sources.parsed(module)
        if parsed is None or "named_parameters" not in parsed[0].text:
            return ModuleLoaders([], [])
        source, tree = parsed
        attention = Loaders(tree, text_of(source))
        walk = walked(FilterWalk, self.project, module, tree, attention)
        found = [
            Open(lookup, way[-1].caller if way else lookup.function, _about_scales(lookup, way))
            for lookup, way in walk.unfiltered()
        ]
        return ModuleLoaders(walk.filters, found)

    # Which loaders run -----------------------------------------------------------------------------------

    def _reached(
        self, class_id: str, runtime: str, method: str, depth: int
    ) -> Iterator[tuple[str, str, str]]:
        """The loaders that a method runs, as (class id that defines it, method, class of `self`), itself first.

        `runtime` is the class of `self`, `class_id` the first class in whose line the method is looked for.
        """
        found = self.project.method(class_id, method)
        if found is None or depth > _DEPTH:
            return
        yield found[0], method, runtime
        for call in self.sources.calls(found[0], method):
            if isinstance(call.func, ast.Attribute):
                yield from self._called(call.func, found[0], runtime, depth)

    def _called(
        self, function: ast.Attribute, definer: str, runtime: str, depth: int
    ) -> Iterator[tuple[str, str, str]]:
        over = function.value
        if isinstance(over, ast.Call) and v.dotted(over.func) == ("super",):
            above = self.project.mro(definer)[1:]
            definers = (one for one in above if function.attr in self.project.classes[one]["methods"])
            one = next(definers, "") if _LOADS.search(function.attr) else ""
            if one:
                yield from self._reached(one, runtime, function.attr, depth + 1)
            return
        path = v.dotted(function)
        if path is None or not _LOADS.search(path[-1]):
            return
        if path[0] != "self":  # `Other.load_weights(self, weights)`
            named = self.project.resolve_class(self.project.module_of(definer), path[:-1])
            if named is not None:
                yield from self._reached(named, runtime, path[-1], depth + 1)
            return
        for owner in sorted(kept_along(self.project, runtime, path[1:-1])):
            yield from self._reached(owner, owner, path[-1], depth + 1)


def _about_scales(lookup: Lookup, way: list[Call]) -> bool:
    return "scale" in ast.unparse(lookup.key) or any(map(is_scale, way[:1]))
