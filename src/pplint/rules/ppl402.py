"""PPL402: a LOCAL index is used where a GLOBAL layer id is expected."""

from __future__ import annotations

import ast
import re

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL, LOCAL
from pplint.engine.answers import answer_of
from pplint.engine.context import Context
from pplint.engine.spaces import END, EVERY, OWNED, STAGE, START, Space, space_of
from pplint.engine.values import Value, Values
from pplint.finding import ERROR, INFO, KEYED, SAFE, STAGE_END, STAGE_START, UNSAFE, WHOLE, Asks, Step
from pplint.rules.asking import proof_of, runs_through
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.builders import COUNTED, argument_for, both_spaces, counts_itself, level_at, one_space
from pplint.rules.pool_samples import BUFFERS
from pplint.rules.samples import LAYERS, UTILS
from pplint.rules.space_fixes import range_fix, subtracts_own, unshift_fix
from pplint.rules.why import FIRST_STAGE, no_test

_IDS = r"layer.*(_ids?|_to_capture|_to_capture_ids)$|_layers$"
_CONFIG = r"config$"
_LOCAL = frozenset({STAGE})
_TWICE = " and subtracts `start_layer` once more"

INFO_TEXT = RuleInfo(
    code="PPL402",
    name="local-index-as-layer-id",
    severity=ERROR,
    precision="high",
    summary="a LOCAL index is used as a GLOBAL layer id",
    what=(
        "A counter that starts at 0 on every stage (`range(self.layer_num)`, `enumerate` of a stage slice or of a buffer "
        "list), or a layer id from which `start_layer` was subtracted, is given to a parameter that takes a GLOBAL layer "
        "id, indexes a list of the full length (the padded "
        "layer list, a list of the model's configuration, a dictionary of GLOBAL ids), or is compared with one."
    ),
    why=(
        "On a stage that owns layers 12 to 23 the counter runs from 0 to 11: layers that live on another stage. An "
        "accessor subtracts 12 from it and meets an IndexError or reads another layer; a list of the configuration "
        "answers for the wrong layer without any error."
    ),
    how=(
        "Count from the first layer: `range(start_layer, start_layer + layer_num)`, `enumerate(slice, start_layer)`. Hand "
        "an accessor that subtracts `start_layer` itself the layer id as it is."
    ),
    silent=(
        "Counters that index lists of the stage, counters to which `start_layer` is added first, inner pools that are "
        "never given a stage range (these are info), and code that only the first stage reaches."
    ),
    fixable=(
        "`range(n)` becomes `range(start_layer, start_layer + n)` where nothing else uses the counter (unsafe); "
        "`- pool.start_layer` is taken off what the same pool is asked for (safe)."
    ),
    examples=(
        Example(
            title="Every buffer of the stage is asked for by its position",
            bad="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


class SampleNPUBuffers(SampleBuffers):
    def get_contiguous_buf_infos(self):
        return [
            self.get_key_buffer(i).shape  # PPL402
            for i in range(self.layer_num)
        ]
""",
            fixed="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


class SampleNPUBuffers(SampleBuffers):
    def get_contiguous_buf_infos(self):
        return [
            self.get_key_buffer(i).shape  # PPL402
            for i in range(self.start_layer, self.start_layer + self.layer_num)
        ]
""",
            safety=UNSAFE,
            files=(BUFFERS,),
        ),
        Example(
            title="The pool's own first layer is subtracted, and the pool subtracts it too",
            bad="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


def read_keys(pool: SampleBuffers, layer):
    return pool.get_key_buffer(layer.layer_id - pool.start_layer)  # PPL402
""",
            fixed="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


def read_keys(pool: SampleBuffers, layer):
    return pool.get_key_buffer(layer.layer_id)  # PPL402
""",
            safety=SAFE,
            files=(BUFFERS,),
        ),
        Example(
            title="The configuration lists the layers of the whole model",
            bad="""\
from sglang.srt.models.sample_model import SampleModel


class SampleKinds(SampleModel):
    def kinds(self):
        found = []
        for i, layer in enumerate(self.layers[self.start_layer : self.end_layer]):
            if i == self.end_layer - 1:  # PPL402
                break
            found.append(self.config.layer_types[i])  # PPL402
        return found
""",
            files=(LAYERS, UTILS),
        ),
        Example(
            title="The first layer is added, or the counter stays among the stage's own",
            good="""\
from sglang.srt.models.sample_model import SampleModel
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


class SampleKinds(SampleModel):
    def kinds(self):
        found = []
        for i, layer in enumerate(self.layers[self.start_layer : self.end_layer]):
            i += self.start_layer
            found.append(self.config.layer_types[i])
        return found


class SampleOwn(SampleBuffers):
    def shapes(self):
        mine = [self.get_key_buffer(i) for i in range(self.start_layer, self.start_layer + self.layer_num)]
        return mine, [self.k_buffer[i] for i in range(self.layer_num)]
""",
            files=(LAYERS, UTILS, BUFFERS),
        ),
    ),
)


