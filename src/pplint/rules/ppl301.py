"""PPL301: a loop over all layers of the model reads an attribute of each, or asks for each."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL, Target
from pplint.engine.answers import answer_of
from pplint.engine.context import Context
from pplint.engine.elements import filtered, position_said
from pplint.engine.guards import SINGLE
from pplint.engine.slots import Slots, is_whole
from pplint.engine.spaces import EVERY, START, space_of
from pplint.engine.values import Value
from pplint.finding import ERROR, UNSAFE, WARNING, Asks, Fix
from pplint.rules.asking import bounds_of, runs_through, slots_asks
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.builders import argument_for
from pplint.rules.layer_reads import owner_text, plain_getattr, read_slots, shown
from pplint.rules.samples import LAYERS, POOL, UTILS
from pplint.rules.why import LAYER, no_test

_HEAD = """\
from sglang.srt.models.sample_model import SampleModel


class WholeModel(SampleModel):
"""

INFO_TEXT = RuleInfo(
    code="PPL301",
    name="full-layer-loop",
    severity=ERROR,
    precision="high",
    summary="a loop over all layers of the model reads an attribute of each",
    what=(
        "A loop or a comprehension runs over a padded layer list, over `range(len(layers))` or over "
        "`range(num_hidden_layers)`, and reads an attribute of each layer (a filter "
        "`isinstance(layer.mlp, C)` reads "
        "it too) or hands each id to a method that takes a GLOBAL layer id."
    ),
    why=(
        "The slots of other stages hold placeholders without attributes, so that the read raises "
        "AttributeError on "
        "every stage, also the first: its padding is at the end. A pool has no buffer for the layers of "
        "other stages."
    ),
    how=(
        "Run over the stage: `range(self.start_layer, self.end_layer)`, `self.layers[self.start_layer:self.end_layer]`."
    ),
    silent=(
        "Loops that test the layer itself first (`isinstance(layer, PPMissingLayer)`, `hasattr(layer, "
        "x)`) or its id, "
        "that only call the layers, that run where there is one stage only; plain lists, encoders, draft "
        "models."
    ),
    fixable=(
        "`range(len(self.layers))` and `for layer in self.layers` become the stage range, `enumerate` "
        "keeps counting "
        "GLOBAL ids (all unsafe: the shape of the loop changes)."
    ),
    examples=(
        Example(
            title="Each id of the list",
            bad=_HEAD
            + """\
    def count_experts(self):
        return sum(
            1
            for i in range(len(self.layers))
            if isinstance(self.layers[i].mlp, dict)  # PPL301
        )
""",
            fixed=_HEAD
            + """\
    def count_experts(self):
        return sum(
            1
            for i in range(self.start_layer, self.end_layer)
            if isinstance(self.layers[i].mlp, dict)  # PPL301
        )
""",
            safety=UNSAFE,
            files=(LAYERS, UTILS),
        ),
        Example(
            title="Each layer of the list",
            bad=_HEAD
            + """\
    def heads(self):
        found = []
        for layer in self.layers:
            found.append(layer.self_attn.heads)  # PPL301
        return found
""",
            fixed=_HEAD
            + """\
    def heads(self):
        found = []
        for layer in self.layers[self.start_layer:self.end_layer]:
            found.append(layer.self_attn.heads)  # PPL301
        return found
""",
            safety=UNSAFE,
            files=(LAYERS, UTILS),
        ),
        Example(
            title="Ids and layers in a lazy value",
            bad=_HEAD
            + """\
    def weights(self):
        return LazyValue(
            lambda: {
                i: layer.mlp.weights
                for i, layer in enumerate(self.layers)
                if isinstance(layer.mlp, dict)  # PPL301
            }
        )
""",
            fixed=_HEAD
            + """\
    def weights(self):
        return LazyValue(
            lambda: {
                i: layer.mlp.weights
                for i, layer in enumerate(self.layers[self.start_layer:self.end_layer], self.start_layer)
                if isinstance(layer.mlp, dict)  # PPL301
            }
        )
""",
            safety=UNSAFE,
            files=(LAYERS, UTILS),
        ),
        Example(
            title="Each id goes to the pool",
            bad="""\
def rows(pool, config):
    return [pool.get_value_buffer(i) for i in range(config.num_hidden_layers)]  # PPL301
""",
            files=(POOL,),
        ),
        Example(
            title="The layer or its id is tested first",
            good=_HEAD
            + """\
    def count(self):
        found = 0
        for i, layer in enumerate(self.layers):
            if not self.start_layer <= i < self.end_layer:
                continue
            found += layer.mlp.num_experts
        return found + sum(1 for one in self.layers if hasattr(one, "mlp") and one.mlp.num_experts)
