"""What stands in the header of a compound statement: between its first word and the colon."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_COMPOUND = ("body", "cases")
_PARTS = ("test", "target", "iter", "items", "subject", "type", "bases", "keywords", "returns", "type_params")


def header_parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a header that have lines, without decorators and arguments; a simple statement has none."""
    for name in _PARTS:
        part = getattr(node, name, None)
        for one in part if isinstance(part, list) else [part]:
            if isinstance(one, ast.withitem):
                yield one.context_expr
                if one.optional_vars is not None:
                    yield one.optional_vars
            elif isinstance(one, ast.AST):
                yield one


def last_header_line(node: ast.AST) -> int | None:
    """Return the line (1-based) on which the header's last part ends; None for a simple statement."""
    if not any(isinstance(getattr(node, name, None), list) for name in _COMPOUND):
        return None
    parts = [*header_parts(node)]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        parts += [part for part in ast.iter_child_nodes(node.args) if isinstance(part, (ast.arg, ast.expr))]
    lines: list[int] = [getattr(node, "lineno", 1), *(getattr(part, "end_lineno", 1) for part in parts)]
    return max(lines)
