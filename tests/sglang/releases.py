"""Releases of SGLang as PyPI has them: fetched once, checked against their hash, Python files unpacked."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CACHE = Path(os.environ.get("PPLINT_TEST_CACHE") or Path.home() / ".cache" / "pplint-tests") / "sglang"

WHEELS = {
    "0.5.4": "342b370145e33f232bef21b73da119d4a96202a0386ebcd54cdbf46a11fbeda3",
    "0.5.5": "3c57f135ec0a7a5cf6ae4ed5e0b231d7bf7e0fae588bbc1a881560f1c18db995",
    "0.5.9": "8a936c4d25fea605f44254e533cff2144c73ceffbc1f8738aba393461bbb64d1",
    "0.5.10": "ac8855a5d57dac8831fee526bca5212f1ae451f378e2ab08b3baecbc4deb4076",
    "0.5.13": "2c32b23dade35e3e5038ed200580a692ab378e1c232ad690d893c6cfce95c1e8",
    "0.5.14": "4573aac774045ba926bab2f7efaaad7b120e4f84695ccf27c59d276f856deca8",
    "0.5.17": "fb4cba478a5dca5ee146550b39f33add1c4e475d21ee11810b86ed1c58068093",
    "0.5.18": "fba7bb31a5de4c014945cbc50e9357c9253cc965a423736c324b2aaccd2270dc",
    "0.5.22": "3505e3744366201296f94d244b3e7d3b0bb91b69726dc15e994070adb338ea2f",
    "0.5.23": "8d257a319395b322bb1be327d05e5528859358153c8563b04c0a4a3c8af164b6",
}
"""SHA-256 of the wheel of each release."""


class Unreachable(Exception):
    """The wheel could not be downloaded; the message says why."""


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Let one process at a time work on `name` in the cache folder."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def tree(version: str) -> Path:
    """Return the folder that holds the package `sglang` of a release.

    Raises Unreachable without a network, and AssertionError when PyPI's wheel is not the one that was pinned.
    """
    folder = CACHE / version
    with locked(version):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
                wheel = _download(version, Path(scratch))
                digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
                assert digest == WHEELS[version], f"{wheel.name} has the SHA-256 {digest}"
                unpacked = Path(scratch) / "unpacked"
                with zipfile.ZipFile(wheel) as archive:
                    names = [n for n in archive.namelist() if n.startswith("sglang/") and n.endswith(".py")]
                    archive.extractall(unpacked, names)
                unpacked.rename(folder)
    return folder


def _download(version: str, scratch: Path) -> Path:
    """Fetch the wheel for one fixed platform, so that every machine judges the same files."""
    platform = ["--python-version", "3.12", "--platform", "manylinux_2_34_x86_64", "--platform", "any"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += [*platform, "--dest", str(scratch), f"sglang=={version}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unreachable(done.stderr.strip()[-500:])
    return next(scratch.glob("*.whl"))


def copied(version: str, folder: Path) -> Path:
    """Copy a release into `folder` and return the folder that holds its package."""
    return Path(shutil.copytree(tree(version), folder))
