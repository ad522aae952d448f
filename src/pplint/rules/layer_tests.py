"""The tests at a place that pick one layer of the model: the first one, the last one, one that the configuration names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.guards import FIRST, LAST, less_one
from pplint.engine.values import Atom
from pplint.engine.vocabulary import MODEL_COUNT_NAMES, is_end, is_start
from pplint.records import Record

_CONFIGURATION = re.compile(r"(^|_)(config|cfg)$")


class LayerTest(Record):
    """A comparison that holds for one layer of the model: the `layer` and what it is compared with, the `chosen` one.

    `stage` is the stage that owns that layer (FIRST or LAST), or "" where that hangs on the configuration.
    """

    test: ast.Compare
    layer: ast.expr
    chosen: ast.expr
    stage: str


def layer_tests(context: Context) -> Iterator[LayerTest]:
    """The tests that hold here and compare something with one layer of the model."""
    for test, holds in _with_flags(context):
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            continue
        left, right = test.left, test.comparators[0]
        if holds and isinstance(test.ops[0], ast.Lt) and _number(right) == 1:
            yield LayerTest(test, left, right, FIRST)
        if isinstance(test.ops[0], ast.Eq if holds else ast.NotEq):
            for layer, chosen in ((left, right), (right, left)):
                if (stage := _owner_of(chosen)) is not None:
                    yield LayerTest(test, layer, chosen, stage)
                    break


def _owner_of(chosen: ast.expr) -> str | None:
    """The stage of a layer that is named in this way, see `LayerTest`; None where this names none."""
    if _number(chosen) == 0:
        return FIRST
    if _is_last(chosen):
        return LAST
    return "" if _is_configured(chosen) else None


def _with_flags(context: Context) -> Iterator[Atom]:
    for atom in context.flow.guards:
        yield atom
        if isinstance(atom.test, ast.UnaryOp):
            continue
        path = v.dotted(atom.test)
        if path is not None and len(path) == 2 and path[0] == "self" and context.flow.classes:
            stored = context.stored(path[1])
            if len(stored) == 1:
                yield Atom(stored[0], atom.holds)


def _number(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _is_last(node: ast.expr) -> bool:
    """`num_hidden_layers - 1`."""
    count = less_one(node)
    path = v.dotted(count) if count is not None else None
    return path is not None and path[-1] in MODEL_COUNT_NAMES - {"num_layers"}


def _is_configured(node: ast.expr) -> bool:
    """`config.full_attention_interval - 1`, `config.layer_types.index("full")`: numbers of the configuration alone."""
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return any(map(_is_configured, sides)) and all(
            _is_configured(side) or _number(side) is not None for side in sides
        )
    if isinstance(node, ast.Call):
        return (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "index"
            and all(isinstance(argument, ast.Constant) for argument in node.args)
            and _is_configured(node.func.value)
        )
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and _is_configured(node.value)
    path = v.dotted(node)
    if path is None or is_start(path[-1]) or is_end(path[-1]):
        return False
    return any(_CONFIGURATION.search(name) for name in path[:-1])
