"""A real headless Chromium for pages that people open from disk, and what such a page must never do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


@contextmanager
def chromium() -> Iterator[Any]:
    """Start the browser; without one, or without Playwright, the test is skipped.

    PPLINT_BROWSER names one that has to be there, as `.ci/run` does after it installed it.
    """
    wanted = os.environ.get("PPLINT_BROWSER")
    program = wanted or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        if wanted:
            raise
        pytest.skip(f"Playwright cannot be imported: {error}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        yield browser
        browser.close()


class Visit:
    """One page in a window of its own, which notes every request, message and dialog."""

    def __init__(self, browser: Any, file: Path, hash: str = "", **context: Any) -> None:
        context = {"viewport": {"width": 1360, "height": 900}, **context}
        self.context = browser.new_context(**context)
        self.context.set_default_timeout(10_000)
        self.page = self.context.new_page()
        self.noise: list[str] = []
        self.url = file.as_uri()
        self.page.on("console", lambda message: self.noise.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.noise.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        self.page.on("request", self._asked)
        self.page.goto(self.url + hash)

    def _asked(self, request: Any) -> None:
        if request.url.partition("#")[0] != self.url:
            self.noise.append(f"request: {request.url}")

    def _dismiss(self, dialog: Any) -> None:
        self.noise.append(f"dialog: {dialog.message}")
        dialog.dismiss()
