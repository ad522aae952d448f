"""Classes without a say about what a method's name means: heirs, and pools inside of pools, which nobody else asks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from pplint.engine.asking import remembered
from pplint.engine.builds import is_super
from pplint.engine.project import Project


class Fronts:
    """The `classes` whose method of some name takes layer ids: who has a say besides about a receiver of unknown type?"""

    def __init__(self, project: Project, classes: Iterable[str]) -> None:
        self._project = project
        self.classes = frozenset(classes)

    @cached_property
    def _kept(self) -> frozenset[str]:
        return frozenset().union(*(_kept_by(self._project, one) for one in sorted(self.classes)))

    def leave_no_say_to(self, owner: str) -> bool:
        """Whether the definition of another class says nothing.

        It overrides one of theirs, whose callers know no better, or stands behind them.
        """
        return not self.classes.isdisjoint(self._project.mro(owner)) or self._stand_before(owner)

    def _stand_before(self, owner: str) -> bool:
        """Whether one of them keeps an instance of a class, or nobody but they builds one.

        They have a method of the same name. Whoever is outside holds one of them: the method of `owner` takes what
        that made of the id.
        """
        project = self._project
        kinds = {owner, *project.children(owner)}
        if not self._kept.isdisjoint(kinds):
            return True
        homes = {
            place.owner for kind in kinds for place, build in project.builds(kind) if not is_super(build)
        }
        return bool(homes) and all(
            home in project.classes and not self.classes.isdisjoint(project.mro(home)) for home in homes
        )


@remembered
def _kept_by(project: Project, front: str) -> frozenset[str]:
    """The classes of all that the instances of a class keep in their attributes."""
    attributes = {name for one in project.mro(front) for name in project.classes[one]["attrs"]}
    return frozenset(kind for name in attributes for kind in project.attribute_types(front, name))
