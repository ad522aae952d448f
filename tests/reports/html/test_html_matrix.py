"""The readiness matrix, in the report and as a page of its own."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from report_desk import Desk

from pplint.readiness.duties import (
    COLUMNS,
    MET,
    MISSING,
    NEARLY,
    NOT,
    NOT_APPLICABLE,
    READY,
    UNKNOWN,
    Cell,
    Row,
)
from pplint.reports.html import render, render_readiness
from pplint.reports.report import Report


def row(desk: Desk, name: str, verdict: str, *states: str) -> Row:
    path = str(desk.root / "srt" / "models" / f"{name.lower()}.py")
    cells = [Cell(state, path, 7 + at, "PPL301", f"`{name}` cell {at}") for at, state in enumerate(states)]
    rest = [Cell(NOT_APPLICABLE, "", 0, "", "")] * (len(COLUMNS) - len(cells))
    return Row(name, path, 5, verdict, (*cells, *rest))


@pytest.fixture
def report(desk: Desk) -> Report:
    rows = (
        row(desk, "Ready", READY, MET, MET),
        row(desk, "Almost", NEARLY, MET, MISSING, UNKNOWN),
        row(desk, "Never", NOT, MISSING, MISSING),
        row(desk, "<b>&Odd", NOT, MISSING),
    )
    return desk.report(readiness=rows)


def page_of(report: Report, tmp_path: Path, alone: bool) -> Path:
    out = io.StringIO()
    (render_readiness if alone else render)(report, out)
    file = tmp_path / "page.html"
    file.write_text(out.getvalue(), "ascii")
    return file


@pytest.mark.parametrize("alone", [pytest.param(True, id="alone"), pytest.param(False, id="in the report")])
def test_each_class_has_a_row_that_can_be_filtered_and_found(
    opened: Any, report: Report, tmp_path: Path, alone: bool
) -> None:
    page = opened("#view=readiness", page_of(report, tmp_path, alone))
    names = page.locator("tr.class:visible .name")
    assert names.all_text_contents() == ["Ready", "Almost", "Never", "<b>&Odd"]
    page.get_by_role("checkbox", name="not").uncheck()
    page.wait_for_url(lambda url: "verdict" in url.partition("#")[2])
    assert names.all_text_contents() == ["Ready", "Almost"]
    page.keyboard.press("/")
    page.keyboard.type("almost")
    page.wait_for_url(lambda url: "q=" in url.partition("#")[2])
    assert names.all_text_contents() == ["Almost"]
    assert page.locator("#shown").text_content() == "1 of 4 classes"


def test_a_cell_says_its_state_in_words_and_a_row_where_its_gaps_are(
    opened: Any, report: Report, tmp_path: Path
) -> None:
    page = opened("", page_of(report, tmp_path, alone=True))
    almost = page.locator("tr.class", has_text="Almost")
    words = almost.locator("td i").all_text_contents()
    assert words[:4] == ["met", "missing", "unknown", "not applicable"]
    almost.locator("summary").click()
    gap = almost.locator("li.missing")
    assert gap.inner_text() == "split missing (PPL301): Almost cell 1 line 8"
    assert almost.locator("li").last.inner_text() == "ends, tied, loader, indices, loops not applicable"
    heads = page.locator("thead th").all_text_contents()
    assert heads == ["Model class", "Verdict", *(column.title for column in COLUMNS)]


def test_a_report_without_rows_has_no_matrix(opened: Any, desk: Desk, tmp_path: Path) -> None:
    page = opened("#view=readiness", page_of(desk.report(), tmp_path, alone=False))
    assert page.get_by_role("link", name="Readiness").count() == 0
    assert page.get_by_role("heading", name="Findings").is_visible()
