"""What a command does not need is not imported: start-up is what a hook pays for each commit."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from pplint import __version__
from pplint.cli import COMMANDS, run

HEAVY = {
    "astroid", "pylint", "sarif_om", "attr", "pathspec", "json", "multiprocessing", "subprocess", "difflib",
    "tomllib", "tomli", "concurrent", "hashlib",
    "pplint.engine", "pplint.rules", "pplint.reports", "pplint.run", "pplint.commands",
}  # fmt: skip


def test_version_imports_little_more_than_click() -> None:
    code = (
        "import sys, click\n"
        "before = set(sys.modules)\n"
        "from pplint.cli import run\n"
        "run(['--version'])\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    version, imported = out.splitlines()
    assert version == f"pplint {__version__}"
    modules = set(imported.split())
    assert {"pplint", "pplint.cli"} <= modules
    assert not {
        name for name in modules if name.split(".")[0] in HEAVY or ".".join(name.split(".")[:2]) in HEAVY
    }


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)
    assert "130 interrupted" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    assert f"pplint {command}" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
@pytest.mark.parametrize("word", ["PPL101", "literal-layer-id"])
def test_a_rule_is_explained_by_code_or_name(
    word: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rule", word, "--format", form]) == 0
    out = capsys.readouterr().out
    assert "PPL101" in out
    assert "literal-layer-id" in out
    if form == "json":
        assert json.loads(out)["message_id"] == "E7101"


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_rules_are_listed(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rule", "--format", form]) == 0
    assert "literal-layer-index" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("word", "meant"),
    [("literal-layer-idx", "literal-layer-i"), ("ppl101", "PPL101'"), ("PPL1O1", "PPL101'")],
    ids=["a name", "small letters", "a letter for a digit"],
)
def test_an_unknown_rule_is_trouble(word: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rule", word]) == 2
    assert f"did you mean '{meant}" in capsys.readouterr().err


def completion(**more: str) -> list[str]:
    env = {"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin", **more}
    line = [sys.executable, "-m", "pplint"]
    return subprocess.run(line, env=env, check=True, capture_output=True, text=True).stdout.splitlines()


def test_completion_is_offered() -> None:
    assert any("complete" in line for line in completion(_PPLINT_COMPLETE="bash_source"))


COMPLETED = {
    "a command, or a file": ("pplint rea", ["plain,readiness", "file,rea"]),
    "a rule": ("pplint rule PPL10", ["plain,PPL101", "plain,PPL102"]),
    "a rule after another one": ("pplint --select PPL2,PPL10", ["plain,PPL2,PPL101", "plain,PPL2,PPL102"]),
    "a format": ("pplint --output sa", ["plain,sarif"]),
    "an option of the default command": ("pplint src --statis", ["plain,--statistics"]),
}


@pytest.mark.parametrize(("typed", "offered"), COMPLETED.values(), ids=COMPLETED)
def test_what_is_typed_is_completed(typed: str, offered: list[str]) -> None:
    count = str(len(typed.split()) - 1)
    assert completion(_PPLINT_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=count) == offered
