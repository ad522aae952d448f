"""Layer ids that are stated away from a call: constants of classes, defaults of parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL
from pplint.engine.constants import literal_integer
from pplint.engine.context import Context
from pplint.engine.declarations import defaulted
from pplint.engine.values import Value
from pplint.engine.vocabulary import is_start
from pplint.source.blocks import FunctionNode


def class_constant(context: Context, value: Value) -> Value | None:
    """The number that `self.FIRST` or `Consts.FIRST` stands for: one that a class says and nobody assigns; else None."""
    if value.kind != v.PATH or len(value.data) != 2 or is_start(value.data[1]):
        return None
    (root, name), project = value.data, context.project
    named = project.resolve_class(context.module, [root])
    for owner in [named] if named else sorted(project.types_of(context.place, (root,))):
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
