"""PPL601: the first (or last) layer of the model decides about state that all layers of the stage rely on."""

from __future__ import annotations

import ast

from pplint.engine.context import Context
from pplint.engine.guards import FIRST, LAST
from pplint.engine.spaces import OWNED, space_of
from pplint.engine.values import Values
from pplint.finding import ERROR, SAFE, UNSAFE, WARNING, Fix
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.layer_tests import LayerTest, layer_tests
from pplint.rules.samples import POOL
from pplint.rules.shared_state import does_no_more, is_own_slot, is_shared, object_of, only_tells
from pplint.rules.stage_start import start_in_scope
from pplint.rules.why import FIRST_STAGE, LAST_STAGE, no_test

_LAYER = (
    "srt/layers/sample_attention.py",
    """\
class SampleAttention:
    def __init__(self, layer_id: int, start_layer: int):
        self.layer_id = layer_id
        self.start_layer = start_layer
""",
)

INFO_TEXT = RuleInfo(
    code="PPL601",
    name="model-first-layer-test",
    severity=ERROR,
    precision="high",
    summary="layer 0 of the model prepares state that the layers of every stage rely on",
    what=(
        "State that outlives the layer (an attribute of a shared object, of the backend, of the batch) is prepared "
        "under `layer_id == 0` (or by the layer that the configuration names, such as the first one of a kind), or "
        "cleaned up under the last id of the model, and other layers rely on it."
    ),
    why=(
        "Only the first stage owns layer 0: on the others nobody prepares the state. Its first reader raises "
        "AttributeError, or takes what an earlier batch left there and computes wrong tokens."
    ),
    how=(
        "Ask for the first layer of the stage (of that kind): `layer_id == pool.start_layer`, or hand `start_layer` to "
        "the layer."
    ),
    silent=(
        "Tests that choose between values of one layer, log lines, look-ahead and look-behind in the configuration, "
        "constructors, ids that count from 0 on each stage (host pools, draft models), code of the first stage."
    ),
    fixable="`== 0` becomes `== <pool>.start_layer` where the pool is at hand (safe for a pool that is a dotted chain).",
    examples=(
        Example(
            title="The backend's metadata are made in layer 0",
            bad="""\
from sglang.srt.mem_cache.sample_pool import SamplePool


class SampleBackend:
    def __init__(self, pool: SamplePool):
        self.pool = pool
        self.plan = None

    def forward(self, q, layer, batch):
        key = self.pool.get_value_buffer(layer.layer_id)
        if layer.layer_id == 0:  # PPL601
            self.plan = make_plan(batch)
        return attend(q, key, self.plan)
""",
            fixed="""\
from sglang.srt.mem_cache.sample_pool import SamplePool


class SampleBackend:
    def __init__(self, pool: SamplePool):
        self.pool = pool
        self.plan = None

    def forward(self, q, layer, batch):
        key = self.pool.get_value_buffer(layer.layer_id)
        if layer.layer_id == self.pool.start_layer:  # PPL601
            self.plan = make_plan(batch)
        return attend(q, key, self.plan)
""",
            safety=SAFE,
            files=(POOL,),
        ),
        Example(
            title="A shared rotary embedding is filled by layer 0",
            bad="""\
class SampleAttention:
    def __init__(self, layer_id, rotary_emb, start_layer):
        self.layer_id = layer_id
        self.rotary_emb = rotary_emb

    def forward(self, positions, q):
        if self.layer_id == 0:  # PPL601
            self.rotary_emb.cached = self.rotary_emb.angles(positions)
        return self.rotary_emb(q)
""",
        ),
        Example(
            title="The first layer of a kind fills what all layers of that kind read",
            bad="""\
class SampleAttention:
    def __init__(self, config, layer_id, rotary_emb):
        self.config = config
        self.layer_id = layer_id
        self.rotary_emb = rotary_emb

    def forward(self, positions, q):
        if self.layer_id == self.config.layer_types.index("full_attention"):  # PPL601
            self.rotary_emb.cached = self.rotary_emb.angles(positions)
        return self.rotary_emb(q)
""",
        ),
        Example(
            title="The first layer of the stage, values of one layer, log lines",
            good="""\
class SampleAttention:
    def __init__(self, layer_id, rotary_emb, start_layer):
        self.layer_id = layer_id
        self.start_layer = start_layer
        self.rotary_emb = rotary_emb
        self.is_first = layer_id == 0

    def forward(self, positions, q, residual):
        if self.layer_id == self.start_layer:
            self.rotary_emb.cached = self.rotary_emb.angles(positions)
        if self.layer_id == 0:
            residual = q
            logger.info("first layer")
            self.seen = True
        return self.rotary_emb(q + residual)
""",
        ),
    ),
)

_OTHERS = {
    FIRST: ("the first stage", "a later stage"),
    LAST: ("the last stage", "an earlier stage"),
    "": ("the stage of one layer of the model", "another stage"),
}
"""Where a test holds, and which stages go without, by the stage of the layer."""


