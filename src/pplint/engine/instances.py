"""What expressions may be instances of, and how the objects in attributes come to be."""

import ast
import re
from typing import Any, NamedTuple

from pplint.engine.asking import remembered
from pplint.engine.names import PICKED, Names, Place, Rows, absolute
from pplint.engine.vocabulary import is_start

_WORD = re.compile(r"[A-Za-z_][\w.]*")
_DEPTH = 8
SUPER = "super()"
"""The root of a chain that starts with a call of `super`."""

_ABOVE = ("super", "__init__")

_NOTHING: tuple[frozenset[str], tuple[str, ...]] = frozenset(), ()


class Builder(NamedTuple):
    """One way an object comes to be: with a stage range (True), without (False), or unknown (None)."""

    with_range: bool | None
    module: str
    line: int
    class_id: str


class Types(Names):
    """The classes of expressions."""

    def types_of(self, place: Place, path: tuple[str, ...], depth: int = 0) -> frozenset[str]:
        """The classes that an expression may be an instance of; empty when unknown."""
        key = (place, path)
        asking = self.asking
        known = asking.known.get(key)
        if known is not None:
            asking.keys.update(known[1])
            types: frozenset[str] = known[0]
            return types
        if depth > _DEPTH or not path:
            return frozenset()
        asking.known[key] = _NOTHING
        outer, asking.keys = asking.keys, set()
        try:
            found = self._root_types(place, path[0], depth)
            for attribute in path[1:]:
                found = frozenset(t for one in found for t in self.attribute_types(one, attribute, depth + 1))
            asking.known[key] = found, tuple(asking.keys)
        finally:
            outer |= asking.keys
            asking.keys = outer
        return found

    def _root_types(self, place: Place, root: str, depth: int) -> frozenset[str]:
        if root == "self" and place.owner:
            return frozenset({place.as_class or place.owner})
        if root == SUPER and place.owner:
            return frozenset(self.bases(place.owner))
        facts = self.function(place)
        if facts is None or root not in (*facts["params"], *facts["keywords"]):
            around = "" if place.owner else place.function.rpartition(".")[0]
            return self._root_types(place._replace(function=around), root, depth) if around else frozenset()
        found = self._annotated(place.module, facts["annotations"].get(root, ""))
        if place.function == "__init__" and not found:
            for builder, values in self.passed(place, root):
                for value in values:
                    found |= self.types_of_value(builder, value, depth + 1)
        return found

    def _annotated(self, module: str, annotation: str) -> frozenset[str]:
        words = _WORD.findall(annotation)
        return frozenset(found for word in words if (found := self.resolve_class(module, word.split("."))))

    def attribute_types(self, class_id: str, attribute: str, depth: int = 0) -> frozenset[str]:
        """The classes that `instance.attribute` may be an instance of."""
        for one in self.mro(class_id):
            facts = self.classes[one]
            found: frozenset[str] = frozenset()
            for entry in facts["attrs"].get(attribute, ()):
                place = Place(self.module_of(one), one, entry["method"], class_id)
                found |= self.types_of_value(place, entry["v"], depth)
            method = facts["methods"].get(attribute)
            if method is not None and method["property"]:
                for value in method["returns"]:
                    found |= self.types_of_value(Place(self.module_of(one), one, attribute), value, depth)
            if found:
                return found
        return frozenset()

    def types_of_value(self, place: Place, value: list[Any], depth: int = 0) -> frozenset[str]:
        """The classes of a described value."""
        if depth > _DEPTH:
            return frozenset()
        if value[0] == "path":
            return self.types_of(place, tuple(value[1]), depth + 1)
        if value[0] == "call":
            return self._called(place, value[1], depth)
        return frozenset()

    def _called(self, place: Place, callee: list[str], depth: int) -> frozenset[str]:
        built = self.callee_classes(place, callee)
        if built:
            return built
        if len(callee) == 2 and callee[0] == "self" and place.owner:
            owner = place.as_class or place.owner
            found = self.method(owner, callee[1])
            if found is not None:
                inner = Place(self.module_of(found[0]), found[0], callee[1], owner)
                return frozenset(
                    t for r in found[1]["returns"] for t in self.types_of_value(inner, r, depth + 1)
                )
            return self.attribute_classes(owner, callee[1])
        function = self.resolve(place.module, callee)
        if function is not None and function not in self.classes:
            module, _, name = function.partition(":")
            facts = self.plain_function(module, name)
            inner = Place(module, "", name)
            returns = facts["returns"] if facts is not None else ()
            return frozenset(t for r in returns for t in self.types_of_value(inner, r, depth + 1))
        return frozenset()

    def attribute_classes(self, class_id: str, attribute: str) -> frozenset[str]:
        """Classes (not instances) that an attribute may hold: `self.pool_cls = Pool`."""
        found: set[str] = set()
        for one in self.mro(class_id):
            for entry in self.classes[one]["attrs"].get(attribute, ()):
                if entry["v"][0] == "path":
                    place = Place(self.module_of(one), one, entry["method"])
                    found |= self.callee_classes(place, entry["v"][1])
            if found and any(not e["method"] for e in self.classes[one]["attrs"].get(attribute, ())):
                break
        return frozenset(found)

    def callee_classes(self, place: Place, callee: list[str], depth: int = 0) -> frozenset[str]:
        """The classes that a call constructs: by name, or through a parameter that holds a class."""
        if callee[-1] == PICKED:
            return self._chosen(place.module, callee[:-1])
        direct = self.resolve_class(place.module, callee)
        if direct is not None:
            return frozenset({direct})
        facts = self.function(place)
        if len(callee) != 1 or facts is None or depth > _DEPTH:
            return frozenset()
        found: frozenset[str] = frozenset()
        passed = []
        if place.function == "__init__" and callee[0] in (*facts["params"], *facts["keywords"]):
            passed = self.passed(place, callee[0])
        for builder, values in passed:
            for value in values:
                if value[0] == "path":
                    found |= self.callee_classes(builder, value[1], depth + 1)
        default = facts["defaults"].get(callee[0])
        if default and not (found and place.as_class and place.as_class != place.owner):
            found |= frozenset({self.resolve_class(place.module, default) or ""} - {""})
        return found

    def _chosen(self, module: str, table: list[str]) -> frozenset[str]:
        """The classes in a table of this module, or of the one that it is imported from."""
        imported = self.summaries[module]["imports"].get(table[0])
        if imported is not None and len(table) == 1:
            module, table = absolute(module, imported[0]), imported[1:]
        names = self.summaries[module]["choices"].get(".".join(table), ()) if module in self.summaries else ()
        found = [self.resolve_class(module, name.split(".")) for name in names]
        return frozenset(found) if all(found) else frozenset()  # type: ignore[arg-type]

    @remembered
    def builds(self, class_id: str) -> list[tuple[Place, dict[str, Any]]]:
        """The constructor calls of a class."""
        found = []
        for module, owner, function, position in self.row("builds", class_id, self.all_builds) or ():
            build = dict.get(self.summaries, module) or self.summaries[module]
            place = Place(module, f"{module}:{owner}" if owner else "", function)
            found.append((place, build["builds"][position]))
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

    def does_without(self, attribute: str) -> bool:
        """Whether code that reads an attribute does something else where it is missing."""
        return self.row("soft", attribute, self.all_soft) is True

    def all_soft(self) -> Rows:
        """The table of the attributes that some code can do without."""
        return {name: True for summary in self.summaries.values() for name in summary["soft"]}

    def built_under(self, class_id: str) -> str:
        """The flag under which each constructor call of a class, or of one below it, stands; or ""."""
        flags = [
            build["flag"]
            for one in (class_id, *self.children(class_id))
            for _, build in self.builds(one)
            if build["callee"] != ["super", "__init__"]
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
                above = build["callee"] == ["super", "__init__"]
                if lineage and (builder.owner not in lineage if above else one not in lineage):
                    continue
                values = build["kwargs"].get(parameter)
                if values is None and position is not None and position < len(build["args"]):
                    values = build["args"][position]
                if values is not None:
                    found.append((builder._replace(as_class=place.as_class) if above else builder, values))
        return found

    def builders_of(self, place: Place, path: tuple[str, ...], depth: int = 0) -> list[Builder]:
        """How the object at a chain comes to be, and whether it is given a stage range."""
        if depth > 4 or len(path) < 2:
            return []
        found: list[Builder] = []
        for owner in self.types_of(place, path[:-1]):
            for one in self.mro(owner):
                for entry in self.classes[one]["attrs"].get(path[-1], ()):
                    inner = Place(self.module_of(one), one, entry["method"])
                    found += self._builder(inner, entry["v"], depth)
        return found

    def _builder(self, place: Place, value: list[Any], depth: int) -> list[Builder]:
        if value[0] == "call":
            classes = self.callee_classes(place, value[1])
            ranged: bool | None = any(map(is_start, value[2]))
            if not ranged:
                ranged = any(self._reaches_start(one, value[5]) for one in classes) or (
                    None if value[3] else False
                )
            return [Builder(ranged, place.module, value[4], one) for one in sorted(classes)]
        if value[0] == "path" and len(value[1]) == 1 and place.function == "__init__":
            return [
                builder
                for where, values in self.passed(place, value[1][0])
                for one in values
                for builder in self._builder(where, one, depth + 1)
            ]
        if value[0] == "path" and len(value[1]) > 1:
            return self.builders_of(place, tuple(value[1]), depth + 1)
        return []

    def _reaches_start(self, class_id: str, positional: int) -> bool:
        constructor = self.method(class_id, "__init__")
        if constructor is None:
            return False
        return any(is_start(name) for name in constructor[1]["params"][1 : positional + 1])


def position_of(facts: dict[str, Any], parameter: str) -> int | None:
    """The 0-based position of a parameter among the arguments of a call, or None for keyword-only ones."""
    if parameter not in facts["params"]:
        return None
    index: int = facts["params"].index(parameter)
    return (
        index
        if facts["static"] or not facts["params"] or facts["params"][0] not in ("self", "cls")
        else index - 1
    )


def given_for(facts: dict[str, Any], parameter: str, call: ast.Call) -> ast.expr | None:
    """The argument of a call that a parameter of the called function gets, or None."""
    position = position_of(facts, parameter)
    if position is not None and position < len(call.args):
        return call.args[position]
    return next((keyword.value for keyword in call.keywords if keyword.arg == parameter), None)
