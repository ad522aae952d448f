"""PPL404: an inner pool that is asked with DENSE ids was built with a stage range."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.dense import Asked, wrong_builder
from pplint.engine.vocabulary import is_start
from pplint.finding import ERROR, Step
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.pool_samples import BUFFERS, HYBRID

INFO_TEXT = RuleInfo(
    code="PPL404",
    name="double-translation",
    severity=ERROR,
    precision="high",
    summary="an id that is already an index among the pool's layers is shifted once more",
    what=(
        "An outer pool turns GLOBAL ids into DENSE ones with a dictionary and asks an inner pool with "
        "them, but the "
        "inner pool was built with the stage's `start_layer`, which it subtracts again. The finding "
        "stands at that "
        "argument of the inner pool's constructor."
    ),
    why=(
        "On a stage that starts at layer 12 the DENSE ids 0, 1, 2 become -12, -11, -10: every access is "
        "an IndexError, "
        "or reads another layer's cache where the inner pool holds more than 12 layers. The first stage "
        "works."
    ),
    how="Build the inner pool without `start_layer`, so that it counts from 0 as the dictionary does.",
    silent=("Inner pools that are asked with the GLOBAL id, and those built without a stage range."),
    examples=(
        Example(
            title="The caller builds the inner pool with the stage range",
            bad="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers
from sglang.srt.mem_cache.sample_hybrid import SampleHybridPool


def init_pools(full_attention_layer_ids, start_layer):
    full_kv_pool = SampleBuffers(
        len(full_attention_layer_ids),
        start_layer=start_layer,  # PPL404
    )
    return SampleHybridPool(full_attention_layer_ids, start_layer, full_kv_pool=full_kv_pool)
""",
            files=(BUFFERS, HYBRID),
        ),
        Example(
            title="The outer pool builds two inner pools and picks one",
            bad="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


class SampleWindowPool:
    def __init__(self, full_ids, window_ids, start_layer):
        self.start_layer = start_layer
        self.full_pool = SampleBuffers(len(full_ids), start_layer=start_layer)  # PPL404
        self.window_pool = SampleBuffers(len(window_ids))
        self.layers_mapping = {}
        for i, gid in enumerate(full_ids):
            self.layers_mapping[gid] = (i, False)
        for i, gid in enumerate(window_ids):
            self.layers_mapping[gid] = (i, True)

    def get_key_buffer(self, layer_id):
        dense_id, is_window = self.layers_mapping[layer_id]
        pool = self.window_pool if is_window else self.full_pool
        return pool.get_key_buffer(dense_id)
""",
            files=(BUFFERS,),
        ),
        Example(
            title="The inner pool is asked with the GLOBAL id",
            good="""\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


class SampleSparsePool:
    def __init__(self, layer_num, sparse_ids, start_layer):
        self.main_pool = SampleBuffers(layer_num, start_layer=start_layer)
        self.index_pool = SampleBuffers(len(sparse_ids))
        self.sparse_mapping = {gid: i for i, gid in enumerate(sparse_ids)}

    def get_key_buffer(self, layer_id):
        return self.main_pool.get_key_buffer(layer_id)

    def get_index_buffer(self, layer_id):
        return self.index_pool.get_key_buffer(self.sparse_mapping[layer_id])
""",
            files=(BUFFERS,),
        ),
    ),
)


class DoubleTranslation(Rule):
    """Judges the constructor calls of inner pools."""

    info = INFO_TEXT

    def call(self, context: Context, node: ast.Call) -> None:
        """Compare what an inner pool is built with to how it is asked."""
        asked = wrong_builder(context.accessors, context.module, node.lineno)
        if asked is None or context.draft:
            return
        where = _start_argument(context, node)
        if where is None:
            return
        severity, condition = context.level()
        project = context.project
        owner = project.class_name(asked.owner)
        context.report(
            self,
            where,
            f"`{owner}` asks its `{asked.attribute}` with DENSE ids from a dictionary, but this builder "
            "gives it the "
            "stage's `start_layer`, which is subtracted once more: on a stage with `start_layer` > 0 "
            "every access "
            f"meets an IndexError or another layer{f' ({condition})' if condition else ''}",
            severity=severity,
            trace=[context.fact_step(asked.owner, asked.line, _why(asked)), *_subtracts(context, node)],
            no_fix=(
                "leave the stage range out of this call; what else reads the inner pool's range is not "
                "certain"
            ),
            around=node,
        )


def _subtracts(context: Context, node: ast.Call) -> list[Step]:
    """Where the class that is built subtracts the range that it is given."""
    project, callee = context.project, v.dotted(node.func)
    for owner in sorted(project.callee_classes(context.place, list(callee))) if callee is not None else ():
        for one in project.mro(owner):
            for name, (line, method) in sorted(project.classes[one]["shifted"].items()):
                text = f"`{method}` of what is built here takes `{name}[id - start_layer]`"
                return [context.fact_step(one, line, text)]
    return []


def _why(asked: Asked) -> str:
    return f"`{asked.method}` asks `{asked.attribute}` with the id that the dictionary gave"


def _start_argument(context: Context, node: ast.Call) -> ast.keyword | ast.expr | None:
    """The argument of a constructor call that is the first layer of the stage, or None."""
    for keyword in node.keywords:
        if keyword.arg and is_start(keyword.arg):
            return None if _is_zero(context, keyword.value) else keyword
    return None


def _is_zero(context: Context, node: ast.expr) -> bool:
    """Whether the stage range is given as 0 or None, which is the same as leaving it out."""
    return all(
        value.kind == "none" or (value.kind == "int" and value.data == 0)
        for value in context.flow.evaluate(node)
    )
