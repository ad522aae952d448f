"""Syntax trees in little memory: bodies of functions are thrown away, and parsed again for whoever looks at them."""

from __future__ import annotations

import ast
from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pplint.source.blocks import FunctionNode, blocks_of
from pplint.source.text import Source, line_starts, of_text


class Body(list[ast.stmt]):
    """The statements between two places of a text (0-based characters), parsed when somebody looks at them.

    `line` is the 1-based line at which the first one begins.
    """

    __slots__ = ("_place",)

    def __init__(self, source: Source, start: int, end: int, line: int) -> None:
        super().__init__()
        self._place: tuple[Source, int, int, int] | None = source, start, end, line

    def _parsed(self) -> Body:
        if self._place is not None:
            source, start, end, line = self._place
            self._place = None
            # An indented block needs something above it; the lines before that keep the line numbers.
            block = of_text("\n" * (line - 2) + "if 1:\n" + source.text[start:end]).parse().body[0]
            assert isinstance(block, ast.If)
            self.extend(block.body)
        return self

    def __iter__(self) -> Iterator[ast.stmt]:
        return list.__iter__(self._parsed())

    def __len__(self) -> int:
        return list.__len__(self._parsed())

    def __getitem__(self, place: Any) -> Any:
        return list.__getitem__(self._parsed(), place)


class Skeleton:
    """Where the bodies of a source's outermost functions stand, those that begin on a line of their own."""

    __slots__ = ("_ends", "_lines", "_starts")

    def __init__(self, source: Source, tree: ast.Module) -> None:
        text = source.text
        starts = line_starts(text)
        self._lines, self._starts, self._ends = array("l"), array("l"), array("l")
        for node in _functions(tree.body) if "\r" not in text else ():
            line = _first_line(node)
            start, end = starts[line - 1], starts[node.end_lineno or line] - 1
            if line > node.lineno and not text[start : start + node.body[0].col_offset].strip():
                self._lines.append(line)
                self._starts.append(start)
                self._ends.append(end)

    def _places(self) -> Iterator[tuple[int, int, int]]:
        return zip(self._starts, self._ends, self._lines, strict=True)

    def strip(self, source: Source, tree: ast.Module, keep: Callable[[str], bool]) -> int:
        """Take out of a tree all bodies but those whose text is to be kept; return how many characters are left."""
        left = len(source.text)
        by_line = {line: (start, end) for start, end, line in self._places()}
        for node in _functions(tree.body):
            line = _first_line(node)
            if line in by_line:
                start, end = by_line[line]
                if not keep(source.text[start:end]):
                    node.body = Body(source, start, end, line)
                    left -= end - start
        return left

    def parse(self, source: Source) -> ast.Module:
        """A new tree of that source without the bodies. Raises SourceError."""
        text, parts, last = source.text, list[str](), 0
        for start, end, _ in self._places():
            parts += [text[last:start], _stand_in(text[start:end])]
            last = end
        tree = of_text("".join([*parts, text[last:]])).parse()
        self.strip(source, tree, lambda _: False)
        return tree


def _stand_in(body: str) -> str:
    """A statement that begins and ends on the same lines as a body."""
    indent = body[: len(body) - len(body.lstrip())]
    lines = body.count("\n")
    return f"{indent}(0{chr(10) * lines})" if lines else f"{indent}0"


def _first_line(node: FunctionNode) -> int:
    """The line at which the first statement of a function begins, its decorators included."""
    first = node.body[0]
    decorators: list[ast.expr] = getattr(first, "decorator_list", [])
    return min(first.lineno, *(one.lineno for one in decorators)) if decorators else first.lineno


def _functions(body: Iterable[ast.stmt]) -> Iterator[FunctionNode]:
    """The functions of a module that stand in no other function."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        else:
            for block in blocks_of(node):
                yield from _functions(block)
