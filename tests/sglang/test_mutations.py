"""A literal in the place of a right argument is reported, and the fix gives the text back: on the small checkout.

`python tests/sglang/mutations.py FOLDER...` does the same on whole releases.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from mutations import Outcome, mutate, places

MINI = Path(__file__).parents[2] / "fixtures/mini_sglang/python"


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    return [mutate(MINI, place) for place in places(MINI)]


def test_every_literal_is_reported(outcomes: list[Outcome]) -> None:
    assert len(outcomes) >= 6
    assert [one.place for one in outcomes if not one.reported] == []


def test_what_asked_for_its_own_start_is_restored(outcomes: list[Outcome]) -> None:
    back = [one for one in outcomes if one.place.restorable]
    assert len(back) >= 3
    assert [one.place for one in back if not one.restored] == []
