"""What is known at a place because a statement before it would have left: also in a test inside another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pplint.engine.flow import Flow
from pplint.engine.values import Atom

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)

Way = tuple[ast.expr, ...]
"""Conditions that hold together where a block is left."""


def not_left(flow: Flow, node: ast.expr) -> list[Atom]:
    """For each way out of a block before `node`, the condition that it was not taken: all its tests did not hold."""
    found: list[Atom] = []
    for before in _blocks_to(flow.functions[-1].body, node) if flow.functions else ():
        for way in _ways_out(before, ()):
            tests = [_meant(flow, test) for test in way]
            whole = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
            found.append(Atom(ast.copy_location(whole, way[0]), False))
    return found


def _meant(flow: Flow, test: ast.expr) -> ast.expr:
    """The expression that a name stands for, where it stands for one."""
    bound = flow.env.get(test.id, ()) if isinstance(test, ast.Name) else ()
    return bound[0].node if len(bound) == 1 and isinstance(bound[0].node, ast.expr) else test


def _blocks_to(block: Sequence[ast.stmt], node: ast.expr) -> Iterator[Sequence[ast.stmt]]:
    """The statements before the one that holds `node`, in each block that does."""
    for position, statement in enumerate(block):
        if not statement.lineno <= node.lineno <= (statement.end_lineno or statement.lineno):
            continue
        yield block[:position]
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if isinstance(inner, list):
                yield from _blocks_to(inner, node)
        for handler in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _blocks_to(handler.body, node)
        return


def _ways_out(block: Sequence[ast.stmt], known: Way) -> Iterator[Way]:
    for statement in block:
        if isinstance(statement, ast.If):
            yield from _ways_out(statement.body, (*known, statement.test))
            otherwise = ast.copy_location(ast.UnaryOp(ast.Not(), statement.test), statement.test)
            yield from _ways_out(statement.orelse, (*known, otherwise))
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            yield from _ways_out(statement.body, known)
        elif isinstance(statement, _LEAVES):
            if known:
                yield known
            return
