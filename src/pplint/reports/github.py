"""GitHub annotations as workflow commands, and a table for the step's summary page."""

from __future__ import annotations

import html
import os
import re
import sys
from typing import TextIO

from pplint.finding import SAFE, Finding, Trouble, severity_rank
from pplint.reports.harmless import harmless
from pplint.reports.paths import repository_path
from pplint.reports.report import Report
from pplint.reports.summary import summary

SHOWN_PER_KIND = 10
TABLE_ROWS = 1000
"""Rows in the summary page, which GitHub refuses above 1 MiB."""
TABLE_BYTES = 900_000

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report, out: TextIO) -> None:
    """Write a command per trouble and finding, the most severe first, and a last notice with the totals.

    Where the environment names a GITHUB_STEP_SUMMARY file, a Markdown table is appended to it.
    """
    for trouble in report.troubles:
        out.write(_trouble_command(trouble, report) + "\n")
    for finding in _by_severity(report):
        out.write(_finding_command(finding, report) + "\n")
    note = (
        f"{summary(report)}. GitHub shows {SHOWN_PER_KIND} annotations of a kind per step; the log has all."
    )
    out.write(_command("notice", {"title": "pplint"}, note) + "\n")
    summary_file = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary_file:
        _append(summary_file, step_summary(report))


def step_summary(report: Report) -> str:
    """Return the report as a Markdown table, the most severe first, cut below what GitHub accepts."""
    rows = [f"### pplint\n\n{_cell(summary(report))}\n"]
    if report.findings or report.troubles:
        rows.append("\n| level | rule | place | message |\n|---|---|---|---|\n")
    lines = [_trouble_row(trouble, report) for trouble in report.troubles]
    lines += [_finding_row(finding, report) for finding in _by_severity(report)]
    size = 0
    for number, line in enumerate(lines):
        size += len(line.encode("utf-8"))
        if number == TABLE_ROWS or size > TABLE_BYTES:
            rows.append(f"\n{len(lines) - number} more are in the log.\n")
            break
        rows.append(line)
    return "".join(rows) + "\n"


def _by_severity(report: Report) -> list[Finding]:
    return sorted(report.findings, key=lambda finding: severity_rank(finding.severity))


def _finding_command(finding: Finding, report: Report) -> str:
    span = finding.span
    properties = {"file": repository_path(finding.path, report), "line": str(span.line)}
    properties["endLine"] = str(span.end_line)
    if span.line == span.end_line:
        # GitHub rejects columns on a place of several lines.
        properties["col"] = str(span.column)
        properties["endColumn"] = str(span.end_column)
    properties["title"] = f"{finding.code} {finding.name}"
    message = finding.message
    if finding.fix:
        label = "Fix" if finding.fix.safety == SAFE else "Unsafe fix"
        message += f"\n{label}: {finding.fix.message}"
    elif finding.no_fix:
        message += f"\nNo fix: {finding.no_fix}"
    return _command(_COMMANDS.get(finding.severity, "notice"), properties, message)


def _trouble_command(trouble: Trouble, report: Report) -> str:
    properties = {}
    if trouble.path:
        properties["file"] = repository_path(trouble.path, report)
    if trouble.line:
        properties["line"] = str(trouble.line)
    properties["title"] = f"{trouble.code} trouble"
    return _command("error", properties, trouble.message)


def _command(name: str, properties: dict[str, str], message: str) -> str:
    written = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    return f"::{name} {written}::{_escape(message)}"


def _escape(text: str) -> str:
    lines = [harmless(line) for line in text.replace("%", "%25").replace("\r", "\n").split("\n")]
    return "%0A".join(lines)


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")


def _finding_row(finding: Finding, report: Report) -> str:
    place = f"{repository_path(finding.path, report)}:{finding.span.line}"
    return f"| {finding.severity} | {finding.code} | {_cell(place)} | {_cell(finding.message)} |\n"


def _trouble_row(trouble: Trouble, report: Report) -> str:
    place = repository_path(trouble.path, report) if trouble.path else ""
    if place and trouble.line:
        place += f":{trouble.line}"
    return f"| trouble | {trouble.code} | {_cell(place)} | {_cell(trouble.message)} |\n"


def _cell(text: str) -> str:
    """Return `text` for a table cell: backquoted words become code, nothing else keeps a meaning."""
    escaped = html.escape(harmless(text), quote=False)
    for character in "\\|*_[]~@":
        escaped = escaped.replace(character, f"&#{ord(character)};")
    return re.sub("`([^`]+)`", r"<code>\1</code>", escaped).replace("`", "&#96;")


def _append(summary_file: str, text: str) -> None:
    try:
        with open(summary_file, "a", encoding="utf-8", errors="backslashreplace") as handle:
            handle.write(text)
    except OSError as error:
        print(f"pplint: cannot write GITHUB_STEP_SUMMARY: {error}", file=sys.stderr)
