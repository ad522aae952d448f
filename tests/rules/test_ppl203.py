"""PPL203: who may be given a whole padded list."""

from __future__ import annotations

import pytest
from layer_cases import findings_in, method

from pplint.finding import ERROR, INFO
from pplint.rules.samples import WITH_LAYER

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
    "the stage's slice": "return reads_first(self.model.layers[self.model.start_layer : self.model.end_layer], i)",
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


CALL = "return reads_first(self.model.layers, i)"
CHOOSERS = {
    "a chain of names that ends in an else": """\
    name = layers[0].__class__.__name__
    if name == "KnownLayer":
        return layers[0].mode
    elif name in ("OtherLayer", "ThirdLayer"):
        return layers[1].mode
    else:
        raise NotImplementedError
""",
    "a chain of names before a raise": """\
    mode = layers[0].mode
    if type(layers[0]).__name__ == "KnownLayer":
        return mode
    if isinstance(layers[0], OtherLayer):
        return mode
    raise NotImplementedError(mode)
""",
    "a name that is not in a set": """\
    mode = layers[0].mode
    if type(layers[0]).__name__ not in {"KnownLayer", "OtherLayer"}:
        raise NotImplementedError
    return mode
""",
    "cases": """\
    mode = layers[0].mode
    match layers[0].__class__.__name__:
        case "KnownLayer" | "OtherLayer":
            return mode
        case _:
            raise NotImplementedError
""",
}
NO_CHOICE = """\
    if layers[0].__class__.__name__ == "KnownLayer":
        return layers[0].mode
    return layers[1].mode
"""


@pytest.mark.parametrize("body", CHOOSERS.values(), ids=CHOOSERS)
@pytest.mark.parametrize("known", [False, True], ids=["unknown layers", "known layers"])
def test_a_callee_that_refuses_these_layers_by_name_makes_it_latent(body, known, tmp_path):
    text = body.replace("KnownLayer", "DecoderLayer") if known else body
    runner = (
        "srt/runner.py",
        f"def inner(layers):\n{text}\n\ndef reads_first(layers, x):\n    return inner(layers)\n",
    )
    (found,) = findings_in(tmp_path, "PPL203", method(CALL), runner, WITH_LAYER)
    assert found.severity == (ERROR if known else INFO)
    assert ("`DecoderLayer`" in found.message) is not known


def test_a_callee_that_takes_other_layers_too_changes_nothing(tmp_path):
    runner = ("srt/runner.py", f"def reads_first(layers, x):\n{NO_CHOICE}")
    (found,) = findings_in(tmp_path, "PPL203", method(CALL), runner, WITH_LAYER)
    assert found.severity == ERROR
