"""Whether a store or a call changes state that outlives the layer that makes it, so that other layers may rely on it."""

from __future__ import annotations

import ast
import re

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.rules.stage_start import is_argument, keeps_layer

_TELLS = (
    r"^(log\w*|print|warn\w*|info|debug|error|exception|add_scalar|record\w*|assert\w*|dump\w*|breakpoint)$"
)
_TELLERS = re.compile(r"(^|_)(logger|logging|warnings|writer|profiler|tracer|metrics?)$", re.IGNORECASE)


def object_of(target: ast.expr) -> ast.expr | None:
    """The object that a store changes."""
    if isinstance(target, (ast.Attribute, ast.Subscript)):
        return target.value
    return None


def only_tells(callee: ast.Attribute) -> bool:
    """Whether a method writes a log line, a metric or the like, which no layer relies on."""
    owner = v.dotted(callee.value)
    return bool(re.match(_TELLS, callee.attr) or (owner and _TELLERS.search(owner[-1])))


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
        if path[0] == "self" or value.kind == v.PARAM or is_argument(context, path[0]):
            return True
    return False


def _called(value: v.Value) -> bool:
    return any(inner.kind == v.CALL for inner in value.data[0])


def _is_parameter(layer: ast.expr) -> bool:
    return isinstance(layer, ast.Name)
