"""PPL202: the name of a weight with a literal layer is looked up where a stage may not have that layer."""

from __future__ import annotations

import ast
import re

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.guards import FIRST, SINGLE
from pplint.engine.reach import split_below
from pplint.engine.values import Value, Values
from pplint.finding import ERROR, NAMED, UNSAFE, Asks, Fix, Step
from pplint.records import Record
from pplint.rules.asking import one_id
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.layer_reads import stage_start
from pplint.rules.samples import LAYERS, UTILS
from pplint.rules.why import NAME, no_test, split_step

_LAYER = r"(?s)(?P<before>.*?(?:^|[./])(?:layers|h|blocks)\.)(?P<number>\d+)(?P<after>(?:\.|$).*)"
_OTHER_PART = r"(?i)(visual|vision|audio|encoder|tower|projector|processor|mtp|nextn|draft|eagle|vit)"
_WEIGHTS = r"(?i)(param|buffer|named_|state_dict|module)"
_GETTERS = frozenset({"get_parameter", "get_submodule", "get_buffer"})

_HEAD = """\
from sglang.srt.models.sample_model import SampleModel


class NamedForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)

"""
_LOOKUP = (
    _HEAD
    + """\
    def load_shared(self, name, weight):
        params_dict = dict(self.named_parameters())
        target = name.replace(".rotary.", {})  # PPL202
        assert target in params_dict
        params_dict[target].copy_(weight)
"""
)

INFO_TEXT = RuleInfo(
    code="PPL202",
    name="literal-layer-name",
    severity=ERROR,
    precision="high",
    summary="a weight is looked up by a name with a literal layer",
    what=(
        "A class that takes part in pipeline parallelism looks up a parameter, buffer or submodule by a "
        "name with a "
        'literal layer, such as `".layers.0.self_attn."`.'
    ),
    why=(
        "Only the stage that owns the layer has a parameter of that name: on the others the lookup "
        "raises KeyError, or "
        "a test of membership fails."
    ),
    how='Name the first layer of the stage: `f".layers.{self.model.start_layer}.self_attn."`.',
    silent=(
        "Names with a placeholder, tables that rename the weights of a checkpoint, names of draft layers and "
        "encoders, lookups that only the owning stage does."
    ),
    fixable=(
        "the string becomes an f-string with `{<owner>.start_layer}` (unsafe: any layer may have been meant)."
    ),
    examples=(
        Example(
            title="A weight that all layers share",
            bad=_LOOKUP.format('".layers.0.self_attn.rotary."'),
            fixed=_LOOKUP.format('f".layers.{self.model.start_layer}.self_attn.rotary."'),
            safety=UNSAFE,
            files=(LAYERS, UTILS),
        ),
        Example(
            title="A submodule by name",
            bad=_HEAD
            + """\
    def width(self):
        return self.get_submodule("model.layers.0.mlp").width  # PPL202
""",
            files=(LAYERS, UTILS),
        ),
        Example(
            title="Names of this stage, of other parts, and guarded ones",
            good=_HEAD
            + """\
    def load_shared(self, name, layer_id, pp_group):
        params_dict = dict(self.named_parameters())
        name = name.replace("mtp.layers.0.", "layers.0.")
        found = [params_dict[f"model.layers.{layer_id}.mlp"], params_dict["visual.layers.0.mlp"]]
        if pp_group.is_first_rank:
            found.append(params_dict["model.layers.0.mlp"])
        if "model.layers.0.mlp" in params_dict:
            found.append(params_dict["model.layers.0.mlp"])
        return found
""",
            files=(LAYERS, UTILS),
        ),
    ),
)


class Named(Record):
    """A string with a literal layer: the node that holds it, its text and the layer's number."""

    node: ast.Constant
    text: str
    number: int


class LiteralLayerName(Rule):
    """Judges lookups in dictionaries of parameters, and `get_parameter` and its kind."""

    info = INFO_TEXT

    def subscript(self, context: Context, node: ast.Subscript) -> None:
        """`params_dict[name]`."""
        if not isinstance(node.slice, ast.Slice) and _has_weights(context, node.value):
            self._look(context, node, node.slice)

    def compare(self, context: Context, node: ast.Compare) -> None:
        """`assert name in params_dict`: the test fails on the other stages."""
        if not isinstance(context.flow.statement, ast.Assert) or context.flow.statement.test is not node:
            return
        if isinstance(node.ops[0], ast.In) and _has_weights(context, node.comparators[0]):
            self._look(context, node, node.left)

    def call(self, context: Context, node: ast.Call) -> None:
        """`self.get_submodule(name)`, `params_dict.pop(name)`."""
        if not isinstance(node.func, ast.Attribute) or len(node.args) != 1:
            return
        fails = node.func.attr in _GETTERS or node.func.attr == "pop" or _is_read_at_once(context, node)
        if fails and (node.func.attr in _GETTERS or _has_weights(context, node.func.value)):
            self._look(context, node, node.args[0])

    def _look(self, context: Context, node: ast.expr, key: ast.expr) -> None:
        if context.draft or not context.class_id or not _takes_part(context):
            return
        for value in context.flow.evaluate(key):
            named = _literal_layer(context, value)
            if named is None or re.search(_OTHER_PART, named.text):
                continue
            stage = context.stage()
            if SINGLE in stage or (named.number == 0 and FIRST in stage) or _tested(context, key):
                continue
            self._report(context, node, named)
            return

    def _report(self, context: Context, node: ast.expr, named: Named) -> None:
        severity, condition = context.level()
        who = "the first stage" if named.number == 0 else "one stage"
        message = (
            f"only {who} has weights named `{named.text}`: on the others the lookup fails"
            f"{f' ({condition})' if condition else ''}"
        )
        fix, no_fix = _fix(context, named)
        context.report(
            self, named.node, message, severity=severity, fix=fix,
            trace=_trace(context, node),
            no_fix=no_fix, statement=context.home(named.node), asks=_asks(node, named.number),
        )  # fmt: skip


