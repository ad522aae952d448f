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
from pplint.known.store import _digest
from reliability.checkouts import HIT, checkout

POISONS = 25
WRONG: tuple[Any, ...] = (None, 7, -1, "x", [], {}, [[]], True, 1e300, ["x", "y"], {"x": 1}, [1, 2, 3, 4])
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
    assert run(OPTIONS) == 1
    return tmp_path / "cache"


@pytest.mark.parametrize("changed", [False, True], ids=["the code is as it was", "a file changed"])
@pytest.mark.parametrize("name", ["index.json", "facts.json", "answers-*.json", "asked-*.json"])
def test_wrong_types_are_no_cache(
    name: str,
    changed: bool,
    filled: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (file,) = filled.rglob(name)
    entries = {path: path.read_bytes() for path in filled.rglob("*.json")}
    if changed:
        Path("sglang/case.py").write_text("y = 2\n" + HIT)
    for seed in range(POISONS):
        choice = random.Random(seed)
        for path, data in entries.items():
            path.write_bytes(data)
        value = json.loads(entries[file].partition(b"\n")[2])
        container, key = choice.choice(list(places(value)))
        container[key] = choice.choice(WRONG)
        text = json.dumps(value).encode()
        file.write_bytes(_digest(text) + b"\n" + text)
        monkeypatch.setattr(check, "_KNOWN", {})
        assert run(OPTIONS) in (0, 1, 2)
        out, err = capsys.readouterr()
        assert "internal error" not in out + err
        assert "crashed" not in out


@pytest.mark.parametrize("changed", [False, True], ids=["the code is as it was", "a file changed"])
def test_summaries_of_wrong_types_are_no_cache(
    changed: bool, filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (facts,) = filled.rglob("facts.json")
    summaries = facts.with_name("summaries.json")
    entries = {path: path.read_bytes() for path in filled.rglob("*.json")}
    known = json.loads(entries[facts].partition(b"\n")[2])
    if changed:
        Path("sglang/case.py").write_text("y = 2\n" + HIT)
    for seed in range(POISONS):
        choice = random.Random(seed)
        for path, data in entries.items():
            path.write_bytes(data)
        module = choice.choice(sorted(known["places"]))
        start, size, _ = known["places"][module]
        row = json.loads(entries[summaries][start : start + size])
        container, key = choice.choice(list(places(row)))
        container[key] = choice.choice(WRONG)
        text = json.dumps(row).encode()
        summaries.write_bytes(entries[summaries] + text)
        placed = {**known["places"], module: [len(entries[summaries]), len(text), _digest(text).decode()]}
        index = json.dumps({**known, "places": placed}).encode()
        facts.write_bytes(_digest(index) + b"\n" + index)
        monkeypatch.setattr(check, "_KNOWN", {})
        assert run(OPTIONS) in (0, 1, 2)
        out, err = capsys.readouterr()
        assert "internal error" not in out + err
        assert "crashed" not in out
