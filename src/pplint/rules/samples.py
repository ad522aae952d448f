"""Small files in SGLang's shape that the examples of several rules need in view."""

from __future__ import annotations

POOL = (
    "srt/mem_cache/sample_pool.py",
    """\
class SamplePool:
    def __init__(self, layer_num, start_layer=None, end_layer=None):
        self.layer_num = layer_num
        self.start_layer = start_layer or 0
        self.end_layer = end_layer or layer_num
        self.v_buffer = [None for _ in range(layer_num)]

    def get_value_buffer(self, layer_id: int):
        return self.v_buffer[layer_id - self.start_layer]
""",
)
"""A pool whose `get_value_buffer` takes a GLOBAL layer id."""

LAYERS = (
    "srt/models/sample_model.py",
    """\
from sglang.srt.layers.sample_utils import PPMissingLayer, make_layers


class SampleModel:
    def __init__(self, config, pp_group):
        self.pp_group = pp_group
        if pp_group.is_first_rank:
            self.embed_tokens = Embedding(config)
        else:
            self.embed_tokens = PPMissingLayer()
        self.layers, self.start_layer, self.end_layer = make_layers(
            config.num_hidden_layers,
            lambda idx, prefix: DecoderLayer(config, layer_id=idx),
            pp_rank=pp_group.rank_in_group,
            pp_size=pp_group.world_size,
        )

    def forward(self, input_ids, pp_proxy_tensors=None):
        for layer in self.layers[self.start_layer : self.end_layer]:
            input_ids = layer(input_ids)
        return input_ids
""",
)
"""A model with a padded layer list `layers` and an embedding that only the first stage has."""

WITH_LAYER = (LAYERS[0], LAYERS[1] + "\n\nclass DecoderLayer:\n    pass\n")
"""The same model, with the class of its layers in view."""

UTILS = (
    "srt/layers/sample_utils.py",
    """\
class PPMissingLayer:
    pass


def make_layers(num_hidden_layers, layer_fn, pp_rank=None, pp_size=None):
    layers = [layer_fn(i, "") for i in range(num_hidden_layers)]
    if pp_rank is None:
        return layers
    return layers, 0, num_hidden_layers
""",
)
"""The placeholder and the maker of layer lists."""
