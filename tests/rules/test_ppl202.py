"""PPL202: names of weights with a literal layer."""

from __future__ import annotations

import pytest
from layer_cases import findings_in, method

_DICT = "params = dict(self.named_parameters())\n"
BAD = {
    "a subscript": _DICT + "return params['model.layers.0.mlp.weight']",
    "the names of buffers": "return dict(self.named_buffers())['model.layers.0.rope']",
    "put together": _DICT + "name = 'model.' + 'layers.0.mlp'\nreturn params[name]",
    "an f-string": _DICT + "return params[f'{i}.layers.0.mlp']",
    "formatted": _DICT + "return params['{}.layers.0.mlp'.format(i)]",
    "an assertion": _DICT + "name = i.replace('.a.', '.layers.0.a.')\nassert name in params",
    "another layer": "return self.get_parameter('model.layers.3.mlp.weight')",
}
GOOD = {
    "a placeholder": _DICT + "return params[f'model.layers.{i}.mlp.weight']",
    "a checkpoint": "return caches['model.layers.0.mlp.weight']",
    "a table that renames": "table = {'model.layers.0.a': 'model.layers.0.b'}\n"
    "return i.replace('layers.0.', '')",
    "what is replaced": _DICT + "return params[i.replace('model.layers.0.', 'model.decoder.')]",
    "an encoder": _DICT + "return params['visual.encoder.layers.0.mlp.weight']",
    "the first stage": _DICT + "if pp_group.is_first_rank:\n    return params['model.layers.0.mlp.weight']",
    "a membership test": _DICT + "name = 'model.layers.0.mlp'\nif name in params:\n    return params[name]",
    "an answer that may be None": (
        "found = dict(self.named_parameters()).get('model.layers.0.mlp')\nif found is not None:\n    found.copy_(weight)"
    ),
    "a default": "return dict(self.named_parameters()).get('model.layers.0.mlp', None)",
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_a_literal_layer_is_reported(body, tmp_path):
    assert len(findings_in(tmp_path, "PPL202", method(body))) == 1


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD)
def test_what_looks_alike_is_not_reported(body, tmp_path):
    assert not findings_in(tmp_path, "PPL202", method(body))
