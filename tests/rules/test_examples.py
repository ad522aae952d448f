"""Each rule's examples are its tests: as they stand, and in other line ends, indents and encodings."""

from __future__ import annotations

from pathlib import Path

import pytest

from pplint.finding import INFO, SAFE, Finding
from pplint.fixes import fix_source
from pplint.judge.check import JudgeRequest, judge
from pplint.rules.base import Example
from pplint.rules.registry import RULES
from pplint.source.text import Source

EXAMPLES = [(rule.code, example) for rule in RULES for example in rule.examples]
IDS = [f"{code}: {example.title}" for code, example in EXAMPLES]

LAYOUTS = {
    "as it stands": lambda text: text.encode(),
    "with CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "with tabs": lambda text: text.replace("    ", "\t").encode(),
    "after a BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "in Latin-1": lambda text: ("# -*- coding: latin-1 -*-\n# \xe9\n" + text).encode("latin-1"),
}


def findings_of(root: Path, example: Example, code: str, data: bytes) -> tuple[str, list[Finding]]:
    package = root / "sglang"
    (package / "srt").mkdir(parents=True, exist_ok=True)
    for name, text in example.files:
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    path = package / example.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    judged = judge(JudgeRequest(str(root), (str(path),), {}, frozenset({code})))
    assert not judged.troubles
    return str(path), [finding for finding in judged.findings if finding.severity != INFO]


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize(("code", "example"), EXAMPLES, ids=IDS)
def test_an_example_is_reported_where_it_says_so(code, example, layout, tmp_path):
    text = example.bad or example.good
    path, findings = findings_of(tmp_path, example, code, layout(text))
    lines = Source.read(path).lines
    marked = {number for number, line in enumerate(lines, 1) if f"# {code}" in line}
    assert {finding.span.line for finding in findings} == marked
    assert bool(marked) is bool(example.bad)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize(
    ("code", "example"),
    [pair for pair in EXAMPLES if pair[1].fixed],
    ids=[name for name, pair in zip(IDS, EXAMPLES, strict=True) if pair[1].fixed],
)
def test_an_example_is_fixed_as_it_says(code, example, layout, tmp_path):
    path, findings = findings_of(tmp_path, example, code, layout(example.bad))
    assert all(finding.fix is not None and finding.fix.safety == example.safety for finding in findings)
    outcome = fix_source(Source.read(path), [finding.fix for finding in findings])
    assert outcome.data == layout(example.fixed)
    if example.safety == SAFE:
        _, again = findings_of(tmp_path, example, code, outcome.data)
        assert not again
