"""Bugs that SGLang itself repaired: pplint finds them in the release before, and not in the release after."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import judged
import pytest

pytestmark = pytest.mark.sglang


class Pair(NamedTuple):
    """One repair. `line` is that of the bug in release `old`, `new_line` that of its right form, or 0."""

    code: str
    old: str
    new: str
    path: str
    line: int
    new_line: int
    what: str


def _pairs() -> list[Pair]:
    with (Path(__file__).parent / "pairs.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return [Pair(code, old, new, path, int(a), int(b), what) for code, old, new, path, a, b, what in rows]


PAIRS = _pairs()


@pytest.mark.parametrize("pair", PAIRS, ids=[f"{p.code} {p.old} {p.what}" for p in PAIRS])
def test_is_found_before_the_repair_and_gone_after_it(release: Callable[[str], Path], pair: Pair) -> None:
    release(pair.old)
    release(pair.new)
    before = [f for f in _of(pair, pair.old) if f["line"] <= pair.line <= f["end_line"]]
    assert before, "not found"
    symbols = {finding["symbol"] for finding in before}
    after = [
        f"{f['path']}:{f['line']} in {f['symbol']}"
        for f in _of(pair, pair.new)
        if f["symbol"] in symbols or f["line"] <= pair.new_line <= f["end_line"]
    ]
    assert not after


def test_there_are_ten_repairs_besides_the_three_known_from_the_start() -> None:
    assert len({(pair.code, pair.old, pair.path, pair.line) for pair in PAIRS}) >= 13


def _of(pair: Pair, version: str) -> list[dict[str, object]]:
    return [f for f in judged.findings(version) if f["path"] == pair.path and f["code"] == pair.code]
