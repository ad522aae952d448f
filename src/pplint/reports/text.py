"""The report for people: a line per finding, the code, the reason, and the fix or why there is none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO

from pplint.finding import SAFE, Edit, Finding, Fix, Trouble
from pplint.reports.frame import code_frame
from pplint.reports.harmless import harmless
from pplint.reports.paths import display_path
from pplint.reports.report import Report
from pplint.reports.stages import stage_table
from pplint.reports.statistics import shapes
from pplint.reports.summary import summary

if TYPE_CHECKING:
    from pplint.source.text import Source

STEPS = 3
CLONES = 3
"""Steps of the reasoning that are shown without --show-trace: the first ones say what the index means."""

Paint = Callable[[str, str], str]
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
    paint = _painter(wants_colour(out) if report.colour is None else report.colour)
    encoding = getattr(out, "encoding", None) or "utf-8"
    groups = shapes(report.findings)
    for finding in report.findings:
        for row in _finding_rows(finding, report, paint, encoding):
            out.write(row + "\n")
        for row in _clone_rows(finding, groups.get((finding.code, finding.shape), []), report, paint):
            out.write(row + "\n")
        if not report.quiet:
            out.write("\n")
    for trouble in report.troubles:
        out.write(_trouble_row(trouble, report, paint) + "\n")
    if report.statistics:
        from pplint.reports import statistics

        out.write("\n" if report.troubles else "")
        statistics.render(report, out)
    if not report.quiet:
        out.write(summary(report) + "\n")


def wants_colour(out: TextIO) -> bool:
    """Tell whether `out` takes colours: NO_COLOR wins over FORCE_COLOR, that over TERM and the terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and out.isatty()


def _painter(colour: bool) -> Paint:
    if not colour:
        return lambda text, style: text
    return lambda text, style: f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if text else text


def _finding_rows(finding: Finding, report: Report, paint: Paint, encoding: str) -> Iterator[str]:
    path = harmless(display_path(finding.path, report))
    place = paint(f"{path}:{finding.span.line}:{finding.span.column}", "place")
    rule = f"{finding.code}[{finding.name}]"
    yield f"{place}: {rule} {paint(finding.severity, finding.severity)}: {harmless(finding.message)}"
    if report.quiet:
        return
    source = report.sources(finding.path)
    if report.show_source and source:
        for row in code_frame(source.lines, finding.span, encoding):
            text = paint(row.text, "mark") if row.mark else row.text
            yield (paint(row.gutter, "gutter") + text).rstrip()
    yield from _reason_rows(finding, report, paint)
    yield from _impact_rows(finding, paint)
    if finding.changed_by:
        yield f"  {paint('changed by', 'label')}: {harmless(finding.changed_by)}"
    yield from _fix_rows(finding, source, paint)


def _impact_rows(finding: Finding, paint: Paint) -> Iterator[str]:
    """What each stage gets, below one another."""
    margin = "  impact: "
    for number, row in enumerate(stage_table(finding.impact) if finding.impact else ()):
        label = margin.replace("impact", paint("impact", "label")) if number == 0 else " " * len(margin)
        yield label + harmless(row)


def _clone_rows(finding: Finding, group: list[Finding], report: Report, paint: Paint) -> Iterator[str]:
    """Name other places with the same code under other names: a bug outlives its fix in copies."""
    others = [one for one in group if one is not finding]
    if others and not report.quiet:
        places = [f"{harmless(display_path(one.path, report))}:{one.span.line}" for one in others[:CLONES]]
        more = f" and {len(others) - CLONES} more" if len(others) > CLONES else ""
        yield f"  {paint('also at', 'label')}: {', '.join(places)}{more}"


def _reason_rows(finding: Finding, report: Report, paint: Paint) -> Iterator[str]:
    steps = finding.trace if report.show_trace else finding.trace[:STEPS]
    for step in steps:
        place = f"{harmless(display_path(step.path, report))}:{step.line}: " if step.path else ""
        yield f"  {paint('reason', 'label')}: {place}{harmless(step.text)}"
    if len(steps) < len(finding.trace):
        yield f"  ... {len(finding.trace) - len(steps)} more with --show-trace"


def _fix_rows(finding: Finding, source: Source | None, paint: Paint) -> Iterator[str]:
    if finding.fix:
        label = "fix" if finding.fix.safety == SAFE else "unsafe fix"
        yield f"  {paint(label, 'label')}: {harmless(finding.fix.message)}"
        yield from _edit_rows(finding.fix, source)
    elif finding.no_fix:
        yield f"  {paint('no fix', 'label')}: {harmless(finding.no_fix)}"


def _edit_rows(fix: Fix, source: Source | None) -> Iterator[str]:
    for edit in fix.edits[:STEPS]:
        new = edit.text.strip("\r\n").splitlines() or [""]
        shown = harmless(new[0].strip()) + (" ..." if len(new) > 1 else "")
        old = _old_text(edit, source)
        if not new[0].strip():
            yield f"    line {edit.span.line}: remove {old or 'the text'}"
        elif old:
            yield f"    line {edit.span.line}: {old} -> {shown}"
        else:
            yield f"    line {edit.span.line}: insert {shown}"
    if len(fix.edits) > STEPS:
        yield f"    ... {len(fix.edits) - STEPS} more edits"


def _old_text(edit: Edit, source: Source | None) -> str:
    line, column, end_line, end_column = edit.span
    if source is None or line > len(source.lines):
        return ""
    first = source.lines[line - 1]
    if line == end_line:
        return harmless(first[column - 1 : end_column - 1])
    return harmless(first[column - 1 :]) + " ..."


def _trouble_row(trouble: Trouble, report: Report, paint: Paint) -> str:
    place = harmless(display_path(trouble.path, report))
    if place and trouble.line:
        place += f":{trouble.line}"
    where = paint(place, "place") + ": " if place else ""
    return f"{where}{trouble.code} {paint('trouble', 'trouble')}: {harmless(trouble.message)}"
