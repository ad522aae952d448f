"""The hooks, run by the real pre-commit on real commits to a copy of the small checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
SHIPPED = ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml", "src")
SRT = "python/sglang/srt"
BACKEND = f"{SRT}/layers/attention/torch_native_backend.py"
NEW = """
    def value_dim(self) -> int:
        return self.token_to_kv_pool.get_value_buffer({}).shape[-1]
"""
BAD, GOOD = NEW.format("0"), NEW.format("self.token_to_kv_pool.start_layer")
POOL = """\
class SidePool:
    def __init__(self, start_layer: int, layer_num: int):
        self.start_layer = start_layer
        self.rows = [[i] for i in range(layer_num)]

    def side_row(self, index: int):
        return self.rows[{}]
"""
USER = """\
from sglang.srt.mem_cache.side_pool import SidePool


def width(pool: SidePool) -> int:
    return len(pool.side_row(0))
"""


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    done = run(folder, "git", *who, *arguments)
    assert not done.returncode, done.stdout
    return done.stdout.strip()


def pre_commit(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder, sys.executable, "-m", "pre_commit", *arguments)


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The repository that ships the hooks, as it is now, and its revision; pre-commit installs it once."""
    folder = tmp_path_factory.mktemp("hooks")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in SHIPPED:
        source = HERE / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignored)
        else:
            shutil.copy(source, folder / name)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=hooks")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRE_COMMIT_HOME", str(tmp_path_factory.mktemp("pre-commit")))
        revision = git(folder, "rev-parse", "HEAD")
        trial = checkout(tmp_path_factory.mktemp("trial"), folder, revision, "pplint")
        installed = pre_commit(trial, "install-hooks")
        if installed.returncode:
            reason = f"pre-commit cannot install the hooks: {installed.stdout[-500:]}"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        yield folder, revision


def checkout(folder: Path, hooks: Path, revision: str, *ids: str, args: str = "") -> Path:
    """The small checkout as a git repository with one commit, and hooks that guard the next one."""
    repository = folder / "mini_sglang"
    shutil.copytree(HERE / "fixtures/mini_sglang", repository, ignore=shutil.ignore_patterns("__pycache__"))
    (repository / f"{SRT}/mem_cache/side_pool.py").write_text(POOL.format("index"))
    (repository / f"{SRT}/layers/side_user.py").write_text(USER)
    listed = "".join(f"\n      - id: {one}{args}" for one in ids)
    config = f"repos:\n  - repo: {hooks}\n    rev: {revision}\n    hooks:{listed}\n"
    (repository / ".pre-commit-config.yaml").write_text(config)
    git(repository, "init", "--quiet")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message=start")
    pre_commit(repository, "install")
    return repository


@pytest.fixture
def guarded(tmp_path: Path, hooks: tuple[Path, str]) -> Path:
    return checkout(tmp_path, *hooks, "pplint")


def commit(repository: Path) -> subprocess.CompletedProcess[str]:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    return run(repository, "git", *who, "commit", "--message=next")


def write(file: Path, added: str) -> str:
    """Add lines to the end of a file and return its content."""
    text = file.read_text() + added
    file.write_text(text)
    return text


def test_a_commit_with_a_new_literal_is_stopped(guarded: Path) -> None:
    write(guarded / BACKEND, BAD)
    git(guarded, "add", ".")
    stopped = commit(guarded)
    assert stopped.returncode == 1
    assert "PPL101[literal-layer-id] error: layer id 0 is given to `get_value_buffer`" in stopped.stdout
    assert stopped.stdout.count("PPL") == 1, (
        "files that are not part of the commit have findings of their own"
    )
    assert git(guarded, "rev-list", "--count", "HEAD") == "1"


def test_a_commit_without_a_finding_passes(guarded: Path) -> None:
    write(guarded / BACKEND, GOOD)
    git(guarded, "add", ".")
    passed = commit(guarded)
    assert passed.returncode == 0, passed.stdout
    assert "Passed" in passed.stdout


