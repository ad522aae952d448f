"""PPL102: a layer is built with the id of an earlier layer, which another stage may own."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.facts import Facts
from pplint.engine.guards import SINGLE
from pplint.engine.interest import names_of
from pplint.engine.values import Value
from pplint.engine.vocabulary import LAYER_ID_NAMES, is_end, is_start
from pplint.finding import ERROR, INFO, WARNING
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.samples import UTILS
from pplint.source.blocks import FunctionNode

_LAYER = """\
from sglang.srt.layers.sample_utils import make_layers


class SampleAttention:
    def __init__(self, config, layer_id, start_layer=0):
        self.layer_id = layer_id
        kinds = config.layer_types[: config.first_shared]
        self.shared = len(kinds) - 1 - kinds[::-1].index(config.layer_types[layer_id])
{test}        self.attn = CachedAttention(
            layer_id=self.shared if layer_id >= config.first_shared else layer_id,
        )


class SampleModel:
    def __init__(self, config, pp_group):
        self.layers, self.start_layer, self.end_layer = make_layers(
            config.num_hidden_layers,
            lambda idx, prefix: SampleAttention(config, layer_id=idx),
            pp_rank=pp_group.rank_in_group,
            pp_size=pp_group.world_size,
        )

    def forward(self, input_ids, pp_proxy_tensors=None):
        return input_ids


EntryClass = SampleModel
"""

INFO_TEXT = RuleInfo(
    code="PPL102",
    name="borrowed-layer-id",
    severity=WARNING,
    precision="medium",
    summary="a layer reads the cache of an earlier layer, which another stage may own",
    what=(
        "A layer hands on its own id as `layer_id=`, or in some cases that of an earlier layer, which it looks up in the "
        "configuration, as layers do that share a KV cache."
    ),
    why=(
        "The split knows nothing of such pairs. Where the two lie on two stages, the cache of the earlier layer is not "
        "there: the id is outside of the stage's pool (IndexError, or another layer's cache), or, in a pool for all "
        "layers, inside of one that nobody writes on this stage."
    ),
    how="Refuse splits that part the two (`assert start_layer <= shared < end_layer`), or refuse several stages.",
    silent=(
        "Constructors that test the stage range, ids that are reckoned from the own id, such as `layer_id * 2`, draft "
        "models. Layers of models that do not accept pipeline parallelism are info."
    ),
    examples=(
        Example(
            title="A layer without a cache of its own",
            bad=_LAYER.format(test="").replace("else layer_id,", "else layer_id,  # PPL102"),
            files=(UTILS,),
        ),
        Example(
            title="Splits between the two are refused",
            good=_LAYER.format(test="        assert self.shared >= start_layer\n"),
            files=(UTILS,),
        ),
    ),
)


class BorrowedLayerId(Rule):
    """Judges the ids that layers hand on when they are built."""

    info = INFO_TEXT

    def call(self, context: Context, node: ast.Call) -> None:
        """`Attention(layer_id=self.shared if self.is_shared else layer_id)`"""
        functions = context.flow.functions
        if len(functions) != 1 or functions[0].name != "__init__" or context.draft or not context.class_id:
            return
        for keyword in node.keywords:
            if (
                keyword.arg is None
                or SINGLE in context.stage()
                or not _is_layer_id(context, node, keyword.arg)
            ):
                continue
            found = context.flow.evaluate(keyword.value)
            others = [one for one in found if not _is_own(one, keyword.arg)]
            if len(others) < len(found):
                self._judge(context, functions[0], node, others, keyword.arg)

    def _judge(
        self, context: Context, function: FunctionNode, node: ast.Call, others: list[Value], name: str
    ) -> None:
        if any(is_start(one) or is_end(one) for one in v.names_in(function)) or context.file_refuses():
            return
        for one in others:
            source = _looked_up(context, one, name)
            if source is not None and one.node is not None:
                self._report(context, node, one.node, source)
                return

    def _report(self, context: Context, node: ast.Call, given: ast.AST, source: ast.expr) -> None:
        project = context.project
        names = project.summaries[context.module]["entry"]
        above = [one for name in names if (one := project.resolve_class(context.module, [name])) is not None]
        severity, condition = context.level()
        severity = WARNING if severity == ERROR else severity
        if above and not any(map(project.accepts_pp, above)):
            name = project.class_name(above[0])
            severity, condition = INFO, f"latent: `{name}` does not accept pipeline parallelism today"
        context.report(
            self,
            given,
            f"`{ast.unparse(given)}` is the id of another layer: where a stage begins between the two, that layer's cache "
            f"is not on this stage, and what is read here was never written{f' ({condition})' if condition else ''}",
            severity=severity,
            trace=[
                context.step(source, "the id comes from the configuration, which knows no stages"),
                context.step(node, "nothing in this constructor tests the id against the range of the stage"),
            ],
            around=node,
            no_fix="which splits are to be refused is for the author to say",
        )


def _is_layer_id(context: Context, node: ast.Call, name: str) -> bool:
    """Whether what is built keeps an argument as its layer id.

    One that is not in view is believed by the name, if accessors have such a parameter.
    """
    project, callee = context.project, v.dotted(node.func)
    built = project.callee_classes(context.place, list(callee)) if callee is not None else frozenset()
    if not built:
        return name in names_of(Facts(project, context.accessors)).ids
    return any(
        entry["v"] == ["path", [name]]
        for one in built
        for above in project.mro(one)
        for attribute in LAYER_ID_NAMES
        for entry in project.classes[above]["attrs"].get(attribute, ())
    )


def _is_own(value: Value, name: str) -> bool:
    """Whether an id is that of the layer which is being built, which hands on its own as `name`."""
    if value.kind == v.PARAM:
        return value.data in {name, *LAYER_ID_NAMES}
    return value.kind == v.PATH and len(value.data) == 2 and value.data[-1] in LAYER_ID_NAMES


def _looked_up(context: Context, value: Value, name: str) -> ast.expr | None:
    """What an id is that comes out of the configuration alone, or out of a list of it; None for anything else."""
    stored = [value.node] if isinstance(value.node, ast.expr) else []
    if value.kind == v.PATH and len(value.data) == 2 and value.data[0] == "self":
        stored = context.stored(value.data[1])
    function = context.flow.functions[-1]
    return next((one for one in stored if _searches(one) or _is_configured(function, one, name)), None)


def _searches(node: ast.expr) -> bool:
    """Whether a value is found in a list, or is an element of one of the configuration's."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "index":
            sought = part.args[0] if part.args else part
            return (
                not isinstance(sought, ast.Constant) and (v.dotted(sought) or ("",))[-1] not in LAYER_ID_NAMES
            )
        if isinstance(part, ast.Subscript) and "config" in (v.dotted(part.value) or ()):
            return True
    return False


def _is_configured(function: FunctionNode, node: ast.expr, own: str) -> bool:
    """Whether a value is reckoned from locals that are taken from the configuration, and not from the layer's own id."""
    names = v.names_in(node)
    taken = {
        target.id
        for part in ast.walk(function)
        if isinstance(part, ast.Assign) and "config" in v.names_in(part.value)
        for target in part.targets
        if isinstance(target, ast.Name)
    }
    operators = [part.op for part in ast.walk(node) if isinstance(part, ast.BinOp)]
    if not operators or not all(isinstance(one, ast.Sub) for one in operators):
        return False
    return not taken.isdisjoint(names) and LAYER_ID_NAMES.isdisjoint(names) and own not in names
