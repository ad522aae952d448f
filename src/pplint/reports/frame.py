"""The code frame: the offending line with carets below it, aligned as a terminal shows it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from pplint.finding import Span
from pplint.records import Record
from pplint.reports.harmless import harmless

TAB = 4
LONGEST = 160
"""Code points of a line that are shown; a longer line is cut around the place."""
SHORTEST = 24
"""Code points that are shown however narrow a terminal is."""
DOTS = "..."
TALLEST = 4
"""Lines of a place that are shown."""


class Row(Record):
    """One row of a frame; `mark` is true for a row of carets."""

    gutter: str
    text: str
    mark: bool


def code_frame(lines: Sequence[str], span: Span, encoding: str, columns: int = 0) -> list[Row]:
    """Return the rows that show `span` of a file's `lines`, for a terminal of that encoding and that many `columns`.

    Without columns (a file) rows may be longer. A place outside the file gives no rows.
    """
    rows: list[Row] = []
    last = min(span.end_line, span.line + TALLEST - 1, len(lines))
    width = max(4, len(str(last)))
    longest = max(SHORTEST, min(LONGEST, columns - width - len(" | "))) if columns else LONGEST
    for number in range(max(span.line, 1), last + 1):
        line = lines[number - 1]
        start = span.column - 1 if number == span.line else len(line) - len(line.lstrip())
        end = span.end_column - 1 if number == span.end_line else len(line)
        text, carets = _rows(line, min(start, len(line)), min(end, len(line)), encoding, longest)
        rows.append(Row(f"{number:>{width}} | ", text, False))
        rows.append(Row(" " * width + " | ", carets, True))
    if rows and last < span.end_line:
        rows.append(Row(" " * width + " | ", "...", False))
    return rows


def _rows(line: str, start: int, end: int, encoding: str, longest: int) -> tuple[str, str]:
    first, last = _cut(len(line.rstrip()), start, longest)
    cut = line[first:last]
    before = DOTS if first else ""
    after = DOTS if last < len(line.rstrip()) else ""
    shown, offsets = _cells(cut, encoding)
    left = offsets[start - first]
    right = offsets[min(max(end - first, 0), len(cut))]
    carets = " " * (len(before) + left) + "^" * max(1, right - left)
    return f"{before}{shown.rstrip()}{after}", carets


def _cut(length: int, start: int, longest: int) -> tuple[int, int]:
    """From where to where a line of that `length` is shown in `longest` columns, dots included: around the place."""
    if length <= longest:
        return 0, max(length, start)
    room = longest - 2 * len(DOTS)
    first = max(0, min(start - room // 3, length - room))
    return first, max(first + room, start)


def _cells(text: str, encoding: str) -> tuple[str, list[int]]:
    """Return `text` as shown, and the terminal columns at which its code points begin, and the end."""
    pieces: list[str] = []
    offsets = [0]
    for character in text:
        at = offsets[-1]
        piece = " " * (TAB - at % TAB) if character == "\t" else _piece(character, encoding)
        pieces.append(piece)
        offsets.append(at + (_width(piece) if len(piece) == 1 else len(piece)))
    return "".join(pieces), offsets


def _piece(character: str, encoding: str) -> str:
    if " " <= character <= "~":
        return character
    return harmless(character).encode(encoding, "backslashreplace").decode(encoding)


def _width(character: str) -> int:
    if character <= "~":
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
