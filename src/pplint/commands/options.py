"""Options that several commands take: what to check, with which rules, and with which facts."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from pplint.cli import Failure
from pplint.settings import Settings, SettingsError, load, override

F = TypeVar("F", bound=Callable[..., Any])
STDIN = "-"


def comma_separated(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a repeatable option, each of which may hold several with commas between."""
    return tuple(word.strip() for part in value for word in part.split(",") if word.strip())


def _some_codes(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    words = comma_separated(ctx, param, value)
    if value and not words:
        raise click.BadParameter("no rule is named")
    return words


def rules_begun(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """The codes and names of rules that a word begins, for the shell."""
    from pplint.rules.catalogue import CATALOGUE

    before, comma, word = incomplete.rpartition(",")
    known = (name for rule in CATALOGUE for name in (rule.code, rule.name))
    return [f"{before}{comma}{name}" for name in known if name.startswith(word)]


def _codes(name: str, text: str) -> Callable[[F], F]:
    return click.option(
        name, multiple=True, metavar="CODES", callback=_some_codes, shell_complete=rules_begun, help=text
    )


SGLANG = click.option(
    "--sglang", metavar="PATH", help="Where SGLang's sources are, for facts. Nothing is imported."
)
_HOW = [
    click.option(
        "-j", "--jobs", type=click.IntRange(0), default=0, metavar="N", help="Processes; 0: as many as fit."
    ),
    click.option("--no-cache", is_flag=True, help="Neither read nor write the cache."),
    click.option("--cache-dir", metavar="PATH", help="Where the cache is; default: the user's cache folder."),
    click.option("--no-progress", is_flag=True, help="No bar, however long it takes."),
]
_WHAT = [
    click.argument("paths", nargs=-1, type=click.Path(readable=False, path_type=str)),
    _codes("--select", "Rules to run: codes, prefixes (PPL1), names or ALL; comma separated, repeatable."),
    _codes("--ignore", "Rules to leave out."),
    _codes("--extend-select", "Rules to run besides those selected."),
    SGLANG,
    click.option("--include-tests", is_flag=True, default=None, help="Check test and benchmark code too."),
    click.option("--show-info", is_flag=True, help="Show findings of level info: latent ones."),
    *_HOW,
]


def how_to_look(command: F) -> F:
    """Add the options that say how files are gone through: processes, cache, progress."""
    for option in reversed(_HOW):
        command = option(command)
    return command


def what_to_check(command: F) -> F:
    """Add the options that say what is checked, and how."""
    for option in reversed(_WHAT):
        command = option(command)
    return command


def settings_for(start: str, given: dict[str, Any]) -> Settings:
    """Return the settings for `start` under the options in `given`. Raises Failure."""
    names = (
        "select",
        "ignore",
        "extend_select",
        "include_tests",
        "sglang",
        "baseline",
        "pp_size",
        "num_layers",
    )
    chosen = {name: given.get(name) for name in names}
    for name in ("sglang", "baseline"):
        if path := chosen[name]:
            chosen[name] = os.path.realpath(path)
    try:
        return override(load(start), chosen)
    except SettingsError as error:
        raise Failure(str(error)) from error


def paths_and_settings(given: dict[str, Any]) -> tuple[tuple[str, ...], Settings]:
    """Return the paths to check (as named, else of the settings, else here) and the settings."""
    paths = tuple(given["paths"])
    settings = settings_for(paths[0] if paths and paths[0] != STDIN else os.curdir, given)
    return paths or settings.paths or (os.curdir,), settings


def existing(*paths: str) -> None:
    """Raise Failure for a path that is not there."""
    for path in paths:
        if not os.path.lexists(path):
            raise Failure(f"{path}: no such file or folder")


def cache_folder(given: dict[str, Any]) -> str | None:
    """Return the absolute folder of the cache, or None for no cache. Raises Failure.

    By default it is the user's and not the project's: a checkout must not say where pplint writes.
    """
    if given["no_cache"]:
        return None
    if given["cache_dir"]:
        from pplint.files.stray import refusal

        if said := refusal(given["cache_dir"]):
            raise Failure(f"--cache-dir {said}")
        return str(os.path.realpath(given["cache_dir"]))
    home = os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return os.path.join(home, "pplint") if os.path.isabs(home) else None
