"""Accepted findings stay accepted where lines move, and are missed when they are gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fake_judge
from pplint.baseline import BaselineError, Entry, read, text
from pplint.cli import run

A = "v = a.get_value_buffer(0)\n"
B = "v = b.get_value_buffer(0)\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    fake_judge.install(monkeypatch)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.pplint]\nbaseline = "pplint-baseline.json"\n')
    return tmp_path


def accept(project: Path, source: str) -> list[dict[str, str]]:
    (project / "a.py").write_text(source)
    assert run(["baseline", "write", "."]) == 0
    findings = json.loads((project / "pplint-baseline.json").read_text())["findings"]
    assert isinstance(findings, list)
    return findings


LATER = {
    "nothing changed": (A, A, 0),
    "lines moved": (A, "\n\nx = 1\n" + A, 0),
    "one is new": (A, A + B, 1),
    "one more of the same": (A, A + A, 1),
    "one of two is gone": (A + A, A, 0),
}


@pytest.mark.parametrize(("before", "after", "code"), LATER.values(), ids=LATER.keys())
def test_only_new_findings_count(before: str, after: str, code: int, project: Path) -> None:
    accept(project, before)
    (project / "a.py").write_text(after)
    assert run(["."]) == code


@pytest.mark.parametrize(
    ("settings", "options", "told"),
    [("", [], True), ("", ["--baseline", "b.json"], False), ('baseline = "c.json"', [], False)],
    ids=["is named nowhere", "is named by the command", "is named by the settings"],
)
def test_how_a_file_is_used_is_told_when_it(
    settings: str, options: list[str], told: bool, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "pyproject.toml").write_text(f"[tool.pplint]\n{settings}\n")
    (project / "a.py").write_text(A)
    assert run(["baseline", "write", ".", *options]) == 0
    said = 'leave them out with --baseline pplint-baseline.json, or with baseline = "pplint-baseline.json"'
    assert (said in capsys.readouterr().err) is told


def test_the_file_is_sorted_stable_and_readable(project: Path) -> None:
    entries = accept(project, B + A)
    first = (project / "pplint-baseline.json").read_bytes()
    assert [set(entry) for entry in entries] == [{"path", "code", "fingerprint", "symbol", "message"}] * 2
    assert entries[0]["path"] == "a.py"
    assert run(["baseline", "write", "."]) == 0
    assert (project / "pplint-baseline.json").read_bytes() == first


def test_accepted_findings_are_not_fixed(project: Path) -> None:
    accept(project, A)
    assert run([".", "--fix"]) == 0
    assert (project / "a.py").read_text() == A


def test_entries_that_no_longer_match_are_listed_and_pruned(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(project, A + B)
    (project / "a.py").write_text(A)
    assert run(["."]) == 0
    error = capsys.readouterr().err
    assert "no longer found" in error
    assert "b.get_value_buffer" in error
    assert run(["baseline", "prune", "."]) == 0
    assert [entry.message.split("(")[0] for entry in read("pplint-baseline.json")] == ["a.get_value_buffer"]


@pytest.mark.parametrize(
    "options", [["--select", "PPL2"], ["--ignore", "PPL101"]], ids=["not selected", "ignored"]
)
def test_entries_of_rules_that_did_not_run_are_kept(
    options: list[str], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(project, A)
    assert run([".", *options]) == 0
    assert "no longer found" not in capsys.readouterr().err
    assert run(["baseline", "prune", ".", *options]) == 0
    assert len(read("pplint-baseline.json")) == 1


def test_entries_of_infos_are_kept_by_a_run_that_hides_them(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.py").write_text("v = latent.get_value_buffer(0)\n")
    assert run(["baseline", "write", ".", "--show-info"]) == 0
    assert run(["."]) == 0
    assert "no longer found" not in capsys.readouterr().err
    assert run(["baseline", "prune", "."]) == 0
    assert len(read("pplint-baseline.json")) == 1
    (project / "a.py").write_text("v = 1\n")
    assert run(["baseline", "prune", "."]) == 0
    assert not read("pplint-baseline.json")


def test_entries_of_files_that_were_not_checked_are_kept(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "other.py").write_text("x = 1\n")
    accept(project, A)
    assert run(["other.py"]) == 0
    assert "no longer found" not in capsys.readouterr().err
    (project / "a.py").unlink()
    assert run(["other.py"]) == 0
    assert "no longer found" in capsys.readouterr().err


def test_show_lists_what_is_accepted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    accept(project, A)
    capsys.readouterr()
    assert run(["baseline", "show"]) == 0
    assert capsys.readouterr().out == "a.py: PPL101 a.get_value_buffer(0) is the first stage's only\n"


SHOWN = {
    "nothing": ([], ["a.py", "sub/b.py"]),
    "a folder": (["sub"], ["sub/b.py"]),
    "the folder that all is in": (["."], ["a.py", "sub/b.py"]),
    "a file": (["a.py"], ["a.py"]),
    "a file that is gone": (["sub/b.py"], ["sub/b.py"]),
    "a file without findings": (["clean.py"], []),
    "a rule": (["--select", "PPL1"], ["a.py", "sub/b.py"]),
    "another rule": (["--select", "PPL2"], []),
    "a rule to leave out": ([".", "--ignore", "literal-layer-id"], []),
}


@pytest.mark.parametrize(("arguments", "files"), SHOWN.values(), ids=SHOWN.keys())
def test_show_lists_what_is_accepted_where_the_command_names(
    arguments: list[str], files: list[str], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "sub").mkdir()
    (project / "sub/b.py").write_text(B)
    (project / "clean.py").write_text("v = 1\n")
    accept(project, A)
    (project / "sub/b.py").unlink()
    capsys.readouterr()
    assert run(["baseline", "show", *arguments]) == 0
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == files


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.py"], "gone.py: no such file or folder"),
        (["--select", "PPL1O1"], "--select: unknown rule 'PPL1O1'"),
    ],
    ids=["a path that is nowhere", "an unknown rule"],
)
def test_show_refuses(
    arguments: list[str], said: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(project, A)
    assert run(["baseline", "show", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_nothing_is_accepted_when_a_file_cannot_be_read(project: Path) -> None:
    (project / "bad.py").write_text("def f(:\n")
    assert run(["baseline", "write", "."]) == 2
    assert not (project / "pplint-baseline.json").exists()


HOSTILE = {
    "no JSON": b"{",
    "not UTF-8": b'{"version": 1, "findings": ["\xff"]}',
    "nested without end": b"[" * 100_000,
    "a list": b"[]",
    "no findings": b'{"version": 1}',
    "another version": b'{"version": 2, "findings": []}',
    "findings of text": b'{"version": 1, "findings": ["x"]}',
    "a number for a fingerprint": (
        b'{"version": 1, "findings":'
        b' [{"path": "", "code": "", "fingerprint": 1, "symbol": "", "message": ""}]}'
    ),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_file_that_is_no_baseline_is_named(
    data: bytes, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.py").write_text(A)
    (project / "pplint-baseline.json").write_bytes(data)
    assert run(["."]) == 2
    assert "pplint-baseline.json" in capsys.readouterr().err


def test_a_missing_baseline_is_trouble(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(A)
    assert run([".", "--baseline", "gone.json"]) == 2
    assert "gone.json" in capsys.readouterr().err


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    entries = [Entry("b é.py", "PPL101", "f1", "C.m", 'say "x"'), Entry("a.py", "PPL201", "f2", "", "")]
    file = tmp_path / "b.json"
    file.write_bytes(text(entries))
    assert list(read(str(file))) == sorted(entries)
    file.write_bytes(text([]))
    assert read(str(file)) == ()
    with pytest.raises(BaselineError, match="cannot read"):
        read(str(tmp_path))
