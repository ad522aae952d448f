"""What is read of a layer under a test of the layer, and used in the loop where the test need not hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pplint.engine.context import Context
from pplint.engine.elements import guarded
from pplint.engine.project import Padded
from pplint.engine.spaces import OWNED, START, space_of
from pplint.records import Record


class Kept(Record):
    """A name that is set under `test` only, and its first `use` after that in the same round of the loop."""

    padded: Padded
    test: ast.expr
    use: ast.Name


def kept_too_long(context: Context, target: ast.expr, node: ast.stmt) -> Kept | None:
    """What an assignment keeps of a real layer that is used for slots of other stages too, or None."""
    value = getattr(node, "value", None)
    if not isinstance(target, ast.Name) or value is None or not context.flow.loops or context.draft:
        return None
    function = context.flow.functions[-1] if context.flow.functions else None
    padded = next((one for part in ast.walk(value) if (one := _tested_slot(context, part))), None)
    if function is None or padded is None:
        return None
    for loop in ast.walk(function):
        if not isinstance(loop, (ast.For, ast.AsyncFor)) or loop.iter is not context.flow.loops[-1]:
            continue
        for position, test in enumerate(loop.body):
            if isinstance(test, ast.If) and not test.orelse and any(one is node for one in ast.walk(test)):
                if _stores(function, target.id) == _stores(test, target.id):
                    use = _first_use(loop.body[position + 1 :], target.id)
                    return Kept(padded, test.test, use) if use is not None else None
    return None


def _tested_slot(context: Context, part: ast.AST) -> Padded | None:
    """The padded list of which a slot is taken that a test says to be a real layer."""
    if not isinstance(part, ast.Subscript) or not guarded(context, part):
        return None
    owned = any(
        space is not None and space.kind in (OWNED, START)
        for one in context.flow.evaluate(part.slice)
        for space in (space_of(context, one),)
    )
    return None if owned else context.padded(context.flow.evaluate(part.value))


def _stores(root: ast.AST, name: str) -> int:
    """How often a name is bound below a node."""
    return sum(isinstance(one, ast.Name) and one.id == name and not _is_load(one) for one in ast.walk(root))


def _first_use(body: Sequence[ast.stmt], name: str) -> ast.Name | None:
    uses = [one for one in _names(body) if one.id == name and _is_load(one)]
    return min(uses, key=lambda one: (one.lineno, one.col_offset), default=None)


def _names(body: Sequence[ast.stmt]) -> Iterator[ast.Name]:
    return (one for statement in body for one in ast.walk(statement) if isinstance(one, ast.Name))


def _is_load(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)
