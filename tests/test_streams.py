"""A stream that was closed before the start: what nobody listens to is no trouble, what is missing is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

POOL = """\
class Pool:
    def __init__(self, start_layer):
        self.start_layer = start_layer

    def row(self, i):
        return self.rows[i - self.start_layer]
"""
HIT = "\n\npool = Pool(4)\nrow = pool.row(0)\n"

CLOSED = {
    "of a clean run": ("sglang/clean.py", "2>&-", 0),
    "of a clean run without a bar": ("--no-progress sglang/clean.py", "2>&-", 0),
    "of a run that says what it read": ("-v sglang/clean.py", "2>&-", 0),
    "of a diff without a change": ("--diff sglang/clean.py", "2>&-", 0),
    "of a run with findings": ("sglang/hit.py", "2>&-", 1),
    "of a diff": ("--diff sglang/hit.py", "2>&-", 1),
    "of a run with trouble": ("gone.py", "2>&-", 2),
    "of a command": ("baseline write sglang", "2>&-", 0),
    "the output": ("sglang/clean.py", ">&-", 2),
    "the input that is asked for": ("-", "<&-", 2),
    "an input that nobody asked for": ("sglang/clean.py", "<&-", 0),
}


@pytest.mark.parametrize(("arguments", "closed", "code"), CLOSED.values(), ids=CLOSED.keys())
def test_the_exit_code_with_a_closed_stream(arguments: str, closed: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "sglang").mkdir()
    (tmp_path / "sglang/clean.py").write_text(POOL)
    (tmp_path / "sglang/hit.py").write_text(POOL + HIT)
    done = subprocess.run(
        f"{sys.executable} -m pplint {arguments} {closed}",
        shell=True,
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        },
    )
    assert done.returncode == code, done.stderr
    assert "pplint:" not in done.stdout, "what is for the standard error never goes to the output"
    assert "internal error" not in done.stderr
