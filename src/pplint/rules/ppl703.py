"""PPL703: a pool is built without a stage range although its siblings are given one."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.calls import called_on_super
from pplint.engine.context import Context
from pplint.engine.guards import SINGLE
from pplint.engine.vocabulary import DRAFT, MODEL_COUNT_NAMES, STAGE_COUNT_NAMES, is_end, is_start
from pplint.finding import ROOM, STAGE_END, STAGE_START, Asks, Step
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.samples import POOL
from pplint.rules.why import ONE_STAGE, no_test
from pplint.source.blocks import FunctionNode, all_blocks

_BAD = """\
from sglang.srt.mem_cache.sample_pool import SamplePool


class SmallPool(SamplePool):
    pass


class Configurator:
    def __init__(self, layer_info):
        self.layer_info = layer_info

    def build(self):
        return SamplePool(
            layer_num=self.layer_info.num_effective_layers,
            start_layer=self.layer_info.start_layer,
            end_layer=self.layer_info.end_layer,
        )

    def build_small(self):
        return SmallPool(layer_num=self.layer_info.num_effective_layers)  # PPL703
"""

_HEIR = """\
from sglang.srt.mem_cache.sample_pool import SamplePool


class WidePool(SamplePool):
    def __init__(self, layer_num, start_layer=None, end_layer=None, width=8):
        self.width = width
        super().__init__({given}
"""

INFO_TEXT = RuleInfo(
    code="PPL703",
    name="pool-without-stage-range",
    severity="error",
    precision="high",
    summary="a pool is built without the stage range that its siblings are given",
    what=(
        "A constructor that has a `start_layer` parameter is called without it, for the layers of a stage or "
        "of the model, while the same class builds other pools with it. Or the constructor of a pool takes the range and "
        "does not hand it to that of its base, which subtracts it."
    ),
    why=(
        "The pool then takes its stage for one that starts at layer 0. Its accessors subtract nothing from a "
        "GLOBAL layer id: on every stage but the first they raise IndexError, or reach a layer that is not "
        "meant. With room for all layers of the model they reach the right one, but each stage allocates the KV cache "
        "of the whole model, and tells a decode instance that it holds layers which other stages hold."
    ),
    how="Pass `start_layer` and `end_layer` as the sibling calls do.",
    silent=(
        "Inner pools that take DENSE ids, specifications, draft pools, constructors without such a parameter "
        "(see PPL701), and calls that spread keyword arguments."
    ),
    examples=(
        Example(title="One of two builders leaves the range out", bad=_BAD, files=(POOL,)),
        Example(
            title="A constructor does not hand the range on",
            bad=_HEIR.format(given="layer_num)  # PPL703"),
            files=(POOL,),
        ),
        Example(
            title="A constructor hands the range on",
            good=_HEIR.format(given="layer_num, start_layer=start_layer, end_layer=end_layer)"),
            files=(POOL,),
        ),
        Example(
            title="Both pass it",
            good=_BAD.replace("_layers)  # PPL703", "_layers, start_layer=self.layer_info.start_layer)"),
            files=(POOL,),
        ),
        Example(
            title="An inner pool that takes dense ids",
            good=_BAD.replace("self.layer_info.num_effective_layers)  # PPL703", "len(self.full_layer_ids))"),
            files=(POOL,),
        ),
    ),
)


_STAGE, _MODEL = "the layers of a stage", "all layers of the model"
_CONSEQUENCES = {
    _STAGE: "on every stage but the first it looks up GLOBAL layer ids as if the stage started at layer 0",
    _MODEL: "every stage allocates KV cache for all layers, more than it reckoned with, and passes for their owner",
}


class PoolWithoutStageRange(Rule):
    """Judges constructor calls."""

    info = INFO_TEXT

    def call(self, context: Context, node: ast.Call) -> None:
        """Look for a constructor call that leaves the range out."""
        count = next((k.value for k in node.keywords if k.arg in STAGE_COUNT_NAMES), None)
        if count is None or any(k.arg is None or is_start(k.arg) for k in node.keywords):
            return
        room = _room(context, count)
        if not room or context.draft or SINGLE in context.stage() or _for_draft(context):
            return
        callee = v.dotted(node.func)
        if callee is None or any(isinstance(one, ast.Starred) for one in node.args):
            return
        classes = context.project.callee_classes(context.place, list(callee))
        lacking = [one for one in sorted(classes) if self._lacks(context, one, len(node.args))]
        sibling = self._sibling(context)
        if lacking and _is_given_later(context, node):
            return
        if lacking and sibling is not None:
            self._report(context, node, lacking[0], sibling, room)

    def enter(self, context: Context, node: FunctionNode) -> None:
        """A constructor that takes the range and leaves it out where it calls the one of its base."""
        names = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        taken = next(filter(is_start, names), "")
        if node.name != "__init__" or not taken or not context.class_id or context.draft:
            return
        attributes = context.project.classes[context.class_id]["attrs"]
        calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and _is_next(one)]
        if len(calls) != 1 or any(map(is_start, attributes)) or _spreads(calls[0]):
            return
        base = next(
            (one for one in context.project.mro(context.class_id)[1:] if _constructs(context, one)), ""
        )
        counts = base and any(context.project.classes[one]["shifted"] for one in context.project.mro(base))
        if counts and self._lacks(context, base, len(calls[0].args)):
            self._report_dropped(context, calls[0], base, taken)

    def _report_dropped(self, context: Context, call: ast.Call, base: str, taken: str) -> None:
        project = context.project
        own, above = project.class_name(context.class_id), project.class_name(base)
        severity, condition = context.level()
        facts = project.classes[base]["methods"]["__init__"]
        context.report(
            self, call.func,
            f"the constructor of `{own}` takes `{taken}` but does not hand it to that of `{above}`: "
            f"{_CONSEQUENCES[_STAGE]}{f' ({condition})' if condition else ''}",
            severity=severity,
            trace=[
                context.fact_step(base, facts["line"], f"the constructor of `{above}` takes the range"),
                context.step(call, f"neither this call nor `{own}` says `{taken}`"),
            ],
            no_fix=f"hand `{taken}` on, as the constructor of `{above}` takes it",
            around=call,
        )  # fmt: skip

    def _lacks(self, context: Context, class_id: str, positional: int) -> bool:
        constructor = context.project.method(class_id, "__init__")
        if constructor is None:
            return False
        facts = constructor[1]
        return any(map(is_start, facts["keywords"])) or any(map(is_start, facts["params"][positional + 1 :]))

    def _sibling(self, context: Context) -> tuple[str, int] | None:
        """Another constructor call of the same class that passes the range: (what it builds, line)."""
        owner = ".".join(one.name for one in context.flow.classes)
        function = context.flow.functions[-1].name if context.flow.functions else ""
        for build in context.project.summaries[context.module]["builds"]:
            near = build["in"][0] == owner if owner else build["in"][1] == function
            ranged = any(map(is_start, build["kwargs"])) and any(
                n in STAGE_COUNT_NAMES for n in build["kwargs"]
            )
            if near and ranged:
                return build["callee"][-1], build["line"]
        return None

    def _report(
        self, context: Context, node: ast.Call, class_id: str, sibling: tuple[str, int], room: str
    ) -> None:
        name = context.project.class_name(class_id)
        severity, condition = context.level()
        message = (
            f"`{name}` is built for {room} without `start_layer`, which `{sibling[0]}` is given in line "
            f"{sibling[1]}: {_CONSEQUENCES[room]}{f' ({condition})' if condition else ''}"
        )
        trace = [Step(context.source.path, sibling[1], 1, f"`{sibling[0]}` is given the range here")]
        constructor = context.project.method(class_id, "__init__")
        if constructor is not None:
            text = f"the constructor of `{name}` takes `start_layer`"
            trace.append(context.fact_step(constructor[0], constructor[1]["line"], text))
        trace.append(no_test(context, node.func, ONE_STAGE))
        context.report(
            self, node.func, message, severity=severity, trace=trace, around=node,
            no_fix="where the range comes from is not certain; take the expression of the sibling call",
            asks=_asks(context, node, class_id),
        )  # fmt: skip


def _is_next(call: ast.Call) -> bool:
    """`super().__init__(...)`; with arguments `super` may pass over bases."""
    made = call.func.value if isinstance(call.func, ast.Attribute) else None
    return called_on_super(call) == "__init__" and isinstance(made, ast.Call) and not made.args


def _spreads(call: ast.Call) -> bool:
    """Whether a call may hand on the range without naming it, or names it."""
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    return starred or any(one.arg is None or is_start(one.arg) for one in call.keywords)


def _constructs(context: Context, class_id: str) -> bool:
    return "__init__" in context.project.classes[class_id]["methods"]


def _asks(context: Context, node: ast.Call, class_id: str) -> Asks | None:
    """What the layers of the stage ask a pool for that has room for them but counts from 0."""
    count = next(k.value for k in node.keywords if k.arg in STAGE_COUNT_NAMES)
    paths = v.paths(context.flow.evaluate(count))
    own = bool(paths) and all(path[-1] in STAGE_COUNT_NAMES for path in paths)
    listed = any(context.project.classes[one]["shifted"] for one in context.project.mro(class_id))
    return Asks(ROOM, STAGE_START, STAGE_END) if own and listed else None


def _room(context: Context, count: ast.expr) -> str:
    """Whose layers a count is that of: `_STAGE`, `_MODEL`, or "" (as for one kind of layer)."""
    for value in context.flow.evaluate(count):
        if value.kind == v.PATH and len(value.data) > 1 and value.data[-1] in STAGE_COUNT_NAMES:
            return _STAGE
        if value.kind == v.PATH and len(value.data) > 1 and value.data[-1] in MODEL_COUNT_NAMES:
            return _MODEL
        if value.kind == v.ARITH and value.data[0] == "Sub":
            left, right = value.data[1], value.data[2]
            if any(is_end(p[-1]) for p in v.paths(left)) and any(is_start(p[-1]) for p in v.paths(right)):
                return _STAGE
    return ""


def _is_given_later(context: Context, node: ast.Call) -> bool:
    """Whether the pool gets its range in the lines after: `pool.start_layer = ...`."""
    statement = context.flow.statement
    if not isinstance(statement, ast.Assign) or statement.value is not node or not context.flow.functions:
        return False
    pools = set(map(v.dotted, statement.targets)) - {None}
    for block in all_blocks(context.flow.functions[-1]):
        place = next((number for number, one in enumerate(block) if one is statement), len(block))
        for later in block[place + 1 :]:
            for target in later.targets if isinstance(later, ast.Assign) else ():
                if (
                    isinstance(target, ast.Attribute)
                    and is_start(target.attr)
                    and v.dotted(target.value) in pools
                ):
                    return True
    return False


def _for_draft(context: Context) -> bool:
    return any(atom.holds and DRAFT.search(ast.unparse(atom.test)) for atom in context.flow.guards)
