"""Counts of findings: per rule, per folder, and the places that share one shape."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from typing import TextIO

from pplint.finding import SAFE, SEVERITIES, UNSAFE, Finding
from pplint.reports.harmless import harmless
from pplint.reports.paths import display_path
from pplint.reports.report import Report
from pplint.reports.summary import plural

PLACES = 3
"""Places of one shape that are named."""


def render(report: Report, out: TextIO) -> None:
    """Write the counts as tables, the largest first; nothing when there are no findings."""
    findings = report.findings
    if not findings:
        return

    def folder(finding: Finding) -> str:
        return harmless(posixpath.dirname(display_path(finding.path, report)) or ".")

    _table(out, "By rule", findings, lambda finding: f"{finding.code}[{finding.name}]")
    _table(out, "By folder", findings, folder)
    groups = [group for group in by_shape(findings) if len(group) > 1]
    if groups:
        out.write("By shape (the same code under other names)\n")
        for group in groups:
            more = len(group) - PLACES
            rest = f" and {plural(more, 'more place')}" if more > 0 else ""
            shown = places(group[:PLACES], report)
            out.write(f"{len(group):>{_wide('total')}}  {group[0].code} {shown}{rest}\n")
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


def places(findings: Iterable[Finding], report: Report, here: str = "") -> str:
    """Return where findings are: each file once with its lines, the file `here` (an absolute path) without its name."""
    lines: dict[str, list[int]] = {}
    for finding in findings:
        lines.setdefault(finding.path, []).append(finding.span.line)
    return ", ".join(_place(path, numbers, report, here) for path, numbers in lines.items())


def _place(path: str, lines: list[int], report: Report, here: str) -> str:
    numbers = ", ".join(map(str, lines))
    if path == here:
        return f"line{'s' * (len(lines) > 1)} {numbers}"
    return f"{harmless(display_path(path, report))}:{numbers}"


def _table(out: TextIO, title: str, findings: Sequence[Finding], name: Callable[[Finding], str]) -> None:
    """Write a row for each name: findings in all, by level, and how many can be fixed. Columns of zeros are left out."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(name(finding), []).append(finding)
    rows = [(key, _numbers(group)) for key, group in groups.items()]
    rows.sort(key=lambda row: (-row[1]["total"], row[0]))
    heads = [head for head in rows[0][1] if any(numbers[head] for _, numbers in rows)]
    out.write(f"{title}\n{''.join(f'{head:>{_wide(head)}}' for head in heads)}\n")
    for key, numbers in rows:
        cells = "".join(f"{numbers[head] or '-':>{_wide(head)}}" for head in heads)
        out.write(f"{cells}  {key}\n")
    out.write("\n")


def _wide(head: str) -> int:
    return max(len(head), 4) + 2


def _numbers(group: Sequence[Finding]) -> dict[str, int]:
    levels = [finding.severity for finding in group]
    fixes = [finding.fix.safety for finding in group if finding.fix]
    counts = {level: levels.count(level) for level in SEVERITIES}
    return {"total": len(group), **counts, "fix": fixes.count(SAFE), "unsafe fix": fixes.count(UNSAFE)}
