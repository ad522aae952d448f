"""The numbers that names at the top of a module stand for."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.values import Value, Values


def module_constants(tree: ast.Module) -> dict[str, Values]:
    """Integer and string constants at the top of a module, as an environment."""
    found: dict[str, Values] = {}
    rebound: set[str] = set()
    for statement in tree.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(statement, ast.AnnAssign):
            target = statement.target
        if not isinstance(target, ast.Name) or not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            continue
        if target.id in found:
            rebound.add(target.id)
        number = literal_integer(statement.value)
        if number is not None:
            found[target.id] = (Value(v.INT, number, statement.value),)
    return {name: value for name, value in found.items() if name not in rebound}


def literal_integer(node: ast.expr | None) -> int | None:
    """The number of `3` or `-3`, else None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = literal_integer(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None
