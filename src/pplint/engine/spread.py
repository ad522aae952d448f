"""What a call is given out of a dictionary that is written out nearby: `common = dict(size=4)`, `Pool(**common)`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from pplint.engine import values as v
from pplint.engine.values import Value, Values


def spread_out(evaluate: Callable[[ast.expr], Values], node: ast.Call) -> ast.Call:
    """A call with keywords in the place of each `**name` whose dictionary is written out; the call itself without one."""
    if not any(keyword.arg is None for keyword in node.keywords):
        return node
    keywords: list[ast.keyword] = []
    for keyword in node.keywords:
        found = evaluate(keyword.value) if keyword.arg is None else ()
        written = _keywords(found[0].node) if len(found) == 1 else None
        keywords += [keyword] if written is None else written
    return ast.copy_location(ast.Call(node.func, node.args, keywords), node)


def is_written_out(value: Value) -> bool:
    """Whether a value is such a dictionary."""
    return _keywords(value.node) is not None


def _keywords(node: ast.AST | None) -> list[ast.keyword] | None:
    """The items of `dict(a=1)` or `{"a": 1}`, or None where not all of them can be seen."""
    if isinstance(node, ast.Call) and v.dotted(node.func) == ("dict",) and not node.args:
        return node.keywords if all(keyword.arg for keyword in node.keywords) else None
    if not isinstance(node, ast.Dict):
        return None
    keys = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    if len(keys) < len(node.values):
        return None
    return [ast.keyword(key, value) for key, value in zip(keys, node.values, strict=True)]
