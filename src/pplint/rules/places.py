"""Places that ast has no node for."""

from __future__ import annotations

import ast

from pplint.source.blocks import FunctionNode
from pplint.source.text import Source


def name_node(source: Source, node: ast.ClassDef | FunctionNode) -> ast.expr:
    """A name node that stands at the name in `class Name` or `def name`."""
    line = source.lines[node.lineno - 1]
    keyword = "class" if isinstance(node, ast.ClassDef) else "def"
    start = line.find(node.name, line.find(keyword, node.col_offset) + len(keyword))
    offset = len(line[: max(start, 0)].encode())
    return ast.Name(
        node.name, lineno=node.lineno, col_offset=offset, end_lineno=node.lineno,
        end_col_offset=offset + len(node.name.encode()),
    )  # fmt: skip
