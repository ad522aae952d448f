"""Comments are COMMENT tokens, wherever Python puts them."""

from __future__ import annotations

import sys

import pytest

from pplint.source.comments import Comment
from pplint.source.text import Source


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("x = 1  # a", [Comment(1, 8, "# a", False)], id="after code, no final line end"),
        pytest.param("x\n  # a\n", [Comment(2, 3, "# a", True)], id="alone, indented"),
        pytest.param("s = '# no'  # yes", [Comment(1, 13, "# yes", False)], id="not in a string"),
        pytest.param("s = '''\n# no\n'''", [], id="not in a long string"),
        pytest.param("é = 1; '🙂'  # ü", [Comment(1, 13, "# ü", False)], id="columns are characters"),
        pytest.param("f(\r\n  0, # a\r\n)", [Comment(2, 6, "# a", False)], id="CRLF, inside a call"),
        pytest.param(
            "x = 1 # a\ry = 2 # b\r", [Comment(1, 7, "# a", False), Comment(2, 7, "# b", False)], id="CR"
        ),
        pytest.param(
            "\f# a\nif x:\n\f\ty # b", [Comment(1, 2, "# a", True), Comment(3, 5, "# b", False)], id="FF"
        ),
        pytest.param("# a \u2028\x1c b\n", [Comment(1, 1, "# a \u2028\x1c b", True)], id="separators inside"),
        pytest.param("x # a\n)\n(\n", [Comment(1, 3, "# a", False)], id="of a file that is no Python"),
        pytest.param("x # a\n'''\n# b", [Comment(1, 3, "# a", False)], id="before a string without end"),
        pytest.param("if x:\n    y # a\n  z # b", [Comment(2, 7, "# a", False)], id="before a wrong indent"),
        pytest.param("x = 1 \\\n  + 2 # a", [Comment(2, 7, "# a", False)], id="after a continued line"),
        pytest.param("f'{x!r:>{n}} # no' # yes", [Comment(1, 20, "# yes", False)], id="not in an f-string"),
    ],
)
def test_comments(text: str, comments: list[Comment]) -> None:
    assert Source.of("a.py", text.encode()).comments() == comments


@pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 701")
def test_comments_inside_an_f_string() -> None:
    text = 'x = f"{\n  d["#"]  # a\n} # no"  # b'
    found = Source.of("a.py", text.encode()).comments()
    assert [comment.text for comment in found] == ["# a", "# b"]
