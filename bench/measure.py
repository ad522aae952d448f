"""What one run of a command costs."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

POLL_SECONDS = 0.05


class Cost(NamedTuple):
    """Seconds of wall and CPU time (user and system, children included), and the largest process in MiB."""

    wall: float
    cpu: float
    peak: float


class Command(NamedTuple):
    """A command line; `before` is done before each run and not measured. `good` are the expected exit codes."""

    name: str
    line: Sequence[str]
    environment: Mapping[str, str] = {}
    before: Callable[[], None] = lambda: None
    good: tuple[int, ...] = (0, 1)


class Failed(RuntimeError):
    """A command ended with an exit code that it should not have."""


def run(command: Command) -> Cost:
    """Run a command once, its output thrown away. Raises Failed."""
    command.before()
    began = time.monotonic()
    pid = _start(command)
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - began
    code = os.waitstatus_to_exitcode(status)
    if code not in command.good:
        raise Failed(f"{' '.join(command.line)}: exit code {code}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 2**20)


def _start(command: Command) -> int:
    null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    return os.posix_spawnp(
        command.line[0], list(command.line), {**os.environ, **command.environment}, file_actions=null
    )


def turns(commands: Sequence[Command], times: int) -> dict[str, Cost]:
    """Medians of commands, by name, that run in turn (A B C, A B C, ...) after one run of each that does not count."""
    for command in commands:
        run(command)
    rounds = [[run(command) for command in commands] for _ in range(times)]
    columns = zip(commands, zip(*rounds, strict=True), strict=True)
    return {command.name: median(costs) for command, costs in columns}


def median(costs: Sequence[Cost]) -> Cost:
    """The medians of each figure by itself."""
    return Cost(*(statistics.median(column) for column in zip(*costs, strict=True)))


def memory_of_all(command: Command) -> float | None:
    """The largest sum, in MiB, of the proportional memory of a command's processes; None where that cannot be told."""
    if not Path("/proc/self/smaps_rollup").exists():
        return None
    command.before()
    pid = _start(command)
    most = 0.0
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        most = max(most, sum(map(_proportional, _family(pid))))
        time.sleep(POLL_SECONDS)
    return most


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(one for child in children for one in _family(int(child)))]


def _proportional(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
