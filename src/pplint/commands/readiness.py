"""`pplint readiness`: per model class, which duties of pipeline parallelism are met."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from pplint import __version__
from pplint.cli import CLEAN, TROUBLE, Failure, complain_of
from pplint.commands.options import SGLANG, cache_folder, how_to_look

_FORMATS = {
    "text": "pplint.reports.readiness_text:render",
    "json": "pplint.reports.readiness_json:render",
    "markdown": "pplint.reports.readiness_markdown:render",
    "html": "pplint.reports.html:render_readiness",
}


@click.command("readiness")
@click.argument("paths", nargs=-1, type=click.Path(path_type=str))
@click.option(
    "--format", "form", type=click.Choice(list(_FORMATS)), default="text", show_default=True,
    help="markdown is for an issue, html a page that works from disk.",
)  # fmt: skip
@click.option("-o", "--output-file", metavar="FILE", help="Write to a file instead of the standard output.")
@SGLANG
@how_to_look
def readiness(**given: Any) -> int:
    """Show for each model class which duties of pipeline parallelism it meets, and where the gaps are.

    PATHS are files and folders, such as python/sglang/srt/models: a row for each class that a module there names in
    `EntryClass`. The exit code is 0 whatever the verdicts are, 2 for trouble.
    """
    from pplint.engine.root import RootError
    from pplint.progress import Progress
    from pplint.readiness.matrix import matrix_of

    paths = given["paths"] or (os.curdir,)
    for path in paths:
        if not Path(path).exists():
            raise Failure(f"{path}: there is no such file or folder")
    try:
        with Progress(not given["no_progress"], "looking"):
            found = matrix_of(paths, given["sglang"], given["jobs"], cache_folder(given))
    except RootError as error:
        raise Failure(str(error)) from error
    complain_of(found.troubles)
    if not found.rows and not found.troubles:
        raise Failure(f"{', '.join(paths)}: no module there names a class in `EntryClass`")
    if found.rows:
        _write(given, paths, found.rows)
    return TROUBLE if found.troubles else CLEAN


def _write(given: dict[str, Any], paths: tuple[str, ...], rows: tuple[Any, ...]) -> None:
    """Write the rows in the format that was asked for. Raises Failure."""
    import io

    from pplint.reports.paths import find_repository
    from pplint.reports.report import Report, ReportError, write_whole

    here = str(Path.cwd())
    report = Report(
        findings=(),
        rules=(),
        sources=lambda path: None,
        cwd=os.path.realpath(here),
        repository=find_repository([os.path.realpath(path) for path in paths], here),
        version=__version__,
        command=" ".join(["pplint", *sys.argv[1:]]),
        readiness=rows,
    )
    module, _, name = _FORMATS[given["form"]].partition(":")
    text = io.StringIO(newline="")
    getattr(import_module(module), name)(report, text)
    if not given["output_file"]:
        sys.stdout.write(text.getvalue())
        return
    try:
        write_whole(given["output_file"], text.getvalue().encode("utf-8", "backslashreplace"))
    except ReportError as error:
        raise Failure(str(error)) from error
