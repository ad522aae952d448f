"""`pplint doctor`: what is at home is ok, what is broken has a next step, what nobody asked for is not used."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

import pplint
from pplint.cli import run
from pplint.rules.catalogue import CATALOGUE
from reliability.checkouts import checkout

HOOK = """\
repos:
  - repo: https://github.com/OWNER/pplint
    rev: v0.1.0
    hooks:
      - id: {}
"""
LOADS = '[tool.pylint.main]\nload-plugins = ["pplint.pylint_plugin"]\n'
_ALL = len(CATALOGUE)


class Said(NamedTuple):
    """The exit code, and by the name of each thing its state and all that is said of it, the next step too."""

    code: int
    states: dict[str, str]
    texts: dict[str, str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of one's own, without any SGLang that is installed; the current folder is a checkout in it."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "PYLINT"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(Path(pplint.__file__).parents[1]))
    monkeypatch.setattr("pplint.engine.elsewhere.installed_package", lambda: None)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return tmp_path


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]):
    def ask(*arguments: str) -> Said:
        code = run(["doctor", *arguments])
        out = capsys.readouterr().out
        found = re.findall(r"^(ok|not ok|not used) +([\w-]+) +(.*(?:\n +-> .*)?)", out, re.MULTILINE)
        return Said(code, {what: state for state, what, _ in found}, {what: text for _, what, text in found})

    return ask


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def git_checkout() -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    checkout(Path(), {})


def test_all_is_told_of_a_checkout_where_pplint_is_at_home(said, home: Path) -> None:
    git_checkout()
    write({"pyproject.toml": f"[tool.pplint]\n{LOADS}", ".pre-commit-config.yaml": HOOK.format("pplint-fix")})
    code, states, texts = said("sglang")
    assert code == 0
    assert set(states.values()) == {"ok"}, texts
    work = home / "work"
    assert pplint.__version__ in texts["pplint"]
    assert texts["settings"] == str(work / "pyproject.toml")
    assert str(work / "sglang") in texts["sglang"]
    assert str(home / "cache/pplint") in texts["cache"]
    assert texts["git"] == str(work)
    assert f"pplint-fix in {work / '.pre-commit-config.yaml'}" in texts["pre-commit"]
    assert f"{_ALL} of {_ALL} messages enabled" in texts["pylint"]


def test_nothing_is_broken_where_nothing_is(said) -> None:
    code, states, texts = said()
    assert code == 0
    assert {what for what, state in states.items() if state == "ok"} == {"pplint", "cache"}
    assert all("->" in text for what, text in texts.items() if states[what] == "not used")


SETTINGS = {
    "an unknown key": ("colour = true\n", "unknown setting 'colour'"),
    "an unknown rule": ('select = ["PPL1O1"]\n', "PPL1O1"),
    "an unknown rule for some files": ('per-file-ignores = {"*.py" = ["PPL1O1"]}\n', "PPL1O1"),
    "a baseline that is gone": ('baseline = "gone.json"\n', "gone.json"),
    "paths that are gone": ('paths = ["gone"]\n', "gone, which is not there"),
}


@pytest.mark.parametrize(("table", "words"), SETTINGS.values(), ids=SETTINGS)
def test_settings_that_cannot_be_followed_are_broken(table: str, words: str, said) -> None:
    write({"pyproject.toml": f"[tool.pplint]\n{table}"})
    code, states, texts = said()
    assert (code, states["settings"]) == (1, "not ok")
    assert words in texts["settings"]


TREES = {
    "a folder without SGLang that is named": ("plain", [], "not ok", 1),
    "a folder without SGLang, and one with it": ("plain", ["--sglang", "."], "ok", 0),
    "a folder without SGLang as its sources": (".", ["--sglang", "plain"], "not ok", 1),
    "two checkouts": (".", ["other"], "not ok", 1),
}


@pytest.mark.parametrize(("path", "options", "state", "code"), TREES.values(), ids=TREES)
def test_the_tree_of_sglang(path: str, options: list[str], state: str, code: int, said, home: Path) -> None:
    checkout(Path(), {})
    write({"other/sglang/srt/a.py": ""})
    plain = home / "plain"
    plain.mkdir()
    arguments = [str(plain) if one == "plain" else one for one in (path, *options)]
    done = said(*arguments)
    assert (done.code, done.states["sglang"]) == (code, state)
    assert ("->" in done.texts["sglang"]) == (state == "not ok")


def test_an_installed_sglang_counts(said, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pplint.engine.elsewhere.installed_package", lambda: "/there/sglang")
    done = said(".")
    assert done.states["sglang"] == "ok"
    assert "/there/sglang, the installed copy" in done.texts["sglang"]


def test_a_cache_that_cannot_be_written_is_broken(said) -> None:
    write({"file": ""})
    code, states, texts = said("--cache-dir", "file/cache")
    assert (code, states["cache"]) == (1, "not ok")
    assert "--cache-dir PATH names another folder" in texts["cache"]


def test_a_cache_tells_its_size_and_is_not_made(said, home: Path) -> None:
    assert "nothing in it yet" in said().texts["cache"]
    assert not (home / "cache").exists()
    write({str(home / "cache/pplint/tree-1/facts.json"): "x" * 1_200_000})
    assert "(1.2 MB)" in said().texts["cache"]


def test_without_a_home_there_is_no_cache(said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    done = said()
    assert (done.code, done.states["cache"]) == (0, "not used")


def test_a_checkout_without_git_is_broken(said, monkeypatch: pytest.MonkeyPatch) -> None:
    git_checkout()
    monkeypatch.setenv("PATH", "")
    done = said()
    assert (done.code, done.states["git"]) == (1, "not ok")
    assert "cannot run git" in done.texts["git"]


HOOKS = {
    "each of ours": (HOOK.format("pplint-all"), "ok", "pplint-all in "),
    "in quotes, in one line": ("repos: [{repo: r, hooks: [{id: 'pplint'}]}]\n", "ok", "pplint in "),
    "another's": (HOOK.format("ruff"), "not used", "has no hook of pplint"),
    "one whose name begins as ours": (HOOK.format("pplint-docs"), "not used", "has no hook of pplint"),
    "in a comment": (f"#{HOOK.format('pplint')}      # - id: pplint\n", "ok", "pplint in "),
    "in comments only": ("repos: []  # - id: pplint\n#- id: pplint-fix\n", "not used", "has no hook"),
}


@pytest.mark.parametrize(("text", "state", "words"), HOOKS.values(), ids=HOOKS)
def test_the_hook(text: str, state: str, words: str, said) -> None:
    write({".pre-commit-config.yaml": text})
    done = said()
    assert (done.code, done.states["pre-commit"]) == (0, state)
    assert words in done.texts["pre-commit"]


def test_a_hook_that_git_does_not_know_has_a_next_step(said) -> None:
    git_checkout()
    write({".pre-commit-config.yaml": HOOK.format("pplint")})
    assert "-> `pre-commit install`" in said().texts["pre-commit"]
    write({".git/hooks/pre-commit": "#!/bin/sh\n"})
    assert "->" not in said().texts["pre-commit"]


PYLINT = {
    "loaded": ({"pyproject.toml": LOADS}, "ok", f"{_ALL} of {_ALL} messages enabled"),
    "loaded among others, over several lines": (
        {".pylintrc": "[MAIN]\nload-plugins=pylint.extensions.code_style,\n    pplint.pylint_plugin\n"},
        "ok",
        ".pylintrc",
    ),
    "one message only": (
        {"pyproject.toml": LOADS + 'disable = ["all"]\nenable = ["literal-layer-id"]\n'},
        "ok",
        f"1 of {_ALL}",
    ),
    "all messages disabled": (
        {"pyproject.toml": LOADS + 'disable = ["all"]\n'},
        "not ok",
        'add "pplint" to `enable`',
    ),
    "another configuration is taken": (
        {"pyproject.toml": LOADS, ".pylintrc": "[MAIN]\n"},
        "not ok",
        "takes {}/.pylintrc instead",
    ),
    "a configuration that cannot be parsed": (
        {"pyproject.toml": f"{LOADS}[tool.pylint\n"},
        "not ok",
        "it says: ",
    ),
    "named in a comment": ({".pylintrc": "[MAIN]\n# load-plugins=pplint.pylint_plugin\n"}, "not used", "->"),
    "named elsewhere": (
        {"pyproject.toml": '[tool.pylint.main]\nload-plugins = []\nnote = "pplint.pylint_plugin"\n'},
        "not used",
        "->",
    ),
}


@pytest.mark.parametrize(("files", "state", "words"), PYLINT.values(), ids=PYLINT)
def test_pylint_is_asked_whether_it_knows_our_messages(
    files: dict[str, str], state: str, words: str, said
) -> None:
    write(files)
    done = said()
    assert (done.states["pylint"], done.code) == (state, int(state == "not ok")), done.texts["pylint"]
    assert words.format(Path.cwd()) in done.texts["pylint"]


def test_pylint_that_is_missing_is_broken_only_where_it_is_configured(
    said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pplint.pylint_here.pylint_version", lambda: None)
    assert said().states["pylint"] == "not used"
    write({"pyproject.toml": LOADS})
    done = said()
    assert (done.code, done.states["pylint"]) == (1, "not ok")
    assert "install pylint" in done.texts["pylint"]


def test_another_pylint_in_path_is_named(said, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write({"pyproject.toml": LOADS, str(home / "bin/pylint"): "#!/bin/sh\n"})
    (home / "bin/pylint").chmod(0o755)
    monkeypatch.setenv("PATH", f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}")
    done = said()
    assert done.states["pylint"] == "ok"
    assert f"another one, {home / 'bin/pylint'}" in done.texts["pylint"]


def test_pylint_is_not_started_where_nothing_loads_the_plugin(said) -> None:
    write({".pylintrc": '[MAIN]\ninit-hook=\'open("started", "w")\'\n'})
    assert said().states["pylint"] == "not used"
    assert not Path("started").exists()


USAGE = {
    "a path that is not there": ["gone"],
    "an option that is not there": ["--fix"],
    "a cache that a link leads elsewhere": ["--cache-dir", "link/cache"],
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE)
def test_bad_usage_is_2(arguments: list[str], home: Path) -> None:
    checkout(Path(), {})
    Path("link").symlink_to(home)
    assert run(["doctor", *arguments]) == 2
