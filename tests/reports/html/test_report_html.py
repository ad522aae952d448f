from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
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
    assert tags.count("script") == 2
    assert not {"img", "link", "iframe", "object", "base"} & set(tags)
    for _, attributes in page.tags:
        assert not [name for name in attributes if name == "src" or name.startswith("on")]
        assert "style" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    assert page.words.count("<script>alert(1)") >= 7


def test_the_policy_lets_exactly_our_own_style_and_scripts_run(desk: Desk) -> None:
    text = rendered("html", desk.report())
    (policy,) = re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for kind, directive in (("style", "style-src"), ("script", "script-src")):
        blocks = re.findall(f"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        hashes = [b64encode(sha256(block.encode()).digest()).decode() for block in blocks]
        assert rules[directive].split() == [f"'sha256-{one}'" for one in hashes]


def test_ids_are_unique_also_for_equal_fingerprints(desk: Desk) -> None:
    path = desk.file("a.py", "f(0)\n")
    one = desk.finding(path, "0", fingerprint="same thing")
    ids = [attrs["id"] for _, attrs in Page(rendered("html", desk.report(one, one))).tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {"f-same-thing", "f-same-thing-2"} <= set(ids)


def test_a_finding_can_be_read(desk: Desk) -> None:
    path = desk.file("a.py", "v = f(0)\n")
    finding = desk.finding(path, "0", to="x", safety=UNSAFE, trace=(Step(path, 1, 1, "because"),))
    page = Page(rendered("html", desk.report(finding)))
    for words in (
        "a.py:1:7",
        "PPL101",
        "literal-layer-id",
        "v = f(0)",
        "because",
        "Unsafe fix",
        "1 error",
        "in 1 of 3 files",
    ):
        assert words in page.words
