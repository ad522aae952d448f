"""What a rule can ask at a place, and the walk that tells the rules of each place."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pplint.engine import values as v
from pplint.engine.accessors import Target
from pplint.engine.attention import EVERYWHERE
from pplint.engine.facts import Facts
from pplint.engine.flow import Flow
from pplint.engine.interest import Interest
from pplint.engine.levels import Callers, may_be_lowered
from pplint.engine.pools import StageList, is_list_name, kept_by_pools, names_mapping, stage_list
from pplint.engine.project import Padded
from pplint.engine.reporting import Reporter
from pplint.engine.served import served_layers
from pplint.engine.values import Value, Values
from pplint.finding import Finding, Trouble

if TYPE_CHECKING:
    from pplint.rules.base import Rule
    from pplint.source.text import Source


class Context(Reporter):
    """What a rule is given at each place: where it is, what things are there, and how to report."""

    def __init__(
        self, facts: Facts, module: str, source: Source, tree: ast.Module, rules: list[Rule]
    ) -> None:
        super().__init__(facts, module, source, tree)
        self.interest = Interest(facts, module, source.text, tree)
        self.rules = rules
        self._targets: tuple[ast.Call | None, dict[str, list[tuple[Target, Value]]]] = None, {}

    def padded(self, found: Values) -> Padded | None:
        """The padded list among alternatives, or None."""
        for path in v.paths(found):
            padded = self.project.padded(self.place, path) or served_layers(self.project, self.place, path)
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
        """The class that keeps such a list at a chain, and what shows it, or None.

        Of a pool of unknown class it is the one that most others derive from.
        """
        if len(path) < 2 or not is_list_name(self.project, path[-1]):
            return None
        owners = self.project.types_of(self.place, path[:-1])
        for owner in owners or {kept_by_pools(self.project, path)} - {""}:
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
        listening = {event: [rule for rule in rules if event in _heard_by(rule)] for event in EVENTS}
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


_HEARD: dict[type[Rule], frozenset[str]] = {}
"""The events that each kind of rule listens to."""


def _heard_by(rule: Rule) -> frozenset[str]:
    kind = type(rule)
    if kind not in _HEARD:
        _HEARD[kind] = frozenset(EVENTS).intersection(name for one in kind.__mro__[:-2] for name in vars(one))
    return _HEARD[kind]


def _callee(callee: Value) -> list[str] | None:
    if callee.kind == v.PATH:
        return list(callee.data)
    if callee.kind == v.PARTIAL and callee.data:
        return _callee(callee.data[0])
    if callee.kind == v.MEMBER:
        return ["?", callee.data[1]]
    return None
