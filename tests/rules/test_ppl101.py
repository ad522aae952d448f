"""PPL101: places that no pool reaches."""

from __future__ import annotations

import pytest
from layer_cases import findings_in

from pplint.finding import ERROR, INFO

_DIMENSION = "\n    def get_v_head_dim(self):\n        return 1\n"
_POOLS = """

class Plain:
    def __init__(self, start_layer):
        self.start_layer = start_layer
        self.v_buffer = []

    def get_value_buffer(self, layer_id):
        return self.v_buffer[layer_id - self.start_layer]
{plain}

class SampleMLAPool:
    def __init__(self, start_layer):
        self.start_layer = start_layer
        self.buffer = []

    def get_value_buffer(self, layer_id):
        return self.buffer[layer_id - self.start_layer]


def build(start_layer):
    return Plain(start_layer), SampleMLAPool(start_layer)
"""
_ASKS = """

class Backend:
    def look(self, runner):
        if {flag}:
            return 1
        elif hasattr(runner.pool, "get_v_head_dim"):
            return runner.pool.get_v_head_dim()
        else:
            return runner.pool.get_value_buffer(0).shape[-1]
"""


@pytest.mark.parametrize(
    ("plain", "flag", "level"),
    [
        (_DIMENSION, "self.use_mla", INFO),
        (_DIMENSION, "self.other", ERROR),
        ("", "self.use_mla", ERROR),
    ],
    ids=["every pool that is left has it", "one kind of pool has it not", "a pool has it not"],
)
def test_a_branch_for_pools_without_a_method_is_dead_where_all_have_it(plain, flag, level, tmp_path):
    pools = ("srt/more_pools.py", _POOLS.format(plain=plain))
    findings = findings_in(tmp_path, "PPL101", _ASKS.format(flag=flag), pools)
    assert [found.severity for found in findings] == [level]
