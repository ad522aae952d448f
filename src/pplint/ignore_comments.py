"""`# pplint: ignore[CODE] reason`: read from the comments of a file, and how far each one reaches."""

from __future__ import annotations

import re
from itertools import pairwise

from pplint.finding import Finding, Span
from pplint.records import Record
from pplint.source.text import Comment, Source

MARK = b"pplint:"
"""Without these bytes a file holds no such comment."""
IGNORE = "ignore"
IGNORE_FILE = "ignore-file"

_START = re.compile(r"#[ \t]*pplint:")
_WORD = re.compile(r"[ \t]*([\w-]*)[ \t]*")
_NEXT_COMMENT = re.compile(r"\s#")
_CLOSERS = re.compile(r"[\s)\]}:,]*(#.*)?")


class Code(Record):
    """A code or rule name as it is written in a comment, and its place."""

    text: str
    span: Span


class Marker(Record):
    """One such comment. `span` covers it from its `#`; `problem` says why it silences nothing, or is ""."""

    span: Span
    alone: bool
    whole_file: bool
    codes: tuple[Code, ...]
    reason: str
    problem: str


def markers(source: Source) -> list[Marker]:
    """Return the `# pplint:` comments of a file, in order; several may share a line."""
    if MARK not in source.data:
        return []
    return [marker for comment in source.comments() for marker in _markers_in(comment)]


def _markers_in(comment: Comment) -> list[Marker]:
    starts = [match.start() for match in _START.finditer(comment.text)]
    return [_marker(comment, start, end) for start, end in pairwise([*starts, len(comment.text)])]


def _marker(comment: Comment, start: int, end: int) -> Marker:
    """Read the marker at `start` to `end` (0-based, in the text); another tool's comment may follow in it."""
    text = comment.text[start:end]
    if other := _NEXT_COMMENT.search(text, 1):
        text = text[: other.start()]
    text = text.rstrip()
    first = comment.column + start
    word = _WORD.match(text, text.index(":") + 1)
    assert word is not None
    codes: tuple[Code, ...] = ()
    reason = ""
    closed = False
    if text.startswith("[", word.end()):
        close = text.find("]", word.end())
        closed = close != -1
        inside = text[word.end() + 1 : close if closed else len(text)]
        codes = tuple(_codes(inside, comment.line, first + word.end() + 1))
        reason = text[close + 1 :].strip(" \t:-") if closed else ""
    return Marker(
        Span(comment.line, first, comment.line, first + len(text)),
        comment.alone,
        word[1] == IGNORE_FILE,
        codes,
        reason,
        _problem(word[1], codes, closed, comment.alone),
    )


def _codes(inside: str, line: int, column: int) -> list[Code]:
    codes: list[Code] = []
    for part in inside.split(","):
        text = part.strip()
        if text:
            start = column + part.index(text)
            codes.append(Code(text, Span(line, start, line, start + len(text))))
        column += len(part) + 1
    return codes


def _problem(word: str, codes: tuple[Code, ...], closed: bool, alone: bool) -> str:
    """Say why the comment silences nothing: a slip must never silence more than what is written."""
    if word not in (IGNORE, IGNORE_FILE):
        return f'"pplint: {word}" is not known; write "pplint: ignore[CODE] reason"'
    if not codes:
        return f'name the codes: "pplint: {word}[CODE] reason"'
    if not closed:
        return 'the "]" after the codes is missing'
    if word == IGNORE_FILE and not alone:
        return '"pplint: ignore-file" must stand on a line of its own'
    return ""


class Reach(Record):
    """The lines on which a comment silences a finding: `first` to `last`, or alone on `top` to `first`."""

    top: int
    first: int
    last: int

    def holds(self, marker: Marker) -> bool:
        """Whether the marker stands within reach."""
        if marker.whole_file or self.first <= marker.span.line <= self.last:
            return True
        return marker.alone and self.top <= marker.span.line < self.first


def reach(finding: Finding, source: Source) -> Reach:
    """Return the reach of comments for `finding`.

    It is the header of the innermost statement with the line of its closing bracket, and the lines
    directly above that hold nothing but comments.
    """
    header = finding.statement or finding.span
    first = min(header.line, finding.span.line)
    last = max(header.end_line, finding.span.end_line)
    lines = source.lines
    while last < len(lines) and _closes(lines[last]):
        last += 1
    top = first
    while top > 1 and lines[top - 2].lstrip(" \t\f").startswith("#"):
        top -= 1
    return Reach(top, first, last)


def _closes(line: str) -> bool:
    return line.lstrip()[:1] in (")", "]", "}") and _CLOSERS.fullmatch(line) is not None
