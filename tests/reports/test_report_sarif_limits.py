from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest
from report_desk import TWO_HITS, Desk, only_result, rule, run_of

from pplint.finding import Finding, Span, Trouble


def test_a_file_outside_of_the_repository_is_left_out_and_told(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inside = desk.finding(desk.file("a.py", "f(0)\n"), "0")
    far = desk.finding(desk.file("../far/b.py", "f(0)\n"), "0")
    report = desk.report(inside, far._replace(path=str(Path(far.path).resolve())))
    run = run_of(report)
    assert [
        unquote(item["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        for item in run["results"]
    ] == ["a.py"]
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == (
        "1 finding in files outside of the repository left out."
    )
    assert "far/b.py" in capsys.readouterr().err


def many(desk: Desk, number: int) -> list[Finding]:
    path = desk.file("a.py", "f(0)\n" * number)
    first = desk.finding(path, "0")
    levels = ("info", "warning", "error")
    return [
        first._replace(span=Span(line, 3, line, 4), severity=levels[line % 3], fingerprint=str(line))
        for line in range(1, number + 1)
    ]


def test_the_most_severe_are_kept_when_there_are_too_many(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pplint.reports.sarif.MOST_RESULTS", 25)
    results = run_of(desk.report(*many(desk, 60)))["results"]
    assert [result["level"] for result in results] == ["error"] * 20 + ["warning"] * 5
    assert "15 warnings, 20 infos left out" in capsys.readouterr().err


def test_the_size_after_gzip_is_kept(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = desk.report(*many(desk, 300))
    monkeypatch.setattr("pplint.reports.sarif.MOST_BYTES", 6_000)
    assert 0 < len(run_of(report)["results"]) < 300
    assert "left out" in capsys.readouterr().err


def test_order_is_severity_then_precision_then_path(desk: Desk) -> None:
    b, a = desk.file("b.py", "f(0)\n"), desk.file("a.py", "f(0)\n")
    rules = (rule("PPL101", precision="medium"), rule("PPL201", precision="very-high"))
    findings = [
        desk.finding(a, "0", severity="warning", code="PPL201"),
        desk.finding(b, "0"),
        desk.finding(a, "0"),
        desk.finding(b, "0", code="PPL201"),
    ]
    results = run_of(desk.report(*findings, rules=rules))["results"]
    place = "physicalLocation"
    assert [
        (item["level"], item["ruleId"], item["locations"][0][place]["artifactLocation"]["uri"])
        for item in results
    ] == [
        ("error", "PPL201", "b.py"),
        ("error", "PPL101", "a.py"),
        ("error", "PPL101", "b.py"),
        ("warning", "PPL201", "a.py"),
    ]


def test_related_places_are_as_many_as_github_shows(desk: Desk) -> None:
    path = desk.file("a.py", "f(0);" * 300 + "\n")
    findings = [desk.finding(path, "0", number) for number in range(1, 301)]
    assert len(only_result(desk.report(*findings))["relatedLocations"]) <= 100


def test_a_file_that_has_gone_still_gives_a_result(desk: Desk) -> None:
    finding = desk.finding(desk.file("a.py", "f(0)\n"), "0", to="x")
    Path(finding.path).unlink()
    result = only_result(desk.report(finding))
    assert result["locations"][0]["physicalLocation"]["region"]["startColumn"] == 3
    assert "primaryLocationLineHash" not in result["partialFingerprints"]


def test_suppressed_results_only_on_request(desk: Desk) -> None:
    path = desk.file("a.py", TWO_HITS)
    shown, silent = desk.finding(path, "0", 1), desk.finding(path, "0", 2)
    without = desk.report(shown, suppressed=[(silent, "checked by hand")])
    assert len(run_of(without)["results"]) == 1
    results = run_of(without._replace(include_suppressed=True))["results"]
    assert [result.get("suppressions") for result in results] == [
        None,
        [{"kind": "inSource", "justification": "checked by hand"}],
    ]


def test_trouble_makes_the_run_fail_and_names_the_files(desk: Desk) -> None:
    bad = desk.file("b d.py", "def f(:\n")
    troubles = [
        Trouble(bad, 1, "cannot be parsed"),
        Trouble(bad, 0, "a rule failed", code="PPL101"),
        Trouble("", 0, "gone/: no such folder"),
        Trouble("/elsewhere/x.py", 0, "cannot be read"),
    ]
    run = run_of(desk.report(troubles=troubles))
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    told = invocation["toolExecutionNotifications"]
    assert [item["message"]["text"] for item in told] == [
        "cannot be parsed.",
        "a rule failed.",
        "gone/: no such folder.",
        "/elsewhere/x.py: cannot be read.",
    ]
    place = told[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "b%20d.py"
    assert place["region"] == {"startLine": 1}
    assert "region" not in told[1]["locations"][0]["physicalLocation"]
    assert told[1]["associatedRule"] == {"id": "PPL101", "index": 0}
    assert run["tool"]["driver"]["notifications"][told[0]["descriptor"]["index"]]["id"] == "PPL903"
    assert run["results"] == []
