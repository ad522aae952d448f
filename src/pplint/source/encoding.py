"""Which encoding a Python file has (PEP 263), and its text."""

from __future__ import annotations

import codecs
import re

UTF8 = "utf-8"

_COOKIE = rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)"
_BLANK = rb"(?s)[ \t\f]*(?:#.*)?\Z"
_LINE_END = rb"\r\n|\r|\n"
_FIRST_TWO_LINES = rb"[^\r\n]*(?:\r\n|\r|\n)?[^\r\n]*"
_UNFIT = frozenset({"idna", "punycode", "undefined"})
"""Text encodings that Python offers but that are made for single names (and need quadratic time)."""


class SourceError(Exception):
    """A file that cannot be read, decoded or parsed.

    `message` is a sentence for people, without the file's name; `line` is 1-based, 0 for the whole file.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def decode(data: bytes) -> tuple[str, str, bytes]:
    """Return the text of a Python file without byte order mark, its encoding, and the mark (b"" without).

    Raises SourceError for NUL bytes, an unknown or unfit encoding and bytes that are not in the encoding.
    """
    nul = data.find(0)
    if nul >= 0:
        raise SourceError("the file has a NUL byte, so it is no Python source", _line_of(data, nul))
    bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    declared, line = _declaration(data[len(bom) :] if bom else data)
    encoding = _known_encoding(declared, line) if declared else UTF8
    if bom and encoding != UTF8:
        raise SourceError(f"the file starts with a UTF-8 byte order mark but declares {declared!r}", line)
    body = data[len(bom) :] if bom else data
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        raise _undecodable(data, len(bom) + error.start, declared) from error
    except (UnicodeError, ValueError) as error:
        raise SourceError(f"the file cannot be decoded as {declared!r}: {error}", line) from error
    if encoding != UTF8 and _declaration(text.encode("ascii", "replace"))[0] != declared:
        raise SourceError(f"{declared!r} cannot be the encoding of a file that declares it in ASCII", line)
    return text, encoding, bom


def _declaration(body: bytes) -> tuple[str, int]:
    """Return the declared encoding and its 1-based line, or ("", 0)."""
    if b"coding" not in body:
        return "", 0
    head = re.match(_FIRST_TWO_LINES, body)
    if head is None or b"coding" not in head[0]:
        return "", 0
    lines = re.split(_LINE_END, head[0])
    for number, line in enumerate(lines, 1):
        if cookie := re.match(_COOKIE, line):
            return cookie[1].decode("ascii"), number
        if not re.match(_BLANK, line):
            break
    return "", 0


def _known_encoding(declared: str, line: int) -> str:
    plain = declared.lower().replace("_", "-")
    if plain in {"utf8", "utf-8"} or plain.startswith("utf-8-"):
        return UTF8
    try:
        codec = codecs.lookup(declared)
    except (LookupError, ValueError) as error:
        raise SourceError(f"unknown encoding {declared!r}", line) from error
    if not getattr(codec, "_is_text_encoding", True) or codec.name in _UNFIT:
        raise SourceError(f"{declared!r} is not an encoding for source files", line)
    return codec.name


def _undecodable(data: bytes, place: int, declared: str) -> SourceError:
    line = _line_of(data, place)
    byte = f"byte 0x{data[place]:02x}" if place < len(data) else "the end of the file"
    if declared:
        return SourceError(f"{byte} is not valid in the declared encoding {declared!r}", line)
    return SourceError(f"{byte} is not valid UTF-8 and the file declares no other encoding", line)


def _line_of(data: bytes, place: int) -> int:
    return 1 + len(re.findall(_LINE_END, data[:place]))
