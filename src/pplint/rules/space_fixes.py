"""The fixes that bring an index into the space that is asked for: less `start_layer`, or counted from it."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.values import Value
from pplint.engine.vocabulary import STAGE_COUNT_NAMES, is_start
from pplint.finding import SAFE, UNSAFE, Fix

_SIMPLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


def shift_fix(
    context: Context, index: ast.expr, receiver: tuple[str, ...], owner: str
) -> tuple[Fix | None, str]:
    """The edit that subtracts `<receiver>.start_layer`, or why there is none."""
    if not receiver:
        return (
            None,
            "the list's owner is not a name or a dotted chain, so it cannot be asked for `start_layer`",
        )
    if not isinstance(index, _SIMPLE):
        return None, "subtract `start_layer` from the whole index"
    if not owner or not context.project.owns_start(owner):
        return None, "the list's owner has no `start_layer`"
    builders = context.project.builders_of(context.place, receiver)
    if builders and all(builder.with_range is False for builder in builders):
        said = f"`{'.'.join(receiver)}` is built without the stage's range, so its own `start_layer` is of no use"
        return None, f"subtract the first layer of the stage; {said}"
    text = f"{context.source.segment(index)} - {'.'.join(receiver)}.start_layer"
    return Fix(SAFE, f"subtract `{'.'.join(receiver)}.start_layer`", (context.edit(index, text),)), ""


def range_fix(context: Context, node: ast.Call, argument: ast.expr, value: Value) -> tuple[Fix | None, str]:
    """Let `range(<owner>.layer_num)` start at the owner's first layer, if only this call uses it."""
    manual = "count from `start_layer`; other uses of the counter may need the LOCAL index"
    counted: ast.AST | None = value.data[0].node if value.kind == v.ELEMENT else None
    if not isinstance(argument, ast.Name) or not isinstance(counted, ast.Call) or len(counted.args) != 1:
        return None, manual
    count = v.dotted(counted.args[0])
    receiver = v.dotted(node.func.value) if isinstance(node.func, ast.Attribute) else None
    if (
        count is None
        or receiver is None
        or count != (*receiver, count[-1])
        or count[-1] not in STAGE_COUNT_NAMES
    ):
        return None, manual
    function = context.flow.functions[-1] if context.flow.functions else context.tree
    if len(_reads(function, counted, argument.id)) != 1 or not context.bare_argument(counted):
        return None, manual
    start = ".".join((*receiver, "start_layer"))
    text = f"{start}, {start} + {'.'.join(count)}"
    return Fix(UNSAFE, f"count from `{start}`", (context.edit(counted.args[0], text),)), ""


def subtracts_own(callee: Value, value: Value) -> bool:
    """Whether an index is a layer id less the first layer of the very object that is asked."""
    return (
        value.kind == v.ARITH
        and callee.kind == v.PATH
        and any(path[:-1] == callee.data[:-1] and is_start(path[-1]) for path in v.paths(value.data[2]))
    )


def unshift_fix(context: Context, argument: ast.expr) -> tuple[Fix | None, str]:
    """The edit that takes `- <owner>.start_layer` off an argument, or why there is none."""
    simple = isinstance(argument, ast.BinOp) and v.dotted(argument.right) is not None
    if not isinstance(argument, ast.BinOp) or not simple or argument.end_lineno != argument.lineno:
        return None, "hand the layer id on as it is before `start_layer` is subtracted"
    edit = context.edit(argument, context.source.segment(argument.left))
    return Fix(SAFE, f"leave out `- {ast.unparse(argument.right)}`", (edit,)), ""


def _reads(function: ast.AST, counted: ast.Call, name: str) -> list[ast.Name]:
    """The reads of a counter inside the loop or comprehension that runs over `counted`."""
    for part in ast.walk(function):
        generators = getattr(part, "generators", ())
        if (isinstance(part, ast.For) and part.iter is counted) or any(g.iter is counted for g in generators):
            return [
                one
                for one in ast.walk(part)
                if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
            ]
    return []
