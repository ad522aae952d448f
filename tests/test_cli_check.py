"""Options of `pplint check` that say what is shown, and what does not go together."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import fake_judge
from pplint.cli import run

HIT = "v = pool.get_value_buffer(0)\n"
NO_FIX = "v = build().get_value_buffer(0)\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    fake_judge.install(monkeypatch)
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(HIT)
    return tmp_path


REFUSED = {
    "unsafe fixes without fix": (["--unsafe-fixes"], "needs --fix or --diff"),
    "fix and add-ignore": (["--fix", "--add-ignore", "x"], "one after the other"),
    "stdin and a path": (["-", "a.py"], "alone"),
    "a name for stdin that is not read": (["--stdin-filename", "a.py"], "needs the path -"),
    "an unknown format": (["--output", "sarfi"], "did you mean 'sarif'?"),
    "a format without its file": (["--output", "sarif:"], "the file's name is missing"),
    "two formats at once": (["--output", "json", "--output", "text"], "two formats"),
    "an unknown rule": (["--select", "literal-layer-idx"], "literal-layer-id"),
    "an unknown revision": (["--since", "nowhere"], "unknown git revision 'nowhere'"),
    "a revision that is an option": (["--since", "--output=x"], "unknown git revision"),
    "a command with a slip": (["chek", "a.py"], "did you mean the command check?"),
    "a baseline that is not there": (["--baseline", "none.json"], "`pplint baseline write` makes it"),
    "stages that are no numbers": (["--pp-layer-partition", "a,b"], "numbers of layers"),
}


@pytest.mark.parametrize(("options", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_meant_is_refused(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(options) == 2
    assert said in capsys.readouterr().err


def test_an_empty_name_is_no_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([""]) == 2
    assert "the name is empty" in capsys.readouterr().out


DEFAULT = {
    "no argument at all": [],
    "an option": ["--quiet"],
    "a path": ["a.py"],
    "the command": ["check"],
    "the command and a path": ["check", "a.py"],
}


@pytest.mark.parametrize("arguments", DEFAULT.values(), ids=DEFAULT.keys())
def test_check_is_the_default_command(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 1
    assert "a.py:1:27: PPL101" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        pytest.param(["--select", "PPL2"], 0, id="another prefix"),
        pytest.param(["--select", "PPL2,PPL101"], 1, id="codes with a comma"),
        pytest.param(["--select", "PPL2", "--select", "literal-layer-id"], 1, id="a repeated option, a name"),
        pytest.param(["--select", "PPL2", "--extend-select", "PPL1"], 1, id="an extension"),
        pytest.param(["--ignore", "ALL"], 0, id="all ignored"),
    ],
)
def test_rules_are_chosen(options: list[str], shown: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--quiet", *options]) == shown
    assert len(capsys.readouterr().out.splitlines()) == shown


def test_info_is_shown_on_request(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text("v = latent.get_value_buffer(0)\n")
    assert run(["."]) == 0
    out = capsys.readouterr().out
    assert "PPL101" not in out
    assert "1 info hidden" in out
    assert run([".", "--show-info"]) == 0
    assert "PPL101" in capsys.readouterr().out


def test_several_reports_come_of_one_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = ["--output", "json", "--output", "sarif:out.sarif", "--output", "text:out.txt"]
    assert run([".", *outputs]) == 1
    assert json.loads(capsys.readouterr().out)["findings"][0]["code"] == "PPL101"
    assert json.loads((project / "out.sarif").read_text())["version"] == "2.1.0"
    assert "PPL101" in (project / "out.txt").read_text()


def test_a_report_that_cannot_be_written_is_trouble(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([".", "--output", "json:gone/out.json"]) == 2
    assert "gone/out.json" in capsys.readouterr().err


def test_fixes_are_counted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.py").write_text(HIT + HIT + NO_FIX)
    run(["."])
    assert "2 fixable with --fix" in capsys.readouterr().out
    run([".", "--fix"])
    assert "2 fixed" in capsys.readouterr().out


def test_verbose_says_where_facts_and_time_went(capsys: pytest.CaptureFixture[str]) -> None:
    run([".", "--verbose"])
    error = capsys.readouterr().err
    assert "facts from" in error
    assert "judging: " in error
    assert "parsed 1 file" in error


def test_a_mistake_of_pplint_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("\x1b[31m")

    monkeypatch.setattr(sys.modules["pplint.judge.check"], "judge", fail)
    assert run(["."]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "internal error: ZeroDivisionError" in error
    assert "\x1b" not in error
    assert run([".", "--verbose"]) == 2
    assert "Traceback" in capsys.readouterr().err


def commit(project: Path) -> None:
    git = ["git", "-C", str(project), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "x"], check=True)


SINCE = {
    "an unchanged file": (HIT, HIT, []),
    "a new line": ("x = 1\n" + HIT, "x = 1\n" + HIT + NO_FIX, ["3"]),
    "a line that moved": (HIT, "x = 1\n" + HIT, []),
    "a changed line": ("x = 1\n" + HIT, "x = 1\n" + NO_FIX, ["2"]),
    "lines that look like headers": ("s = '''\n-- x\n'''\n", "s = '''\n++ x\n'''\n" + HIT, ["4"]),
}


@pytest.mark.parametrize(("before", "after", "lines"), SINCE.values(), ids=SINCE.keys())
def test_since_shows_findings_on_changed_lines(
    before: str, after: str, lines: list[str], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.py").write_text(before)
    commit(project)
    (project / "a.py").write_text(after)
    assert run(["--quiet", "--since", "HEAD"]) == (1 if lines else 0)
    assert [row.split(":")[1] for row in capsys.readouterr().out.splitlines()] == lines


def test_since_does_not_ask_the_user_s_settings_of_git(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [HIT, "pass\n", HIT, "pass\n", HIT]
    (project / "a.py").write_text("".join(lines))
    commit(project)
    subprocess.run(["git", "config", "diff.interHunkContext", "8"], check=True)
    (project / "a.py").write_text("".join(["import a\n", *lines, "import b\n" + HIT]))
    (project / "z.py").write_text(HIT)
    assert run(["--quiet", "--since", "HEAD"]) == 1
    assert [row.split(":")[:2] for row in capsys.readouterr().out.splitlines()] == [
        ["a.py", "8"],
        ["z.py", "1"],
    ]


@pytest.mark.parametrize("name", ["new.py", "odd name.py", "é.py", 'q"q.py', "a:b.py"])
def test_since_takes_untracked_and_changed_files_of_any_name(
    name: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(project)
    (project / name).write_text(HIT)
    assert run(["--quiet", "--since", "HEAD"]) == 1
    commit(project)
    (project / name).write_text(HIT + HIT)
    capsys.readouterr()
    assert run(["--quiet", "--since", "HEAD"]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_since_and_fix_leave_unchanged_lines_alone(project: Path) -> None:
    old, new = "a = pool.get_value_buffer(0)\n", "b = pool.get_value_buffer(0)\n"
    (project / "a.py").write_text(old)
    commit(project)
    (project / "a.py").write_text("# pplint: ignore[PPL201] its line goes\n" + old + new)
    assert run(["--fix", "--since", "HEAD"]) == 0
    assert (project / "a.py").read_text() == old + new.replace("(0)", "(pool.start_layer)")


def test_since_needs_a_checkout(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".git").rename(project / "no.git")
    assert run(["--since", "HEAD"]) == 2
    assert "needs a git checkout" in capsys.readouterr().err
