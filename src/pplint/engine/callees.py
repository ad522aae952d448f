"""Which definitions a call may reach, as far as the type of its receiver tells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pplint.engine.names import Place
from pplint.engine.project import Project

Definition = tuple[str, str]
"""A function's id, and that of the class that it is a method of, or ""."""


def definitions_of(project: Project, place: Place, callee: list[str]) -> list[Definition] | None:
    """The definitions that a call of the dotted `callee` at `place` may reach.

    None for a method of a receiver of unknown type: then only its name is left to go by.
    """
    if len(callee) == 1:
        return _of_name(project, place, callee)
    types = project.types_of(place, tuple(callee[:-1])) if callee[0] != "?" else frozenset()
    known = [(home[0], home[1]) for one in sorted(types) if (home := project.method(one, callee[-1]))]
    if not known:
        known = _below(project, types, callee[-1])
    if known:
        return _of_methods(project, known, callee[-1])
    as_function = project.resolve(place.module, callee)
    if as_function is not None and as_function not in project.classes:
        return [(as_function, "")]
    return [] if types else None


def _of_name(project: Project, place: Place, callee: list[str]) -> list[Definition]:
    found = project.resolve(place.module, callee)
    if found is None:
        return [(f"{place.module}:{place.function}.{callee[0]}", "")]
    if found in project.classes:
        constructor = project.method(found, "__init__")
        return [(f"{constructor[0]}.__init__", constructor[0])] if constructor else []
    return [(found, "")]


def _below(project: Project, types: Iterable[str], name: str) -> list[tuple[str, dict[str, Any]]]:
    """What subclasses bring of a method that the class itself lacks: a mixin's host, a pool's richer kind."""
    homes = {
        home[0]: home[1]
        for one in sorted(types)
        for child in project.children(one)
        if (home := project.method(child, name))
    }
    return list(homes.items())


def _of_methods(project: Project, known: list[tuple[str, dict[str, Any]]], name: str) -> list[Definition]:
    """Methods of these classes; an abstract one stands for those of the classes below."""
    found: list[Definition] = []
    for owner, facts in known:
        owners = [owner]
        if facts["abstract"]:
            owners += [c for c in project.children(owner) if name in project.classes[c]["methods"]]
        found += [(f"{one}.{name}", one) for one in owners]
    return found
