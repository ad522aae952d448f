"""PPL401: a GLOBAL layer id indexes a list that has one entry per layer of the stage."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL, LOCAL
from pplint.engine.context import Context
from pplint.engine.pools import StageList
from pplint.engine.spaces import EVERY, OWNED, START, Space
from pplint.engine.values import Value
from pplint.finding import DIRECT, ERROR, INFO, SAFE, STAGE_END, STAGE_START, Asks, Step
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.builders import argument_for, both_spaces, level_at, one_space
from pplint.rules.pool_samples import BUFFERS
from pplint.rules.siblings import contrary_of
from pplint.rules.space_fixes import shift_fix
from pplint.rules.why import FIRST_STAGE, no_test

COUNTER_METHOD = "wait_until"
_GLOBAL = frozenset({OWNED, START, EVERY})

INFO_TEXT = RuleInfo(
    code="PPL401",
    name="global-id-on-local-list",
    severity=ERROR,
    precision="high",
    summary="a GLOBAL layer id indexes a list of the stage's own layers",
    what=(
        "A GLOBAL layer id (`layer.layer_id`, a parameter that elsewhere is shifted, an id from `start_layer` on) is "
        "used as an index of a list that has one entry per layer of the stage, is given to a method that uses it so, "
        "or to a transfer counter, which counts the layers of the stage."
    ),
    why=(
        "The list of a stage that owns layers 12 to 23 has 12 entries, 0 to 11. With the id 12 every stage but the "
        "first meets an IndexError; where the list has more entries than that, it reads another layer's silently."
    ),
    how="Subtract the stage's first layer: `self.k_buffer[layer_id - self.start_layer]`, as the sibling methods do.",
    silent=(
        "Loops over `range(layer_num)` whose variable is called `layer_id`, DENSE ids, lists of the full length, and "
        "code that only the first stage reaches. Pools that are never given a stage range are info."
    ),
    fixable=(
        "`layer_id` becomes `layer_id - <owner>.start_layer` (safe where the owner is a dotted chain that has it)."
    ),
    examples=(
        Example(
            title="The setter forgets what the getter subtracts",
            bad="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


class SampleNPUBuffers(SampleBuffers):
    def set_kv_buffer(self, layer, loc, cache_k):
        layer_id = layer.layer_id
        self.k_buffer[layer_id][loc] = cache_k  # PPL401
""",
            fixed="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


class SampleNPUBuffers(SampleBuffers):
    def set_kv_buffer(self, layer, loc, cache_k):
        layer_id = layer.layer_id
        self.k_buffer[layer_id - self.start_layer][loc] = cache_k  # PPL401
""",
            safety=SAFE,
            files=(BUFFERS,),
        ),
        Example(
            title="The transfer counter counts the layers of the stage",
            bad="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


class SampleWaitingBuffers(SampleBuffers):
    def get_value_buffer(self, layer_id):
        self.layer_transfer_counter.wait_until(layer_id)  # PPL401
        return self.v_buffer[layer_id - self.start_layer]
""",
            fixed="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


class SampleWaitingBuffers(SampleBuffers):
    def get_value_buffer(self, layer_id):
        self.layer_transfer_counter.wait_until(layer_id - self.start_layer)  # PPL401
        return self.v_buffer[layer_id - self.start_layer]
""",
            safety=SAFE,
            files=(BUFFERS,),
        ),
        Example(
            title="A method that indexes per-stage state is given the layer's id",
            bad="""\
import torch


class SampleCoordinator:
    def __init__(self, pool, slots):
        layer_num = pool.layer_num
        self.tokens = torch.full((layer_num, slots), -1)

    def swap_in(self, layer_id):
        return self.tokens[layer_id]


class SampleBackend:
    def __init__(self, pool):
        self.coordinator = SampleCoordinator(pool, 8)

    def forward(self, layer):
        return self.coordinator.swap_in(layer.layer_id)  # PPL401
""",
        ),
        Example(
            title="The loop's variable is called layer_id but counts the stage's own layers",
            good="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


class SampleCopies(SampleBuffers):
    def get_cpu_copy(self, layer):
        first = self.k_buffer[layer.layer_id - self.start_layer]
        return [self.k_buffer[layer_id] for layer_id in range(self.layer_num)], first
""",
            files=(BUFFERS,),
        ),
    ),
)


