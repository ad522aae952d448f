"""One request to judge files, and what is known about them from earlier looks."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pplint.engine.elsewhere import installed_package
from pplint.engine.root import PACKAGE, find_root
from pplint.files.above import is_project
from pplint.finding import Finding, Trouble, report_order
from pplint.judge.learnt import Learnt
from pplint.known.listing import listing_of
from pplint.known.rows import Answer
from pplint.known.snapshot import Snapshot
from pplint.known.stamps import size_of, stamps_of
from pplint.known.store import Store
from pplint.records import Record
from pplint.source.digest import digest_of

SYNTAX_BYTES = 4_000_000
"""Files that no rule needs are parsed for their troubles as long as they are no more than this in all."""


class JudgeRequest(Record):
    """What to judge: `root` as `find_root` gives it, `files` absolute real paths, `overlay` contents in their place.

    Test code has no say in what other code means: with `include_tests` it is judged, and its facts count too.
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

    @property
    def tree(self) -> str:
        """A name for what is known of the root's files: with test code in view it is something else."""
        return f"{self.root} and its tests" if self.include_tests else self.root


class Judged(Record):
    """The findings of the files in report order, what went wrong, and how many files were parsed.

    `marked` are the files that hold a comment of pplint's, `learnt` says how much there was to judge by.
    """

    findings: tuple[Finding, ...]
    troubles: tuple[Trouble, ...]
    parsed: int
    marked: frozenset[str] = frozenset()
    learnt: Learnt = Learnt()


class Case:
    """A request, the stamps of all files of its tree, and the earlier looks at that, the latest first.

    `question` is a name for what is asked of each file, `few` says that all files asked about are parsed.
    """

    def __init__(self, request: JudgeRequest, known: list[Snapshot], store: Store | None) -> None:
        self.request = request
        self.known = known
        self.store = store
        self.listing = listing_of(_tops(request), [one.listing for one in known])
        self.stamps = stamps_of(sorted({*self.listing.files, *request.files}), request.overlay)
        self.files = dict.fromkeys(request.files)
        self.few = sum(size_of(self.stamps[path]) for path in self.files) <= SYNTAX_BYTES
        kind = [sorted(request.select), request.include_tests]
        self.question = digest_of(repr(kind), 8)

    def changed(self, before: Snapshot) -> set[str]:
        """The paths of the files that are not as they were at an earlier look, new and gone ones among them."""
        return {path for path, _ in self.stamps.items() ^ before.stamps.items()}

    def unchanged(self) -> Snapshot | None:
        """An earlier look at the same files, or None."""
        return next((one for one in self.known if one.stamps == self.stamps), None)

    def held(self, snapshot: Snapshot) -> dict[str, Answer]:
        """The answers of a look that hold for the files of the request."""
        known = snapshot.answers(self.question)
        return {
            path: answer
            for path in self.files
            if (answer := known.get(path)) is not None
            and answer.stamp == self.stamps[path]
            and (answer.checked or not self.few)
        }


def judged(answers: Mapping[str, Answer], learnt: Learnt, parsed: int) -> Judged:
    """Put the answers for all files of a request together."""
    findings = [finding for answer in answers.values() for finding in answer.findings]
    troubles = {trouble for answer in answers.values() for trouble in answer.troubles}
    marked = frozenset(path for path, answer in answers.items() if answer.marked)
    ordered = tuple(sorted(findings, key=report_order))
    return Judged(ordered, tuple(sorted(troubles)), parsed, marked, learnt)


def _tops(request: JudgeRequest) -> tuple[str, ...]:
    """The folders whose files may say something about those of the request.

    Without a package and without a project that is no folder: what lies beside a file in a home folder is not asked.
    """
    root = find_root((request.root,), None)
    tops = [root.folder] if os.path.basename(root.folder) == PACKAGE or is_project(root.folder) else []
    if request.facts_file and os.path.basename(root.folder) != PACKAGE and (found := installed_package()):
        tops.append(found)
    return tuple(tops)
