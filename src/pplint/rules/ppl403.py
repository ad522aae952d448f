"""PPL403: the exclusive end of a stage is treated as if it belonged to the stage."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.guards import LAST, last_name
from pplint.engine.spaces import END, EVERY, OWNED, STAGE_COUNT, START, common_space
from pplint.engine.weight_names import is_layer_of_name
from pplint.finding import ERROR, INFO, PADDED, STAGE_END, STAGE_START, TEST, UNSAFE, Asks, Fix, Step
from pplint.rules.asking import is_read
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.samples import LAYERS, UTILS
from pplint.rules.why import LAST_STAGE, no_test

INFO_TEXT = RuleInfo(
    code="PPL403",
    name="stage-end-off-by-one",
    severity=ERROR,
    precision="high",
    summary="the exclusive end of a stage is treated as a layer of the stage",
    what=(
        "`range(start_layer, end_layer + 1)`, a slice up to `end_layer + 1`, `start_layer <= id <= end_layer`, a bound "
        "`layer_id > end_layer`, also beside `layer_id < start_layer`, `layers[end_layer]`, or a test `layer_id == "
        "end_layer`. `end_layer` is one past the last layer of the stage."
    ),
    why=(
        "Every stage but the last takes in the first layer of the next stage: it keeps a cache for a "
        "layer that it does "
        "not run, or reads a placeholder. A pool that counts its layers is one too large, and ids map "
        "to wrong places."
    ),
    how="Leave the `+ 1` out: `range(start_layer, end_layer)`; the last layer is `end_layer - 1`.",
    silent=(
        "`end_layer - 1`, counts that are padded on purpose (info), and code that only the last stage "
        "reaches."
    ),
    fixable="`end_layer + 1` becomes `end_layer` (unsafe: it changes what the first stage does, too).",
    examples=(
        Example(
            title="The layers of one kind on this stage",
            bad="""\
def full_attention_ids(config, info):
    start_layer, end_layer = info.start_layer, info.end_layer
    return [i for i in range(start_layer, end_layer + 1) if i in config.full_attention_layer_ids]  # PPL403
""",
            fixed="""\
def full_attention_ids(config, info):
    start_layer, end_layer = info.start_layer, info.end_layer
    return [i for i in range(start_layer, end_layer) if i in config.full_attention_layer_ids]  # PPL403
""",
            safety=UNSAFE,
        ),
        Example(
            title="A comparison and a subscript that take the end in",
            bad="""\
from sglang.srt.models.sample_model import SampleModel


class SampleLast(SampleModel):
    def owns(self, layer_id):
        return self.start_layer <= layer_id <= self.end_layer  # PPL403

    def last(self):
        return self.layers[self.end_layer]  # PPL403
""",
            files=(LAYERS, UTILS),
        ),
        Example(
            title="A filter of weights that lets the first layer of the next stage pass",
            bad="""\
def kept(weights, model):
    for name, weight in weights:
        layer_id = get_layer_id(name)
        if layer_id is not None and (layer_id < model.start_layer or layer_id > model.end_layer):  # PPL403
            continue
        yield name, weight
""",
        ),
        Example(
            title="The end is exclusive",
            good="""\
def own(layers, start_layer, end_layer, layer_id):
    last = layers[end_layer - 1]
    count = end_layer - start_layer
    beyond = layer_id >= end_layer or layer_id > end_layer - 1
    return last, count, range(start_layer, end_layer), start_layer <= layer_id < end_layer, beyond