class GlobalIdOnLocalList(Rule):
    """Judges subscripts of stage lists and the arguments of calls that index them."""

    info = INFO_TEXT

    def subscript(self, context: Context, node: ast.Subscript) -> None:
        """Compare an index with the list it is used on."""
        if context.draft or isinstance(node.slice, (ast.Slice, ast.Constant)):
            return
        index = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        container = context.flow.evaluate(node.value)
        for path in v.paths(container):
            hit = context.stage_list(path)
            if hit is None:
                continue
            found = _global(context, index)
            if found is not None:
                self._report_index(context, node, index, path, hit, found)
            else:
                self._siblings(context, node, index, path, hit)
            return

    def call(self, context: Context, node: ast.Call) -> None:
        """Compare each argument with the LOCAL parameter it reaches."""
        if context.draft:
            return
        self._counter(context, node)
        for target, callee in context.targets(node, LOCAL):
            both = context.accessors.known(GLOBAL, target.function)
            argument = argument_for(node, target, callee)
            if argument is None or target.parameter in both or both_spaces(context, node, argument, GLOBAL):
                continue
            found = _global(context, argument)
            if found is None:
                continue
            severity, said = level_at(context, (callee,))
            context.report(
                self,
                argument,
                f"GLOBAL layer id is given to `{target.name}`, which uses it as an index among the stage's own layers: a "
                f"stage with `start_layer` > 0 takes another layer's entry or meets an IndexError{said}",
                severity=severity,
                trace=[
                    context.step(argument, found.why),
                    *context.steps(target.evidence),
                    no_test(context, argument, FIRST_STAGE),
                ],
                no_fix="subtract the stage's `start_layer`; which object has it here is not certain",
                around=node,
                asks=_asks(found, severity),
            )
            return

    def _counter(self, context: Context, node: ast.Call) -> None:
        callee = node.func
        if not isinstance(callee, ast.Attribute) or callee.attr != COUNTER_METHOD or len(node.args) != 1:
            return
        receiver = v.dotted(callee.value)
        found = _global(context, node.args[0]) if receiver and "counter" in receiver[-1] else None
        if found is None or receiver is None:
            return
        severity, said = level_at(context, (Value(v.PATH, ("self", COUNTER_METHOD)),))
        fix, no_fix = shift_fix(context, node.args[0], receiver[:-1], context.class_id)
        context.report(
            self,
            node.args[0],
            f"the transfer counter counts the layers of this stage but is asked for a GLOBAL layer id: with "
            f"`start_layer` > 0 it waits for a layer that never comes, or too short{said}",
            severity=severity,
            trace=[context.step(node.args[0], found.why), no_test(context, node.args[0], FIRST_STAGE)],
            fix=fix if severity != INFO else None,
            no_fix=no_fix,
            around=node,
        )

    def _report_index(
        self,
        context: Context,
        node: ast.Subscript,
        index: ast.expr,
        path: tuple[str, ...],
        hit: tuple[str, StageList],
        found: Space,
    ) -> None:
        severity, said = level_at(context, (Value(v.PATH, path),))
        written = v.dotted(node.value)
        fix, no_fix = shift_fix(context, index, written[:-1] if written else (), hit[0])
        if not context.project.types_of(context.place, path[:-1]):
            fix, no_fix = None, f"subtract `start_layer`; the class of `{'.'.join(path[:-1])}` is not known"
        context.report(
            self,
            index,
            f"GLOBAL layer id indexes `{'.'.join(path)}`, which has one entry per layer of this stage: with "
            f"`start_layer` > 0 it takes another layer's entry or meets an IndexError{said}",
            severity=severity,
            trace=[
                context.step(index, found.why),
                _shown(context, hit[1], path[-1]),
                no_test(context, index, FIRST_STAGE),
            ],
            fix=fix if severity != INFO else None,
            no_fix=no_fix,
            around=node,
            asks=_asks(found, severity),
        )

    def _siblings(
        self,
        context: Context,
        node: ast.Subscript,
        index: ast.expr,
        path: tuple[str, ...],
        hit: tuple[str, StageList],
    ) -> None:
        """A parameter used as it is, while a base or a sibling method takes it as a GLOBAL id."""
        place, shown = context.place, hit[1]
        name = next((x.data for x in context.flow.evaluate(index) if x.kind == v.PARAM), "")
        own = context.class_id and path[0] == "self" and len(path) == 2
        contrary = contrary_of(context, name, shown) if name and own else None
        if contrary is None:
            return
        severity, said = level_at(context, (Value(v.PATH, path),))
        fix, no_fix = shift_fix(context, index, path[:-1], hit[0])
        context.report(
            self,
            index,
            f"`{place.function}` indexes `{'.'.join(path)}` with `{name}` as it is, while {contrary.who} takes a "
            f"GLOBAL layer id: one of them is wrong on a stage with `start_layer` > 0{said}",
            severity=severity if contrary.overridden else INFO,
            trace=[
                *context.steps(contrary.evidence),
                _shown(context, shown, path[-1]),
                no_test(context, index, FIRST_STAGE),
            ],
            fix=fix if severity != INFO and contrary.overridden else None,
            no_fix=no_fix or "the callers decide which of the two is meant",
            around=node,
        )


def _global(context: Context, node: ast.expr) -> Space | None:
    """The GLOBAL space that an alternative of an expression has, or None."""
    found = one_space(context, node, _GLOBAL)
    if found is None or (found[1].kind == EVERY and "num_hidden_layers" not in found[1].why):
        return None
    return found[1]


def _asks(found: Space, severity: str) -> Asks | None:
    """What the ids ask a list of the stage for; a latent finding speaks of a list that may have other entries."""
    ids = {OWNED: (STAGE_START, STAGE_END), START: (STAGE_START, STAGE_START.plus(1))}
    bounds = ids.get(found.kind)
    return Asks(DIRECT, *bounds) if bounds is not None and severity != INFO else None


def _shown(context: Context, shown: StageList, name: str) -> Step:
    text = (
        f"`{shown.method}` indexes `{name}` by an id minus `start_layer`"
        if shown.shifted
        else f"`{name}` gets an entry per layer of the stage here"
    )
    return context.fact_step(shown.module, shown.line, text)
