"""SARIF 2.1.0 for GitHub code scanning and other viewers: the log, the tool with its rules, and the limits.

GitHub refuses a whole file for one wrong result, so nothing is written that it would refuse: every result has
a place inside the repository, and what cannot have one is named in a notification and on stderr.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Sequence
from typing import Any, TextIO

import sarif_om as om

from pplint.finding import Finding, Trouble, severity_rank
from pplint.reports.harmless import harmless
from pplint.reports.paths import readable, repository_path, repository_uri
from pplint.reports.report import Report
from pplint.reports.rule_text import as_markdown, as_plain
from pplint.reports.sarif_places import LEVELS, ROOT, Places, sentence
from pplint.reports.sarif_results import Hit, group_by_line, result
from pplint.reports.sarif_writer import to_json
from pplint.reports.summary import plural
from pplint.rules.base import RuleInfo

ABOUT = "data:,Layer%20ids%20that%20a%20pipeline%20stage%20of%20SGLang%20may%20not%20own"
"""Readers want an address with information about the tool; this one says it, and never leads elsewhere."""

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 5_000
"""Results that GitHub stores (it refuses files with more than 25,000)."""
MOST_BYTES = 10_000_000
"""The size after gzip above which GitHub refuses a file (10 MB)."""
LONGEST_NAME = 255
LONGEST_DESCRIPTION = 1024

_PROBLEM_SEVERITIES = {"error": "error", "warning": "warning", "info": "recommendation"}
_PRECISIONS = ("very-high", "high", "medium", "low")


def render(report: Report, out: TextIO) -> None:
    """Write one SARIF log with one run; what the limits leave out is told on stderr."""
    rules = _all_rules(report)
    groups, outside = _placed_groups(report, rules)
    kept = groups[:MOST_RESULTS]
    text = _log(report, rules, kept, outside)
    while kept and len(gzip.compress(text.encode("ascii"), 6)) > MOST_BYTES:
        kept = kept[: len(kept) * 3 // 4]
        text = _log(report, rules, kept, outside)
    _tell_left_out(groups[len(kept) :], outside)
    out.write(text + "\n")


def _all_rules(report: Report) -> dict[str, RuleInfo]:
    rules = {rule.code: rule for rule in report.rules}
    suppressed = [finding for finding, _ in report.suppressed] if report.include_suppressed else []
    for finding in [*report.findings, *suppressed]:
        if finding.code not in rules:
            # A result without a rule is refused, so a finding of no known rule brings its own.
            rules[finding.code] = RuleInfo(
                finding.code,
                finding.name,
                finding.severity,
                "medium",
                finding.name,
                finding.message,
                "",
                "",
                "",
            )
    return rules


def _placed_groups(report: Report, rules: dict[str, RuleInfo]) -> tuple[list[list[Hit]], list[Finding]]:
    hits = [Hit(finding, None) for finding in report.findings]
    if report.include_suppressed:
        hits += [Hit(finding, reason) for finding, reason in report.suppressed]
    inside = [hit for hit in hits if repository_uri(hit.finding.path, report) is not None]
    outside = [hit.finding for hit in hits if repository_uri(hit.finding.path, report) is None]

    def weight(group: list[Hit]) -> tuple[int, int, str, int, int, str]:
        finding = group[0].finding
        precision = rules[finding.code].precision
        rank = _PRECISIONS.index(precision) if precision in _PRECISIONS else len(_PRECISIONS)
        place = (finding.path, finding.span.line, finding.span.column)
        return (min(severity_rank(hit.finding.severity) for hit in group), rank, *place, finding.code)

    return sorted(group_by_line(inside), key=weight), outside


def _log(
    report: Report, rules: dict[str, RuleInfo], groups: Sequence[list[Hit]], outside: list[Finding]
) -> str:
    index = {code: number for number, code in enumerate(rules)}
    places = Places(report)
    codes = sorted({trouble.code for trouble in report.troubles} - set(rules))
    driver = om.ToolComponent(
        name="pplint",
        version=report.version,
        semantic_version=report.version,
        information_uri=ABOUT,
        rules=[_descriptor(rule) for rule in rules.values()],
        notifications=[_descriptor(_trouble_rule(code)) for code in codes] or None,
    )
    run = om.Run(
        tool=om.Tool(driver=driver),
        results=[result(group, index[group[0].finding.code], places) for group in groups],
        invocations=[_invocation(report, index, codes, places, outside)],
        original_uri_base_ids={ROOT: _root()},
        automation_details=om.RunAutomationDetails(
            id="pplint/", description=om.Message(text="Layer ids under pipeline parallelism.")
        ),
        column_kind="utf16CodeUnits",
        # pplint also ends a line at a lone CR, as Python does.
        newline_sequences=["\r\n", "\n", "\r"],
    )
    log = to_json(om.SarifLog(version="2.1.0", schema_uri=SCHEMA, runs=[run]))
    # A reader that looks at the first bytes only must see what this is.
    ordered = {"$schema": log["$schema"], "version": log["version"], "runs": log["runs"]}
    return json.dumps(ordered, separators=(",", ":"))


def _root() -> Any:
    return om.ArtifactLocation(description=om.Message(text="The top level of the git working tree."))


def _descriptor(rule: RuleInfo) -> Any:
    return om.ReportingDescriptor(
        id=rule.code,
        name=rule.name[:LONGEST_NAME],
        short_description=om.MultiformatMessageString(text=_cut(sentence(rule.summary or rule.name))),
        full_description=om.MultiformatMessageString(
            text=_cut(sentence(rule.what or rule.summary or rule.name))
        ),
        help=om.MultiformatMessageString(text=as_plain(rule), markdown=as_markdown(rule)),
        default_configuration=om.ReportingConfiguration(level=LEVELS.get(rule.severity, "warning")),
        properties={
            "tags": ["correctness", "pipeline-parallelism", "sglang"],
            "precision": rule.precision,
            "problem.severity": _PROBLEM_SEVERITIES.get(rule.severity, "warning"),
        },
    )


def _trouble_rule(code: str) -> RuleInfo:
    what = "A file could not be read or parsed, or a rule could not do its work, so findings may be missing."
    how = "The notification names the file and the cause; the rest of the run is complete."
    return RuleInfo(
        code, "trouble", "error", "very-high", "pplint could not do all of its work", what, "", how, ""
    )


def _cut(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= LONGEST_DESCRIPTION else one_line[: LONGEST_DESCRIPTION - 3] + "..."


def _invocation(
    report: Report, index: dict[str, int], codes: list[str], places: Places, outside: list[Finding]
) -> Any:
    notifications = [_notification(trouble, index, codes, places) for trouble in report.troubles]
    if outside:
        text = f"{plural(len(outside), 'finding')} in files outside of the repository left out."
        notifications.append(om.Notification(level="warning", message=om.Message(text=text)))
    return om.Invocation(
        execution_successful=not report.troubles,
        tool_execution_notifications=notifications or None,
    )


def _notification(trouble: Trouble, index: dict[str, int], codes: list[str], places: Places) -> Any:
    location = places.line(trouble.path, trouble.line) if trouble.path else None
    named = "" if location or not trouble.path else repository_path(trouble.path, places.report) + ": "
    if trouble.code in index:
        reference = {
            "associated_rule": om.ReportingDescriptorReference(id=trouble.code, index=index[trouble.code])
        }
    else:
        number = codes.index(trouble.code)
        reference = {"descriptor": om.ReportingDescriptorReference(id=trouble.code, index=number)}
    return om.Notification(
        level="error",
        message=om.Message(text=sentence(named + trouble.message)),
        locations=[location] if location else None,
        **reference,
    )


def _tell_left_out(groups: Sequence[list[Hit]], outside: list[Finding]) -> None:
    if groups:
        levels = [hit.finding.severity for group in groups for hit in group]
        kinds = ", ".join(plural(levels.count(level), level) for level in LEVELS if level in levels)
        print(f"pplint: SARIF: {kinds} left out, the least severe: GitHub takes no more", file=sys.stderr)
    if outside:
        first = harmless(readable(outside[0].path))
        print(
            f"pplint: SARIF: {plural(len(outside), 'finding')} left out because the file lies outside of the "
            f"repository, the first in {first}",
            file=sys.stderr,
        )
