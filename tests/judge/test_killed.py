"""Processes that judge: one that is killed ends the run with a sentence, and none outlives the run, killed or not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pplint.cli import TROUBLE, run
from pplint.judge import workers
from pplint.judge.reading import Share

POOL = """\
class Pool:
    def __init__(self, start_layer):
        self.start_layer = start_layer

    def row(self, i):
        return self.rows[i - self.start_layer]
"""


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    for number in range(8):
        (tmp_path / f"pool{number}.py").write_text(POOL)
    monkeypatch.setattr(workers, "WORTH_A_PROCESS", 10)


PARENT_DIES = """
import os, signal, sys
from pplint.cli import run
from pplint.judge import workers
from pplint.judge.reading import Share

workers.WORTH_A_PROCESS = 10
judge = Share.judge

def judged(*arguments):
    os.kill(os.getppid(), signal.SIGKILL)
    return judge(*arguments)

Share.judge = judged
run(["-j", "2", "--no-cache", "."])
"""
LARGE = "# padding\n" * 100_000


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_nobody_is_left_when_the_run_is_killed() -> None:
    # The pipe ends with the last process that holds it.
    done = subprocess.run(
        [sys.executable, "-c", PARENT_DIES], stdout=subprocess.PIPE, check=False, timeout=60
    )
    assert done.returncode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
@pytest.mark.parametrize("command", ["facts .", "readiness --no-cache .", "--no-cache --output html ."])
def test_nobody_is_left_when_the_run_ends(command: str, tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"pool{number}.py").write_text(POOL + LARGE)
    line = [sys.executable, "-m", "pplint", *command.split()]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, timeout=60)
    assert done.returncode in (0, 1, 2)


def _killed(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
@pytest.mark.parametrize("step", ["first_facts", "take", "judge"])
@pytest.mark.parametrize("cached", [True, False], ids=["with a cache", "without a cache"])
def test_a_killed_process_is_told(
    step: str, cached: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--cache-dir", "kept"] if cached else ["--no-cache"]
    monkeypatch.setattr(Share, step, _killed)
    assert run(["-j", "2", *options, "."]) == TROUBLE
    said = capsys.readouterr().err
    assert "a process was killed while it judged" in said
    assert "internal error" not in said
