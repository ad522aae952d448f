from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from report_desk import Desk, rendered, rule

from pplint.finding import UNSAFE, Edit, Finding, Fix, Span, Step, Trouble
from pplint.reports.github_fingerprint import line_hashes
from pplint.reports.report import Report
from pplint.source.text import Source

ODD_NAME = "python/sglang/a b#%\u00e9.py"
TWO_HITS = "s = '\U0001f600\u00e9'; v = pool.get_value_buffer(0); w = pool.get_key_buffer(0)\n"


def run_of(report: Report) -> Any:
    log = json.loads(rendered("sarif", report))
    assert len(log["runs"]) == 1
    return log["runs"][0]


def only_result(report: Report) -> Any:
    (result,) = run_of(report)["results"]
    return result


@pytest.fixture
def traced(desk: Desk) -> Report:
    hit = desk.file(ODD_NAME, TWO_HITS)
    pool = desk.file(
        "python/sglang/pool.py", "class P:\n    def get(self, i):\n        return i - self.start_layer\n"
    )
    trace = (
        Step(pool, 3, 20, "`get_value_buffer` subtracts `start_layer`"),
        Step("/elsewhere/x.py", 1, 1, "a place outside"),
        Step(pool, 2, 9, "reads `layers[0](x)`"),
    )
    return desk.report(desk.finding(hit, "0", 1, to="pool.start_layer", trace=trace))


def test_the_log_says_what_it_is(traced: Report) -> None:
    text = rendered("sarif", traced)
    assert text.isascii()
    log = json.loads(text)
    assert list(log) == ["$schema", "version", "runs"]
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")


def test_the_run_carries_what_github_reads(traced: Report) -> None:
    run = run_of(traced)
    assert run["automationDetails"]["id"] == "pplint/"
    assert run["columnKind"] == "utf16CodeUnits"
    assert "uri" not in run["originalUriBaseIds"]["%SRCROOT%"]
    assert run["invocations"] == [{"executionSuccessful": True}]
    assert run["tool"]["driver"]["semanticVersion"] == "1.2.3"
    assert traced.repository not in json.dumps(run)


def test_every_rule_that_ran_is_described_whether_hit_or_not(traced: Report) -> None:
    driver = run_of(traced)["tool"]["driver"]
    assert [item["id"] for item in driver["rules"]] == ["PPL101", "PPL201", "PPL702"]
    first = driver["rules"][0]
    assert first["name"] == "literal-layer-id"
    assert first["shortDescription"]["text"]
    assert first["fullDescription"]["text"]
    assert "start_layer" in first["help"]["text"]
    assert "```python\nv = pool.get_value_buffer(0)\n```" in first["help"]["markdown"]
    assert first["defaultConfiguration"] == {"level": "error"}
    assert first["properties"]["precision"] == "high"
    assert first["properties"]["problem.severity"] == "error"
    assert "security-severity" not in first["properties"]
    assert 0 < len(first["properties"]["tags"]) <= 10


@pytest.mark.parametrize(
    ("severity", "level", "problem"),
    [("error", "error", "error"), ("warning", "warning", "warning"), ("info", "note", "recommendation")],
)
def test_levels_are_always_written(desk: Desk, severity: str, level: str, problem: str) -> None:
    finding = desk.finding(desk.file("a.py", "f(0)\n"), "0", severity=severity)
    run = run_of(desk.report(finding, rules=(rule("PPL101", severity),)))
    (described,) = run["tool"]["driver"]["rules"]
    assert described["defaultConfiguration"]["level"] == run["results"][0]["level"] == level
    assert described["properties"]["problem.severity"] == problem


def test_descriptions_and_names_keep_githubs_lengths(desk: Desk) -> None:
    long = rule(summary="s " * 900, what="w " * 900, name="n" * 300)
    (described,) = run_of(desk.report(rules=(long,)))["tool"]["driver"]["rules"]
    assert len(described["shortDescription"]["text"]) == 1024
    assert len(described["fullDescription"]["text"]) == 1024
    assert len(described["name"]) == 255


def test_a_finding_of_an_unlisted_rule_brings_its_rule(desk: Desk) -> None:
    finding = desk.finding(desk.file("a.py", "f(0)\n"), "0", code="PPL901", severity="warning")
    run = run_of(desk.report(finding))
    assert run["tool"]["driver"]["rules"][run["results"][0]["ruleIndex"]]["id"] == "PPL901"


