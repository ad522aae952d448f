from __future__ import annotations

from pathlib import Path

import pytest
from report_desk import Desk, rendered

from pplint.finding import UNSAFE, Span, Trouble
from pplint.reports.github import step_summary


def test_a_finding_is_one_command(desk: Desk) -> None:
    path = desk.file("python/a.py", "f(0)\n")
    lines = rendered("github", desk.report(desk.finding(path, "0", to="x"))).splitlines()
    assert lines[0] == (
        "::error file=python/a.py,line=1,endLine=1,col=3,endColumn=4,title=PPL101 literal-layer-id::"
        "`get_value_buffer` takes a GLOBAL layer id and is given the literal 0%0AFix: Ask the pool: `x`"
    )


@pytest.mark.parametrize(
    ("severity", "command"), [("error", "::error "), ("warning", "::warning "), ("info", "::notice ")]
)
def test_levels(desk: Desk, severity: str, command: str) -> None:
    finding = desk.finding(desk.file("a.py", "f(0)\n"), "0", severity=severity)
    assert rendered("github", desk.report(finding)).startswith(command)


def test_commands_are_escaped(desk: Desk) -> None:
    path = desk.file("a,b:c%.py", "f(0)\n")
    text = rendered(
        "github", desk.report(desk.finding(path, "0", message="100%\n::set-env::\r\x1b[31m", no_fix="a: b"))
    )
    first, last = text.splitlines()
    assert first.startswith("::error file=a%2Cb%3Ac%25.py,line=1,")
    assert first.endswith("::100%25%0A::set-env::%0A\\x1b[31m%0ANo fix: a: b")
    assert last.startswith("::notice ")


def test_a_place_of_several_lines_has_no_columns(desk: Desk) -> None:
    finding = desk.finding(desk.file("a.py", "f(\n0)\n"), "0")._replace(span=Span(1, 1, 2, 3))
    first = rendered("github", desk.report(finding)).splitlines()[0]
    assert "line=1,endLine=2,title=" in first


def test_trouble_first_then_the_most_severe_then_the_total(desk: Desk) -> None:
    path = desk.file("a.py", "f(0)\n")
    findings = [
        desk.finding(path, "0", severity=level, to="x", safety=UNSAFE)
        for level in ("info", "warning", "error")
    ]
    report = desk.report(
        *findings, troubles=[Trouble(path, 3, "cannot be parsed"), Trouble("", 0, "no file")]
    )
    lines = rendered("github", report).splitlines()
    assert lines[0] == "::error file=a.py,line=3,title=PPL903 trouble::cannot be parsed"
    assert lines[1] == "::error title=PPL903 trouble::no file"
    assert [line.split(" ")[0] for line in lines[2:]] == ["::error", "::warning", "::notice", "::notice"]
    assert lines[-1].startswith("::notice title=pplint::1 error, 1 warning, 1 info in 1 file (3 checked); ")
    assert "10 annotations" in lines[-1]


def test_paths_are_the_repositorys_wherever_it_runs(desk: Desk) -> None:
    path = desk.file("python/sglang/a.py", "f(0)\n")
    report = desk.report(desk.finding(path, "0"), cwd=str(desk.root / "python"))
    assert "file=python/sglang/a.py," in rendered("github", report)


def test_the_step_summary_is_appended(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "summary.md"
    page.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    path = desk.file("a|b.py", "f(0)\n")
    message = "`a|b` <img src=x> @someone\n| x"
    rendered(
        "github", desk.report(desk.finding(path, "0", message=message), troubles=[Trouble(path, 2, "bad")])
    )
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n### pplint\n")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert rows == [
        "| level | rule | place | message |",
        "|---|---|---|---|",
        "| trouble | PPL903 | a&#124;b.py:2 | bad |",
        "| error | PPL101 | a&#124;b.py:1 | "
        "<code>a&#124;b</code> &lt;img src=x&gt; &#64;someone&#92;n&#124; x |".replace(
            "n&#124; x", "n&#124; x"
        ),
    ]


def test_a_summary_page_that_cannot_be_written_is_told(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    assert "::notice" in rendered("github", desk.report())
    assert "GITHUB_STEP_SUMMARY" in capsys.readouterr().err


def test_the_summary_page_stays_below_a_mebibyte(desk: Desk) -> None:
    path = desk.file("a.py", "f(0)\n")
    finding = desk.finding(path, "0", message="x" * 5000)
    text = step_summary(desk.report(*[finding] * 900))
    assert len(text.encode()) < 2**20
    assert "more are in the log" in text
