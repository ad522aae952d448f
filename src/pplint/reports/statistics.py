"""Counts of findings: per rule, per folder, and the places that share one shape."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable
from typing import TextIO

from pplint.finding import Finding
from pplint.reports.harmless import harmless
from pplint.reports.paths import display_path
from pplint.reports.report import Report
from pplint.reports.summary import plural

PLACES = 5
"""Places of one shape that are named."""


def render(report: Report, out: TextIO) -> None:
    """Write the counts, the largest first; nothing when there are no findings."""
    findings = report.findings
    _table(
        out, "By rule", Counter(f"{finding.code}[{finding.name}] {finding.severity}" for finding in findings)
    )
    folders = (posixpath.dirname(display_path(finding.path, report)) or "." for finding in findings)
    _table(out, "By folder", Counter(harmless(folder) for folder in folders))
    groups = [group for group in by_shape(findings) if len(group) > 1]
    if groups:
        out.write("By shape (the same code under other names)\n")
        for group in groups:
            out.write(_group_row(group, report) + "\n")
        out.write("\n")


def by_shape(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Return the findings of one rule and shape together, the largest group first."""
    return sorted(shapes(findings).values(), key=lambda group: -len(group))


def shapes(findings: Iterable[Finding]) -> dict[tuple[str, str], list[Finding]]:
    """Return the findings by rule and shape; findings without a shape are in no group."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.shape:
            groups.setdefault((finding.code, finding.shape), []).append(finding)
    return groups


def _table(out: TextIO, title: str, counts: Counter[str]) -> None:
    if not counts:
        return
    out.write(title + "\n")
    for name, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        out.write(f"{number:>6}  {name}\n")
    out.write("\n")


def _group_row(group: list[Finding], report: Report) -> str:
    places = [f"{harmless(display_path(item.path, report))}:{item.span.line}" for item in group[:PLACES]]
    more = len(group) - len(places)
    if more:
        places.append(f"and {plural(more, 'more place')}")
    return f"{len(group):>6}  {group[0].code} {', '.join(places)}"
