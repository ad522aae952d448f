"""The facts of a tree on disk: the solution in one file, the summaries and the tables beside it, one by one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pplint.engine.accessors import GLOBAL, LOCAL, Accessors, Spaces
from pplint.engine.facts import Facts
from pplint.engine.names import Rows
from pplint.engine.project import Project
from pplint.engine.summary import Summary
from pplint.known.kept_tables import KeptTables, save_tables
from pplint.known.lines import lines_in, moved_lines, with_lines
from pplint.known.packed import packed, unpacked
from pplint.known.store import WRONG, Lost, Store
from pplint.known.tables import complete

_FACTS = "facts.json"
_SUMMARIES = "summaries.json"


def save_facts(store: Store, name: str, facts: Facts) -> None:
    """Keep the facts of a tree under a `name` that stands for all that the files in view say."""
    places = store.save_rows(
        _SUMMARIES, {module: packed(one) for module, one in facts.project.summaries.items()}
    )
    tables = save_tables(store, complete(facts))
    spaces = facts.accessors.spaces
    store.save(_FACTS, {"name": name, "places": places, "tables": tables, "spaces": spaces})


class KeptFacts:
    """The facts on disk under a name; `moved` are the lines of modules that say what they said, elsewhere."""

    def __init__(self, store: Store, name: str, moved: Mapping[str, list[int]]) -> None:
        self._store = store
        self._moved = moved
        self._read: dict[str, Summary] = {}
        data = store.load(_FACTS)
        if not isinstance(data, dict) or data.get("name") != name:
            raise Lost
        try:
            self._places: dict[str, list[Any]] = data["places"]
            self._spaces = _spaces(data["spaces"])
            went = {module: self._move(module, lines) for module, lines in moved.items()}
            self._tables = KeptTables(store, name, data["tables"], went)
        except WRONG as error:
            raise Lost from error

    def modules(self) -> Collection[str]:
        """The modules whose summaries are kept."""
        return self._places.keys()

    def all_read(self) -> bool:
        """Whether all is here, whatever becomes of the disk."""
        return len(self._read) == len(self._places) and self._tables.all_read()

    def read_tables(self) -> None:
        """Bring all tables here. Raises Lost."""
        list(self._tables.values())

    def summary(self, module: str) -> Summary:
        """The summary of a module, which stays here: what is on disk may give way to newer facts. Raises Lost."""
        if module not in self._read:
            self._read[module] = self._on_its_lines(module)
        return self._read[module]

    def _on_its_lines(self, module: str) -> Summary:
        summary = self._row(module)
        try:
            return with_lines(summary, self._moved[module]) if module in self._moved else summary
        except WRONG as error:
            raise Lost from error

    def row(self, table: str, key: str) -> Any:
        """What a table says of a key, or None. Raises Lost."""
        return self._tables.row(table, key)

    def facts(self, files: Mapping[str, str]) -> Facts:
        """The joined facts; summaries are read when they are asked for. `files` are the paths by module."""
        project = Project({}, files, self)
        project.tables = self._tables
        return Facts(project, Accessors(project, self._spaces))

    def _row(self, module: str) -> Summary:
        try:
            return unpacked(self._store.load_row(_SUMMARIES, self._places.get(module, [])))
        except WRONG as error:
            raise Lost from error

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
