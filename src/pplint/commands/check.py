"""`pplint check`: from options to a request, from an outcome to reports."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from pplint import __version__
from pplint.cli import TROUBLE, Failure, complain
from pplint.commands.options import STDIN, cache_folder, paths_and_settings, what_to_check
from pplint.impact import LayoutError, Stage, stages_of
from pplint.reports.report import FORMATS, Report, ReportError, render, write_reports
from pplint.request import Request
from pplint.rules.base import RuleInfo
from pplint.run import Outcome
from pplint.settings import COMMAND_LINE, Settings

if TYPE_CHECKING:
    from pplint.readiness.duties import Row


def _outputs(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Split each FORMAT[:FILE]; one format at most goes to the standard output."""
    targets: list[tuple[str, str]] = []
    for target in value or ("text",):
        name, colon, file = target.removesuffix(":-").partition(":")
        if name not in FORMATS or (colon and not file):
            from pplint.settings import nearest

            hint = nearest(name, list(FORMATS)) if name not in FORMATS else "; the file's name is missing"
            raise click.BadParameter(
                f"{target!r} is not FORMAT[:FILE] with one of {', '.join(FORMATS)}{hint}"
            )
        targets.append((name, file))
    if sum(not file for _, file in targets) > 1:
        raise click.BadParameter("two formats for the standard output; give FORMAT:FILE for all but one")
    return tuple(targets)


