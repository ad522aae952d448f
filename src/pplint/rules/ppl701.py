"""PPL701: a pool pins `start_layer` to a number although it is asked with GLOBAL ids."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL, Evidence
from pplint.engine.answers import answer_of
from pplint.engine.context import Context
from pplint.engine.pools import Pinned, keeps_mapping, pinned_start
from pplint.engine.values import Values
from pplint.engine.vocabulary import is_start
from pplint.finding import ERROR, KEYED, STAGE_START, Asks, Step
from pplint.rules.asking import one_id
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.pool_samples import BUFFERS

INFO_TEXT = RuleInfo(
    code="PPL701",
    name="constant-start-layer",
    severity=ERROR,
    precision="high",
    summary="a pool pins `start_layer` to a number but is asked with GLOBAL ids",
    what=(
        "A class sets `start_layer` to nothing but a number, and yet its methods take GLOBAL layer ids: "
        "they look them up "
        "in a dictionary of the stage's ids, or subtract `start_layer` from them."
    ),
    why=(
        "Backends ask a pool for its first layer: `pool.get_value_buffer(pool.start_layer)`. On a stage "
        "that starts at "
        "layer 12 this pool says 0, and the lookup of 0 fails; a transfer counter waits for "
        "layer 12 of a stage "
        "that has fewer."
    ),
    how=(
        "Take `start_layer` from the caller, as the other pools do, and let every builder pass the stage's "
        "range."
    ),
    silent=(
        "Host pools and inner pools that take LOCAL indices, draft models, and classes that set it "
        "elsewhere as well."
    ),
    examples=(
        Example(
            title="A pool for two kinds of layers",
            bad="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


class SampleWindowPool:
    def __init__(self, full_ids):
        self.start_layer = 0  # PPL701
        self.full_pool = SampleBuffers(len(full_ids))
        self.layers_mapping = {}
        for i, gid in enumerate(full_ids):
            self.layers_mapping[gid] = i

    def get_key_buffer(self, layer_id):
        return self.full_pool.get_key_buffer(self.layers_mapping[layer_id])
""",
            files=(BUFFERS,),
        ),
        Example(
            title="The number is a class constant that is subtracted",
            bad="""\
class SamplePool:
    start_layer = 0  # PPL701

    def get_key_buffer(self, layer_id):
        return self.k_buffer[layer_id - self.start_layer]
""",
        ),
        Example(
            title="A host pool that counts the stage's own layers, and a pool that is told",
            good="""\
class SampleHostPool:
    def __init__(self, device_pool):
        self.start_layer = 0
        self.layer_num = device_pool.layer_num
        self.kv_buffer = [None for _ in range(self.layer_num)]

    def load(self, layer_id):
        return self.kv_buffer[layer_id]


class SamplePool:
    def __init__(self, start_layer=None):
        self.start_layer = start_layer or 0

    def get_key_buffer(self, layer_id):
        return self.k_buffer[layer_id - self.start_layer]
""",
        ),
    ),
)


class ConstantStartLayer(Rule):
    """Judges assignments of `start_layer`."""

    info = INFO_TEXT

    def assign(self, context: Context, target: ast.expr, found: Values, node: ast.stmt) -> None:
        """`self.start_layer = 0`, or `start_layer = 0` in a class body."""
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        if not is_start(name) or not context.class_id or any(value.kind != v.INT for value in found):
            return
        if isinstance(target, ast.Attribute) != bool(context.flow.functions):
            return
        pinned = pinned_start(context.project, context.class_id)
        if pinned is not None and pinned.owner == context.class_id:
            self._judge(context, node, pinned)

    def leave(self, context: Context, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """A property that returns a number."""
        if not is_start(node.name) or not context.class_id or not node.decorator_list:
            return
        pinned = pinned_start(context.project, context.class_id)
        returned = next((s for s in ast.walk(node) if isinstance(s, ast.Return)), None)
        if pinned is not None and pinned.line == node.lineno and returned is not None:
            self._judge(context, returned, pinned)

    def _judge(self, context: Context, node: ast.stmt, pinned: Pinned) -> None:
        if context.draft:
            return
        asked = _global_method(context, pinned.owner)
        if asked is None:
            return
        method, evidence = asked
        mapped = keeps_mapping(context.project, pinned.owner)
        breaks = (
            f"layer {pinned.number} is in none of its dictionaries, and asking for it fails"
            if mapped
            else "subtracting it does not make a LOCAL index"
        )
        severity, condition = context.level()
        context.report(
            self,
            node,
            f"`start_layer` is always {pinned.number}, but `{method}` takes the GLOBAL ids of this "
            "stage: on a stage that "
            f"starts later, {breaks}{f' ({condition})' if condition else ''}",
            severity=severity,
            trace=[*context.steps(evidence), _only(context, node)],
            no_fix="take the first layer from the caller; every builder has to pass it",
            asks=_asks(context, pinned, method),
        )


def _only(context: Context, node: ast.stmt) -> Step:
    name = context.project.class_name(context.class_id)
    return context.step(node, f"neither `{name}` nor its bases set `start_layer` to anything else")


def _asks(context: Context, pinned: Pinned, method: str) -> Asks | None:
    """What a caller asks for that trusts the number; how a list is filled that counts from there is not known."""
    targets = context.accessors.targets(context.place, ["self", method])
    keyed = answer_of(context.accessors, targets).access == KEYED
    return Asks(KEYED, *one_id(pinned.number), meant=STAGE_START) if keyed else None


def _global_method(context: Context, class_id: str) -> tuple[str, Evidence] | None:
    """A method of a class that takes a GLOBAL id, public ones first and those that many have, with what proves it."""
    found: list[tuple[bool, str, Evidence]] = []
    for method in context.project.classes[class_id]["methods"]:
        for evidence in context.accessors.known(GLOBAL, f"{class_id}.{method}").values():
            found.append((method.startswith("_"), method, evidence))
    definers = context.project.definers
    found.sort(key=lambda one: (one[0], -len(definers(one[1])), one[1]))
    return found[0][1:] if found else None
