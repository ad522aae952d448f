from __future__ import annotations

import io

import pytest
from report_desk import Desk, rendered

from pplint.finding import (
    OTHER_LAYER,
    RIGHT,
    UNSAFE,
    Edit,
    Fix,
    Impact,
    LayoutOutcome,
    Span,
    StageOutcome,
    Step,
    Trouble,
)
from pplint.judge.learnt import Learnt
from pplint.reports.report import Report, render

INDENT = " " * 14


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def traced(desk: Desk, steps: int = 2) -> Report:
    path = desk.file("srt/hit.py", "def f(pool):\n\tv = pool.get_value_buffer(0)\n")
    pool = desk.file("srt/pool.py", "class P: ...\n")
    trace = tuple(Step(pool, number, 1, f"step {number}") for number in range(1, steps + 1))
    return desk.report(desk.finding(path, "0", to="pool.start_layer", trace=trace))


def test_a_finding_in_full(desk: Desk) -> None:
    assert rendered("text", traced(desk)) == (
        "srt/hit.py:2:28: PPL101[literal-layer-id] error: "
        "`get_value_buffer` takes a GLOBAL layer id and is given the literal 0\n"
        "   2 |     v = pool.get_value_buffer(0)\n"
        "     |                               ^\n"
        "  reason      srt/pool.py:1: step 1\n"
        "              srt/pool.py:2: step 2\n"
        "  fix         line 2: 0 -> pool.start_layer\n"
        "\n"
        "1 error, 0 warnings in 1 file (3 checked); 1 fixable with --fix\n"
    )


def test_the_first_three_steps_are_shown_and_all_on_request(desk: Desk) -> None:
    report = traced(desk, 5)
    short = rendered("text", report)
    assert "step 3" in short
    assert "step 4" not in short
    assert "              ... 2 more with --show-trace\n" in short
    full = rendered("text", report._replace(show_trace=True))
    assert "step 5" in full
    assert "--show-trace" not in full


def test_without_source_and_quiet(desk: Desk) -> None:
    report = traced(desk)
    assert " | " not in rendered("text", report._replace(show_source=False))
    (line,) = rendered("text", report._replace(quiet=True)).splitlines()
    assert line.startswith("srt/hit.py:2:28: PPL101[literal-layer-id] error: ")


@pytest.mark.parametrize(
    ("fix", "no_fix", "expected"),
    [
        pytest.param(
            None, "the receiver is a call", ["  no fix      the receiver is a call"], id="why there is none"
        ),
        pytest.param(None, "", [], id="nothing to say"),
        pytest.param(
            Fix(UNSAFE, "Take the slice", (Edit(Span(1, 1, 1, 1), "a("), Edit(Span(1, 1, 1, 2), ""))),
            "",
            ["  unsafe fix  Take the slice", f"{INDENT}line 1: insert a(", f"{INDENT}line 1: remove f"],
            id="an insertion and a removal, unsafe",
        ),
        pytest.param(
            Fix(UNSAFE, "Add", (Edit(Span(1, 1, 1, 1), "\n@property\ndef a(self):\n"),)),
            "",
            ["  unsafe fix  Add", f"{INDENT}line 1: insert @property ..."],
            id="a text of several lines",
        ),
        pytest.param(
            Fix(UNSAFE, "Many", tuple(Edit(Span(1, n, 1, n), "x") for n in range(1, 6))),
            "",
            ["  unsafe fix  Many", *[f"{INDENT}line 1: insert x"] * 3, f"{INDENT}... 2 more edits"],
            id="many edits",
        ),
    ],
)
def test_fixes(desk: Desk, fix: Fix | None, no_fix: str, expected: list[str]) -> None:
    finding = desk.finding(desk.file("a.py", "f(0)\n"), "0")._replace(fix=fix, no_fix=no_fix)
    lines = rendered("text", desk.report(finding)).splitlines()
    assert lines[3 : lines.index("")] == expected


def test_impact_and_changed_facts(desk: Desk) -> None:
    impact = Impact("PP=2: IndexError on the last stage", ())
    finding = desk.finding(desk.file("a.py", "f(0)\n"), "0", impact=impact, changed_by="Pool.get")
    text = rendered("text", desk.report(finding))
    assert "  impact      PP=2: IndexError on the last stage\n" in text
    assert "  changed by  Pool.get\n" in text


