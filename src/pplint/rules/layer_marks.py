"""The marks that the layers of a stage set on what they return."""

from __future__ import annotations

from collections.abc import Iterator

from pplint.engine.dispatch import built_elements
from pplint.engine.project import Padded, Project
from pplint.engine.reach import runs_base
from pplint.records import Record


class Mark(Record):
    """An attribute that a method of a class, or a function that it calls, sets on the name that it returns.

    `routine` is the id of that function, called at line `called` of the method; else both are empty.
    """

    attribute: str
    name: str
    owner: str
    method: str
    line: int
    routine: str = ""
    called: int = 0


def marks_of(project: Project, padded: Padded) -> list[Mark]:
    """The marks that the layers of a padded list set, the first place of each attribute."""
    found: dict[str, Mark] = {}
    for kind in sorted(frozenset().union(*built_elements(project, padded))):
        for owner in project.mro(kind):
            for method in project.classes[owner]["methods"]:
                if runs_base(project, kind, owner, method):
                    for mark in _set_by(project, kind, owner, method):
                        found.setdefault(mark.attribute, mark)
    return list(found.values())


def _set_by(project: Project, kind: str, owner: str, method: str) -> Iterator[Mark]:
    facts = project.classes[owner]["methods"][method]
    for name, attribute, asked, line in facts["marks"]:
        if not any(_says_place(project, kind, one) for one in asked):
            yield Mark(attribute, name, owner, method, line)
    for _, path, asked, called in facts["made"]:
        plain = project.named_function(project.module_of(owner), path)
        if plain is not None and not any(_says_place(project, kind, one) for one in asked):
            for name, attribute, _, line in plain[1]["marks"]:
                routine = f"{plain[0].module}:{plain[0].function}"
                yield Mark(attribute, name, owner, method, line, routine, called)


def _says_place(project: Project, kind: str, attribute: str) -> bool:
    """Whether an attribute of a layer says where it stands in its stage: `layer_id == end_layer - 1`."""
    for one in project.mro(kind):
        entries = project.classes[one]["attrs"].get(attribute)
        if entries:
            return any(entry.get("ends") for entry in entries)
    return False
