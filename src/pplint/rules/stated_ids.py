"""Layer ids that are stated other than by a number in a call: constants, defaults, the model's last id, counted ids."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL
from pplint.engine.constants import literal_integer
from pplint.engine.context import Context
from pplint.engine.declarations import defaulted
from pplint.engine.guards import FIRST, LAST
from pplint.engine.slots import is_last
from pplint.engine.values import Value
from pplint.engine.vocabulary import is_end, is_start
from pplint.source.blocks import FunctionNode


def stated_id(context: Context, value: Value) -> Value | None:
    """The number that an argument states as a layer id, unless only the stage that owns it comes here; or None.

    The last id of the model is -1, of ids that are counted up to a number it is the first. Where a test asks for the range
    of the stage, or if there is one, somebody thought of it.
    """
    if any(_asks_range(context, atom.test, value) for atom in (*context.flow.guards, *value.guards)):
        return None
    if value.kind == v.ARITH and is_last(context, value):
        return None if LAST in context.stage(value) else Value(v.INT, -1, value.node, value.guards)
    if value.kind == v.ELEMENT and value.data[0].kind == v.RANGE:
        low, high = value.data[0].data
        counted = all(one.kind == v.INT for one in (*low, *high)) and len(low) == len(high) == 1
        number = Value(v.INT, low[0].data, None, value.guards) if counted else None
    else:
        number = class_constant(context, value) or value
    known = number is not None and number.kind == v.INT and FIRST not in context.stage(number)
    return number if known else None


def _asks_range(context: Context, test: ast.expr, value: Value) -> bool:
    """Whether a test asks if there is a range, or compares the id with it, or looks an id up that is counted."""
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    found = [one for side in sides for one in context.flow.evaluate(side)]
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.In, ast.NotIn)):
        if value.kind == v.ELEMENT and value in found:
            return True
    texts = [part.value for part in ast.walk(test) if isinstance(part, ast.Constant)]
    if any(isinstance(text, str) and (is_start(text) or is_end(text)) for text in texts):
        return True
    ranged = any(is_start(word) or is_end(word) for word in v.names_in(test))
    same = any(one.kind == value.kind and one.data == value.data for one in found)
    return ranged and (same or any(one.kind == v.NONE for one in found))


def class_constant(context: Context, value: Value) -> Value | None:
    """The number that `self.FIRST` or `Consts.FIRST` stands for: one that a class says and nobody assigns; else None."""
    if value.kind != v.PATH or len(value.data) != 2 or is_start(value.data[1]):
        return None
    (root, name), project = value.data, context.project
    named = project.resolve_class(context.module, [root])
    for owner in [named] if named else sorted(project.types_of(context.place, (root,))):
        heirs = [project.classes[one] for one in project.children(owner)]
        if any(name in facts[kind] for facts in heirs for kind in ("attrs", "methods", "constants")):
            return None
        for one in project.mro(owner):
            facts = project.classes[one]
            if name in facts["attrs"] and any(entry["method"] for entry in facts["attrs"][name]):
                return None
            if name in facts["constants"]:
                return Value(v.INT, facts["constants"][name], None, value.guards)
    return None


def default_ids(context: Context, node: FunctionNode) -> Iterator[tuple[str, ast.expr, int]]:
    """The parameters of the function we are in that take a GLOBAL layer id and have a number as their default."""
    if context.draft or not (node.args.defaults or node.args.kw_defaults):
        return
    known = context.accessors.known(GLOBAL, context.function_id)
    for parameter, default in defaulted(node.args):
        number = literal_integer(default)
        if parameter.arg in known and number is not None:
            yield parameter.arg, default, number
