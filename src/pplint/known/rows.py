"""What the rules said of a file as plain data, believed only where every part has its type."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from pplint.finding import Edit, Finding, Fix, Span, Step, Trouble, asks_of
from pplint.known.stamps import Stamp
from pplint.records import Record


class Answer(Record):
    """What the rules said of one file with these bytes and the facts of a snapshot.

    `checked` is False for a file that nobody parsed, `marked` True for one that holds a comment of pplint's.
    """

    stamp: Stamp
    findings: tuple[Finding, ...]
    troubles: tuple[Trouble, ...]
    checked: bool
    marked: bool


Row = bool | list[Any]
"""An answer without its stamp: of most files nothing is said, then it is whether they were checked."""

_TRACE = Finding._fields.index("trace")


def row_of(answer: Answer) -> Row:
    """The row for an answer."""
    return list(answer[1:]) if any(answer[1:3]) or answer.marked else answer.checked


def answer_of(stamp: Stamp, row: Row) -> Answer:
    """The answer of a row. Raises one of WRONG for anything else."""
    if isinstance(row, bool):
        return Answer(stamp, (), (), row, False)
    findings, troubles, checked, marked = row
    found = tuple(map(_finding, findings))
    return Answer(stamp, found, tuple(map(read_trouble, troubles)), checked is True, marked is True)


def leads_to(row: list[Any], paths: Container[str]) -> bool:
    """Whether a reason of a finding lies in one of some files. Raises one of WRONG for what is no row."""
    return any(step[0] in paths for found in row[0] for step in found[_TRACE])


_TEXTS = (
    "code",
    "name",
    "severity",
    "path",
    "symbol",
    "message",
    "no_fix",
    "shape",
    "fingerprint",
    "changed_by",
)


def _finding(row: Any) -> Finding:
    """A finding from its row of plain data. Raises TypeError or ValueError for anything else."""
    raw = Finding(*row)
    if not all(isinstance(getattr(raw, name), str) for name in _TEXTS):
        raise TypeError("a text is no text")
    fix = None
    if raw.fix is not None:
        safety, message, edits = raw.fix
        fix = Fix(str(safety), str(message), tuple(Edit(_span(span), str(text)) for span, text in edits))
    return raw._replace(
        span=_span(raw.span),
        trace=tuple(Step(str(p), int(line), int(column), str(text)) for p, line, column, text in raw.trace),
        fix=fix,
        statement=None if raw.statement is None else _span(raw.statement),
        impact=None,
        asks=asks_of(raw.asks),
    )


def _span(row: Any) -> Span:
    return Span(*(int(number) for number in row))


def read_trouble(row: Any) -> Trouble:
    """A trouble from its row of plain data. Raises TypeError or ValueError for anything else."""
    path, line, message, code = row
    return Trouble(str(path), int(line), str(message), str(code))
