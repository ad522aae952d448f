"""Where edits stand in the bytes of a file, and which of them can be made together."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pplint.finding import Edit, Span
from pplint.records import Record
from pplint.source.text import Source


class EditError(Exception):
    """An edit that cannot be made; the message is a clause for people."""


class Placed(Record):
    """An edit in one source.

    `start` and `end` are byte offsets in the source's data, `char_start` and `char_end` the same places in
    its text; `text` is what comes there, with the line ends of the edited line, `data` the same, encoded.
    """

    start: int
    end: int
    char_start: int
    char_end: int
    text: str
    data: bytes
    span: Span


def place(source: Source, edits: Iterable[Edit]) -> list[Placed]:
    """Return the edits from the first to the last, identical ones once.

    Raises EditError for edits that overlap, lie outside the text or cannot be encoded.
    """
    placed = sorted({_place_one(source, edit) for edit in edits})
    for before, after in pairwise(placed):
        if _overlap(before, after):
            raise EditError(f"two edits overlap in line {after.span.line}")
    return placed


def _place_one(source: Source, edit: Edit) -> Placed:
    span, text = edit
    try:
        start, end = source.offset(span.line, span.column), source.offset(span.end_line, span.end_column)
        char_start = source.index(span.line, span.column)
        char_end = source.index(span.end_line, span.end_column)
    except ValueError as error:
        raise EditError(str(error)) from error
    if end < start:
        raise EditError(f"an edit in line {span.line} ends before it starts")
    if "\n" in text:
        text = text.replace("\n", source.line_end(span.line))
    try:
        data = text.encode(source.encoding)
    except UnicodeError as error:
        raise EditError(f"the file's encoding {source.encoding} cannot hold the new text") from error
    return Placed(start, end, char_start, char_end, text, data, span)


def _overlap(before: Placed, after: Placed) -> bool:
    """Say whether two different edits, in order, claim one place; edits that only touch do not.

    Two insertions at one place do: nobody knows which comes first.
    """
    if before.start == after.start:
        return not before.start == before.end < after.end
    return after.start < before.end


class Taken:
    """The places that are taken already: the first fix that asks for a place gets it."""

    def __init__(self) -> None:
        self._edits: list[Placed] = []

    def take(self, edits: Sequence[Placed]) -> bool:
        """Take the places of all `edits`, or of none: False if one of them overlaps what is taken.

        An edit that is the same as one taken before overlaps nothing.
        """
        new = []
        for edit in edits:
            at = bisect_left(self._edits, edit)
            if at < len(self._edits) and self._edits[at] == edit:
                continue
            if at and _overlap(self._edits[at - 1], edit):
                return False
            if at < len(self._edits) and _overlap(edit, self._edits[at]):
                return False
            new.append((at, edit))
        for at, edit in reversed(new):
            self._edits.insert(at, edit)
        return True