def test_neighbours_that_get_the_same_share_a_row(desk: Desk) -> None:
    stages = [StageOutcome(rank, 8 * rank, 8 * rank + 8, "IndexError", 0) for rank in range(2, 11)]
    first = [StageOutcome(0, 0, 8, RIGHT, 0), StageOutcome(1, 8, 16, OTHER_LAYER, 0, 9)]
    layout = LayoutOutcome(11, 88, (*first, *stages))
    finding = desk.finding(desk.file("a.py", "f(0)\n"), "0", impact=Impact("", (layout,)))
    lines = rendered("text", desk.report(finding)).splitlines()
    assert [line for line in lines if "[" in line and "stage" in line] == [
        "  impact      stage 0      [0, 8)    right",
        "              stage 1      [8, 16)   silently takes layer 9 instead of 0",
        "              stages 2-10  [16, 88)  IndexError for layer 0",
    ]


def test_what_could_act_on_a_terminal_is_shown_as_text(desk: Desk) -> None:
    path = desk.file("a\x1b]0;x\x07.py", "s = '\x1b[31m\u202e'; f(0)\n")
    finding = desk.finding(path, "0", 1, message="bad \x1b[2J\nname", trace=(Step(path, 1, 1, "\x9b31m"),))
    text = rendered("text", desk.report(finding, troubles=[Trouble(path, 0, "\x1b[31m")]))
    assert not [character for character in text if ord(character) < 32 and character != "\n"]
    assert "\u202e" not in text
    assert "\x9b" not in text
    assert "bad \\x1b[2J\\nname" in text


def test_troubles_are_named_and_counted(desk: Desk) -> None:
    path = desk.file("bad.py", "def f(:\n")
    troubles = [Trouble(path, 1, "cannot be parsed"), Trouble("", 0, "gone/: no such folder")]
    assert rendered("text", desk.report(troubles=troubles)) == (
        "bad.py:1: PPL903 trouble: cannot be parsed\n"
        "PPL903 trouble: gone/: no such folder\n"
        "No findings: 3 files checked; 2 troubles\n"
    )


@pytest.mark.parametrize(
    ("levels", "over", "expected"),
    [
        ([], {}, "All clean: 3 files checked"),
        ([], {"hidden_infos": 2}, "All clean: 3 files checked (2 infos hidden, --show-info)"),
        ([], {"fixed": 4}, "All clean: 3 files checked; 4 fixed"),
        ([], {"accepted": 7}, "No new findings: 3 files checked; 7 accepted by the baseline"),
        ([], {"since": "HEAD"}, "No findings on changed lines: 3 files checked"),
        (
            [],
            {"learnt": Learnt(25, 1, 40), "fixed": 4},
            "All clean: 3 files checked; known: 25 accessors, 1 padded list; 4 fixed",
        ),
        (
            [],
            {"learnt": Learnt(13, 3, 0)},
            "No findings: 3 files checked; none of them speaks of SGLang's layers",
        ),
        (["error"], {"learnt": Learnt(25, 1, 40)}, "1 error, 0 warnings in 1 file (3 checked)"),
        (
            ["warning"],
            {"hidden_infos": 1},
            "0 errors, 1 warning (1 info hidden, --show-info) in 1 file (3 checked)",
        ),
        (["error", "info"], {}, "1 error, 0 warnings, 1 info in 1 file (3 checked)"),
    ],
    ids=[
        "clean",
        "only hidden infos",
        "all fixed",
        "known findings are accepted",
        "only changed lines are asked for",
        "clean, with what was known",
        "clean, but nothing was known",
        "findings need no such words",
        "a warning and a hidden info",
        "infos shown",
    ],
)
def test_the_last_line(desk: Desk, levels: list[str], over: dict[str, int], expected: str) -> None:
    path = desk.file("a.py", "f(0)\n")
    report = desk.report(*(desk.finding(path, "0", severity=level) for level in levels), **over)
    assert rendered("text", report).splitlines()[-1] == expected


@pytest.mark.parametrize(
    ("safe", "unsafe", "expected"),
    [
        (2, 1, "2 fixable with --fix, 1 more with --unsafe-fixes"),
        (2, 0, "2 fixable with --fix"),
        (0, 2, "2 fixable with --fix --unsafe-fixes"),
    ],
    ids=["both", "only safe", "only unsafe"],
)
def test_the_last_line_counts_fixes(desk: Desk, safe: int, unsafe: int, expected: str) -> None:
    path = desk.file("a.py", "f(0)\n")
    findings = [desk.finding(path, "0", to="x")] * safe + [
        desk.finding(path, "0", to="x", safety=UNSAFE)
    ] * unsafe
    assert rendered("text", desk.report(*findings)).splitlines()[-1].endswith("; " + expected)


