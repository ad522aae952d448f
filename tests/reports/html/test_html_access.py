"""What axe-core says of the page, in each view and theme."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from test_html_matrix import report as report

from node_tools import installed
from pplint.reports.html import render
from pplint.reports.report import Report

GRAVE = ("serious", "critical")


def said_by_axe(page: Any) -> list[str]:
    # What is not painted yet has a guessed height, and axe would see it lie over its neighbours.
    page.add_style_tag(content="* { content-visibility: visible !important }")
    page.evaluate(installed("axe-core@4.14.1", "axe-core/axe.min.js").read_text("utf-8"))
    rules = page.evaluate("axe.run().then(result => result.violations)")
    return [
        f"{rule['id']}: {node['html']} {node['failureSummary']}"
        for rule in rules
        if rule["impact"] in GRAVE
        for node in rule["nodes"][:3]
    ]


@pytest.mark.parametrize(
    ("hash", "theme"),
    [
        ("", "light"),
        ("", "dark"),
        ("view=rules", "dark"),
        ("group=shape&brief=1", "light"),
        ("q=no+such+word", "dark"),
    ],
)
def test_no_serious_violation_in_any_view(opened: Any, hash: str, theme: str) -> None:
    page = opened(f"#{hash}", color_scheme=theme, bypass_csp=True)
    assert said_by_axe(page) == []


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1360, "light")])
def test_no_serious_violation_in_the_matrix(
    opened: Any, report: Report, tmp_path: Path, width: int, theme: str
) -> None:
    out = io.StringIO()
    render(report, out)
    file = tmp_path / "page.html"
    file.write_text(out.getvalue(), "ascii")
    page = opened(
        "#view=readiness", file, color_scheme=theme, bypass_csp=True, viewport={"width": width, "height": 800}
    )
    assert said_by_axe(page) == []


def test_no_serious_violation_without_scripts_on_a_phone(opened: Any) -> None:
    page = opened(viewport={"width": 360, "height": 700}, color_scheme="dark", bypass_csp=True)
    page.evaluate("document.documentElement.classList.remove('scripted')")
    assert said_by_axe(page) == []
