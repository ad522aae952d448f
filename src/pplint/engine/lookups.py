"""What is looked up in, dictionaries of weights, and which functions of a module may do so or lead to one that does."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from pplint.engine import values as v
from pplint.engine.attention import Attention
from pplint.engine.values import Value
from pplint.engine.weight_names import is_elsewhere
from pplint.source.blocks import FunctionNode, blocks_of

_LOOKUP = (
    r"(?:params?|parameters|buffers)(?:_dict|_by_name|_map)?\s*(?:\[|$)|named_(?:parameters|buffers|modules)|params?_dict"
    r"|state_dict\(\)|\.get_(?:submodule|parameter|buffer)\("
)
LOADER = r"^_*load_\w*weights?\w*$"
"""What the functions of a class are called that load its weights."""
CAUGHT = frozenset({"KeyError", "LookupError", "Exception", "BaseException", ""})
"""Exceptions behind which a lookup may miss."""

_DEF = r"def\b"

_DICT = r"(^|_)(params?|parameters|buffers)(_dict|_by_name|_map)?$"

_WHOLE = ("model", "language_model")
_GETTERS = ("get_submodule", "get_parameter", "get_buffer")
_LISTS = ("named_parameters", "named_buffers", "named_modules")


class Loaders(Attention):
    """The functions that may look a weight up, and those that lead to one."""

    def __init__(self, tree: ast.Module, text_of: Callable[[ast.stmt], str]) -> None:
        functions = list(_functions(tree.body, text_of))
        self.names = frozenset(one.name for one in functions)
        waiting = {one: text_of(one) for one in functions}
        found = [one for one, text in waiting.items() if re.search(_LOOKUP, text, re.MULTILINE)]
        self._functions = set(found)
        while found:
            # A constructor is not called by that name.
            calls = tuple({f"{one.name}(" for one in found if one.name != "__init__"})
            for one in found:
                waiting.pop(one, None)
            found = [one for one, text in waiting.items() if any(call in text for call in calls)]
            self._functions.update(found)

    def enter(self, node: FunctionNode) -> bool:
        return node in self._functions


def _functions(body: Iterable[ast.stmt], text_of: Callable[[ast.stmt], str]) -> Iterator[FunctionNode]:
    """All functions, those in others too, by looking into as few as can be."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
            if len(re.findall(_DEF, text_of(node))) < 2:
                continue
        for block in blocks_of(node):
            yield from _functions(block, text_of)


def is_parameters(value: Value) -> bool:
    """Whether a value is a dictionary of a module's parameters (or inner modules) by name."""
    node = value.node
    if value.kind == v.CALL and isinstance(node, ast.Call):
        path = v.dotted(node.func)
        if path == ("dict",) and node.args:
            return _lists_parts(node.args[0])
        return path is not None and path[-1] == "state_dict" and not node.args and _holds_layers(path)
    if isinstance(node, ast.DictComp):
        return _lists_parts(node.generators[0].iter)
    if value.kind == v.PARAM:
        return re.search(_DICT, value.data) is not None
    return value.kind == v.PATH and value.data[-1].endswith(("params_dict", "param_dict"))


def gets_by_name(node: ast.Call) -> bool:
    """`self.get_submodule(name)` and the like of the model or of its layers."""
    path = v.dotted(node.func)
    if path is None or path[-1] not in _GETTERS or len(node.args) != 1 or len(path) < 2:
        return False
    return path[:-1] == ("self",) or (path[-2] in _WHOLE and _holds_layers(path))


def _lists_parts(node: ast.expr) -> bool:
    """`self.named_parameters()` and the like."""
    path = v.dotted(node.func) if isinstance(node, ast.Call) else None
    return path is not None and path[-1] in _LISTS and _holds_layers(path)


def _holds_layers(path: tuple[str, ...]) -> bool:
    """Whether `self.named_parameters`, or that of an inner model, is asked (not that of another part)."""
    return len(path) == 2 or (len(path) > 2 and not is_elsewhere(path[-2]) and "model" in path[-2])


def is_own_name(value: Value) -> bool:
    """Whether a value is a name that the parameters or modules of a stage have: what a loop over them yields."""
    if value.kind == v.ITEM:
        return all(map(is_own_name, value.data[0]))
    return value.kind == v.ELEMENT and all(map(_yields_own_names, value.data))


def _yields_own_names(value: Value) -> bool:
    if value.kind == v.ITEMS:
        return any(map(is_parameters, value.data[0]))
    if value.kind == v.CALL and isinstance(value.node, ast.Call) and _lists_parts(value.node):
        return True
    if value.kind == v.ARITH:
        operator, left, right = value.data
        sides = {"BitAnd": (left, right), "Sub": (left,)}.get(operator, ())
        return any(side and all(map(_yields_own_names, side)) for side in sides)
    return is_parameters(value)
