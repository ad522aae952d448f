"""Small pools in SGLang's shape for the examples of the rules about mixed index spaces."""

from __future__ import annotations

BUFFERS = (
    "srt/mem_cache/sample_buffers.py",
    """\
class SampleBuffers:
    def __init__(self, layer_num, start_layer=None, end_layer=None):
        self.layer_num = layer_num
        self.start_layer = start_layer or 0
        self.k_buffer = [None for _ in range(self.layer_num)]

    def get_key_buffer(self, layer_id: int):
        return self.k_buffer[layer_id - self.start_layer]


def build(info):
    return SampleBuffers(info.layer_num, start_layer=info.start_layer)
""",
)
"""A pool with a list per stage, built with a stage range."""

HYBRID = (
    "srt/mem_cache/sample_hybrid.py",
    """\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers


class SampleHybridPool:
    def __init__(self, full_attention_layer_ids, start_layer, full_kv_pool=None):
        self.start_layer = start_layer
        if full_kv_pool is None:
            full_kv_pool = SampleBuffers(len(full_attention_layer_ids))
        self.full_kv_pool = full_kv_pool
        self.full_attention_layer_id_mapping = {gid: i for i, gid in enumerate(full_attention_layer_ids)}

    def get_key_buffer(self, layer_id: int):
        dense_id = self.full_attention_layer_id_mapping[layer_id]
        return self.full_kv_pool.get_key_buffer(dense_id)
""",
)
"""A pool that turns GLOBAL ids into DENSE ones and asks an inner pool with them. Needs BUFFERS."""
