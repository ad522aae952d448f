"""How groups of ranks and their global ranks are written, for the rules that tell a rank from a position."""

from __future__ import annotations

import ast
import re

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.values import Value

_GROUP_NAME = r"(^|_)group$"


def names_group(text: str) -> bool:
    """Whether an expression, as written, is called a group: `pp_group`, `self.pp_group`, `get_pp_group()`."""
    return re.search(_GROUP_NAME, text.rpartition(".")[2].rstrip("()")) is not None


def is_group(context: Context, node: ast.expr) -> bool:
    """Whether an expression, or what a local stands for, is called a group or is of a class that knows positions."""
    if names_group(ast.unparse(node)):
        return True
    project, found = context.project, context.flow.evaluate(node)
    if any(isinstance(one.node, ast.expr) and names_group(ast.unparse(one.node)) for one in found):
        return True
    owners = {kind for path in v.paths(found) for kind in project.types_of(context.place, path)}
    return bool(owners) and all("rank_in_group" in project.classes[kind]["attrs"] for kind in owners)


def attribute_read(value: Value) -> tuple[str, str] | None:
    """The object and the attribute of `object.attribute`, as written."""
    if isinstance(value.node, ast.Attribute) and value.kind in (v.PATH, v.MEMBER):
        return ast.unparse(value.node.value), value.node.attr
    return None
