"""The classes that `EntryClass` names, what kind of model each is, and where it keeps its layers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

from pplint.engine.builds import is_super
from pplint.engine.project import Padded, Project
from pplint.engine.reach import range_line
from pplint.engine.root import PACKAGE
from pplint.engine.vocabulary import ENCODER, MODELS
from pplint.records import Record

MODEL, DRAFT, ENCODER_KIND, OTHER = "model", "draft", "encoder", "other"
KINDS = (MODEL, DRAFT, ENCODER_KIND, OTHER)

_MAKER = re.compile(r"^make_\w*layers\w*$")
_LISTS = re.compile(r"^(layers|h|blocks|layer|decoder_layers)$")
_TOWER = re.compile(r"vis(ion|ual)|audio|image|speech|encoder|tower|projector|resampler|talker")
_TASK = re.compile(r"For[A-Z]")
_DEPTH = 4


_KEPT: WeakKeyDictionary[Project, dict[tuple[str, str], frozenset[str]]] = WeakKeyDictionary()


class LayerList(Record):
    """A list of layers: the class that makes it, the attribute and the line; `split` when it is padded.

    `path` is the chain of attributes that leads from the top-level class to an instance of `holder`, which is the
    owner or derives from it.
    """

    path: tuple[str, ...]
    holder: str
    owner: str
    attribute: str
    line: int
    split: bool


class Model(Record):
    """A class that `EntryClass` names: its kind (one of KINDS) and why it is that.

    `layers` are the lists that its language model may keep (more than one where the inner class is chosen at run
    time), `inner` the classes on the way to them with their chain, the top-level class first.
    """

    class_id: str
    kind: str
    why: str
    layers: tuple[LayerList, ...]
    inner: tuple[tuple[tuple[str, ...], str], ...]


def model_of(project: Project, class_id: str) -> Model:
    """What there is to know about a top-level class before its duties are asked for."""
    found = tuple(_lists(project, class_id, (), frozenset()))
    inner = dict.fromkeys(_way(project, class_id, found))
    kind, why = _kind(project, class_id, found)
    return Model(class_id, kind, why, found, tuple(inner))


def _kind(project: Project, class_id: str, layers: tuple[LayerList, ...]) -> tuple[str, str]:
    name, module = project.class_name(class_id), project.module_of(class_id)
    if in_other_runtime(module):
        return OTHER, f"it lies outside `{MODELS}`: the stages of pipeline parallelism are not for it"
    if project.is_draft(class_id):
        return DRAFT, "a draft model runs whole on one stage and numbers its layers from 0 by itself"
    if ENCODER.search(name) and not _TASK.search(name):
        return ENCODER_KIND, "an encoder runs whole: it has no layers that stages share"
    if not layers and (tower := _encoder_inside(project, class_id)):
        return ENCODER_KIND, f"its layers are those of the encoder `{tower}`, which runs whole"
    return MODEL, ""


def in_other_runtime(module: str) -> bool:
    """Whether a module of SGLang lies outside the package whose classes the model runner loads."""
    return module.startswith(f"{PACKAGE}.") and not module.startswith(f"{MODELS}.")


def _encoder_inside(project: Project, class_id: str, depth: int = 0) -> str:
    """The encoder that an instance keeps, where what it keeps is nothing else with layers."""
    for attribute in _attributes(project, class_id) if depth < 3 else ():
        for one in sorted(project.attribute_types(class_id, attribute)):
            name = project.class_name(one)
            found = name if ENCODER.search(name) else _encoder_inside(project, one, depth + 1)
            if found:
                return found
    if depth:
        return ""
    module = project.module_of(class_id)
    beside = [name for name in project.summaries[module]["classes"] if own_list(project, f"{module}:{name}")]
    return beside[0] if beside and all(map(ENCODER.search, beside)) else ""


def _lists(
    project: Project, class_id: str, path: tuple[str, ...], seen: frozenset[str]
) -> Iterator[LayerList]:
    """The lists of layers of the nearest attribute that leads to any, a split one before a plain one."""
    own = own_list(project, class_id)
    if own is not None:
        yield LayerList(path, class_id, *own)
        return
    if len(path) >= _DEPTH:
        return
    plain: list[LayerList] = []
    tower: list[LayerList] = []
    for attribute in _attributes(project, class_id):
        found = [
            one
            for kind in sorted(kept_classes(project, class_id, attribute) - seen)
            if not ENCODER.search(project.class_name(kind))
            for one in _lists(project, kind, (*path, attribute), seen | {class_id, kind})
        ]
        if any(one.split for one in found):
            yield from found
            return
        if _TOWER.search(attribute):
            tower = tower or found
        else:
            plain = plain or found
    yield from plain or tower


def own_list(project: Project, class_id: str) -> tuple[str, str, int, bool] | None:
    """The list of layers that a class makes by itself: (owner, attribute, line, split), or None.

    A class may ask for the range itself and build a list of its own by it; what a maker builds that is not told the
    stage is whole all the same.
    """
    plain = ranged = None
    for one in project.mro(class_id):
        attributes = project.classes[one]["attrs"]
        for attribute, entries in sorted(attributes.items(), key=lambda item: not _LISTS.match(item[0])):
            padded: Padded | None = project.padded_attribute(one, attribute)
            if padded is not None:
                return padded.owner, attribute, padded.line, True
            if ranged is None and (line := range_line(attribute, entries)) is not None:
                ranged = one, "layers", line, True
            if plain is None and (found := _plain_entry(attribute, entries)):
                plain = (one, attribute, int(found["line"]), False), found["v"][1][-1]
    if plain is not None and (ranged is None or _MAKER.match(plain[1])):
        return plain[0]
    return ranged


def _plain_entry(attribute: str, entries: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
    for entry in entries:
        value = entry["v"]
        name = value[1][-1] if value[0] == "call" else ""
        if _MAKER.match(name) or (name == "ModuleList" and _LISTS.match(attribute)):
            return entry
    return None


def _attributes(project: Project, class_id: str) -> list[str]:
    names = {name for one in project.mro(class_id) for name in project.classes[one]["attrs"]}
    return sorted(names, key=lambda name: (bool(_TOWER.search(name)), "model" not in name, name))


def kept_along(project: Project, class_id: str, path: Iterable[str]) -> frozenset[str]:
    """The classes that a chain of attributes may lead to from an instance of a class."""
    reached = frozenset({class_id})
    for attribute in path:
        reached = frozenset(kind for one in reached for kind in kept_classes(project, one, attribute))
    return reached


def kept_classes(project: Project, class_id: str, attribute: str) -> frozenset[str]:
    """The classes that an attribute may hold in an instance of exactly this class.

    What only a subclass hands to the constructor has no say here.
    """
    known = _KEPT.setdefault(project, {})
    found = known.get((class_id, attribute))
    if found is None:
        found = known[class_id, attribute] = _kept_classes(project, class_id, attribute)
    return found


def _kept_classes(project: Project, class_id: str, attribute: str) -> frozenset[str]:
    found = project.attribute_types(class_id, attribute)
    if len(found) < 2:
        return found
    constructors = [project.classes[one]["methods"].get("__init__") for one in project.mro(class_id)]
    defaults = {
        project.resolve_class(project.module_of(one), name)
        for one, facts in zip(project.mro(class_id), constructors, strict=True)
        if facts is not None
        for name in facts["defaults"].values()
    }
    handed = _handed_from_below(project, class_id) - defaults
    return found - handed or found


def _handed_from_below(project: Project, class_id: str) -> frozenset[str]:
    """The classes that subclasses name when they call the constructor above them."""
    below = set(project.children(class_id))
    return frozenset(
        kind
        for one in project.mro(class_id)
        for place, build in project.builds(one)
        if place.owner in below and is_super(build)
        for values in (*build["args"], *build["kwargs"].values())
        for value in values
        if value[0] == "path"
        for kind in project.callee_classes(place, value[1])
    )


def _way(
    project: Project, class_id: str, layers: tuple[LayerList, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """The classes on the way to the lists, each with its chain."""
    yield (), class_id
    for one in layers:
        for end in range(1, len(one.path) + 1):
            reached = sorted(kept_along(project, class_id, one.path[:end]))
            yield from ((one.path[:end], kind) for kind in reached if leads(project, kind, one, end))


def leads(project: Project, class_id: str, to: LayerList, position: int) -> bool:
    """Whether an instance of a class leads to the holder of a list by the rest of its chain."""
    return to.holder in kept_along(project, class_id, to.path[position:])
