"""PPL102: which ids of other layers a layer may hand on."""

from __future__ import annotations

from pathlib import Path

import pytest
from layer_cases import findings_in

from pplint.finding import INFO, WARNING

_CODE = """

class SharingAttention:
    def __init__(self, config, layer_id, start_layer=0):
        self.layer_id = layer_id
        first = config.num_hidden_layers - config.num_shared
        {body}


class SharingForCausalLM:
    def forward(self, input_ids, {proxies}):
        return input_ids


EntryClass = SharingForCausalLM
"""
_SEARCHED = "self.shared = config.layer_types[:first][::-1].index(config.layer_types[layer_id])\n"
_HANDED = "self.attn = CachedAttention(layer_id=self.shared if layer_id >= first else layer_id)"

CASES = {
    "an id that is searched in the configuration": (_SEARCHED + _HANDED, [WARNING]),
    "an id that the configuration has for the layer": (
        "self.shared = config.kv_sources[layer_id]\n" + _HANDED,
        [WARNING],
    ),
    "an id that is reckoned from the configuration": ("self.shared = first - 1\n" + _HANDED, [WARNING]),
    "the own id kept by the layer": (_SEARCHED + _HANDED.replace("else layer_id", "else self.layer_id"), [WARNING]),
    "the own id first": (
        _SEARCHED + "self.attn = CachedAttention(layer_id=layer_id if layer_id < first else self.shared)",
        [WARNING],
    ),
    "an id that is tested against the range": (
        _SEARCHED + "assert self.shared >= start_layer\n" + _HANDED,
        [],
    ),
    "an id that is reckoned from the own id": (
        "self.shared = first + layer_id\n" + _HANDED,
        [],
    ),
    "no other id": ("self.attn = CachedAttention(layer_id=layer_id if first else self.layer_id)", []),
    "no own id": (_SEARCHED + "self.attn = CachedAttention(layer_id=self.shared if first else None)", []),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_id(case: str, tmp_path: Path) -> None:
    body, expected = CASES[case]
    text = _CODE.format(body=body.replace("\n", "\n        "), proxies="pp_proxy_tensors=None")
    assert [one.severity for one in findings_in(tmp_path, "PPL102", text)] == expected


def test_a_layer_of_a_model_for_one_stage_is_latent(tmp_path: Path) -> None:
    text = _CODE.format(body=(_SEARCHED + _HANDED).replace("\n", "\n        "), proxies="batch=None")
    assert [one.severity for one in findings_in(tmp_path, "PPL102", text)] == [INFO]
