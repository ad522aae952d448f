"""A rule's Markdown on a terminal: headings stand out, sentences are wrapped, code is indented."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pplint.reports.notes import wrapped

WIDEST = 100
"""Columns of a sentence on a wide terminal: longer lines are hard to read."""
_INDENT = " " * 4


def terminal_lines(markdown: str, columns: int, strong: Callable[[str], str]) -> Iterator[str]:
    """Return the lines that show `markdown` in so many columns; `strong` makes a heading stand out.

    It is the Markdown that rules are written in: headings, paragraphs of one line, and fenced code.
    """
    width = min(columns, WIDEST)
    fence = ""
    for line in markdown.splitlines():
        if fence:
            if line == fence:
                fence = ""
            else:
                yield (_INDENT + line).rstrip()
        elif line.startswith("```"):
            fence = line[: len(line) - len(line.lstrip("`"))]
        elif line.startswith("#"):
            yield strong(line.lstrip("# "))
        else:
            yield from wrapped(line, width, 0, 0) or [""]


def listed_lines(rows: list[tuple[str, str]], columns: int) -> Iterator[str]:
    """Return a table of (head, sentence) in so many columns; the heads are of one width."""
    for head, sentence in rows:
        room = columns - len(head)
        if room < len(head):
            yield head.rstrip()
            yield from wrapped(sentence, columns, len(_INDENT), len(_INDENT))
        else:
            first, *rest = wrapped(sentence, columns, len(head), len(head))
            yield head + first[len(head) :]
            yield from rest
