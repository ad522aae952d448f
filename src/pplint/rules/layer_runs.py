"""Runs of the stage's own layers, one after the other, in a forward that takes what the stage before sent."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.declarations import takes_proxies
from pplint.engine.project import Padded
from pplint.engine.values import Value


def runs_layer(context: Context, call: ast.Call) -> Padded | None:
    """The padded list whose element a call runs where the enclosing function takes stage proxies, or None."""
    functions = context.flow.functions
    if len(functions) != 1 or not takes_proxies(functions[0]):
        return None
    layer = call.func
    if isinstance(layer, ast.Attribute) and layer.attr == "forward":
        layer = layer.value
    lists = (_list_of(context, value) for value in context.flow.evaluate(layer))
    return next((one for one in lists if one is not None), None)


def _list_of(context: Context, value: Value) -> Padded | None:
    """The padded list that a value is an element of, or of a part of which."""
    if value.kind in (v.SUB, v.SLICE):
        return context.padded(value.data[0])
    if value.kind != v.ELEMENT:
        return None
    found = (context.padded((one,)) or _list_of(context, one) for one in value.data)
    return next((one for one in found if one is not None), None)
