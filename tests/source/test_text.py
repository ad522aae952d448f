"""Bytes in; text, lines, columns, trees or a named trouble out."""

from __future__ import annotations

import ast
import gc
import os
import socket
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pplint.finding import Span
from pplint.source.text import LARGEST_BYTES, Source, SourceError

BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("data", "text", "encoding", "bom"),
    [
        pytest.param(b"", "", "utf-8", b"", id="an empty file is UTF-8"),
        pytest.param(b"s = '\xc3\xa9'", "s = 'é'", "utf-8", b"", id="UTF-8 needs no declaration"),
        pytest.param(BOM + b"x = 1", "x = 1", "utf-8", BOM, id="a byte order mark is no text"),
        pytest.param(BOM + b"# coding: utf8\n", "# coding: utf8\n", "utf-8", BOM, id="BOM and utf8 agree"),
        pytest.param(
            b"# coding: latin-1\ns='\xe9'", "# coding: latin-1\ns='é'", "iso8859-1", b"", id="line 1"
        ),
        pytest.param(
            b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\ns='\x80'",
            "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\ns='€'",
            "cp1252",
            b"",
            id="line 2 in an editor's words",
        ),
        pytest.param(
            b"\r# coding: latin-1\r'\xe9'", "\r# coding: latin-1\r'é'", "iso8859-1", b"", id="lone CR"
        ),
        pytest.param(
            b"\x0c# coding: latin-1\n'\xe9'",
            "\f# coding: latin-1\n'é'",
            "iso8859-1",
            b"",
            id="after a form feed",
        ),
        pytest.param(
            b"# coding: utf-8-sig\nx", "# coding: utf-8-sig\nx", "utf-8", b"", id="utf-8-sig, no mark"
        ),
        pytest.param(
            b"# coding: shift_jis\ns='\x83\x5c'",
            "# coding: shift_jis\ns='ソ'",
            "shift_jis",
            b"",
            id="shift_jis",
        ),
        pytest.param(
            b"# coding: iso2022_jp\ns='\x1b$B$\"\x1b(B'",
            "# coding: iso2022_jp\ns='あ'",
            "iso2022_jp",
            b"",
            id="an encoding with shift states",
        ),
        pytest.param(
            b"x = 1\n# coding: latin-1\n", "x = 1\n# coding: latin-1\n", "utf-8", b"", id="after code"
        ),
        pytest.param(b"\n\n# coding: latin-1\n", "\n\n# coding: latin-1\n", "utf-8", b"", id="on line 3"),
    ],
)
def test_decoding(data: bytes, text: str, encoding: str, bom: bytes) -> None:
    source = Source.of("a.py", data)
    assert (source.text, source.encoding, source.bom, source.data) == (text, encoding, bom, data)


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        pytest.param(b"a = 1\r\nb = 2\rs = '\xe9'", 3, "declares no other encoding", id="undeclared bytes"),
        pytest.param(b"x = 1\n\n# \x00", 3, "NUL", id="a NUL byte"),
        pytest.param(b"\n# coding: klingon\n", 2, "klingon", id="an unknown encoding"),
        pytest.param(b"# coding: rot13\n", 1, "rot13", id="a codec that is no text encoding"),
        pytest.param(b"# coding: idna\n", 1, "idna", id="a codec for host names"),
        pytest.param(b"# coding: utf-16\n ", 1, "utf-16", id="an encoding that cannot declare itself"),
        pytest.param(b"# coding: cp037\n", 1, "cp037", id="EBCDIC"),
        pytest.param(BOM + b"# coding: latin-1\n", 1, "byte order mark", id="a BOM and another encoding"),
        pytest.param(b"# coding: cp1252\n'\x81'", 2, "0x81", id="a byte outside the declared encoding"),
        pytest.param(b"# coding: utf-8\n\n'\xc3'", 3, "0xc3", id="cut off UTF-8"),
        pytest.param(b"#" * (LARGEST_BYTES + 1), 0, "too large", id="a file beyond the limit"),
    ],
)
def test_undecodable_files_are_named_troubles(data: bytes, line: int, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        Source.of("a.py", data)
    assert caught.value.line == line
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(b"", [""], id="nothing"),
        pytest.param(b"a\nb", ["a", "b"], id="no final line end"),
        pytest.param(b"a\n", ["a", ""], id="a final line end"),
        pytest.param(b"a\r\nb\rc\nd\r\r\n", ["a", "b", "c", "d", "", ""], id="mixed line ends"),
        pytest.param(
            "a\f\v\x1c\x1d\x85\u2028b\nc".encode(), ["a\f\v\x1c\x1d\x85\u2028b", "c"], id="no others"
        ),
    ],
)
def test_lines_end_where_python_ends_them(data: bytes, lines: list[str]) -> None:
    assert Source.of("a.py", data).lines == lines


@pytest.mark.parametrize(
    ("data", "line", "end"),
    [
        pytest.param(b"a\nb", 1, "\n", id="LF"),
        pytest.param(b"a\r\nb\n", 1, "\r\n", id="CRLF among others"),
        pytest.param(b"a\r\nb\n", 2, "\n", id="LF among others"),
        pytest.param(b"a\r\nb", 2, "\r\n", id="a last line without end takes the one before"),
        pytest.param(b"a", 1, "\n", id="a single line"),
        pytest.param(b"a\rb", 1, "\r", id="CR"),
    ],
)
def test_line_end(data: bytes, line: int, end: str) -> None:
    assert Source.of("a.py", data).line_end(line) == end


