"""`pplint facts`: what the engine learnt, for a reader or a program."""

from __future__ import annotations

from typing import Any

import click

from pplint.cli import Failure
from pplint.commands.options import SGLANG, cache_folder, existing, how_to_look


@click.command("facts")
@click.argument("path", default=".", type=click.Path(readable=False, path_type=str))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@SGLANG
@how_to_look
def facts(**given: Any) -> None:
    """Show accessors, parameters, index spaces and the lines that prove them."""
    from pplint.engine.root import RootError, find_root
    from pplint.judge.check import facts_of
    from pplint.progress import Progress
    from pplint.reports.facts_report import facts_data, facts_lines

    existing(given["path"])
    try:
        root = find_root((given["path"],), given["sglang"])
    except RootError as error:
        raise Failure(str(error)) from error
    with Progress(not given["no_progress"], "learning"):
        found = facts_of(root, given["jobs"], cache_folder(given))
    if given["form"] == "json":
        import json

        click.echo(json.dumps(facts_data(found, root), indent=2))
    else:
        click.echo("\n".join(facts_lines(found, root)))
