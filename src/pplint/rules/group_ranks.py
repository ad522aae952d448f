"""How groups of ranks and their global ranks are written, for the rules that tell a rank from a position."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.values import Value

_GROUP_NAME = r"(^|_)group$"
_MADE = ("new_group(", "init_process_group(", "init_custom_process_group(")
"""Calls that make a group."""


def _names_group(text: str) -> bool:
    """Whether an expression, as written, is called a group: `pp_group`, `self.pp_group`, `get_pp_group()`."""
    return re.search(_GROUP_NAME, text.rpartition(".")[2].rstrip("()")) is not None


def is_group(context: Context, node: ast.expr) -> bool:
    """Whether an expression, or what a local stands for, is called a group or is of a class that knows positions."""
    if _names_group(ast.unparse(node)):
        return True
    found = context.flow.evaluate(node)
    if any(isinstance(one.node, ast.expr) and _names_group(ast.unparse(one.node)) for one in found):
        return True
    return knows_positions(context, v.paths(found)) is True


def knows_positions(context: Context, paths: Iterable[tuple[str, ...]]) -> bool | None:
    """Whether what stands at some chains keeps its rank in the group; None where its class is not known."""
    owners = {kind for path in paths for kind in context.project.types_of(context.place, path)}
    attributes = (context.project.classes[kind]["attrs"] for kind in owners)
    return all("rank_in_group" in one for one in attributes) if owners else None


def attribute_read(value: Value) -> tuple[str, str] | None:
    """The object and the attribute of `object.attribute`, as written."""
    if isinstance(value.node, ast.Attribute) and value.kind in (v.PATH, v.MEMBER):
        return ast.unparse(value.node.value), value.node.attr
    return None


def own_place(context: Context, group: ast.expr) -> ast.Call | None:
    """Where the class or the function that we are in asks for its own position in a group, if it does.

    `group` is a handle of torch.distributed under a dotted name. Not the world, nor a group that the code makes by
    itself: who makes one knows which ranks are in it.
    """
    path = v.dotted(group)
    around = context.flow.classes[-1:] or context.flow.functions[:1]
    if path is None or not around or any(word in context.text_of(around[0]) for word in _MADE):
        return None
    if any("world" in name.lower() for name in path):
        return None
    calls = (node for node in ast.walk(around[0]) if isinstance(node, ast.Call))
    return next((node for node in calls if _asks_place(node, path)), None)


def _asks_place(call: ast.Call, group: tuple[str, ...]) -> bool:
    """`group.rank()`, `dist.get_rank(group)`, `dist.get_rank(group=group)`"""
    function = v.dotted(call.func) or ("",)
    if function[-1] == "rank":
        return function[:-1] == group
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "group")]
    return function[-1] == "get_rank" and any(v.dotted(one) == group for one in given)