@pytest.mark.parametrize(
    ("data", "line", "column", "offset"),
    [
        pytest.param(b"ab\ncd", 2, 2, 4, id="ASCII"),
        pytest.param(b"ab\r\ncd", 2, 3, 6, id="CRLF, the end of the text"),
        pytest.param(BOM + b"ab", 1, 1, 3, id="after a byte order mark"),
        pytest.param(BOM + "é\r\n€x".encode(), 2, 2, 10, id="UTF-8 of several lengths"),
        pytest.param(b"# coding: latin-1\n\xe9x", 2, 2, 19, id="latin-1"),
        pytest.param(b"# coding: shift_jis\n\x83\x5cx", 2, 2, 22, id="shift_jis"),
        pytest.param(b"# coding: iso2022_jp\n\x1b$B$\"\x1b(B'x", 2, 3, 30, id="shift states"),
        pytest.param(b"a\n", 2, 1, 2, id="the empty last line"),
    ],
)
def test_offset(data: bytes, line: int, column: int, offset: int) -> None:
    assert Source.of("a.py", data).offset(line, column) == offset


@pytest.mark.parametrize("place", [(0, 1), (1, 0), (1, 4), (3, 1), (-1, 1)])
def test_places_outside_the_text_are_refused(place: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="there is no line"):
        Source.of("a.py", b"ab\nc").offset(*place)


def test_columns_in_every_unit() -> None:
    source = Source.of("a.py", "s = 'é🙂'; x = 0".encode())
    zero = source.text.index("0") + 1
    assert source.column(1, len("s = 'é🙂'; x = ".encode())) == zero
    assert source.utf8_offset(1, zero) == len("s = 'é🙂'; x = ".encode())
    assert source.utf16_column(1, zero) == zero + 1
    assert source.utf16_column(1, 6) == 6


@given(st.text(st.sampled_from("ab0 é€🙂\n\r\f\u2028#'"), max_size=30), st.sampled_from([b"", BOM]))
def test_each_place_leads_to_its_character(text: str, bom: bytes) -> None:
    source = Source.of("a.py", bom + text.encode())
    for number, line in enumerate(source.lines, 1):
        for column, character in enumerate(line, 1):
            assert source.data[source.offset(number, column) :].decode()[0] == character
            assert source.place(source.index(number, column)) == (number, column)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a = 1\nif a:\n\f\n\tzero = 2\n", id="form feed and tab"),
        pytest.param("a = 1\rb = '''x\r\ny\r'''\r\rzero = 2", id="lone CRs"),
        pytest.param("a = '\u2028\x1c\x85'; zero = 3\nb = 2", id="separators in a string"),
        pytest.param("é = 'ü' \\\r\n + 'a'; zero = 3", id="a continued line"),
        pytest.param("\f\fzero = 1", id="form feeds before the first token"),
        pytest.param("# \x0b\x1c\u2029\nzero = 1", id="separators in a comment"),
    ],
)
@pytest.mark.parametrize("bom", [b"", BOM], ids=["plain", "after a BOM"])
def test_spans_of_nodes_cut_out_their_text(text: str, bom: bytes) -> None:
    source = Source.of("a.py", bom + text.encode())
    names = [node for node in ast.walk(source.parse()) if isinstance(node, ast.Name) and node.id == "zero"]
    span = source.span(names[0])
    start = source.offset(span.line, span.column)
    assert source.data[start : source.offset(span.end_line, span.end_column)] == b"zero"


def test_a_span_counts_characters() -> None:
    source = Source.of("a.py", "s = ('é',\r\n 'ü' + z)".encode())
    value = source.parse().body[0]
    assert isinstance(value, ast.Assign)
    assert source.span(value.value) == Span(1, 5, 2, 10)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param("x = 1\ndef f(:\n", 2, "syntax error", id="a syntax error"),
        pytest.param("-" * 100_000 + "1", 0, "nested", id="a hundred thousand signs"),
        pytest.param("(" * 1_000 + ")" * 1_000, 1, "nested", id="a thousand brackets"),
        pytest.param("if x:\n\ty\n        z\n", 3, "syntax error", id="tabs and spaces at odds"),
        pytest.param("x = " + "9" * 5_000, 1, "digits", id="a number beyond Python's limit"),
        pytest.param("\n\ufeffx", 2, "syntax error", id="a stray byte order mark"),
    ],
)
def test_unparsable_files_are_named_troubles(text: str, line: int, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        Source.of("a.py", text.encode()).parse()
    assert caught.value.line == line
    assert words in caught.value.message


def test_parsing_is_quiet_and_leaves_the_collector_on() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Source.of("a.py", b"x = '\\d'\nassert (1, 2)\n1 is 1").parse()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        Source.of("a.py", b"x = 1").parse()
        assert not gc.isenabled()
    finally:
        gc.enable()


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(path.parent)
        listener.bind(path.name)
        os.chdir(here)


@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(make_fifo, id="a pipe nobody writes to"),
        pytest.param(make_socket, id="a socket"),
        pytest.param(Path.mkdir, id="a folder"),
        pytest.param(lambda path: path.symlink_to("gone"), id="a dangling link"),
        pytest.param(lambda path: path.symlink_to(path.name), id="a link to itself"),
        pytest.param(lambda path: path.symlink_to("/dev/null"), id="a device"),
        pytest.param(lambda path: None, id="nothing"),
    ],
)
def test_what_is_no_file_cannot_be_read(tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(tmp_path / "x.py")
    with pytest.raises(SourceError, match=r"cannot be read|regular file"):
        Source.read(str(tmp_path / "x.py"))


def test_reading_a_file_with_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.py")
    Path(path).write_bytes(b"x = 1\r\n")
    source = Source.read(path)
    assert (source.path, source.data) == (path, b"x = 1\r\n")
