"""The comments of a module: COMMENT tokens only, never a `#` inside a string."""

from __future__ import annotations

import tokenize
import warnings
from collections.abc import Sequence

from pplint.records import Record


class Comment(Record):
    """A comment: its 1-based line and code-point column, its text from `#` to the line's end.

    `alone` says that nothing but white space stands before it on its line.
    """

    line: int
    column: int
    text: str
    alone: bool


def find_comments(lines: Sequence[str]) -> list[Comment]:
    """Return the comments of `lines` (without line ends), in order.

    Where the lines stop being Python, the comments up to that place are returned.
    """
    found: list[Comment] = []
    # The lines get plain LF ends: tokenize knows no lone CR, and 3.12 counts one character for CRLF.
    feed = (line + "\n" for line in lines)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for kind, text, (line, start), _, _ in tokenize.generate_tokens(lambda: next(feed, "")):
                if kind == tokenize.COMMENT:
                    alone = not lines[line - 1][:start].strip()
                    found.append(Comment(line, start + 1, text, alone))
    except (tokenize.TokenError, SyntaxError, RecursionError, ValueError):
        return found
    return found
