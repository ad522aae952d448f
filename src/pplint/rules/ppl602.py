"""PPL602: a range or slice that ends with the stage starts from a literal instead of `start_layer`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.dispatch import refused
from pplint.engine.elements import position_said
from pplint.engine.guards import FIRST, last_name
from pplint.engine.handed import reader_of
from pplint.engine.project import Padded
from pplint.engine.slots import Slots, is_from_zero, owned, slice_of
from pplint.engine.spaces import END, common_space
from pplint.engine.values import Value, Values
from pplint.finding import ERROR, INFO, PADDED, STAGE_END, UNSAFE, ZERO, Asks, Fix
from pplint.rules.asking import is_read, runs_through
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.layer_reads import latent_choice, owner_text, shown
from pplint.rules.samples import LAYERS, UTILS
from pplint.rules.why import FIRST_STAGE, no_test

_HEAD = """\
from sglang.srt.models.sample_model import SampleModel


class StageModel(SampleModel):
"""
_SLICE = (
    _HEAD
    + """\
    def dense_rest(self, dense):
        first = self.start_layer
        if dense < first:
            first = {}  # PPL602
        return self.layers[first : self.end_layer]
"""
)
_RANGE = (
    _HEAD
    + """\
    def scales(self):
        return [self.layers[i].scale for i in range({}self.end_layer)]  # PPL602
"""
)

INFO_TEXT = RuleInfo(
    code="PPL602",
    name="stage-range-from-zero",
    severity=ERROR,
    precision="high",
    summary="a range that ends with the stage starts from 0 instead of `start_layer`",
    what=(
        "A range or a slice of the padded layer list ends at `end_layer` and starts from a literal: "
        "directly, or "
        "through a local that is set to 0 in one branch."
    ),
    why=(
        "A stage owns `start_layer` to `end_layer`. On every stage but the first the range takes in the "
        "layers of the "
        "stages before it, whose slots hold placeholders, and whose buffers and weights are elsewhere."
    ),
    how="Start from `self.start_layer`, also where the local is set as a fallback.",
    silent=(
        "Places that only the first stage reaches, ranges whose ids are compared with `start_layer` first, "
        "constructors that set a draft model's own range."
    ),
    fixable="the literal becomes `<owner>.start_layer` (unsafe: what the literal stood for is not proven).",
    examples=(
        Example(
            title="A local falls back to 0",
            bad=_SLICE.format("0"),
            fixed=_SLICE.format("self.start_layer"),
            safety=UNSAFE,
            files=(LAYERS, UTILS),
        ),
        Example(
            title="A range of ids from 0",
            bad=_RANGE.format("0, "),
            fixed=_RANGE.format("self.start_layer, "),
            safety=UNSAFE,
            files=(LAYERS, UTILS),
        ),
        Example(
            title="A range without a start",
            bad=_RANGE.format(""),
            fixed=_RANGE.format("self.start_layer, "),
            safety=UNSAFE,
            files=(LAYERS, UTILS),
        ),
        Example(
            title="Only the first stage starts from 0",
            good=_HEAD
            + """\
    def rest(self, pp_group):
        first = self.start_layer
        if pp_group.is_first_rank:
            first = 0
        return self.layers[first : self.end_layer]

    def owned(self):
        return [i for i in range(self.end_layer) if i >= self.start_layer]
