"""Statements that bind names: assignments and imports."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pplint.engine import values as v
from pplint.engine.spread import is_written_out
from pplint.engine.values import Value, Values

if TYPE_CHECKING:
    from pplint.engine.flow import Flow


def _assignment(flow: Flow, node: ast.Assign) -> bool:
    looks = flow.attention.within(node)
    if looks:
        flow.visit(node.value)
    found = flow.evaluate(node.value)
    for target in node.targets:
        _assign(flow, target, found, node, looks)
    return False


def _annotated(flow: Flow, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        looks = flow.attention.within(node)
        if looks:
            flow.visit(node.value)
        _assign(flow, node.target, flow.evaluate(node.value), node, looks)
    return False


def _augmented(flow: Flow, node: ast.AugAssign) -> bool:
    if flow.attention.within(node):
        flow.visit(node.value)
        _visit_target(flow, node.target)
        flow.note(node.target)
    if isinstance(node.target, ast.Name):
        left = flow.evaluate(node.target)
        right = flow.evaluate(node.value)
        flow.env[node.target.id] = (Value(v.ARITH, (type(node.op).__name__, left, right), node),)
    return False


def _assign(flow: Flow, target: ast.expr, found: Values, node: ast.stmt, looks: bool) -> None:
    if looks:
        _visit_target(flow, target)
        flow.note(target)
    flow.bind(target, found)
    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        _changed(flow, target.value.id)
    if looks or flow.attention.every_assignment:
        flow.listener.assign(flow, target, found, node)


def _changed(flow: Flow, name: str) -> None:
    """Forget what a dictionary was written out as: an item was set."""
    if any(map(is_written_out, flow.env.get(name, ()))):
        flow.bind(ast.Name(name), (v.UNKNOWN_VALUE,))


def _visit_target(flow: Flow, target: ast.expr) -> None:
    if isinstance(target, ast.Subscript):
        flow.visit(target)
    elif isinstance(target, ast.Attribute):
        flow.visit(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            _visit_target(flow, item)


def _import(flow: Flow, node: ast.Import | ast.ImportFrom) -> bool:
    flow.listener.imported(flow, node)
    return False


BINDINGS: dict[type[ast.AST], Callable[[Flow, Any], bool]] = {
    ast.Assign: _assignment,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
"""Walks a statement, by its kind; what stands after it is reached, so all return False."""
