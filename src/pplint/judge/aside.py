"""Finding something out in a process of its own, while this one goes on with something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Found = TypeVar("Found")


class Aside(Generic[Found]):
    """What `find` returns, or raises: found out from now on if `at_once`, else when it is asked for.

    Who starts a process at once leaves the `with` block in the end, where a process still at work is ended.
    """

    def __init__(self, find: Callable[[], Found], at_once: bool) -> None:
        self._find = find
        self._process: Any = None
        if at_once:
            from multiprocessing import get_context

            context = get_context("fork")
            self._pipe, theirs = context.Pipe(duplex=False)
            self._process = context.Process(target=_send, args=(theirs, find), daemon=True)
            self._process.start()
            theirs.close()

    def __enter__(self) -> Aside[Found]:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._pipe.close()
            self._process.terminate()
            self._process.join()

    def found(self) -> Found:
        """Wait for the answer. A process that was killed leaves the work to this one."""
        if self._process is None:
            return self._find()
        try:
            answer: Found | Exception = self._pipe.recv()
        except EOFError:
            return self._find()
        if isinstance(answer, Exception):
            raise answer
        return answer


def _send(pipe: Connection, find: Callable[[], Any]) -> None:
    try:
        pipe.send(find())
    except KeyboardInterrupt:
        return
    except Exception as error:
        pipe.send(error)