""",
            files=(LAYERS, UTILS),
        ),
    ),
)


_ID = "the id against `start_layer` and `end_layer`"


class FullLayerLoop(Rule):
    """Judges reads of attributes and arguments of calls; one finding per loop."""

    info = INFO_TEXT

    def __init__(self) -> None:
        self._loops: set[ast.AST] = set()

    def attribute(self, context: Context, node: ast.Attribute) -> None:
        """Look for a read of each slot."""
        self._read(context, node, node.value, node.attr)

    def call(self, context: Context, node: ast.Call) -> None:
        """`getattr` without a default is a read too; a method may take the id."""
        read = plain_getattr(node)
        if read is not None:
            self._read(context, node, *read)
        elif not context.draft:
            targets = context.targets(node, GLOBAL)
            if not targets or SINGLE in context.stage():
                return
            for target, callee in targets:
                argument = argument_for(node, target, callee)
                if argument is not None and not context.accessors.tolerates(target):
                    self._hand(context, node, argument, target)

    def _read(self, context: Context, node: ast.expr, element: ast.expr, attribute: str) -> None:
        slots = read_slots(context, element, attribute)
        if slots is None or not is_whole(slots) or self._told(slots.loop):
            return
        severity, condition = context.level(slots.padded.owner)
        if severity == ERROR and _is_put_off(context, node):
            severity, condition = WARNING, "only when the value that is put off here is asked for"
        where = "the end of the list" if slots.low == START else "the list"
        message = (
            f"`{shown(element)}.{attribute}` is read for every slot of a padded layer list: {where} "
            f"holds placeholders "
            f"without `{attribute}` for the layers of other stages{f' ({condition})' if condition else ''}"
        )
        fix, no_fix = _fix(context, slots)
        trace = []
        if slots.loop is not None:
            trace.append(context.step(slots.loop, "the loop runs over layers of other stages"))
        text = f"`{slots.padded.attribute}` gets a slot for every layer here"
        trace.append(context.fact_step(slots.padded.owner, slots.padded.line, text))
        trace.append(no_test(context, node, LAYER))
        context.report(
            self, node, message, severity=severity, trace=trace, fix=fix, no_fix=no_fix, around=node,
            asks=slots_asks(context, node, slots),
        )  # fmt: skip

    def _told(self, loop: ast.AST | None) -> bool:
        known = loop in self._loops
        if loop is not None:
            self._loops.add(loop)
        return known

    def _hand(self, context: Context, node: ast.Call, argument: ast.expr, target: Target) -> None:
        for value in context.flow.evaluate(argument):
            space = space_of(context, value) if value.kind in (v.ELEMENT, v.INDEX) else None
            if space is None or space.kind != EVERY or filtered(value) or any(position_said(context.flow)):
                continue
            if self._told(value.node):
                continue
            severity, condition = context.level()
            message = (
                f"every layer id of the model is given to `{target.name}`, which takes the GLOBAL ids of this "
                f"stage: a stage has nothing for the layers of the others{f' ({condition})' if condition else ''}"
            )
            trace = [*context.steps(target.evidence)]
            if value.node is not None:
                trace.insert(0, context.step(value.node, space.why))
            trace.append(no_test(context, node, _ID))
            context.report(
                self, argument, message, severity=severity, trace=trace, around=node,
                no_fix="where the stage range comes from is for the author to say",
                asks=_asks(context, node, value),
            )  # fmt: skip
            return


def _asks(context: Context, node: ast.Call, value: Value) -> Asks | None:
    """What a loop asks an accessor for, if nothing ends it early."""
    bounds = bounds_of(context, value)
    answer = answer_of(context.accessors, [target for target, _ in context.targets(node, GLOBAL)])
    if bounds is None or not answer.access or not runs_through(context, node):
        return None
    return Asks(answer.access, *bounds, of=answer.of)


def _is_put_off(context: Context, node: ast.expr) -> bool:
    """Whether a read stands in a lambda without parameters that an object keeps: `LazyValue(lambda: ...)`."""
    for call in ast.walk(context.flow.statement) if context.flow.statement is not None else ():
        name = v.dotted(call.func) if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and name is not None and name[-1].lstrip("_")[:1].isupper():
            for given in (*call.args, *(keyword.value for keyword in call.keywords)):
                if isinstance(given, ast.Lambda) and not given.args.args:
                    if any(part is node for part in ast.walk(given)):
                        return True
    return False


def _fix(context: Context, slots: Slots) -> tuple[Fix | None, str]:
    loop = slots.loop
    counts = isinstance(loop, ast.Call) and _name(loop) == "enumerate" and bool(loop.args)
    listed = loop.args[0] if isinstance(loop, ast.Call) and counts else loop
    owner = owner_text(context, slots, listed if isinstance(listed, ast.expr) else None)
    if owner is None:
        return (
            None,
            "what holds the layers is no name or dotted chain here, so its range is for the author to add",
        )
    if isinstance(loop, ast.Call) and loop is slots.source.node and _name(loop) == "range":
        if len(slots.source.data[0]) != 1 or len(slots.source.data[1]) != 1:
            return None, "the loop has different bounds on different paths"
        text = f"range({owner.start}, {owner.end})"
        return Fix(UNSAFE, "run over the layers of the stage", (context.edit(loop, text),)), ""
    if not isinstance(listed, ast.expr) or v.dotted(listed) is None:
        return None, "the loop runs over more than the list, and its parts have to stay together"
    if context.padded(context.flow.evaluate(listed)) is None:
        return (
            None,
            "the loop runs over ids that are chosen elsewhere: keep those in [start_layer, end_layer) there",
        )
    text = f"{ast.unparse(listed)}[{owner.start}:{owner.end}]"
    if isinstance(loop, ast.Call) and counts:
        if len(loop.args) != 1 or loop.keywords:
            return None, "the loop counts from a number of its own"
        text = f"{text}, {owner.start}"
    return Fix(UNSAFE, "run over the layers of the stage", (context.edit(listed, text),)), ""


def _name(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""
