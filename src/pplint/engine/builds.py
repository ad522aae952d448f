"""The constructor calls of each class, and what they hand to its parameters."""

from typing import Any

from pplint.engine.asking import remembered
from pplint.engine.declarations import position_of
from pplint.engine.names import Names, Place, Rows

_ABOVE = ("super", "__init__")


def is_super(build: dict[str, Any]) -> bool:
    """Whether a constructor call is `super().__init__(...)`."""
    return tuple(build["callee"]) == _ABOVE


class Builds(Names):
    """Who builds the objects of a class."""

    @remembered
    def builds(self, class_id: str) -> list[tuple[Place, dict[str, Any]]]:
        """The constructor calls of a class."""
        found = []
        for module, owner, function, position in self.row("builds", class_id, self.all_builds) or ():
            place = Place(module, f"{module}:{owner}" if owner else "", function)
            found.append((place, self.builds_in(module)[position]))
        return found

    def all_builds(self) -> Rows:
        """The table of the constructor calls of each class: module, class there, function, number in the module."""
        builds: Rows = {}
        for module, summary in self.summaries.items():
            meant: dict[tuple[str, ...], str | None] = {}
            for position, build in enumerate(summary["builds"]):
                owner, function = build["in"]
                callee = tuple(build["callee"])
                if callee == _ABOVE:
                    built = self._constructor_above(f"{module}:{owner}")
                else:
                    if callee not in meant:
                        meant[callee] = self.resolve_class(module, callee)
                    built = meant[callee]
                if built is not None:
                    builds.setdefault(built, []).append([module, owner, function, position])
        return builds

    def built_under(self, class_id: str) -> str:
        """The flag under which each constructor call of a class, or of one below it, stands; or ""."""
        flags = [
            build["flag"]
            for one in (class_id, *self.children(class_id))
            for _, build in self.builds(one)
            if not is_super(build)
        ]
        return str(flags[0]) if flags and all(flags) else ""

    def _constructor_above(self, class_id: str) -> str | None:
        """The base of a class that defines the constructor which `super().__init__` runs."""
        bases = self.mro(class_id)[1:] if class_id in self.classes else ()
        return next((one for one in bases if "__init__" in self.classes[one]["methods"]), None)

    def passed(self, place: Place, parameter: str) -> list[tuple[Place, list[list[Any]]]]:
        """What the builders of a class (or of one that inherits its constructor) hand to a parameter.

        Where the class of `self` is known, subclasses that it does not derive from have no say.
        """
        found = []
        facts = self.function(place)
        lineage = self.mro(place.as_class) if place.as_class and place.as_class != place.owner else ()
        position = position_of(facts, parameter) if facts else None
        for one in (place.owner, *self.children(place.owner)):
            constructor = self.method(one, "__init__")
            if constructor is None or place.owner not in (constructor[0], one):
                continue
            for builder, build in self.builds(one):
                above = is_super(build)
                if lineage and (builder.owner not in lineage if above else one not in lineage):
                    continue
                values = build["kwargs"].get(parameter)
                if values is None and position is not None and position < len(build["args"]):
                    values = build["args"][position]
                if values is not None:
                    found.append((builder._replace(as_class=place.as_class) if above else builder, values))
        return found
