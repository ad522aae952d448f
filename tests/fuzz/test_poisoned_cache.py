"""A cache that somebody else wrote: whatever is wrong in it, the run ends with the findings of the code."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pplint.cli import run
from pplint.judge import check
from pplint.source.digest import digest_of
from reliability.checkouts import HIT, checkout

POISONS = 15
WRONG: tuple[Any, ...] = (None, 7, -1, "x", [], {}, [[]], True, 1e300, ["x", "y"], {"x": 1}, [1, 2, 3, 4])
PARTS = {"summaries.json": "places", "tables.json": "tables"}
"""Where the facts say where the parts of a file are."""
OPTIONS = ["--cache-dir", "cache", "-q", "--select", "PPL1", "sglang"]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a JSON value, with each of its keys."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of a checkout that was looked at, in the working directory."""
    monkeypatch.chdir(
        checkout(tmp_path, {"case.py": "x = 1\n" + HIT, "other.py": "def f(pool):\n    " + HIT})
    )
    monkeypatch.setattr(check, "_KNOWN", {})
    monkeypatch.setattr("pplint.known.stamps._FRESH_NS", -(10**18))
    assert run(OPTIONS) == 1
    return tmp_path / "cache"


@pytest.mark.parametrize("changed", [False, True], ids=["the code is as it was", "a file changed"])
@pytest.mark.parametrize(
    "name",
    [
        "index.json",
        "facts.json",
        "summaries.json",
        "tables.json",
        "stamps.json",
        "told-*.json",
        "answers-*.json",
        "asked-*.json",
    ],
)
def test_wrong_types_are_no_cache(
    name: str,
    changed: bool,
    filled: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    entries = {path: path.read_bytes() for path in filled.rglob("*.json")}
    (file,) = filled.rglob(name)
    if changed:
        Path("sglang/case.py").write_text("y = 2\n" + HIT)
    for seed in range(POISONS):
        for path, data in entries.items():
            path.write_bytes(data)
        poison(file, random.Random(seed))
        monkeypatch.setattr(check, "_KNOWN", {})
        assert run(OPTIONS) in (0, 1, 2)
        out, err = capsys.readouterr()
        assert "internal error" not in out + err
        assert "crashed" not in out


def poison(file: Path, choice: random.Random) -> None:
    """Put a wrong value somewhere in an entry, and make the digests right again."""
    if file.name in PARTS:
        facts = file.with_name("facts.json")
        value = json.loads(facts.read_bytes().partition(b"\n")[2])
        module = choice.choice([name for name, place in value[PARTS[file.name]].items() if place[1] > 2])
        start, size, _ = value[PARTS[file.name]][module]
        data = file.read_bytes()
        text = poisoned(json.loads(data[start : start + size]), choice)
        file.write_bytes(data + text)
        value[PARTS[file.name]][module] = [len(data), len(text), digest_of(text)]
        file, text = facts, json.dumps(value).encode()
    else:
        text = poisoned(json.loads(file.read_bytes().partition(b"\n")[2]), choice)
    file.write_bytes(digest_of(text).encode() + b"\n" + text)


def poisoned(value: Any, choice: random.Random) -> bytes:
    container, key = choice.choice(list(places(value)))
    container[key] = choice.choice(WRONG)
    return json.dumps(value).encode()