class LocalIndexAsLayerId(Rule):
    """Judges what counters of the stage's own layers are used for."""

    info = INFO_TEXT

    def call(self, context: Context, node: ast.Call) -> None:
        """Compare each argument with the GLOBAL parameter it reaches."""
        if context.draft:
            return
        for target, callee in context.targets(node, GLOBAL):
            argument = argument_for(node, target, callee)
            found = _local(context, argument) if argument is not None else None
            if argument is None or found is None:
                continue
            value = found[0]
            if counts_itself(context, callee, value) or both_spaces(context, node, argument, LOCAL):
                continue
            self._report(context, node, argument, callee, found)
            return

    def _report(
        self, context: Context, node: ast.Call, argument: ast.expr, callee: Value, found: tuple[Value, Space]
    ) -> None:
        value = found[0]
        severity, said = level_at(context, (callee,))
        twice = subtracts_own(callee, value)
        fix, no_fix = unshift_fix(context, argument) if twice else range_fix(context, node, argument, value)
        targets = [target for target, _ in context.targets(node, GLOBAL)]
        asks = _given(context, node, value)
        proof = proof_of(context, targets, asks)
        context.report(
            self,
            argument,
            f"LOCAL index is given to `{proof.name}`, which takes a GLOBAL layer id{_TWICE if twice else ''}: a stage "
            f"with `start_layer` > 0 asks for layers that it does not own{said}",
            severity=severity,
            trace=[
                _counted(context, argument, found),
                *context.steps(proof.evidence),
                no_test(context, argument, FIRST_STAGE),
            ],
            fix=fix if severity != INFO else None,
            no_fix=no_fix,
            around=node,
            asks=asks if severity != INFO else None,
        )

    def subscript(self, context: Context, node: ast.Subscript) -> None:
        """Compare an index with the list of the full length that it is used on."""
        if context.draft or isinstance(node.slice, (ast.Slice, ast.Constant)):
            return
        container = context.flow.evaluate(node.value)
        what = _full_length(context, container)
        found = _local(context, node.slice) if what else None
        if found is None or found[0].kind not in COUNTED:
            return
        severity, said = level_at(context, ())
        context.report(
            self,
            node.slice,
            f"LOCAL index is used on `{ast.unparse(node.value)}`, {what}: a stage with `start_layer` > 0 "
            f"takes the entry of a layer that it does not own{said}",
            severity=severity,
            trace=[_counted(context, node.slice, found), no_test(context, node.slice, FIRST_STAGE)],
            no_fix="count from `start_layer`, or add it; other uses of the counter may need the LOCAL index",
            around=node,
            asks=_asks(context, node, container),
        )

    def compare(self, context: Context, node: ast.Compare) -> None:
        """Compare the spaces of two sides."""
        if context.draft or len(node.ops) != 1:
            return
        for one, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
            found = _local(context, one)
            if (
                found is None
                or found[0].kind not in COUNTED
                or not _speaks_global(context, node.ops[0], other)
            ):
                continue
            severity, said = level_at(context, ())
            context.report(
                self,
                one,
                f"LOCAL index is compared with `{ast.unparse(other)}`, which speaks of GLOBAL layer ids: "
                f"on a stage with `start_layer` > 0 the test means another layer{said}",
                severity=severity,
                trace=[_counted(context, one, found), no_test(context, one, FIRST_STAGE)],
                no_fix=(
                    "count from `start_layer`, or add it; other uses of the counter may need the LOCAL index"
                ),
                around=node,
            )
            return


def _counted(context: Context, index: ast.expr, found: tuple[Value, Space]) -> Step:
    """Where the index is born, and why it is a LOCAL one."""
    value, space = found
    born = value.data[0].node if value.kind == v.ELEMENT else None
    return context.step(born if isinstance(born, ast.expr) else index, space.why)


def _given(context: Context, node: ast.Call, value: Value) -> Asks | None:
    """What a counter of the stage's own layers asks an accessor for."""
    answer = answer_of(context.accessors, [target for target, _ in context.targets(node, GLOBAL)])
    whole = answer.access and (value.kind not in COUNTED or runs_through(context, node))
    return Asks(answer.access, STAGE_START, STAGE_END, counted=True, of=answer.of) if whole else None


def _asks(context: Context, node: ast.Subscript, container: Values) -> Asks | None:
    """What a counter asks a list of all layers for; what becomes of a placeholder is not known here."""
    if context.padded(container) is not None or not runs_through(context, node):
        return None
    mapped = any(context.is_mapping(path) for path in v.paths(container))
    return Asks(KEYED if mapped else WHOLE, STAGE_START, STAGE_END, counted=True)


def _local(context: Context, node: ast.expr) -> tuple[Value, Space] | None:
    return one_space(context, node, _LOCAL)


def _full_length(context: Context, container: tuple[Value, ...]) -> str:
    """What a list or dictionary of all layers of the model is, or ""."""
    if context.padded(container) is not None:
        return "the layer list with a slot for every layer of the model"
    for path in v.paths(container):
        if any(re.search(_CONFIG, part) for part in path[:-1]) and "layer" in path[-1]:
            return "a list of the configuration, which speaks of all layers of the model"
        if context.is_mapping(path):
            return "a dictionary of GLOBAL layer ids"
    return ""


def _speaks_global(context: Context, operator: ast.cmpop, node: ast.expr) -> bool:
    found = context.flow.evaluate(node)
    if isinstance(operator, (ast.In, ast.NotIn)):
        return any(re.search(_IDS, path[-1]) or context.is_mapping(path) for path in v.paths(found))
    kinds = {space.kind for value in found if (space := space_of(context, value)) is not None}
    return bool(kinds & {OWNED, START, END, EVERY})
