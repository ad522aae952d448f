"""Whether a store or a call changes state that outlives the layer that makes it, so that other layers may rely on it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.rules.stage_start import is_argument, keeps_layer
from pplint.source.blocks import FunctionNode

_Node = TypeVar("_Node", bound=ast.AST)

_TELLS = (
    r"^(log\w*|print|warn\w*|info|debug|error|exception|add_scalar|record\w*|assert\w*|dump\w*|breakpoint)$"
)
_TELLERS = r"(?i)(^|_)(logger|logging|warnings|writer|profiler|tracer|metrics?)$"


def object_of(target: ast.expr) -> ast.expr | None:
    """The object that a store changes."""
    if isinstance(target, (ast.Attribute, ast.Subscript)):
        return target.value
    return None


def only_tells(callee: ast.Attribute) -> bool:
    """Whether a method writes a log line, a metric or the like, which no layer relies on."""
    owner = v.dotted(callee.value)
    return bool(re.match(_TELLS, callee.attr) or (owner and re.search(_TELLERS, owner[-1])))


def is_shared(context: Context, changed: ast.expr, layer: ast.expr) -> bool:
    """Whether what is changed is more than the layer itself: not its own attribute, nor a local value."""
    own = v.dotted(layer.value) if isinstance(layer, ast.Attribute) else None
    for value in context.flow.evaluate(changed):
        if value.kind == v.PATH:
            path: tuple[str, ...] = value.data
        elif value.kind == v.PARAM:
            path = (value.data,)
        elif value.kind == v.MEMBER and _called(value):
            return True
        else:
            continue
        if own is not None and path == own:
            continue
        if own is None and path == ("self",) and _is_parameter(layer) and keeps_layer(context):
            continue
        if value.kind == v.PARAM and _flows_on(context.flow.functions[-1], value.data):
            continue
        if path[0] == "self" or value.kind == v.PARAM or is_argument(context, path[0]):
            return True
    return False


def is_own_slot(target: ast.expr, layer: ast.expr) -> bool:
    """Whether a store goes into the slot of the layer itself, as `stats[self.layer_id] = ...` does."""
    return isinstance(target, ast.Subscript) and ast.dump(target.slice) == ast.dump(layer)


def does_no_more(function: FunctionNode, test: ast.Compare) -> bool:
    """Whether under a test nothing is done but to prepare state: no value of the layer itself hangs on it.

    Another test may then take its place, and no layer computes anything else.
    """
    for part in ast.walk(function):
        if isinstance(part, ast.If) and any(one is test for one in ast.walk(part.test)):
            names = {one.id for one in _inside(part.body, ast.Name) if isinstance(one.ctx, ast.Store)}
            used = Counter(one.id for one in _inside(function.body, ast.Name) if one.id in names)
            here = Counter(one.id for one in _inside(part.body, ast.Name) if one.id in names)
            leaves = any(_inside(part.body, (ast.Return, ast.Continue, ast.Break, ast.Raise)))
            return not part.orelse and used == here and not leaves
    return False


def _inside(body: Iterable[ast.AST], kind: type[_Node] | tuple[type[_Node], ...]) -> Iterator[_Node]:
    return (one for part in body for one in ast.walk(part) if isinstance(one, kind))


def _flows_on(function: FunctionNode, name: str) -> bool:
    """Whether a parameter is what a layer computes with: it gets other values here, is returned, or is `**` alone."""
    if function.args.kwarg is not None and function.args.kwarg.arg == name:
        return True
    return any(
        (isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store))
        or (isinstance(part, ast.Return) and part.value is not None and _is_result(part.value, name))
        for part in _inside(function.body, (ast.Name, ast.Return))
    )


def _is_result(value: ast.expr, name: str) -> bool:
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)


def _called(value: v.Value) -> bool:
    return any(inner.kind == v.CALL for inner in value.data[0])


def _is_parameter(layer: ast.expr) -> bool:
    return isinstance(layer, ast.Name)
