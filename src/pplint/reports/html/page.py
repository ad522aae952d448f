"""The sections of a page, from the figures at its top to the texts of the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pplint.finding import Finding, Trouble
from pplint.reports.html.article import Articles, groups_by_rule
from pplint.reports.html.controls import controls
from pplint.reports.html.escaped import element_id, place, prose, safe
from pplint.reports.html.matrix import matrix
from pplint.reports.html.shell import foot, head
from pplint.reports.paths import display_path
from pplint.reports.report import Report
from pplint.reports.rule_text import sections
from pplint.reports.summary import count, plural, remarks, summary
from pplint.rules.base import RuleInfo


def report_page(report: Report) -> Iterator[str]:
    """Return the page of a report in parts."""
    articles = Articles(report)
    views = [("findings", "Findings")]
    views += [("readiness", "Readiness")] if report.readiness else []
    told = _told(report)
    views += [("rules", "Rules")] if told else []
    yield from head("pplint report", views, _figures(report), report)
    yield controls(report)
    yield '<main id="main">'
    yield from _troubles(report)
    yield from _findings(report, articles)
    if report.readiness:
        yield from matrix(report.readiness, lambda path: display_path(path, report))
    yield from _rules(told)
    yield "</main>"
    yield from foot()


def matrix_page(report: Report) -> Iterator[str]:
    """Return a page that holds the readiness matrix alone."""
    yield from head("pplint readiness", [("readiness", "Readiness")], "", report)
    yield controls(report)
    yield '<main id="main">'
    yield from matrix(report.readiness, lambda path: display_path(path, report))
    yield "</main>"
    yield from foot()


def _figures(report: Report) -> str:
    if not report.findings:
        return f'<p class="lead">{safe(summary(report))}</p>'
    counts = count(report)
    pairs = (("error", counts.errors), ("warning", counts.warnings), ("info", counts.infos))
    tiles = "".join(
        f'<li class="{level}"><b>{number}</b> {level}{"s" * (number > 1)}</li>'
        for level, number in pairs
        if number
    )
    files = f"in {counts.files} of {plural(report.files_checked, 'file')}"
    hidden = [f"{plural(report.hidden_infos, 'info')} hidden"] if report.hidden_infos else []
    lead = "; ".join([files, *hidden, *remarks(report)])
    return f'<ul class="figures">{tiles}</ul><p class="lead">{safe(lead)}</p>'


def _troubles(report: Report) -> Iterator[str]:
    if not report.troubles:
        return
    yield '<section class="troubles" aria-labelledby="troubles-title"><h2 id="troubles-title">Troubles</h2><ul>'
    for trouble in report.troubles:
        yield f"<li>{_trouble(trouble, report)}</li>"
    yield "</ul></section>"


def _trouble(trouble: Trouble, report: Report) -> str:
    shown = display_path(trouble.path, report)
    if shown and trouble.line:
        shown += f":{trouble.line}"
    where = f'<span class="at">{place(shown)}</span> ' if shown else ""
    return f"{where}<b>{safe(trouble.code)}</b> {prose(trouble.message)}"


def _findings(report: Report, articles: Articles) -> Iterator[str]:
    yield '<section class="view" id="findings" aria-labelledby="findings-title">'
    yield '<h2 id="findings-title" tabindex="-1">Findings</h2>'
    if not report.findings:
        yield "<p>There are none.</p>"
    for code, name, group in groups_by_rule(report.findings):
        yield from _group(code, name, group, articles)
    yield '<p class="none" id="no-finding" hidden>No finding matches.</p></section>'


def _group(code: str, name: str, group: Sequence[Finding], articles: Articles) -> Iterator[str]:
    title = f"{safe(code)} {safe(name)}"
    number = f'<span class="count">{len(group)}</span>'
    yield f'<section class="group" data-title="{title}" data-key="{safe(code)}"><h3>{title} {number}</h3>'
    for finding in group:
        yield articles.article(finding)
    yield "</section>"


def _told(report: Report) -> list[RuleInfo]:
    found = {finding.code for finding in report.findings}
    return [rule for rule in report.rules if rule.code in found]


def _rules(rules: Sequence[RuleInfo]) -> Iterator[str]:
    if not rules:
        return
    yield '<section class="view" id="rules" aria-labelledby="rules-title">'
    yield '<h2 id="rules-title" tabindex="-1">Rules</h2>'
    for rule in rules:
        yield f'<section class="about" id="{element_id(rule.code)}"><h3>{safe(rule.code)} {safe(rule.name)}</h3>'
        yield f"<p>{prose(rule.summary)}</p><dl>"
        for heading, text in sections(rule):
            paragraphs = "".join(f"<p>{prose(one)}</p>" for one in text.split("\n\n"))
            yield f"<dt>{safe(heading)}</dt><dd>{paragraphs}</dd>"
        yield "</dl></section>"
    yield "</section>"
