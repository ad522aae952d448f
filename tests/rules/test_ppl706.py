"""PPL706: which tests say that a stage owns a layer of a kind, and which do not."""

from __future__ import annotations

import pytest
from layer_cases import findings_in

from pplint.rules.pool_samples import BUFFERS, HYBRID

_COUNTING = (
    HYBRID[0],
    HYBRID[1].replace(
        "        self.full_kv_pool = full_kv_pool\n",
        "        self.full_kv_pool = full_kv_pool\n        self.full_layer_nums = len(full_attention_layer_ids)\n"
        "        self.other_nums = len(start_layer)\n",
    ),
)
_HEAD = """

from sglang.srt.mem_cache.sample_hybrid import SampleHybridPool


class OwningPool(SampleHybridPool):
    def first(self, ids, start_layer, end_layer):
        own = [i for i in ids if start_layer <= i < end_layer]
"""
_FIRST = "[*self.full_attention_layer_id_mapping][0]"

REPORTED = {
    "the first key": f"return {_FIRST}",
    "a test of another number": f"if self.other_nums == 0:\n    return None\nreturn {_FIRST}",
    "a count of another list": "n = len(ids)\nif n == 0:\n    return None\nreturn own[0]",
    "another error is caught": f"try:\n    return {_FIRST}\nexcept KeyError:\n    return None",
}
SILENT = {
    "what counts the dictionary": f"if self.full_layer_nums == 0:\n    return None\nreturn {_FIRST}",
    "a flag of the count": f"if not self.full_layer_nums:\n    return None\nreturn {_FIRST}",
    "a count with a name": "n = len(own)\nif n == 0:\n    return None\nreturn own[0]",
    "an IndexError that is caught": "try:\n    return own[0]\nexcept IndexError:\n    return None",
    "any lookup that fails": "try:\n    return own[0]\nexcept LookupError:\n    return None",
    "a StopIteration that is caught": "try:\n    return next(iter(self.full_attention_layer_id_mapping))\n"
    "except StopIteration:\n    return None",
}


def body(code: str) -> str:
    return _HEAD + "".join(f"        {line}\n" for line in code.split("\n"))


@pytest.mark.parametrize("code", REPORTED.values(), ids=REPORTED)
def test_a_layer_that_is_taken_for_granted_is_reported(code, tmp_path):
    assert len(findings_in(tmp_path, "PPL706", body(code), BUFFERS, _COUNTING)) == 1


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_a_layer_that_is_tested_for_is_not_reported(code, tmp_path):
    assert not findings_in(tmp_path, "PPL706", body(code), BUFFERS, _COUNTING)
