"""One look at all files: what the judge says, less what comments, settings and baseline take away."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pplint.baseline import Entry
from pplint.changed_facts import Question, compared
from pplint.finding import INFO, Finding, Trouble, report_order
from pplint.git import Changes
from pplint.impact import Stage, impact_of, usual_layouts
from pplint.rules.catalogue import HOUSEKEEPING
from pplint.settings import Settings, ignored_in, selected
from pplint.source.text import Source, SourceError

if TYPE_CHECKING:
    from pplint.judge.check import Judged
    from pplint.judge.learnt import Learnt


class Request(NamedTuple):
    """What the user asked for; `paths` as given, everything else that has a setting is in `settings`.

    `stdin` is the content of the only path, which then need not exist. `baseline_entries` False leaves the
    baseline out. `stages` are those of the layout for which the impact is told, if one is asked for.
    """

    paths: tuple[str, ...]
    settings: Settings
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    show_info: bool = False
    since: str | None = None
    baseline_entries: bool = True
    add_ignore: str | None = None
    stdin: bytes | None = None
    allow_empty: bool = False
    jobs: int = 0
    cache_dir: str | None = None
    stages: tuple[Stage, ...] = ()


class Seen(NamedTuple):
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
        self.ignored_in = ignored_in(self.settings)
        self.severity = dict(self.settings.severity)
        self.entries = self._baseline()
        self.since = self._since()
        self.root = find_root(request.paths, self.settings.sglang)
        with self.timed("finding files"):
            self.files, self.troubles, self.leftovers = find(request)
        self.named = frozenset(self.files)
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
                findings, gone, note = compared(question, self._judge, findings, overlay)
            self.notes += note
        seen = self._sort(findings, judged.marked, [*self.troubles, *judged.troubles], overlay)
        return seen._replace(gone=gone, learnt=judged.learnt)

    def _judge(self, files: tuple[str, ...], overlay: Mapping[str, bytes]) -> Judged:
        from pplint.judge.check import JudgeRequest, judge
        from pplint.judge.distrust import carefully

        request = JudgeRequest(
            root=self.root.path,
            files=files,
            overlay=overlay,
            select=self.codes - HOUSEKEEPING,
            include_tests=self.settings.include_tests,
            jobs=self.request.jobs,
            cache_dir=self.request.cache_dir,
            facts_file=True,
        )
        return carefully(judge, request)

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
                tuple(changed),
                self.files,
                lambda: self.files,
                self.root.path,
                self._said,
            )
        if self.request.stdin is None and all(Path(path).is_file() for path in self.request.paths):
            return Question("HEAD", self.files, self.files, self._others, self.root.path, self._said)
        return None

    def _said(self, path: str, content: bytes | None) -> str:
        from pplint.judge.check import said

        return said(self.root.path, path, content)

    def _others(self) -> tuple[str, ...]:
        """Return the files of the tree that are not named."""
        tree = self.request._replace(paths=(self.root.folder,))
        return tuple(path for path in find(tree).paths if path not in self.named)

    def _sort(
        self,
        judged: tuple[Finding, ...],
        marked: frozenset[str],
        troubles: list[Trouble],
        overlay: Mapping[str, bytes],
    ) -> Seen:
        findings = [self._level(item) for item in judged if item.code not in self.ignored_in(item.path)]
        remaining, suppressed = self._not_silenced(findings, marked, troubles, overlay)
        shown = [
            self._level(item) if item.code in HOUSEKEEPING else item
            for item in remaining
            if (self.request.show_info or item.severity != INFO) and self._may_show(item)
        ]
        hidden = len(remaining) - len(shown)
        accepted: list[Finding] = []
        stale: list[Entry] = []
        if self.settings.baseline and self.entries is not None:
            from pplint import baseline

            matched = baseline.match(shown, self.entries, self.settings.baseline, self.files)
            shown, accepted, stale = matched
        if self.since is not None:
            changes = self._moved(self.since, overlay)
            touched = {
                item for item in shown if changes.touches(item.path, item.span.line, item.span.end_line)
            }
            shown = [
                item._replace(changed_by="") if item in touched else item
                for item in shown
                if item in touched or item.changed_by
            ]
        layouts = (self.request.stages,) if self.request.stages else usual_layouts(self.settings.num_layers)
        shown = [item._replace(impact=impact_of(item.asks, layouts)) for item in shown]
        return Seen(sorted(shown, key=report_order), suppressed, accepted, stale, hidden, troubles, [])

    def _not_silenced(
        self,
        findings: list[Finding],
        marked: frozenset[str],
        troubles: list[Trouble],
        overlay: Mapping[str, bytes],
    ) -> tuple[list[Finding], list[tuple[Finding, str]]]:
        """Return the findings that no comment silences, those about comments among them, and those that one does."""
        if not findings and not marked:
            return [], []
        from pplint import ignores

        broken = frozenset(trouble.path for trouble in troubles)
        policy = ignores.Policy(self._ran_on, self.root.path, broken, self.settings.require_reason)
        return ignores.apply(findings, sorted(marked), lambda path: read(path, overlay), policy)

    def _may_show(self, finding: Finding) -> bool:
        """Of a file that is not named only the changed findings are known: no comment is unused there."""
        return finding.path in self.named or finding.code not in HOUSEKEEPING

    def _ran_on(self, path: str) -> frozenset[str]:
        """Return the codes that ran on a file: test code is read, but its rules run on request only."""
        from pplint.engine.paths import is_test

        codes = self.codes - self.ignored_in(path)
        tests_too = self.settings.include_tests
        return codes if tests_too or not is_test(self.root.path, path) else codes & HOUSEKEEPING

    def _level(self, finding: Finding) -> Finding:
        """Apply the `severity` setting; a latent finding stays info, whatever its rule's level is."""
        if finding.code not in self.severity or finding.severity == INFO:
            return finding
        return finding._replace(severity=self.severity[finding.code])

    def _baseline(self) -> tuple[Entry, ...] | None:
        if not self.settings.baseline or not self.request.baseline_entries:
            return None
        from pplint import baseline

        return baseline.read(self.settings.baseline)

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


class Files(NamedTuple):
    """The absolute real paths to check, sorted, what went wrong on the way, and leftovers of killed runs."""

    paths: tuple[str, ...]
    troubles: list[Trouble]
    leftovers: tuple[str, ...] = ()


def find(request: Request) -> Files:
    """Return the files that the paths of `request` mean under its settings."""
    settings = request.settings
    if request.stdin is not None:
        from pplint.files.gitignore import Patterns

        path = os.path.realpath(request.paths[0])
        parts = Path(os.path.relpath(path, settings.root)).parts
        excluded = parts[0] != os.pardir and Patterns(settings.exclude).hide(parts, False)
        return Files(() if excluded else (path,), [])
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
