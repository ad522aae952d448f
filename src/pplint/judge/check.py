"""The judge: files in, findings out, by what is known already where that still holds."""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import TYPE_CHECKING

from pplint.engine.paths import packages_of
from pplint.engine.root import Root
from pplint.judge.case import Case, Judged, JudgeRequest, judged
from pplint.known.earlier import findings_of
from pplint.known.sayings import saying
from pplint.known.snapshot import Snapshot, load
from pplint.known.store import Lost, Store
from pplint.source.digest import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pplint.engine.facts import Facts
    from pplint.finding import Finding

__all__ = ["JudgeRequest", "Judged", "facts_of", "findings_then", "judge", "said"]

_KNOWN: dict[str, list[Snapshot]] = {}
"""The last looks at each tree in this process, the latest first."""


def judge(request: JudgeRequest) -> Judged:
    """Judge the files of a request."""
    collecting, first = gc.isenabled(), not _KNOWN
    gc.disable()
    store = Store(request.cache_dir, request.tree) if request.cache_dir else None
    known = _KNOWN.get(request.tree)
    if known is None and store is not None and (loaded := load(store)) is not None:
        known = [loaded]
    try:
        return _judged(Case(request, known or [], store))
    except Lost:
        return _judged(Case(request, [], store))
    finally:
        if collecting:
            if first:
                # Most processes look once: then the collector need not walk the facts again and again. What later looks
                # put in their place must not stay for ever.
                gc.freeze()
            gc.enable()


def findings_then(request: JudgeRequest, find: Callable[[], tuple[Finding, ...]]) -> tuple[Finding, ...]:
    """The findings of a request whose overlay is what files held at another time, kept for whoever asks again.

    `find` finds them where they are not known.
    """
    if request.cache_dir is None:
        return find()
    case = Case(request, _KNOWN.get(request.tree, []), None)
    key = digest_of(repr([case.question, request.files, sorted(case.stamps.items())]), 12)
    return findings_of(Store(request.cache_dir, request.tree), key, find)


def _judged(case: Case) -> Judged:
    snapshot = case.unchanged()
    answers = case.held(snapshot) if snapshot is not None else {}
    parsed = 0
    if snapshot is None or len(answers) < len(case.files):
        from pplint.judge.inquiry import Inquiry

        snapshot, answers, parsed = Inquiry(case).answered(snapshot)
        snapshot.listing = case.listing
        if case.store is not None and not case.request.overlay:
            snapshot.save(case.store, case.question)
    others = [one for one in case.known if one is not snapshot]
    _KNOWN[case.request.tree] = [snapshot, *others[:1]]
    return judged(answers, snapshot.learnt, parsed)


def forget(request: JudgeRequest) -> None:
    """Take nothing as known of the tree of a request."""
    _KNOWN.pop(request.tree, None)


def said(request: JudgeRequest, path: str, content: bytes | None = None) -> str:
    """A name for what a file in view says, lines aside, by the last look at the tree of a request.

    "" where that is not known. With `content`, for what it would say with that. Raises SourceError.
    """
    known = next(iter(_KNOWN.get(request.tree, [])), None)
    if content is None:
        return known.views[path].said if known is not None and path in known.views else ""
    packages = packages_of(request.root, known.stamps if known is not None else ())

    def find() -> str:
        from pplint.judge.inquiry import said_with

        return said_with(path, content, packages)

    if known is None or known.store is None:
        return find()
    return saying(known.store, content, packages, find)


def facts_of(root: Root, jobs: int = 0, cache_dir: str | None = None) -> Facts:
    """The facts of a tree, all of them in memory; with a cache, what it holds is not learnt again."""
    from pplint.judge.inquiry import Inquiry, joined

    request = JudgeRequest(root.path, (), {}, frozenset(), jobs=jobs, cache_dir=cache_dir)
    if cache_dir:
        judge(request)
        with suppress(Lost):  # another run may have put newer facts in their place
            return joined(_KNOWN[request.tree][0].summaries(), request.facts_file)
    inquiry = Inquiry(Case(request, [], None))
    with inquiry.open:
        return inquiry.learnt().facts()
