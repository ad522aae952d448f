"""The readiness matrix for a terminal: a table, what its signs mean, and the gaps with their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TextIO

from pplint.readiness.duties import (
    COLUMNS,
    MET,
    MISSING,
    NOT_APPLICABLE,
    UNKNOWN,
    VERDICT_MEANINGS,
    Cell,
    Row,
)
from pplint.reports.harmless import harmless
from pplint.reports.readiness_gaps import figures, in_order, listed, names_text, place_of
from pplint.reports.report import Report

SIGNS = {MET: "+", MISSING: "gap", NOT_APPLICABLE: "-", UNKNOWN: "?"}
_LEGEND = "+ met   gap or PPLnnn: missing, with the rule that reports it if there is one   - does not apply   ? not known"
_CODE = len("PPL000")
_WIDTHS = [max(len(column.title), _CODE) for column in COLUMNS]


def render(report: Report, out: TextIO) -> None:
    """Write the matrix of `report.readiness` as text."""
    for line in _lines(report):
        out.write(line.rstrip() + "\n")


def _lines(report: Report) -> Iterator[str]:
    rows = in_order(report.readiness)
    width = max(len(harmless(row.name)) for row in rows) + 2
    heads = " ".join(column.title.ljust(size) for column, size in zip(COLUMNS, _WIDTHS, strict=True))
    if any(row.verdict != NOT_APPLICABLE for row in rows):
        yield f"{'':{width}} {heads}"
    for verdict, group in groupby(rows, key=lambda row: row.verdict):
        yield from _group(verdict, list(group), width, report)
    yield ""
    yield from _legend(rows)
    for title, found in listed(rows, report):
        yield ""
        yield title
        for gap in found:
            code = f" ({gap.cell.code})" if gap.cell.code else ""
            yield f"  {harmless(gap.place)}: {gap.column}: {harmless(gap.cell.reason)}{code}"
            if len(rows) > 1:
                yield f"      {harmless(names_text(gap.names))}"
    yield ""
    yield figures(rows)


def _group(verdict: str, rows: Sequence[Row], width: int, report: Report) -> Iterator[str]:
    yield f"{verdict} ({len(rows)})"
    for row in rows:
        name = f"  {harmless(row.name)}".ljust(width)
        if verdict == NOT_APPLICABLE:
            yield f"{name} {harmless(row.cells[0].reason)}"
            continue
        cells = " ".join(sign(cell).ljust(size) for cell, size in zip(row.cells, _WIDTHS, strict=True))
        yield f"{name} {cells} {harmless(place_of(row.path, row.line, report))}"


def sign(cell: Cell) -> str:
    """Return what stands for a cell in the table."""
    return cell.code if cell.state == MISSING and cell.code else SIGNS[cell.state]


def _legend(rows: Sequence[Row]) -> Iterator[str]:
    yield _LEGEND
    for column in COLUMNS:
        yield f"  {column.title:9} {column.question}"
    for verdict in dict.fromkeys(row.verdict for row in rows):
        yield (
            f"  {verdict:9} {VERDICT_MEANINGS[verdict]}"
            if len(verdict) < 10
            else f"  {verdict}  {VERDICT_MEANINGS[verdict]}"
        )
