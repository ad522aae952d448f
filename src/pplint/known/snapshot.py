"""What is known of a tree from an earlier look, in this process or on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pplint.finding import Trouble
from pplint.judge.learnt import Learnt
from pplint.judge.wanted import Wanted
from pplint.known.answers import Answers, read_answers
from pplint.known.listing import Listing
from pplint.known.rows import read_trouble
from pplint.known.stamps import Stamp
from pplint.known.store import WRONG, Store
from pplint.records import Record
from pplint.source.digest import digest_of

if TYPE_CHECKING:
    from pplint.engine.facts import Facts
    from pplint.engine.names import Rows
    from pplint.known.facts import KeptFacts

_STAMPS = "stamps.json"
_WANTED = 5
"""So many parts of what is wanted are kept."""

Summaries = dict[str, tuple[str, dict[str, Any]]]
"""The path and the summary of each module in view."""


class View(Record):
    """A file in view: its module, the round of looking that took it in, and names for what it says and where."""

    module: str
    round: int
    said: str
    lines: str


class Views(Mapping[str, View]):
    """The files in view of one look by path; what is not `known` is found out from the summary when it is asked for.

    To ask for one may raise Lost.
    """

    def __init__(self, look: Snapshot, known: dict[str, View]) -> None:
        self.known = known
        self._look = look
        self._modules = {path: module for module, path in look.files.items()}

    def __getitem__(self, path: str) -> View:
        view = self.known.get(path)
        if view is None:
            module = self._modules[path]
            summary = self._look.summary(module)
            view = self.known[path] = view_of(module, self._look.rounds[module], summary)
        return view

    def module(self, path: str) -> str:
        """The module of a file in view."""
        return self._modules[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __contains__(self, path: object) -> bool:
        return path in self._modules


def said_by(summary: dict[str, Any]) -> str:
    """A name for what a summary says apart from lines."""
    return view_of("", 0, summary).said


class Snapshot:
    """A tree as it was: stamps of all files, the facts of those in view, answers by kind of question."""

    def __init__(
        self,
        stamps: dict[str, Stamp],
        wanted: tuple[Wanted, ...],
        files: dict[str, str],
        rounds: dict[str, int],
        views: Mapping[str, View] | None = None,
    ) -> None:
        self.stamps = stamps
        self.wanted = wanted
        self.files = files
        """The paths of the files in view by module."""
        self.rounds = rounds
        """The round of looking that took a file into view, by module."""
        self.views = Views(self, {**(views or {})})
        self.listing = Listing((), (), {})
        self.marked: frozenset[str] = frozenset()
        self.learnt = Learnt()
        self.troubles: tuple[Trouble, ...] = ()
        self.state = ""
        """The digest of the index on disk, which the answers there go with."""
        self.base = ""
        """The name of the facts on disk that this rests on, with the lines in `moved`."""
        self.moved: dict[str, list[int]] = {}
        self.found_more = False
        """Whether compared questions were answered that are not on disk."""
        self.store: Store | None = None
        self.kept: KeptFacts | None = None
        self.joined: Facts | None = None
        self._answers: dict[str, Answers] = {}

    @property
    def name(self) -> str:
        """A name for the facts that the files in view give, their lines included."""
        return digest_of(json.dumps(dict(self.views), sort_keys=True))

    def in_view(self) -> Collection[str]:
        """The paths of the files in view."""
        return self.files.values()

    def says_as(self, other: Snapshot, path: str) -> bool:
        """Whether a file says the same as in another look, on the same lines. Raises Lost."""
        if path not in self.views or path not in other.views:
            return False
        if self.in_memory() and other.in_memory():
            module = self.views.module(path)
            if module in other.files and self.summary(module) is other.summary(module):
                return True
        return self.views[path] == other.views[path]

    def facts(self) -> Facts:
        """The joined facts; from disk only as far as they are asked for. Raises Lost."""
        if self.joined is None:
            self.joined = self._from_disk().facts(self.files)
        return self.joined

    def take(self, facts: Facts) -> None:
        """Use these facts."""
        self.joined = facts

    def compare(self, answers: Mapping[str, Rows]) -> None:
        """Take in answers to compared questions, by question."""
        tables = self.facts().project.tables
        for name, rows in answers.items():
            known = tables.setdefault(name, {})
            self.found_more = self.found_more or not known.keys() >= rows.keys()
            known.update(rows)

    def rest_on(self, other: Snapshot, moved: Mapping[str, list[int]] | None = None) -> None:
        """Use the facts of another look, with the lines of some modules changed; then they must be on disk."""
        self.store, self.base, self.moved = other.store, other.base, {**other.moved, **(moved or {})}
        if not moved:
            self.joined, self.kept = other.joined, other.kept

    def in_memory(self) -> bool:
        """Whether all facts are here; then what is on disk may be newer."""
        joined = self.joined is not None and not self.joined.project.lazy
        return joined or (self.kept is not None and self.kept.all_read())

    def summaries(self) -> Summaries:
        """All summaries; the tables come into memory too, since what is on disk gives way to what follows. Raises Lost."""
        found = {module: (self.files[module], self.summary(module)) for module in sorted(self.files)}
        if self.kept is not None:
            self.kept.read_tables()
        return found

    def summary(self, module: str) -> dict[str, Any]:
        """The summary of a module in view. Raises Lost."""
        if self.joined is not None and not self.joined.project.lazy:
            summary: dict[str, Any] = dict.__getitem__(self.joined.project.summaries, module)
            return summary
        return self._from_disk().summary(module)

    def tears(self, module: str, lines: list[int]) -> bool:
        """Whether the facts on disk cannot follow the lines of a module to these. Raises Lost."""
        return self._from_disk().tears(module, lines)

    def _from_disk(self) -> KeptFacts:
        if self.kept is None:
            from pplint.known.facts import KeptFacts

            assert self.store is not None
            self.kept = KeptFacts(self.store, self.base, self.moved)
        return self.kept

    def answers(self, question: str) -> Answers:
        """The known answers to a question (a set of rules)."""
        if question not in self._answers:
            loaded = None
            if self.store is not None:
                loaded = read_answers(self.store, question, self.stamps, self.state)
            self._answers[question] = loaded or Answers()
        return self._answers[question]

    def keep(self, question: str, answers: Answers) -> None:
        """Put answers to a question in the place of those that were known."""
        self._answers[question] = answers

    def save(self, store: Store, question: str) -> None:
        """Keep what can be known again: nothing that came from an overlay or was changed just now."""
        if self.joined is not None and not self.joined.project.lazy and self.base != (name := self.name):
            from pplint.known.facts import save_facts

            save_facts(store, name, self.joined)
            self.base, self.moved, self.found_more = name, {}, True
        if self.found_more:
            from pplint.known.kept_tables import save_compared

            save_compared(store, self.base, self.facts().project.tables)
            self.found_more = False
        index = {
            "base": self.base,
            "moved": self.moved,
            "views": dict(self.views),
            "stamps": store.save_table(_STAMPS, _by_folder(self.stamps)),
            "tops": self.listing.tops,
            "folders": self.listing.folders,
            "beyond": sorted(self.stamps.keys() - set(self.listing.files)),
            "marked": sorted(self.marked),
            "learnt": self.learnt,
            "troubles": sorted(self.troubles),
            "wanted": [
                [
                    sorted(one.decode() if isinstance(one, bytes) else one for one in part)
                    for part in wanted[:_WANTED]
                ]
                for wanted in self.wanted
            ],
        }
        self.state = store.save("index.json", index)
        self.answers(question).save(store, question, self.stamps, self.state)


def _by_folder(stamps: Mapping[str, Stamp]) -> dict[str, dict[str, Stamp]]:
    """The stamps of files on disk; most of the paths' text is that of folders."""
    folders: dict[str, dict[str, Stamp]] = {}
    for path, stamp in stamps.items():
        start = path.rfind(os.sep) + 1
        folders.setdefault(path[:start], {})[path[start:]] = stamp
    return folders


