"""Which classes keep a split layer list, which say so, and which top-level classes lead to them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from pplint.engine.asking import compared, remembered
from pplint.engine.names import Place, Rows
from pplint.engine.project import Padded, Project
from pplint.engine.vocabulary import ENCODER, RANGE_MAKERS, is_start
from pplint.records import Record

_DEPTH = 4


class Split(Record):
    """A padded layer list below a class: the chain of attributes to its owner (empty: the class itself).

    `home` is the owner, or the base of it that makes the list.
    """

    path: tuple[str, ...]
    owner: str
    home: str


@compared(lambda path, owner, home: Split(tuple(path), owner, home))
def split_below(project: Project, class_id: str) -> Split | None:
    """The nearest padded layer list that an instance of a class keeps, itself or in an inner model."""
    for path, one in inner_classes(project, class_id):
        made = _split_made(project, one)
        if made is not None:
            return Split(path, one, made[0])
    return None


def split_line(project: Project, split: Split) -> int:
    """The line where the list is made."""
    made = _split_made(project, split.home)
    return made[1] if made is not None else 0


_LANGUAGE_MODEL = r"^_?((language|text|base|llm)_)?model$|^_?(llm|lm|backbone|thinker)$"


def keeps_unknown_model(project: Project, class_id: str) -> bool:
    """Whether a class keeps a language model of which nobody says the class."""
    return any(
        re.search(_LANGUAGE_MODEL, name) and not project.attribute_types(class_id, name)
        for one in project.mro(class_id)
        for name in project.classes[one]["attrs"]
    )


class Taken(Record):
    """A property at `line` of `owner` that takes `start_layer` from a `chain` whose class (an id) `lacks` has none."""

    owner: str
    line: int
    chain: str
    lacks: str


def taken_from_nothing(project: Project, class_id: str) -> Taken | None:
    """The property with which a class means to say its first layer, where reading it raises AttributeError."""
    for one in project.mro(class_id):
        facts = project.classes[one]
        method = facts["methods"].get("start_layer")
        if "start_layer" in facts["attrs"] or (method is not None and not method["property"]):
            return None
        if method is None:
            continue
        place = Place(project.module_of(one), one, "start_layer", class_id)
        lacks: list[str] = []
        chain: list[str] = []
        for value in method["returns"]:
            chain = value[1] if value[0] == "path" and len(value[1]) > 2 else []
            kinds = project.types_of(place, tuple(chain[:-1])) if chain[:1] == ["self"] else frozenset()
            if not kinds or any(may_have(project, kind, chain[-1]) for kind in kinds):
                return None
            lacks.append(min(kinds))
        return Taken(one, method["line"], ".".join(chain), lacks[0]) if lacks else None
    return None


def forwards_range(project: Project, class_id: str) -> bool:
    """Whether a class hands `start_layer` on to an inner object with `__getattr__`."""
    if project.method(class_id, "__getattr__") is None:
        return False
    inner = {
        one
        for attribute in attributes_of(project, class_id)
        for one in project.attribute_types(class_id, attribute)
    }
    return not inner or any(
        project.owns_start(one) or forwards_range(project, one) for one in inner - {class_id}
    )


_MODULES = frozenset({"Module", "ABC", "object", "Generic"})
"""Bases out of view that bring nothing of a stage or of a model."""


def may_have(project: Project, class_id: str, name: str) -> bool:
    """Whether instances of a class have an attribute, as far as is known: a base that is not in view may bring any."""
    for one in project.mro(class_id):
        facts = project.classes[one]
        if "__getattr__" in facts["methods"] or any(
            name in facts[kind] for kind in ("attrs", "methods", "constants")
        ):
            return True
        unseen = [base for base in facts["bases"] if base.rpartition(".")[2] not in _MODULES]
        if len(unseen) > len(project.bases(one)):
            return True
    return False


def may_tell_range(project: Project, class_id: str) -> bool:
    """Whether a class says its first layer or hands on that of an inner object.

    A base of SGLang's or of the tree that is not in view may do so; one of another package knows no stages.
    """
    if project.owns_start(class_id) or forwards_range(project, class_id):
        return True
    return any(
        base.rpartition(".")[2] not in _MODULES
        and project.imported(project.module_of(one), base.split(".")[0]) is not None
        and project.resolve_class(project.module_of(one), base.split(".")) is None
        for one in project.mro(class_id)
        for base in project.classes[one]["bases"]
    )


def hidden(project: Project, class_id: str) -> Split | None:
    """The split layer list whose range a class that accepts pipeline parallelism does not tell, or None."""
    return split_below(project, class_id) if tells_nothing(project, class_id) else None


def tells_nothing(project: Project, class_id: str) -> bool:
    """Whether a class accepts pipeline parallelism without any way to ask it for its range."""
    if not project.accepts_pp(class_id) or project.is_draft(class_id):
        return False
    if project.owns_start(class_id):
        return taken_from_nothing(project, class_id) is not None
    return not may_tell_range(project, class_id)


def entry_classes(project: Project) -> list[str]:
    """The top-level classes: those that a module names in `EntryClass`, in order."""
    found: list[str] = project.row("entries", "*", lambda: all_entries(project))
    return found


def is_entry(project: Project, class_id: str) -> bool:
    """Whether a class is a top-level class."""
    return project.row("entry", class_id, lambda: entry_table(project)) is True


def entry_table(project: Project) -> Rows:
    """The table of the top-level classes by id."""
    return dict.fromkeys(entry_classes(project), True)


def all_entries(project: Project) -> Rows:
    """The table of the top-level classes; it has one row."""
    return {"*": [class_id for _, _, class_id in named_entries(project) if class_id is not None]}


def named_entries(project: Project) -> Iterator[tuple[str, str, str | None]]:
    """Each name in an `EntryClass`: the module, the name, and the class id, None where no such class is in view."""
    for module in sorted(project.summaries):
        for name in project.summaries[module]["entry"]:
            yield module, name, project.resolve_class(module, [name])


def entries_above(project: Project, class_id: str) -> list[str]:
    """The top-level classes which are, derive from, or keep an instance of a class."""
    return project.row("above", class_id, lambda: all_above(project)) or []


def all_above(project: Project) -> Rows:
    """The table of the top-level classes above each class."""
    above: Rows = {}
    for entry in entry_classes(project):
        for _, one in inner_classes(project, entry):
            for each in project.mro(one):
                above.setdefault(each, []).append(entry)
    return above


def inner_classes(project: Project, class_id: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The class and the classes of its attributes, nearest first, each with the chain that leads to it."""
    queue: deque[tuple[tuple[str, ...], str]] = deque([((), class_id)])
    seen = {class_id}
    while queue:
        path, one = queue.popleft()
        yield path, one
        if len(path) >= _DEPTH:
            continue
        for attribute, kind in _kept(project, one):
            if kind not in seen:
                seen.add(kind)
                queue.append(((*path, attribute), kind))


