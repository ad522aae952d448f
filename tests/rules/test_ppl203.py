"""PPL203: who may be given a whole padded list."""

from __future__ import annotations

import pytest
from layer_cases import findings_in, method

RUNNER = (
    "srt/runner.py",
    """\
def reads_first(layers, x):
    return layers[0].mode


def reads_each(x, *, layers):
    return [layers[k].mode for k in range(len(layers))]


def hands_on(layers):
    return Strategy.make(layers)


def calls(layers, x):
    for layer in layers:
        x = layer(x)
    return layers[0].__class__


def tests(layers):
    for layer in layers:
        if not hasattr(layer, "mode"):
            continue
        print(layer.mode)


class Strategy:
    @staticmethod
    def make(layers):
        return [layer.mode for layer in layers]
""",
)

BAD = {
    "the first is read": "return reads_first(self.model.layers, i)",
    "each is read by its id": "return reads_each(i, layers=self.model.layers)",
    "each is read two calls on": "return hands_on(self.model.layers)",
    "a slice up to the end of the list": "return hands_on(self.model.layers[self.model.start_layer :])",
    "a static method": "return Strategy.make(self.model.layers)",
    "a list under another name": "layers = self.model.layers\nreturn reads_first(layers, i)",
}
GOOD = {
    "the layers are only called": "return calls(self.model.layers, i)",
    "each is tested": "return tests(self.model.layers)",
    "the stage's slice": "return reads_first(self.model.layers[self.model.start_layer : "
    "self.model.end_layer], i)",
    "the first is read of what starts with the stage": "return "
    "reads_first(self.model.layers[self.model.start_layer :], i)",
    "one stage in all": "if pp_group.world_size == 1:\n    return hands_on(self.model.layers)",
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_a_whole_list_is_reported(body, tmp_path):
    (found,) = findings_in(tmp_path, "PPL203", method(body), RUNNER)
    assert "`mode`" in found.message


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD)
def test_what_looks_alike_is_not_reported(body, tmp_path):
    assert not findings_in(tmp_path, "PPL203", method(body), RUNNER)
