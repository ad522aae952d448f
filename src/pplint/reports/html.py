"""One self-contained page: no resource is loaded, everything from the code is escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TextIO

from pplint.finding import SAFE, Finding, Trouble
from pplint.reports.frame import code_frame
from pplint.reports.harmless import harmless
from pplint.reports.paths import display_path
from pplint.reports.report import Report
from pplint.reports.stages import stage_lines
from pplint.reports.summary import summary

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}
h1{font-size:1.4rem}
article{border:1px solid #d0d7de;border-left-width:6px;border-radius:6px;margin:1rem 0;padding:.5rem 1rem}
.error{border-left-color:#cf222e}
.warning{border-left-color:#bf8700}
.info{border-left-color:#0969da}
.trouble{border-left-color:#8250df}
pre{background:#8881;overflow-x:auto;padding:.5rem}
mark{background:none;color:#cf222e}
label{margin-right:1rem}
.place{font-family:ui-monospace,monospace}
p,ol{margin:.3rem 0}
:root{color-scheme:light dark}
"""
_SCRIPT = """
const level=document.getElementById("level"),word=document.getElementById("word");
function show(){for(const a of document.querySelectorAll("article")){
a.hidden=(level.value&&a.dataset.level!==level.value)||!a.textContent.toLowerCase().includes(word.value.toLowerCase());}}
level.onchange=show;word.oninput=show;
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def render(report: Report, out: TextIO) -> None:
    """Write the page in ASCII (other characters as references), with a filter by level and by word."""
    for part in _page(report):
        out.write(part.encode("ascii", "xmlcharrefreplace").decode("ascii") + "\n")


def _page(report: Report) -> Iterator[str]:
    yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'
    yield f"<title>pplint report</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>pplint {_safe(report.version)}</h1><p>{_safe(summary(report))}</p>"
    if report.command:
        yield f"<p><code>{_safe(report.command)}</code></p>"
    levels = "".join(f"<option>{level}</option>" for level in ("error", "warning", "info", "trouble"))
    yield f'<p><label>Level <select id="level"><option value="">all</option>{levels}</select></label>'
    yield '<label>Word <input id="word" placeholder="code, path, text"></label></p>'
    for trouble in report.troubles:
        yield _trouble(trouble, report)
    for finding in report.findings:
        yield from _finding(finding, report)
    yield f"<script>{_SCRIPT}</script></body></html>"


def _finding(finding: Finding, report: Report) -> Iterator[str]:
    place = f"{display_path(finding.path, report)}:{finding.span.line}:{finding.span.column}"
    level = _safe(finding.severity)
    yield f'<article class="{level}" data-level="{level}"><p class="place">{_safe(place)}</p>'
    yield f"<p><b>{_safe(finding.code)}</b> {_safe(finding.name)} ({level}): {_safe(finding.message)}</p>"
    source = report.sources(finding.path)
    if source:
        rows = code_frame(source.lines, finding.span, "utf-8")
        text = "\n".join(_frame_row(row.gutter, row.text, row.mark) for row in rows)
        yield f"<pre>{text}</pre>"
    if finding.trace:
        yield "<p>Reason</p><ol>"
        for step in finding.trace:
            where = f"{display_path(step.path, report)}:{step.line}: " if step.path else ""
            yield f"<li>{_safe(where + step.text)}</li>"
        yield "</ol>"
    for line in stage_lines(finding.impact):
        yield f"<p>Impact: {_safe(line)}</p>"
    if finding.changed_by:
        yield f"<p>Changed by: {_safe(finding.changed_by)}</p>"
    yield f"{_fix(finding)}</article>"


def _frame_row(gutter: str, text: str, mark: bool) -> str:
    return f"{escape(gutter)}<mark>{escape(text)}</mark>" if mark else escape(gutter + text)


def _fix(finding: Finding) -> str:
    if finding.fix:
        label = "Fix" if finding.fix.safety == SAFE else "Unsafe fix"
        return f"<p>{label}: {_safe(finding.fix.message)}</p>"
    return f"<p>No fix: {_safe(finding.no_fix)}</p>" if finding.no_fix else ""


def _trouble(trouble: Trouble, report: Report) -> str:
    place = display_path(trouble.path, report)
    if place and trouble.line:
        place += f":{trouble.line}"
    head = f'<article class="trouble" data-level="trouble"><p class="place">{_safe(place)}</p>'
    return f"{head}<p><b>{_safe(trouble.code)}</b> {_safe(trouble.message)}</p></article>"


def _safe(text: str) -> str:
    return escape(harmless(text))
