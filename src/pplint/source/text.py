"""One Python file: its bytes, its text, and every unit in which a place in it can be given."""

from __future__ import annotations

import ast
import codecs
import gc
import os
import re
import stat
import sys
import warnings
from array import array
from bisect import bisect_right
from itertools import accumulate
from operator import add
from typing import Protocol

from pplint.finding import Span
from pplint.source.comments import Comment, find_comments
from pplint.source.encoding import UTF8, SourceError, decode
from pplint.source.newer import needed_version

__all__ = ["LARGEST_BYTES", "Comment", "Source", "SourceError"]

LARGEST_BYTES = 32 * 1024 * 1024
"""Larger files are refused: their syntax tree would need gigabytes, and the kernel kills without a word."""

_LINE_END = re.compile("\r\n|\r|\n")


class Placed(Protocol):
    """An ast node that has a place."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


class Source:
    """A Python file.

    `path` is what it was read as, `data` its bytes, `text` the decoded characters without byte order mark
    and with the line ends of the file, `encoding` a codec name, `bom` the byte order mark or b"".
    Places are 1-based lines and code-point columns, as everywhere in pplint.
    """

    __slots__ = (
        "_byte_starts",
        "_char_ends",
        "_comments",
        "_lines",
        "_starts",
        "bom",
        "data",
        "encoding",
        "path",
        "text",
    )

    def __init__(self, path: str, data: bytes, text: str, encoding: str, bom: bytes) -> None:
        self.path = path
        self.data = data
        self.text = text
        self.encoding = encoding
        self.bom = bom
        self._lines: list[str] | None = None
        self._starts: list[int] | None = None
        self._byte_starts: list[int] | None = None
        self._char_ends: array[int] | None = None
        self._comments: list[Comment] | None = None

    @classmethod
    def read(cls, path: str) -> Source:
        """Read a file. Raises SourceError if it cannot be read or decoded, or is no regular file."""
        return cls.of(path, read_bytes(path))

    @classmethod
    def of(cls, path: str, data: bytes) -> Source:
        """Make a source of bytes in hand. Raises SourceError if they cannot be decoded or are too many."""
        if len(data) > LARGEST_BYTES:
            raise SourceError(_too_large(len(data)))
        text, encoding, bom = decode(data)
        return cls(path, data, text, encoding, bom)

    @property
    def lines(self) -> list[str]:
        """The lines without line ends; after a final line end stands one more, empty line."""
        if self._lines is None:
            self._lines = _LINE_END.split(self.text) if "\r" in self.text else self.text.split("\n")
        return self._lines

    def line_end(self, line: int) -> str:
        """Return the end of a line; the last line takes that of the line before it, a single line LF."""
        line = min(line, len(self.lines) - 1)
        if "\r" not in self.text or line < 1:
            return "\n"
        end = self.index(line, len(self.lines[line - 1]) + 1)
        return self.text[end : self.index(line + 1, 1)]

    def index(self, line: int, column: int) -> int:
        """Return the index in `text` of a place; the column after a line's last character is a place too.

        Raises ValueError for places outside the text.
        """
        lines = self.lines
        if not (0 < line <= len(lines) and 0 < column <= len(lines[line - 1]) + 1):
            raise ValueError(f"there is no line {line}, column {column}")
        if self._starts is None:
            self._starts = self._line_starts([len(text) for text in lines])
        return self._starts[line - 1] + column - 1

    def offset(self, line: int, column: int) -> int:
        """Return the byte offset in `data` of a place. Raises ValueError for places outside the text."""
        place = self.index(line, column)
        first = len(self.bom)
        if len(self.data) == first + len(self.text):
            return first + place
        if self.encoding == UTF8:
            if self._byte_starts is None:
                self._byte_starts = self._line_starts([len(text.encode()) for text in self.lines])
            return first + self._byte_starts[line - 1] + len(self.lines[line - 1][: column - 1].encode())
        if self._char_ends is None:
            self._char_ends = char_ends(self.data[first:], self.encoding)
        return first + (self._char_ends[place - 1] if place else 0)

    def _line_starts(self, sizes: list[int]) -> list[int]:
        if "\r" not in self.text:
            return _starts(sizes)
        ends = _LINE_END.findall(self.text)
        return list(accumulate((size + len(end) for size, end in zip(sizes, ends, strict=False)), initial=0))

    def place(self, index: int) -> tuple[int, int]:
        """Return the 1-based line and column of an index in `text`: the reverse of `index`."""
        self.index(1, 1)
        starts = self._starts or [0]
        line = bisect_right(starts, index, hi=len(self.lines))
        return line, index - starts[line - 1] + 1

    def column(self, line: int, utf8_offset: int) -> int:
        """Return the 1-based column of ast's 0-based UTF-8 byte offset in a line."""
        text = self.lines[line - 1]
        if text.isascii():
            return utf8_offset + 1
        return len(text.encode("utf-8", "surrogatepass")[:utf8_offset].decode("utf-8", "replace")) + 1

    def utf8_offset(self, line: int, column: int) -> int:
        """Return ast's 0-based UTF-8 byte offset of a 1-based column: the reverse of `column`."""
        text = self.lines[line - 1]
        if text.isascii():
            return column - 1
        return len(text[: column - 1].encode("utf-8", "surrogatepass"))

    def utf16_column(self, line: int, column: int) -> int:
        """Return the 1-based column in UTF-16 code units of a 1-based code-point column."""
        text = self.lines[line - 1]
        if text.isascii():
            return column
        return column + sum(1 for character in text[: column - 1] if character > "\uffff")

    def span(self, node: Placed) -> Span:
        """Return where an ast node of this source's tree stands."""
        end_line = node.end_lineno or node.lineno
        end = node.end_col_offset if node.end_col_offset is not None else node.col_offset
        return Span(
            node.lineno, self.column(node.lineno, node.col_offset), end_line, self.column(end_line, end)
        )

    def segment(self, node: Placed) -> str:
        """Return the text of an ast node of this source's tree."""
        span = self.span(node)
        return self.text[self.index(span.line, span.column) : self.index(span.end_line, span.end_column)]

    def parse(self) -> ast.Module:
        """Return a new syntax tree. Raises SourceError, with the line, if there is none.

        Nothing of the file is executed or imported.
        """
        collecting = gc.isenabled()
        # A growing tree has no garbage, but each of its nodes brings the next collection nearer.
        gc.disable()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.text)
        except SyntaxError as error:
            raise self._syntax_error(error) from error
        except (RecursionError, MemoryError, SystemError) as error:
            raise SourceError("too deeply nested or too large for Python's parser") from error
        except (ValueError, OverflowError) as error:
            raise SourceError(f"cannot be parsed: {error}") from error
        finally:
            if collecting:
                gc.enable()

    def _syntax_error(self, error: SyntaxError) -> SourceError:
        line = min(error.lineno or 0, len(self.lines))
        running = f"{sys.version_info[0]}.{sys.version_info[1]}"
        message = f"syntax error: {error.msg}"
        needed = needed_version(self.lines[line - 1]) if line else ""
        if needed:
            message += f" (looks like syntax of Python {needed}; pplint runs on {running})"
        return SourceError(message, line)

    def comments(self) -> list[Comment]:
        """Return the comments in order; where the file is no Python, those before that place."""
        if self._comments is None:
            self._comments = find_comments(self.lines) if "#" in self.text else []
        return self._comments


