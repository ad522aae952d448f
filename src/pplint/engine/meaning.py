"""What a condition says with the expressions in it that its names stand for."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from pplint.engine.guards import atoms, bounds_stage, last_name, plus_one
from pplint.engine.values import Atom, Values
from pplint.source.blocks import FunctionNode


def known(env: Mapping[str, Values], test: ast.expr, holds: bool) -> tuple[Atom, ...]:
    """What holds when `test` is `holds`; a name that stands for one expression is replaced by it."""
    found: list[Atom] = []
    for atom in atoms(test, holds):
        kind = type(atom.test)
        if kind is ast.Name:
            stands_for = meant(env, atom.test)
            if stands_for is not None:
                found += atoms(stands_for, atom.holds)
        elif kind is ast.Compare and (written := _written_out(env, atom.test)) is not None:
            found.append(Atom(written, atom.holds))
        elif kind is ast.Call and (answer := _answer(env, atom.test)) is not None:
            found += atoms(answer, atom.holds)
        found.append(atom)
    return tuple(found)


def meant(env: Mapping[str, Values], node: ast.expr) -> ast.expr | None:
    """The one expression that a name stands for, or None."""
    bound = env.get(node.id, ()) if isinstance(node, ast.Name) else ()
    one = bound[0].node if len(bound) == 1 else None
    return one if isinstance(one, ast.expr) and one is not node else None


def _answer(env: Mapping[str, Values], call: ast.expr) -> ast.expr | None:
    """What a call of a lambda, or of a function that is defined here and returns one thing, stands for, or None."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
        return None
    bound = env.get(defined(call.func.id)) or env.get(call.func.id, ())
    body = bound[0].node if len(bound) == 1 else None
    if not isinstance(body, ast.Lambda) or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    names = (one.arg for one in (*body.args.posonlyargs, *body.args.args))
    return put_in(body.body, dict(zip(names, call.args, strict=False)))


def defined(name: str) -> str:
    """The key under which an environment has a function that is defined in another one; no expression is called so."""
    return f"{name}()"


def as_lambda(node: FunctionNode) -> ast.Lambda | None:
    """A function whose body is one returned expression, or None."""
    returned = node.body[-1]
    if len(node.body) > 1 or not isinstance(returned, ast.Return) or returned.value is None:
        return None
    return ast.copy_location(ast.Lambda(node.args, returned.value), node)


def _written_out(env: Mapping[str, Values], test: ast.expr) -> ast.Compare | None:
    """A comparison of a bound, a rank or a size of the stage, with what its names stand for; None where they say all."""
    assert isinstance(test, ast.Compare)
    sides = [test.left, *test.comparators]
    written = [_side(env, side) for side in sides]
    if all(one is side for one, side in zip(written, sides, strict=True)):
        return None
    if not any(bounds_stage(last_name(plus_one(one) or one)) for one in written):
        return None
    return ast.copy_location(ast.Compare(written[0], test.ops, written[1:]), test)


def _side(env: Mapping[str, Values], side: ast.expr) -> ast.expr:
    """One side of a comparison, `n` or `n + 1`, written out."""
    name = plus_one(side)
    stands_for = meant(env, name or side)
    if stands_for is None:
        return side
    return (
        stands_for
        if name is None
        else ast.copy_location(ast.BinOp(stands_for, ast.Add(), ast.Constant(1)), side)
    )


def put_in(test: ast.expr, given: Mapping[str, ast.expr]) -> ast.expr:
    """A condition with expressions in place of names; the condition itself where it has none of them."""
    if not any(isinstance(part, ast.Name) and part.id in given for part in ast.walk(test)):
        return test
    found = _copied(test, given)
    assert isinstance(found, ast.expr)
    return found


def _copied(node: ast.AST, given: Mapping[str, ast.expr]) -> ast.AST:
    """A node made anew: what is kept at the old one about it does not hold for the new one."""
    if isinstance(node, ast.Name):
        return given.get(node.id, node)
    fields: dict[str, Any] = {}
    for name, part in ast.iter_fields(node):
        if isinstance(part, list):
            fields[name] = [_copied(one, given) if isinstance(one, ast.AST) else one for one in part]
        else:
            fields[name] = _copied(part, given) if isinstance(part, ast.AST) else part
    return ast.copy_location(type(node)(**fields), node)
