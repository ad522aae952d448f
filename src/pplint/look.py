"""One look at all files: what the judge says, also about code that only a change elsewhere concerns, sieved."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pplint.baseline import Entry
from pplint.changed_facts import Question, compared
from pplint.finding import Finding, Trouble
from pplint.git import Changes
from pplint.records import Record
from pplint.request import Request
from pplint.rules.catalogue import HOUSEKEEPING
from pplint.settings import selected
from pplint.sieve import Sieve, accepted_entries
from pplint.source.text import Source, SourceError

if TYPE_CHECKING:
    from pplint.judge.check import Judged, JudgeRequest
    from pplint.judge.learnt import Learnt

__all__ = ["Files", "Look", "Seen", "find", "read"]


class Seen(Record):
    """What one look at all files shows: findings in report order, and why others are not among them.

    `gone` are findings of unchanged files that the facts before a change in another file would give, `learnt` says how
    much there was to judge by.
    """

    findings: list[Finding]
    suppressed: list[tuple[Finding, str]]
    accepted: list[Finding]
    stale: list[Entry]
    hidden_infos: int
    troubles: list[Trouble]
    gone: list[Finding]
    learnt: Learnt | None = None


def read(path: str, overlay: Mapping[str, bytes]) -> Source | None:
    """Return the source at `path`, from `overlay` if it is there; None when it cannot be read."""
    try:
        return Source.of(path, overlay[path]) if path in overlay else Source.read(path)
    except SourceError:
        return None


class Look:
    """The inputs that stay the same however often the files are looked at."""

    def __init__(self, request: Request) -> None:
        from pplint.engine.root import find_root

        self.request = request
        self.settings = request.settings
        self.notes: list[str] = []
        self.codes = selected(self.settings)
        entries = accepted_entries(request)
        self.since = self._since()
        self.root = find_root(request.paths, self.settings.sglang)
        with self.timed("finding files"):
            self.files, self.troubles, self.leftovers = find(request)
        self.named = frozenset(self.files)
        self.sieve = Sieve(request, self.codes, self.root.path, self.named, entries)
        self._originals = self.before()

    def before(self) -> dict[str, bytes]:
        """Return the contents that are not on disk: the standard input by the real path of its name."""
        if self.request.stdin is None:
            return {}
        return {os.path.realpath(self.request.paths[0]): self.request.stdin}

    def original(self, path: str) -> bytes:
        """Return the content before any change; it is read at the first call. Raises SourceError."""
        if path not in self._originals:
            self._originals[path] = Source.read(path).data
        return self._originals[path]

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Note how long `what` takes, in seconds."""
        start = time.perf_counter()
        yield
        self.notes.append(f"{what}: {time.perf_counter() - start:.2f} s")

    def at(self, overlay: Mapping[str, bytes]) -> Seen:
        """Judge all files, with the contents of `overlay` in place of those on disk."""
        with self.timed("judging"):
            judged = self._judge(self.files, overlay)
        self.notes.append(_effort(judged))
        findings, gone = judged.findings, list[Finding]()
        if question := self._question():
            with self.timed("comparing facts"):
                findings, gone, note = compared(question, self._now, self._then, findings, overlay)
            self.notes += note
        troubles = [*self.troubles, *judged.troubles]
        sifted = self.sieve.sift(
            findings,
            judged.marked,
            frozenset(trouble.path for trouble in troubles),
            lambda path: read(path, overlay),
            self._moved(self.since, overlay) if self.since is not None else None,
        )
        return Seen(*sifted, troubles, gone, judged.learnt)

    def _judge(self, files: tuple[str, ...], overlay: Mapping[str, bytes]) -> Judged:
        from pplint.judge.check import judge
        from pplint.judge.distrust import carefully

        return carefully(judge, self._judge_request(files, overlay))

    def _now(self, files: tuple[str, ...], overlay: Mapping[str, bytes]) -> tuple[Finding, ...]:
        return self._judge(files, overlay).findings

    def _then(self, files: tuple[str, ...], overlay: Mapping[str, bytes]) -> tuple[Finding, ...]:
        from pplint.judge.check import findings_then

        return findings_then(self._judge_request(files, overlay), lambda: self._now(files, overlay))

    def _judge_request(self, files: tuple[str, ...], overlay: Mapping[str, bytes]) -> JudgeRequest:
        from pplint.judge.check import JudgeRequest

        return JudgeRequest(
            root=self.root.path,
            files=files,
            overlay=overlay,
            select=self.codes - HOUSEKEEPING,
            include_tests=self.settings.include_tests,
            jobs=self.request.jobs,
            cache_dir=self.request.cache_dir,
            facts_file=True,
        )

    def _question(self) -> Question | None:
        """Which changes may have changed the answers of untouched code.

        With `--since` those since that revision. Where only files are named, as a hook does, those since the
        last commit, and then the files that are not named are judged as well.
        """
        if self.since is not None:
            from pplint.files.discover import SUFFIXES

            inside = self.root.folder + os.sep
            changed = [
                path for path in self.since.lines if path.startswith(inside) and path.endswith(SUFFIXES)
            ]
            return Question(
                self.request.since or "HEAD",
                self._telling(changed),
                self.files,
                lambda: self.files,
                self.root.path,
                self._said,
            )
        if self.request.stdin is None and all(map(os.path.isfile, self.request.paths)):
            return Question(
                "HEAD", self._telling(self.files), self.files, self._others, self.root.path, self._said
            )
        return None

    def _telling(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return those of the files that have a say in what others mean."""
        from pplint.engine.paths import is_test

        return tuple(
            path for path in paths if self.settings.include_tests or not is_test(self.root.path, path)
        )

    def _said(self, path: str, content: bytes | None) -> str:
        from pplint.judge.check import said

        return said(self._judge_request((), {}), path, content)

    def _others(self) -> tuple[str, ...]:
        """Return the files of the tree that are not named."""
        tree = self.request._replace(paths=(self.root.folder,))
        return tuple(path for path in find(tree).paths if path not in self.named)

    def _since(self) -> Changes | None:
        if self.request.since is None:
            return None
        from pplint.git import changed_since

        return changed_since(self.request.since, os.path.realpath(self.request.paths[0]))

    def _moved(self, changes: Changes, overlay: Mapping[str, bytes]) -> Changes:
        """Follow the changed lines of files on disk into their new contents."""
        from pplint.patch import moved_lines

        lines = dict(changes.lines)
        for path, data in overlay.items():
            changed = lines.get(path, frozenset())
            if changed is not None:
                on_disk = read(path, {})
                lines[path] = moved_lines(changed, on_disk.data, data) if on_disk else None
        return Changes(lines)


def _effort(judged: Judged) -> str:
    """Say how much was read anew, and what there was to judge by."""
    from pplint.reports.summary import plural

    parsed = plural(judged.parsed, "file") if judged.parsed else "no file, all is known from the cache"
    return f"parsed {parsed}; facts from {plural(judged.learnt.files, 'file')}, see `pplint facts`"


class Files(Record):
    """The absolute real paths to check, sorted, what went wrong on the way, and leftovers of killed runs."""

    paths: tuple[str, ...]
    troubles: list[Trouble]
    leftovers: tuple[str, ...] = ()


def find(request: Request) -> Files:
    """Return the files that the paths of `request` mean under its settings."""
    settings = request.settings
    if request.stdin is not None:
        from pplint.files.discover import is_excluded
        from pplint.files.gitignore import Patterns

        named = request.paths[0]
        excluded = is_excluded(named, Patterns(settings.exclude), settings.root)
        return Files(() if excluded else (os.path.realpath(named),), [])
    from pplint.files.discover import find_python_files

    found = find_python_files(
        request.paths,
        exclude=settings.exclude,
        base=settings.root,
        respect_gitignore=settings.respect_gitignore,
    )
    troubles = [
        trouble for trouble in found.troubles if not (request.allow_empty and trouble.path in found.empty)
    ]
    return Files(tuple(found.files), troubles, found.leftovers)
