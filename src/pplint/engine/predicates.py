"""What a function that is asked in a condition says about the stage: that which it returns, read in its place."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from pplint.engine import guards as g
from pplint.engine import values as v
from pplint.engine.declarations import given_for
from pplint.engine.guards import last_name
from pplint.engine.meaning import put_in
from pplint.engine.names import Place
from pplint.engine.project import Project
from pplint.engine.values import Atom
from pplint.records import Record

_DEPTH = 2
_ASKED = 2
"""How many functions that ask each other are followed."""


def unfolded(project: Project, place: Place, known: Iterable[Atom], depth: int = 0) -> list[Atom]:
    """The conditions, and those that the functions called and the properties read in them return, as if written here."""
    found: list[Atom] = []
    for atom in known:
        found.append(atom)
        if depth >= _DEPTH:
            continue
        if isinstance(atom.test, ast.Compare):
            found += _in_range(project, place, atom)
            continue
        called = isinstance(atom.test, ast.Call)
        path = v.dotted(atom.test.func if isinstance(atom.test, ast.Call) else atom.test)
        if path is None or not (called or (len(path) > 1 and path[0] == "self")):
            continue
        returned = _returned(project, place, list(path), called)
        if returned is not None:
            inner = unfolded(project, returned.place, g.atoms(returned.test, atom.holds), depth + 1)
            found += _written_here(inner, _given(returned.facts, atom.test))
    return found


def _written_here(known: Iterable[Atom], given: Mapping[str, ast.expr]) -> Iterator[Atom]:
    """Conditions of another function with what it is given; those about the stage hold whatever that is."""
    for atom in known:
        test = put_in(atom.test, given)
        if test is not atom.test and (g.stage_facts((atom,)) or g.excluded_stages((atom,))):
            yield atom
        yield Atom(test, atom.holds)


def _given(facts: dict[str, Any], asked: ast.expr) -> dict[str, ast.expr]:
    """What the parameters of a function that is asked stand for, `self` being one."""
    call = asked if isinstance(asked, ast.Call) else None
    function = call.func if call is not None else asked
    given: dict[str, ast.expr] = {}
    if (
        isinstance(function, ast.Attribute)
        and facts["params"][:1] == ["self"]
        and last_name(function.value) != "self"
    ):
        given["self"] = function.value
    if call is not None:
        for name in (*facts["params"], *facts["keywords"]):
            argument = given_for(facts, name, call) if name not in ("self", "cls") else None
            if argument is not None:
                given[name] = argument
    return given


def _in_range(project: Project, place: Place, atom: Atom) -> Iterator[Atom]:
    """`0 in self.own_layers`, where that attribute or property is the range of the stage."""
    test = atom.test
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.In, ast.NotIn)):
        return
    listed = test.comparators[0]
    path = v.dotted(listed)
    for owner in sorted(project.types_of(place, path[:-1])) if path is not None and len(path) > 1 else ():
        text = _range_kept(project, owner, path[-1]) if path is not None else ""
        if text and isinstance(listed, ast.Attribute):
            written = put_in(_parsed(text), {"self": listed.value})
            yield Atom(ast.copy_location(ast.Compare(test.left, test.ops[:1], [written]), test), atom.holds)
            return


def _range_kept(project: Project, owner: str, attribute: str) -> str:
    """The range of the stage that a class keeps in an attribute, or that a property returns, as it writes it; or ""."""
    for one in project.mro(owner):
        facts = project.classes[one]
        values = [entry["v"] for entry in facts["attrs"].get(attribute, ())]
        method = facts["methods"].get(attribute)
        if method is not None and method["property"]:
            values += method["returns"]
        if values:
            return str(values[0][1]) if all(value[0] == "range" for value in values) else ""
    return ""


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


class _Returned(Record):
    """The one condition that a called function, or a property, returns, where it stands, and the function's facts."""

    test: ast.expr
    place: Place
    facts: dict[str, Any]


def _returned(project: Project, place: Place, path: list[str], called: bool) -> _Returned | None:
    """What is returned; None where that may be more than one condition, or is none."""
    found = _asked(project, place, path)
    if found is None or found[0]["property"] is called:
        return None
    facts, inner = found
    returns = facts["returns"]
    if len(returns) != 1:
        return None
    kind, said = returns[0][0], returns[0][1:]
    if kind == "test":
        return _Returned(_parsed(said[0]), inner, facts) if said else None
    if kind == "path":
        return _Returned(_parsed(".".join(said[0])), inner, facts)
    return _Returned(_parsed(f"{'.'.join(said[0])}()"), inner, facts) if kind == "call" else None


def _asked(project: Project, place: Place, path: list[str]) -> tuple[dict[str, Any], Place] | None:
    """The facts of the function, the method or the property at a chain, and its place."""
    plain = project.named_function(place.module, path) if path[0] != "self" else None
    if plain is not None:
        return plain[1], plain[0]
    owners = project.types_of(place, tuple(path[:-1])) if project.definers(path[-1]) else ()
    methods = [method for one in owners if (method := project.method(one, path[-1])) is not None]
    if len(methods) != 1:
        return None
    return methods[0][1], Place(project.module_of(methods[0][0]), methods[0][0], path[-1])


@lru_cache(maxsize=512)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def stage_asking(project: Project, place: Place, callee: list[str], depth: int = 0) -> bool | None:
    """Whether a called function looks at the stage, also by a function that it asks; None when its definition is not in
    view."""
    if callee[0] == "self" and place.owner and len(callee) > 1:
        inner = len(callee) > 2
        kinds = project.types_of(place, tuple(callee[:-1])) if inner else {place.as_class or place.owner}
        told = []
        for owner, said in filter(None, (project.method(kind, callee[-1]) for kind in sorted(kinds))):
            told.append(_looks(project, said, Place(project.module_of(owner), owner, callee[-1]), depth))
        return any(told) if told and (not inner or any(told)) else None
    named = project.named_function(place.module, callee)
    return None if named is None else _looks(project, named[1], named[0], depth)


def _looks(project: Project, facts: dict[str, Any], place: Place, depth: int) -> bool:
    """Whether a function looks at the stage, or answers what one that does says."""
    if facts["stage"] or depth >= _ASKED:
        return bool(facts["stage"])
    asked = [*facts["replies"], *(one[1] for one in facts["returns"] if one[0] == "call")]
    return any(stage_asking(project, place, path, depth + 1) for path in asked)


def tells_stage(project: Project, place: Place, path: tuple[str, ...]) -> bool:
    """Whether an attribute, or a property, holds what follows from the range of the stage."""
    for owner in project.types_of(place, path[:-1]) if len(path) > 1 else ():
        entries = [e for one in project.mro(owner) for e in project.classes[one]["attrs"].get(path[-1], ())]
        if any("owned" in entry for entry in entries):
            return True
        found = project.method(owner, path[-1])
        if found is not None and found[1]["property"]:
            return _looks(project, found[1], Place(project.module_of(found[0]), found[0], path[-1]), 0)
    return False
