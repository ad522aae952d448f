"""`pplint baseline write|prune|show`: the file of accepted findings."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import click

from pplint import baseline as accepted
from pplint.cli import CLEAN, TROUBLE, Failure, complain, complain_of
from pplint.commands.options import cache_folder, paths_and_settings, what_to_check
from pplint.request import Request
from pplint.run import Outcome
from pplint.settings import Settings, SettingsError, selected

_FILE = click.option(
    "--baseline", metavar="FILE", help=f"The file; default: the setting, else {accepted.DEFAULT_FILE}."
)


@click.group("baseline")
def baseline() -> None:
    """Accept today's findings, and hear of new ones only."""


@baseline.command("write")
@what_to_check
@_FILE
def write(**given: Any) -> int:
    """Write all findings in PATHS to the file.

    It accepts them from now on, and nothing of what it held before.
    """
    outcome, file = _check(given, use_entries=False)
    if _troubled(outcome):
        return TROUBLE
    entries = accepted.entries_of(outcome.seen.findings, file)
    _save(_named(given, file), entries)
    complain(f"{_count(len(entries))} accepted in {_shown(file)}")
    if not given["baseline"] and not paths_and_settings(given)[1].baseline:
        name = accepted.DEFAULT_FILE
        complain(f'runs leave them out with --baseline {name}, or with baseline = "{name}" in [tool.pplint]')
    return CLEAN


@baseline.command("prune")
@what_to_check
@_FILE
def prune(**given: Any) -> int:
    """Remove entries that match no finding.

    They are those of PATHS; what no run looked for is kept.
    """
    outcome, file = _check(given, use_entries=True)
    if _troubled(outcome):
        return TROUBLE
    _save(_named(given, file), accepted.without(_read(file), outcome.seen.stale))
    complain(f"{_count(len(outcome.seen.stale))} removed from {_shown(file)}")
    return CLEAN


@baseline.command("show")
@what_to_check
@_FILE
def show(**given: Any) -> None:
    """List what the file accepts.

    It is all of it, or what lies in PATHS, also where these are gone.
    """
    _, settings = paths_and_settings(given)
    file = settings.baseline or os.path.realpath(accepted.DEFAULT_FILE)
    entries = _read(file)
    for path in given["paths"]:
        if not os.path.lexists(path) and not accepted.within(entries, (path,), file):
            raise Failure(f"{path}: no such file or folder, and the baseline accepts nothing there")
    codes = _chosen(given, settings)
    for entry in sorted(accepted.within(entries, given["paths"], file) if given["paths"] else entries):
        if codes is None or entry.code in codes:
            click.echo(_shown(f"{entry.path}: {entry.code} {entry.message}"))


def _chosen(given: dict[str, Any], settings: Settings) -> frozenset[str] | None:
    """The codes that the command line speaks of, None for all. Raises Failure."""
    if not (given["select"] or given["ignore"]):
        return None
    try:
        return selected(settings)
    except SettingsError as error:
        raise Failure(str(error)) from error


def _check(given: dict[str, Any], use_entries: bool) -> tuple[Outcome, str]:
    from pplint.commands.execute import outcome_of

    paths, settings = paths_and_settings(given)
    file = settings.baseline or os.path.realpath(accepted.DEFAULT_FILE)
    request = Request(
        paths=paths,
        settings=settings._replace(baseline=file),
        show_info=given["show_info"],
        baseline_entries=use_entries,
        jobs=given["jobs"],
        cache_dir=cache_folder(given),
    )
    return outcome_of(request, not given["no_progress"]), file


def _named(given: dict[str, Any], file: str) -> str:
    """Return the file as it was named: links on the way to it count. That of the settings is followed already."""
    default = str(os.path.realpath(accepted.DEFAULT_FILE))
    return given["baseline"] or (accepted.DEFAULT_FILE if file == default else file)


def _troubled(outcome: Outcome) -> bool:
    """Say what went wrong: what is not found in a file that cannot be read is not gone."""
    complain_of(outcome.seen.troubles)
    return bool(outcome.seen.troubles)


def _read(file: str) -> tuple[accepted.Entry, ...]:
    try:
        return accepted.read(file)
    except accepted.BaselineError as error:
        raise Failure(str(error)) from error


def _save(file: str, entries: Iterable[accepted.Entry]) -> None:
    from pplint.files.stray import refusal
    from pplint.files.write import WriteError, write_atomically

    if said := refusal(file):
        raise Failure(said)
    try:
        write_atomically(file, accepted.text(entries), None)
    except WriteError as error:
        raise Failure(str(error)) from error


def _count(number: int) -> str:
    return f"{number} finding" if number == 1 else f"{number} findings"


def _shown(text: str) -> str:
    from pplint.reports.harmless import harmless

    return harmless(text)
