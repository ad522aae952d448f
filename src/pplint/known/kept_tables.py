"""The tables about a whole tree on disk: each is read when it is asked for, of the large ones a part."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping, MutableMapping
from typing import Any

from pplint.engine.asking import COMPARED
from pplint.engine.names import Rows
from pplint.known.store import WRONG, Lost, Store
from pplint.known.tables import MAKERS, move_lines

_TABLES = "tables.json"
_COMPARED = "compared.json"

_LARGE = frozenset({"above", "builds", "definers", "heirs"})
"""Tables of thousands of rows, of which a file asks for a few. No lines stand in them."""

_PARTS = 64
"""Into so many parts a large table is cut."""

Went = dict[str, dict[int, int]]
"""For some modules, where each line went."""

Places = Mapping[str, list[Any]]
"""Where the parts of tables stand in their file, by name of the part."""


def save_tables(store: Store, tables: Mapping[str, Rows]) -> dict[str, list[Any]]:
    """Keep the tables that can be made, and return where their parts are."""
    parts: dict[str, Rows] = {}
    for name, rows in ((name, tables[name]) for name in MAKERS):
        parts.update((part, {}) for part in _parts_of(name))
        if name in _LARGE:
            for key, row in rows.items():
                parts[_part_with(name, key)][key] = row
        else:
            parts[name] = rows
    return store.save_rows(_TABLES, parts)


def save_compared(store: Store, base: str, tables: Mapping[str, Rows]) -> None:
    """Keep the answers to compared questions that are known with the facts of a name. No lines stand in them."""
    store.save(_COMPARED, {"base": base, "rows": {name: tables.get(name, {}) for name in COMPARED}})


def _read_compared(store: Store, base: str) -> Mapping[str, Rows]:
    """Such answers, none where they are missing or damaged: whoever asks finds out."""
    data = store.load(_COMPARED)
    known = data.get("rows") if isinstance(data, dict) and data.get("base") == base else None
    sound = isinstance(known, dict) and all(isinstance(known.get(name), dict) for name in COMPARED)
    return known if sound and known is not None else {name: {} for name in COMPARED}


class KeptTables(MutableMapping[str, Rows]):
    """Tables by name from their `places`, and the answers to compared questions about the facts named `base`.

    `went` says for some modules where their lines went. To ask for a table raises Lost when it is gone or damaged.
    """

    def __init__(self, store: Store, base: str, places: Places, went: Went) -> None:
        """Raises KeyError where a table has no place."""
        self._store = store
        self._base = base
        self._names: Collection[str] = (*MAKERS, *COMPARED)
        self._places = {part: places[part] for name in MAKERS for part in _parts_of(name)}
        self._went = went
        self._read: dict[str, Rows] = {}
        self._parts: dict[str, Rows] = {}

    def all_read(self) -> bool:
        """Whether all tables are here, whatever becomes of the disk."""
        return all(name in self._read for name in self._names)

    def row(self, name: str, key: str) -> Any:
        """What a table says of a key, or None."""
        if name in self._read or name not in _LARGE:
            return self[name].get(key)
        return self._part(_part_with(name, key)).get(key)

    def __getitem__(self, name: str) -> Rows:
        if name not in self._read and name in COMPARED:
            self._read.update(_read_compared(self._store, self._base))
        elif name not in self._read and name in self._names:
            rows: Rows = {}
            for part in _parts_of(name):
                rows.update(self._part(part))
            try:
                for module, went in self._went.items():
                    move_lines(name, rows, module, went)
            except WRONG as error:
                raise Lost from error
            self._read[name] = rows
        return self._read[name]

    def _part(self, part: str) -> Rows:
        if part not in self._parts:
            rows = self._store.load_row(_TABLES, self._places[part])
            if not isinstance(rows, dict):
                raise Lost
            self._parts[part] = rows
        return self._parts[part]

    def __setitem__(self, name: str, rows: Rows) -> None:
        self._read[name] = rows

    def __delitem__(self, name: str) -> None:
        raise TypeError("a table stays")

    def __contains__(self, name: object) -> bool:
        return name in self._names or name in self._read

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._names, *self._read]))

    def __len__(self) -> int:
        return len({*self._names, *self._read})


def _parts_of(name: str) -> list[str]:
    return [f"{name} {number}" for number in range(_PARTS)] if name in _LARGE else [name]


def _part_with(name: str, key: str) -> str:
    return f"{name} {zlib.crc32(key.encode()) % _PARTS}"
