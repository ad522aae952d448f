"""The page as people get it, opened from disk in a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import Visit, chromium
from pplint.cli import run

MINI = Path(__file__).parents[3] / "fixtures" / "mini_sglang"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """The page for the small checkout, and its findings as the JSON report has them."""
    folder = tmp_path_factory.mktemp("html")
    targets = ["--output", f"html:{folder / 'report.html'}", "--output", f"json:{folder / 'report.json'}"]
    assert run(["--no-cache", "--no-progress", "--show-info", *targets, str(MINI)]) == 1
    return folder / "report.html", json.loads((folder / "report.json").read_text())["findings"]


@pytest.fixture
def opened(browser: Any, written: Any) -> Iterator[Callable[..., Any]]:
    """Opens the page, at a hash and with options of a browser context; at the end it must have been quiet."""
    visits: list[Visit] = []

    def opening(hash: str = "", file: Path | None = None, **context: Any) -> Any:
        visits.append(Visit(browser, file or written[0], hash, **context))
        return visits[-1].page

    yield opening
    for visit in visits:
        visit.context.close()
        assert visit.noise == []
