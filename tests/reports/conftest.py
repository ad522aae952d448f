"""The desk for findings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from report_desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return Desk(Path(os.path.realpath(tmp_path)) / "repo")
