"""What a run hands to a report, the formats by name, and how a report reaches its file or the terminal."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

from pplint.finding import Finding, Trouble
from pplint.records import Record
from pplint.rules.base import RuleInfo

if TYPE_CHECKING:
    from pplint.judge.learnt import Learnt
    from pplint.readiness.duties import Row
    from pplint.source.text import Source

FORMATS = {
    "text": "pplint.reports.text",
    "json": "pplint.reports.json_report",
    "jsonl": "pplint.reports.jsonl",
    "sarif": "pplint.reports.sarif",
    "github": "pplint.reports.github",
    "gitlab": "pplint.reports.gitlab",
    "junit": "pplint.reports.junit",
    "html": "pplint.reports.html",
}
"""Format name to the module that renders it; imported when asked for."""


class ReportError(Exception):
    """A report could not be written; the message names the file."""


class Report(Record):
    """Everything that a report may show.

    `findings` are in report order, without the `hidden_infos`; `suppressed` pairs a finding with the reason
    in its comment. `rules` are the rules that ran, in code order. `sources` gives a file's text by absolute
    path, or None when it cannot be read. `cwd` and `repository` (the git top level, see
    `paths.find_repository`) are absolute. `files_checked` counts files, `fixed` findings that were repaired,
    `command` is the command line as typed.
    `learnt` says how much there was to judge by, None when that is not told; `readiness` are the rows of the matrix
    for the formats that show it.
    `brief` leaves out the findings in the report for people: their number is enough.
    `colour` None means: decide by the terminal and the environment.
    """

    findings: Sequence[Finding]
    rules: tuple[RuleInfo, ...]
    sources: Callable[[str], Source | None]
    cwd: str
    repository: str
    version: str
    suppressed: Sequence[tuple[Finding, str]] = ()
    troubles: Sequence[Trouble] = ()
    files_checked: int = 0
    fixed: int = 0
    hidden_infos: int = 0
    accepted: int = 0
    since: str = ""
    command: str = ""
    learnt: Learnt | None = None
    readiness: Sequence[Row] = ()
    show_source: bool = True
    show_trace: bool = False
    statistics: bool = False
    quiet: bool = False
    brief: bool = False
    include_suppressed: bool = False
    colour: bool | None = None


def render(format_name: str, report: Report, out: TextIO) -> None:
    """Write `report` to `out` in the format of that name (a key of `FORMATS`)."""
    import_module(FORMATS[format_name]).render(
        report._replace(
            # Findings are ordered by file in most formats, so a small memory saves nearly every second read.
            sources=lru_cache(maxsize=64)(report.sources),
            cwd=os.path.realpath(report.cwd),
            repository=os.path.realpath(report.repository),
        ),
        out,
    )


def write_reports(targets: Sequence[tuple[str, str]], report: Report) -> None:
    """Write each (format, file) of `targets`; an empty file name means the standard output.

    A file is written whole or not at all, in UTF-8. A reader that closes the standard output early ends that
    output quietly. Raises ReportError when a file cannot be written or is named twice.
    """
    files = [os.path.realpath(file) for _, file in targets if file]
    for file in files:
        if files.count(file) > 1:
            raise ReportError(f"{file}: two reports would be written to this file")
    for format_name, file in targets:
        if file:
            text = io.StringIO(newline="")
            render(format_name, report._replace(colour=False), text)
            write_whole(file, text.getvalue().encode("utf-8", "backslashreplace"))
        else:
            _print(format_name, report)


def _print(format_name: str, report: Report) -> None:
    out = sys.stdout
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(errors="backslashreplace")
    try:
        render(format_name, report, out)
        out.flush()
    except BrokenPipeError:
        # What is still buffered must not fail a second time when the interpreter closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def write_whole(file: str, data: bytes) -> None:
    """Write a file whole or not at all; a pipe or a device is fed. Raises ReportError when it cannot be written."""
    from pathlib import Path

    from pplint.files.stray import refusal
    from pplint.files.write import WriteError, write_atomically

    if said := refusal(file):
        raise ReportError(said)
    path = Path(file)
    try:
        if path.exists() and not path.is_file():
            # A pipe or a device such as /dev/null: it is to be fed, never to be replaced.
            with path.open("wb") as device:
                device.write(data)
        else:
            write_atomically(file, data, None)
    except OSError as error:
        raise ReportError(f"{file}: cannot be written: {error.strerror or error}") from error
    except WriteError as error:
        raise ReportError(str(error)) from error
