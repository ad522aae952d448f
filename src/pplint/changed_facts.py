"""Findings in untouched code that a change elsewhere causes, such as an accessor that takes another id."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

from pplint.engine.paths import content
from pplint.finding import INFO, Finding
from pplint.records import Record
from pplint.source.text import SourceError

HINT = b"layer"
"""A file without these bytes says nothing about layers, so its old version need not be looked up."""


Findings = Callable[[tuple[str, ...], Mapping[str, bytes]], tuple[Finding, ...]]
"""A judge: the findings of files, with contents in the place of those on disk."""

Said = Callable[[str, bytes | None], str]


class Question(Record):
    """Which answers to compare: what `files` get with the new and the old contents of `changed`.

    `judged` are the files that are judged already; `revision` is git's name of the old contents. Paths are
    absolute and real; `root` shortens them in texts. `said` is the judge's name for what a file says,
    with a content for what it says then. It may give "" for a file as it is, and raises SourceError.
    """

    revision: str
    changed: tuple[str, ...]
    judged: tuple[str, ...]
    files: Callable[[], tuple[str, ...]]
    root: str
    said: Said


class Answer(Record):
    """All findings, the new ones marked; those that are gone; a sentence for `--verbose`, if there is one."""

    findings: tuple[Finding, ...]
    gone: list[Finding]
    notes: tuple[str, ...] = ()


def compared(
    question: Question,
    now_in: Findings,
    then_in: Findings,
    found: tuple[Finding, ...],
    overlay: Mapping[str, bytes],
) -> Answer:
    """Add to what was `found` the findings that are due to changed facts, and tell which are gone.

    The judges are for contents as they are now, and as they were at the revision.
    """
    from pplint.git import GitError

    try:
        old = old_contents(question.revision, question.changed, overlay, question.said)
    except GitError as error:
        return Answer(found, [], (f"facts are not compared with the last commit's: {error}",))
    if not old:
        return Answer(found, [])
    files = question.files()
    now = found if files == question.judged else now_in(files, overlay)
    before = then_in(files, {**overlay, **old})
    new, gone = compare(before, now, old.keys(), question.root)
    places = {(item.path, item.span, item.code) for item in new}
    kept = [item for item in found if (item.path, item.span, item.code) not in places]
    note = f"facts of {', '.join(_shown(path, question.root) for path in sorted(old))} changed"
    return Answer((*kept, *new), gone, (note,))


class Difference(Record):
    """What changed facts make of code that nobody touched.

    `new` findings carry `changed_by`; `gone` are findings of unchanged files that the old facts gave.
    """

    new: list[Finding]
    gone: list[Finding]


def compare(
    before: Iterable[Finding], now: Iterable[Finding], changed: Collection[str], root: str
) -> Difference:
    """Compare the findings under the old and the new contents of the `changed` files (absolute real paths).

    Findings are matched without line numbers. Paths in `changed_by` are relative to `root`.
    """
    left = Counter(_identity(finding) for finding in before)
    left.subtract(_identity(finding) for finding in now)
    gone, new = +left, -left
    return Difference(
        [_marked(item, changed, root) for item in _taken(now, new)],
        [item for item in _taken(before, gone) if item.path not in changed and item.severity != INFO],
    )


def old_contents(
    revision: str, paths: Iterable[str], overlay: Mapping[str, bytes], said: Said
) -> dict[str, bytes]:
    """Return what `revision` holds for those of `paths` that say something else about layers now.

    A file that is not in `revision` was empty then. Raises GitError.
    """
    now = {path: data for path in paths if HINT in (data := content(path, overlay) or b"")}
    if not now:
        return {}
    from pplint.git import contents_at, top_level

    top = top_level(min(now))
    then = contents_at(revision, top, now) if top else now
    return {
        path: then.get(path, b"")
        for path, data in now.items()
        if _facts_differ(path, then.get(path, b""), data, said)
    }


def _facts_differ(path: str, then: bytes, now: bytes, said: Said) -> bool:
    if then == now:
        return False
    try:
        new = said(path, None) or said(path, now)
    except SourceError:
        return False  # the judge names the file
    try:
        return new != said(path, then)
    except SourceError:
        return True


def _identity(finding: Finding) -> tuple[str, str, str, str, str]:
    return (finding.path, finding.code, finding.severity, finding.symbol, finding.fingerprint)


def _taken(findings: Iterable[Finding], counts: Counter[tuple[str, str, str, str, str]]) -> list[Finding]:
    """As many of the findings as `counts` says of each identity."""
    left = Counter(counts)
    taken = []
    for finding in findings:
        if left[_identity(finding)] > 0:
            left[_identity(finding)] -= 1
            taken.append(finding)
    return taken


def _marked(finding: Finding, changed: Collection[str], root: str) -> Finding:
    """Say which changed line the finding rests on, or at least which files changed."""
    for step in finding.trace:
        if step.path in changed:
            place = f"{_shown(step.path, root)}:{step.line}"
            return finding._replace(changed_by=f"{place}: {step.text}")
    return finding._replace(changed_by=", ".join(_shown(path, root) for path in sorted(changed)))


def _shown(path: str, root: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")
