"""A summary keeps lines in known places only, so that moved code is told from changed code."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pplint.engine.summary import Summary, summarise
from pplint.known.lines import lines_aside, lines_in, moved_lines, with_lines

MINI = Path(__file__).parents[2] / "fixtures" / "mini_sglang" / "python" / "sglang"
FILES = sorted(MINI.rglob("*.py"))


def summary(text: str) -> Summary:
    return summarise(ast.parse(text))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_empty_lines_above_a_module_change_its_lines_and_nothing_else(path: Path) -> None:
    text = path.read_text()
    before, after = summary(text), summary("\n" * 1000 + text)
    assert [line + 1000 for line in lines_in(before)] == lines_in(after)
    assert with_lines(before, lines_in(after)) == after
    with lines_aside(before), lines_aside(after):
        assert before == after
    assert moved_lines(before, after) == {line: line + 1000 for line in lines_in(before)}


def test_what_stays_the_same_moves_while_the_rest_changes() -> None:
    before = summary("def one(a):\n    use(a)\n\ndef two(b):\n    use(b)\n")
    after = summary("def one(a, c):\n    use(c)\n    pass\n\ndef two(b):\n    use(b)\n")
    assert moved_lines(before, after) == {4: 5, 5: 6}


def test_lines_that_are_too_few_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        with_lines(summary("def one(a):\n    use(a)\n"), [1])
