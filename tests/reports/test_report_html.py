from __future__ import annotations

from html.parser import HTMLParser

from report_desk import Desk, rendered

from pplint.finding import UNSAFE, Impact, Step, Trouble
from pplint.reports.report import Report

NASTY = "</pre><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


def nasty(desk: Desk) -> Report:
    path = desk.file("a<b>&.py", f"f(0)  # {NASTY}\u00e9\x1b\n")
    finding = desk.finding(
        path, "0", to=NASTY, message=NASTY, trace=(Step(path, 1, 1, NASTY),), impact=Impact(NASTY, ())
    )
    plain = desk.finding(path, "0", no_fix=NASTY, changed_by=NASTY)
    return desk.report(finding, plain, troubles=[Trouble(path, 1, NASTY)], version=NASTY, command=NASTY)


def test_everything_is_escaped_and_nothing_is_loaded(desk: Desk) -> None:
    text = rendered("html", nasty(desk))
    assert text.isascii()
    page = Page(text)
    tags = [tag for tag, _ in page.tags]
    assert tags.count("script") == 1
    assert not {"img", "link", "iframe", "object"} & set(tags)
    assert not [attrs for _, attrs in page.tags if {"src", "href", "onerror"} & set(attrs)]
    assert "default-src 'none'" in str(page.tags)
    assert page.words.count("<script>alert(1)") >= 7


def test_a_finding_can_be_read(desk: Desk) -> None:
    path = desk.file("a.py", "v = f(0)\n")
    finding = desk.finding(path, "0", to="x", safety=UNSAFE, trace=(Step(path, 1, 1, "because"),))
    page = Page(rendered("html", desk.report(finding)))
    for words in (
        "a.py:1:7",
        "PPL101",
        "literal-layer-id",
        "v = f(0)",
        "^",
        "because",
        "Unsafe fix",
        "1 error",
    ):
        assert words in page.words