def load(store: Store) -> Snapshot | None:
    """The snapshot on disk, or None. Raises nothing that a damaged or hostile file could cause."""
    data, state = store.load_with_digest("index.json")
    try:
        stamps = {
            folder + name: str(stamp)
            for folder, names in store.load_table(_STAMPS, data["stamps"]).items()
            for name, stamp in names.items()
        }
        wanted = tuple(Wanted(*_wanted(parts)) for parts in data["wanted"])
        views = {
            path: View(str(module), int(number), str(said), str(lines))
            for path, (module, number, said, lines) in data["views"].items()
        }
        files = {view.module: path for path, view in views.items()}
        rounds = {view.module: view.round for view in views.values()}
        snapshot = Snapshot(stamps, wanted, files, rounds, views)
        beyond = frozenset(map(str, data["beyond"]))
        inside = tuple(path for path in stamps if path not in beyond)
        snapshot.listing = Listing(tuple(map(str, data["tops"])), inside, dict(data["folders"]))
        snapshot.marked = frozenset(map(str, data["marked"]))
        snapshot.troubles = tuple(map(read_trouble, data["troubles"]))
        snapshot.learnt = Learnt(*map(int, data["learnt"]))
        snapshot.base = str(data["base"])
        snapshot.state = state
        snapshot.moved = {
            str(module): [int(line) for line in lines] for module, lines in data["moved"].items()
        }
    except WRONG:
        return None
    snapshot.store = store
    return snapshot


def view_of(module: str, number: int, summary: dict[str, Any]) -> View:
    """The view of a file from the summary of its module."""
    from pplint.known.lines import lines_aside

    with lines_aside(summary) as lines:
        said = json.dumps(summary)
    return View(module, number, digest_of(said), digest_of(json.dumps(lines)))


def _wanted(parts: Any) -> list[Any]:
    attributes, functions, kept, keepers, modules = parts
    return [
        frozenset(one.encode() for one in attributes),
        tuple(one.encode() for one in functions),
        frozenset(one.encode() for one in kept),
        frozenset(one.encode() for one in keepers),
        frozenset(str(one) for one in modules),
    ]
