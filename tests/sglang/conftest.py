"""Tests on real releases of SGLang need the network once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from releases import Unreachable, tree


@pytest.fixture(scope="session")
def release() -> Callable[[str], Path]:
    """Return a function from a version to the folder that holds its package `sglang`.

    Without a network it skips the test; where CI is set it fails it.
    """

    def fetched(version: str) -> Path:
        try:
            return tree(version)
        except Unreachable as why:
            reason = f"SGLang {version} cannot be downloaded from PyPI: {why}"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)

    return fetched
