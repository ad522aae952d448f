from __future__ import annotations

from typing import Any

import pytest
from report_desk import TWO_HITS, Desk, only_result, run_of

from pplint.finding import UNSAFE, Edit, Fix, Span
from pplint.fixes.apply import apply_edits
from pplint.source.text import Source


def apply_sarif(result: Any, text: str) -> str:
    """Apply a result's only fix as a viewer would: by line and UTF-16 column."""
    (fix,) = result["fixes"]
    (change,) = fix["artifactChanges"]
    lines = text.replace("\r\n", "\x00").replace("\r", "\x01").replace("\n", "\x02")
    starts = [0, *(place + 1 for place, character in enumerate(lines) if character in "\x00\x01\x02")]

    def index(line: int, column: int) -> int:
        rest = lines[starts[line - 1] :].encode("utf-16-le")
        return starts[line - 1] + len(rest[: 2 * (column - 1)].decode("utf-16-le"))

    for item in reversed(change["replacements"]):
        region = item["deletedRegion"]
        start = index(region["startLine"], region["startColumn"])
        end = index(region["endLine"], region["endColumn"])
        lines = lines[:start] + item.get("insertedContent", {"text": ""})["text"] + lines[end:]
    return lines.replace("\x00", "\r\n").replace("\x01", "\r").replace("\x02", "\n")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(TWO_HITS.encode(), id="two hits after a wide character"),
        pytest.param(b"\xef\xbb\xbf" + TWO_HITS.encode(), id="after a byte order mark"),
        pytest.param(TWO_HITS.replace("; w", "\r\n\tw").encode(), id="CRLF and a tab"),
        pytest.param(TWO_HITS.replace("; w", "\rw").encode(), id="a lone CR ends a line"),
        pytest.param(
            TWO_HITS.replace("; w", "\n\x0cw").encode().rstrip(), id="a form feed and no last line end"
        ),
        pytest.param(b"# -*- coding: latin-1 -*-\ns = '\xe9'; f(0); g(0)\n", id="latin-1"),
    ],
)
def test_the_fixes_give_the_same_bytes_as_the_edits(desk: Desk, content: bytes) -> None:
    path = desk.file("a.py", content)
    findings = [desk.finding(path, "(0", number, to="(pool.start_layer") for number in (1, 2)]
    source = Source.read(path)
    text = source.text
    for result in reversed(run_of(desk.report(*findings))["results"]):
        text = apply_sarif(result, text)
    edits = [edit for finding in findings if finding.fix for edit in finding.fix.edits]
    assert source.bom + text.encode(source.encoding) == apply_edits(source, edits)
    assert b"pool.start_layer" in text.encode(source.encoding)


def test_insertions_and_removals_are_replacements_too(desk: Desk) -> None:
    path = desk.file("a.py", "for layer in self.layers:\n    use(layer)\n")
    edits = (
        Edit(Span(1, 14, 1, 14), "islice("),
        Edit(Span(1, 25, 1, 25), ", 0, 4)"),
        Edit(Span(2, 5, 2, 15), ""),
    )
    finding = desk.finding(path, "self.layers")._replace(fix=Fix(UNSAFE, "Take the stage's slice", edits))
    result = only_result(desk.report(finding))
    assert apply_sarif(result, Source.read(path).text) == "for layer in islice(self.layers, 0, 4):\n    \n"
    assert result["fixes"][0]["description"]["text"] == (
        "Unsafe fix (--fix --unsafe-fixes): Take the stage's slice."
    )


def test_of_two_edits_that_overlap_the_first_stays_and_a_shared_one_counts_once(desk: Desk) -> None:
    path = desk.file("a.py", "f(0, 1)\n")
    shared = Edit(Span(1, 1, 1, 1), "x.")
    one = desk.finding(path, "0")._replace(fix=Fix(UNSAFE, "one", (shared, Edit(Span(1, 3, 1, 7), "a"))))
    two = desk.finding(path, "1")._replace(fix=Fix(UNSAFE, "two", (shared, Edit(Span(1, 6, 1, 7), "b"))))
    assert apply_sarif(only_result(desk.report(one, two)), "f(0, 1)\n") == "x.f(a)\n"


def test_a_finding_without_a_fix_has_no_fixes(desk: Desk) -> None:
    assert "fixes" not in only_result(desk.report(desk.finding(desk.file("a.py", "f(0)\n"), "0")))
