"""`pplint check`: from options to a request, and what its end means."""

from __future__ import annotations

import sys
from typing import Any

import click

from pplint.cli import TROUBLE, Failure
from pplint.commands.options import STDIN, cache_folder, paths_and_settings, what_to_check
from pplint.commands.tell import remark, say, write_all
from pplint.impact import LayoutError, Stage, stages_of
from pplint.reports.report import FORMATS
from pplint.request import Request
from pplint.settings import COMMAND_LINE, Settings


def _outputs(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Split each FORMAT[:FILE], none meaning text; one format at most goes to the standard output."""
    targets: list[tuple[str, str]] = []
    for target in value:
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
    if not write_all(request, outcome, given):
        code = TROUBLE
    if not given["quiet"]:
        remark(request, outcome)
    for entry in outcome.seen.stale:
        text = f"{entry.path}: {entry.code} {entry.message}"
        say(f"the baseline accepts what is no longer found (pplint baseline prune): {text}")
    if given["verbose"]:
        for note in outcome.notes:
            say(note)
    return code


def _request(given: dict[str, Any]) -> Request:
    _forbid_contradictions(given)
    paths, settings = paths_and_settings(_with_stdin_name(given))
    stdin = _read_stdin() if STDIN in given["paths"] else None
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


def _read_stdin() -> bytes:
    if sys.stdin is None:  # it was closed before the start
        raise Failure("the standard input is closed")
    return sys.stdin.buffer.read()


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
