"""What pplint reports on a whole release. One run per release and state of pplint: it takes many seconds."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from releases import CACHE, locked, tree

import pplint

PACKAGE = Path(pplint.__file__).parent


def pplint_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command in `folder` with all cores. Exit code 2 is an AssertionError."""
    command = [sys.executable, "-m", "pplint", "check", "-j", "0", "--no-progress", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done


@cache
def report(version: str) -> dict[str, Any]:
    """Return the JSON report of a release with its infos; paths begin with `sglang/`."""
    found: dict[str, Any] = json.loads(_reports(version).read_bytes())
    assert found["troubles"] == []
    return found


def sarif(version: str) -> Path:
    """Return the SARIF file of the same run."""
    return _reports(version).with_suffix(".sarif")


@cache
def _reports(version: str) -> Path:
    """Return the JSON file of a run, with the SARIF file next to it. Both are kept until pplint changes."""
    folder = tree(version)
    with locked(f"{version}-report"):
        kept = CACHE / f"{version}-{_digest()}.json"
        if not kept.exists():
            older = [*CACHE.glob(f"{version}-*.json"), *CACHE.glob(f"{version}-*.sarif")]
            outputs = ["--output", "json", "--output", f"sarif:{kept.with_suffix('.sarif')}"]
            done = pplint_in(folder, "--no-cache", "--show-info", *outputs, "sglang")
            for file in older:
                file.unlink()
            kept.write_bytes(done.stdout)
    return kept


def findings(version: str) -> list[dict[str, Any]]:
    """Return the findings of a release."""
    found: list[dict[str, Any]] = report(version)["findings"]
    return found


@cache
def _digest() -> str:
    """Name the state of pplint, and the Python whose parser it uses."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in (".py", ".toml"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