@pytest.mark.parametrize(
    ("terminal", "environment", "coloured"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (True, {"TERM": "dumb", "FORCE_COLOR": "1"}, True),
        (True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
    ids=[
        "a terminal",
        "a pipe",
        "NO_COLOR",
        "an empty NO_COLOR",
        "a dumb terminal",
        "FORCE_COLOR into a pipe",
        "FORCE_COLOR on a dumb terminal",
        "NO_COLOR wins",
    ],
)
def test_colours(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, terminal: bool, environment: dict[str, str], coloured: bool
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    out = Terminal() if terminal else io.StringIO()
    render("text", traced(desk), out)
    assert ("\x1b[" in out.getvalue()) == coloured


LONG = "layer 0 is given to a method that takes a GLOBAL layer id, which only the first stage of all owns"


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        pytest.param(
            "76",
            [
                "a.py:1:3: PPL101[literal-layer-id] error: layer 0 is given to a method that",
                "    takes a GLOBAL layer id, which only the first stage of all owns",
                "  reason      line 1: layer 0 is given to a method that takes a GLOBAL layer",
                "              id, which only the first stage of all owns",
            ],
            id="a terminal",
        ),
        pytest.param(
            "46",
            [
                "a.py:1:3: PPL101[literal-layer-id] error:",
                "    layer 0 is given to a method that takes a",
                "    GLOBAL layer id, which only the first",
                "    stage of all owns",
                "  reason",
                "    line 1: layer 0 is given to a method that",
                "      takes a GLOBAL layer id, which only the",
                "      first stage of all owns",
                "",
                "1 error, 0 warnings in 1 file (3 checked)",
            ],
            id="a narrow one",
        ),
        pytest.param("20", [f"a.py:1:3: PPL101[literal-layer-id] error: {LONG}"], id="too narrow a one"),
        pytest.param("", [f"a.py:1:3: PPL101[literal-layer-id] error: {LONG}"], id="a file"),
    ],
)
def test_sentences_are_wrapped_for_a_terminal(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, columns: str, expected: list[str]
) -> None:
    path = desk.file("a.py", "f(0)\n")
    finding = desk.finding(path, "0", message=LONG, trace=(Step(path, 1, 1, LONG),))
    monkeypatch.setenv("COLUMNS", columns)
    out = Terminal() if columns else io.StringIO()
    render("text", desk.report(finding, colour=False, show_source=False), out)
    assert out.getvalue().splitlines()[: len(expected)] == expected


def test_a_long_path_leaves_the_message_a_line_of_its_own(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk.file("srt/layers/attention/backend_of_a_long_name.py", "f(0)\n")
    monkeypatch.setenv("COLUMNS", "80")
    out = Terminal()
    render("text", desk.report(desk.finding(path, "0", message=LONG), colour=False), out)
    assert out.getvalue().splitlines()[:2] == [
        "srt/layers/attention/backend_of_a_long_name.py:1:3: PPL101[literal-layer-id] error:",
        "    layer 0 is given to a method that takes a GLOBAL layer id, which only the",
    ]


def test_code_stands_in_the_columns_of_the_terminal(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = desk.file("a.py", f"        {'v' * 60} = pool.get_value_buffer(0).shape[-1]\n")
    monkeypatch.setenv("COLUMNS", "50")
    out = Terminal()
    render("text", desk.report(desk.finding(path, "0"), colour=False), out)
    code, carets = [line for line in out.getvalue().splitlines() if " | " in line]
    assert len(code) <= 50
    assert code[carets.index("^")] == "0"
    assert code.endswith("= pool.get_value_buffer(0).shape[-1]")


def test_our_own_words_are_ascii(desk: Desk) -> None:
    assert rendered("text", traced(desk, 5)._replace(statistics=True)).isascii()


def test_a_finding_names_three_other_places_of_its_shape(desk: Desk) -> None:
    path = desk.file("srt/hit.py", "v = [p.get_value_buffer(0), q.get_value_buffer(0)]\n" * 5)
    hits = [desk.finding(path, "0", nth=number, shape="PPL101 call") for number in range(1, 6)]
    more = desk.finding(desk.file("srt/other.py", "f(0)\n"), "0", shape="PPL101 call")
    lines = rendered("text", desk.report(*hits[:3], more)).splitlines()
    assert [line for line in lines if "also at" in line] == [
        "  also at     lines 1, 2, srt/other.py:1",
        "  also at     lines 1, 2, srt/other.py:1",
        "  also at     lines 1, 1, srt/other.py:1",
        "  also at     srt/hit.py:1, 1, 2",
    ]
    assert rendered("text", desk.report(*hits)).count(" and 1 more") == 5


def test_a_finding_of_its_own_shape_names_no_other_place(desk: Desk) -> None:
    assert "also at" not in rendered("text", traced(desk))
