"""What a run of `pplint check` says: its reports, and lines on the standard error that no report has a word for."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from pplint import __version__
from pplint.cli import complain
from pplint.reports.report import Report, ReportError, render, write_reports
from pplint.request import Request
from pplint.rules.base import RuleInfo
from pplint.run import Outcome

if TYPE_CHECKING:
    from pplint.readiness.duties import Row

_TEXT = (("text", ""),)


def write_all(request: Request, outcome: Outcome, given: dict[str, Any]) -> bool:
    """Write the reports; return whether all were written.

    What is piped on has the standard output alone, and a report goes to the standard error. Besides a diff that is the
    last line only, unless a format was asked for.
    """
    report = _as_report(request, outcome, given)
    targets = given["output"] or _TEXT
    piped = outcome.diff if request.diff else outcome.stdin
    try:
        if piped is not None:
            sys.stdout.buffer.write(piped)
            sys.stdout.flush()
            beside = report._replace(brief=request.diff and not given["output"])
            for name, file in targets:
                if not file:
                    render(name, beside, sys.stderr)
            targets = tuple(target for target in targets if target[1])
        write_reports(targets, report)
    except ReportError as error:
        say(f"error: {error}")
        return False
    return True


def remark(request: Request, outcome: Outcome) -> None:
    """Say what the reports have no word for, a line each."""
    _warn_of_little(request, outcome)
    _say_changes(request, outcome)
    for text in _gone(outcome):
        say(text)


def _rules(outcome: Outcome, given: dict[str, Any]) -> tuple[RuleInfo, ...]:
    """The texts of the rules that ran, for the formats that print them; loading them takes a while."""
    if not any(name in ("sarif", "html") for name, _ in given["output"]):
        return ()
    from pplint.rules.registry import RULES

    return tuple(rule for rule in RULES if rule.code in outcome.codes)


def _readiness(request: Request, given: dict[str, Any]) -> tuple[Row, ...]:
    """The rows of the readiness matrix, for the one format that shows it; asking for them takes a while."""
    if request.stdin is not None or not any(name == "html" for name, _ in given["output"]):
        return ()
    from pplint.readiness.matrix import rows_of

    return rows_of(request.paths, request.settings.sglang, request.jobs, request.cache_dir)


def _as_report(request: Request, outcome: Outcome, given: dict[str, Any]) -> Report:
    from pplint.reports.paths import find_repository

    here = os.getcwd()
    return Report(
        findings=outcome.seen.findings,
        rules=_rules(outcome, given),
        sources=outcome.source_of,
        cwd=here,
        repository=find_repository([os.path.realpath(path) for path in request.paths], here),
        version=__version__,
        suppressed=outcome.seen.suppressed,
        troubles=outcome.seen.troubles,
        files_checked=len(outcome.files),
        fixed=0 if request.diff else sum(outcome.fixed.values()),
        hidden_infos=outcome.seen.hidden_infos,
        accepted=len(outcome.seen.accepted),
        since=given["since"] or "",
        command=" ".join(["pplint", *sys.argv[1:]]),
        learnt=outcome.seen.learnt,
        readiness=_readiness(request, given),
        show_source=given["show_source"],
        show_trace=given["show_trace"],
        statistics=given["statistics"],
        quiet=given["quiet"],
        include_suppressed=given["sarif_include_suppressed"],
    )


def _warn_of_little(request: Request, outcome: Outcome) -> None:
    """Say so where no code was seen that pplint knows anything about, or where SGLang's own was not."""
    learnt = outcome.seen.learnt
    if not outcome.files or learnt is None:
        return
    where = ", ".join(request.paths)
    knows = learnt.files and (learnt.accessors or learnt.padded_lists)
    if not knows and not outcome.seen.findings:
        say(
            f"warning: {where}: no code of SGLang was seen, so nothing could be found (--sglang says where it is)"
        )
    if knows and learnt.bundled:
        say(
            f"warning: {where}: SGLang's sources are not in view, so that only a short list of its classes is known "
            "(--sglang says where they are)"
        )


def _say_changes(request: Request, outcome: Outcome) -> None:
    """Say what the reports have no word for: comments that were added, what a diff only shows, which files were fixed."""
    from shlex import quote

    from pplint.reports.summary import plural

    files = plural(len(outcome.changed), "file")
    if outcome.ignored:
        added = "would be silenced by comments" if request.diff else "silenced by comments"
        say(f"{plural(outcome.ignored, 'finding')} {added} in {files}")
    elif request.diff and outcome.fixed:
        say(
            f"{plural(sum(outcome.fixed.values()), 'finding')} would be fixed in {files}; nothing was written"
        )
    elif request.diff and outcome.seen.findings:
        say("nothing would be fixed; without --diff each finding is told, and why it has no such fix")
    elif request.stdin is None:
        for path, count in sorted(outcome.fixed.items()):
            say(f"{os.path.relpath(path)}: {plural(count, 'finding')} fixed")
    for folder in outcome.applies_in:
        part = "a part of " if len(outcome.applies_in) > 1 else ""
        say(f"{part}this diff applies in another folder: git -C {quote(folder)} apply")


def _gone(outcome: Outcome) -> list[str]:
    """Say which untouched files have fewer findings, because the facts that they rest on changed."""
    from pplint.reports.summary import plural

    counts = Counter(finding.path for finding in outcome.seen.gone)
    return [
        f"{os.path.relpath(path)}: {plural(count, 'finding')} gone: a changed file has other facts now"
        for path, count in sorted(counts.items())
    ]


def say(text: str) -> None:
    """Print a line on the standard error, harmless to a terminal."""
    from pplint.reports.harmless import harmless

    complain(harmless(text))
