"""The readiness matrix: a row for each model class, a column for each duty of pipeline parallelism."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from pplint.engine.readiness import COLUMNS, MET, MISSING, NOT_APPLICABLE, UNKNOWN, VERDICTS, Cell, Row
from pplint.reports.html.escaped import element_id, place, prose, safe
from pplint.reports.summary import plural

SIGNS = {MET: "\u2713", MISSING: "\u2717", NOT_APPLICABLE: "\u2013", UNKNOWN: "?"}
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
    for row in rows:
        yield _row(row, shown)
    yield '</tbody></table></div><p class="none" id="no-class" hidden>No class matches.</p></section>'


def _legend() -> Iterator[str]:
    yield '<details class="legend"><summary>What the columns and signs mean</summary><dl>'
    for column in COLUMNS:
        yield f"<dt>{safe(column.title)}</dt><dd>{prose(column.question)}</dd>"
    for state, sign in SIGNS.items():
        yield f'<dt><span class="{element_id(state)}">{sign}</span></dt><dd>{safe(MEANINGS[state])}</dd>'
    yield "</dl></details>"


def _row(row: Row, shown: Shown) -> str:
    where = _place(row.path, row.line, shown)
    cells = "".join(_cell(cell, shown) for cell in row.cells)
    items = "".join(
        f'<li class="{element_id(cell.state)}"><b>{safe(column.title)}</b> {_told(cell, shown)}</li>'
        for column, cell in zip(COLUMNS, row.cells, strict=True)
    )
    gaps = sum(cell.state == MISSING for cell in row.cells)
    summary = plural(gaps, "gap") if gaps else "no gap"
    file = where.rpartition("/")[2]
    return (
        f'<tr class="class" data-verdict="{safe(row.verdict)}"><th scope="row"><span class="name">'
        f"{safe(row.name)}</span><details><summary>{safe(file)}, {summary}</summary>"
        f'<p class="at">{place(where)}</p><ul>{items}</ul></details></th>'
        f'<td><span class="verdict {element_id(row.verdict)}">{safe(row.verdict)}</span></td>{cells}</tr>\n'
    )


def _cell(cell: Cell, shown: Shown) -> str:
    state = safe(cell.state)
    where = f" {_place(cell.path, cell.line, shown)}" if cell.path else ""
    note = safe(f"{cell.reason}{where}".strip())
    title = f' title="{note}"' if note else ""
    line = f"<small>{cell.line}</small>" if cell.state == MISSING and cell.line else ""
    return (
        f'<td class="{element_id(cell.state)}"{title}><span aria-hidden="true">{SIGNS.get(cell.state, "?")}</span>'
        f'<span class="unseen">{state}</span>{line}</td>'
    )


def _told(cell: Cell, shown: Shown) -> str:
    rule = f" ({safe(cell.code)})" if cell.code else ""
    where = f' <span class="at">{place(_place(cell.path, cell.line, shown))}</span>' if cell.path else ""
    reason = f": {prose(cell.reason)}" if cell.reason else ""
    return f"{safe(cell.state)}{rule}{reason}{where}"


def _place(path: str, line: int, shown: Shown) -> str:
    return f"{shown(path)}:{line}" if line else shown(path)