def test_a_result_points_at_the_token(traced: Report) -> None:
    result = only_result(traced)
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("PPL101", 0, "error")
    (location,) = result["locations"]
    place = location["physicalLocation"]
    assert place["artifactLocation"] == {
        "uri": "python/sglang/a%20b%23%25%C3%A9.py",
        "uriBaseId": "%SRCROOT%",
    }
    assert place["region"]["snippet"] == {"text": "0"}
    # Before the 0 stand 36 characters, one of which is two UTF-16 units.
    region = {key: place["region"][key] for key in ("startLine", "startColumn", "endLine", "endColumn")}
    assert region == {"startLine": 1, "startColumn": 38, "endLine": 1, "endColumn": 39}
    assert result["partialFingerprints"] == {
        "primaryLocationLineHash": line_hashes(TWO_HITS.encode())[0],
        "pplint/v1": traced.findings[0].fingerprint,
    }


def test_the_reason_is_linked_and_flows(traced: Report) -> None:
    result = only_result(traced)
    text = result["message"]["text"]
    assert "subtracts `start_layer`: [pool.py:3](1)" in text
    assert [item["id"] for item in result["relatedLocations"]] == [1, 2]
    assert "outside" not in json.dumps(result)
    (flow,) = result["codeFlows"][0]["threadFlows"]
    lines = [item["location"]["physicalLocation"]["region"]["startLine"] for item in flow["locations"]]
    assert lines == [3, 2, 1]
    assert (
        flow["locations"][0]["location"]["message"]["text"] == "`get_value_buffer` subtracts `start_layer`."
    )


def test_brackets_in_the_text_are_no_links(traced: Report) -> None:
    assert "`layers[0\\](x)`: [pool.py:2](2)" in only_result(traced)["message"]["text"]


def test_an_empty_place_is_one_column_wide(desk: Desk) -> None:
    finding = desk.finding(desk.file("a.py", "f(0)\n"), "0")._replace(span=Span(1, 3, 1, 3))
    region = only_result(desk.report(finding))["locations"][0]["physicalLocation"]["region"]
    assert (region["startColumn"], region["endColumn"]) == (3, 4)


def test_a_place_of_several_lines_ends_where_it_ends(desk: Desk) -> None:
    path = desk.file("a.py", "f(\n  0,\n  '\U0001f600')\n")
    finding = desk.finding(path, "f")._replace(span=Span(1, 1, 3, 7))
    region = only_result(desk.report(finding))["locations"][0]["physicalLocation"]["region"]
    assert (region["endLine"], region["endColumn"]) == (3, 8)


def test_hits_of_a_rule_on_one_line_are_one_result(desk: Desk) -> None:
    path = desk.file("a.py", TWO_HITS)
    first = desk.finding(path, "0", 1, to="pool.start_layer", severity="warning")
    second = desk.finding(path, "0", 2, to="pool.start_layer", message="the key buffer")
    other = desk.finding(path, "0", 1, code="PPL702")
    results = run_of(desk.report(first, second, other))["results"]
    assert [result["ruleId"] for result in results] == ["PPL101", "PPL702"]
    merged = results[0]
    assert merged["level"] == "error"
    assert "Also at [column 66](1)." in merged["message"]["text"]
    assert merged["relatedLocations"][0]["message"]["text"] == "the key buffer."
    assert merged["partialFingerprints"]["pplint/v1"] == first.fingerprint
    assert merged["properties"] == {"pplint/v1": [first.fingerprint, second.fingerprint]}
    (fix,) = merged["fixes"]
    assert len(fix["artifactChanges"][0]["replacements"]) == 2


def test_the_fingerprint_of_a_rule_is_the_same_for_other_lines_above(desk: Desk) -> None:
    before = only_result(desk.report(desk.finding(desk.file("a.py", "v = f(0)\n"), "0")))
    after = only_result(desk.report(desk.finding(desk.file("a.py", "import x\n\nv = f(0)\n"), "0")))
    key = "primaryLocationLineHash"
    assert before["partialFingerprints"][key] == after["partialFingerprints"][key]


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


def apply_edits(finding_fixes: list[Fix], source: Source) -> bytes:
    data = source.data
    edits = sorted((edit for fix in finding_fixes for edit in fix.edits), reverse=True)
    for edit in edits:
        start = source.offset(edit.span.line, edit.span.column)
        end = source.offset(edit.span.end_line, edit.span.end_column)
        data = data[:start] + edit.text.encode(source.encoding) + data[end:]
    return data


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
    fixes = [finding.fix for finding in findings if finding.fix]
    assert source.bom + text.encode(source.encoding) == apply_edits(fixes, source)
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


