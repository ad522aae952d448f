"""PPL201: a literal index on a padded layer list whose element is then read."""

from __future__ import annotations

import ast

from pplint.engine.context import Context
from pplint.engine.slots import Slots, is_literal
from pplint.finding import ERROR, SAFE, UNSAFE, Fix
from pplint.rules.asking import slots_asks
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.layer_reads import called_reads, owner_text, read_slots, shown
from pplint.rules.samples import LAYERS, UTILS
from pplint.rules.why import LAYER, no_test

INFO_TEXT = RuleInfo(
    code="PPL201",
    name="literal-layer-index",
    severity=ERROR,
    precision="very-high",
    summary="a literal index into a padded layer list, whose element is then read",
    what=(
        "An attribute is read from `layers[0]`, `layers[-1]` or another literal slot of a padded layer list."
    ),
    why=(
        "A padded list has a slot for every layer of the model, and the slots of other stages hold "
        "placeholders "
        "without attributes: on a stage that does not own the layer the read raises AttributeError."
    ),
    how="Index by the stage's own range: `layers[start_layer]`, `layers[end_layer - 1]`.",
    silent=(
        "Reads behind a test of the element itself (`isinstance(layers[0], PPMissingLayer)`, "
        "`hasattr(layers[0], x)`) "
        "or of the stage, plain lists, encoders and draft models."
    ),
    fixable=(
        "`layers[0]` becomes `layers[<owner>.start_layer]` (safe), `layers[-1]` "
        "`layers[<owner>.end_layer - 1]`."
    ),
    examples=(
        Example(
            title="A model looks at its first layer",
            bad="""\
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)

    def expert_count(self):
        return self.model.layers[0].mlp.num_experts  # PPL201
""",
            fixed="""\
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)

    def expert_count(self):
        return self.model.layers[self.model.start_layer].mlp.num_experts  # PPL201
""",
            safety=SAFE,
            files=(LAYERS, UTILS),
        ),
        Example(
            title="The element itself is tested first",
            good="""\
from sglang.srt.layers.sample_utils import PPMissingLayer
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)

    def expert_count(self):
        if isinstance(self.model.layers[0], PPMissingLayer):
            return 0
        return self.model.layers[0].mlp.num_experts
""",
            files=(LAYERS, UTILS),
        ),
    ),
)


class LiteralLayerIndex(Rule):
    """Judges reads of attributes."""

    info = INFO_TEXT

    def attribute(self, context: Context, node: ast.Attribute) -> None:
        """Look for a read of a literal slot."""
        self._read(context, node, node.value, node.attr)

    def call(self, context: Context, node: ast.Call) -> None:
        """What is called of a slot is read first; `getattr` without a default is a read too."""
        for read in called_reads(node):
            self._read(context, *read)

    def _read(self, context: Context, node: ast.expr, element: ast.expr, attribute: str) -> None:
        slots = read_slots(context, element, attribute)
        if slots is not None and slots.number is not None and is_literal(slots):
            self._report(context, node, element, attribute, slots)

    def _report(
        self, context: Context, node: ast.expr, element: ast.expr, attribute: str, slots: Slots
    ) -> None:
        padded, number = slots.padded, slots.number
        assert number is not None
        severity, condition = context.level_of(padded, number)
        picked = _picked(context, element)
        fix, no_fix = self._fix(context, slots, picked) if picked is not None else (None, "")
        owner = {0: "only the first stage", -1: "only the last stage"}.get(number.data, "only one stage")
        who = f"{owner} has a layer there, the others a placeholder"
        if slots.low != slots.high:
            who = "on a stage that does not own them all some are placeholders"
        message = (
            f"`{shown(element)}.{attribute}` reads a slot of a padded layer list that was chosen by a "
            f"literal: "
            f"{who} without `{attribute}`{f' ({condition})' if condition else ''}"
        )
        trace = []
        if number.node is not None and picked is not None and number.node is not picked.slice:
            trace.append(context.step(number.node, f"{number.data} is chosen here"))
        text = f"`{padded.attribute}` gets a slot for every layer here"
        trace.append(context.fact_step(padded.owner, padded.line, text))
        trace.append(no_test(context, node, LAYER, number))
        context.report(
            self, picked.slice if picked is not None else node, message, severity=severity, trace=trace,
            fix=fix, no_fix=no_fix or "which layer is meant is for the author to say", around=node,
            asks=slots_asks(context, node, slots),
        )  # fmt: skip

    def _fix(self, context: Context, slots: Slots, picked: ast.Subscript) -> tuple[Fix | None, str]:
        number = slots.number
        owner = owner_text(context, slots, picked.value)
        if number is None or number.data not in (0, -1) or slots.low != slots.high:
            return None, "which layer is meant is for the author to say"
        if owner is None:
            return (
                None,
                "what holds the layers is no name or dotted chain, so its range cannot be written here",
            )
        if number.node is not picked.slice and not isinstance(picked.slice, ast.BinOp):
            return None, "the index is chosen elsewhere; ask for the stage's own range here"
        text = owner.start if number.data == 0 else f"{owner.end} - 1"
        safe = number.data == 0 and owner.proven
        return Fix(SAFE if safe else UNSAFE, f"index by `{text}`", (context.edit(picked.slice, text),)), ""


def _picked(context: Context, element: ast.expr) -> ast.Subscript | None:
    """The subscript that takes the element, where it stands in this very expression."""
    if isinstance(element, ast.Subscript) and not isinstance(element.slice, ast.Slice):
        return element
    return None
