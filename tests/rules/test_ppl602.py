"""PPL602: ranges of a stage that start from a literal."""

from __future__ import annotations

import pytest
from layer_cases import findings_in, method

from pplint.finding import INFO, WARNING
from pplint.rules.samples import WITH_LAYER

BAD = {
    "a slice from 0": "return self.model.layers[0 : self.model.end_layer]",
    "a slice without a start": "return self.model.layers[: self.model.end_layer]",
    "a range from 0": "for k in range(0, self.model.end_layer):\n    self.model.layers[k](i)",
    "a range without a start": "return [self.model.layers[k] for k in range(self.model.end_layer)]",
    "a local that may be 0": "first = self.model.start_layer\nif i < first:\n    first = 0\n"
    "return self.model.layers[first : self.model.end_layer]",
}
GOOD = {
    "only on the first stage": "if pp_group.is_first_rank:\n    return self.model.layers[: self.model.end_layer]",
    "0 on the first stage": "first = 0 if pp_group.is_first_rank else self.model.start_layer\n"
    "return self.model.layers[first : self.model.end_layer]",
    "the id is compared first": "for k in range(self.model.end_layer):\n    if k >= self.model.start_layer:\n"
    "        self.model.layers[k](i)",
    "the stage's range": "return self.model.layers[self.model.start_layer : self.model.end_layer]",
    "a range of its own": "return [caches[k] for k in range(0, len(caches))]",
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_a_range_from_a_literal_is_reported(body, tmp_path):
    (found,) = findings_in(tmp_path, "PPL602", method(body))
    assert found.fix is not None
    assert "self.model.start_layer" in found.fix.edits[0].text


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD)
def test_what_looks_alike_is_not_reported(body, tmp_path):
    assert not findings_in(tmp_path, "PPL602", method(body))


def test_one_literal_is_one_finding_on_its_own_line(tmp_path):
    body = """\
    a = b = self.model.start_layer
    if batch.can_run_tbo:
        a = b = 0
    for k in range(a, self.model.end_layer):
        self.model.layers[k](i)
    return self.model.layers[b : self.model.end_layer]
"""
    (found,) = findings_in(tmp_path, "PPL602", method(body))
    assert found.severity == WARNING
    assert found.statement is not None
    assert found.statement.line == found.span.line


def test_no_edit_where_the_slot_before_the_local_is_read_too(tmp_path):
    body = """\
    first = self.model.start_layer
    if i < first:
        first = 0
    mode = self.model.layers[first - 1].mode
    return self.model.layers[first : self.model.end_layer], mode
"""
    (found,) = findings_in(tmp_path, "PPL602", method(body))
    assert found.fix is None
    assert "self.model.layers[first - 1].mode" in found.no_fix


def test_a_callee_that_refuses_these_layers_by_name_makes_it_latent(tmp_path):
    runner = (
        "srt/runner.py",
        'def reads_first(layers, x):\n    if type(layers[0]).__name__ != "KnownLayer":\n        raise ValueError\n',
    )
    body = "return reads_first(self.model.layers[0 : self.model.end_layer], i)"
    (found,) = findings_in(tmp_path, "PPL602", method(body), runner, WITH_LAYER)
    assert found.severity == INFO
