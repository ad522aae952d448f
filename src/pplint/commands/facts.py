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
    from pplint.engine.facts_text import print_facts

    existing(path)
    print_facts(_root(path, sglang))


def _root(path: str, sglang: str | None) -> str:
    from pplint.engine.root import RootError, find_root

    try:
        return find_root((path,), sglang).path
    except RootError as error:
        raise Failure(str(error)) from error
