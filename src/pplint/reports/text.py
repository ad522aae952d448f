"""The report for people: a line per finding, the code, the reason, and the fix or why there is none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from pplint.finding import SAFE, Edit, Finding, Fix, Trouble
from pplint.reports.harmless import harmless
from pplint.reports.notes import Paint, Sheet
from pplint.reports.paths import display_path
from pplint.reports.report import Report
from pplint.reports.stages import stage_table
from pplint.reports.statistics import places, shapes
from pplint.reports.summary import summary

if TYPE_CHECKING:
    from pplint.source.text import Source

STEPS = 3
"""Steps of the reasoning that are shown without --show-trace: the first ones say what the index means."""
CLONES = 3
"""Other places of a finding's shape that are named."""

_STYLES = {
    "place": "1",
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "trouble": "1;35",
    "mark": "1;31",
    "gutter": "2",
    "label": "1",
}


def render(report: Report, out: TextIO) -> None:
    """Write the report for people, with colours where `report.colour` or `wants_colour` says so."""
    sheet = Sheet(_painter(wants_colour(out) if report.colour is None else report.colour), _width(out))
    encoding = getattr(out, "encoding", None) or "utf-8"
    groups = shapes(report.findings)
    for finding in () if report.brief else report.findings:
        rows = _finding_rows(finding, report, sheet, encoding)
        if report.quiet:
            out.write(next(rows) + "\n")
            continue
        for row in rows:
            out.write(row + "\n")
        for row in _clone_rows(finding, groups.get((finding.code, finding.shape), []), report, sheet):
            out.write(row + "\n")
        out.write("\n")
    for trouble in report.troubles:
        for row in _trouble_rows(trouble, report, sheet):
            out.write(row + "\n")
    if report.statistics:
        from pplint.reports import statistics

        out.write("\n" if report.troubles else "")
        statistics.render(report, out)
    if not report.quiet:
        out.writelines(row + "\n" for row in sheet.line(summary(report)))


def wants_colour(out: TextIO) -> bool:
    """Tell whether `out` takes colours: NO_COLOR wins over FORCE_COLOR, that over TERM and the terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and out.isatty()


def _width(out: TextIO) -> int:
    if not out.isatty():
        return 0
    from shutil import get_terminal_size

    return get_terminal_size().columns


def _painter(colour: bool) -> Paint:
    if not colour:
        return lambda text, style: text
    return lambda text, style: f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if text else text


def _finding_rows(finding: Finding, report: Report, sheet: Sheet, encoding: str) -> Iterator[str]:
    """The rows of one finding; with `report.quiet` the first one is all that is wanted, and holds everything."""
    path = harmless(display_path(finding.path, report))
    place, rule = f"{path}:{finding.span.line}:{finding.span.column}", f"{finding.code}[{finding.name}]"
    plain = f"{place}: {rule} {finding.severity}:"
    painted = f"{sheet.paint(place, 'place')}: {rule} {sheet.paint(finding.severity, finding.severity)}:"
    message = harmless(finding.message)
    if report.quiet:
        yield f"{painted} {message}"
        return
    yield from sheet.head(plain, painted, message)
    source = report.sources(finding.path)
    if report.show_source and source:
        from pplint.reports.frame import code_frame

        for row in code_frame(source.lines, finding.span, encoding, sheet.width):
            text = sheet.paint(row.text, "mark") if row.mark else row.text
            yield (sheet.paint(row.gutter, "gutter") + text).rstrip()
    yield from sheet.note("reason", _reasons(finding, report))
    if finding.impact:
        yield from sheet.note("impact", map(harmless, stage_table(finding.impact)))
    if finding.changed_by:
        yield from sheet.note("changed by", [harmless(finding.changed_by)])
    if finding.fix:
        label = "fix" if finding.fix.safety == SAFE else "unsafe fix"
        yield from sheet.note(label, _fix_sentences(finding.fix, source))
    elif finding.no_fix:
        yield from sheet.note("no fix", [harmless(finding.no_fix)])


def _clone_rows(finding: Finding, group: list[Finding], report: Report, sheet: Sheet) -> Iterator[str]:
    """Name other places with the same code under other names: a bug outlives its fix in copies."""
    others = [one for one in group if one is not finding]
    if others:
        more = f" and {len(others) - CLONES} more" if len(others) > CLONES else ""
        yield from sheet.note("also at", [places(others[:CLONES], report, finding.path) + more])


def _reasons(finding: Finding, report: Report) -> Iterator[str]:
    steps = finding.trace if report.show_trace else finding.trace[:STEPS]
    for step in steps:
        near = step.path == finding.path
        place = "line " if near else f"{harmless(display_path(step.path, report))}:"
        yield f"{place}{step.line}: {harmless(step.text)}" if step.path else harmless(step.text)
    if len(steps) < len(finding.trace):
        yield f"... {len(finding.trace) - len(steps)} more with --show-trace"


def _fix_sentences(fix: Fix, source: Source | None) -> Iterator[str]:
    """What a fix does, in words unless the edit itself says the same."""
    if len(fix.edits) != 1 or f"`{fix.edits[0].text}`" not in fix.message:
        yield harmless(fix.message)
    for edit in fix.edits[:STEPS]:
        new = edit.text.strip("\r\n").splitlines() or [""]
        shown = harmless(new[0].strip()) + (" ..." if len(new) > 1 else "")
        old = _old_text(edit, source)
        if not new[0].strip():
            yield f"line {edit.span.line}: remove {old or 'the text'}"
        elif old:
            yield f"line {edit.span.line}: {old} -> {shown}"
        else:
            yield f"line {edit.span.line}: insert {shown}"
    if len(fix.edits) > STEPS:
        yield f"... {len(fix.edits) - STEPS} more edits"


def _old_text(edit: Edit, source: Source | None) -> str:
    line, column, end_line, end_column = edit.span
    if source is None or line > len(source.lines):
        return ""
    first = source.lines[line - 1]
    if line == end_line:
        return harmless(first[column - 1 : end_column - 1])
    return harmless(first[column - 1 :]) + " ..."


def _trouble_rows(trouble: Trouble, report: Report, sheet: Sheet) -> Iterator[str]:
    place = harmless(display_path(trouble.path, report))
    if place and trouble.line:
        place += f":{trouble.line}"
    plain = f"{place}: {trouble.code} trouble:" if place else f"{trouble.code} trouble:"
    where = f"{sheet.paint(place, 'place')}: " if place else ""
    painted = f"{where}{trouble.code} {sheet.paint('trouble', 'trouble')}:"
    yield from sheet.head(plain, painted, harmless(trouble.message))
