from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _old_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pplint.known.stamps._FRESH_NS", -(10**18))
