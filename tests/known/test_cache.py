"""What the cache may keep and what it must find out again, through the judge."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pplint.judge import check
from pplint.judge.check import Judged, JudgeRequest, judge

POOL = """\
class Pool:
    start_layer = 4

    def row(self, i):
        return self.rows[i - self.start_layer]
"""
USE = "from pool import Pool\n\nx = Pool().row(0)\n"
IDLE = "value = 1\n"
OLD = 1_600_000_000


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "pyproject.toml").touch()  # files that lie in no project have no neighbours
    for name, text in {"pool.py": POOL, "use.py": USE, "idle.py": IDLE}.items():
        write(root / name, text)
    return root


def write(path: Path, text: str, age: int = 0) -> None:
    """Write a file so that its time stamps are old enough to be trusted."""
    path.write_text(text)
    os.utime(path, (OLD + age, OLD + age))


def look(tree: Path, cache: Path, *names: str, code: str = "PPL101") -> Judged:
    """Judge as a new process would."""
    check._KNOWN.clear()
    files = tuple(str(tree / name) for name in names or ("idle.py", "pool.py", "use.py"))
    return judge(JudgeRequest(str(tree), files, {}, frozenset({code}), cache_dir=str(cache)))


def places(judged: Judged) -> list[tuple[str, int]]:
    return [(Path(one.path).name, one.span.line) for one in judged.findings]


def test_an_unchanged_tree_is_not_parsed_again_and_says_the_same(tree, tmp_path):
    first = look(tree, tmp_path / "cache")
    again = look(tree, tmp_path / "cache")
    assert places(first) == [("use.py", 3)]
    assert again.findings == first.findings
    assert (first.parsed, again.parsed) == (2, 0)


def test_a_changed_accessor_changes_the_answer_for_its_untouched_user(tree, tmp_path):
    assert places(look(tree, tmp_path / "cache", "use.py")) == [("use.py", 3)]
    write(tree / "pool.py", POOL.replace("i - self.start_layer", "i"), age=1)
    assert places(look(tree, tmp_path / "cache", "use.py")) == []


def test_a_changed_line_in_the_pool_moves_the_reason_of_its_user(tree, tmp_path):
    look(tree, tmp_path / "cache")
    write(tree / "pool.py", "\n" + POOL, age=1)
    (finding,) = look(tree, tmp_path / "cache").findings
    assert finding.trace[0].line == 6


def test_a_file_that_changes_without_new_facts_is_the_only_one_that_is_parsed(tree, tmp_path):
    look(tree, tmp_path / "cache")
    write(tree / "use.py", USE.replace("0", "self.layer_id"), age=1)
    again = look(tree, tmp_path / "cache")
    assert (places(again), again.parsed) == ([], 1)


def test_a_file_that_begins_to_speak_of_the_stage_is_the_only_one_that_is_parsed(tree, tmp_path):
    assert places(look(tree, tmp_path / "cache")) == [("use.py", 3)]
    write(tree / "use.py", USE.replace("row(0)", "row(Pool.start_layer)"), age=1)
    again = look(tree, tmp_path / "cache")
    assert (places(again), again.parsed) == ([], 1)


def test_new_and_removed_files_count(tree, tmp_path):
    look(tree, tmp_path / "cache")
    write(tree / "more.py", USE)
    assert places(look(tree, tmp_path / "cache", "more.py", "use.py")) == [("more.py", 3), ("use.py", 3)]
    (tree / "pool.py").unlink()
    assert places(look(tree, tmp_path / "cache", "use.py")) == []


def damage_all(cache: Path, change) -> None:
    for path in cache.rglob("*.json"):
        path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: b"\x80\x04\x95" + data,
        lambda data: data.replace(b"use.py", b"USE.py"),
    ],
    ids=["half written", "empty", "a pickle", "edited by hand"],
)
def test_a_damaged_cache_is_no_cache(tree, tmp_path, change):
    first = look(tree, tmp_path / "cache")
    damage_all(tmp_path / "cache", change)
    assert look(tree, tmp_path / "cache").findings == first.findings


@pytest.mark.parametrize(
    "value", [[], {}, {"stamps": 3}, {"stamps": {}, "wanted": 1, "views": 2, "marked": None}, 7, None]
)
def test_a_well_formed_cache_of_the_wrong_types_is_no_cache(tree, tmp_path, value):
    from pplint.known.store import Store

    first = look(tree, tmp_path / "cache")
    store = Store(str(tmp_path / "cache"), str(tree))
    for name in sorted(path.name for path in Path(store.folder).iterdir()):
        store.save(name, json.loads(json.dumps(value)))
    assert look(tree, tmp_path / "cache").findings == first.findings


def test_a_cache_that_cannot_be_written_stops_nothing(tree, tmp_path):
    blocked = tmp_path / "cache"
    blocked.write_text("a file where the folder should be")
    assert places(look(tree, blocked)) == [("use.py", 3)]


def test_a_file_changed_a_moment_ago_is_never_taken_as_known(tree, tmp_path, monkeypatch):
    monkeypatch.setattr("pplint.known.stamps._FRESH_NS", 10**18)
    look(tree, tmp_path / "cache")
    assert look(tree, tmp_path / "cache").parsed == 2
