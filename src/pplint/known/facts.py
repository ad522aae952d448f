"""The facts of a tree on disk: the solution in one file, the summaries and the tables beside it, one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, MutableMapping
from typing import Any

from pplint.engine.accessors import GLOBAL, LOCAL, Accessors, Spaces
from pplint.engine.asking import COMPARED
from pplint.engine.facts import Facts
from pplint.engine.names import Rows
from pplint.engine.project import Project
from pplint.known.lines import lines_in, moved_lines, with_lines
from pplint.known.store import WRONG, Lost, Store
from pplint.known.tables import MAKERS, complete, move_lines

_FACTS = "facts.json"
_SUMMARIES = "summaries.json"
_TABLES = "tables.json"
_KINDS = {
    "imports": dict, "constants": dict, "classes": dict, "functions": dict,
    "entry": list, "builds": list, "handed": list, "prepared": list, "soft": list,
}  # fmt: skip

Went = dict[str, dict[int, int]]
"""For some modules, where each line went."""


def save_facts(store: Store, name: str, facts: Facts) -> None:
    """Keep the facts of a tree under a `name` that stands for all that the files in view say."""
    places = store.save_rows(_SUMMARIES, facts.project.summaries)
    tables = store.save_rows(_TABLES, complete(facts))
    spaces = facts.accessors.spaces
    store.save(_FACTS, {"name": name, "places": places, "tables": tables, "spaces": spaces})


class KeptTables(MutableMapping[str, Rows]):
    """The tables on disk, each read when it is asked for; `went` says for some modules where their lines went.

    To ask for one raises Lost when it is gone or damaged.
    """

    def __init__(self, store: Store, places: Mapping[str, list[Any]], went: Went) -> None:
        self._store = store
        self._places = places
        self._went = went
        self._read: dict[str, Rows] = {}

    def all_read(self) -> bool:
        """Whether all tables are here, whatever becomes of the disk."""
        return self._places.keys() <= self._read.keys()

    def __getitem__(self, name: str) -> Rows:
        if name not in self._read and name in self._places:
            self._read[name] = self._from_disk(name)
        return self._read[name]

    def _from_disk(self, name: str) -> Rows:
        try:
            rows = _rows(self._store.load_row(_TABLES, self._places[name]))
            for module, went in self._went.items():
                move_lines(name, rows, module, went)
        except WRONG as error:
            raise Lost from error
        return rows

    def __setitem__(self, name: str, rows: Rows) -> None:
        self._read[name] = rows

    def __delitem__(self, name: str) -> None:
        raise TypeError("a table stays")

    def __contains__(self, name: object) -> bool:
        return name in self._places or name in self._read

    def __iter__(self) -> Iterator[str]:
        return iter({**self._places, **self._read})

    def __len__(self) -> int:
        return len(self._places.keys() | self._read.keys())


class KeptFacts:
    """The facts on disk under a name; `moved` are the lines of modules that say what they said, elsewhere."""

    def __init__(self, store: Store, name: str, moved: Mapping[str, list[int]]) -> None:
        self._store = store
        self._moved = moved
        self._read: dict[str, dict[str, Any]] = {}
        data = store.load(_FACTS)
        if not isinstance(data, dict) or data.get("name") != name:
            raise Lost
        try:
            self._places: dict[str, list[Any]] = data["places"]
            self._spaces = _spaces(data["spaces"])
            went = {module: self._move(module, lines) for module, lines in moved.items()}
            places = {table: data["tables"][table] for table in (*MAKERS, *COMPARED)}
            self._tables = KeptTables(store, places, went)
        except WRONG as error:
            raise Lost from error

    def modules(self) -> Collection[str]:
        """The modules whose summaries are kept."""
        return self._places.keys()

    def all_read(self) -> bool:
        """Whether all is here, whatever becomes of the disk."""
        return len(self._read) == len(self._places) and self._tables.all_read()

    def summary(self, module: str) -> dict[str, Any]:
        """The summary of a module, which stays here: what is on disk may give way to newer facts. Raises Lost."""
        if module not in self._read:
            self._read[module] = self._on_its_lines(module)
        return self._read[module]

    def _on_its_lines(self, module: str) -> dict[str, Any]:
        summary = self._row(module)
        try:
            return with_lines(summary, self._moved[module]) if module in self._moved else summary
        except WRONG as error:
            raise Lost from error

    def facts(self, files: Mapping[str, str]) -> Facts:
        """The joined facts; summaries are read when they are asked for. `files` are the paths by module."""
        project = Project({}, files, self)
        project.tables = self._tables
        return Facts(project, Accessors(project, self._spaces))

    def _row(self, module: str) -> dict[str, Any]:
        summary = self._store.load_row(_SUMMARIES, self._places.get(module, []))
        if not isinstance(summary, dict) or any(
            not isinstance(summary.get(key), kind) for key, kind in _KINDS.items()
        ):
            raise Lost
        return summary

    def tears(self, module: str, lines: list[int]) -> bool:
        """Whether what stood on one line of a module stands on several: then nothing can be moved along. Raises Lost."""
        before = self._row(module)
        try:
            return not moved_lines(before, with_lines(before, lines)).keys() >= set(lines_in(before))
        except WRONG as error:
            raise Lost from error

    def _move(self, module: str, lines: list[int]) -> dict[int, int]:
        """Let the evidence speak of the new lines of a module; return where its lines went."""
        before = self._row(module)
        went = moved_lines(before, with_lines(before, lines))
        for known in self._spaces.values():
            for parameters in known.values():
                for evidence in parameters.values():
                    if evidence[0] == module:
                        evidence[1] = went[evidence[1]]  # type: ignore[index]
        return went


def _rows(data: Any) -> Rows:
    if not isinstance(data, dict):
        raise TypeError("a table is no table")
    return data


def _spaces(data: Any) -> Spaces:
    spaces = {space: _rows(data[space]) for space in (GLOBAL, LOCAL)}
    if not all(
        map(
            _is_evidence,
            (row for known in spaces.values() for found in known.values() for row in found.values()),
        )
    ):
        raise TypeError("evidence is none")
    return spaces


def _is_evidence(row: Any) -> bool:
    module, line, text, following = row
    return (
        isinstance(module, str)
        and isinstance(line, int)
        and isinstance(text, str)
        and (following is None or len(following) == 2)
    )
