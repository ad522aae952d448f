"""From files to findings: what is known already, summaries, joined facts, rules."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from pplint.engine.accessors import Accessors
from pplint.engine.context import Facts
from pplint.engine.elsewhere import installed_package
from pplint.engine.learnt import Learnt, learnt_from
from pplint.engine.project import Project
from pplint.engine.reading import Wanted, is_test, module_name, packages_of, wanted_by
from pplint.engine.root import PACKAGE, Root, find_root
from pplint.engine.snapshot import Answer, Found, Snapshot, load, save, stamps_of, views_of
from pplint.engine.store import Store
from pplint.engine.workers import Workers
from pplint.finding import Finding, Trouble, report_order

ROUNDS = 2
"""How far facts reach beyond the files that speak of stages: their users, and the users' own bases."""

SYNTAX_BYTES = 4_000_000
"""Files that no rule needs are parsed for their troubles as long as they are no more than this in all."""

FEW = 50
"""So many changed files are worth a look whether they still say the same."""

_KNOWN: dict[str, Snapshot] = {}
"""The last look at each tree in this process."""


class JudgeRequest(NamedTuple):
    """What to judge: `root` as `find_root` gives it, `files` absolute real paths, `overlay` contents in their place.

    `jobs` 0 means as many processes as there are cores. `cache_dir` None keeps nothing on disk.
    """

    root: str
    files: tuple[str, ...]
    overlay: Mapping[str, bytes]
    select: frozenset[str]
    include_tests: bool = False
    jobs: int = 1
    cache_dir: str | None = None
    facts_file: bool = True


class Judged(NamedTuple):
    """The findings of the files in report order, what went wrong, and how many files were parsed.

    `marked` are the files that hold a comment of pplint's, `learnt` says how much there was to judge by.
    """

    findings: tuple[Finding, ...]
    troubles: tuple[Trouble, ...]
    parsed: int
    marked: frozenset[str] = frozenset()
    learnt: Learnt = Learnt()


