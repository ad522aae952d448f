"""No page sends anyone to an address that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pplint import __version__
from test_docs import HERE, PAGES, SRC

EXPLAINED = "(../README.md#at-home-elsewhere)"


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_an_address_without_a_known_owner_is_explained_in_one_place(page: Path) -> None:
    text = (HERE / page).read_text(encoding="utf-8")
    named = re.findall(r"OWNER/[^\s\"]*", text)
    assert set(named) <= {"OWNER/pplint", f"OWNER/pplint@v{__version__}"}
    assert bool(named) == (EXPLAINED in text)
    assert ("`OWNER` in the addresses" in text) == (page == Path("README.md"))


def test_nothing_claims_to_be_published() -> None:
    assert "urls]" not in (HERE / "pyproject.toml").read_text()
    code = "".join(path.read_text(encoding="utf-8") for path in SRC.rglob("*.py"))
    assert re.findall(r"https?://\S*pplint", code) == []
