"""The JSON report: one document, stable, described by docs/findings.schema.json."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TextIO

from pplint.finding import Edit, Finding, Fix, Impact, Step, Trouble
from pplint.reports.paths import display_path
from pplint.reports.report import Report
from pplint.reports.stages import stage_lines
from pplint.reports.summary import count

VERSION = 1


def render(report: Report, out: TextIO) -> None:
    """Write one JSON document in ASCII, with each finding and each trouble on a line of its own."""
    tool = {"name": "pplint", "version": report.version}
    out.write(f'{{"version": {VERSION}, "tool": {json.dumps(tool)},\n')
    _write_list(out, "findings", (finding_object(finding, report) for finding in report.findings))
    _write_list(out, "troubles", (trouble_object(trouble, report) for trouble in report.troubles))
    out.write(f'"summary": {json.dumps(summary_object(report))}}}\n')


def finding_object(finding: Finding, report: Report) -> dict[str, Any]:
    """Return a finding as plain data."""
    line, column, end_line, end_column = finding.span
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "path": display_path(finding.path, report),
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "symbol": finding.symbol,
        "message": finding.message,
        "trace": [_step(step, report) for step in finding.trace],
        "impact": stage_lines(finding.impact) or None,
        "outcomes": _outcomes(finding.impact) if finding.impact else None,
        "fix": _fix(finding.fix) if finding.fix else None,
        "fingerprint": finding.fingerprint,
    }


def trouble_object(trouble: Trouble, report: Report) -> dict[str, Any]:
    """Return a trouble as plain data; `path` and `line` are null where no file or no line is at fault."""
    return {
        "code": trouble.code,
        "path": display_path(trouble.path, report) or None,
        "line": trouble.line or None,
        "message": trouble.message,
    }


def summary_object(report: Report) -> dict[str, int | None]:
    """Return the figures of the run as plain data; null is what is not told."""
    counts = count(report)
    return {
        "errors": counts.errors,
        "warnings": counts.warnings,
        "infos": counts.infos,
        "hidden_infos": report.hidden_infos,
        "suppressed": len(report.suppressed),
        "troubles": len(report.troubles),
        "fixable": counts.fixable,
        "unsafe_fixable": counts.unsafe_fixable,
        "fixed": report.fixed,
        "files_with_findings": counts.files,
        "files_checked": report.files_checked,
        "accessors_known": report.learnt.accessors if report.learnt else None,
        "padded_lists_known": report.learnt.padded_lists if report.learnt else None,
    }


def _outcomes(impact: Impact) -> list[dict[str, Any]]:
    return [{**one._asdict(), "stages": [stage._asdict() for stage in one.stages]} for one in impact.layouts]


def _step(step: Step, report: Report) -> dict[str, Any]:
    path = display_path(step.path, report)
    return {"path": path, "line": step.line, "column": step.column, "text": step.text}


def _fix(fix: Fix) -> dict[str, Any]:
    return {"safety": fix.safety, "message": fix.message, "edits": [_edit(edit) for edit in fix.edits]}


def _edit(edit: Edit) -> dict[str, Any]:
    line, column, end_line, end_column = edit.span
    return {
        "start_line": line,
        "start_column": column,
        "end_line": end_line,
        "end_column": end_column,
        "text": edit.text,
    }


def _write_list(out: TextIO, key: str, items: Iterable[dict[str, Any]]) -> None:
    out.write(f'"{key}": [')
    separator = "\n  "
    for item in items:
        out.write(separator + json.dumps(item))
        separator = ",\n  "
    out.write("],\n")
