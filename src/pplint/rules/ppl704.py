"""PPL704: a default in the place of a stage range hides that the range is missing."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.guards import FIRST
from pplint.engine.reach import entry_classes, hidden, may_tell_range
from pplint.engine.vocabulary import is_start
from pplint.finding import INFO, STAGE_START, WARNING, WHOLE, Asks, Step
from pplint.rules.asking import one_id
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.samples import LAYERS, UTILS
from pplint.rules.why import FEW_CLASSES, FIRST_STAGE, named_classes, no_test

_HIDING = (
    "srt/models/sample_top.py",
    """\
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)


EntryClass = SampleForCausalLM
""",
)

INFO_TEXT = RuleInfo(
    code="PPL704",
    name="defaulted-stage-range",
    severity=WARNING,
    precision="high",
    summary="a default of 0 hides that an object has no stage range",
    what=(
        'The first layer of a stage is read with a default of 0: `getattr(x, "start_layer", 0)`, '
        '`getattr(x, "start_layer", None) or 0`, `x.start_layer if hasattr(x, "start_layer") else 0`.'
    ),
    why=(
        "An object without the attribute passes for one that starts at layer 0. On every stage but the "
        "first that "
        "is wrong: caches are built for all layers, or layers are counted from the wrong end, without any "
        "error."
    ),
    how="Read the attribute without a default, at least when there is more than one stage.",
    silent=(
        "Defaults of `None` that are tested afterwards, objects whose classes all have the attribute, code "
        "that "
        "only the first or single stage runs, and draft models. Info: objects of which no class without the attribute "
        "is in view, and a property that is itself called `start_layer` and delegates to an inner object."
    ),
    examples=(
        Example(
            title="The runner asks the model for its range",
            bad="""\
def layer_range(model, num_hidden_layers):
    start_layer = getattr(model, "start_layer", 0)  # PPL704
    end_layer = getattr(model, "end_layer", num_hidden_layers)
    return start_layer, end_layer
""",
            files=(LAYERS, UTILS, _HIDING),
        ),
        Example(
            title="A conditional default",
            bad="""\
def first_layer(model):
    return model.start_layer if hasattr(model, "start_layer") else 0  # PPL704
""",
            files=(LAYERS, UTILS, _HIDING),
        ),
        Example(
            title="None is a default that can be told from a range",
            good="""\
def first_layer(model):
    start_layer = getattr(model, "start_layer", None)
    if start_layer is None:
        raise ValueError("the model does not say which layers it owns")
    return start_layer
""",
        ),
    ),
)


class DefaultedStageRange(Rule):
    """Judges reads of a first layer that fall back to 0."""

    info = INFO_TEXT

    def call(self, context: Context, node: ast.Call) -> None:
        """Look for `getattr(x, "start_layer", 0)`."""
        if not isinstance(node.func, ast.Name) or node.func.id != "getattr" or len(node.args) != 3:
            return
        name, default = node.args[1], node.args[2]
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str) or not is_start(name.value):
            return
        if _is_zero(context, default) or (_is_none(default) and _or_zero(context, node)):
            self._judge(context, node, node.args[0], name.value)

    def attribute(self, context: Context, node: ast.Attribute) -> None:
        """Look for `x.start_layer if hasattr(x, "start_layer") else 0`."""
        statement = context.flow.statement
        if not is_start(node.attr) or statement is None:
            return
        for part in ast.walk(statement):
            if isinstance(part, ast.IfExp) and part.body is node and _is_zero(context, part.orelse):
                test = part.test
                if isinstance(test, ast.Call) and v.dotted(test.func) == ("hasattr",):
                    self._judge(context, part, node.value, node.attr)

    def _judge(self, context: Context, node: ast.expr, subject: ast.expr, name: str) -> None:
        if context.draft or FIRST in context.stage():
            return
        project = context.project
        types = _types(context, subject)
        lacking = sorted(one for one in types if not may_tell_range(project, one))
        if types and not lacking:
            return
        hiding = lacking or _hiding(context, v.dotted(subject))
        severity, condition = (
            (WARNING, "; without the default it would stop here") if hiding
            else (INFO, " (latent: no such object is in view)")
        )  # fmt: skip
        delegates = any(is_start(function.name) for function in context.flow.functions)
        if delegates:
            severity, condition = INFO, " (it delegates: only where the inner object is missing)"
        such_as = f", such as {named_classes(project, hiding)}," if hiding else ""
        message = (
            f"the default 0 hides that `{ast.unparse(subject)}` may have no `{name}`: an object without it"
            f"{such_as} passes for one that starts at layer 0, which only the first stage "
            f"does{condition}"
        )
        text = f"an object without `{name}` passes here for one that starts at layer 0"
        trace = [
            *_lacks(context, hiding[:FEW_CLASSES], name),
            context.step(node, text),
            no_test(context, node, FIRST_STAGE),
        ]
        context.report(
            self, node, message, severity=severity, trace=trace,
            no_fix="which object knows the range is for the author to say",
            # What becomes of a model's range depends on whoever asks for it, see PPL702.
            asks=Asks(WHOLE, *one_id(0), meant=STAGE_START) if not delegates and (lacking or not hiding) else None,
        )  # fmt: skip


def _types(context: Context, subject: ast.expr) -> set[str]:
    """The classes that the object which is read may have."""
    return {
        one
        for value in context.flow.evaluate(subject)
        if value.kind in (v.PATH, v.PARAM)
        for one in context.project.types_of(
            context.place, tuple(value.data) if value.kind == v.PATH else (value.data,)
        )
    }


def _lacks(context: Context, hiding: list[str], name: str) -> list[Step]:
    """The steps that show classes without a range."""
    project = context.project
    return [
        context.fact_step(one, project.classes[one]["line"], f"`{project.class_name(one)}` has no `{name}`")
        for one in hiding
    ]


def _hiding(context: Context, path: tuple[str, ...] | None) -> list[str]:
    """Top-level classes that are split and do not tell their range, where a model is asked."""
    if path is None or "model" not in path[-1] or "pool" in path[-1]:
        return []
    return [one for one in entry_classes(context.project) if hidden(context.project, one)]


def _is_zero(context: Context, node: ast.expr) -> bool:
    found = context.flow.evaluate(node)
    return len(found) == 1 and found[0].kind == v.INT and found[0].data == 0


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _or_zero(context: Context, node: ast.Call) -> bool:
    """Whether the statement says `<node> or 0`."""
    statement = context.flow.statement
    return statement is not None and any(
        isinstance(part, ast.BoolOp)
        and isinstance(part.op, ast.Or)
        and part.values[0] is node
        and _is_zero(context, part.values[-1])
        for part in ast.walk(statement)
    )
