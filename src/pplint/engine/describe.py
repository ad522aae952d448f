"""Values as plain data, as summaries keep them."""

from __future__ import annotations

import ast
from typing import Any

from pplint.engine import guards as g
from pplint.engine import values as v
from pplint.engine.stage_sets import stage_range
from pplint.engine.values import Value

Description = list[Any]

_CONDITIONS = (ast.BoolOp, ast.Compare, ast.UnaryOp, ast.Constant)


def describe(value: Value) -> Description:
    """A value as data: `["path", [...]]`, `["int", n]`, `["call", path, keywords, star, line, positional]` and the like.

    `["range", text]` is one over the layers of the stage.
    """
    if value.kind == v.PATH:
        return ["path", list(value.data)]
    if value.kind == v.PARAM:
        return ["path", [value.data]]
    if value.kind == v.INT:
        return ["int", value.data]
    if value.kind == v.NONE:
        return ["none"]
    if value.kind == v.CALL and isinstance(value.node, ast.Call):
        for callee in value.data:
            if callee.kind in (v.PATH, v.PARAM):
                positional = len(value.node.args)
                return ["call", describe(callee)[1], *keywords_of(value.node), value.node.lineno, positional]
    if value.kind == v.ITEM:
        inner = describe(value.data[0][0])
        return ["item", inner, value.data[1]] if inner[0] != "other" else ["other"]
    if value.kind == v.SUB:
        return next((["lookup", list(path)] for path in v.paths(value.data[0])), ["other"])
    if value.kind == v.COUNT:
        return ["count", *[describe(one) for one in value.data[:2]]]
    return _reckoned(value) or _condition(value)


def _reckoned(value: Value) -> Description | None:
    """What is reckoned with two sides, or a range over the layers of the stage; None for anything else."""
    if value.kind == v.ARITH:
        operator, left, right = value.data
        if left and right:
            return ["arith", operator, describe(left[0]), describe(right[0])]
    if value.kind == v.RANGE and isinstance(value.node, ast.Call) and stage_range(value):
        return ["range", ast.unparse(value.node)]
    return None


def _condition(value: Value) -> Description:
    """`["test", text]` for a condition that says something about the stage, `["test"]` for another one."""
    test = value.node
    if value.kind == v.MEMBER and isinstance(test, ast.Attribute):
        return ["test", ast.unparse(test)] if g.stage_facts(g.atoms(test, True)) else ["other"]
    if value.kind != v.UNKNOWN or not isinstance(test, _CONDITIONS):
        return ["other"]
    known = [*g.atoms(test, True), *g.atoms(test, False)]
    return ["test", ast.unparse(test)] if g.stage_facts(known) or g.excluded_stages(known) else ["test"]


def keywords_of(node: ast.Call) -> tuple[list[str], bool]:
    """The names of the keywords of a call, and whether it hands on more than is written."""
    names = [keyword.arg for keyword in node.keywords if keyword.arg]
    star = any(k.arg is None for k in node.keywords) or any(isinstance(a, ast.Starred) for a in node.args)
    return names, star
