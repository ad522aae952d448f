"""Modules that only some stages have, and flags that say on which stage we are."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from pplint.engine.guards import FIRST, LAST, SINGLE, atoms, stage_facts
from pplint.engine.names import Place, Rows
from pplint.engine.predicates import stages_asked
from pplint.engine.project import Project
from pplint.engine.values import Atom
from pplint.engine.vocabulary import MISSING_LAYER
from pplint.records import Record

_STAGED = "staged"


class StageModule(Record):
    """An attribute that holds a module on the stages `real_on` ({FIRST, LAST} or a part of it) and nothing on others.

    On those of them that are in `perhaps_on` it does so in some cases only.
    `placeholder` is what stands there instead: a class name or `None`; `line` is where that is assigned in `owner`.
    """

    owner: str
    attribute: str
    real_on: frozenset[str]
    placeholder: str
    line: int
    perhaps_on: frozenset[str] = frozenset()

    @property
    def surely_on(self) -> frozenset[str]:
        """The stages that have the module in any case."""
        return self.real_on - self.perhaps_on


def stage_module(project: Project, class_id: str, attribute: str) -> StageModule | None:
    """What a class keeps in an attribute that is not there on every stage, or None when it is (or is not known)."""
    for one in project.mro(class_id):
        entries = project.classes[one]["attrs"].get(attribute, ())
        built = [entry for entry in entries if entry["method"] == "__init__"] or entries
        final = next((number for number in reversed(range(len(built))) if "again" in built[number]), 0)
        built = built[final:]
        placeholders = [(entry, name) for entry in built if (name := _placeholder(entry["v"]))]
        if placeholders and len(placeholders) < len(built):
            return _judged(project, one, attribute, built, placeholders)
        if built:
            return None
    return None


def staged_names(project: Project) -> Rows:
    """The names of all attributes that hold a module of some stages somewhere, as the keys of a table."""
    return project.table(_STAGED, lambda: all_staged(project))


def all_staged(project: Project) -> Rows:
    """The table of those names."""
    names = {name for kind in ("none", MISSING_LAYER) for _, name in project.assigned[kind]}
    found = {
        name
        for class_id, one in project.classes.items()
        for name in names.intersection(one["attrs"])
        if stage_module(project, class_id, name) is not None
    }
    return dict.fromkeys(sorted(found), True)


def stage_modules_of(project: Project, place: Place, path: tuple[str, ...]) -> StageModule | None:
    """The module at a chain such as `self.model.embed_tokens` that is not there on every stage, or None."""
    if len(path) < 2 or not project.row(_STAGED, path[-1], lambda: all_staged(project)):
        return None
    for owner in sorted(project.types_of(place, path[:-1])):
        found = stage_module(project, owner, path[-1])
        if found is not None:
            return found
    return None


def is_flag(project: Project, attribute: str) -> bool:
    """Whether attributes of that name say something about the stage somewhere."""
    return project.row("flags", attribute, lambda: all_flags(project)) is True


def all_flags(project: Project) -> Rows:
    """The table of those names."""
    return {
        name: True
        for one in project.classes.values()
        for name, entries in one["attrs"].items()
        if any(entry.get("says") for entry in entries)
    }


def flag_facts(project: Project, class_id: str, attribute: str) -> frozenset[str]:
    """What a true flag says about the stage: what all its assignments agree on."""
    said: list[frozenset[str]] = []
    for one in project.mro(class_id):
        said += [
            frozenset(entry.get("says", ())) for entry in project.classes[one]["attrs"].get(attribute, ())
        ]
    return frozenset.intersection(*said) if said else frozenset()


def _placeholder(value: list[Any]) -> str:
    if value[0] == "none":
        return "None"
    return MISSING_LAYER if value[0] == "call" and value[1][-1] == MISSING_LAYER else ""


def _judged(
    project: Project,
    owner: str,
    attribute: str,
    entries: list[dict[str, Any]],
    placeholders: list[tuple[dict[str, Any], str]],
) -> StageModule | None:
    real_on, perhaps_on = set[str](), set[str]()
    kept_away = False
    for entry in entries:
        on, off, perhaps = _stages(project, owner, entry)
        if _placeholder(entry["v"]):
            real_on |= off
            perhaps_on |= perhaps
            kept_away = kept_away or bool(off)
        elif SINGLE not in on:
            real_on |= on & {FIRST, LAST}
    if not real_on or not kept_away:
        return None
    entry, name = placeholders[0]
    perhaps = frozenset(perhaps_on) if perhaps_on < real_on else frozenset[str]()
    return StageModule(owner, attribute, frozenset(real_on), name, entry["line"], perhaps)


def _stages(
    project: Project, owner: str, entry: dict[str, Any]
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """On which stages an assignment happens, which it keeps away from, and of those which in some cases only."""
    on, off, perhaps = (frozenset(entry.get(name, ())) for name in ("on", "off", "perhaps"))
    if "asked" not in entry:
        return on, off, perhaps
    place = Place(project.module_of(owner), owner, entry["method"])
    asked_on, asked_off, surely = stages_asked(project, place, entry["asked"])
    return on | asked_on, off | asked_off, perhaps | (asked_off - surely)


def stages_of_callers(owner: ast.ClassDef, method: str, text_of: Callable[[ast.stmt], str]) -> frozenset[str]:
    """What the conditions around all calls of a method in its class agree on about the stage."""
    text = f".{method}"
    said: list[frozenset[str]] = []
    stack: list[tuple[ast.AST, tuple[Atom, ...]]] = [(part, ()) for part in owner.body]
    while stack:
        node, known = stack.pop()
        if isinstance(node, ast.stmt) and text not in text_of(node):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
            said.append(stage_facts(known) if known else frozenset())
        if isinstance(node, (ast.If, ast.IfExp)):
            stack.append((node.test, known))
            for body, holds in ((node.body, True), (node.orelse, False)):
                inner = (*known, *atoms(node.test, holds))
                stack += [(one, inner) for one in (body if isinstance(body, list) else [body])]
        else:
            stack += [(child, known) for child in ast.iter_child_nodes(node)]
    return frozenset.intersection(*said) if said else frozenset()
