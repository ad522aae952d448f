"""`pplint facts`: what the engine learnt, for a reader."""

from __future__ import annotations

import click

from pplint.cli import Failure
from pplint.commands.options import existing

_SGLANG = click.option("--sglang", metavar="PATH", help="Where SGLang's sources are.")
_PATH = click.argument("path", default=".", type=click.Path(readable=False, path_type=str))


@click.command("facts")
@_PATH
@_SGLANG
def facts(path: str, sglang: str | None) -> None:
    """Show accessors, parameters, index spaces and the lines that prove them."""
    from pplint.engine.root import RootError, find_root
    from pplint.judge.check import facts_of
    from pplint.reports.facts_text import facts_lines

    existing(path)
    try:
        root = find_root((path,), sglang)
    except RootError as error:
        raise Failure(str(error)) from error
    click.echo("\n".join(facts_lines(facts_of(root), root)))
