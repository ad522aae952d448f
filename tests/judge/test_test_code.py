"""What test code defines says nothing about other code, unless it is to be checked itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from pplint.judge import check
from pplint.judge.check import JudgeRequest, judge

POOL = """\
class Pool:
    start_layer = 4

    def row(self, i):
        return self.rows[i - self.start_layer]
"""
FAKE = """\
class FakePool:
    def row(self, i):
        return self.rows[i]

def test_row(pool):
    assert pool.row(3)
"""
USE = "def first(pool):\n    return pool.row(0)\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in {"pool.py": POOL, "use.py": USE, "tests/test_pool.py": FAKE}.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "tree"


def found(tree: Path, cache: Path | None, include_tests: bool) -> list[tuple[str, int]]:
    """The places of the findings, as a new process would see them."""
    check._KNOWN.clear()
    files = tuple(str(path) for path in sorted(tree.rglob("*.py")))
    kept = str(cache) if cache is not None else None
    judged = judge(JudgeRequest(str(tree), files, {}, frozenset({"PPL101"}), include_tests, cache_dir=kept))
    return [(Path(one.path).name, one.span.line) for one in judged.findings]


def test_a_double_in_test_code_hides_no_finding_elsewhere(tree):
    assert found(tree, None, False) == [("use.py", 2)]


def test_test_code_that_is_checked_has_its_say(tree):
    assert found(tree, None, True) == []  # the definitions of `row` do not agree
    (tree / "tests" / "test_pool.py").write_text(USE)
    assert found(tree, None, True) == [("test_pool.py", 2), ("use.py", 2)]


def test_what_is_known_with_test_code_is_kept_apart(tree, tmp_path):
    for include_tests in (False, True, False, True):
        fresh = found(tree, None, include_tests)
        assert found(tree, tmp_path / "cache", include_tests) == fresh
