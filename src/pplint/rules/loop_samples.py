"""The examples of PPL301: loops over all layers of the model."""

from __future__ import annotations

from pplint.finding import UNSAFE
from pplint.rules.base import Example
from pplint.rules.samples import LAYERS, POOL, UTILS

_HEAD = """\
from sglang.srt.models.sample_model import SampleModel


class WholeModel(SampleModel):
"""

_RANGE = ("range(len(self.layers))", "range(self.start_layer, self.end_layer)")


def _repaired(title: str, method: str, loop: str, of_stage: str) -> Example:
    """A method of a model whose loop becomes one over the layers of the stage."""
    return Example(
        title=title,
        bad=_HEAD + method,
        fixed=_HEAD + method.replace(loop, of_stage),
        safety=UNSAFE,
        files=(LAYERS, UTILS),
    )


EXAMPLES = (
    _repaired(
        "Each id of the list",
        """\
    def count_experts(self):
        return sum(
            1
            for i in range(len(self.layers))
            if isinstance(self.layers[i].mlp, dict)  # PPL301
        )
""",
        *_RANGE,
    ),
    _repaired(
        "Each layer of the list",
        """\
    def heads(self):
        found = []
        for layer in self.layers:
            found.append(layer.self_attn.heads)  # PPL301
        return found
""",
        "in self.layers:",
        "in self.layers[self.start_layer:self.end_layer]:",
    ),
    _repaired(
        "Ids and layers in a lazy value",
        """\
    def weights(self):
        return LazyValue(
            lambda: {
                i: layer.mlp.weights
                for i, layer in enumerate(self.layers)
                if isinstance(layer.mlp, dict)  # PPL301
            }
        )
""",
        "enumerate(self.layers)",
        "enumerate(self.layers[self.start_layer:self.end_layer], self.start_layer)",
    ),
    Example(
        title="Each id goes to the pool",
        bad="""\
def rows(pool, config):
    return [pool.get_value_buffer(i) for i in range(config.num_hidden_layers)]  # PPL301
""",
        files=(POOL,),
    ),
    _repaired(
        "Each layer is run",
        """\
    def run(self, positions, hidden_states, residual):
        for i in range(len(self.layers)):
            layer = self.layers[i]
            hidden_states, residual = layer(positions, hidden_states, residual)  # PPL301
        return hidden_states
""",
        *_RANGE,
    ),
    Example(
        title="What was read under a test is used without it",
        bad=_HEAD
        + """\
    def load_scales(self, scales):
        for i, scale in scales:
            if not isinstance(self.layers[i], PPMissingLayer):
                attention = self.layers[i].self_attn
            attention.k_scale = scale  # PPL301
""",
        files=(LAYERS, UTILS),
    ),
    Example(
        title="The layer or its id is tested first",
        good=_HEAD
        + """\
    def count(self):
        found = 0
        for i, layer in enumerate(self.layers):
            if not self.start_layer <= i < self.end_layer:
                continue
            found += layer.mlp.num_experts
        return found + sum(1 for one in self.layers if hasattr(one, "mlp") and one.mlp.num_experts)
""",
        files=(LAYERS, UTILS),
    ),
)
