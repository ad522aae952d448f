"""A baseline of the small checkout: what was accepted stays accepted while people go on working on the code."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pplint.cli import run

MINI = Path(__file__).parents[1] / "fixtures/mini_sglang"
ATTENTION = "python/sglang/srt/layers/attention"
TRITON, AMX = f"{ATTENTION}/triton_backend.py", f"{ATTENTION}/intel_amx_backend.py"
OPTIONS = ["--no-cache", "-q", "--baseline", "pplint-baseline.json", "python"]

LATER = {
    "lines moved": (TRITON, "", '"""Moved."""\n\n\n', 0),
    "the call is laid out anew": (
        TRITON, "get_value_buffer(0)", "get_value_buffer(\n                0  # the first\n            )", 0,
    ),
    "a local has another name": (AMX, "layer_id", "first_one", 0),
    "the statement moved into a block": (
        TRITON,
        "        self.max_context_len",
        "        if self.num_head:\n            pass\n        self.max_context_len",
        0,
    ),
    "another literal": (TRITON, "get_value_buffer(0)", "get_value_buffer(1)", 1),
    "one more": (
        TRITON,
        "get_value_buffer(0)",
        "get_value_buffer(model_runner.token_to_kv_pool.get_key_buffer(0)[0])",
        1,
    ),
}  # fmt: skip


@pytest.fixture
def accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a baseline of all its findings."""
    folder = tmp_path / "sglang"
    shutil.copytree(MINI, folder, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    monkeypatch.chdir(folder)
    assert run(["--no-cache", "-q", "python"]) == 1
    assert run(["baseline", "write", "python"]) == 0
    assert run(OPTIONS) == 0
    return folder


@pytest.mark.parametrize(("name", "old", "new", "code"), LATER.values(), ids=LATER)
def test_only_what_is_new_counts(
    name: str, old: str, new: str, code: int, accepted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = accepted / name
    text = path.read_text()
    path.write_text(text.replace(old, new) if old else new + text)
    capsys.readouterr()
    assert run(OPTIONS) == code
    out, _ = capsys.readouterr()
    assert [line.split(":")[0] for line in out.splitlines()] == [name] * code
