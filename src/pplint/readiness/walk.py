"""One walk of a model's file for the readiness of its classes: what the rules find, and what proves the rest.

Findings come from the rules themselves. Beside them a recorder notes where layers are taken from a split list,
where a head is tied, and what becomes of the proxies of the stage before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pplint.engine import values as v
from pplint.engine.context import Context, Walk
from pplint.engine.facts import Facts
from pplint.engine.guards import alone
from pplint.engine.slots import ALL, ZERO, bound_kind, is_whole, slice_of, slots_of
from pplint.engine.spaces import END, START, space_of
from pplint.engine.values import Value, Values
from pplint.finding import ERROR, Finding, Trouble
from pplint.records import Record
from pplint.rules.base import Rule, RuleInfo
from pplint.rules.heads import never_tied
from pplint.rules.ppl502 import UnguardedTiedHead
from pplint.rules.registry import rules_for
from pplint.source.text import Source

STAGE_LOOP, WHOLE_LOOP, TIE, NO_TIE = "stage loop", "whole loop", "tie", "no tie"
INDEX, LITERAL, GUARDED = "index", "literal", "guarded literal"

TIED_CODE = "PPL502"
_RECORDED = "PPL000"


class Note(Record):
    """What stands at a line of a module: one of the kinds above, in the function `symbol` (`Class.method`)."""

    kind: str
    symbol: str
    line: int
    text: str = ""


class Seen(Record):
    """What the walk of one module brought."""

    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]
    troubles: tuple[Trouble, ...]


def walked(facts: Facts, module: str, source: Source, tree: ast.Module, codes: Iterable[str]) -> Seen:
    """Let the rules of some codes walk a module, with the recorder beside them; `troubles` are rules that crashed."""
    recorder, ties = Recorder(), TiedHeads()
    rules: list[Rule] = [recorder, ties, *rules_for(frozenset(codes) - {TIED_CODE})]
    walk = Walk(facts, module, source, tree, rules, patient=True)
    findings = walk.walk()
    return Seen(tuple(findings), (*recorder.notes, *ties.notes), tuple(walk.troubles))


class Recorder(Rule):
    """Notes how the layers of a split list are taken: by loops, and by subscripts."""

    info = RuleInfo(_RECORDED, "recorder", ERROR, "high", "", "", "", "", "")

    def __init__(self) -> None:
        self.notes: list[Note] = []

    def loop(self, context: Context, target: ast.expr, iterable: ast.expr, found: Values) -> None:
        """Note a loop over the layers of the stage, or over those of the model."""
        for value in found:
            kind = _loop_kind(context, value)
            if kind:
                self._note(context, kind, iterable)
                return

    def subscript(self, context: Context, node: ast.Subscript) -> None:
        """Note that layers are picked from a split list, and over which range the index runs."""
        if context.padded(context.flow.evaluate(node.value)) is None:
            return
        self._note(context, _index_kind(context, node), node)
        for index in () if isinstance(node.slice, ast.Slice) else context.flow.evaluate(node.slice):
            if index.kind == v.ELEMENT and index.data[0].kind == v.RANGE:
                source: Value = index.data[0]
                kind = _loop_kind(context, source)
                if kind and isinstance(source.node, ast.expr):
                    self._note(context, kind, source.node)

    def _note(self, context: Context, kind: str, node: ast.expr) -> None:
        self.notes.append(Note(kind, context.flow.symbol, node.lineno, ast.unparse(node)))


def _index_kind(context: Context, node: ast.Subscript) -> str:
    """Whether a layer is named by a literal, and whether that is known to be right where it stands."""
    found = () if isinstance(node.slice, ast.Slice) else context.flow.evaluate(node.slice)
    if not any(one.kind == v.INT for one in found):
        return INDEX
    return GUARDED if slots_of(context, context.flow.evaluate(node)) is None else LITERAL


def _loop_kind(context: Context, value: Value) -> str:
    if value.kind in (v.ENUMERATE, v.ZIP):
        inner = value.data[0]
        return next((kind for one in inner if (kind := _loop_kind(context, one))), "")
    if value.kind == v.PATH:
        return WHOLE_LOOP if context.padded((value,)) is not None else ""
    if value.kind == v.SLICE:
        slots = slice_of(context, value)
        if slots is None:
            return ""
        return (
            WHOLE_LOOP if is_whole(slots) else STAGE_LOOP if (slots.low, slots.high) == (START, END) else ""
        )
    if value.kind == v.RANGE:
        return _bounds_kind(context, value.data[0], value.data[1])
    return _islice_kind(context, value) if value.kind == v.CALL else ""


def _bounds_kind(context: Context, lower: Values | None, upper: Values | None) -> str:
    """What a range runs over; where a bound has alternatives, a rule looks at those that are not the stage's."""
    low, high = bound_kind(context, lower, ZERO)[0], bound_kind(context, upper, ALL)[0]
    if START in (low, *_kinds(context, lower)) and END in (high, *_kinds(context, upper)):
        return STAGE_LOOP
    return WHOLE_LOOP if (low, high) == (ZERO, ALL) else ""


def _kinds(context: Context, found: Values | None) -> set[str]:
    return {space.kind for value in found or () if (space := space_of(context, value)) is not None}


def _islice_kind(context: Context, value: Value) -> str:
    """`islice(layers, start, end)`."""
    called = any(path[-1] == "islice" for path in v.paths(value.data))
    if not called or not isinstance(value.node, ast.Call) or len(value.node.args) < 3:
        return ""
    layers, lower, upper = (context.flow.evaluate(one) for one in value.node.args[:3])
    return _bounds_kind(context, lower, upper) if context.padded(layers) is not None else ""


class TiedHeads(UnguardedTiedHead):
    """The rule itself, which also notes the ties that it finds guarded."""

    def __init__(self) -> None:
        self.notes: list[Note] = []

    def _tie(self, context: Context, value: ast.expr, tied: Value, weight: bool, head: str) -> bool:
        line = never_tied(context, value)
        if line:
            self.notes.append(Note(NO_TIE, context.flow.symbol, line))
            return True
        found = super()._tie(context, value, tied, weight, head)
        if not found and alone(context.stage(tied)):
            self.notes.append(Note(TIE, context.flow.symbol, value.lineno, ast.unparse(value)))
        return found