def of_text(text: str) -> Source:
    """Return a source that was never read from anywhere."""
    return Source("", b"", text, UTF8, b"")


def line_starts(text: str) -> list[int]:
    """Return where each line of a text begins whose lines end with LF, and where a further one would."""
    return _starts(list(map(len, text.split("\n"))))


def _starts(sizes: list[int]) -> list[int]:
    # Of half a million lines: all that happens for each of them happens in C.
    return list(map(add, accumulate(sizes, initial=0), range(len(sizes) + 1)))


def read_bytes(path: str) -> bytes:
    """Return the bytes of a regular file. Raises SourceError; never waits for a pipe or a device."""
    try:
        # O_NONBLOCK: opening a FIFO that took the place of a file would wait for a writer.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise SourceError("not a regular file")
            if found.st_size > LARGEST_BYTES:
                raise SourceError(_too_large(found.st_size))
            return file.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SourceError(f"cannot be read: {reason}") from error


def char_ends(body: bytes, encoding: str) -> array[int]:
    """Return for each character of `body` the byte offset of its end; for the rarer encodings only."""
    decoder = codecs.getincrementaldecoder(encoding)()
    ends = array("q")
    for place in range(len(body)):
        ends.extend([place + 1] * len(decoder.decode(body[place : place + 1])))
    ends.extend([len(body)] * len(decoder.decode(b"", final=True)))
    return ends


def _too_large(size: int) -> str:
    return f"{size / 2**20:.0f} MiB is too large: pplint reads files up to {LARGEST_BYTES >> 20} MiB"
