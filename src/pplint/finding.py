"""The values everything speaks in: where something is, what is wrong there, and how to change it.

One unit of place is used everywhere outside `pplint.source`: 1-based lines and 1-based columns that count
Unicode code points of the decoded line (without a byte order mark), the end column exclusive.
"""

from __future__ import annotations

from typing import NamedTuple

ERROR = "error"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, WARNING, INFO)
"""The levels, the most severe first."""

SAFE = "safe"
UNSAFE = "unsafe"


class Span(NamedTuple):
    """A stretch of a text: 1-based lines and code-point columns, the end column exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Step(NamedTuple):
    """One step of the reasoning that led to a finding.

    `path` is absolute, or "" when the step has no place of its own.
    """

    path: str
    line: int
    column: int
    text: str


class Edit(NamedTuple):
    """Replace what stands at `span` by `text`."""

    span: Span
    text: str


class Fix(NamedTuple):
    """A repair: `safety` is `SAFE` or `UNSAFE`, `message` an imperative; the edits do not overlap."""

    safety: str
    message: str
    edits: tuple[Edit, ...]


class Finding(NamedTuple):
    """One conflict between a place in the code and what a pipeline stage owns.

    `path` is absolute and real (no symbolic links). `symbol` is the enclosing `Class.method` or "".
    `statement` is the innermost statement's header, for the reach of suppression comments. `no_fix` says why
    there is no fix. `shape` is equal for findings of one rule whose code differs in names only. `fingerprint`
    stays when lines move. `changed_by` names the fact elsewhere whose change caused the finding, or "".
    """

    code: str
    name: str
    severity: str
    path: str
    span: Span
    symbol: str
    message: str
    trace: tuple[Step, ...] = ()
    fix: Fix | None = None
    no_fix: str = ""
    statement: Span | None = None
    shape: str = ""
    fingerprint: str = ""
    impact: tuple[str, ...] = ()
    changed_by: str = ""


class Trouble(NamedTuple):
    """Something that kept pplint from doing its work; makes the exit code 2.

    `path` is absolute or "" (no file is at fault); `line` is 1-based or 0 (the whole file).
    """

    path: str
    line: int
    message: str
    code: str = "PPL903"


def severity_rank(severity: str) -> int:
    """Return 0 for the most severe level; unknown levels come last."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def report_order(finding: Finding) -> tuple[str, int, int, str, str]:
    """The order of findings in every report: by file, place, code."""
    return (finding.path, finding.span.line, finding.span.column, finding.code, finding.message)
