from __future__ import annotations

from xml.etree import ElementTree

from report_desk import Desk, rendered

from pplint.finding import Trouble


def test_a_suite_per_file_and_an_error_per_trouble(desk: Desk) -> None:
    a, b = desk.file("a.py", "f(0)\ng(0)\n"), desk.file("b.py", "f(0)\n")
    report = desk.report(
        desk.finding(a, "0", 1),
        desk.finding(a, "0", 2),
        desk.finding(b, "0"),
        troubles=[Trouble(b, 7, "bad")],
    )
    root = ElementTree.fromstring(rendered("junit", report))
    assert dict(root.items()) == {"name": "pplint", "tests": "4", "failures": "3", "errors": "1"}
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [
        ("a.py", "2"),
        ("b.py", "1"),
        ("trouble", "1"),
    ]
    case = root[0][1]
    assert (case.get("classname"), case.get("file"), case.get("line")) == ("a.py", "a.py", "2")
    assert case[0].tag == "failure"
    assert case[0].get("type") == "error"
    assert (case[0].text or "").startswith("a.py:2:3: PPL101[literal-layer-id] ")


def test_a_clean_run_is_one_passed_case(desk: Desk) -> None:
    root = ElementTree.fromstring(rendered("junit", desk.report()))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("1", "0", "0")
    assert root[0][0].get("name") == "3 files checked"


def test_any_text_gives_xml(desk: Desk) -> None:
    path = desk.file("a<&\"'\u00e9.py", "f(0)\n")
    message = ']]> <b> & "q" \x00\x1b\ufffe \U0001f600 \ud800'
    text = rendered("junit", desk.report(desk.finding(path, "0", message=message)))
    assert text.isascii()
    failure = ElementTree.fromstring(text)[0][0][0]
    assert failure.get("message") == ']]> <b> & "q"  \U0001f600 '
