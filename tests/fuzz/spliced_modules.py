"""Python that nobody wrote: the rules' examples, with parts of each in the place of parts of others."""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Callable
from functools import cache

from sweep import walked

from pplint.rules.registry import RULES
from pplint.source.text import Source, SourceError

Choose = Callable[[int], int]
"""Gives a number from 0 to below its argument."""

SPLICES = 12
MOST_NODES = 400


@cache
def pieces() -> tuple[list[ast.Module], list[ast.stmt], list[ast.expr]]:
    """The examples, and all their statements and expressions."""
    examples = [one for rule in RULES for one in rule.examples]
    texts = [
        text
        for one in examples
        for text in (one.bad or one.good, one.fixed or "", *(t for _, t in one.files))
    ]
    trees = [ast.parse(text) for text in dict.fromkeys(text for text in texts if text)]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    statements = [node for node in nodes if isinstance(node, ast.stmt)]
    loads = [node for node in nodes if isinstance(node, ast.expr) and _is_read(node)]
    return trees, statements, loads


def _is_read(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", None), (ast.Load, type(None))) and not isinstance(
        node, (ast.Slice, ast.Starred)
    )


def chosen_by(choose: Choose) -> str:
    """A module; the choices decide which."""
    trees, statements, expressions = pieces()
    tree = ast.Module([], [])
    for _ in range(1 + choose(2)):
        tree.body += copy.deepcopy(trees[choose(len(trees))]).body
    for _ in range(choose(SPLICES)):
        nodes = list(ast.walk(tree))
        if len(nodes) > MOST_NODES:
            break
        _splice(nodes[choose(len(nodes))], choose, statements, expressions)
    try:
        return ast.unparse(ast.fix_missing_locations(tree))
    except ValueError:  # an f-string whose parts cannot be quoted
        return ""


def _splice(node: ast.AST, choose: Choose, statements: list[ast.stmt], expressions: list[ast.expr]) -> None:
    """Put a piece in the place of a child of the node, or next to one."""
    if isinstance(node, ast.JoinedStr):
        return
    fields = [(name, value) for name, value in ast.iter_fields(node) if isinstance(value, (list, ast.expr))]
    if not fields:
        return
    name, value = fields[choose(len(fields))]
    if isinstance(value, ast.expr):
        if _is_read(value):
            setattr(node, name, copy.deepcopy(expressions[choose(len(expressions))]))
    elif value and isinstance(value[0], (ast.stmt, ast.expr)):
        at = choose(len(value))
        new: ast.AST = copy.deepcopy(expressions[choose(len(expressions))])
        if isinstance(value[0], ast.stmt):
            new = copy.deepcopy(statements[choose(len(statements))])
        elif not _is_read(value[at]):
            return
        value[at : at + choose(2)] = [new]


def walk(text: str) -> bool:
    """Let all rules walk a module; return whether it was Python. A crash is an AssertionError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            source = Source.of("case.py", text.encode("utf-8", "surrogatepass"))
            tree = source.parse()
        except SourceError:
            return False
        troubles = walked(source, tree)
    assert not troubles, troubles
    return True
