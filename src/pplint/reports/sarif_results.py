"""SARIF results: the hits of one rule on one line are one result, because GitHub shows them as one alert."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from typing import Any

import sarif_om as om

from pplint.finding import UNSAFE, Edit, Finding, Step, severity_rank
from pplint.records import Record
from pplint.reports.sarif_places import LEVELS, Places, sentence

MOST_RELATED = 100
"""Related places that GitHub shows."""
MOST_STEPS = 1_000
"""Steps of a code flow that GitHub shows."""
LINKED_STEPS = 3


class Hit(Record):
    """A finding and, when it is suppressed, the reason in its comment."""

    finding: Finding
    suppressed: str | None


def group_by_line(hits: Iterable[Hit]) -> list[list[Hit]]:
    """Return the hits of one rule, file and line together, open ones apart from suppressed ones."""
    groups: dict[tuple[str, str, int, bool], list[Hit]] = {}
    for hit in hits:
        finding = hit.finding
        key = (finding.code, finding.path, finding.span.line, hit.suppressed is None)
        groups.setdefault(key, []).append(hit)
    return list(groups.values())


def result(group: Sequence[Hit], rule_index: int, places: Places) -> Any:
    """Return the result for the hits of one rule on one line; its place is the first hit's."""
    findings = [hit.finding for hit in group]
    first = findings[0]
    related, text = _related(findings, places)
    severity = min((finding.severity for finding in findings), key=severity_rank)
    return om.Result(
        rule_id=first.code,
        rule_index=rule_index,
        level=LEVELS.get(severity, "warning"),
        message=om.Message(text=text),
        locations=[_location(first, places)],
        related_locations=related or None,
        code_flows=_code_flows(findings, places) or None,
        partial_fingerprints=_fingerprints(first, places) or None,
        fixes=_fixes(findings, places),
        suppressions=_suppressions(group),
        properties=_properties(findings),
    )


def _location(finding: Finding, places: Places) -> Any:
    logical = None
    if finding.symbol:
        logical = [om.LogicalLocation(fully_qualified_name=finding.symbol)]
    return om.Location(physical_location=places.quoted(finding.path, finding.span), logical_locations=logical)


def _related(findings: Sequence[Finding], places: Places) -> tuple[list[Any], str]:
    """Return the related locations and the message, which links to them by their ids."""
    first = findings[0]
    related: list[Any] = []
    parts = [sentence(first.message)]
    for other in findings[1:MOST_RELATED]:
        location = places.token(other.path, other.span)
        _add(related, location, other.message)
        parts.append(f"Also at [column {location.region.start_column}]({len(related)}).")
    impacts = dict.fromkeys(finding.impact.summary for finding in findings if finding.impact)
    parts += [sentence(f"Impact: {summary}") for summary in impacts]
    reasons: list[str] = []
    for step in first.trace[: MOST_RELATED - len(related)]:
        location = places.step(step)
        if location is not None:
            _add(related, location, step.text)
        if len(reasons) < LINKED_STEPS:
            text = sentence(step.text).rstrip(".")
            if location is not None:
                text += f": [{_label(step)}]({len(related)})"
            elif step.path and step.line:  # outside of the repository there is nothing to link to
                text += f" ({_label(step)})"
            reasons.append(text)
    if reasons:
        parts.append(f"Reason: {'; '.join(reasons)}.")
    return related, " ".join(parts)


def _add(related: list[Any], location: Any, text: str) -> None:
    number = len(related) + 1
    related.append(
        om.Location(id=number, physical_location=location, message=om.Message(text=sentence(text)))
    )


def _label(step: Step) -> str:
    name = (
        posixpath.basename(step.path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    )
    for character in "\\[]":
        name = name.replace(character, "\\" + character)
    return f"{name}:{step.line}"


def _code_flows(findings: Sequence[Finding], places: Places) -> list[Any]:
    flows = []
    for finding in findings:
        steps = [(places.step(step), step.text) for step in finding.trace[: MOST_STEPS - 1]]
        steps = [(location, text) for location, text in steps if location]
        if not steps:
            continue
        steps.append((places.token(finding.path, finding.span), finding.message))
        flows.append(
            om.CodeFlow(thread_flows=[om.ThreadFlow(locations=[_flow_step(*step) for step in steps])])
        )
    return flows


def _flow_step(location: Any, text: str) -> Any:
    message = om.Message(text=sentence(text))
    return om.ThreadFlowLocation(location=om.Location(physical_location=location, message=message))


def _fingerprints(first: Finding, places: Places) -> dict[str, str]:
    found = {
        "primaryLocationLineHash": places.line_hash(first.path, first.span.line),
        "pplint/v1": first.fingerprint,
    }
    return {key: value for key, value in found.items() if value}


def _properties(findings: Sequence[Finding]) -> dict[str, Any] | None:
    if len(findings) == 1:
        return None
    # The baseline knows each hit by itself, the alert only the first.
    return {"pplint/v1": [finding.fingerprint for finding in findings]}


def _fixes(findings: Sequence[Finding], places: Places) -> list[Any] | None:
    """Return one fix with all replacements: several fixes would mean alternatives."""
    fixes = [finding.fix for finding in findings if finding.fix]
    edits = _apart(edit for fix in fixes for edit in fix.edits)
    if not edits:
        return None
    unsafe = any(fix.safety == UNSAFE for fix in fixes)
    label = "Unsafe fix (--fix --unsafe-fixes)" if unsafe else "Safe fix (--fix)"
    messages = dict.fromkeys(sentence(fix.message) for fix in fixes)
    path = findings[0].path
    change = om.ArtifactChange(
        artifact_location=places.artifact(path),
        replacements=[_replacement(path, edit, places) for edit in edits],
    )
    return [om.Fix(description=om.Message(text=f"{label}: {' '.join(messages)}"), artifact_changes=[change])]


def _apart(edits: Iterable[Edit]) -> list[Edit]:
    """Return the edits in the order of the text, each once; of two that overlap the first wins."""
    apart: list[Edit] = []
    for edit in sorted(dict.fromkeys(edits)):
        if not apart or (edit.span.line, edit.span.column) >= (
            apart[-1].span.end_line,
            apart[-1].span.end_column,
        ):
            apart.append(edit)
    return apart


def _replacement(path: str, edit: Edit, places: Places) -> Any:
    inserted = om.ArtifactContent(text=edit.text) if edit.text else None
    return om.Replacement(deleted_region=places.exact_region(path, edit.span), inserted_content=inserted)


def _suppressions(group: Sequence[Hit]) -> list[Any] | None:
    if group[0].suppressed is None:
        return None
    reasons = dict.fromkeys(hit.suppressed for hit in group if hit.suppressed)
    return [om.Suppression(kind="inSource", justification="; ".join(reasons) or None)]
