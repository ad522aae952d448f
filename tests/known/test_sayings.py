"""What a content says is found out once."""

from __future__ import annotations

from pathlib import Path

import pytest

from pplint.known.sayings import MOST, saying
from pplint.known.store import Store

HERE = frozenset({"sglang"})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path), "/tree")


def never() -> str:
    raise AssertionError("known already")


def test_it_is_found_out_once_for_a_content_in_a_tree_with_the_same_packages(store):
    assert saying(store, b"x = 1", HERE, lambda: "one") == "one"
    assert saying(store, b"x = 1", HERE, never) == "one"
    assert saying(store, b"x = 2", HERE, lambda: "two") == "two"
    assert saying(store, b"x = 1", HERE | {"more"}, lambda: "other") == "other"


def test_the_latest_are_kept(store):
    for number in range(MOST + 1):
        saying(store, b"%d" % number, HERE, lambda: "old")
    assert saying(store, b"1", HERE, never) == "old"
    assert saying(store, b"0", HERE, lambda: "new") == "new"


@pytest.mark.parametrize("kept", [[], {"x": {}}, None], ids=["a list", "no text", "nothing"])
def test_what_is_no_table_of_texts_is_not_believed(store, kept):
    store.save("sayings.json", kept)
    assert saying(store, b"x = 1", HERE, lambda: "one") == "one"
