"""`pplint doctor`: is pplint at home here, and if not, what is the next step?"""

from __future__ import annotations

import sys

import click

from pplint.commands.options import cache_folder


@click.command("doctor")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=str))
@click.option("--sglang", metavar="PATH", help="Where SGLang's sources are, for facts.")
@click.option("--cache-dir", metavar="PATH", help="Where the cache is; default: the user's cache folder.")
def doctor(paths: tuple[str, ...], sglang: str | None, cache_dir: str | None) -> int:
    """Tell whether pplint is at home here: settings, SGLang's sources, cache, git, pre-commit, pylint.

    PATHS are what is to be checked; without any, those of the settings, else the current folder. Exits with 0 when
    nothing is broken, else with 1. Where pylint's configuration loads the plugin, pylint is started and asked.
    """
    from pplint.checkup import BROKEN, OK, checkup
    from pplint.reports.harmless import harmless

    lines = checkup(paths, sglang, cache_folder({"no_cache": False, "cache_dir": cache_dir}))
    for line in lines:
        _write(f"{line.state:<8}  {line.what:<10}  ", harmless(line.said))
        if line.todo:
            _write(f"{'':<22}-> ", harmless(line.todo))
    states = [line.state for line in lines]
    broken = states.count(BROKEN)
    verdict = f"{broken or 'nothing'} {'are' if broken > 1 else 'is'} broken"
    click.echo(f"\n{verdict}; {states.count(OK)} of {len(lines)} are in use")
    return int(bool(broken))


def _write(head: str, sentence: str) -> None:
    """Write a sentence behind its head; on a terminal it is wrapped below its beginning."""
    from shutil import get_terminal_size

    from pplint.reports.notes import wrapped

    if sys.stdout.isatty():
        before = len(head)
        sentence = "\n".join(wrapped(sentence, get_terminal_size().columns, before, before))[before:]
    click.echo(head + sentence)
