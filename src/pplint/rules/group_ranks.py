"""How groups of ranks and their global ranks are written, for the rules that tell a rank from a position."""

from __future__ import annotations

import ast
import re

from pplint.engine import values as v
from pplint.engine.values import Value

_GROUP_NAME = r"(^|_)group$"


def names_group(text: str) -> bool:
    """Whether an expression, as written, is called a group: `pp_group`, `self.pp_group`, `get_pp_group()`."""
    return re.search(_GROUP_NAME, text.rpartition(".")[2].rstrip("()")) is not None


def attribute_read(value: Value) -> tuple[str, str] | None:
    """The object and the attribute of `object.attribute`, as written."""
    if isinstance(value.node, ast.Attribute) and value.kind in (v.PATH, v.MEMBER):
        return ast.unparse(value.node.value), value.node.attr
    return None
