"""The walk through an expression: the order in which its parts run, what is known in each, and who hears of it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pplint.engine.evaluate import elements

if TYPE_CHECKING:
    from pplint.engine.flow import Flow

Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


LEAVES = frozenset({ast.Name, ast.Constant})
"""Nobody hears of these, and they are most of all parts: whoever comes to many does not visit them."""


def _call(flow: Flow, node: ast.Call) -> None:
    function = node.func
    if type(function) is ast.Attribute:
        function = function.value
    if type(function) not in LEAVES:
        flow.visit(function)
    for argument in node.args:
        if type(argument) not in LEAVES:
            flow.visit(argument.value if type(argument) is ast.Starred else argument)
    for keyword in node.keywords:
        if type(keyword.value) not in LEAVES:
            flow.visit(keyword.value)
    flow.listener.call(flow, node)


def _attribute(flow: Flow, node: ast.Attribute) -> None:
    if type(node.value) not in LEAVES:
        flow.visit(node.value)
    flow.listener.attribute(flow, node)


def _display(flow: Flow, node: ast.Tuple | ast.List | ast.Set) -> None:
    for item in node.elts:
        if type(item) not in LEAVES:
            flow.visit(item.value if type(item) is ast.Starred else item)


def _starred(flow: Flow, node: ast.Starred | ast.Await) -> None:
    flow.visit(node.value)


def _unary(flow: Flow, node: ast.UnaryOp) -> None:
    flow.visit(node.operand)


def _subscript(flow: Flow, node: ast.Subscript) -> None:
    flow.visit(node.value)
    flow.visit(node.slice)
    flow.listener.subscript(flow, node)


def _binary(flow: Flow, node: ast.BinOp) -> None:
    flow.visit(node.left)
    flow.visit(node.right)
    flow.listener.binary(flow, node)


def _compare(flow: Flow, node: ast.Compare) -> None:
    flow.visit(node.left)
    for part in node.comparators:
        flow.visit(part)
    flow.listener.compare(flow, node)


def _boolean(flow: Flow, node: ast.BoolOp) -> None:
    outer = flow.guards
    for part in node.values:
        flow.visit(part)
        flow.guards = flow.guards + flow.known(part, isinstance(node.op, ast.And))
    flow.guards = outer


def _conditional(flow: Flow, node: ast.IfExp) -> None:
    flow.visit(node.test)
    outer = flow.guards
    flow.guards = outer + flow.known(node.test, True)
    flow.visit(node.body)
    flow.guards = outer + flow.known(node.test, False)
    flow.visit(node.orelse)
    flow.guards = outer


def _comprehension(flow: Flow, node: Comprehension) -> None:
    outer, outer_guards = flow.env, flow.guards
    flow.env = dict(flow.env)
    for generator in node.generators:
        flow.visit(generator.iter)
        found = flow.evaluate(generator.iter)
        flow.listener.loop(flow, generator.target, generator.iter, found)
        flow.bind(generator.target, elements(found, generator.iter))
        for test in generator.ifs:
            flow.visit(test)
            flow.hold(test)
    if isinstance(node, ast.DictComp):
        flow.visit(node.key)
        flow.visit(node.value)
    else:
        flow.visit(node.elt)
    flow.env, flow.guards, flow.memo = outer, outer_guards, {}


def _lambda(flow: Flow, node: ast.Lambda) -> None:
    for part in defaults(node.args):
        flow.visit(part)
    outer = flow.env
    flow.env = dict(flow.env)
    flow.parameters(node.args, False)
    flow.memo = {}
    flow.visit(node.body)
    flow.env, flow.memo = outer, {}


def _named(flow: Flow, node: ast.NamedExpr) -> None:
    flow.visit(node.value)
    flow.note(node.target)
    flow.bind(node.target, flow.evaluate(node.value))


def defaults(arguments: ast.arguments) -> list[ast.expr]:
    """The defaults, which are evaluated where the function is defined."""
    return [*arguments.defaults, *(one for one in arguments.kw_defaults if one is not None)]


EXPRESSIONS: dict[type[ast.AST], Callable[[Flow, Any], None]] = {
    ast.Call: _call,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Lambda: _lambda,
    ast.NamedExpr: _named,
    ast.Tuple: _display,
    ast.List: _display,
    ast.Set: _display,
    ast.Starred: _starred,
    ast.Await: _starred,
    ast.UnaryOp: _unary,
}
"""Walks an expression, by its kind; of others `Flow.visit` walks the parts."""