""",
        ),
    ),
)


_NEXT = "`end_layer` is one past the last layer of the stage: it belongs to the next one"
_LAYER_ID = r"^(?!.*(next|last|end|stop))_*(\w+_)?layer_?(id|idx|index)$"


class StageEndOffByOne(Rule):
    """Judges ranges, slices, comparisons and subscripts that name the end of a stage."""

    info = INFO_TEXT

    def __init__(self) -> None:
        self._told: set[int] = set()

    def module(self, context: Context, tree: ast.Module) -> None:
        """Forget the comparisons of the file before."""
        self._told = set()

    def call(self, context: Context, node: ast.Call) -> None:
        """`range(start, end + 1)`."""
        is_range = v.dotted(node.func) == ("range",) and "range" not in context.flow.env
        if is_range and len(node.args) >= 2 and _kind(context, node.args[0]) == START:
            self._past_end(context, node, node.args[1])

    def subscript(self, context: Context, node: ast.Subscript) -> None:
        """`layers[start : end + 1]` and `layers[end]`."""
        index = node.slice
        if isinstance(index, ast.Slice):
            if index.lower is not None and index.upper is not None and _kind(context, index.lower) == START:
                self._past_end(context, node, index.upper)
        elif _kind(context, index) == END and context.padded(context.flow.evaluate(node.value)) is not None:
            self._report(
                context, index, node, "`end_layer` is the first layer of the next stage: a placeholder here",
                asks=Asks(PADDED, STAGE_END, STAGE_END.plus(1)) if is_read(context, node) else None,
            )  # fmt: skip

    def binary(self, context: Context, node: ast.BinOp) -> None:
        """`end - start + 1` as a number of layers."""
        inner = _one_more(node)
        if inner is None or not isinstance(inner, ast.BinOp) or _kind(context, inner) != STAGE_COUNT:
            return
        text = "a stage has `end_layer - start_layer` layers: this counts one more"
        self._report(context, node, node, text, severity=INFO)

    def compare(self, context: Context, node: ast.Compare) -> None:
        """`start <= id <= end`, `id > end` as a bound of the stage, and `id == end`."""
        sides = [node.left, *node.comparators]
        kinds = [_kind(context, side) for side in sides]
        for position, operator in enumerate(node.ops):
            left, right = kinds[position], kinds[position + 1]
            closed = _takes_end_in(operator, left, right)
            where, other = sides[position : position + 2][:: -1 if right == END else 1]
            both = closed and (START in kinds or _asked_before(context, other, _compares_start) is not None)
            asked = isinstance(operator, (ast.Eq, ast.NotEq)) and {left, right} == {OWNED, END}
            if both or asked or (closed and _is_layer_id(context, other)):
                self._told.add(id(node))
                taken = Asks(TEST, STAGE_START, STAGE_END.plus(1)) if both else None
                self._report(context, where, node, _NEXT, asks=taken)
        if _compares_start(context, node):
            for side in sides:
                before = _asked_before(context, side, _bounds_end)
                if before is not None and id(before) not in self._told:
                    self._told.add(id(before))
                    taken = Asks(TEST, STAGE_START, STAGE_END.plus(1))
                    self._report(context, before.comparators[0], before, _NEXT, asks=taken)

    def _past_end(self, context: Context, node: ast.expr, end: ast.expr) -> None:
        """Report `end + 1`, written there or in a local."""
        for value in context.flow.evaluate(end):
            inner = _one_more(value.node)
            if inner is None or not _ends(context, value):
                continue
            fix = None
            if value.node is end:
                kept = ast.get_source_segment(context.source.text, inner) or ""
                fix = Fix(UNSAFE, f"stop at `{kept}`", (context.edit(end, kept),))
            text = "`end_layer` is exclusive: this takes in the first layer of the next stage"
            self._report(context, end, node, text, fix=fix)
            return

    def _report(
        self,
        context: Context,
        where: ast.expr,
        around: ast.expr,
        text: str,
        *,
        severity: str = "",
        fix: Fix | None = None,
        asks: Asks | None = None,
    ) -> None:
        if context.draft or LAST in context.stage():
            return
        level, condition = context.level()
        said = f" ({condition})" if condition else ""
        context.report(
            self,
            where,
            text + said,
            severity=severity or level,
            fix=fix if level != INFO else None,
            no_fix=""
            if fix
            else "whether the test, the count or the bound is meant is for the author to say",
            trace=[*_range(context, where), no_test(context, around, LAST_STAGE)],
            around=around,
            asks=asks,
        )


def _range(context: Context, node: ast.expr) -> list[Step]:
    """What the end of the stage is called here."""
    for part in ast.walk(node):
        space = common_space(context, context.flow.evaluate(part)) if isinstance(part, ast.expr) else None
        if space is not None and space.kind == END:
            return [context.step(part, space.why)]
    return []


def _kind(context: Context, node: ast.expr) -> str:
    space = common_space(context, context.flow.evaluate(node))
    return space.kind if space is not None else ""


def _takes_end_in(operator: ast.cmpop, left: str, right: str) -> bool:
    """Whether one comparison, of two kinds, draws the line behind the end: `id <= end`, `id > end` and their mirrors."""
    if START in (left, right) or left == right:
        return False
    return isinstance(operator, (ast.LtE, ast.Gt) if right == END else (ast.GtE, ast.Lt)) and END in (
        left,
        right,
    )


def _asked_before(
    context: Context, node: ast.expr, wanted: Callable[[Context, ast.Compare], bool]
) -> ast.Compare | None:
    """A wanted comparison of the same thing, among the conditions that were asked before."""
    same = ast.dump(node)
    for test, _ in context.flow.guards:
        if isinstance(test, ast.Compare) and wanted(context, test):
            if any(ast.dump(side) == same for side in (test.left, *test.comparators)):
                return test
    return None


def _compares_start(context: Context, test: ast.Compare) -> bool:
    """Whether something is held against the first layer of the stage, whichever is larger."""
    ordered = isinstance(test.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
    return ordered and any(_kind(context, side) == START for side in (test.left, *test.comparators))


def _bounds_end(context: Context, test: ast.Compare) -> bool:
    """Whether one comparison draws the line behind the end."""
    left, right = (_kind(context, side) for side in (test.left, test.comparators[0]))
    return len(test.ops) == 1 and _takes_end_in(test.ops[0], left, right)


def _is_layer_id(context: Context, node: ast.expr) -> bool:
    """Whether something is the id of one layer: that in a weight's name, or what is called so."""
    found = context.flow.evaluate(node)
    if any(one.kind == v.ARITH for one in found):
        return False  # `i + 1 <= end` leaves the end out
    named = re.search(_LAYER_ID, last_name(node)) is not None
    return named or all(map(is_layer_of_name, found)) or _kind(context, node) == EVERY


def _one_more(node: ast.AST | None) -> ast.expr | None:
    """The expression that 1 (or another number) is added to, or None."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return None
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(other, ast.Constant) and isinstance(other.value, int) and other.value > 0:
            return one
    return None


def _ends(context: Context, value: v.Value) -> bool:
    """Whether one of the two summands of a value is the end of a stage."""
    if value.kind != v.ARITH:
        return False
    _, left, right = value.data
    kinds = [space.kind for part in (left, right) if (space := common_space(context, part)) is not None]
    return END in kinds
