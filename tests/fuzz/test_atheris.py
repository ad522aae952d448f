"""A short look with a coverage-guided fuzzer, where one can be installed (`pip install atheris`)."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pplint

HERE = Path(__file__).parent
SECONDS = 3


@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None,
    reason="atheris is not installed: not for every Python and system",
)
@pytest.mark.parametrize("name", ["readers", "modules"])
def test_the_fuzzer_finds_nothing(name: str, tmp_path: Path) -> None:
    script = str(HERE / "atheris_readers.py")
    paths = [str(Path(pplint.__file__).parents[1]), str(HERE.parent)]
    done = subprocess.run(
        [sys.executable, script, name, f"-max_total_time={SECONDS}", f"-artifact_prefix={tmp_path}/"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not done.returncode, done.stderr[-3000:]
    assert "Done " in done.stderr