""",
            files=(LAYERS, UTILS),
        ),
    ),
)


class StageRangeFromZero(Rule):
    """Judges slices of padded lists, and ranges whose elements index one."""

    info = INFO_TEXT

    def subscript(self, context: Context, node: ast.Subscript) -> None:
        """A slice of the list, or an index that comes from a range."""
        if context.draft:
            return
        for value in context.flow.evaluate(node):
            if value.kind == v.SLICE:
                self._sliced(context, node, value)
            elif value.kind == v.SUB:
                self._indexed(context, node, value)

    def call(self, context: Context, node: ast.Call) -> None:
        """`islice(self.layers, self.end_layer)`"""
        if context.draft or last_name(node) != "islice":
            return
        for value in context.flow.evaluate(node):
            if value.kind == v.SLICE:
                self._sliced(context, node, value)

    def _sliced(self, context: Context, node: ast.Subscript | ast.Call, value: Value) -> None:
        slots = slice_of(context, value)
        if slots is not None and is_from_zero(slots) and not owned(context, slots):
            self._report(context, node, slots, node)

    def _indexed(self, context: Context, node: ast.Subscript, value: Value) -> None:
        lists, picked = value.data
        padded = context.padded(lists) if any(one.kind == v.ELEMENT for one in picked) else None
        if padded is None or not isinstance(node.ctx, ast.Load):
            return
        for index in picked:
            source = index.data[0] if index.kind == v.ELEMENT else None
            if source is None or source.kind != v.RANGE or index.guards:
                continue
            slots = _from_zero(context, padded, lists, source)
            if slots is not None and not position_said(context)[0]:
                self._report(context, node, slots, source.node)

    def _report(
        self, context: Context, node: ast.Subscript | ast.Call, slots: Slots, source: ast.AST | None
    ) -> None:
        literal = slots.number.node if slots.number is not None else None
        statement = context.home(literal) if literal is not None else None
        place = literal if literal is not None and statement is not None else source
        if place is None or FIRST in context.stage(*([slots.number] if slots.number else [])):
            return
        severity, condition = context.level_of(slots.padded, *([slots.number] if slots.number else []))
        if _refused(context, slots.padded, node):
            severity, condition = INFO, latent_choice(context, slots.padded)
        start = "0" if slots.number is None else str(slots.number.data)
        message = (
            f"`{shown(node)}` runs from {start} to the end of this stage: on every stage but the first "
            f"it takes in "
            f"slots of earlier stages, which hold placeholders{f' ({condition})' if condition else ''}"
        )
        trace = [context.step(node, f"`{shown(node)}` takes these slots")] if place is not node else []
        text = f"`{slots.padded.attribute}` gets a slot for every layer here"
        trace.append(context.fact_step(slots.padded.owner, slots.padded.line, text))
        trace.append(no_test(context, node, FIRST_STAGE, slots.number))
        fix, no_fix = _fix(context, slots, node, place)
        before = _read_before(context, statement)
        if before is not None:
            fix, no_fix = (
                None,
                (
                    f"`{shown(before)}` takes the slot before the local too, which would be another stage's: "
                    "both are for the author to change"
                ),
            )
        context.report(
            self, place, message, severity=severity, trace=trace, fix=fix, no_fix=no_fix, around=node,
            statement=statement, asks=_asks(context, slots, node),
        )  # fmt: skip


def _asks(context: Context, slots: Slots, node: ast.Subscript | ast.Call) -> Asks | None:
    """What is read of these slots: of the one that is taken here, or by a function that is given the slice."""
    if isinstance(node, ast.Call):
        return None
    if isinstance(node.slice, ast.Slice):
        read = any(
            reader_of(context.project, context.place, list(callee.data), where) is not None
            for call, where in _given_to(context, node)
            for callee in context.flow.evaluate(call.func)
            if callee.kind == v.PATH
        )
    else:
        read = is_read(context, node) and runs_through(context, node)
    number = slots.number.data if slots.number is not None else 0
    return Asks(PADDED, ZERO.plus(number), STAGE_END) if read and number >= 0 else None


def _read_before(context: Context, statement: ast.stmt | None) -> ast.expr | None:
    """A read of an attribute of `x[local - 1]`, where a statement assigns the local; else None."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    for part in ast.walk(context.flow.functions[-1]) if names and context.flow.functions else ():
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Subscript):
            index = part.value.slice
            if (
                isinstance(index, ast.BinOp)
                and isinstance(index.op, ast.Sub)
                and isinstance(index.left, ast.Name)
            ):
                if index.left.id in names:
                    return part
    return None


def _refused(context: Context, padded: Padded, node: ast.expr) -> bool:
    """Whether the slice is the argument of a call that refuses the layers by their class name."""
    return any(
        refused(context.project, context.place, padded, call, where) is not None
        for call, where in _given_to(context, node)
    )


def _given_to(context: Context, node: ast.expr) -> Iterator[tuple[ast.Call, int | str]]:
    """The call that the slice is an argument of, if it is one, and at which position or keyword."""
    for call in ast.walk(context.flow.statement) if context.flow.statement is not None else ():
        if isinstance(call, ast.Call):
            given: list[tuple[int | str, ast.expr]] = [*enumerate(call.args)]
            given += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
            yield from ((call, where) for where, argument in given if argument is node)


def _from_zero(context: Context, padded: Padded, lists: Values, source: Value) -> Slots | None:
    lower, upper = source.data
    literal = next((one for one in lower if one.kind == v.INT), None)
    ends = tuple(one for one in upper if one.kind != v.INT)
    high = common_space(context, ends) if ends and len(ends) == len(upper) else None
    if literal is None or high is None or high.kind != END:
        return None
    return Slots(padded, lists, "zero", END, literal, source)


def _fix(
    context: Context, slots: Slots, node: ast.Subscript | ast.Call, place: ast.AST
) -> tuple[Fix | None, str]:
    owner = owner_text(context, slots, node.args[0] if isinstance(node, ast.Call) else node.value)
    if owner is None:
        return None, "what holds the layers is no name or dotted chain, so its range cannot be written here"
    message = f"start from `{owner.start}`"
    if isinstance(place, ast.Constant):
        return Fix(UNSAFE, message, (context.edit(place, owner.start),)), ""
    if isinstance(place, ast.Call) and context.bare_argument(place):
        count = place.args[-1]
        if len(place.args) == 1 or (place is node and len(place.args) == 2):
            return Fix(UNSAFE, message, (context.edit(count, f"{owner.start}, {ast.unparse(count)}"),)), ""
    if (
        isinstance(place, ast.Subscript)
        and isinstance(place.slice, ast.Slice)
        and place.slice.upper is not None
    ):
        upper = place.slice.upper
        text = f"{ast.unparse(place.value)}[{owner.start}:{ast.unparse(upper)}]"
        if place.slice.step is None and v.dotted(place.value) is not None:
            return Fix(UNSAFE, message, (context.edit(place, text),)), ""
    return None, "the start is not written here as a literal"