def test_fix_repairs_the_file_and_the_next_try_passes(tmp_path: Path, hooks: tuple[Path, str]) -> None:
    repository = checkout(tmp_path, *hooks, "pplint-fix")
    before = (repository / BACKEND).read_text()
    write(repository / BACKEND, BAD)
    git(repository, "add", ".")
    stopped = commit(repository)
    assert stopped.returncode == 1
    assert "files were modified by this hook" in stopped.stdout
    assert (repository / BACKEND).read_text() == before + GOOD
    git(repository, "add", ".")
    assert commit(repository).returncode == 0


@pytest.mark.parametrize(
    ("staged", "unstaged", "code"),
    [
        pytest.param(BAD, GOOD, 1, id="a literal that is repaired in the working tree only"),
        pytest.param(GOOD, BAD, 0, id="a literal that is in the working tree only"),
    ],
)
def test_what_is_staged_counts(staged: str, unstaged: str, code: int, guarded: Path) -> None:
    file = guarded / BACKEND
    before = file.read_text()
    file.write_text(before + staged)
    git(guarded, "add", ".")
    file.write_text(before + unstaged)
    assert commit(guarded).returncode == code
    assert file.read_text() == before + unstaged


def test_a_changed_accessor_reports_its_untouched_users(guarded: Path) -> None:
    (guarded / f"{SRT}/mem_cache/side_pool.py").write_text(POOL.format("index - self.start_layer"))
    git(guarded, "add", ".")
    stopped = commit(guarded)
    assert stopped.returncode == 1
    assert f"{SRT}/layers/side_user.py:5:30: PPL101" in stopped.stdout
    assert "changed by  sglang/srt/mem_cache/side_pool.py:7: `side_row` subtracts" in stopped.stdout
    assert stopped.stdout.count("PPL") == 1


def test_excluded_files_stay_out_though_the_hook_names_them(guarded: Path) -> None:
    write(guarded / "pyproject.toml", f'\n[tool.pplint]\nexclude = ["{BACKEND}"]\n')
    write(guarded / BACKEND, BAD)
    git(guarded, "add", ".")
    assert commit(guarded).returncode == 0


def test_the_whole_tree_is_checked_by_hand(tmp_path: Path, hooks: tuple[Path, str]) -> None:
    args = "\n        args: [--no-show-source, python/sglang]"
    repository = checkout(tmp_path, *hooks, "pplint-all", args=args)
    write(repository / BACKEND, BAD)
    git(repository, "add", ".")
    assert commit(repository).returncode == 0, "it waits for the push"
    checked = pre_commit(repository, "run", "--hook-stage", "manual", "--all-files", "pplint-all")
    assert checked.returncode == 1
    assert f"{BACKEND}:" in checked.stdout
    assert f"{SRT}/layers/attention/triton_backend.py:" in checked.stdout


def test_the_page_does_what_it_says(tmp_path: Path, hooks: tuple[Path, str]) -> None:
    page = (HERE / "docs/pre-commit.md").read_text()
    config, commands = (
        re.search(rf"```{kind}\n(.*?)```", page, re.DOTALL)[1] for kind in ("yaml", "bash not-run")
    )
    repository = checkout(tmp_path, *hooks, "pplint")
    address, revision = re.search(r"repo: (\S+)", config)[1], re.search(r"rev: (\S+)", config)[1]
    text = config.replace(address, str(hooks[0])).replace(revision, hooks[1])
    (repository / ".pre-commit-config.yaml").write_text(text)
    git(repository, "add", ".")
    pre_commit_here = f"{sys.executable} -m pre_commit"
    done = run(repository, "bash", "-c", re.sub("^pre-commit", pre_commit_here, commands, flags=re.MULTILINE))
    assert "installed at .git/hooks/pre-push" in done.stdout
    assert "pplint (whole tree)" in done.stdout
    assert f"{SRT}/layers/attention/triton_backend.py:" in done.stdout
