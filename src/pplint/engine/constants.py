"""The numbers, and the classes of placeholders, that names at the top of a module stand for."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from pplint.engine import values as v
from pplint.engine.values import Value, Values
from pplint.engine.vocabulary import PLACEHOLDERS
from pplint.source.blocks import blocks_of

_TARGETS = frozenset({"target", "targets"})
"""The fields of statements that hold what they bind."""


def module_constants(tree: ast.Module) -> dict[str, Values]:
    """The names that the top of a module binds once, to an integer or to classes with a placeholder among them."""
    found: dict[str, Values] = {}
    for statement in tree.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(statement, ast.AnnAssign):
            target = statement.target
        if not isinstance(target, ast.Name) or not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            continue
        number = literal_integer(statement.value)
        if number is not None:
            found[target.id] = (Value(v.INT, number, statement.value),)
        elif isinstance(statement.value, (ast.Tuple, ast.BinOp)) and _has_placeholder(statement.value):
            found[target.id] = (Value(v.UNKNOWN, None, statement.value),)
    if not found:
        return found
    bound = Counter(_bound(tree.body))
    return {name: value for name, value in found.items() if bound[name] == 1}


def _has_placeholder(node: ast.expr) -> bool:
    return not PLACEHOLDERS.isdisjoint(v.names_in(node))


def _bound(body: Iterable[ast.AST]) -> Iterator[str]:
    """The names that statements bind, each time that they do; what is defined or imported is no number."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for name, part in ast.iter_fields(statement):
            if name in _TARGETS:
                for target in part if isinstance(part, list) else [part]:
                    yield from (one.id for one in ast.walk(target) if type(one) is ast.Name)
        for block in blocks_of(statement):
            yield from _bound(block)


def literal_integer(node: ast.expr | None) -> int | None:
    """The number of `3` or `-3`, else None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = literal_integer(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None
