"""The readiness matrix as Markdown, for an issue on GitHub: a table, and the gaps folded below it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TextIO

from pplint.readiness.duties import COLUMNS, MET, MISSING, NOT_APPLICABLE, UNKNOWN, Cell
from pplint.reports.harmless import harmless
from pplint.reports.readiness_gaps import figures, in_order, listed, names_text, place_of
from pplint.reports.report import Report

_SIGNS = {MET: "\u2713", MISSING: "**gap**", NOT_APPLICABLE: "\u2013", UNKNOWN: "?"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@])")
_CODE = re.compile("(`[^`]+`)")


def render(report: Report, out: TextIO) -> None:
    """Write the matrix of `report.readiness` as Markdown."""
    for line in _lines(report):
        out.write(line + "\n")


def _lines(report: Report) -> Iterator[str]:
    rows = in_order(report.readiness)
    yield f"{figures(rows)}."
    yield ""
    yield f"| class | verdict | {' | '.join(column.title for column in COLUMNS)} |"
    yield f"|---|---|{'---|' * len(COLUMNS)}"
    for row in rows:
        cells = " | ".join(map(_sign, row.cells))
        yield f"| {text(row.name)} | {row.verdict} | {cells} |"
    yield ""
    yield (
        f"{_SIGNS[MET]} met, **gap** or **PPLnnn** missing (with the rule that reports it), {_SIGNS[NOT_APPLICABLE]} does "
        f"not apply, {_SIGNS[UNKNOWN]} not known."
    )
    for title, found in listed(rows, report):
        yield ""
        yield f"<details><summary>{title} ({len(found)})</summary>"
        yield ""
        for gap in found:
            code = f" ({gap.cell.code})" if gap.cell.code else ""
            names = f": {text(names_text(gap.names))}" if len(rows) > 1 else ""
            yield f"- {text(gap.place)} **{gap.column}** {text(gap.cell.reason)}{code}{names}"
        yield ""
        yield "</details>"
    yield ""
    yield "<details><summary>Columns and classes</summary>"
    yield ""
    for column in COLUMNS:
        yield f"- **{column.title}**: {text(column.question)}"
    for row in rows:
        reason = f": {text(row.cells[0].reason)}" if row.verdict == NOT_APPLICABLE else ""
        yield f"- {text(row.name)} in {text(place_of(row.path, row.line, report))}{reason}"
    yield ""
    yield "</details>"


def _sign(cell: Cell) -> str:
    return f"**{cell.code}**" if cell.state == MISSING and cell.code else _SIGNS[cell.state]


def text(plain: str) -> str:
    """Return text that Markdown shows as it is; what stands in backticks stays code, a bar in it is escaped."""
    parts = _CODE.split(harmless(plain))
    return "".join(
        part.replace("|", "\\|") if _CODE.fullmatch(part) else _SPECIAL.sub(r"\\\1", part) for part in parts
    )