def _reason(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    from pplint.add_ignore import is_reason

    if not is_reason(value):
        raise click.BadParameter("the reason must be one line of text")
    return value


def _layers(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...]:
    try:
        numbers = tuple(int(part) for part in value.split(",")) if value else ()
    except ValueError:
        numbers = (-1,)
    if any(number < 0 for number in numbers):
        raise click.BadParameter("must be numbers of layers, one per stage: 16,16,15")
    return numbers


@click.command("check")
@what_to_check
@click.option("--fix", is_flag=True, help="Apply the safe fixes.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: apply the unsafe fixes too.")
@click.option(
    "--diff", is_flag=True, help="Print what --fix would change, for `git apply`, and write nothing."
)
@click.option(
    "--add-ignore", metavar="REASON", callback=_reason, help="Add a suppression comment to each finding."
)
@click.option(
    "--output", multiple=True, metavar="FORMAT[:FILE]", callback=_outputs,
    shell_complete=lambda ctx, param, word: [name for name in FORMATS if name.startswith(word)],
    help=f"{', '.join(FORMATS)}; to a file, or to the standard output. Repeatable.",
)  # fmt: skip
@click.option("--show-trace", is_flag=True, help="Show the whole chain of reasoning.")
@click.option("--show-source/--no-show-source", default=True, help="Show the code of each finding.")
@click.option("--statistics", is_flag=True, help="Count findings by rule and by folder.")
@click.option("--baseline", metavar="FILE", help="Leave out the findings that this file accepts.")
@click.option(
    "--since", metavar="REV",
    help="Only findings on lines that changed since this git revision, or whose facts did.",
)  # fmt: skip
@click.option("--pp-size", type=click.IntRange(1), metavar="N", help="Number of stages.")
@click.option("--num-layers", type=click.IntRange(1), metavar="L", help="Layers of the model.")
@click.option(
    "--pp-layer-partition",
    metavar="A,B,C",
    callback=_layers,
    help="Layers of each stage.",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 for findings; trouble is still 2.")
@click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 when a file was changed.")
@click.option(
    "--stdin-filename", metavar="NAME", help="The name of what comes from the standard input (path `-`)."
)
@click.option("--allow-empty", is_flag=True, help="A folder without Python files is no trouble.")
@click.option(
    "--sarif-include-suppressed", is_flag=True, help="Keep suppressed findings in SARIF, marked so."
)
@click.option("-q", "--quiet", is_flag=True, help="One line per finding, nothing else.")
@click.option("-v", "--verbose", is_flag=True, help="Say where the facts came from and where the time went.")
def check(**given: Any) -> int:
    """Report places that take "layer 0", "the last layer" or "all layers" for granted.

    PATHS are files and folders; without any, those of the settings, else the current folder.
    """
    from pplint.commands.execute import outcome_of

    request = _request(given)
    outcome = outcome_of(request, not given["no_progress"] and not given["quiet"])
    code = outcome.exit_code(exit_zero=given["exit_zero"], exit_non_zero_on_fix=given["exit_non_zero_on_fix"])
    if not _report(request, outcome, given):
        code = TROUBLE
    if not given["quiet"]:
        _warn_of_little(request, outcome)
        _say_changes(request, outcome)
        for text in _gone(outcome):
            _say(text)
    for entry in outcome.seen.stale:
        text = f"{entry.path}: {entry.code} {entry.message}"
        _say(f"the baseline accepts what is no longer found (pplint baseline prune): {text}")
    if given["verbose"]:
        for note in outcome.notes:
            _say(note)
    return code


def _request(given: dict[str, Any]) -> Request:
    _forbid_contradictions(given)
    paths, settings = paths_and_settings(_with_stdin_name(given))
    stdin = sys.stdin.buffer.read() if STDIN in given["paths"] else None
    return Request(
        paths=paths,
        settings=settings,
        fix=given["fix"],
        unsafe_fixes=given["unsafe_fixes"],
        diff=given["diff"],
        show_info=given["show_info"],
        since=given["since"],
        add_ignore=given["add_ignore"],
        stdin=stdin,
        allow_empty=given["allow_empty"],
        jobs=given["jobs"],
        cache_dir=cache_folder(given),
        stages=_stages(settings, given["pp_layer_partition"]),
    )


def _with_stdin_name(given: dict[str, Any]) -> dict[str, Any]:
    if STDIN not in given["paths"]:
        return given
    return {**given, "paths": (given["stdin_filename"] or "stdin.py",)}


def _forbid_contradictions(given: dict[str, Any]) -> None:
    if given["unsafe_fixes"] and not (given["fix"] or given["diff"]):
        raise click.UsageError("--unsafe-fixes needs --fix or --diff")
    if given["add_ignore"] is not None and given["fix"]:
        raise click.UsageError("--add-ignore silences what --fix would repair; run them one after the other")
    if STDIN in given["paths"] and len(given["paths"]) > 1:
        raise click.UsageError("the standard input (-) is checked alone, without other paths")
    if given["stdin_filename"] and STDIN not in given["paths"]:
        raise click.UsageError("--stdin-filename needs the path -")


def _stages(settings: Settings, partition: tuple[int, ...]) -> tuple[Stage, ...]:
    try:
        return stages_of(settings.pp_size, settings.num_layers, partition)
    except LayoutError as error:
        stated = [one.origin for key in ("pp-size", "num-layers") if (one := settings.origins[key]).value]
        if any(origin != COMMAND_LINE for origin in stated):
            raise Failure(f"{stated[0]}: {error}") from error
        raise click.UsageError(str(error)) from error


def _report(request: Request, outcome: Outcome, given: dict[str, Any]) -> bool:
    """Write the reports; return whether all were written. What is piped on has the standard output alone."""
    report = _as_report(request, outcome, given)
    targets = given["output"]
    piped = outcome.diff if request.diff else outcome.stdin
    try:
        if piped is not None:
            sys.stdout.buffer.write(piped)
            sys.stdout.flush()
            for name, file in targets:
                if not file:
                    render(name, report, sys.stderr)
            targets = tuple(target for target in targets if target[1])
        write_reports(targets, report)
    except ReportError as error:
        _say(f"error: {error}")
        return False
    return True


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
        _say(
            f"warning: {where}: no code of SGLang was seen, so nothing could be found (--sglang says where it is)"
        )
    if knows and learnt.bundled:
        _say(
            f"warning: {where}: SGLang's sources are not in view, so that only a short list of its classes is known "
            "(--sglang says where they are)"
        )


def _say_changes(request: Request, outcome: Outcome) -> None:
    """Say what the reports have no word for: comments that were added, what a diff only shows, which files were fixed."""
    from pplint.reports.summary import plural

    files = plural(len(outcome.changed), "file")
    if outcome.ignored:
        added = "would be silenced by comments" if request.diff else "silenced by comments"
        _say(f"{plural(outcome.ignored, 'finding')} {added} in {files}")
    elif request.diff and outcome.fixed:
        _say(
            f"{plural(sum(outcome.fixed.values()), 'finding')} would be fixed in {files}; nothing was written"
        )
    elif request.stdin is None:
        for path, count in sorted(outcome.fixed.items()):
            _say(f"{os.path.relpath(path)}: {plural(count, 'finding')} fixed")


def _gone(outcome: Outcome) -> list[str]:
    """Say which untouched files have fewer findings, because the facts that they rest on changed."""
    from pplint.reports.summary import plural

    counts = Counter(finding.path for finding in outcome.seen.gone)
    return [
        f"{os.path.relpath(path)}: {plural(count, 'finding')} gone: a changed file has other facts now"
        for path, count in sorted(counts.items())
    ]


def _say(text: str) -> None:
    from pplint.reports.harmless import harmless

    complain(harmless(text))
