"""What pools keep per layer, how they translate ids for inner pools, what their `start_layer` is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pplint.engine.asking import remembered
from pplint.engine.builds import is_super
from pplint.engine.names import Place, Rows
from pplint.engine.project import Project
from pplint.engine.vocabulary import MODEL_COUNT_NAMES, STAGE_COUNT_NAMES, is_start
from pplint.records import Record

_DEPTH = 3
_LISTED = "listed"


class StageList(Record):
    """What shows that a list has one entry per layer of the stage (`shifted`: by `id - start_layer`)."""

    module: str
    line: int
    method: str
    shifted: bool


class Pinned(Record):
    """Where a class sets `start_layer` to a number."""

    owner: str
    line: int
    number: int


def stage_list(project: Project, class_id: str, attribute: str, depth: int = 0) -> StageList | None:
    """Whether a class keeps one entry per layer of the stage in an attribute, its own or another's, and what shows it."""
    shifted = project.shifted(class_id, attribute)
    if shifted is not None:
        return StageList(*shifted, True)
    for one in project.mro(class_id):
        for entry in project.classes[one]["attrs"].get(attribute, ()):
            place = Place(project.module_of(one), one, entry["method"], class_id)
            if entry["v"][0] == "path" and entry["v"][1][-1] == attribute and depth < _DEPTH:
                for owner in project.types_of(place, tuple(entry["v"][1][:-1])) - {class_id}:
                    found = stage_list(project, owner, attribute, depth + 1)
                    if found is not None:
                        return found
            if entry["v"][0] != "list":
                continue
            if any(_counts_stage(project, place, part) for part in entry["v"][1]):
                return StageList(project.module_of(one), entry["line"], entry["method"], False)
    return None


def kept_by_pools(project: Project, path: Sequence[str]) -> str:
    """A class that keeps an entry per layer of the stage where a chain leads to, for a pool of unknown class; or "".

    Two of three pools that have the attribute keep such a list there.
    """
    if len(path) < 2 or "pool" not in path[-2]:
        return ""
    return project.row("kept", path[-1], lambda: all_kept(project)) or ""


def all_kept(project: Project) -> Rows:
    """The table of such attributes: the keeper that most classes derive from."""
    shifted = {name for facts in project.classes.values() for name in facts["shifted"]}
    keepers: dict[str, list[str]] = {}
    for class_id, facts in project.classes.items():
        kept = shifted & facts["attrs"].keys()
        for attribute in kept if kept and knows_stages(project, class_id) else ():
            keepers.setdefault(attribute, []).append(class_id)
    rows: Rows = {}
    for attribute, having in sorted(keepers.items()):
        lists = [one for one in having if stage_list(project, one, attribute) is not None]
        if lists and len(lists) * 3 >= len(having) * 2:
            rows[attribute] = min(lists, key=lambda one: (-len(project.children(one)), one))
    return rows


def is_list_name(project: Project, attribute: str) -> bool:
    """Whether `stage_list` may say something of attributes of that name."""
    return project.row(_LISTED, attribute, lambda: all_listed(project)) is True


def list_names(project: Project) -> Rows:
    """The names of all attributes of which `stage_list` may say something, as the keys of a table."""
    return project.table(_LISTED, lambda: all_listed(project))


def all_listed(project: Project) -> Rows:
    """The table of those names."""
    names = {*shifted_names(project), *(name for _, name in project.assigned["list"])}
    return dict.fromkeys(sorted(names), True)


def _counts_stage(project: Project, place: Place, value: list[Any], depth: int = 0) -> bool:
    """Whether a count is that of a stage's layers: by its name, and because whose count it is knows of stages."""
    if value == ["stage"]:
        return True
    if value[0] != "path" or value[1][-1] not in STAGE_COUNT_NAMES or depth > _DEPTH:
        return False
    path, own = value[1], place.as_class or place.owner
    if _counts_model(project, place, value):
        return False
    owners = frozenset({own}) if len(path) < 2 else project.types_of(place, tuple(path[:-1]))
    if not owners or any(knows_stages(project, one) for one in owners):
        return True
    return path[:-1] == ["self"] and any(
        _counts_stage(project, place._replace(function=entry["method"]), entry["v"], depth + 1)
        for one in project.mro(own)
        for entry in project.classes[one]["attrs"].get(path[-1], ())
    )


def _counts_model(project: Project, place: Place, value: list[Any], depth: int = 0) -> bool:
    """Whether a count is that of all layers: by its name, or by all that is assigned to it or handed to it."""
    if value[0] != "path" or depth > _DEPTH:
        return False
    path = value[1]
    if len(path) > 1 and path[-1] in MODEL_COUNT_NAMES - {"num_layers"}:
        return True
    if len(path) == 2 and path[0] == "self" and place.owner:
        nearest = (
            project.classes[one]["attrs"].get(path[1]) for one in project.mro(place.as_class or place.owner)
        )
        entries = next(filter(None, nearest), ())
        given = [(place._replace(function=entry["method"]), entry["v"]) for entry in entries]
    elif len(path) == 1 and place.function == "__init__":
        given = [(where, one) for where, values in project.passed(place, path[0]) for one in values]
    else:
        return False
    return bool(given) and all(_counts_model(project, where, one, depth + 1) for where, one in given)


@remembered
def knows_stages(project: Project, class_id: str) -> bool:
    """Whether a class, one above or one below has or takes the first layer of a stage."""
    family = (*project.mro(class_id), *project.children(class_id))
    return any(
        is_start(name)
        for one in family
        for kind in ("attrs", "methods")
        for name in project.classes[one][kind]
    ) or any(takes_range(project, one) for one in family)


