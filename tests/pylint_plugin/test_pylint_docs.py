"""What docs/pylint.md says: its calls check every file, its options and settings exist."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pylint_desk import (
    HIT,
    MINI,
    REPOSITORY,
    checkout,
    command_line,
    environment,
    pylint,
    python_files,
    read_json,
)

PAGE = (REPOSITORY / "docs" / "pylint.md").read_text()
CALLS = [line[2:] for line in PAGE.splitlines() if line.startswith("$ ") and "xargs" in line]
README_CALLS = [
    line.strip()[2:]
    for line in (REPOSITORY / "README.md").read_text().splitlines()
    if line.strip().startswith("$ ") and "xargs" in line
]


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("mini") / "checkout"
    shutil.copytree(MINI, root, ignore=shutil.ignore_patterns("__pycache__"))
    # Names that other modules have too, and folders that look like a package elsewhere.
    for name in ("srt/utils/json.py", "srt/layers/utils.py", "lang/__init__.py", "lang/inner/deep/a.py"):
        (root / "python/sglang" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "python/sglang" / name).write_text("x = 1\n")
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    return root


def path_with_pylint(folder: Path) -> str:
    """Return a PATH on which `pylint` is the one of this interpreter."""
    script = folder / "pylint"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pylint "$@"\n')
    script.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize("call", sorted({*CALLS, *README_CALLS}))
def test_a_documented_call_checks_every_file(call: str, mini: Path, tmp_path: Path) -> None:
    counting = tmp_path / "pylintrc"
    counting.write_text("[MAIN]\nload-plugins=visited\n")
    env = {**environment(), "PATH": path_with_pylint(tmp_path), "PYLINTRC": str(counting)}
    command = f"{call} --persistent=n --output-format=json2"
    done = subprocess.run(command, shell=True, cwd=mini, env=env, capture_output=True, check=False)
    assert not done.stderr
    linted = read_json(done.stdout, mini, done.returncode)
    assert linted.files == {str(path.resolve()) for path in python_files(mini / "python")}
    assert linted.places == command_line(["python"], cwd=mini)


def test_both_pages_give_a_call() -> None:
    assert len(CALLS) == 2
    assert len(README_CALLS) == 1


def test_the_call_that_looks_right_skips_files(mini: Path) -> None:
    linted = pylint(["python/sglang"], "--recursive=y", cwd=mini)
    assert linted.files < {str(path.resolve()) for path in python_files(mini / "python")}


def test_the_settings_of_the_page_work(tmp_path: Path) -> None:
    settings = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert settings is not None
    root = checkout(tmp_path, {"layers/a.py": HIT})
    (root / "pyproject.toml").write_text(settings[1])
    command = [sys.executable, "-m", "pylint", "--disable=all", "--enable=pplint", "--output-format=json2"]
    command += ["python/sglang/srt/layers/a.py"]
    done = subprocess.run(command, cwd=root, env=environment(), capture_output=True, check=False)
    assert not done.stderr
    assert read_json(done.stdout, root, done.returncode).codes("a.py") == [("PPL101", 2)]


def test_the_options_of_the_page_are_those_of_the_plugin() -> None:
    from pplint.pylint_plugin import OPTIONS

    assert sorted(set(re.findall(r"`--(pplint-[\w-]+)=", PAGE))) == sorted(name for name, _ in OPTIONS)


def test_the_editor_settings_of_the_page_are_json() -> None:
    text = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert text is not None
    plugin = json.loads(text[1])["pylsp"]["plugins"]["pylint"]
    assert plugin["executable"]
    assert plugin["args"] == ["--load-plugins=pplint.pylint_plugin"]
