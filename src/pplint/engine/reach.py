"""Which classes keep a split layer list, which say so, and which top-level classes lead to them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from pplint.engine.project import Padded, Place, Project
from pplint.engine.vocabulary import ENCODER, RANGE_MAKERS, is_start

_DEPTH = 4
_ENTRIES: WeakKeyDictionary[Project, list[str]] = WeakKeyDictionary()
_ABOVE: WeakKeyDictionary[Project, dict[str, list[str]]] = WeakKeyDictionary()


class Split(NamedTuple):
    """A padded layer list below a class: the chain of attributes to its owner (empty: the class itself)."""

    path: tuple[str, ...]
    owner: str
    line: int


_SPLITS: WeakKeyDictionary[Project, dict[str, Split | None]] = WeakKeyDictionary()


def split_below(project: Project, class_id: str) -> Split | None:
    """The nearest padded layer list that an instance of a class keeps, itself or in an inner model."""
    known = _SPLITS.setdefault(project, {})
    if class_id not in known:
        known[class_id] = _split_below(project, class_id)
    return known[class_id]


def _split_below(project: Project, class_id: str) -> Split | None:
    for path, one in _inner(project, class_id):
        line = _split_line(project, one)
        if line is not None:
            return Split(path, one, line)
    return None


def forwards_range(project: Project, class_id: str) -> bool:
    """Whether a class hands `start_layer` on to an inner object with `__getattr__`."""
    if project.method(class_id, "__getattr__") is None:
        return False
    inner = {
        one
        for attribute in _attributes(project, class_id)
        for one in project.attribute_types(class_id, attribute)
    }
    return not inner or any(
        project.owns_start(one) or forwards_range(project, one) for one in inner - {class_id}
    )


def entry_classes(project: Project) -> list[str]:
    """The top-level classes: those that a module names in `EntryClass`, in order."""
    known = _ENTRIES.get(project)
    if known is None:
        known = _ENTRIES[project] = [class_id for _, _, class_id in entries(project) if class_id is not None]
    return known


def entries(project: Project) -> Iterator[tuple[str, str, str | None]]:
    """Each name in an `EntryClass`: the module, the name, and the class id, None where no such class is in view."""
    for module in sorted(project.summaries):
        for name in project.summaries[module]["entry"]:
            yield module, name, project.resolve_class(module, [name])


def entries_above(project: Project, class_id: str) -> list[str]:
    """The top-level classes which are, derive from, or keep an instance of a class."""
    known = _ABOVE.get(project)
    if known is None:
        known = _ABOVE[project] = {}
        for entry in entry_classes(project):
            for _, one in _inner(project, entry):
                for each in project.mro(one):
                    known.setdefault(each, []).append(entry)
    return known.get(class_id, [])


def _inner(project: Project, class_id: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The class and the classes of its attributes, nearest first, each with the chain that leads to it."""
    queue: deque[tuple[tuple[str, ...], str]] = deque([((), class_id)])
    seen = {class_id}
    while queue:
        path, one = queue.popleft()
        yield path, one
        if len(path) >= _DEPTH:
            continue
        for attribute in _attributes(project, one):
            for kind in sorted(project.attribute_types(one, attribute)):
                if kind not in seen and not ENCODER.search(project.class_name(kind)):
                    seen.add(kind)
                    queue.append(((*path, attribute), kind))


def _attributes(project: Project, class_id: str) -> list[str]:
    """The attributes that a class and its bases assign, those of a model first."""
    names = {name for one in project.mro(class_id) for name in project.classes[one]["attrs"]}
    return sorted(names, key=lambda name: ("model" not in name, name))


def _split_line(project: Project, class_id: str) -> int | None:
    for one in project.mro(class_id):
        for attribute, entries in project.classes[one]["attrs"].items():
            found: Padded | None = project.padded_attribute(one, attribute)
            line = found.line if found is not None else range_line(attribute, entries)
            if line is not None:
                return line
    return None


def range_line(attribute: str, entries: Iterable[dict[str, Any]]) -> int | None:
    """The line where an attribute becomes the first layer of the stage by asking for the range itself, or None."""
    for entry in entries:
        value = entry["v"]
        called = value[1][1] if value[0] == "item" and value[1][0] == "call" else ("",)
        if is_start(attribute) and called[-1] in RANGE_MAKERS:
            return int(entry["line"])
    return None


def stage_asking(project: Project, place: Place, callee: list[str]) -> bool | None:
    """Whether a called function looks at the stage range; None when its definition is not in view."""
    if len(callee) == 2 and callee[0] == "self" and place.owner:
        found = project.method(place.as_class or place.owner, callee[1])
        return None if found is None else bool(found[1]["stage"])
    target = project.resolve(place.module, callee)
    if target is None or target in project.classes:
        return None
    module, _, name = target.partition(":")
    return bool(project.summaries[module]["functions"][name]["stage"])
