"""What the formats of the readiness matrix share: the order of rows, and gaps gathered by their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pplint.readiness.duties import COLUMNS, MISSING, NOT_APPLICABLE, UNKNOWN, VERDICTS, Cell, Row
from pplint.records import Record
from pplint.reports.paths import display_path
from pplint.reports.report import Report

SHOWN_NAMES = 4


class Gap(Record):
    """A cell at a place, with the names of all classes that have it."""

    place: str
    column: str
    cell: Cell
    names: tuple[str, ...]


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Return the rows by verdict, the ready ones first, then by name."""
    return sorted(rows, key=lambda row: (VERDICTS.index(row.verdict), row.name.lower(), row.path))


def gaps(rows: Iterable[Row], state: str, report: Report) -> list[Gap]:
    """Return the cells in a state by file and line, one for each place and duty."""
    found: dict[tuple[str, int, int], tuple[Cell, dict[str, None]]] = {}
    for row in rows:
        for position, cell in enumerate(row.cells):
            if cell.state == state:
                key = (cell.path, cell.line, position)
                found.setdefault(key, (cell, {}))[1][row.name] = None
    return [
        Gap(place_of(cell.path, cell.line, report), COLUMNS[position].title, cell, tuple(names))
        for (_, _, position), (cell, names) in sorted(found.items(), key=lambda item: item[0])
    ]


def place_of(path: str, line: int, report: Report) -> str:
    """Return a place for people: the path as they see it, with the line if there is one."""
    shown = display_path(path, report)
    return f"{shown}:{line}" if line else shown


def names_text(names: Sequence[str]) -> str:
    """Return the names of classes for people: the first of them, and how many more there are."""
    more = len(names) - SHOWN_NAMES
    if more < 2:
        return ", ".join(names)
    return f"{', '.join(names[:SHOWN_NAMES])} and {more} more"


def figures(rows: Sequence[Row]) -> str:
    """Return how many classes came to which verdict."""
    counts = Counter(row.verdict for row in rows)
    asked = len(rows) - counts[NOT_APPLICABLE]
    words = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS[:-1])
    rest = f"; {counts[NOT_APPLICABLE]} not asked" if counts[NOT_APPLICABLE] else ""
    return f"{asked} model class{'' if asked == 1 else 'es'}: {words}{rest}"


def listed(rows: Iterable[Row], report: Report) -> list[tuple[str, list[Gap]]]:
    """Return the two lists below the table: a title, and its gaps."""
    known = list(rows)
    titles = (("Gaps", MISSING), ("Not known", UNKNOWN))
    return [(title, found) for title, state in titles if (found := gaps(known, state, report))]
