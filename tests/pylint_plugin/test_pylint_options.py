"""Which messages run, with which facts, and what the project's settings change."""

from __future__ import annotations

import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest
from pylint_desk import HIT, checkout, command_line, environment, pylint, python_files

from pplint.rules.registry import RULES

BOTH = f"{HIT}x = 1  # pplint: ignore[PPL1O1]\n"

ENABLED = {
    "by name": (["--disable=all", "--enable=literal-layer-id"], {"PPL101"}),
    "by id": (["--disable=all", "--enable=E7101"], {"PPL101"}),
    "by checker": (["--disable=all", "--enable=pplint"], {"PPL101", "PPL902"}),
    "by category": (["--disable=all", "--enable=E"], {"PPL101"}),
    "errors only": (["--errors-only"], {"PPL101"}),
    "by default": ([], {"PPL101", "PPL902"}),
    "all but one name": (["--disable=all", "--enable=pplint", "--disable=literal-layer-id"], {"PPL902"}),
    "another rule": (["--disable=all", "--enable=literal-layer-index"], set()),
    "another plugin's message": (["--disable=all", "--enable=unused-import"], set()),
}


@pytest.mark.parametrize(("options", "codes"), ENABLED.values(), ids=ENABLED)
def test_pylint_decides_which_rules_run(options: list[str], codes: set[str], tmp_path: Path) -> None:
    root = checkout(tmp_path, {"layers/a.py": BOTH})
    linted = pylint(["python/sglang/srt/layers/a.py"], cwd=root, enable=options)
    assert {place.code for place in linted.places} == codes


def test_each_rule_is_a_message_and_each_family_a_checker() -> None:
    command = [sys.executable, "-m", "pylint", "--load-plugins=pplint.pylint_plugin", "--list-msgs"]
    listed = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True).stdout
    missing = [rule.code for rule in RULES if f":{rule.name} ({rule.message_id}):" not in listed]
    assert missing == []


def test_no_two_checkers_share_the_first_two_digits() -> None:
    from pylint.lint import PyLinter

    from pplint.pylint_plugin import NAME, register

    linter = PyLinter()
    register(linter)
    checkers = [checker for checker in linter.get_checkers() if checker.name == NAME]
    digits = [{message[1:3] for message in checker.msgs} for checker in checkers]
    assert [len(one) for one in digits] == [1] * len(checkers)
    assert len(set().union(*digits)) == len(checkers)
    assert len(checkers) == len([*groupby(RULES, key=lambda rule: rule.code[:4])])


PROJECTS = {
    "no settings": ("", {"a.py", "b.py"}),
    "a rule that is left out": ('ignore = ["PPL101"]\n', set()),
    "an excluded file": ('exclude = ["b.py"]\n', {"a.py"}),
    "a rule left out of a file": ('per-file-ignores = {"a.py" = ["PPL101"]}\n', {"b.py"}),
    "test code": ("include-tests = true\n", {"a.py", "b.py", "test_c.py"}),
}


@pytest.mark.parametrize(("settings", "names"), PROJECTS.values(), ids=PROJECTS)
def test_the_settings_of_the_project_hold(settings: str, names: set[str], tmp_path: Path) -> None:
    root = checkout(tmp_path, {"layers/a.py": HIT, "layers/b.py": HIT, "layers/test_c.py": HIT})
    (root / "pyproject.toml").write_text(f"[tool.pplint]\n{settings}")
    linted = pylint(python_files(root), cwd=root)
    assert {Path(place.path).name for place in linted.places} == names
    assert linted.places == command_line(["."], cwd=root)


def test_a_level_of_the_settings_stands_in_the_text(tmp_path: Path) -> None:
    root = checkout(tmp_path, {"layers/a.py": HIT})
    (root / "pyproject.toml").write_text('[tool.pplint.severity]\nPPL101 = "warning"\n')
    linted = pylint(python_files(root), cwd=root)
    assert [place.text.endswith(" [warning]") for place in linted.places] == [True]
    assert linted.places == command_line(["."], cwd=root)


def test_test_code_is_checked_on_request(tmp_path: Path) -> None:
    root = checkout(tmp_path, {"layers/test_a.py": HIT})
    assert pylint(python_files(root), cwd=root).places == []
    linted = pylint(python_files(root), "--pplint-include-tests=y", cwd=root)
    assert [place.code for place in linted.places] == ["PPL101"]
    assert linted.places == command_line(["."], "--include-tests", cwd=root)


@pytest.mark.parametrize("jobs", ["1", "2"], ids=["in one process", "in two processes"])
def test_facts_come_from_where_sglang_is_said_to_be(jobs: str, tmp_path: Path) -> None:
    root = checkout(tmp_path / "sources", {})
    outside = tmp_path / "plugin"
    outside.mkdir()
    for name in ("one.py", "two.py", "three.py"):
        (outside / name).write_text(HIT.replace("get_value_buffer", "get_own_buffer"))
    pool = root / "python/sglang/srt/mem_cache/pool.py"
    pool.write_text(pool.read_text().replace("get_value_buffer", "get_own_buffer"))
    files = python_files(outside)
    assert pylint(files, cwd=tmp_path).places == []
    linted = pylint(files, f"--pplint-sglang={root}", "-j", jobs, cwd=tmp_path)
    assert [Path(place.path).name for place in linted.places] == ["one.py", "three.py", "two.py"]
    assert linted.places == command_line([outside], "--sglang", str(root), cwd=tmp_path)


REFUSED = {
    "a folder without SGLang": ("", ["--pplint-sglang=."], "holds no SGLang sources"),
    "an unknown setting": ("ingore = []\n", [], "did you mean 'ignore'?"),
    "an unknown rule": ('select = ["literal-layer-idx"]\n', [], "literal-layer-id"),
}


@pytest.mark.parametrize(("settings", "options", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_followed_is_said_once_whatever_is_enabled(
    settings: str, options: list[str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.pplint]\n{settings}")
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(HIT)
    linted = pylint(["a.py", "b.py"], *options, cwd=tmp_path)
    assert linted.places == []
    assert [said in other for other in linted.others] == [True]
    assert linted.others[0].startswith("config-parse-error: ")
    assert linted.status & 1


def test_info_findings_are_shown_on_request(tmp_path: Path) -> None:
    # A pool whose every builder leaves the stage range out is right today.
    text = HIT + "\n\nclass Owner:\n    def __init__(self):\n        self.inner = Pool(4)\n"
    text += "\n    def first(self):\n        return self.inner.get_value_buffer(0)\n"
    text = "from sglang.srt.mem_cache.pool import Pool\n\n\n" + text
    root = checkout(tmp_path, {"layers/a.py": text})
    hidden = pylint(python_files(root), cwd=root).places
    shown = pylint(python_files(root), "--pplint-show-info=y", cwd=root).places
    assert shown == command_line(["."], "--show-info", cwd=root)
    assert {place.text.rsplit("[")[-1] for place in shown if place not in hidden} == {"info]"}
