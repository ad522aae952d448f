"""What is known of a tree from an earlier look, in this process or on disk, and what of it still holds."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from pplint.engine.learnt import Learnt
from pplint.engine.reading import Wanted
from pplint.engine.store import Store
from pplint.finding import Edit, Finding, Fix, Span, Step, Trouble, asks_of


class Stamp(NamedTuple):
    """What tells whether a file is as before. `kind` is file, text (an overlay), fresh or gone; only the first two hold."""

    kind: str
    mark: str
    size: int


Found = dict[str, tuple[str, dict[str, Any]]]

_FRESH_NS = 20_000_000
"""A file that was changed this recently could change again without a new time stamp (clocks tick in steps)."""


class Answer(NamedTuple):
    """What the rules said of one file with these bytes and the facts of a snapshot.

    `checked` is False for a file that nobody parsed, `marked` True for one that holds a comment of pplint's.
    """

    stamp: Stamp
    findings: tuple[Finding, ...]
    troubles: tuple[Trouble, ...]
    checked: bool
    marked: bool


class Snapshot:
    """A tree as it was: stamps of all files, summaries of those in view, answers by kind of question."""

    def __init__(
        self,
        stamps: dict[str, Stamp],
        wanted: tuple[Wanted, ...],
        marked: frozenset[str],
        found: Found | None,
        store: Store | None,
    ) -> None:
        self.stamps = stamps
        self.wanted = wanted
        self.marked = marked
        self.facts: Any = None
        self.learnt = Learnt()
        self._views: dict[str, str] | None = None
        self.troubles: tuple[Trouble, ...] = ()
        self._found = found
        self._store = store
        self._answers: dict[str, dict[str, Answer]] = {}

    @property
    def views(self) -> dict[str, str]:
        """The files in view, each with a name for what its summary says."""
        if self._views is None:
            self._views = views_of(self._found or {})
        return self._views

    @views.setter
    def views(self, known: dict[str, str]) -> None:
        self._views = known

    @property
    def facts_id(self) -> str:
        """A name for the facts that the files in view give."""
        return blake2b(json.dumps(self.views, sort_keys=True).encode(), digest_size=16).hexdigest()

    def in_view(self) -> Collection[str]:
        """The paths of the files in view."""
        return {path for path, _ in self._found.values()} if self._found is not None else self.views.keys()

    def found(self) -> Found | None:
        """The summaries by module, with the path; None when the cache lost them."""
        if self._found is None and self._store is not None:
            data = self._store.load("view.json")
            if isinstance(data, dict) and data.get("facts") == self.facts_id:
                self._found = {module: (path, summary) for module, (path, summary) in data["found"].items()}
        return self._found

    def answers(self, question: str) -> dict[str, Answer]:
        """The known answers to a question (a set of rules) by path."""
        if question not in self._answers:
            self._answers[question] = {}
            if self._store is not None:
                self._answers[question] = _read_answers(
                    self._store.load(f"answers-{question}.json"), self.facts_id
                )
        return self._answers[question]


def stamps_of(paths: Iterable[str], overlay: Mapping[str, bytes]) -> dict[str, Stamp]:
    """A stamp for each file that tells whether it is as before; a file just changed is never as before."""
    now = time.time_ns()
    found: dict[str, Stamp] = {}
    for path in paths:
        data = overlay.get(path)
        if data is not None:
            found[path] = Stamp("text", blake2b(data, digest_size=16).hexdigest(), len(data))
            continue
        try:
            stat = os.stat(path)
        except OSError:
            found[path] = Stamp("gone", str(now), 0)
            continue
        fresh = max(stat.st_mtime_ns, stat.st_ctime_ns) > now - _FRESH_NS
        mark = str(now) if fresh else f"{stat.st_mtime_ns:x}.{stat.st_ctime_ns:x}.{stat.st_ino:x}"
        found[path] = Stamp("fresh" if fresh else "file", mark, stat.st_size)
    return found


def views_of(found: Found) -> dict[str, str]:
    """The files in view, each with a name for what its summary says."""
    return {
        path: blake2b(json.dumps([module, summary], sort_keys=True).encode(), digest_size=16).hexdigest()
        for module, (path, summary) in found.items()
    }


def load(store: Store) -> Snapshot | None:
    """The snapshot on disk, or None. Raises nothing that a damaged or hostile file could cause."""
    data = store.load("index.json")
    try:
        stamps = {path: Stamp(*stamp) for path, stamp in data["stamps"].items()}
        wanted = tuple(Wanted(*_wanted(parts)) for parts in data["wanted"])
        marked = frozenset(map(str, data["marked"]))
        snapshot = Snapshot(stamps, wanted, marked, None, store)
        snapshot.views = {path: str(view) for path, view in data["views"].items()}
        snapshot.troubles = tuple(map(_trouble, data["troubles"]))
        snapshot.learnt = Learnt(*map(int, data["learnt"]))
        return snapshot
    except (TypeError, KeyError, ValueError, AttributeError):
        return None


def save(store: Store, snapshot: Snapshot, question: str, new_facts: bool) -> None:
    """Keep what can be known again: nothing that came from an overlay or was changed just now."""
    if new_facts:
        store.save("view.json", {"facts": snapshot.facts_id, "found": snapshot.found()})
    index = {
        "views": snapshot.views,
        "stamps": snapshot.stamps,
        "marked": sorted(snapshot.marked),
        "learnt": snapshot.learnt,
        "troubles": sorted(snapshot.troubles),
        "wanted": [
            [sorted(one.decode() if isinstance(one, bytes) else one for one in part) for part in wanted]
            for wanted in snapshot.wanted
        ],
    }
    store.save("index.json", index)
    entries = {
        path: answer for path, answer in snapshot.answers(question).items() if answer.stamp.kind == "file"
    }
    store.save(f"answers-{question}.json", {"facts": snapshot.facts_id, "entries": entries})


def _wanted(parts: Any) -> list[Any]:
    attributes, functions, kept, keepers, modules = parts
    return [
        frozenset(one.encode() for one in attributes),
        tuple(one.encode() for one in functions),
        frozenset(one.encode() for one in kept),
        frozenset(one.encode() for one in keepers),
        frozenset(str(one) for one in modules),
    ]


def _read_answers(data: Any, wanted_id: str) -> dict[str, Answer]:
    try:
        if data["facts"] != wanted_id:
            return {}
        return {
            path: Answer(
                Stamp(*stamp),
                tuple(map(_finding, findings)) if findings else (),
                tuple(map(_trouble, troubles)) if troubles else (),
                checked is True,
                marked is True,
            )
            for path, (stamp, findings, troubles, checked, marked) in data["entries"].items()
        }
    except (TypeError, KeyError, ValueError, AttributeError):
        return {}


_TEXTS = (
    "code",
    "name",
    "severity",
    "path",
    "symbol",
    "message",
    "no_fix",
    "shape",
    "fingerprint",
    "changed_by",
)


def _finding(row: Any) -> Finding:
    """A finding from its row of plain data. Raises TypeError or ValueError for anything else."""
    raw = Finding(*row)
    if not all(isinstance(getattr(raw, name), str) for name in _TEXTS):
        raise TypeError("a text is no text")
    fix = None
    if raw.fix is not None:
        safety, message, edits = raw.fix
        fix = Fix(str(safety), str(message), tuple(Edit(_span(span), str(text)) for span, text in edits))
    return raw._replace(
        span=_span(raw.span),
        trace=tuple(Step(str(p), int(line), int(column), str(text)) for p, line, column, text in raw.trace),
        fix=fix,
        statement=None if raw.statement is None else _span(raw.statement),
        impact=None,
        asks=asks_of(raw.asks),
    )


def _span(row: Any) -> Span:
    return Span(*(int(number) for number in row))


def _trouble(row: Any) -> Trouble:
    path, line, message, code = row
    return Trouble(str(path), int(line), str(message), str(code))
