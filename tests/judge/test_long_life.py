"""A process that looks again and again, as an editor's server does, can give back what it threw away."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from pplint.judge import check
from pplint.judge.check import JudgeRequest, judge

POOL = """\
class Pool:
    def __init__(self, start_layer):
        self.start_layer = start_layer

    def get_{}(self, layer_id):
        return self.k_buffer[layer_id - self.start_layer]
"""
LOOKS = 6


class Ring:
    """Garbage that only the collector can give back."""

    def __init__(self) -> None:
        self.ring = self


def test_only_the_first_look_keeps_what_its_host_threw_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path.resolve() / "sglang" / "srt" / "pool.py"
    file.parent.mkdir(parents=True)
    monkeypatch.setattr(check, "_KNOWN", {})
    request = JudgeRequest(str(file.parents[2]), (str(file),), {}, frozenset({"PPL101"}))
    assert gc.isenabled()
    thrown_away: list[weakref.ref[Ring]] = []
    for number in range(LOOKS):
        file.write_text(POOL.format("x" * number))
        thrown_away.append(weakref.ref(Ring()))
        judge(request)
    gc.collect()
    assert sum(one() is not None for one in thrown_away) <= 1