def _trace(context: Context, node: ast.expr) -> list[Step]:
    split = split_below(context.project, context.class_id)
    text = "the name is looked up here, among what this stage has"
    steps = [context.step(node, text), no_test(context, node, NAME)]
    if split is not None:
        steps.insert(0, split_step(context, split))
    return steps


def _asks(node: ast.expr, number: int) -> Asks | None:
    """What the lookup asks for; `get` and `pop` may have a default, or give None."""
    if isinstance(node, ast.Compare):
        error = "AssertionError"
    elif isinstance(node, ast.Subscript):
        error = "KeyError"
    else:
        name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        error = {"pop": "KeyError", **dict.fromkeys(_GETTERS, "AttributeError")}.get(name, "")
    return Asks(NAMED, *one_id(number), error=error) if error else None


def _takes_part(context: Context) -> bool:
    """Whether the class, or one below it, accepts PP."""
    below = context.project.children(context.class_id)
    return any(context.project.accepts_pp(one) for one in (context.class_id, *below))


def _has_weights(context: Context, node: ast.expr) -> bool:
    """Whether an expression is, by its name, a dictionary of the module's own parameters or buffers."""
    words: list[ast.expr] = [node] if isinstance(node, (ast.Name, ast.Attribute)) else []
    for value in context.flow.evaluate(node):
        if value.kind == v.CALL and isinstance(value.node, ast.Call):
            words += [value.node.func, *(a.func for a in value.node.args if isinstance(a, ast.Call))]
    return any(re.search(_WEIGHTS, getattr(one, "attr", getattr(one, "id", ""))) for one in words)


def _literal_layer(context: Context, value: Value, depth: int = 0) -> Named | None:
    """The part of a name, however it is put together, that holds a literal layer."""
    if depth > 4:
        return None
    if value.kind == v.STR and isinstance(value.node, ast.Constant):
        found = re.fullmatch(_LAYER, value.data)
        return Named(value.node, value.data, int(found["number"])) if found else None
    parts: Values = ()
    if value.kind == v.ARITH:
        parts = (*value.data[1], *value.data[2])
    elif value.kind == v.CALL and isinstance(value.node, ast.Call):
        parts = _parts_of_call(context, value)
    elif isinstance(value.node, ast.JoinedStr):
        parts = tuple(
            Value(v.STR, part.value, part)
            for part in value.node.values
            if isinstance(part, ast.Constant) and isinstance(part.value, str)
        )
    return next((one for part in parts if (one := _literal_layer(context, part, depth + 1))), None)


def _is_read_at_once(context: Context, node: ast.Call) -> bool:
    """Whether something is read from what `get` answers, which fails for its None."""
    assert isinstance(node.func, ast.Attribute)
    return (
        node.func.attr == "get"
        and context.flow.statement is not None
        and any(
            isinstance(part, (ast.Attribute, ast.Subscript)) and part.value is node
            for part in ast.walk(context.flow.statement)
        )
    )


def _parts_of_call(context: Context, value: Value) -> Values:
    """The strings that `replace`, `format`, `join` and `add_prefix` make a name of."""
    assert isinstance(value.node, ast.Call)
    callees = [
        one.data[-1] if one.kind == v.PATH else one.data[1]
        for one in value.data
        if one.kind in (v.PATH, v.MEMBER)
    ]
    given = value.node.args
    if "replace" in callees:
        given = given[1:2]
    elif not {"format", "join", "add_prefix", "sub"} & set(callees):
        return ()
    parts = [one for argument in given for one in context.flow.evaluate(argument)]
    for one in value.data:
        if one.kind == v.MEMBER:
            parts += one.data[0]
    return tuple(parts)


def _tested(context: Context, key: ast.expr) -> bool:
    """Whether a test of membership, which an assert is not, comes before the lookup."""
    wanted = ast.dump(key)
    for test, holds in context.flow.guards:
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.NotIn)):
            inside = isinstance(test.ops[0], ast.In) is holds
            if inside and ast.dump(test.left) == wanted:
                return True
    return bool(context.flow.caught & {"KeyError", "AttributeError", "Exception", ""})


def _fix(context: Context, named: Named) -> tuple[Fix | None, str]:
    found = re.fullmatch(_LAYER, named.text)
    start = stage_start(context)
    source = ast.get_source_segment(context.source.text, named.node)
    if found is None or named.number != 0:
        return None, f"nobody but the author knows which layer {named.number} is meant to be"
    if not start:
        return None, "the class keeps no model with a padded layer list, so its range cannot be written here"
    if source is None or not re.fullmatch(r"(\"[^\"\\{}]*\"|'[^'\\{}]*')", source):
        return None, "the string is written in a way that cannot become an f-string safely"
    quote = source[0]
    text = f"f{quote}{found['before']}{{{start}}}{found['after']}{quote}"
    return Fix(UNSAFE, f"name the layer `{start}`", (context.edit(named.node, text),)), ""
