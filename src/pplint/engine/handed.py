"""What a function does with a list that it is given: does it read its first element, or each of them?"""

from __future__ import annotations

from typing import Any

from pplint.engine.declarations import position_of
from pplint.engine.names import Place
from pplint.engine.project import Project
from pplint.records import Record

_DEPTH = 3


class Reader(Record):
    """A read of `attribute` in `module` at `line`, of the "first" or of "each" element."""

    how: str
    attribute: str
    module: str
    line: int


def reader_of(
    project: Project, place: Place, callee: list[str], where: int | str, depth: int = 0
) -> Reader | None:
    """How a call of the dotted `callee` at `place` reads the elements of its argument at `where`."""
    if depth > _DEPTH:
        return None
    for inner in definitions(project, place, callee):
        facts = project.function(inner)
        if facts is None:
            continue
        parameter = parameter_at(facts, where)
        if parameter is None:
            continue
        for name, how, attribute, line in facts["elements"]:
            if name == parameter:
                return Reader(how, attribute, inner.module, line)
        for name, onward, position, _ in facts["passes"]:
            if name == parameter:
                found = reader_of(project, inner, onward, position, depth + 1)
                if found is not None:
                    return found
    return None


def reads_each(project: Project, place: Place, callee: list[str], where: int | str, depth: int = 0) -> bool:
    """Whether a call of the dotted `callee` reads an attribute of each element of its argument at `where`."""
    for inner in definitions(project, place, callee) if depth <= _DEPTH else ():
        facts = project.function(inner)
        parameter = parameter_at(facts, where) if facts is not None else None
        if facts is None or parameter is None:
            continue
        if any(name == parameter and how == "each" for name, how, _, _ in facts["elements"]):
            return True
        if any(
            name == parameter and reads_each(project, inner, onward, position, depth + 1)
            for name, onward, position, _ in facts["passes"]
        ):
            return True
    return False


def parameter_at(facts: dict[str, Any], where: int | str) -> str | None:
    names = [*facts["params"], *facts["keywords"]]
    if isinstance(where, str):
        return where if where in names else None
    return next((name for name in names if position_of(facts, name) == where), None)


def definitions(project: Project, place: Place, callee: list[str]) -> list[Place]:
    """The functions that a dotted callee may mean."""
    if len(callee) > 1:
        owners = set(project.types_of(place, tuple(callee[:-1])))
        owner = project.resolve_class(place.module, callee[:-1])
        owners |= {owner} if owner else set()
        methods = [found for one in sorted(owners) if (found := project.method(one, callee[-1]))]
        if methods:
            return [Place(project.module_of(one), one, callee[-1]) for one, _ in methods]
    named = project.resolve(place.module, callee)
    if named is None:
        return []
    module, _, name = named.partition(":")
    if named not in project.classes:
        return [Place(module, "", name)]
    constructor = project.method(named, "__init__")
    return [Place(project.module_of(constructor[0]), constructor[0], "__init__")] if constructor else []
