"""Classes without a say about what a method's name means: heirs, and pools inside of pools, which nobody else asks."""

from __future__ import annotations

from collections.abc import Collection

from pplint.engine.asking import remembered
from pplint.engine.project import Project


def has_no_say(project: Project, owner: str, fronts: Collection[str]) -> bool:
    """Whether a definition says nothing of a receiver of unknown type.

    It overrides one of the `fronts`, whose callers know no better, or stands behind them.
    """
    return not set(project.mro(owner)).isdisjoint(fronts) or _stands_behind(project, owner, fronts)


def _stands_behind(project: Project, owner: str, fronts: Collection[str]) -> bool:
    """Whether one of the classes `fronts` keeps an instance of `owner`, or nobody but they builds one.

    The fronts have a method of the same name. Whoever is outside holds a front: the method of `owner` takes what
    the front made of the id.
    """
    kinds = {owner, *project.children(owner)}
    if not all(_kept_by(project, front).isdisjoint(kinds) for front in fronts):
        return True
    homes = {
        place.owner
        for kind in kinds
        for place, build in project.builds(kind)
        if build["callee"] != ["super", "__init__"]
    }
    return bool(homes) and all(
        home in project.classes and not set(project.mro(home)).isdisjoint(fronts) for home in homes
    )


@remembered
def _kept_by(project: Project, front: str) -> frozenset[str]:
    """The classes of all that the instances of a class keep in their attributes."""
    attributes = {name for one in project.mro(front) for name in project.classes[one]["attrs"]}
    return frozenset(kind for name in attributes for kind in project.attribute_types(front, name))
