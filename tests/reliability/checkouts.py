"""Tiny checkouts for tests that go through the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pplint

HIT = "v = pool.get_value_buffer(0)\n"
FIXED = "v = pool.get_value_buffer(pool.start_layer)\n"
POOL = """\
class SamplePool:
    def __init__(self, layer_num, start_layer=None):
        self.start_layer = start_layer or 0
        self.v_buffer = [None for _ in range(layer_num)]

    def get_value_buffer(self, layer_id: int):
        return self.v_buffer[layer_id - self.start_layer]
"""


def checkout(folder: Path, files: dict[str, bytes | str]) -> Path:
    """Write a package `sglang` with a pool and `files`; return the folder that holds it."""
    (folder / ".git").mkdir(exist_ok=True)
    for name, content in {"srt/__init__.py": "", "pool.py": POOL, **files}.items():
        path = folder / "sglang" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def command(*arguments: str) -> list[str]:
    """The command line of a pplint of its own process."""
    return [sys.executable, "-m", "pplint", "check", "--no-cache", "--no-progress", *arguments]


def environment() -> dict[str, str]:
    """The environment in which that process finds pplint."""
    return {**os.environ, "PYTHONPATH": str(Path(pplint.__file__).parent.parent)}


def pplint_in(folder: Path, *arguments: str, timeout: int = 120) -> subprocess.CompletedProcess[bytes]:
    """Run pplint in `folder`; a hang is a failure."""
    return subprocess.run(
        command(*arguments), cwd=folder, env=environment(), capture_output=True, timeout=timeout, check=False
    )
