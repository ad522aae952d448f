"""What the parameters of a private method are, told by the calls of it in its class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL, Evidence
from pplint.engine.vocabulary import LAYER_ID_NAMES
from pplint.source.blocks import FunctionNode

if TYPE_CHECKING:
    from pplint.engine.context import Context


def evidence_of_calls(context: Context, space: str, parameter: str) -> Evidence | None:
    """Why a parameter of the private method we are in is in a space: all calls hand it parameters that are; or None."""
    functions = context.flow.functions
    if len(functions) != 1 or not context.class_id or not functions[0].name.startswith("_"):
        return None
    found: Evidence | None = None
    for caller, call in _calls(context, functions[0].name):
        argument = _argument(functions[0], parameter, call)
        if argument is None or not _is_in(context, space, caller, argument):
            return None
        text = f"`{caller.name}` hands `{ast.unparse(argument)}` to `{functions[0].name}`"
        found = found or Evidence(context.module, call.lineno, text, None)
    return found


def _is_in(context: Context, space: str, caller: FunctionNode, argument: ast.expr) -> bool:
    """Whether an argument is a parameter of the caller in that space, or the id that a layer has."""
    if isinstance(argument, ast.Attribute):
        return space == GLOBAL and argument.attr in LAYER_ID_NAMES
    known = context.accessors.known(space, f"{context.class_id}.{caller.name}")
    return isinstance(argument, ast.Name) and argument.id in known and not _rebinds(caller, argument)


def _calls(context: Context, method: str) -> Iterator[tuple[FunctionNode, ast.Call]]:
    """The calls `self.method(...)` in the class we are in, each with the method that it stands in."""
    for part in context.flow.classes[-1].body:
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and f".{method}" in context.text_of(
            part
        ):
            for node in ast.walk(part):
                if isinstance(node, ast.Call) and v.dotted(node.func) == ("self", method):
                    yield part, node


def _argument(method: FunctionNode, parameter: str, call: ast.Call) -> ast.expr | None:
    names = [one.arg for one in (*method.args.posonlyargs, *method.args.args)][1:]
    given = dict(zip(names, call.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    return given.get(parameter)


def _rebinds(caller: FunctionNode, argument: ast.Name) -> bool:
    """Whether a method may have given its parameter another value before it hands it on."""
    return any(
        isinstance(node, ast.Name)
        and node.id == argument.id
        and not isinstance(node.ctx, ast.Load)
        and node.lineno <= argument.lineno
        for node in ast.walk(caller)
    )
