"""Each finding says why: where things come from, what proves it, and which test was looked for and not found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from layer_cases import findings_in, method
from test_examples import EXAMPLES, IDS, findings_of

from pplint.source.text import Source

LOOKED_FOR = re.compile(r"\bnothing\b.* tests\b|\bneither\b|without a test")
NO_TEST_HELPS = frozenset({"PPL404"})
"""A builder is wrong on every path."""
BAD = [pair for pair in EXAMPLES if pair[1].bad]


@pytest.mark.parametrize(
    ("code", "example"), BAD, ids=[name for name, pair in zip(IDS, EXAMPLES, strict=True) if pair[1].bad]
)
def test_every_finding_carries_the_chain(code, example, tmp_path: Path):
    _, findings = findings_of(tmp_path, example, code, example.bad.encode())
    assert findings
    for finding in findings:
        texts = [step.text for step in finding.trace]
        assert len(texts) >= 2
        assert code in NO_TEST_HELPS or any(map(LOOKED_FOR.search, texts)), texts
        assert len(set(texts)) == len(texts)
        for step in finding.trace:
            assert 0 < step.line <= len(Source.read(step.path).lines)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param(
            "return self.model.layers[0].mlp",
            "nothing from here to line 15 tests the layer, as `isinstance(layer, PPMissingLayer)` would, or its id "
            "against `start_layer` and `end_layer`",
            id="no condition at all",
        ),
        pytest.param(
            "if caches:\n    return self.model.layers[0].mlp",
            "from here to line 16 only `caches` is known; nothing tests the layer",
            id="a condition that holds",
        ),
        pytest.param(
            "if caches:\n    return None\nreturn self.model.layers[0].mlp",
            "from here to line 17 only `not caches` is known",
            id="a condition that does not",
        ),
        pytest.param(
            "if i not in caches:\n    return None\nreturn self.model.layers[0].mlp",
            "from here to line 17 only `i in caches` is known",
            id="a comparison that does not hold",
        ),
        pytest.param(
            "if i and caches:\n    assert self.config.deep\n    return self.model.layers[0].mlp",
            "from here to line 17 only `self.config.deep`, `caches` and 1 more condition are known",
            id="more than two",
        ),
        pytest.param(
            "if caches.are_there_and_large_enough_for_this and caches.are_there_for_that:\n"
            "    return self.model.layers[0].mlp",
            "only `caches.are_there_for_that` and `caches.are_there_and_large_enough_for_this` are known",
            id="two",
        ),
        pytest.param(
            "if caches.find(self.config.first, self.config.second, self.config.third):\n"
            "    return self.model.layers[0].mlp",
            "only `caches.find(self.config.first, self.config.seco...` is known",
            id="a long one",
        ),
    ],
)
def test_what_is_known_on_the_way_is_named(body: str, said: str, tmp_path: Path):
    (finding,) = findings_in(tmp_path, "PPL201", method(body))
    step = finding.trace[-1]
    assert said in step.text
    assert (step.path, step.line) == (finding.path, 14)


LONG = f"a_condition_{'of_many_words_' * 5}that_holds"
OWN_WORDS = {
    "a long condition on the way": ("PPL201", f"if {LONG}:\n    return self.model.layers[0].mlp"),
    "a long place": ("PPL201", f"return self.model.layers[0 if {LONG} else 1].mlp"),
}


@pytest.mark.parametrize(("code", "body"), OWN_WORDS.values(), ids=OWN_WORDS.keys())
def test_what_is_cut_is_cut_in_ascii(code: str, body: str, tmp_path: Path):
    (finding,) = findings_in(tmp_path, code, method(body))
    words = [finding.message, *(step.text for step in finding.trace)]
    assert any("..." in text for text in words), "nothing was cut"
    assert all(text.isascii() for text in words)


HEIR = """\
from sglang.srt.models.sample_model import SampleModel


class Heir(SampleModel):
    def first(self):
        return self.start_layer
"""
TOP = """

from sglang.srt.models.heir import Heir


class HeirForCausalLM:
    def __init__(self, config, pp_group):
        self.model = Heir(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)


EntryClass = HeirForCausalLM
"""


def test_a_base_in_another_file_is_named_with_its_own_line(tmp_path: Path):
    (finding,) = findings_in(tmp_path, "PPL702", TOP, ("srt/models/heir.py", HEIR))
    step = finding.trace[0]
    assert step.text == "`Heir` (`self.model`) keeps the layers of one stage here"
    assert step.path.endswith("sample_model.py")
    assert "start_layer" in " ".join(Source.read(step.path).lines[step.line - 1 : step.line + 1])
