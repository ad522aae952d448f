"""Syntax that the running Python does not know names the Python that does."""

from __future__ import annotations

import pytest

from pplint.source.newer import needed_version
from pplint.source.text import Source, SourceError


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("x = t'{a}'", "3.14"),
        ("except A, B:", "3.14"),
        ("class C[T = int]:", "3.13"),
        ("type X = int", "3.12"),
        ("def f[T](a): ...", "3.12"),
        ("    async def f[T](a): ...", "3.12"),
        ("x = f'{d['a']}'", "3.12"),
        ("except* ValueError:", "3.11"),
        ("x[*a]", "3.11"),
        ("def f(:", ""),
        ("typed = ", ""),
        ("x = 't'", ""),
    ],
)
def test_the_version_that_a_line_needs(line: str, version: str) -> None:
    assert needed_version(line, running=(3, 10)) == version


def test_no_version_that_is_running_already() -> None:
    assert needed_version("type X = ", running=(3, 12)) == ""


def test_the_message_says_which_python_would_do() -> None:
    with pytest.raises(SourceError) as caught:
        Source.of("a.py", b"\ntype = $t'{x}'\n").parse()
    assert caught.value.line == 2
    assert "Python 3.14" in caught.value.message or "3.14" in __import__("sys").version
