"""PPL703: which constructor calls leave out a range that their siblings pass."""

from __future__ import annotations

import pytest
from layer_cases import findings_in

from pplint.finding import ERROR, WARNING

_OWNER = """

from sglang.srt.mem_cache.sample_pool import SamplePool


class Builder:
    def __init__(self, info):
        self.info = info

    def sibling(self):
        return SamplePool(layer_num=self.info.layer_num, {sibling})

    def other(self):
        {other}
"""
RANGE = "start_layer=self.info.start_layer"


def tree(other: str, sibling: str = RANGE) -> str:
    return _OWNER.format(other=other, sibling=sibling)


_HEIR = """

from sglang.srt.mem_cache.sample_pool import SamplePool


class Heir(SamplePool):
    def __init__(self, layer_num, start_layer=None, end_layer=None, **more):
        {body}
"""


def heir(body: str) -> str:
    return _HEIR.format(body=body)


CASES = {
    "a constructor that drops the range": (heir("super().__init__(layer_num)"), [ERROR]),
    "a constructor that hands it on by position": (heir("super().__init__(layer_num, start_layer)"), []),
    "a constructor that hands it on by name": (
        heir("super().__init__(layer_num, start_layer=start_layer)"),
        [],
    ),
    "a constructor that hands all on": (heir("super().__init__(layer_num, **more)"), []),
    "a constructor that sets it itself": (
        heir("super().__init__(layer_num)\n        self.start_layer = start_layer"),
        [],
    ),
    "a constructor that passes over a base": (heir("super(SamplePool, self).__init__(layer_num)"), []),
    "the stage's layers": (tree("return SamplePool(layer_num=self.info.layer_num)"), [ERROR]),
    "the model's layers": (tree("return SamplePool(layer_num=self.info.num_hidden_layers)"), [ERROR]),
    "a difference": (
        tree("return SamplePool(layer_num=self.info.end_layer - self.info.start_layer)"),
        [ERROR],
    ),
    "behind a flag": (
        tree("if self.use_fp4:\n            return SamplePool(layer_num=self.info.layer_num)"),
        [WARNING],
    ),
    "given as its sibling": (tree(f"return SamplePool(layer_num=self.info.layer_num, {RANGE})"), []),
    "given by position": (tree("return SamplePool(4, self.info.start_layer)"), []),
    "given in the lines after": (
        tree(
            "pool = SamplePool(layer_num=self.info.layer_num)\n"
            "        pool.start_layer = self.info.start_layer\n        return pool"
        ),
        [],
    ),
    "given to another pool in the lines after": (
        tree(
            "pool = SamplePool(layer_num=self.info.layer_num)\n"
            "        other.start_layer = self.info.start_layer\n        return pool"
        ),
        [ERROR],
    ),
    "spread keywords": (tree("return SamplePool(layer_num=self.info.layer_num, **self.options)"), []),
    "layers of one kind": (tree("return SamplePool(layer_num=len(self.full_layer_ids))"), []),
    "a count that was handed over": (tree("return SamplePool(layer_num=layer_num)"), []),
    "no sibling passes it": (tree("return SamplePool(layer_num=self.info.layer_num)", "end_layer=4"), []),
    "a draft worker": (
        tree("if self.is_draft_worker:\n            return SamplePool(layer_num=self.info.layer_num)"),
        [],
    ),
    "one stage in all": (
        tree("if self.pp_size == 1:\n            return SamplePool(layer_num=self.info.layer_num)"),
        [],
    ),
    "a class without such a parameter": (
        tree("return OtherPool(layer_num=self.info.layer_num)")
        + "\n\nclass OtherPool:\n    def __init__(self, layer_num):\n        pass\n",
        [],
    ),
}


@pytest.mark.parametrize(("text", "levels"), CASES.values(), ids=CASES)
def test_pools(text, levels, tmp_path):
    findings = [
        one
        for one in findings_in(tmp_path, "PPL703", text)
        if one.symbol in ("Builder.other", "Heir.__init__")
    ]
    assert [finding.severity for finding in findings] == levels


def test_a_pool_for_all_layers_wastes_memory(tmp_path):
    text = tree("return SamplePool(layer_num=self.info.num_hidden_layers)")
    (finding,) = findings_in(tmp_path, "PPL703", text)
    assert "built for all layers of the model without `start_layer`" in finding.message
    assert "every stage allocates KV cache for all layers" in finding.message
    assert finding.asks is None
