"""Several runs at once on one cache, as in a hook that is split over processes, say what one says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from checkouts import HIT, checkout, environment

RUNS = 6


def test_runs_that_share_a_cache_say_the_same(tmp_path: Path) -> None:
    checkout(tmp_path, {f"case{number}.py": HIT * (number + 1) for number in range(12)})
    command = [sys.executable, "-m", "pplint", "--cache-dir", "cache", "--no-progress", "-q", "sglang"]
    for _ in range(2):  # an empty cache, then a full one
        runs = [
            subprocess.Popen(
                command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            for _ in range(RUNS)
        ]
        said = {process.communicate(timeout=120)[0] for process in runs}
        assert len(said) == 1
        assert said.pop().count(b"PPL101") == 78
    left = [path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert all(name.endswith(".json") for name in left)
