"""The readiness matrix as JSON: one document, stable, described in docs/readiness.md."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, TextIO

from pplint.readiness.duties import COLUMNS, VERDICTS, Cell, Row
from pplint.reports.paths import display_path
from pplint.reports.readiness_gaps import in_order
from pplint.reports.report import Report

VERSION = 1


def render(report: Report, out: TextIO) -> None:
    """Write one JSON document in ASCII, with each row on a line of its own."""
    tool = {"name": "pplint", "version": report.version}
    rows = in_order(report.readiness)
    counts = Counter(row.verdict for row in rows)
    out.write(f'{{"version": {VERSION}, "tool": {json.dumps(tool)},\n')
    out.write(f'"columns": {json.dumps([column._asdict() for column in COLUMNS])},\n"rows": [\n  ')
    out.write(",\n  ".join(json.dumps(row_object(row, report)) for row in rows))
    out.write(f'\n],\n"summary": {json.dumps({verdict: counts[verdict] for verdict in VERDICTS})}}}\n')


def row_object(row: Row, report: Report) -> dict[str, Any]:
    """Return a row as plain data."""
    cells = {column.key: _cell(cell, report) for column, cell in zip(COLUMNS, row.cells, strict=True)}
    path = display_path(row.path, report)
    return {"class": row.name, "path": path, "line": row.line, "verdict": row.verdict, "cells": cells}


def _cell(cell: Cell, report: Report) -> dict[str, Any]:
    return {
        "state": cell.state,
        "path": display_path(cell.path, report) or None,
        "line": cell.line or None,
        "code": cell.code or None,
        "reason": cell.reason,
    }
