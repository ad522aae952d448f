"""Code in the page: the lines around a place with the place marked, and what an edit makes of a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from pplint.finding import Edit, Span
from pplint.reports.frame import LONGEST, TALLEST
from pplint.reports.html.escaped import code

AROUND = 2
"""Lines that are shown before and after a place."""


def framed(lines: Sequence[str], span: Span) -> str:
    """Return the lines around `span`, or "" when it lies outside the file."""
    if not 1 <= span.line <= len(lines):
        return ""
    last = min(span.end_line, span.line + TALLEST - 1, len(lines))
    first = max(1, span.line - AROUND)
    while not lines[first - 1].strip() and first < span.line:
        first += 1
    end = min(last + AROUND, len(lines))
    while not lines[end - 1].strip() and end > last:
        end -= 1
    numbers = range(first, end + 1)
    indent = _indent([lines[number - 1] for number in numbers])
    rows = [
        _row(number, _marked(lines[number - 1], number, span, indent), span.line <= number <= last)
        for number in numbers
    ]
    return f'<div class="frame">{"".join(rows)}</div>'


def changed(lines: Sequence[str], edits: Sequence[Edit]) -> str:
    """Return what the edits make of their lines: deleted text struck out, new text underlined."""
    rows = [row for edit in edits for row in _edit_rows(lines, edit)]
    return f'<div class="frame edit">{"".join(rows)}</div>' if rows else ""


def quoted(lines: Sequence[str], number: int) -> str:
    """Return one line of a file without its indent, or ""."""
    return code(_short(lines[number - 1].strip())) if 1 <= number <= len(lines) else ""


def _row(number: int, text: str, hit: bool = False) -> str:
    return f'<div class="{"hit" if hit else "row"}"><span>{number}</span><code>{text}</code></div>'


def _indent(lines: Sequence[str]) -> int:
    """The characters that all lines have in common as their indent."""
    indents = [line[: len(line) - len(line.lstrip())] for line in lines if line.strip()]
    columns = zip(*indents, strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))


def _marked(line: str, number: int, span: Span, indent: int) -> str:
    """A line of code; what `span` covers of it is marked. A long line is cut around the place."""
    if not span.line <= number <= span.end_line:
        return code(_short(line[indent:]))
    start = max(indent, span.column - 1 if number == span.line else len(line) - len(line.lstrip()))
    end = span.end_column - 1 if number == span.end_line else len(line)
    before, marked, after = line[indent:start], line[start:end], line[end:]
    return f"{_tail(before)}<mark>{code(_short(marked))}</mark>{code(_short(after))}"


def _edit_rows(lines: Sequence[str], edit: Edit) -> Iterator[str]:
    line, column, end_line, end_column = edit.span
    if line > len(lines) or end_line > len(lines):
        return
    first, last = lines[line - 1], lines[end_line - 1]
    old = [first[column - 1 :], *lines[line : end_line - 1], last[: end_column - 1]]
    if line == end_line:
        old = [first[column - 1 : end_column - 1]]
    pieces = [f"<del>{code(_short(one))}</del>" for one in old if one]
    new = edit.text.splitlines()
    pieces += [f"<ins>{code(_short(one))}</ins>" for one in new if one.strip() or len(new) == 1]
    joined = "".join(pieces) if len(old) == 1 and len(new) <= 1 else "<br>".join(pieces)
    before = first[: column - 1].lstrip()
    yield _row(line, f"{_tail(before)}{joined}{code(_short(last[end_column - 1 :]))}")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def _tail(text: str) -> str:
    kept = text if len(text) <= LONGEST else "..." + text[-LONGEST // 2 :]
    return code(kept)
