"""Which parts of a module a walk has to look into, told by the lines of its text that matter."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator

from pplint.source.blocks import FunctionNode
from pplint.source.text import line_starts

NAME = re.compile(r"[A-Za-z_]\w*")
Company = Callable[[str, int, int], bool]
"""Whether a name is meant where it stands in a text, from a start to an end."""


class Attention:
    """Which parts of a module a walk has to look into; this one looks everywhere.

    Names are bound and conditions noted everywhere in the functions that are walked; events come from the parts that
    are `within`, and what they bind to a name is told to `bound`.
    """

    every_assignment = False
    """Whether the listener needs to hear of all assignments of the functions that are walked."""

    def enter(self, node: FunctionNode) -> bool:
        """Whether a function (with those inside it) is worth a walk; `within` is about its parts from now on."""
        return True

    def leave(self) -> None:
        """The end of that function."""

    def within(self, node: ast.stmt | ast.expr) -> bool:
        """Whether the listener needs to hear of a statement or an expression."""
        return True

    def bound(self, name: str) -> None:
        """Something that the listener heard of was bound to a name."""


EVERYWHERE = Attention()


class Lines(Attention):
    """Looks at the lines of a text that were added, and at those that use what the former bind to a name."""

    def __init__(self, text: str) -> None:
        self.text = text if "\r" not in text else text.replace("\r\n", "\n").replace("\r", "\n")
        self.starts = line_starts(self.text)
        self.lines: list[int] = []
        self.near: list[int] | None = self.lines
        """The lines of the function that is walked; None when it matters as a whole."""
        self._outer: set[str] = set()
        self._names = self._outer

    def at(self, places: Iterable[int]) -> list[int]:
        """The lines of places in the text."""
        starts = self.starts
        return sorted({bisect_right(starts, place) for place in places})

    def places(self, name: str, company: Company) -> Iterator[int]:
        """Where a name stands in the text, not as a part of another name, and in the right company."""
        text = self.text
        place = text.find(name)
        while place >= 0:
            after = place + len(name)
            if not in_name(text[after : after + 1]) and company(text, place, after):
                yield place
            place = text.find(name, after)

    def add(self, lines: Iterable[int]) -> None:
        """Take in lines that matter."""
        self.lines = self.near = sorted({*self.lines, *lines})

    def enter(self, node: FunctionNode) -> bool:
        end = node.end_lineno or node.lineno
        self.near = self.lines[bisect_left(self.lines, node.lineno) : bisect_right(self.lines, end)]
        self._names = set(self._outer)
        return bool(self.near) or self._uses(node)

    def leave(self) -> None:
        self.near = self.lines
        self._names = self._outer

    def within(self, node: ast.stmt | ast.expr) -> bool:
        near = self.near
        if near is None:
            return True
        at = bisect_left(near, node.lineno)
        return (at < len(near) and near[at] <= (node.end_lineno or node.lineno)) or self._uses(node)

    def _uses(self, node: ast.stmt | ast.expr) -> bool:
        """Whether a part names something that was bound."""
        if not self._names:
            return False
        start, end = self.starts[node.lineno - 1], self.starts[node.end_lineno or node.lineno]
        return not self._names.isdisjoint(NAME.findall(self.text, start, end))

    def bound(self, name: str) -> None:
        self._names.add(name)


def any_line(lines: list[int], first: int, last: int) -> bool:
    """Whether one of the sorted lines is in a range, both ends included."""
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= last


def in_name(character: str) -> bool:
    """Whether a character (or "") can be a part of a name."""
    return character.isalnum() or character == "_"


def is_word(text: str, start: int, end: int) -> bool:
    """A name by itself."""
    return not in_name(text[start - 1 : start])
