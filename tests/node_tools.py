"""Tools that only npm has, installed once into the tests' cache folder."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("PPLINT_TEST_CACHE") or Path.home() / ".cache" / "pplint-tests") / "npm"


def installed(package: str, file: str) -> Path:
    """Return the path of `file` (below node_modules) of the npm `package`, installing it where it is missing.

    Without npm or a network the test is skipped; it fails where CI is set.
    """
    path = CACHE / "node_modules" / file
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:  # several test processes share the folder
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = "" if path.exists() else _install(package)
    if not path.exists():
        reason = f"{package} cannot be installed: {said}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path


def _install(package: str) -> str:
    npm = shutil.which("npm")
    if not npm:
        return "npm is not installed"
    command = [npm, "install", "--prefix", str(CACHE), "--no-audit", "--no-fund", package]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr[-500:]
