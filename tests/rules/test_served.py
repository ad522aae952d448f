"""Padded lists of the served model, which is read where nobody says its class."""

from __future__ import annotations

import pytest
from layer_cases import findings_in

from pplint.finding import UNSAFE, WARNING

ENTRY = ("srt/models/sample_causal.py", """\
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)


class SampleForImages:
    def __init__(self, config, pp_group):
        self.language_model = SampleForCausalLM(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.language_model(input_ids, pp_proxy_tensors)


EntryClass = [SampleForCausalLM, SampleForImages]
""")  # fmt: skip

KEEPER = """

class Runner:
    def __init__(self, loader):
        self.model = loader.load()
        self.start_layer = getattr(self.model, "start_layer", 0)
        self.helper = Helper(self, self.model)

{method}

class Helper:
    def __init__(self, runner: Runner, base_model):
        self.runner = runner
        self.base_model = base_model

{helper}

class WithoutStages:
    def __init__(self, loader):
        self.model = loader.load()

{stageless}
"""

BAD = {
    "the model of who knows of stages": ("method", "print(self.model.model.layers[0].mlp)"),
    "the inner model of a model for images": (
        "method",
        "print(self.model.language_model.model.layers[-1].mlp)",
    ),
    "one of several models": (
        "method",
        "inner = getattr(self.model, 'language_model', self.model)\nprint(inner.model.layers[0].mlp)",
    ),
    "through who keeps the model": ("helper", "print(self.runner.model.model.layers[0].mlp)"),
    "a model that was handed on": ("helper", "print(self.base_model.model.layers[0].mlp)"),
}
GOOD = {
    "a test of the element": (
        "method",
        "if hasattr(self.model.model.layers[0], 'mlp'):\n    print(self.model.model.layers[0].mlp)",
    ),
    "the stage's own layer": ("method", "print(self.model.model.layers[self.model.model.start_layer].mlp)"),
    "a chain that no model has": ("method", "print(self.model.tower.layers[0].mlp)"),
    "another attribute of who knows of stages": ("method", "print(self.drafts.model.layers[0].mlp)"),
    "the model of who knows of no stages": ("stageless", "print(self.model.model.layers[0].mlp)"),
}


def _findings(tmp_path, where, body):
    methods = {"method": "pass", "helper": "pass", "stageless": "pass", where: body}
    texts = {
        name: "    def look(self):\n" + "".join(f"        {line}\n" for line in text.split("\n"))
        for name, text in methods.items()
    }
    return findings_in(tmp_path, "PPL201", KEEPER.format(**texts), ENTRY)


@pytest.mark.parametrize(("where", "body"), BAD.values(), ids=BAD)
def test_a_literal_slot_of_a_served_model_is_a_warning_that_names_one_such_model(where, body, tmp_path):
    (found,) = _findings(tmp_path, where, body)
    assert found.severity == WARNING
    assert found.fix is not None
    assert found.fix.safety == UNSAFE  # another model may not tell its range
    assert "where the served model has such a list, as `SampleModel` has" in found.message


@pytest.mark.parametrize(("where", "body"), GOOD.values(), ids=GOOD)
def test_what_looks_alike_is_not_reported(where, body, tmp_path):
    assert not _findings(tmp_path, where, body)