@remembered
def _kept(project: Project, class_id: str) -> list[tuple[str, str]]:
    """The attributes of a class with the classes of what they hold, encoders left out."""
    return [
        (attribute, kind)
        for attribute in attributes_of(project, class_id)
        for kind in sorted(project.attribute_types(class_id, attribute))
        if not ENCODER.search(project.class_name(kind))
    ]


def attributes_of(project: Project, class_id: str) -> list[str]:
    """The attributes that a class and its bases assign, those of a model first."""
    names = {name for one in project.mro(class_id) for name in project.classes[one]["attrs"]}
    return sorted(names, key=lambda name: ("model" not in name, name))


@remembered
def _split_made(project: Project, class_id: str) -> tuple[str, int] | None:
    """The class and the line that make a padded list for a class."""
    replaced: set[str] = set()
    for one in project.mro(class_id):
        attributes = project.classes[one]["attrs"]
        for attribute, entries in attributes.items():
            found: Padded | None = project.padded_attribute(one, attribute)
            line = found.line if found is not None else range_line(attribute, entries)
            if line is not None and attribute not in replaced:
                return one, line
        replaced.update(attributes)
    return None


def range_line(attribute: str, entries: Iterable[dict[str, Any]]) -> int | None:
    """The line where an attribute becomes the first layer of the stage by asking for the range itself, or None."""
    for entry in entries:
        value = entry["v"]
        called = value[1][1] if value[0] == "item" and value[1][0] == "call" else ("",)
        if is_start(attribute) and called[-1] in RANGE_MAKERS:
            return int(entry["line"])
    return None


def runs_base(project: Project, class_id: str, owner: str, method: str) -> bool:
    """Whether a class runs the method that a base `owner` defines: it inherits it, or its own hands on to `super()`."""
    for one in project.mro(class_id):
        facts = project.classes[one]["methods"].get(method)
        if one == owner:
            return True
        if facts is not None and not _hands_on(project, one, method):
            return False
    return False


def _hands_on(project: Project, class_id: str, method: str) -> bool:
    """Whether a method of a class calls that of its bases."""
    if method in project.classes[class_id]["methods"][method]["supers"]:
        return True
    return method == "__init__" and any(
        place.owner == class_id and place.function == method and build["callee"] == ["super", method]
        for base in project.mro(class_id)[1:]
        for place, build in project.builds(base)
    )