def test_trouble_makes_the_run_fail_and_names_the_files(desk: Desk) -> None:
    bad = desk.file("b d.py", "def f(:\n")
    troubles = [
        Trouble(bad, 1, "cannot be parsed"),
        Trouble(bad, 0, "a rule failed", code="PPL101"),
        Trouble("", 0, "gone/: no such folder"),
        Trouble("/elsewhere/x.py", 0, "cannot be read"),
    ]
    run = run_of(desk.report(troubles=troubles))
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    told = invocation["toolExecutionNotifications"]
    assert [item["message"]["text"] for item in told] == [
        "cannot be parsed.",
        "a rule failed.",
        "gone/: no such folder.",
        "/elsewhere/x.py: cannot be read.",
    ]
    place = told[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "b%20d.py"
    assert place["region"] == {"startLine": 1}
    assert "region" not in told[1]["locations"][0]["physicalLocation"]
    assert told[1]["associatedRule"] == {"id": "PPL101", "index": 0}
    assert run["tool"]["driver"]["notifications"][told[0]["descriptor"]["index"]]["id"] == "PPL903"
    assert run["results"] == []


def test_suppressed_results_only_on_request(desk: Desk) -> None:
    path = desk.file("a.py", TWO_HITS)
    shown, silent = desk.finding(path, "0", 1), desk.finding(path, "0", 2)
    without = desk.report(shown, suppressed=[(silent, "checked by hand")])
    assert len(run_of(without)["results"]) == 1
    results = run_of(without._replace(include_suppressed=True))["results"]
    assert [result.get("suppressions") for result in results] == [
        None,
        [{"kind": "inSource", "justification": "checked by hand"}],
    ]


def test_a_file_outside_of_the_repository_is_left_out_and_told(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inside = desk.finding(desk.file("a.py", "f(0)\n"), "0")
    far = desk.finding(desk.file("../far/b.py", "f(0)\n"), "0")
    report = desk.report(inside, far._replace(path=str(Path(far.path).resolve())))
    run = run_of(report)
    assert [
        unquote(item["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        for item in run["results"]
    ] == ["a.py"]
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == (
        "1 finding in files outside of the repository left out."
    )
    assert "far/b.py" in capsys.readouterr().err


def many(desk: Desk, number: int) -> list[Finding]:
    path = desk.file("a.py", "f(0)\n" * number)
    first = desk.finding(path, "0")
    levels = ("info", "warning", "error")
    return [
        first._replace(span=Span(line, 3, line, 4), severity=levels[line % 3], fingerprint=str(line))
        for line in range(1, number + 1)
    ]


def test_the_most_severe_are_kept_when_there_are_too_many(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pplint.reports.sarif.MOST_RESULTS", 25)
    results = run_of(desk.report(*many(desk, 60)))["results"]
    assert [result["level"] for result in results] == ["error"] * 20 + ["warning"] * 5
    assert "15 warnings, 20 infos left out" in capsys.readouterr().err


def test_the_size_after_gzip_is_kept(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = desk.report(*many(desk, 300))
    monkeypatch.setattr("pplint.reports.sarif.MOST_BYTES", 6_000)
    assert 0 < len(run_of(report)["results"]) < 300
    assert "left out" in capsys.readouterr().err


def test_order_is_severity_then_precision_then_path(desk: Desk) -> None:
    b, a = desk.file("b.py", "f(0)\n"), desk.file("a.py", "f(0)\n")
    rules = (rule("PPL101", precision="medium"), rule("PPL201", precision="very-high"))
    findings = [
        desk.finding(a, "0", severity="warning", code="PPL201"),
        desk.finding(b, "0"),
        desk.finding(a, "0"),
        desk.finding(b, "0", code="PPL201"),
    ]
    results = run_of(desk.report(*findings, rules=rules))["results"]
    place = "physicalLocation"
    assert [
        (item["level"], item["ruleId"], item["locations"][0][place]["artifactLocation"]["uri"])
        for item in results
    ] == [
        ("error", "PPL201", "b.py"),
        ("error", "PPL101", "a.py"),
        ("error", "PPL101", "b.py"),
        ("warning", "PPL201", "a.py"),
    ]


def test_related_places_are_as_many_as_github_shows(desk: Desk) -> None:
    path = desk.file("a.py", "f(0);" * 300 + "\n")
    findings = [desk.finding(path, "0", number) for number in range(1, 301)]
    assert len(only_result(desk.report(*findings))["relatedLocations"]) <= 100


def test_a_file_that_has_gone_still_gives_a_result(desk: Desk) -> None:
    finding = desk.finding(desk.file("a.py", "f(0)\n"), "0", to="x")
    Path(finding.path).unlink()
    result = only_result(desk.report(finding))
    assert result["locations"][0]["physicalLocation"]["region"]["startColumn"] == 3
    assert "primaryLocationLineHash" not in result["partialFingerprints"]
