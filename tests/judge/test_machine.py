"""What a process may use: never more than its control group."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pplint.judge import machine

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="control groups are Linux's")


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(machine, "_GROUP", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("limit", "cores"),
    [
        pytest.param("100000 100000", 1, id="a quota of one core"),
        pytest.param("50000 100000", 1, id="half a core is one process"),
        pytest.param("max 100000", None, id="no quota"),
        pytest.param("nonsense", None, id="what cannot be read limits nothing"),
        pytest.param("", None, id="an empty file limits nothing"),
    ],
)
def test_cores(group, limit, cores):
    (group / "cpu.max").write_text(limit)
    assert machine.usable_cores() == (cores or len(os.sched_getaffinity(0)))


@pytest.mark.parametrize(
    ("limit", "now", "left"),
    [
        pytest.param("1000000", "400000", 600_000, id="what the group has left"),
        pytest.param("1000000", "1200000", 0, id="a group above its limit has nothing left"),
        pytest.param("max", "400000", None, id="no limit"),
        pytest.param("", "", None, id="what cannot be read limits nothing"),
    ],
)
def test_memory(group, limit, now, left):
    (group / "memory.max").write_text(limit)
    (group / "memory.current").write_text(now)
    free = machine.spare_memory()
    assert free == left if left is not None else free > 1_000_000
