"""The readiness matrix: a row for each model class, a column for each duty of pipeline parallelism."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from pplint.readiness.duties import COLUMNS, MET, MISSING, NOT_APPLICABLE, UNKNOWN, VERDICTS, Cell, Row
from pplint.reports.html.escaped import element_id, place, prose, safe
from pplint.reports.summary import plural

MEANINGS = {
    MET: "met",
    MISSING: "missing: the place of the gap is in the row's details",
    NOT_APPLICABLE: "not asked of this class",
    UNKNOWN: "not known from the sources",
}

Shown = Callable[[str], str]
"""Gives the path that is shown for an absolute one."""


def matrix(rows: Sequence[Row], shown: Shown) -> Iterator[str]:
    """Return the section with the matrix."""
    yield '<section class="view" id="readiness" aria-labelledby="readiness-title">'
    yield '<h2 id="readiness-title" tabindex="-1">Readiness</h2>'
    counts = Counter(row.verdict for row in rows)
    parts = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict]]
    yield f'<p class="lead">Model classes: {safe(", ".join(parts))}</p>'
    yield from _legend()
    yield '<div class="scroll" tabindex="0" role="region" aria-label="Readiness matrix"><table class="matrix">'
    heads = "".join(
        f'<th scope="col" title="{safe(column.question)}">{safe(column.title)}</th>' for column in COLUMNS
    )
    yield f'<thead><tr><th scope="col">Model class</th><th scope="col">Verdict</th>{heads}</tr></thead><tbody>'
    for row in sorted(rows, key=lambda row: VERDICTS.index(row.verdict)):
        yield _row(row, shown)
    yield '</tbody></table></div><p class="none" id="no-class" hidden>No class matches.</p></section>'


def _legend() -> Iterator[str]:
    yield '<details class="legend"><summary>What the columns and signs mean</summary><dl>'
    for column in COLUMNS:
        yield f"<dt>{safe(column.title)}</dt><dd>{prose(column.question)}</dd>"
    for state, meaning in MEANINGS.items():
        yield f'<dt class="{element_id(state)}"><i>{safe(state)}</i></dt><dd>{safe(meaning)}</dd>'
    yield "</dl></details>"


def _row(row: Row, shown: Shown) -> str:
    where = _place(row.path, row.line, shown)
    cells = "".join(_cell(cell) for cell in row.cells)
    items = "".join(_items(row, shown))
    gaps = sum(cell.state == MISSING for cell in row.cells)
    summary = ", ".join([where.rpartition("/")[2], *([plural(gaps, "gap")] if gaps else [])])
    return (
        f'<tr class="class" data-verdict="{safe(row.verdict)}"><th scope="row"><span class="name">'
        f"{safe(row.name)}</span><details><summary>{safe(summary)}</summary>"
        f'<p class="at">{place(where)}</p><ul>{items}</ul></details></th>'
        f'<td><span class="verdict {element_id(row.verdict)}">{safe(row.verdict)}</span></td>{cells}</tr>\n'
    )


def _cell(cell: Cell) -> str:
    """The state in a word, which the style replaces by its sign for the eye, and the line of a gap."""
    line = f"<small>{cell.line}</small>" if cell.state == MISSING and cell.line else ""
    return f'<td class="{element_id(cell.state)}"><i>{safe(cell.state)}</i>{line}</td>'


def _items(row: Row, shown: Shown) -> Iterator[str]:
    """What each cell rests on, once for neighbours that rest on the same."""
    pairs = zip(COLUMNS, row.cells, strict=True)
    for cell, group in groupby(pairs, key=lambda pair: pair[1]):
        titles = ", ".join(column.title for column, _ in group)
        yield f'<li class="{element_id(cell.state)}"><b>{safe(titles)}</b> {_told(cell, row, shown)}</li>'


def _told(cell: Cell, row: Row, shown: Shown) -> str:
    rule = f" ({safe(cell.code)})" if cell.code else ""
    reason = f": {prose(cell.reason)}" if cell.reason else ""
    if not cell.path:
        return f"{safe(cell.state)}{rule}{reason}"
    where = (
        f"line {cell.line}" if cell.path == row.path and cell.line else _place(cell.path, cell.line, shown)
    )
    return f'{safe(cell.state)}{rule}{reason} <span class="at">{place(where)}</span>'


def _place(path: str, line: int, shown: Shown) -> str:
    return f"{shown(path)}:{line}" if line else shown(path)
