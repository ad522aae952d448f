"""What a function that is asked in a condition says about the stage: that which it returns, read in its place."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from pplint.engine import guards as g
from pplint.engine import values as v
from pplint.engine.names import Place
from pplint.engine.project import Project
from pplint.engine.values import Atom

_DEPTH = 2


def unfolded(project: Project, place: Place, known: Iterable[Atom], depth: int = 0) -> list[Atom]:
    """The conditions, and those that the functions called and the own properties read in them return."""
    found: list[Atom] = []
    for atom in known:
        found.append(atom)
        called = isinstance(atom.test, ast.Call)
        path = v.dotted(atom.test.func if isinstance(atom.test, ast.Call) else atom.test)
        if path is None or depth >= _DEPTH or not (called or (len(path) == 2 and path[0] == "self")):
            continue
        returned = _returned(project, place, list(path), called)
        if returned is not None:
            test, inner = returned
            found += unfolded(project, inner, g.atoms(test, atom.holds), depth + 1)
    return found


def stages_asked(
    project: Project, place: Place, asked: Iterable[list[Any]]
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """On which stages the answers of called functions lead, which they keep away, and of those which surely.

    The rows are those of `attributes`.
    """
    calls = [Atom(_parsed(f"{'.'.join(path)}()"), holds) for path, holds in asked]
    known = unfolded(project, place, calls)[len(calls) :] if calls else []
    return g.stage_facts(known), g.excluded_stages(known), g.excluded_stages(known, surely=True)


def only_on(known: Iterable[Atom]) -> frozenset[str]:
    """The stages (FIRST, LAST or both) that the conditions leave: empty where they may leave one in between."""
    for test, holds in known:
        left = _left(test, holds)
        if left:
            return left
    return frozenset()


def _left(test: ast.expr, holds: bool) -> frozenset[str]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) is holds:
        parts = [only_on(g.atoms(part, holds)) for part in test.values]
        return frozenset().union(*parts) if all(parts) else frozenset()
    return g.stage_facts((Atom(test, holds),)) & {g.FIRST, g.LAST}


def _returned(project: Project, place: Place, path: list[str], called: bool) -> tuple[ast.expr, Place] | None:
    """The one condition that a called function, or a property, returns, and where it stands; None where there are more,
    or none."""
    if len(path) == 2 and path[0] == "self" and place.owner:
        method = project.method(place.as_class or place.owner, path[1])
        if method is None or (method[1]["property"] and called):
            return None
        if not called and not method[1]["property"]:
            return None
        facts, inner = method[1], Place(project.module_of(method[0]), method[0], path[1])
    else:
        named = project.resolve(place.module, path)
        module, _, name = (named or "").partition(":")
        plain = project.plain_function(module, name) if named and named not in project.classes else None
        if plain is None:
            return None
        facts, inner = plain, Place(module, "", name)
    returns = facts["returns"]
    if len(returns) != 1:
        return None
    kind, said = returns[0][0], returns[0][1:]
    if kind == "test":
        return (_parsed(said[0]), inner) if said else None
    if kind == "path":
        return _parsed(".".join(said[0])), inner
    return (_parsed(f"{'.'.join(said[0])}()"), inner) if kind == "call" else None


@lru_cache(maxsize=512)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
