"""`pplint rule` on a terminal: no Markdown is left, and nothing is broken within a word."""

from __future__ import annotations

import io
import sys

import pytest

from pplint.cli import run
from pplint.reports.rule_terminal import listed_lines, terminal_lines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def sit_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return out


PAGE = """\
# PPL1 a-name

One sentence that does not fit into a line.

## Heading

````python
x = 1
```
    y = 2

````
The end."""


def test_a_page_is_headings_sentences_and_code() -> None:
    assert list(terminal_lines(PAGE, 24, str.upper)) == [
        "PPL1 A-NAME",
        "",
        "One sentence that does",
        "not fit into a line.",
        "",
        "HEADING",
        "",
        "    x = 1",
        "    ```",
        "        y = 2",
        "",
        "The end.",
    ]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        pytest.param(80, ["A1  name  what is wrong with it", "B2  word  something else"], id="with room"),
        pytest.param(
            22,
            [
                "A1  name  what is",
                "          wrong with",
                "          it",
                "B2  word  something",
                "          else",
            ],
            id="beside the names",
        ),
        pytest.param(
            18,
            ["A1  name", "    what is wrong", "    with it", "B2  word", "    something else"],
            id="below the names",
        ),
    ],
)
def test_a_list_of_rules_is_wrapped(columns: int, expected: list[str]) -> None:
    rows = [("A1  name  ", "what is wrong with it"), ("B2  word  ", "something else")]
    assert list(listed_lines(rows, columns)) == expected


@pytest.mark.parametrize("words", [["PPL101"], []], ids=["a rule", "all rules"])
def test_lines_fit_into_a_terminal(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = sit_at_a_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", "76")
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(["rule", *words]) == 0
    lines = terminal.getvalue().splitlines()
    assert lines[0].startswith("PPL101 ")
    assert not [line for line in lines if len(line) > 76 and not line.startswith(" " * 4)]
    assert not [line for line in lines if line.startswith(("#", "```"))]


def test_a_heading_stands_out_in_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = sit_at_a_terminal(monkeypatch)
    assert run(["rule", "PPL101"]) == 0
    assert "\n\x1b[1mWhy it breaks\x1b[0m\n" in terminal.getvalue()


@pytest.mark.parametrize("form", ["markdown", "json"])
def test_what_is_asked_for_by_format_is_the_same_on_a_terminal(
    form: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = sit_at_a_terminal(monkeypatch)
    assert run(["rule", "PPL101", "--format", form]) == 0
    monkeypatch.undo()
    assert run(["rule", "PPL101", "--format", form]) == 0
    assert capsys.readouterr().out == terminal.getvalue()