class ModelFirstLayerTest(Rule):
    """Judges what happens under tests for the first and the last layer of the model."""

    info = INFO_TEXT

    def assign(self, context: Context, target: ast.expr, found: Values, node: ast.stmt) -> None:
        """A store that outlives the layer."""
        targets = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        for one in targets:
            self._effect(context, object_of(one), one)

    def call(self, context: Context, node: ast.Call) -> None:
        """A call for its effect."""
        statement = context.flow.statement
        if not isinstance(statement, ast.Expr) or statement.value is not node:
            return
        callee = node.func
        if isinstance(callee, ast.Attribute) and not only_tells(callee):
            self._effect(context, callee.value, callee)

    def _effect(self, context: Context, changed: ast.expr | None, effect: ast.expr) -> None:
        functions = context.flow.functions
        if changed is None or not functions or functions[0].name == "__init__" or context.draft:
            return
        for one in layer_tests(context):
            stages = {one.stage} if one.stage else {FIRST, LAST}
            if context.stage() & stages or not _is_layer(context, one.layer):
                continue
            if not one.stage and not _is_read_too(context, changed, one.test):
                continue
            if is_shared(context, changed, one.layer) and not is_own_slot(effect, one.layer):
                self._report(context, one, effect)
                return

    def _report(self, context: Context, asked: LayerTest, effect: ast.expr) -> None:
        test, layer, _, stage = asked
        severity, condition = _level(context)
        if stage != FIRST and severity == ERROR:
            severity, condition = WARNING, f"if {_OTHERS[stage][1]} relies on it as well"
        stored = (
            effect.attr if isinstance(effect, ast.Attribute) and isinstance(effect.ctx, ast.Store) else ""
        )
        if severity == ERROR and context.project.does_without(stored):
            severity, condition = (
                WARNING,
                f"its readers do without `{stored}` where it is missing: slower, not wrong",
            )
        which, others = _OTHERS[stage]
        holds = "is false" if isinstance(test.ops[0], ast.NotEq) else "holds"
        message = (
            f"`{ast.unparse(test)}` {holds} on {which} only, but what follows (`{ast.unparse(effect)}`) is state "
            f"that the layers of every stage rely on: no layer of {others} brings it about"
            f"{f' ({condition})' if condition else ''}"
        )
        fix, no_fix = (
            self._fix(context, asked, effect)
            if stage == FIRST
            else (None, "which layer of the stage is meant is for the author to say")
        )
        trace = [
            context.step(layer, _is_global(context, layer)),
            context.step(effect, f"done where `{ast.unparse(test)}` {holds}"),
            no_test(context, effect, LAST_STAGE if stage == LAST else FIRST_STAGE),
        ]
        context.report(self, test, message, severity=severity, trace=trace, fix=fix, no_fix=no_fix)

    def _fix(self, context: Context, asked: LayerTest, effect: ast.expr) -> tuple[Fix | None, str]:
        test, number = asked.test, asked.chosen
        found = start_in_scope(context)
        if isinstance(test.ops[0], ast.Lt):
            return None, "ask whether the layer is the first one of its stage, with `==`"
        if not isinstance(number, ast.Constant) or found is None:
            return None, "no pool is at hand here: hand `start_layer` to the layer and compare with it"
        text, safe = found
        safe = safe and does_no_more(context.flow.functions[-1], test)
        return Fix(SAFE if safe else UNSAFE, f"compare with `{text}`", (context.edit(number, text),)), ""


def _is_read_too(context: Context, changed: ast.expr, test: ast.Compare) -> bool:
    """Whether the function speaks of a changed object where the test need not hold: other layers come there too."""
    wanted = ast.dump(changed)
    waiting: list[ast.AST] = [*context.flow.functions[-1].body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and any(part is test for part in ast.walk(node.test)):
            continue
        if isinstance(node, ast.expr) and ast.dump(node) == wanted:
            return True
        waiting += ast.iter_child_nodes(node)
    return False


def _level(context: Context) -> tuple[str, str]:
    """The level of the place; where none of the file's models accepts PP, that of the first of them."""
    project = context.project
    entries = [
        project.resolve_class(context.module, [name]) for name in project.summaries[context.module]["entry"]
    ]
    if entries and all(one is not None and project.accepts_pp(one) is False for one in entries):
        return context.level(entries[0] or "")
    return context.level()


def _is_layer(context: Context, node: ast.expr) -> bool:
    """Whether an expression is a GLOBAL id of a layer of this stage."""
    found = context.flow.evaluate(node)
    spaces = [space_of(context, value) for value in found]
    if found and all(space is not None and space.kind == OWNED for space in spaces):
        return True
    # A test that stands in a constructor and decides later: the id is the constructor's parameter.
    return isinstance(node, ast.Name) and node.id == "layer_id" and not _local(context, node)


def _is_global(context: Context, layer: ast.expr) -> str:
    spaces = [space_of(context, value) for value in context.flow.evaluate(layer)]
    known = next((space.why for space in spaces if space is not None), "")
    return known or f"`{ast.unparse(layer)}` is a GLOBAL layer id"


def _local(context: Context, node: ast.Name) -> bool:
    return node.id in context.flow.env
