"""JSON lines: a line per finding, then `{"trouble": ...}` lines, then one `{"summary": ...}` line."""

from __future__ import annotations

import json
from typing import TextIO

from pplint.reports.json_report import finding_object, summary_object, trouble_object
from pplint.reports.report import Report


def render(report: Report, out: TextIO) -> None:
    """Write the same objects as the JSON report, one a line; the last line is always the summary."""
    for finding in report.findings:
        out.write(json.dumps(finding_object(finding, report)) + "\n")
    for trouble in report.troubles:
        out.write(json.dumps({"trouble": trouble_object(trouble, report)}) + "\n")
    out.write(json.dumps({"summary": summary_object(report)}) + "\n")
