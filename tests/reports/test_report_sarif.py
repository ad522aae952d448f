from __future__ import annotations

import json

import pytest
import sarif_om as om
from report_desk import TWO_HITS, Desk, only_result, rendered, rule, run_of

from pplint.finding import Impact, Span, Step
from pplint.reports.github_fingerprint import line_hashes
from pplint.reports.report import Report
from pplint.reports.sarif_writer import to_json

ODD_NAME = "python/sglang/a b#%\u00e9.py"


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
    assert "a place outside (x.py:1); " in text
    assert "elsewhere" not in json.dumps(result)
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


def test_a_place_of_several_lines_ends_with_the_first(desk: Desk) -> None:
    path = desk.file("a.py", "f('\U0001f600', \n  0,\n  1)\n")
    finding = desk.finding(path, "f")._replace(span=Span(1, 1, 3, 5))
    region = only_result(desk.report(finding))["locations"][0]["physicalLocation"]["region"]
    assert (region["endLine"], region["endColumn"]) == (1, 8)


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


def test_the_writer_drops_defaults_but_neither_levels_nor_the_entries_of_free_maps() -> None:
    written = to_json(
        om.Result(
            message=om.Message(text=""),
            level="warning",
            kind="fail",
            rule_index=0,
            rank=-1.0,
            related_locations=[],
            properties={"snake_key": None, "rank": -1.0, "list": [om.Message(text="x"), 1.5, None]},
        )
    )
    assert written == {
        "message": {"text": ""},
        "level": "warning",
        "ruleIndex": 0,
        "relatedLocations": [],
        "properties": {"snake_key": None, "rank": -1.0, "list": [{"text": "x"}, 1.5, None]},
    }


def test_the_message_says_once_what_the_stages_get(desk: Desk) -> None:
    hit = desk.file(ODD_NAME, TWO_HITS)
    impact = Impact("PP=2: IndexError on the last stage; PP=3 and more: [a](b)", ())
    pair = [desk.finding(hit, "0", nth, impact=impact) for nth in (1, 2)]
    text = only_result(desk.report(*pair))["message"]["text"]
    assert text.count("Impact: PP=2: IndexError on the last stage; PP=3 and more: [a\\](b).") == 1
    assert "\n" not in text
