"""The filters of a page: native elements, whose names are those of the state in the address."""

from __future__ import annotations

from collections import Counter

from pplint.finding import SEVERITIES
from pplint.readiness.duties import VERDICTS
from pplint.reports.html.article import groups_by_rule
from pplint.reports.html.escaped import safe
from pplint.reports.paths import display_path
from pplint.reports.report import Report


def controls(report: Report) -> str:
    """Return the form that the script listens to; without a script it is not shown."""
    levels = Counter(finding.severity for finding in report.findings)
    boxes = "".join(
        f'<label><input type="checkbox" name="level" value="{level}" checked> {level} '
        f"<output data-level='{level}'>{levels[level]}</output></label>"
        for level in SEVERITIES
        if levels[level]
    )
    options = "".join(
        f'<option value="{safe(code)}">{safe(code)} {safe(name)} ({len(group)})</option>'
        for code, name, group in groups_by_rule(report.findings)
    )
    groups = "".join(
        f'<label><input type="radio" name="group" value="{value}"{" checked" * (value == "rule")}> {value}</label>'
        for value in ("rule", "file", "shape")
    )
    verdicts = "".join(
        f'<label><input type="checkbox" name="verdict" value="{verdict}" checked> {verdict}</label>'
        for verdict in sorted({row.verdict for row in report.readiness}, key=VERDICTS.index)
    )
    return (
        '<form class="controls needs-script" role="search" aria-label="Filters">'
        '<label class="wide">Search <kbd>/</kbd><input type="search" name="q" autocomplete="off" spellcheck="false">'
        '</label><details class="filters" open><summary>Filters</summary><div class="for-findings">'
        f"<fieldset><legend>Level</legend>{boxes}</fieldset>"
        f'<label class="wide">Rule <select name="rule"><option value="">all</option>{options}</select></label>'
        '<label class="wide">Path has <input name="path" list="folders" autocomplete="off" spellcheck="false"></label>'
        f'<datalist id="folders">{_folders(report)}</datalist>'
        f"<fieldset><legend>Group by</legend>{groups}</fieldset>"
        '<label><input type="checkbox" name="brief" value="1"> headlines only</label></div>'
        f'<fieldset class="for-readiness"><legend>Verdict</legend>{verdicts}</fieldset></details>'
        '<p><output id="shown" role="status"></output> <button type="reset">Show all</button></p>'
        '<nav id="groups" class="for-findings" aria-label="Groups"></nav></form>'
    )


def _folders(report: Report) -> str:
    paths = {display_path(finding.path, report).rpartition("/")[0] for finding in report.findings}
    return "".join(f'<option value="{safe(path)}/"></option>' for path in sorted(paths - {""}))
