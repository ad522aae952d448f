"""GitLab's code quality report."""

from __future__ import annotations

import json
from typing import Any, TextIO

from pplint.finding import Finding, Trouble
from pplint.reports.paths import repository_path
from pplint.reports.report import Report

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def render(report: Report, out: TextIO) -> None:
    """Write a JSON array with an entry per finding and trouble; every entry has a fingerprint of its own."""
    seen: dict[str, int] = {}
    entries = [_finding_entry(finding, report) for finding in report.findings]
    entries += [_trouble_entry(trouble, report) for trouble in report.troubles]
    for entry in entries:
        mark = entry["fingerprint"]
        seen[mark] = seen.get(mark, 0) + 1
        if seen[mark] > 1:
            entry["fingerprint"] = _digest(mark, str(seen[mark]))
    json.dump(entries, out, indent=1)
    out.write("\n")


def _finding_entry(finding: Finding, report: Report) -> dict[str, Any]:
    path = repository_path(finding.path, report)
    return {
        "description": finding.message,
        "check_name": finding.code,
        "fingerprint": finding.fingerprint or _digest(finding.code, path, finding.message),
        "severity": _SEVERITIES.get(finding.severity, "info"),
        "location": {"path": path, "lines": {"begin": finding.span.line, "end": finding.span.end_line}},
    }


def _trouble_entry(trouble: Trouble, report: Report) -> dict[str, Any]:
    # GitLab drops entries without a path; the repository itself stands for "no file is at fault".
    path = repository_path(trouble.path, report) if trouble.path else "."
    line = max(trouble.line, 1)
    return {
        "description": trouble.message,
        "check_name": trouble.code,
        "fingerprint": _digest(trouble.code, path, trouble.message),
        "severity": "blocker",
        "location": {"path": path, "lines": {"begin": line, "end": line}},
    }


def _digest(*parts: str) -> str:
    from hashlib import sha256

    return sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()
