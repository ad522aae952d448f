"""Statements that hold others: functions, and the blocks inside of any statement."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
"""The parts of a statement, in order, that are lists of statements, or of handlers and cases with blocks of their own."""


def blocks_of(node: ast.AST) -> Iterator[list[Any]]:
    """The blocks of a statement, a handler or a case, in order."""
    for name in BLOCKS:
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def all_blocks(node: ast.AST) -> Iterator[list[Any]]:
    """The blocks of a statement and of those in it, as deep as they go."""
    for block in blocks_of(node):
        yield block
        for inner in block:
            yield from all_blocks(inner)


def statements(body: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """All statements of a block, those inside others too, in order."""
    for node in body:
        if isinstance(node, ast.stmt):  # handlers and cases are none
            yield node
        for block in blocks_of(node):
            yield from statements(block)
