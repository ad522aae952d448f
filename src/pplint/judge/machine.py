"""What this process may use of the machine: its cores and its memory, within its control group."""

from __future__ import annotations

import os
import re
import sys

_GROUP = "/sys/fs/cgroup"


class Killed(Exception):
    """A process that worked for this one was ended from outside."""

    def __init__(self) -> None:
        super().__init__("a process was killed while it judged; -j 1 works in one process, with less memory")


def usable_cores() -> int:
    """The number of cores that this process may use: its affinity and its control group's quota."""
    try:
        cores = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        cores = os.cpu_count() or 1
    try:
        with open(f"{_GROUP}/cpu.max", encoding="ascii") as file:
            quota, period = file.read().split()[:2]
        if quota != "max":
            cores = min(cores, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass
    return cores


def processes(jobs: int) -> int:
    """The number of processes that may work side by side, where `jobs` are wanted (0: as many as there are cores)."""
    return jobs or usable_cores() if sys.platform == "linux" else 1


def spare_memory() -> int:
    """The bytes of memory that are left to this process; 0 where that is not known."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            found = re.search(r"^MemAvailable:\s*(\d+) kB$", file.read(), re.MULTILINE)
        left = int(found[1]) * 1024 if found else 0
    except (OSError, ValueError):
        return 0
    try:
        with open(f"{_GROUP}/memory.max", encoding="ascii") as file:
            most = int(file.read())
        with open(f"{_GROUP}/memory.current", encoding="ascii") as file:
            left = min(left, max(0, most - int(file.read())))
    except (OSError, ValueError):  # no control group, or no limit
        pass
    return left
