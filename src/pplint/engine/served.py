"""The layers of the served model, for code that keeps it and does not say its class: that is known when a server runs."""

from collections import Counter

from pplint.engine.names import Place, Rows
from pplint.engine.pools import knows_stages
from pplint.engine.project import Padded, Project
from pplint.engine.reach import entry_classes, inner_classes

_DEPTH = 3


def served_layers(project: Project, place: Place, path: tuple[str, ...]) -> Padded | None:
    """The padded list at a chain such as `self.model.model.layers`, where `self.model` is a served model; or None.

    Its owner is one example of the classes that the model may have.
    """
    if len(path) < 4 or not project.is_padded_name(path[-1]):
        return None
    for end in range(2, len(path) - 1):
        if not project.types_of(place, path[:end]):
            if not _is_served(project, place, path[:end]):
                return None
            owner = project.row("served", ".".join(path[end:]), lambda: all_served(project))
            found = project.padded_attribute(owner, path[-1]) if owner else None
            return found._replace(served=True) if found is not None else None
    return None


def _is_served(project: Project, place: Place, path: tuple[str, ...], depth: int = 0) -> bool:
    """Whether a chain leads to the `model` of an object that knows of stages and is no module itself."""
    if len(path) < 2 or depth > _DEPTH:
        return False
    for keeper in project.types_of(place, path[:-1]):
        if path[-1] == "model" and (knows_stages(project, keeper) or project.accepts_pp(keeper)):
            return not _is_module(project, keeper)
        for one in project.mro(keeper):
            for entry in project.classes[one]["attrs"].get(path[-1], ()):
                inner = Place(project.module_of(one), one, entry["method"], keeper)
                if _was_handed(project, inner, entry["v"], depth):
                    return True
    return False


def _was_handed(project: Project, place: Place, value: list[object], depth: int) -> bool:
    """Whether an attribute holds a served model that a constructor was handed."""
    if value[0] != "path" or place.function != "__init__":
        return False
    path = value[1]
    assert isinstance(path, list)
    if len(path) > 1:
        return _is_served(project, place, tuple(path), depth + 1)
    return any(
        _is_served(project, builder, tuple(one[1]), depth + 1)
        for builder, values in project.passed(place, path[0])
        for one in values
        if one[0] == "path"
    )


def _is_module(project: Project, class_id: str) -> bool:
    bases = (base for one in project.mro(class_id) for base in project.classes[one]["bases"])
    return any(base.rpartition(".")[2] == "Module" for base in bases)


def all_served(project: Project) -> Rows:
    """The table of the chains from a top-level class to a padded list: the class that keeps it in most models."""
    keepers: dict[str, Counter[str]] = {}
    names = project.padded_names()
    for entry in entry_classes(project):
        for chain, one in inner_classes(project, entry) if not project.is_draft(entry) else ():
            for name in sorted(names):
                padded = project.padded_attribute(one, name)
                if padded is not None:
                    keepers.setdefault(".".join((*chain, name)), Counter())[padded.owner] += 1
    return {chain: max(sorted(found), key=found.__getitem__) for chain, found in sorted(keepers.items())}
