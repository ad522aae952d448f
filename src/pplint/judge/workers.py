"""The shares of several processes behind one face; with one job everything happens in this process."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pplint.engine.names import Rows
from pplint.engine.summary import Summary
from pplint.finding import Trouble
from pplint.judge.reading import Kept, Share, Verdict
from pplint.judge.wanted import Wanted
from pplint.known.tables import complete

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from pplint.engine.facts import Facts

WORTH_A_PROCESS = 2_000_000
"""Bytes of source below which a further process costs more than it saves."""

Found = dict[str, tuple[str, Summary]]


def usable_cores() -> int:
    """The number of cores that this process may use: its affinity and its control group's quota."""
    try:
        cores = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        cores = os.cpu_count() or 1
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as file:
            quota, period = file.read().split()[:2]
        if quota != "max":
            cores = min(cores, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass
    return cores


class Workers:
    """Runs one command after the other on all shares; a file stays with its share."""

    def __init__(
        self,
        root: str,
        overlay: Mapping[str, bytes],
        sizes: Mapping[str, int],
        jobs: int,
        packages: frozenset[str],
        ready: Mapping[str, Summary],
        kept: Kept,
    ) -> None:
        most = jobs or usable_cores()
        count = max(1, min(most, sum(sizes.values()) // WORTH_A_PROCESS)) if sys.platform == "linux" else 1
        ordered = sorted(sizes, key=lambda path: (-sizes[path], path))
        self.shares = [ordered[start::count] for start in range(count)]
        self.owner = {path: number for number, share in enumerate(self.shares) for path in share}
        share = Share(root, overlay, packages, ready, kept)
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
            process = context.Process(target=_serve, args=(theirs, share), daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(ours)
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
        return self._merge(self._all("first_facts", [(share,) for share in self.shares]))

    def more_facts(self, wanted: Wanted) -> Found:
        """Summaries of further files that use what was learnt."""
        return self._merge(self._all("more_facts", [(wanted,)] * len(self.shares)))

    def again(self, wanted: tuple[Wanted, ...], paths: Iterable[str]) -> list[Found]:
        """Summaries of those files that an earlier look (which wanted that) would have taken into view, by round."""
        shares = self._all("again", [(part, wanted) for part in self._parts(paths)])
        return [self._merge([*rounds]) for rounds in zip(*shares, strict=True)]

    def _merge(self, answers: list[Found]) -> Found:
        merged = {
            module: (path, summary or self._ready[path])
            for answer in answers
            for module, (path, summary) in answer.items()
        }
        return dict(sorted(merged.items()))

    def marked(self) -> frozenset[str]:
        """The files read so far that hold a comment of pplint's."""
        return frozenset().union(*self._all("marked", [()] * len(self.shares)))

    def judge(self, facts: Callable[[], Facts], modules: Mapping[str, str], codes: frozenset[str]) -> Verdict:
        """What the rules say of `modules` (name to path) by the facts."""
        parts: list[dict[str, str]] = [{} for _ in self.shares]
        for module, path in modules.items():
            parts[self.owner[path]][module] = path
        if not modules:
            return Verdict([], {}, {})
        known = facts()
        if self._local is None:
            complete(known)
        self._tell("take", known)
        answers: list[Verdict] = self._all("judge", [(part, codes) for part in parts])
        compared: dict[str, Rows] = {}
        for answer in answers:
            for name, rows in answer.compared.items():
                compared.setdefault(name, {}).update(rows)
        return Verdict(
            [finding for answer in answers for finding in answer.findings],
            {path: asked for answer in answers for path, asked in answer.asked.items()},
            compared,
        )

    def check_syntax(self, paths: Iterable[str]) -> None:
        """Parse files that no rule needs, for their troubles."""
        self._all("check_syntax", [(part,) for part in self._parts(paths)])

    def _parts(self, paths: Iterable[str]) -> list[list[str]]:
        parts: list[list[str]] = [[] for _ in self.shares]
        for path in sorted(paths):
            parts[self.owner[path]].append(path)
        return parts

    def troubles(self) -> list[Trouble]:
        """What went wrong in any share."""
        return [trouble for answer in self._all("troubles", [()] * len(self.shares)) for trouble in answer]

    def _tell(self, command: str, argument: Any) -> None:
        """Run a command on all shares with one large argument, which is turned into bytes once."""
        if self._local is not None:
            _obey(self._local, command, (argument,))
            return
        from multiprocessing.reduction import ForkingPickler

        message = ForkingPickler.dumps((command, (argument,)))
        for pipe in self._pipes:
            pipe.send_bytes(message)
        self._answers()

    def _all(self, command: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        if self._local is not None:
            return [_obey(self._local, command, arguments[0])]
        for pipe, argument in zip(self._pipes, arguments, strict=True):
            pipe.send((command, argument))
        return self._answers()

    def _answers(self) -> list[Any]:
        answers = []
        for pipe in self._pipes:
            answer = pipe.recv()
            if isinstance(answer, BaseException):
                raise answer
            answers.append(answer)
        return answers


def _obey(share: Share, command: str, arguments: tuple[Any, ...]) -> Any:
    found = getattr(share, command)
    return found(*arguments) if callable(found) else found


def _serve(pipe: Connection, share: Share) -> None:
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
            pipe.send(error)
