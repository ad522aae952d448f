from __future__ import annotations

import json

from report_desk import Desk, rendered

from pplint.finding import Trouble


def test_entries(desk: Desk) -> None:
    path = desk.file("python/a.py", "f(0)\n\ng(0)\n")
    findings = [desk.finding(path, "0", 1), desk.finding(path, "0", 2, severity="warning")]
    report = desk.report(*findings, troubles=[Trouble(path, 0, "bad")], cwd=str(desk.root / "python"))
    first, second, trouble = json.loads(rendered("gitlab", report))
    assert first == {
        "description": findings[0].message,
        "check_name": "PPL101",
        "fingerprint": findings[0].fingerprint,
        "severity": "major",
        "location": {"path": "python/a.py", "lines": {"begin": 1, "end": 1}},
    }
    assert (second["severity"], second["location"]["lines"]["begin"]) == ("minor", 3)
    assert (trouble["severity"], trouble["check_name"]) == ("blocker", "PPL903")


def test_fingerprints_are_unique_and_stable(desk: Desk) -> None:
    path = desk.file("a.py", "f(0)\n")
    same = desk.finding(path, "0", fingerprint="same")
    none = desk.finding(path, "0", fingerprint="")
    report = desk.report(same, same, none, none, troubles=[Trouble("", 0, "x"), Trouble("", 0, "x")])
    marks = [entry["fingerprint"] for entry in json.loads(rendered("gitlab", report))]
    assert len(set(marks)) == 6
    assert all(marks)
    assert marks == [entry["fingerprint"] for entry in json.loads(rendered("gitlab", report))]


def test_no_findings_is_an_empty_array(desk: Desk) -> None:
    assert json.loads(rendered("gitlab", desk.report())) == []
