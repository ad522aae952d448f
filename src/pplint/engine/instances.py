"""What expressions may be instances of, and how the objects in attributes come to be."""

from __future__ import annotations

import re
from typing import Any

from pplint.engine.builds import Builds
from pplint.engine.names import PICKED, Place, Rows, absolute
from pplint.engine.vocabulary import is_start
from pplint.records import Record

_WORD = re.compile(r"[A-Za-z_][\w.]*")
_DEPTH = 8
_FAR = 4
SUPER = "super()"
"""The root of a chain that starts with a call of `super`."""

_NOTHING: tuple[frozenset[str], tuple[str, ...]] = frozenset(), ()


class Builder(Record):
    """One way an object comes to be: with a stage range (True), without (False), or unknown (None)."""

    with_range: bool | None
    module: str
    line: int
    class_id: str


class Types(Builds):
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
        returned = self._returned(place, callee)
        if returned is None:
            return self.attribute_classes(place.as_class or place.owner, callee[1])
        return frozenset(t for inner, one in returned for t in self.types_of_value(inner, one, depth + 1))

    def _returned(self, place: Place, callee: list[str]) -> list[tuple[Place, list[Any]]] | None:
        """What a called function or own method returns, and where; None for an attribute of `self` that is no method."""
        if len(callee) == 2 and callee[0] == "self" and place.owner:
            owner = place.as_class or place.owner
            found = self.method(owner, callee[1])
            if found is None:
                return None
            inner = Place(self.module_of(found[0]), found[0], callee[1], owner)
            return [(inner, one) for one in found[1]["returns"]]
        named = self.named_function(place.module, callee)
        return [(named[0], one) for one in named[1]["returns"]] if named is not None else []

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
            return self._picked(place, callee[:-1])
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

    def _picked(self, place: Place, table: list[str]) -> frozenset[str]:
        """The classes in a table, by its name or by that of an attribute that a class body gives it."""
        if len(table) == 2 and table[0] == "self" and place.owner:
            for one in self.mro(place.as_class or place.owner):
                for entry in self.classes[one]["attrs"].get(table[1], ()):
                    named = entry["v"][0] == "path" and not entry["method"]
                    return self._chosen(self.module_of(one), entry["v"][1]) if named else frozenset()
        return self._chosen(place.module, table)

    def _chosen(self, module: str, table: list[str]) -> frozenset[str]:
        """The classes in a table of this module, or of the one that it is imported from."""
        imported = self.imported(module, table[0])
        if imported is not None and len(table) == 1:
            module, table = absolute(module, imported[0]), imported[1:]
        names = self.summaries[module]["choices"].get(".".join(table), ()) if module in self.summaries else ()
        found = [self.resolve_class(module, name.split(".")) for name in names]
        return frozenset(found) if all(found) else frozenset()  # type: ignore[arg-type]

    def does_without(self, attribute: str) -> bool:
        """Whether code that reads an attribute does something else where it is missing."""
        return self.row("soft", attribute, self.all_soft) is True

    def all_soft(self) -> Rows:
        """The table of the attributes that some code can do without."""
        return {name: True for summary in self.summaries.values() for name in summary["soft"]}

    def builders_of(self, place: Place, path: tuple[str, ...], depth: int = 0) -> list[Builder]:
        """How the object at a chain comes to be, and whether it is given a stage range."""
        if depth > _FAR or len(path) < 2:
            return []
        found: list[Builder] = []
        for owner in self.types_of(place, path[:-1]):
            for one in self.mro(owner):
                for entry in self.classes[one]["attrs"].get(path[-1], ()):
                    inner = Place(self.module_of(one), one, entry["method"], owner)
                    found += self._builder(inner, entry["v"], depth)
        return found

    def _builder(self, place: Place, value: list[Any], depth: int) -> list[Builder]:
        if value[0] == "call":
            classes = self.callee_classes(place, value[1])
            if not classes and depth <= _FAR:
                returned = self._returned(place, value[1]) or ()
                return [
                    builder for inner, one in returned for builder in self._builder(inner, one, depth + 1)
                ]
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
