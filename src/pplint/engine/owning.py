"""Functions that say whether a layer belongs to the stage: what they return, as text with their parameters in it."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.evaluate import Environment
from pplint.engine.meaning import meant, put_in
from pplint.engine.vocabulary import MISSING_LAYER, is_end, is_start

_TESTS = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call)


def owning(env: Environment, returned: ast.expr) -> str:
    """A returned condition that speaks of the stage's bounds or asks for placeholders, written out; "" for another one."""
    if not isinstance(returned, _TESTS) or not _asks(returned):
        return ""
    names = {part.id for part in ast.walk(returned) if isinstance(part, ast.Name)}
    # A local that may be several things must not be taken for a name of the caller.
    given = {
        name: meant(env, ast.Name(name)) or ast.Constant(...)
        for name in names
        if not (is_start(name) or is_end(name)) and any(map(_is_local, env.get(name, ())))
    }
    return ast.unparse(put_in(returned, given))


def _is_local(value: v.Value) -> bool:
    return value.kind != v.PARAM and value.data != ("self",)


def _asks(returned: ast.expr) -> bool:
    if isinstance(returned, ast.Call):
        return v.dotted(returned.func) == ("isinstance",) and MISSING_LAYER in v.names_in(returned)
    if isinstance(returned, ast.Compare):
        return any(is_start(name) or is_end(name) for name in v.names_in(returned))
    if isinstance(returned, ast.UnaryOp):
        return isinstance(returned.op, ast.Not) and _asks(returned.operand)
    return isinstance(returned, ast.BoolOp) and any(map(_asks, returned.values))
