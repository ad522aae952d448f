"""The figures that end every report, and the sentence made of them."""

from __future__ import annotations

from pplint.finding import ERROR, INFO, SAFE, WARNING
from pplint.records import Record
from pplint.reports.report import Report


class Counts(Record):
    """How many findings there are per level and per kind of fix; `files` counts the files with a finding."""

    errors: int
    warnings: int
    infos: int
    files: int
    fixable: int
    unsafe_fixable: int


def count(report: Report) -> Counts:
    """Count what the report shows."""
    severities = [finding.severity for finding in report.findings]
    fixes = [finding.fix.safety for finding in report.findings if finding.fix]
    return Counts(
        severities.count(ERROR),
        severities.count(WARNING),
        severities.count(INFO),
        len({finding.path for finding in report.findings}),
        fixes.count(SAFE),
        len(fixes) - fixes.count(SAFE),
    )


def plural(number: int, noun: str) -> str:
    """Return `1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def summary(report: Report) -> str:
    """Return the last line of a report, without a line end."""
    return "; ".join([_found(report, count(report)), *remarks(report)])


def remarks(report: Report) -> list[str]:
    """Return what there is to say besides the numbers of findings and files."""
    counts, parts = count(report), _looked_at(report)
    if counts.fixable or counts.unsafe_fixable:
        parts.append(_fixable(counts))
    if report.fixed:
        parts.append(f"{report.fixed} fixed")
    if report.suppressed:
        parts.append(f"{len(report.suppressed)} suppressed")
    if report.accepted:
        parts.append(f"{report.accepted} accepted by the baseline")
    if report.troubles:
        parts.append(plural(len(report.troubles), "trouble"))
    return parts


def _looked_at(report: Report) -> list[str]:
    """What a run without findings knew, so that its silence means something."""
    if report.findings or report.learnt is None or not report.files_checked:
        return []
    accessors, padded_lists, files, _ = report.learnt
    if not files:
        return ["none of them speaks of SGLang's layers"]
    return [f"known: {plural(accessors, 'accessor')}, {plural(padded_lists, 'padded list')}"]


def _found(report: Report, counts: Counts) -> str:
    hidden = f" ({plural(report.hidden_infos, 'info')} hidden, --show-info)" if report.hidden_infos else ""
    if not report.findings:
        nothing = report.troubles or (report.learnt and report.files_checked and not report.learnt.files)
        return f"{_opening(report, bool(nothing))}: {plural(report.files_checked, 'file')} checked{hidden}"
    levels = f"{plural(counts.errors, 'error')}, {plural(counts.warnings, 'warning')}"
    if counts.infos:
        levels += f", {plural(counts.infos, 'info')}"
    return f"{levels}{hidden} in {plural(counts.files, 'file')} ({report.files_checked} checked)"


def _opening(report: Report, nothing: bool) -> str:
    """What is said where no finding is left; `nothing` says that there was little to look at."""
    if nothing:
        return "No findings"
    if report.since:
        return "No findings on changed lines"
    return "No new findings" if report.accepted else "All clean"


def _fixable(counts: Counts) -> str:
    safe = f"{counts.fixable} fixable with --fix"
    if not counts.unsafe_fixable:
        return safe
    if not counts.fixable:
        return f"{counts.unsafe_fixable} fixable with --fix --unsafe-fixes"
    return f"{safe}, {counts.unsafe_fixable} more with --unsafe-fixes"
