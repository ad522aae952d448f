"""What a rule can ask at a place, and how it reports a conflict there."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pplint.engine import guards as g
from pplint.engine import values as v
from pplint.engine.accessors import Evidence, Target
from pplint.engine.attention import EVERYWHERE
from pplint.engine.facts import Facts
from pplint.engine.flow import Flow, Listener, statements
from pplint.engine.interest import Interest
from pplint.engine.levels import (
    Callers,
    comes_from_config,
    flag_on_path,
    may_be_lowered,
    names_config,
    on_by_default,
)  # fmt: skip
from pplint.engine.modules import flag_facts, stages_of_callers
from pplint.engine.names import Place
from pplint.engine.pools import StageList, names_mapping, stage_list
from pplint.engine.project import Padded
from pplint.engine.shape import shape_of
from pplint.engine.values import Value, Values
from pplint.engine.vocabulary import DRAFT
from pplint.finding import ERROR, INFO, WARNING, Asks, Edit, Finding, Fix, Span, Step, Trouble
from pplint.source.headers import last_header_line

if TYPE_CHECKING:
    from pplint.rules.base import Rule
    from pplint.source.text import Placed, Source


class Here(NamedTuple):
    """The scope of a place."""

    place: Place
    function_id: str
    draft: bool


class Written(NamedTuple):
    """The names and the attributes that a function assigns to."""

    names: frozenset[str]
    attributes: tuple[ast.Attribute, ...]


class Context(Listener):
    """The walk of one file for the rules: `flow` is the state of the place, `findings` what was reported."""

    def __init__(
        self, facts: Facts, module: str, source: Source, tree: ast.Module, rules: list[Rule]
    ) -> None:
        self.project, self.accessors = facts
        self.module = module
        self.source = source
        self.tree = tree
        self.interest = Interest(facts, module, source.text, tree)
        self.scope = module.replace(".", "/") + ".py"
        self.findings: list[Finding] = []
        self.flow: Flow = None  # type: ignore[assignment]  # set by `walk`
        self.rules = rules
        self._told: set[tuple[str, Span]] = set()
        self._targets: tuple[ast.Call | None, dict[str, list[tuple[Target, Value]]]] = None, {}
        self._heres: dict[tuple[str, ...], Here] = {}
        self._callers_said: dict[tuple[ast.ClassDef, str], frozenset[str]] = {}
        self._stored: dict[ast.ClassDef, dict[str, list[ast.expr]]] = {}
        self._written: tuple[ast.AST | None, Written] = None, Written(frozenset(), ())

    # Where we are ----------------------------------------------------------------------------------------

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
        if class_id not in self.project.classes:
            class_id = ""
        function = ""
        if self.flow.functions:
            function = self.flow.functions[-1].name if class_id else ".".join(names)
        function_id = f"{class_id}.{function}" if class_id else f"{self.module}:{function}"
        draft = bool(DRAFT.search(".".join((self.module, *names))))
        return Here(Place(self.module, class_id, function), function_id, draft)

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
        known = list(self.flow.guards)
        for value in more:
            known += value.guards
        flags = [self._flag_facts(atom.test) for atom in known if atom.holds]
        return g.stage_facts(known).union(*flags, self._callers_facts())

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

    def text_of(self, node: ast.stmt) -> str:
        """The lines of a statement."""
        return "\n".join(self.source.lines[node.lineno - 1 : node.end_lineno])

    def stored(self, attribute: str) -> list[ast.expr]:
        """What the enclosing class assigns to `self.<attribute>`."""
        owner = self.flow.classes[-1]
        known = self._stored.get(owner)
        if known is None:
            known = self._stored[owner] = {}
            for one in statements(owner.body):
                if isinstance(one, ast.Assign):
                    for target in one.targets:
                        path = v.dotted(target)
                        if path is not None and len(path) == 2 and path[0] == "self":
                            known.setdefault(path[1], []).append(one.value)
        return known.get(attribute, [])

    def _flag_facts(self, test: ast.expr) -> frozenset[str]:
        """What a flag of the own object that is true says about the stage."""
        path = v.dotted(test)
        if path is None or len(path) != 2 or path[0] != "self" or not self.class_id:
            return frozenset()
        return flag_facts(self.project, self.class_id, path[1])

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

    # What things are -------------------------------------------------------------------------------------

    def padded(self, found: Values) -> Padded | None:
        """The padded list among alternatives, or None."""
        for path in v.paths(found):
            padded = self.project.padded(self.place, path)
            if padded is not None:
                return padded
        return None

    def is_mapping(self, path: tuple[str, ...]) -> bool:
        """Whether a chain is a dictionary from GLOBAL ids to DENSE ids."""
        owners = self.project.types_of(self.place, path[:-1]) if len(path) > 1 else frozenset()
        if not owners:
            return len(path) > 1 and names_mapping(self.project, path[-1])
        return any(self.project.is_mapping(owner, path[-1]) for owner in owners)

    def is_stage_list(self, path: tuple[str, ...]) -> bool:
        """Whether a chain is a list with one entry per layer of the stage."""
        return self.stage_list(path) is not None

    def stage_list(self, path: tuple[str, ...]) -> tuple[str, StageList] | None:
        """The class that keeps such a list at a chain, and what shows it, or None."""
        for owner in self.project.types_of(self.place, path[:-1]) if len(path) > 1 else ():
            found = stage_list(self.project, owner, path[-1])
            if found is not None:
                return owner, found
        return None

    def targets(self, node: ast.Call, space: str) -> list[tuple[Target, Value]]:
        """The parameters in `space` that a call may reach, each with the callee it was found by."""
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name not in self.accessors.names[space] and (name not in self.flow.env or not name):
            if isinstance(function, (ast.Attribute, ast.Name)) and not name[:1].isupper():
                return []
        if self._targets[0] is not node:
            self._targets = node, {}
        known = self._targets[1].get(space)
        if known is None:
            known = self._targets[1][space] = [
                (target, callee)
                for callee in self.flow.evaluate(function)
                if (path := _callee(callee)) is not None
                for target in self.accessors.targets(self.place, path, space)
            ]
        return known

    # Reporting -------------------------------------------------------------------------------------------

    def level(self, owner: str = "", *more: Value) -> tuple[str, str]:
        """The level that reach gives, and the sentence that says which condition made it so.

        `owner` is the class that must accept PP for the place to be reached, `more` are values that were chosen under
        conditions of their own.
        """
        barred = next((one for one in (owner, self.class_id) if self._bars(one, one != owner)), "")
        if barred:
            name = self.project.class_name(barred)
            return (
                INFO,
                f"latent: `{name}` does not accept pipeline parallelism today (no `pp_proxy_tensors` in its forward)",
            )
        known = [*self.flow.guards, *(atom for value in more for atom in value.guards)]
        flag = flag_on_path(atom for atom in known if not self._no_choice(atom.test))
        return (WARNING, f"only when `{flag}`") if flag else (ERROR, "")

    def _no_choice(self, test: ast.expr) -> bool:
        """Whether a condition is no flag: the model's configuration decides, or it holds unless somebody says no."""
        path = v.dotted(test)
        if path is None:
            return False
        if len(path) == 1:
            return on_by_default(self.tree, path[0])
        if len(path) != 2 or path[0] != "self" or not self.flow.classes:
            return names_config(path[:-1])
        stored = self.stored(path[1])
        return bool(stored) and all(comes_from_config(one) for one in stored)

    def _bars(self, class_id: str, entries_only: bool) -> bool:
        """Whether a class (of those that are models by themselves) has a forward that refuses PP."""
        if not class_id or self.project.accepts_pp(class_id) is not False:
            return False
        if not entries_only:
            return True
        name = self.project.class_name(class_id)
        entries = self.project.summaries[self.project.module_of(class_id)]["entry"]
        heirs = self.project.children(class_id)
        return name in entries and not any(self.project.accepts_pp(one) for one in heirs)

    def steps(self, evidence: Evidence) -> list[Step]:
        """The steps that prove a parameter's space."""
        return [
            Step(self.project.files.get(one.module, ""), one.line, 1, one.text)
            for one in self.accessors.chain(evidence)
        ]

    def span(self, node: ast.AST) -> Span:
        """The place of a node that has one: an expression, a statement, a keyword, an argument."""
        return self.source.span(cast("Placed", node))

    def step(self, node: ast.AST, text: str) -> Step:
        """A step at a node of this file."""
        return Step(self.source.path, getattr(node, "lineno", 1), self.span(node).column, text)

    def fact_step(self, class_id: str, line: int, text: str) -> Step:
        """A step at a line of the file that defines a class."""
        return Step(self.project.files.get(self.project.module_of(class_id), ""), line, 1, text)

    def home(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement of the current function that holds a node, or None when it is not in there."""
        if not self.flow.functions:
            return None
        found: ast.stmt | None = None
        for part in ast.walk(self.flow.functions[-1]):
            if isinstance(part, ast.stmt) and any(child is node for child in ast.walk(part)):
                found = part
        return found if found is not self.flow.functions[-1] else None

    def holds_comment(self, span: Span) -> bool:
        """Whether a comment stands inside a place; it takes more than one line for that."""
        return span.line < span.end_line and any(
            (span.line, span.column) <= (comment.line, comment.column) < (span.end_line, span.end_column)
            for comment in self.source.comments()
        )

    def bare_argument(self, call: ast.Call) -> bool:
        """Whether nothing but the call's own bracket stands before its first argument."""
        function, argument = self.span(call.func), self.span(call.args[0])
        start = self.source.index(function.end_line, function.end_column)
        end = self.source.index(argument.line, argument.column)
        return self.source.text[start:end].strip() == "("

    def edit(self, node: ast.AST, text: str) -> Edit:
        """Replace a node's text."""
        return Edit(self.span(node), text)

    def report(
        self,
        rule: Rule,
        node: ast.AST,
        message: str,
        *,
        severity: str,
        trace: list[Step] | None = None,
        fix: Fix | None = None,
        no_fix: str = "",
        around: ast.AST | None = None,
        statement: ast.stmt | None = None,
        asks: Asks | None = None,
    ) -> None:
        """Report a conflict at `node`; `around` is the expression that identifies it (default: the node).

        `statement` is the statement that holds the node where that is not the current one. `asks` is what the place
        asks each stage for, where what it gets follows from the range of the stage.
        """
        span = self.span(node)
        if (rule.info.code, span) in self._told:
            return
        self._told.add((rule.info.code, span))
        if fix is not None and any(self.holds_comment(edit.span) for edit in fix.edits):
            fix, no_fix = None, "a comment stands in what would be replaced"
        normal, shape = shape_of(around or node, self.flow.env)
        self.findings.append(
            Finding(
                code=rule.info.code, name=rule.info.name, severity=severity, path=self.source.path, span=span,
                symbol=self.flow.symbol, message=message, trace=tuple(trace or ()), fix=fix, no_fix=no_fix,
                statement=self._header(statement), shape=f"{rule.info.code} {shape}", fingerprint=normal,
                asks=asks,
            )
        )  # fmt: skip

    def _header(self, statement: ast.stmt | None) -> Span | None:
        statement = statement or self.flow.statement
        if statement is None:
            return None
        span = self.source.span(statement)
        last = last_header_line(statement)
        return (
            span if last is None else Span(span.line, span.column, last, len(self.source.lines[last - 1]) + 1)
        )


class Walk(Context):
    """A context that hands each event to the rules that listen to it.

    A rule that raises is a trouble, told once for each file; it hears of the further events all the same.
    Where the stack is too short for the code, RecursionError ends a walk that is not `patient`.
    """

    def __init__(
        self,
        facts: Facts,
        module: str,
        source: Source,
        tree: ast.Module,
        rules: list[Rule],
        patient: bool = False,
    ) -> None:
        super().__init__(facts, module, source, tree, rules)
        self.patient = patient
        self.troubles: list[Trouble] = []
        self._crashed: set[str] = set()
        listening = {event: [rule for rule in rules if _overrides(rule, event)] for event in EVENTS}
        for event in EVENTS:
            if listening[event]:
                setattr(self, event, self._teller(event, listening[event]))

    def walk(self) -> list[Finding]:
        """Walk the file once and return the findings; `troubles` are the rules that crashed."""
        try:
            return self._walk()
        except RecursionError:
            if self.patient:
                raise
        from pplint.engine.deep import with_room

        facts = Facts(self.project, self.accessors)
        rules = [type(rule)() for rule in self.rules]
        again = Walk(facts, self.module, self.source, self.tree, rules, patient=True)
        try:
            return with_room(again.walk)
        finally:
            self.findings, self.troubles, self.flow = again.findings, again.troubles, again.flow

    def _walk(self) -> list[Finding]:
        from pplint.engine.constants import module_constants

        constants = module_constants(self.tree)
        attention = EVERYWHERE if any(rule.everywhere for rule in self.rules) else self.interest
        self.flow = Flow(constants, self, attention)
        for rule in self.rules:
            try:
                rule.module(self, self.tree)
            except Exception as error:
                self._crash(rule, self.tree, error)
        self.flow.module(self.tree)
        if any(map(may_be_lowered, self.findings)):
            callers = Callers()
            Flow(constants, callers).module(self.tree)
            self.findings = [callers.lowered(finding) for finding in self.findings]
        return self.findings

    def _teller(self, event: str, rules: list[Rule]) -> Callable[..., None]:
        handlers = [(getattr(rule, event), rule) for rule in rules]

        def tell(flow: Flow, *what: Any) -> None:
            for handler, rule in handlers:
                try:
                    handler(self, *what)
                except Exception as error:
                    self._crash(rule, what[-1] if event == "assign" else what[0], error)

        return tell

    def _crash(self, rule: Rule, node: ast.AST, error: Exception) -> None:
        if isinstance(error, RecursionError) and not self.patient:
            raise error
        if rule.info.code not in self._crashed:
            self._crashed.add(rule.info.code)
            line = getattr(node, "lineno", 0)
            self.troubles.append(
                crash(self.source.path, line, f"rule {rule.info.code}", error, rule.info.code)
            )


def crash(path: str, line: int, what: str, error: Exception, code: str = "PPL903") -> Trouble:
    """The trouble of a mistake in pplint itself, or of code nested too deeply for it; `what` made it."""
    if isinstance(error, RecursionError):
        return Trouble(path, line, f"{what} gave up: the code is nested too deeply", code)
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" at {os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno}" if place else ""
    return Trouble(path, line, f"{what} crashed: {type(error).__name__}: {error}{where}", code)


EVENTS = ("call", "subscript", "attribute", "compare", "binary", "loop", "assign", "define", "enter", "leave")


def _overrides(rule: Rule, event: str) -> bool:
    return any(event in vars(kind) for kind in type(rule).__mro__[:-2])


def _callee(callee: Value) -> list[str] | None:
    if callee.kind == v.PATH:
        return list(callee.data)
    if callee.kind == v.PARTIAL and callee.data:
        return _callee(callee.data[0])
    if callee.kind == v.MEMBER:
        return ["?", callee.data[1]]
    return None
