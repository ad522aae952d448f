"""PPL201: a literal index on a padded layer list whose element is then read."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.elements import guarded
from pplint.engine.guards import FIRST, LAST
from pplint.engine.values import Value
from pplint.finding import ERROR, SAFE, UNSAFE, Fix
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.samples import LAYERS, UTILS

INFO_TEXT = RuleInfo(
    code="PPL201",
    name="literal-layer-index",
    severity=ERROR,
    precision="very-high",
    summary="a literal index into a padded layer list, whose element is then read",
    what="An attribute is read from `layers[0]`, `layers[-1]` or another literal slot of a padded layer list.",
    why=(
        "A padded list has a slot for every layer of the model, and the slots of other stages hold placeholders "
        "without attributes: on a stage that does not own the layer the read raises AttributeError."
    ),
    how="Index by the stage's own range: `layers[start_layer]`, `layers[end_layer - 1]`.",
    silent=(
        "Reads behind a test of the element itself (`isinstance(layers[0], PPMissingLayer)`, `hasattr(layers[0], x)`) "
        "or of the stage, plain lists, encoders and draft models."
    ),
    fixable="`layers[0]` becomes `layers[<owner>.start_layer]` (safe), `layers[-1]` `layers[<owner>.end_layer - 1]`.",
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
        if context.draft or node.attr.startswith("__"):
            return
        for base in context.flow.evaluate(node.value):
            if base.kind != v.SUB or not isinstance(base.node, ast.Subscript):
                continue
            padded = context.padded(base.data[0])
            number = next((one for one in base.data[1] if one.kind == v.INT), None)
            if padded is None or number is None:
                continue
            if guarded(context, node.value, base.node) or _owned(context, number):
                continue
            self._report(context, node, base.node, number)

    def _report(self, context: Context, node: ast.Attribute, element: ast.Subscript, number: Value) -> None:
        padded = context.padded(context.flow.evaluate(element.value))
        if padded is None:
            return
        severity, condition = context.level(padded.owner)
        owner = v.dotted(element.value)
        fix, no_fix = None, "which layer is meant is for the author to say"
        literal = number.node
        if owner is not None and number.data in (0, -1) and literal is element.slice:
            prefix = ".".join(owner[:-1])
            text = f"{prefix}.{padded.start}" if number.data == 0 else f"{prefix}.{padded.end} - 1"
            safety = SAFE if number.data == 0 and padded.start else UNSAFE
            fix, no_fix = Fix(safety, f"index by `{text}`", (context.edit(literal, text),)), ""
        place = "first" if number.data == 0 else "last" if number.data == -1 else "some"
        message = (
            f"`{ast.unparse(element)}.{node.attr}` reads a slot of a padded layer list: only the {place} stage has "
            f"a layer there, the others a placeholder without `{node.attr}`{f' ({condition})' if condition else ''}"
        )
        step = context.fact_step(
            padded.owner, padded.line, f"`{padded.attribute}` gets a slot for every layer here"
        )
        context.report(
            self, element.slice, message, severity=severity, trace=[step], fix=fix, no_fix=no_fix, around=node
        )


def _owned(context: Context, number: Value) -> bool:
    facts = context.stage(number)
    return FIRST in facts if number.data >= 0 else LAST in facts
