"""Suppression comments: which findings they silence, which of them silence nothing, which name no rule."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from pplint import ignore_comments, pylint_comments
from pplint.finding import SAFE, WARNING, Edit, Finding, Fix, Span
from pplint.ignore_comments import Marker
from pplint.records import Record
from pplint.rules.catalogue import CATALOGUE, HOUSEKEEPING, UNKNOWN, UNUSED, find_name
from pplint.settings import nearest
from pplint.source.text import Source


class Checked(Record):
    """Findings that remain (with PPL901 and PPL902), and those that a comment silences, with its reason."""

    findings: list[Finding]
    suppressed: list[tuple[Finding, str]]


class Policy(Record):
    """What `apply` needs to know of a run.

    `ran` gives the codes that ran on a file; `root` is the folder that fingerprints are relative to; `broken`
    are files that were not judged in full, where nothing can be called unused.
    """

    ran: Callable[[str], frozenset[str]]
    root: str
    broken: frozenset[str] = frozenset()
    require_reason: bool = False


def apply(
    findings: Iterable[Finding],
    marked: Iterable[str],
    source_of: Callable[[str], Source | None],
    policy: Policy,
) -> Checked:
    """Sort `findings` by the comments in their files; `marked` are files that hold the bytes `pplint:`."""
    by_file: dict[str, list[Finding]] = {path: [] for path in marked}
    for finding in findings:
        by_file.setdefault(finding.path, []).append(finding)
    checked = Checked([], [])
    for path in sorted(by_file):
        source = source_of(path)
        if source is None:
            checked.findings.extend(by_file[path])
            continue
        _apply_file(by_file[path], source, policy, checked)
    return checked


def _apply_file(findings: list[Finding], source: Source, policy: Policy, checked: Checked) -> None:
    markers = ignore_comments.markers(source)
    # A finding about a comment can be silenced by one, too.
    pragmas = pylint_comments.pragmas(source) if findings or markers else None
    ran = policy.ran(source.path)
    problems = [_problems(marker, policy) for marker in markers]
    valid = [marker for marker, problem in zip(markers, problems, strict=True) if not problem.whole]
    used: set[tuple[Span, str]] = set()

    def settle(finding: Finding) -> None:
        reason = _silence(finding, valid, used, source)
        if reason is None and pragmas is not None:
            about_line = finding.code in HOUSEKEEPING
            reason = pylint_comments.silenced_by(finding, pragmas, source, about_line) or None
        if reason is None:
            checked.findings.append(finding)
        else:
            checked.suppressed.append((finding, reason))

    for finding in findings:
        settle(finding)
    found = Ordinals(policy.root)
    for problem in problems:
        for span, message in problem.texts:
            if UNKNOWN in ran:
                settle(found.finding(UNKNOWN, source, span, message, None))
    if UNUSED in ran and source.path not in policy.broken:
        for marker in valid:
            if unused := _unused(marker, ran, used):
                settle(_unused_finding(found, marker, unused, source))


class _Problem(Record):
    whole: bool
    texts: list[tuple[Span, str]]


def _problems(marker: Marker, policy: Policy) -> _Problem:
    if marker.problem:
        return _Problem(True, [(marker.span, marker.problem + "; this comment silences nothing")])
    if policy.require_reason and not marker.reason:
        return _Problem(
            True, [(marker.span, "a reason is required after the codes; this comment silences nothing")]
        )
    return _Problem(
        False, [(code.span, _unknown(code.text)) for code in marker.codes if _code(code.text) is None]
    )


def _unknown(text: str) -> str:
    """Why nothing is silenced by a word. A beginning of codes would silence rules that nobody has thought of here."""
    codes = [rule.code for rule in CATALOGUE]
    family = text.rstrip("*")
    begun = codes if text == "ALL" else [code for code in codes if family and code.startswith(family)]
    if begun:
        return f"{text!r} names no rule in full, as a comment has to (such as {begun[0]}), so nothing is silenced by it"
    known = [*codes, *(rule.name for rule in CATALOGUE)]
    return f"no rule is called {text!r}, so nothing is silenced by it{nearest(text, known)}"


def _code(text: str) -> str | None:
    rule = find_name(text)
    if rule is not None:
        return rule.code
    return text if text in HOUSEKEEPING else None


def _silence(
    finding: Finding, markers: list[Marker], used: set[tuple[Span, str]], source: Source
) -> str | None:
    """Return the reason of the first comment that silences `finding`, or None; all that would are used."""
    if not markers:
        return None
    reach = ignore_comments.reach(finding, source)
    reason = None
    for marker in markers:
        for code in marker.codes:
            if _code(code.text) == finding.code and reach.holds(marker):
                used.add((marker.span, code.text))
                reason = marker.reason if reason is None else reason
    return reason


def _unused(marker: Marker, ran: frozenset[str], used: set[tuple[Span, str]]) -> list[str]:
    return [
        code.text
        for code in marker.codes
        if (marker.span, code.text) not in used
        and (known := _code(code.text)) in ran
        and known not in HOUSEKEEPING
    ]


def _unused_finding(found: Ordinals, marker: Marker, unused: list[str], source: Source) -> Finding:
    names = ", ".join(unused)
    left = [code.text for code in marker.codes if code.text not in unused]
    if left:
        first, last = marker.codes[0].span, marker.codes[-1].span
        edit = Edit(Span(first.line, first.column, last.line, last.end_column), ", ".join(left))
        fix = Fix(SAFE, f"Remove {names} from the comment", (edit,))
    else:
        fix = Fix(SAFE, "Remove the comment", (Edit(removal(marker.span, source), ""),))
    span = marker.span if not left else next(code.span for code in marker.codes if code.text in unused)
    return found.finding(UNUSED, source, span, f"nothing here is silenced by {names}", fix)


def removal(span: Span, source: Source) -> Span:
    """Return what goes with the comment at `span`: its line if it stands alone, else the blanks before it."""
    line = source.lines[span.line - 1]
    before, after = line[: span.column - 1], line[span.end_column - 1 :]
    if after.strip():
        return span._replace(end_column=len(line) - len(after.lstrip(" \t")) + 1)
    if before.strip(" \t\f"):
        return span._replace(column=len(before.rstrip(" \t\f")) + 1)
    if span.line < len(source.lines):
        return Span(span.line, 1, span.line + 1, 1)
    return Span(span.line, 1, span.line, len(line) + 1)


class Ordinals:
    """Makes the findings of one file about its comments; equal comments get different fingerprints."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.count: dict[tuple[str, str], int] = {}

    def finding(self, code: str, source: Source, span: Span, message: str, fix: Fix | None) -> Finding:
        """Return a warning of rule `code` at `span`."""
        import hashlib

        text = source.lines[span.line - 1][span.column - 1 : span.end_column - 1]
        ordinal = self.count[code, text] = self.count.get((code, text), -1) + 1
        scope = os.path.relpath(source.path, self.root).replace(os.sep, "/")
        key = "\0".join((code, scope, text, str(ordinal)))
        digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        rule = find_name(code)
        name = rule.name if rule else code.lower()
        return Finding(
            code, name, WARNING, source.path, span, "", message,
            fix=fix, no_fix="" if fix else "which rule was meant is yours to say", fingerprint=digest,
        )  # fmt: skip
