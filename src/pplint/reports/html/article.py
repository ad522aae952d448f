"""One finding in the page: where and what, the code, what each stage gets, why, and the fix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pplint.finding import SAFE, Finding, Step, severity_rank
from pplint.reports.html.drawing import figure
from pplint.reports.html.escaped import element_id, place, prose, safe
from pplint.reports.html.snippet import changed, framed, quoted
from pplint.reports.paths import display_path
from pplint.reports.report import Report


class Articles:
    """The articles of one page: their ids are unique, and each file is read once."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._lines: dict[str, Sequence[str]] = {}
        self._ids: set[str] = set()
        self._told = {rule.code for rule in report.rules}
        self._shapes: dict[tuple[str, str], int] = {}

    def article(self, finding: Finding) -> str:
        """Return one finding; headings in it are of the fourth level."""
        path = display_path(finding.path, self.report)
        where = f"{path}:{finding.span.line}:{finding.span.column}"
        name, level = self._id(finding), safe(finding.severity)
        shape = self._shapes.setdefault((finding.code, finding.shape), len(self._shapes))
        reasons = "".join(self._reasons(finding))
        body = "".join(f"<div>{half}</div>" for half in ("".join(self._code(finding)), reasons) if half)
        symbol = f'<p class="symbol">in <code>{safe(finding.symbol)}</code></p>' if finding.symbol else ""
        return (
            f'<article id="{name}" class="finding {element_id(finding.severity)}" data-level="{level}" '
            f'data-rule="{safe(finding.code)}" data-path="{safe(path)}" '
            f'data-line="{finding.span.line}" data-shape="{shape if finding.shape else ""}">'
            f'<h4><span class="level">{level}</span> {self._rule(finding)} '
            f'<a class="place" href="#{name}">{place(where)}</a></h4>{symbol}'
            f'<p class="message">{prose(finding.message)}</p>'
            f'<div class="body">{body}</div></article>\n'
        )

    def lines(self, path: str) -> Sequence[str]:
        """The lines of a file, none when it cannot be read."""
        if path not in self._lines:
            source = self.report.sources(path) if path else None
            self._lines[path] = source.lines if source else ()
        return self._lines[path]

    def _id(self, finding: Finding) -> str:
        name = unique = "f-" + element_id(finding.fingerprint)
        number = 1
        while unique in self._ids:
            number += 1
            unique = f"{name}-{number}"
        self._ids.add(unique)
        return unique

    def _rule(self, finding: Finding) -> str:
        code = safe(finding.code)
        if finding.code not in self._told:
            return f'<span class="rule">{code}</span>'
        return f'<a class="rule" href="#{element_id(finding.code)}">{code}</a>'

    def _code(self, finding: Finding) -> Iterator[str]:
        if self.report.show_source:
            yield framed(self.lines(finding.path), finding.span)
        if finding.fix:
            label = "Fix" if finding.fix.safety == SAFE else "Unsafe fix"
            yield f'<p class="fix"><b>{label}</b> {prose(finding.fix.message)}</p>'
            yield changed(self.lines(finding.path), finding.fix.edits)
        elif finding.no_fix:
            yield f'<p class="fix"><b>No fix</b> {prose(finding.no_fix)}</p>'

    def _reasons(self, finding: Finding) -> Iterator[str]:
        if finding.impact:
            yield figure(finding.impact)
        if finding.trace:
            steps = "".join(self._step(step, finding) for step in finding.trace)
            yield f'<h5>Why</h5><ol class="why">{steps}</ol>'
        if finding.changed_by:
            yield f'<p class="fix"><b>Changed by</b> {prose(finding.changed_by)}</p>'

    def _step(self, step: Step, finding: Finding) -> str:
        if not step.path:
            return f"<li>{prose(step.text)}</li>"
        near = step.path == finding.path
        where = f"line {step.line}" if near else f"{display_path(step.path, self.report)}:{step.line}"
        shown = self.report.show_source and not (near and step.line == finding.span.line)
        line = quoted(self.lines(step.path), step.line) if shown else ""
        proof = f'<code class="line">{line}</code>' if line else ""
        return f'<li>{prose(step.text)} <span class="at{"" if near else " far"}">{place(where)}</span>{proof}</li>'


def groups_by_rule(findings: Sequence[Finding]) -> list[tuple[str, str, list[Finding]]]:
    """Return (code, name, findings) in the order of the codes, the most severe findings first."""
    by_code: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda one: severity_rank(one.severity)):
        by_code.setdefault(finding.code, []).append(finding)
    return [(code, group[0].name, group) for code, group in sorted(by_code.items())]
