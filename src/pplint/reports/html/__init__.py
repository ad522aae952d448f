"""The report as one page: nothing is loaded, everything from code and paths is text, it works from disk."""

from __future__ import annotations

from typing import TextIO

from pplint.reports.html.page import matrix_page, report_page
from pplint.reports.html.shell import write
from pplint.reports.report import Report


def render(report: Report, out: TextIO) -> None:
    """Write the report as a page in ASCII."""
    write(report_page(report), out)


def render_readiness(report: Report, out: TextIO) -> None:
    """Write a page that holds the readiness matrix of `report.readiness` alone."""
    write(matrix_page(report), out)