def judge(request: JudgeRequest) -> Judged:
    """Judge the files of a request."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _Judge(request).judged()
    finally:
        if collecting:
            # The facts stay for the life of the process: the collector need not walk them again and again.
            gc.freeze()
            gc.enable()


def forget(root: str) -> None:
    """Take nothing as known of a tree that this process looked at."""
    _KNOWN.pop(root, None)


def facts_of(root: Root, jobs: int = 0) -> Facts:
    """The facts of a tree."""
    request = JudgeRequest(root.path, (), {}, frozenset(), jobs=jobs)
    sizes = {path: stamp.size for path, stamp in stamps_of(_tree_files(request), {}).items()}
    with Workers(root.path, {}, sizes, jobs, packages_of(root.path, sizes), {}) as workers:
        return solve(workers, request.facts_file)[1]


class _Judge:
    """One request on its way: what is known, what is new, what the rules say."""

    def __init__(self, request: JudgeRequest) -> None:
        self.request = request
        self.store = Store(request.cache_dir, request.root) if request.cache_dir else None
        self.stamps = stamps_of(_tree_files(request), request.overlay)
        self.packages = packages_of(request.root, self.stamps)
        self.known = _KNOWN.get(request.root) or (load(self.store) if self.store else None)
        self.new_facts = False
        self.parsed = 0
        kind = [sorted(request.select), request.include_tests]
        self.question = blake2b(repr(kind).encode(), digest_size=8).hexdigest()

    def judged(self) -> Judged:
        """Answer from what is known where that still holds, and find out the rest."""
        files = self.request.files
        answers = self._answers() if self.known is not None and not self._changed() else {}
        if len(answers) < len(set(files)):
            answers = self._find_out()
        findings = [finding for path in answers for finding in answers[path].findings]
        troubles = {trouble for path in answers for trouble in answers[path].troubles}
        marked = frozenset(path for path, answer in answers.items() if answer.marked)
        ordered = tuple(sorted(findings, key=report_order))
        learnt = self.known.learnt if self.known is not None else Learnt()
        return Judged(ordered, tuple(sorted(troubles)), self.parsed, marked, learnt)

    def _changed(self) -> set[str]:
        before = self.known.stamps if self.known is not None else {}
        paths = self.stamps.keys() | before.keys()
        return {path for path in paths if self.stamps.get(path) != before.get(path)}

    def _answers(self) -> dict[str, Answer]:
        """The known answers that still hold, for the files of the request."""
        if self.known is None:
            return {}
        known = self.known.answers(self.question)
        few = sum(self.stamps[path].size for path in self.request.files) <= SYNTAX_BYTES
        return {
            path: answer
            for path in self.request.files
            if (answer := known.get(path)) is not None
            and answer.stamp == self.stamps[path]
            and (answer.checked or not few)
        }

    def _find_out(self) -> dict[str, Answer]:
        changed = self._changed()
        if self.known is not None and self._comparable(changed):
            answers = self._answers()
            with self._workers(
                {*changed, *(path for path in self.request.files if path not in answers)}
            ) as workers:
                if self._same_facts(workers, self.known, changed):
                    return self._answered(workers, self.known)
        found = (self.known.found() if self.known is not None else None) or {}
        ready = {path: summary for path, summary in found.values() if path not in changed}
        with self._workers(self.stamps, ready) as workers:
            return self._answered(workers, self._learn(workers))

    def _comparable(self, changed: set[str]) -> bool:
        assert self.known is not None
        return len(changed) <= FEW and changed <= self.stamps.keys() & self.known.stamps.keys()

    def _same_facts(self, workers: Workers, known: Snapshot, changed: set[str]) -> bool:
        """Whether the changed files say what they said before (their lines included)."""
        if changed:
            news = workers.again(known.wanted, changed)
            self.parsed += len(news)
            if views_of(news) != {path: view for path, view in known.views.items() if path in changed}:
                return False
            known.marked = (known.marked - changed) | workers.marked()
            known.troubles = tuple(t for t in known.troubles if t.path not in changed)
        known.stamps = self.stamps
        return True

    def _learn(self, workers: Workers) -> Snapshot:
        found, facts, wanted = solve(workers, self.request.facts_file)
        self.parsed += len(found)
        self.new_facts = True
        snapshot = Snapshot(self.stamps, wanted, workers.marked(), found, None)
        snapshot.facts = facts
        snapshot.learnt = learnt_from(facts, len(found))
        return snapshot

    def _answered(self, workers: Workers, known: Snapshot) -> dict[str, Answer]:
        """Ask for what is not known, and remember it."""
        self.known = known
        answers = self._answers()
        asked = [path for path in dict.fromkeys(self.request.files) if path not in answers]
        answers.update(self._ask(workers, known, asked))
        known.answers(self.question).update(answers)
        known.troubles = tuple({*known.troubles, *workers.troubles()})
        _KNOWN[self.request.root] = known
        if self.store is not None and not self.request.overlay:
            save(self.store, known, self.question, self.new_facts)
        return answers

    def _ask(self, workers: Workers, known: Snapshot, asked: list[str]) -> dict[str, Answer]:
        """Let the rules look at files in view, and parse the others while that is cheap."""
        root, viewed, wanted = self.request.root, known.in_view(), set(asked)
        modules = {
            module_name(root, path): path
            for path in asked
            if path in viewed and (self.request.include_tests or not is_test(root, path))
        }
        idle = [path for path in asked if path not in viewed]
        check = sum(self.stamps[path].size for path in self.request.files) <= SYNTAX_BYTES
        if check:
            workers.check_syntax(idle)
        findings = workers.judge(self._facts(known), modules, self.request.select) if modules else []
        by_path: dict[str, list[Finding]] = {}
        for finding in findings:
            by_path.setdefault(finding.path, []).append(finding)
        troubles: dict[str, list[Trouble]] = {}
        for trouble in {*workers.troubles(), *(t for t in known.troubles if t.path in wanted)}:
            troubles.setdefault(trouble.path, []).append(trouble)
        return {
            path: Answer(
                self.stamps[path],
                tuple(by_path.get(path, ())),
                tuple(sorted(troubles.get(path, ()))),
                check or path in viewed,
                path in known.marked,
            )
            for path in asked
        }

    def _facts(self, known: Snapshot) -> Facts:
        if known.facts is None:
            known.facts = _joined(known.found() or {}, self.request.facts_file)
        facts: Facts = known.facts
        return facts

    def _workers(self, paths: Iterable[str], ready: Mapping[str, Any] | None = None) -> Workers:
        """Processes for some files; `ready` are summaries that need not be made."""
        sizes = {path: self.stamps[path].size for path in paths}
        return Workers(
            self.request.root, self.request.overlay, sizes, self.request.jobs, self.packages, ready or {}
        )


def solve(workers: Workers, facts_file: bool) -> tuple[Found, Facts, tuple[Wanted, ...]]:
    """Join the facts; files that use what was learnt may hold further facts, so they are summarised too."""
    found = workers.first_facts()
    first = list(found)
    tried: list[Wanted] = []
    for _ in range(ROUNDS):
        facts = _joined(found, facts_file)
        tried.append(wanted_by(*facts, first))
        more = workers.more_facts(tried[-1])
        if not more:
            return found, facts, tuple(tried)
        found = dict(sorted({**found, **more}.items()))
    return found, _joined(found, facts_file), tuple(tried)


def _joined(found: Found, facts_file: bool) -> Facts:
    summaries = {module: summary for module, (_, summary) in found.items()}
    if facts_file and not any(module.startswith(f"{PACKAGE}.") for module in summaries):
        from pplint.engine.elsewhere import bundled_summaries

        summaries = {**bundled_summaries(), **summaries}
    project = Project(summaries, {module: path for module, (path, _) in found.items()})
    return Facts(project, Accessors(project))


def _tree_files(request: JudgeRequest) -> list[str]:
    from pplint.files.discover import find_python_files

    root = find_root((request.root,), None)
    folders = [root.folder]
    if request.facts_file and os.path.basename(root.folder) != PACKAGE and (found := installed_package()):
        folders.append(found)
    everything = find_python_files(folders, exclude=(), base=root.folder, respect_gitignore=False).files
    return sorted({*everything, *request.files})
