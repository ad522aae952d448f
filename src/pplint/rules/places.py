"""Places that ast has no node for."""

from __future__ import annotations

import ast

from pplint.source.text import Source


def class_name_node(source: Source, node: ast.ClassDef) -> ast.expr:
    """A name node that stands at the name in `class Name`."""
    line = source.lines[node.lineno - 1]
    start = line.find(node.name, line.find("class", node.col_offset) + len("class"))
    offset = len(line[: max(start, 0)].encode())
    return ast.Name(
        node.name, lineno=node.lineno, col_offset=offset, end_lineno=node.lineno,
        end_col_offset=offset + len(node.name.encode()),
    )  # fmt: skip
