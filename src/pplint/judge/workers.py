"""The shares of several processes behind one face; with one job everything happens in this process."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from pplint.engine.names import Rows
from pplint.engine.paths import module_name
from pplint.engine.summary import Summary
from pplint.finding import Trouble
from pplint.judge.machine import Killed, processes, spare_memory
from pplint.judge.reading import KEPT_CHARACTERS, Kept, Share, Verdict
from pplint.judge.wanted import Wanted
from pplint.known.tables import complete

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from pplint.engine.facts import Facts

WORTH_A_PROCESS = 2_000_000
"""Bytes of source below which a further process costs more than it saves."""

_PIECES = 30
"""Into so many pieces the work of each process is cut."""

_SHARE_OF_MEMORY = 8
"""One part in so many of the memory that is left may be taken by syntax trees of a large checkout."""
_BYTES_OF_TREE = 32
"""So many bytes a syntax tree takes for each character of its source."""

Found = dict[str, tuple[str, Summary]]


class Workers:
    """Runs one command after the other on all shares; a file stays with the share that took it."""

    def __init__(
        self,
        root: str,
        overlay: Mapping[str, bytes],
        sizes: Mapping[str, int],
        jobs: int,
        packages: frozenset[str],
        ready: Mapping[str, Summary],
        kept: Kept,
        tests_too: bool,
    ) -> None:
        total = sum(sizes.values())
        worth = total // WORTH_A_PROCESS
        count = max(1, min(processes(jobs), worth)) if worth > 1 else 1
        self._root = root
        self._sizes = sizes
        self._count = count
        self.owner = {path: number % count for number, path in enumerate(sorted(sizes, key=self._by_size))}
        self._rest: list[str] = []
        self._wanted: Wanted | None = None
        keep = KEPT_CHARACTERS
        if total > keep:
            keep = max(keep, spare_memory() // (_SHARE_OF_MEMORY * _BYTES_OF_TREE * count))
        share = Share(root, overlay, packages, ready, kept, tests_too, keep)
        self._local: Share | None = share if count == 1 else None
        self.kept = kept
        self._ready = ready
        self._pipes: list[Connection] = []
        self._processes: list[Any] = []
        if count > 1:
            self._start(count, share)

    def _start(self, count: int, share: Share) -> None:
        from multiprocessing import get_context

        context = get_context("fork")
        for _ in range(count):
            ours, theirs = context.Pipe()
            self._pipes.append(ours)
            # What a process inherits of these ends would keep it waiting for a parent that was killed.
            process = context.Process(target=_serve, args=(theirs, share, [*self._pipes]), daemon=True)
            process.start()
            theirs.close()
            self._processes.append(process)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.terminate()
            process.join()

    def first_facts(self) -> Found:
        """Summaries of all files that say something about stages."""
        return self._found("first_facts", self.owner)

    def more_facts(self, wanted: Wanted) -> Found:
        """Summaries of further files that use what was learnt."""
        more, self._wanted = (wanted.beyond(self._wanted) if self._wanted else wanted), wanted
        return self._found("more_facts", self._rest, more)

    def _found(self, command: str, paths: Iterable[str], *arguments: Any) -> Found:
        found = self._merge(self._dealt(command, self._parts(paths), *arguments))
        self._rest = [path for path in paths if module_name(self._root, path) not in found]
        return found

    def again(self, wanted: tuple[Wanted, ...], paths: Iterable[str]) -> list[Found]:
        """Summaries of those files that an earlier look (which wanted that) would have taken into view, by round."""
        shares = self._all("again", [(part, wanted) for part in self._parts(paths)])
        return [self._merge([*rounds]) for rounds in zip(*shares, strict=True)]

    def _merge(self, answers: list[Found]) -> Found:
        found = [(path, module, summary) for answer in answers for module, (path, summary) in answer.items()]
        found.sort(key=itemgetter(0))  # of two files of one module the last one counts, as in `Share`
        merged = {module: (path, summary or self._ready[path]) for path, module, summary in found}
        return dict(sorted(merged.items()))

    def marked(self) -> frozenset[str]:
        """The files read so far that hold a comment of pplint's."""
        return frozenset().union(*self._all("marked", [()] * self._count))

    def judge(self, facts: Callable[[], Facts], paths: Collection[str], codes: frozenset[str]) -> Verdict:
        """What the rules say of some files by the facts."""
        if not paths:
            return Verdict([], {})
        known = facts()
        if self._local is None:
            complete(known)
        self._tell("take", known)
        answers: list[Verdict] = self._dealt("judge", self._parts(paths), codes)
        return Verdict(
            [finding for answer in answers for finding in answer.findings],
            {path: asked for answer in answers for path, asked in answer.asked.items()},
        )

    def compared(self) -> list[dict[str, Rows]]:
        """The answers to compared questions that each share found, as tables."""
        return self._all("compared", [()] * self._count)

    def check_syntax(self, paths: Iterable[str]) -> None:
        """Parse files that no rule needs, for their troubles."""
        self._all("check_syntax", [(part,) for part in self._parts(paths)])

    def _parts(self, paths: Iterable[str]) -> list[list[str]]:
        parts: list[list[str]] = [[] for _ in range(self._count)]
        for path in sorted(paths, key=self._by_size):
            parts[self.owner[path]].append(path)
        return parts

    def _by_size(self, path: str) -> tuple[int, str]:
        return -self._sizes[path], path

    def troubles(self) -> list[Trouble]:
        """What went wrong in any share."""
        return [trouble for answer in self._all("troubles", [()] * self._count) for trouble in answer]

    def _tell(self, command: str, argument: Any) -> None:
        """Run a command on all shares with one large argument, which is turned into bytes once."""
        if self._local is not None:
            _obey(self._local, command, (argument,))
            return
        from multiprocessing.reduction import ForkingPickler

        message = ForkingPickler.dumps((command, (argument,)))
        for pipe in self._pipes:
            with _living():
                pipe.send_bytes(message)
        self._answers()

    def _dealt(self, command: str, shares: list[list[str]], *arguments: Any) -> list[Any]:
        """Run a command on files piece by piece. A share that is done early takes some that wait for another one."""
        if self._local is not None:
            return [_obey(self._local, command, (shares[0], *arguments))]
        from multiprocessing.connection import wait

        waiting = [deque(share) for share in shares]
        piece = sum(self._sizes[path] for share in shares for path in share) // (len(shares) * _PIECES)
        answers: list[Any] = []
        busy: dict[Connection, int] = {}
        idle = list(range(len(shares)))
        while True:
            for number in idle:
                if paths := self._piece(waiting, number, piece):
                    with _living():
                        self._pipes[number].send((command, (paths, *arguments)))
                    busy[self._pipes[number]] = number
            if not busy:
                return answers
            ready = wait(busy)
            done = [pipe for pipe in busy if pipe in ready]
            answers += map(_answer, done)
            idle = sorted(map(busy.pop, done))

    def _piece(self, waiting: list[deque[str]], number: int, size: int) -> list[str]:
        """The next files of a share, or the last ones of the share that has most before it."""
        own = waiting[number]
        most = max(waiting, key=len)
        paths: list[str] = []
        while (own or most) and size >= 0:
            path = own.popleft() if own else most.pop()
            paths.append(path)
            size -= self._sizes[path]
            self.owner[path] = number
        return paths

    def _all(self, command: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        if self._local is not None:
            return [_obey(self._local, command, arguments[0])]
        for pipe, argument in zip(self._pipes, arguments, strict=True):
            with _living():
                pipe.send((command, argument))
        return self._answers()

    def _answers(self) -> list[Any]:
        return [_answer(pipe) for pipe in self._pipes]


@contextmanager
def _living() -> Iterator[None]:
    """Say that a process is gone, if it is, where something is sent or received."""
    try:
        yield
    except (EOFError, BrokenPipeError, ConnectionResetError) as error:
        raise Killed from error


def _answer(pipe: Connection) -> Any:
    with _living():
        answer = pipe.recv()
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _obey(share: Share, command: str, arguments: tuple[Any, ...]) -> Any:
    found = getattr(share, command)
    return found(*arguments) if callable(found) else found


def _serve(pipe: Connection, share: Share, inherited: list[Connection]) -> None:
    for one in inherited:
        one.close()
    gc.disable()
    while True:
        try:
            command, arguments = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            pipe.send(_obey(share, command, arguments))
        except KeyboardInterrupt:
            return
        except Exception as error:
            with suppress(OSError):
                pipe.send(error)
