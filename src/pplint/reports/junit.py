"""JUnit XML: a suite per file, a failed case per finding, an error per trouble."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TextIO
from xml.etree.ElementTree import Element, SubElement, tostring

from pplint.finding import Finding, Trouble
from pplint.reports.paths import display_path
from pplint.reports.report import Report
from pplint.reports.summary import plural

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, out: TextIO) -> None:
    """Write the XML in ASCII; a run without findings is one passed case, so that no reader calls it empty."""
    root = Element("testsuites", name="pplint")
    for path, findings in groupby(report.findings, key=lambda finding: finding.path):
        _file_suite(root, display_path(path, report), list(findings))
    if report.troubles:
        suite = _suite(root, "trouble", len(report.troubles), errors=len(report.troubles))
        for trouble in report.troubles:
            _trouble_case(suite, trouble, report)
    if not report.findings and not report.troubles:
        suite = _suite(root, "pplint", 1)
        SubElement(
            suite, "testcase", name=f"{plural(report.files_checked, 'file')} checked", classname="pplint"
        )
    for kind in ("tests", "failures", "errors"):
        root.set(kind, str(sum(int(suite.get(kind, "0")) for suite in root)))
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    out.write(tostring(root, encoding="us-ascii", xml_declaration=False).decode("ascii") + "\n")


def _suite(root: Element, name: str, tests: int, failures: int = 0, errors: int = 0) -> Element:
    counts = {"tests": str(tests), "failures": str(failures), "errors": str(errors)}
    return SubElement(root, "testsuite", {"name": _xml(name), **counts})


def _file_suite(root: Element, path: str, findings: list[Finding]) -> None:
    suite = _suite(root, path, len(findings), failures=len(findings))
    for finding in findings:
        line, column = finding.span.line, finding.span.column
        case = _case(suite, f"{finding.code} {finding.name} ({line}:{column})", path, line)
        failure = SubElement(case, "failure", message=_xml(finding.message), type=finding.severity)
        failure.text = _xml(f"{path}:{line}:{column}: {finding.code}[{finding.name}] {finding.message}")


def _trouble_case(suite: Element, trouble: Trouble, report: Report) -> None:
    path = display_path(trouble.path, report)
    case = _case(suite, f"{trouble.code} {path or 'trouble'}", path or "pplint", trouble.line)
    SubElement(case, "error", message=_xml(trouble.message), type=trouble.code)


def _case(suite: Element, name: str, path: str, line: int) -> Element:
    place = {"file": _xml(path), "line": str(line)} if line else {"file": _xml(path)}
    return SubElement(suite, "testcase", {"name": _xml(name), "classname": _xml(path), **place})


def _xml(text: str) -> str:
    return _NOT_XML.sub("", text)
