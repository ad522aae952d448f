"""Room for code that is nested more deeply than Python's stack is long by default."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

FRAMES = 40_000
"""A chain of 1,000 calls needs some 8,000; where this is not enough, Python's own parser gave up before."""

STACK_BYTES = 256 * 1024 * 1024
"""Address space, not memory: the system hands out what is used."""


def with_room(work: Callable[[], Result]) -> Result:
    """Do `work` on a long stack. Raises what it raises, and RecursionError where there is no such stack."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size()
    try:
        threading.stack_size(STACK_BYTES)
        sys.setrecursionlimit(max(limit, FRAMES))
        thread = threading.Thread(target=run, name="pplint-deep")
        thread.start()
        thread.join()
    except (ValueError, RuntimeError) as error:
        raise RecursionError("no room for a longer stack") from error
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]
