from __future__ import annotations

import pytest

from pplint.finding import Span
from pplint.reports.frame import LONGEST, code_frame


def frame(lines: list[str], span: Span, encoding: str = "utf-8") -> list[str]:
    return [row.gutter + row.text for row in code_frame(lines, span, encoding)]


@pytest.mark.parametrize(
    ("line", "shown", "carets"),
    [
        pytest.param("v = f(0)", "v = f(0)", "      ^", id="ASCII"),
        pytest.param("\tv = f(0)", "    v = f(0)", "          ^", id="a tab is four columns"),
        pytest.param("a\tf(0)", "a   f(0)", "      ^", id="a tab in the line goes to the next stop"),
        pytest.param(
            "'\u6f22\u5b57'; f(0)",
            "'\u6f22\u5b57'; f(0)",
            "          ^",
            id="wide characters are two columns",
        ),
        pytest.param("'e\u0301'; f(0)", "'e\u0301'; f(0)", "       ^", id="a combining character has none"),
        pytest.param("'\x1b'; f(0)", "'\\x1b'; f(0)", "          ^", id="a control character is its escape"),
        pytest.param("\x0cf(0)", "\\x0cf(0)", "      ^", id="a form feed is its escape"),
    ],
)
def test_carets_stand_below_the_zero(line: str, shown: str, carets: str) -> None:
    column = line.index("0") + 1
    assert frame([line], Span(1, column, 1, column + 1)) == ["   1 | " + shown, "     | " + carets]


def test_what_the_terminal_cannot_show_is_its_escape() -> None:
    assert frame(["'\u00e9'; f(0)"], Span(1, 8, 1, 9), "ascii") == [
        "   1 | '\\xe9'; f(0)",
        "     |           ^",
    ]


def test_carets_span_the_token_and_an_empty_place_has_one() -> None:
    assert frame(["f(layer_id)"], Span(1, 3, 1, 11))[1] == "     |   ^^^^^^^^"
    assert frame(["f()"], Span(1, 3, 1, 3))[1] == "     |   ^"


def test_several_lines_are_marked_each_and_cut_when_many() -> None:
    lines = ["f(", "    0,", "", "  1)", "x", "y"]
    assert frame(lines, Span(1, 1, 2, 6)) == ["   1 | f(", "     | ^^", "   2 |     0,", "     |     ^"]
    assert frame(lines, Span(1, 1, 6, 2))[-1] == "     | ..."


@pytest.mark.parametrize("before", [0, 500, 100_000], ids=["at the start", "in the middle", "far out"])
def test_a_long_line_is_cut_around_the_place(before: int) -> None:
    line = "x" * before + "0" + "y" * 100_000
    text, carets = frame([line], Span(1, before + 1, 1, before + 2))
    assert len(text) < LONGEST + 20
    assert text[carets.index("^")] == "0"


CUT = {
    "at its start": ("f(0)" + "x" * 60, "f(0)" + "x" * 23 + "..."),
    "in its middle": ("x" * 60 + "f(0)" + "x" * 60, "..." + "x" * 7 + "f(0)" + "x" * 16 + "..."),
    "at its end": ("x" * 60 + "f(0)", "..." + "x" * 23 + "f(0)"),
}


@pytest.mark.parametrize(("line", "shown"), CUT.values(), ids=CUT.keys())
def test_a_line_is_cut_for_a_terminal(line: str, shown: str) -> None:
    column = line.index("0") + 1
    code, carets = code_frame([line], Span(1, column, 1, column + 1), "utf-8", 40)
    assert len(code.gutter + code.text) <= 40
    assert code.text[carets.text.index("^")] == "0"
    assert code.text == shown


@pytest.mark.parametrize("span", [Span(9, 1, 9, 2), Span(1, 50, 1, 60), Span(0, 0, 0, 0)])
def test_a_place_outside_of_the_file_does_no_harm(span: Span) -> None:
    assert all(row.startswith("     |") or row == "   1 | f(0)" for row in frame(["f(0)"], span))
