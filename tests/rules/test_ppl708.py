"""PPL708: which names that go from layer to layer are lost between two stages."""

from __future__ import annotations

import pytest
from layer_cases import findings_in

from pplint.finding import WARNING
from pplint.rules.samples import LAYERS, UTILS

_MODEL = """
from sglang.srt.models.sample_model import SampleModel


class RoutedModel(SampleModel):
    def forward(self, hidden_states, {proxies}):
        {body}
        return hidden_states


class RoutedForCausalLM:
    def __init__(self, config, pp_group):
        self.model = RoutedModel(config, pp_group)

    def forward(self, input_ids, {proxies}):
        return self.model(input_ids, pp_proxy_tensors)


EntryClass = RoutedForCausalLM
"""
_PROXIES = "pp_proxy_tensors=None"
_LOOP = """\
for i in range(self.start_layer, self.end_layer):
    hidden_states, routed = self.layers[i](hidden_states, routed)
"""


def tree(body: str, proxies: str = _PROXIES) -> str:
    return _MODEL.format(body=body.rstrip().replace("\n", "\n        "), proxies=proxies)


CASES = {
    "by position": (tree("routed = None\n" + _LOOP), [WARNING]),
    "with an annotation": (tree("routed: Tensor | None = None\n" + _LOOP), [WARNING]),
    "by keyword": (tree("routed = None\n" + _LOOP.replace(", routed)", ", routed=routed)")), [WARNING]),
    "the layer has a name": (
        tree(
            "routed = None\nfor i in range(self.start_layer, self.end_layer):\n    layer = self.layers[i]\n"
            "    (hidden_states, routed) = layer(hidden_states, routed)"
        ),
        [WARNING],
    ),
    "the layers are a slice": (
        tree(
            "routed = None\nfor layer in self.layers[self.start_layer : self.end_layer]:\n"
            "    hidden_states, routed = layer(hidden_states, routed)"
        ),
        [WARNING],
    ),
    "in both of two loops": (tree("routed = None\n" + _LOOP + "routed = None\n" + _LOOP), [WARNING, WARNING]),
    "it is taken from the proxies": (
        tree("routed = None\nif pp_proxy_tensors:\n    routed = pp_proxy_tensors['routed']\n" + _LOOP),
        [],
    ),
    "it is sent": (
        tree("routed = None\n" + _LOOP + "if not self.pp_group.is_last_rank:\n    return PPProxyTensors({'r': routed})"),
        [],
    ),
    "it is read after the loop": (tree("routed = None\n" + _LOOP + "self.finish(routed)"), []),
    "it is made anew for each layer": (
        tree("routed = None\n" + _LOOP.replace("    hidden", "    routed = make(i)\n    hidden")),
        [],
    ),
    "both branches of a test set it": (
        tree("if self.pp_group.is_first_rank:\n    routed = None\nelse:\n    routed = None\n" + _LOOP),
        [],
    ),
    "it starts anew for a group of layers": (
        tree("routed = None\n" + _LOOP.replace("    hidden", "    if i % 4 == 0:\n        routed = None\n    hidden")),
        [],
    ),
    "another call takes it and gives it": (
        tree("routed = None\n" + _LOOP + "hidden_states, routed = self.pack(hidden_states, routed)"),
        [],
    ),
    "it starts as something": (tree("routed = self.first()\n" + _LOOP), []),
    "the layer is not given it": (tree("routed = None\n" + _LOOP.replace(", routed)", ")")), []),
    "a list that is no list of layers": (tree("routed = None\n" + _LOOP.replace("self.layers[i]", "self.heads[i]")), []),
    "one stage": (
        tree("routed = None\nif self.pp_group.world_size == 1:\n    " + _LOOP.replace("\n", "\n    ")),
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_name_that_goes_from_layer_to_layer(case, tmp_path):
    code, levels = CASES[case]
    assert [one.severity for one in findings_in(tmp_path, "PPL708", code, LAYERS, UTILS)] == levels


_LAYER = """

class DecoderLayer:
    def forward(self, positions, hidden_states, routed=None):
        {body}
        return self.mlp(hidden_states, routed), routed
"""
_NAMED_LOOP = """\
routed = None
for i in range(self.start_layer, self.end_layer):
    hidden_states, routed = self.layers[i](positions, hidden_states, routed=routed)
"""
LAYERS_OF = {
    "makes it of what all layers get": (
        "if routed is None:\n            routed = self.rotary(positions)",
        [],
    ),
    "makes it in an expression": ("routed = self.rotary(positions) if routed is None else routed", []),
    "makes it in an expression that asks for the contrary": (
        "routed = routed if routed is not None else self.rotary(positions)",
        [],
    ),
    "makes it of what changes from layer to layer": (
        "if routed is None:\n            routed = self.route(hidden_states)",
        [WARNING],
    ),
    "starts with something": (
        "if routed is None:\n            routed = torch.zeros(self.size)",
        [WARNING],
    ),
    "makes something else": ("if routed is None:\n            made = self.rotary(positions)", [WARNING]),
    "makes it where it is given": (
        "if routed is not None:\n            routed = self.rotary(positions)",
        [WARNING],
    ),
    "uses it as it comes": ("hidden_states = self.route(hidden_states, routed)", [WARNING]),
}


@pytest.mark.parametrize("case", LAYERS_OF)
def test_a_layer_that(case, tmp_path):
    body, levels = LAYERS_OF[case]
    model = LAYERS[0], LAYERS[1] + _LAYER.format(body=body)
    code = tree(_NAMED_LOOP, "positions, " + _PROXIES)
    assert [one.severity for one in findings_in(tmp_path, "PPL708", code, model, UTILS)] == levels
