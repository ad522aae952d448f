"""Collections that follow from the range of the stage."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.flow import Flow
from pplint.engine.values import Value
from pplint.engine.vocabulary import MISSING_LAYER, is_end, is_start
from pplint.source.blocks import FunctionNode


def stage_range(value: Value) -> bool:
    """Whether a value is a range from the first to the last layer of the stage."""
    if value.kind != v.RANGE:
        return False
    low, high = ([name for one in side if (name := v.last_name_of(one))] for side in value.data[:2])
    return bool(low and high) and all(map(is_start, low)) and all(map(is_end, high))


def is_of_stage(flow: Flow, value: Value) -> bool:
    """Whether a collection follows from the stage: its range, something for each layer of it, or for each placeholder."""
    if value.kind == v.RANGE:
        return stage_range(value)
    if not isinstance(value.node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
        return False
    return any(
        any(MISSING_LAYER in v.names_in(test) for test in generator.ifs)
        or any(stage_range(one) for one in flow.evaluate(generator.iter))
        for generator in value.node.generators
    )


def asks_for_placeholder(flow: Flow, node: ast.Call) -> bool:
    """`isinstance(module, PPMissingLayer)` of one of many: that of a parameter or an attribute says nothing of others."""
    if len(node.args) != 2 or MISSING_LAYER not in v.names_in(node.args[1]):
        return False
    return any(one.kind in (v.ELEMENT, v.ITEM, v.SUB, v.CALL) for one in flow.evaluate(node.args[0]))


def askers(functions: list[tuple[FunctionNode, str]], found: set[str]) -> set[str]:
    """The functions, each with its qualified name, that call one of those found, or one that does, and these."""
    called = {
        name: {
            whole
            for part in ast.walk(node)
            if isinstance(part, ast.Call) and (path := v.dotted(part.func))
            for whole in _as_qualified(name, path)
        }
        for node, name in functions
    }
    found = set(found)
    while more := {name for name, inside in called.items() if name not in found and inside & found}:
        found |= more
    return found


def _as_qualified(caller: str, path: tuple[str, ...]) -> tuple[str, ...]:
    """What a called name may mean in a function: a function of the module or in the caller, or a method beside it."""
    if len(path) == 1:
        return (path[0], f"{caller}.{path[0]}")
    return (f"{caller.rpartition('.')[0]}.{path[1]}",) if path[0] == "self" and len(path) == 2 else ()


def calls_answered(answer: ast.expr | None) -> list[list[str]]:
    """The functions whose answers, joined by `not`, `and` and `or`, are the result: their dotted names."""
    if isinstance(answer, ast.UnaryOp) and isinstance(answer.op, ast.Not):
        parts = [answer.operand]
    elif isinstance(answer, ast.BoolOp):
        parts = answer.values
    else:
        return []
    calls = [part for part in parts if isinstance(part, ast.Call)]
    deeper = [path for part in parts for path in calls_answered(part)]
    return [list(path) for one in calls if (path := v.dotted(one.func)) is not None] + deeper
