"""The fixes of all rules at once: on each example they end, parse, and leave nothing to fix."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pplint.cli import run
from pplint.rules.base import Example
from pplint.rules.registry import RULES

FIXED = [(rule.code, example) for rule in RULES for example in rule.examples if example.fixed]


def write(package: Path, example: Example) -> Path:
    for name, text in (*example.files, ("__init__.py", "")):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    path = package / example.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(example.bad)
    return path


@pytest.mark.parametrize(
    "example", [one for _, one in FIXED], ids=[f"{code}: {one.title}" for code, one in FIXED]
)
def test_no_two_rules_undo_each_other(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "sglang", example)
    options = ["--no-cache", "--include-tests", "--unsafe-fixes"]
    assert run([*options, "--fix", "sglang"]) in (0, 1)
    after = path.read_bytes()
    assert after != example.bad.encode()
    ast.parse(after)
    capsys.readouterr()
    run([*options, "--diff", "sglang"])
    assert capsys.readouterr().out == ""


def test_the_examples_together_are_fixed_as_they_are_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Independent edits of all rules in one file go in one run."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    chosen = [one for code, one in FIXED if code in ("PPL101", "PPL201", "PPL301", "PPL602")]
    whole = chosen[0]._replace(
        bad="\n\n".join(one.bad for one in chosen),
        files=tuple(dict(file for one in chosen for file in one.files).items()),
    )
    path = write(tmp_path / "sglang", whole)
    run(["--no-cache", "--unsafe-fixes", "--fix", "sglang"])
    assert path.read_text() == "\n\n".join(one.fixed for one in chosen)
