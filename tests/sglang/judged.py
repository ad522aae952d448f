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
    """Return the JSON report of a release with its infos; paths begin with `sglang/`.

    It is kept in the cache folder until pplint changes.
    """
    folder = tree(version)
    with locked(f"{version}-report"):
        kept = CACHE / f"{version}-{_digest()}.json"
        if not kept.exists():
            done = pplint_in(folder, "--no-cache", "--output", "json", "--show-info", "sglang")
            for older in CACHE.glob(f"{version}-*.json"):
                older.unlink()
            kept.write_bytes(done.stdout)
        report: dict[str, Any] = json.loads(kept.read_bytes())
    assert report["troubles"] == []
    return report


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
