"""How far a `# pylint:` comment on a line reaches, as pylint has it: the innermost block with that line, and its quirks.

pylint walks astroid's tree; this is the same walk over Python's own. Expressions reach no further than their own
statement, in which all lines count as one, so that they are not walked.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pplint.records import Record
from pplint.source.blocks import blocks_of
from pplint.source.headers import header_parts

Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_WITH_ELSE = (ast.If, ast.For, ast.AsyncFor, ast.While)


class Block(Record):
    """Lines `first` to `last` are reached; on `kept_from` to the comment's own line, what is said there already stays.

    A comment below line `body` holds from its own line on only. The block ends with line `end`.
    """

    first: int
    last: int
    end: int
    body: int
    kept_from: int


def block_at(tree: ast.Module, line: int) -> Block | None:
    """Return the block that a comment on `line` is for, or None: behind the last statement there is none."""
    return _search(tree, line)


def _search(node: ast.AST, line: int) -> Block | None:
    """Return the block of the first innermost node with this line, children before their parent."""
    start, end = _start(node), _end(node)
    if not _top(node) <= line <= end:
        return None
    if isinstance(node, ast.match_case):
        return _plain(node, line, end) if start <= line else None
    if _top(node) != end:
        if any(first <= line <= last for first, last in _headers(node)):
            return _plain(node, line, line)
        if isinstance(node, ast.ExceptHandler) and node.name is not None:
            return _plain(node, line, end)
        for child in _children(node):
            if (found := _search(child, line)) is not None:
                return found
    if not start <= line:
        return None
    first, last = _range(node, line)
    if isinstance(node, _SCOPES):
        body = _start(node.body[_docstring(node)]) if len(node.body) > _docstring(node) else end
        return Block(first, last, end, body, start if isinstance(node, ast.Module) else start + 1)
    return Block(first, last, end, end, start + 1)


def _plain(node: ast.AST, line: int, last: int) -> Block:
    return Block(line, last, last, last, _start(node) + 1)


def _start(node: ast.AST) -> int:
    """The line on which a node starts for astroid: of a decorated definition the `def`, of a module 0."""
    if isinstance(node, ast.Module):
        return 0
    if isinstance(node, ast.match_case):
        return node.pattern.lineno
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.decorator_list:
        # Lines between the decorators are not counted.
        return _top(node) + sum(_end(one) - _start(one) + 1 for one in node.decorator_list)
    return int(getattr(node, "lineno", 0))


def _top(node: ast.AST) -> int:
    """The first line of a node, decorators included."""
    decorators = getattr(node, "decorator_list", None)
    return decorators[0].lineno if decorators else _start(node)


def _end(node: ast.AST) -> int:
    if isinstance(node, ast.Module):
        return _end(node.body[-1]) if node.body else 0
    if isinstance(node, ast.match_case):
        return _end(node.body[-1])
    return int(getattr(node, "end_lineno", None) or _start(node))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    skipped = _docstring(node) if isinstance(node, _SCOPES) else 0
    for block in blocks_of(node):  # the body is the first of them
        yield from block[skipped:]
        skipped = 0


def _docstring(node: Scope) -> int:
    """How many statements at the start of a body are its docstring, which astroid does not count in."""
    first = node.body[0] if node.body else None
    value = first.value if isinstance(first, ast.Expr) else None
    return int(isinstance(value, ast.Constant) and isinstance(value.value, str))


def _headers(node: ast.AST) -> Iterator[tuple[int, int]]:
    """The lines of what stands in the header of a compound statement; a simple one has no header."""
    decorators = getattr(node, "decorator_list", None)
    if decorators:
        yield decorators[0].lineno, _end(decorators[-1])
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from _arguments(node)
    for part in header_parts(node):
        yield _start(part), _end(part)


def _arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[int, int]]:
    """The lines from the first name of an argument to the last; without any, the line of the `def`.

    Defaults that stand elsewhere count only where the names take more than one line.
    """
    given = [one for one in ast.iter_child_nodes(node.args) if isinstance(one, ast.arg)]
    first = min((one.lineno for one in given), default=_start(node))
    last = max((_end(one) for one in given), default=_start(node))
    yield max(first, _start(node)), last
    if first != last:
        yield from (
            (_start(one), _end(one)) for one in ast.iter_child_nodes(node.args) if isinstance(one, ast.expr)
        )


def _range(node: ast.AST, line: int) -> tuple[int, int]:
    """astroid's `block_range` of a node none of whose children has the line."""
    if isinstance(node, _SCOPES):
        return _start(node), _end(node)
    final = getattr(node, "finalbody", None)
    if final:
        if _start(final[0]) - 1 == line:
            return line, _end(final[0])
        if _start(final[0]) <= line <= _end(final[-1]):
            return line, _end(final[-1])
    if isinstance(node, (*_WITH_ELSE, ast.With, ast.AsyncWith)) or hasattr(node, "finalbody"):
        body: list[ast.stmt] = node.body  # type: ignore[attr-defined]
        if line == _start(body[0]):
            return line, line
        if line <= _end(body[-1]):
            return line, _end(body[-1])
        return _else_range(node, line, _start(body[0]) - 1)
    return line, _end(node)


def _else_range(node: ast.AST, line: int, last: int) -> tuple[int, int]:
    if line == _end(node):
        return line, line
    orelse: list[ast.stmt] = getattr(node, "orelse", [])
    if orelse:
        if line > _end(node.body[-1]):  # type: ignore[attr-defined]
            if isinstance(orelse[0], _WITH_ELSE) or hasattr(orelse[0], "finalbody"):
                return _else_range(orelse[0], line, 0)
            return line, _end(orelse[-1])
        return line, _end(node.body[-1])  # type: ignore[attr-defined]
    return line, last or _end(node)
