from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from report_desk import Desk, rendered

from pplint.finding import RIGHT, UNSAFE, Impact, LayoutOutcome, StageOutcome, Step, Trouble
from pplint.judge.learnt import Learnt
from pplint.reports.report import Report

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "findings.schema.json").read_text(encoding="utf-8"))
KEYS = [
    *("code", "name", "severity", "path", "line", "column", "end_line", "end_column"),
    *("symbol", "message", "trace", "impact", "outcomes", "fix", "fingerprint"),
]

IMPACT = Impact(
    "2 stages of 3 layers: IndexError on the last stage",
    (LayoutOutcome(2, 3, (StageOutcome(0, 0, 1, RIGHT, 0), StageOutcome(1, 1, 3, "IndexError", 0))),),
)


def full_report(desk: Desk) -> Report:
    hit = desk.file(
        "srt/hit.py", "s = '\U0001f600'; v = pool.get_value_buffer(0)\nw = pool.get_key_buffer(0)\n"
    )
    pool = desk.file("srt/pool.py", "class Pool:\n    start_layer = 4\n")
    return desk.report(
        desk.finding(
            hit, "0", 1, to="pool.start_layer", trace=(Step(pool, 2, 5, "subtracted"), Step("", 0, 0, "so"))
        ),
        desk.finding(hit, "0", 2, to="9", safety=UNSAFE, severity="warning", impact=IMPACT),
        troubles=[Trouble(pool, 2, "cannot be parsed"), Trouble("", 0, "no Python file")],
        suppressed=[(desk.finding(hit, "0"), "checked")],
        hidden_infos=4,
        fixed=1,
    )


def test_the_document_is_as_its_schema_says(desk: Desk) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    document = json.loads(rendered("json", full_report(desk)))
    jsonschema.validate(document, SCHEMA)
    assert list(document) == ["version", "tool", "findings", "troubles", "summary"]
    assert list(document["findings"][0]) == KEYS
    assert document["tool"] == {"name": "pplint", "version": "1.2.3"}


def test_an_empty_report_is_a_document_too(desk: Desk) -> None:
    document = json.loads(rendered("json", desk.report()))
    jsonschema.validate(document, SCHEMA)
    assert document["findings"] == document["troubles"] == []


def test_a_finding_is_told_in_code_points(desk: Desk) -> None:
    first = json.loads(rendered("json", full_report(desk)))["findings"][0]
    assert [first[key] for key in ("path", "line", "column", "end_line", "end_column")] == [
        "srt/hit.py",
        1,
        36,
        1,
        37,
    ]
    assert first["fix"] == {
        "safety": "safe",
        "message": "Ask the pool: `pool.start_layer`",
        "edits": [
            {"start_line": 1, "start_column": 36, "end_line": 1, "end_column": 37, "text": "pool.start_layer"}
        ],
    }
    assert first["trace"][0] == {"path": "srt/pool.py", "line": 2, "column": 5, "text": "subtracted"}
    assert first["impact"] is first["outcomes"] is None


def test_what_each_stage_gets_is_told_in_words_and_as_data(desk: Desk) -> None:
    second = json.loads(rendered("json", full_report(desk)))["findings"][1]
    assert second["impact"] == ["stage 0 [0, 1): right", "stage 1 [1, 3): IndexError for layer 0"]
    right = {"rank": 0, "start": 0, "end": 1, "outcome": "right", "asked": 0, "got": None}
    wrong = {"rank": 1, "start": 1, "end": 3, "outcome": "IndexError", "asked": 0, "got": None}
    assert second["outcomes"] == [{"pp_size": 2, "num_layers": 3, "stages": [right, wrong]}]


def test_the_summary_counts(desk: Desk) -> None:
    assert json.loads(rendered("json", full_report(desk)))["summary"] == {
        "errors": 1,
        "warnings": 1,
        "infos": 0,
        "hidden_infos": 4,
        "suppressed": 1,
        "troubles": 2,
        "fixable": 1,
        "unsafe_fixable": 1,
        "fixed": 1,
        "files_with_findings": 1,
        "files_checked": 3,
        "accessors_known": None,
        "padded_lists_known": None,
    }


def test_the_summary_says_what_there_was_to_judge_by(desk: Desk) -> None:
    summary = json.loads(rendered("json", desk.report(learnt=Learnt(25, 3, 40))))["summary"]
    assert (summary["accessors_known"], summary["padded_lists_known"]) == (25, 3)


def test_json_lines_are_findings_then_troubles_then_the_summary(desk: Desk) -> None:
    report = full_report(desk)
    lines = [json.loads(line) for line in rendered("jsonl", report).splitlines()]
    for line in lines:
        jsonschema.validate(line, {**SCHEMA["$defs"]["line"], "$defs": SCHEMA["$defs"]})
    document = json.loads(rendered("json", report))
    assert lines[:2] == document["findings"]
    assert lines[2:] == [
        *({"trouble": item} for item in document["troubles"]),
        {"summary": document["summary"]},
    ]


@pytest.mark.parametrize(
    ("key", "value"),
    [("line", 0), ("severity", "fatal"), ("fix", {}), ("path", ""), ("code", "E101")],
    ids=["line 0", "an unknown level", "an empty fix", "no path", "a foreign code"],
)
def test_the_schema_refuses(desk: Desk, key: str, value: Any) -> None:
    document = json.loads(rendered("json", full_report(desk)))
    document["findings"][0][key] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)