def shifted_names(project: Project) -> frozenset[str]:
    """The names of what other files read in a way that matters.

    These are all lists that some class indexes by an id minus `start_layer`, and what the first layer prepares.
    """
    prepared = {name for summary in project.summaries.values() for name in summary["prepared"]}
    return frozenset(prepared.union(name for facts in project.classes.values() for name in facts["shifted"]))


def names_mapping(project: Project, attribute: str) -> bool:
    """Whether an attribute is a dictionary from GLOBAL to DENSE ids in every class that assigns it."""
    return bool(mapping_keepers(project, attribute))


def mapping_keepers(project: Project, attribute: str) -> list[str]:
    """The classes that assign such an attribute, if all of them do."""
    return project.row("mappings", attribute, lambda: all_mappings(project)) or []


def all_mappings(project: Project) -> Rows:
    """The table of such attributes: the classes that assign each."""
    keepers: dict[str, set[str]] = {}
    for class_id, attribute in project.assigned["mapping"]:
        keepers.setdefault(attribute, set()).add(class_id)
    others = {
        attribute
        for class_id, facts in project.classes.items()
        for attribute in keepers.keys() & facts["attrs"].keys()
        if class_id not in keepers[attribute]
    }
    return {attribute: sorted(keepers[attribute]) for attribute in sorted(keepers.keys() - others)}


def keeps_mapping(project: Project, class_id: str) -> bool:
    """Whether a class (or a base) looks GLOBAL ids up in a dictionary."""
    return any(
        entry["v"] == ["mapping"]
        for one in project.mro(class_id)
        for entries in project.classes[one]["attrs"].values()
        for entry in entries
    )


def returns_dense(project: Project, class_id: str, method: str, depth: int = 0) -> str:
    """The dictionary with which a method of a class translates an id, or ""."""
    found = project.method(class_id, method)
    if found is None or depth > 2 or not found[1]["returns"]:
        return ""
    names = {dense_through(project, class_id, value, depth + 1) for value in found[1]["returns"]}
    return names.pop() if len(names) == 1 else ""


def dense_through(project: Project, class_id: str, value: list[Any], depth: int = 0) -> str:
    """The dictionary that a described value, as methods of a class see it, came out of, or ""."""
    if value[0] == "item" and value[2] == 0:
        value = value[1]
    if value[0] == "lookup":
        path = value[1]
        own = len(path) == 2 and path[0] == "self" and project.is_mapping(class_id, path[1])
        return str(path[1]) if own else ""
    if value[0] == "call":
        callee = value[1]
        if len(callee) == 2 and callee[0] == "self":
            return returns_dense(project, class_id, callee[1], depth)
    return ""


def holds_one_kind(project: Project, class_id: str, method: str) -> bool:
    """Whether a method asks an inner pool through a dictionary that one list of layer ids fills.

    A dictionary that several lists fill (full attention and sliding window) holds every layer of the stage.
    """
    found = project.method(class_id, method)
    for _, _, value, _ in found[1]["asks"] if found is not None else ():
        name = dense_through(project, class_id, value)
        for one in project.mro(class_id) if name else ():
            fills = [
                entry for entry in project.classes[one]["attrs"].get(name, ()) if entry["v"] == ["mapping"]
            ]
            if fills:
                return len(fills) == 1
    return False


def pinned_start(project: Project, class_id: str) -> Pinned | None:
    """Where a class, or the base that sets it, gives `start_layer` nothing but one number."""
    for one in project.mro(class_id):
        facts = project.classes[one]
        entries = [entry for name, found in facts["attrs"].items() if is_start(name) for entry in found]
        method = facts["methods"].get("start_layer")
        if method is not None and method["property"]:
            returns = method["returns"]
            if returns and all(value[0] == "int" for value in returns):
                return Pinned(one, method["line"], returns[0][1])
            return None
        if entries:
            numbers = [entry for entry in entries if entry["v"][0] == "int"]
            if len(numbers) < len(entries):
                return None
            return Pinned(one, numbers[0]["line"], numbers[0]["v"][1])
        if "start_layer" in facts["constants"]:
            return Pinned(one, facts["line"], facts["constants"]["start_layer"])
    return None


def takes_range(project: Project, class_id: str) -> bool:
    """Whether the constructor of a class can be given a stage range."""
    constructor = project.method(class_id, "__init__")
    return constructor is not None and any(
        map(is_start, (*constructor[1]["params"], *constructor[1]["keywords"]))
    )


def bare_builders(project: Project, class_id: str) -> list[Place]:
    """Where a class (or the base built instead) comes to be, if it could get a stage range and never does."""
    for one in project.mro(class_id):
        if not takes_range(project, one):
            return []
        found = _bare(project, one)
        if found != []:
            return found or []
    return []


def _bare(project: Project, class_id: str) -> list[Place] | None:
    """The builders of a class and those below it, or None when one gives a stage range or may give it."""
    found: list[Place] = []
    for one in (class_id, *project.children(class_id)):
        constructor = project.method(one, "__init__")
        for place, build in project.builds(one):
            if is_super(build):
                continue
            given = constructor[1]["params"][1 : len(build["args"]) + 1] if constructor else []
            if build["star"] or any(map(is_start, (*build["kwargs"], *given))):
                return None
            found.append(place)
    return found
