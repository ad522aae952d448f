"""`pplint config`: each setting, its value, and where it came from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from pplint.commands.options import existing, paths_and_settings, what_to_check

_TABLES = ("per-file-ignores", "severity")
"""Settings that are written as tables."""


@click.command("config")
@what_to_check
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def config(form: str, **given: Any) -> None:
    """Show the settings that hold for PATHS (default: the current folder)."""
    import json

    from pplint.reports.harmless import harmless

    existing(*given["paths"])
    _, settings = paths_and_settings(given)
    rows = {
        key: (dict(value) if key in _TABLES else value, origin)
        for key, (value, origin) in settings.origins.items()
    }
    if form == "json":
        entries = {key: {"value": value, "origin": origin} for key, (value, origin) in rows.items()}
        click.echo(
            json.dumps({"root": settings.root, "file": settings.file or None, "settings": entries}, indent=2)
        )
        return
    click.echo(
        f"settings of {harmless(settings.root)}"
        f" ({harmless(settings.file) or 'no pyproject.toml with [tool.pplint]'})"
    )
    for key, (value, origin) in rows.items():
        place = os.path.relpath(origin) if Path(origin).is_absolute() else origin
        shown = "not set" if value is None else json.dumps(value)
        click.echo(f"{key} = {harmless(shown)}  # {harmless(place)}")
