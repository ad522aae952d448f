"""The facts of all files joined: names, classes, types, and who is built by whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pplint.engine.vocabulary import DRAFT, MISSING_LAYER, PADDED_MAKERS, is_start

_WORD = re.compile(r"[A-Za-z_][\w.]*")
_DEPTH = 8
SUPER = "super()"
"""The root of a chain that starts with a call of `super`."""

_NO_CLASS: dict[str, Any] = {"methods": {}}


class Place(NamedTuple):
    """Where a name is used: the module, the class id ("" outside a class) and the function.

    `as_class` is the class of `self` where it is known to be a subclass of the owner.
    """

    module: str
    owner: str
    function: str
    as_class: str = ""


class Padded(NamedTuple):
    """A padded list: `owner` is the class id that unpacks it, with the attributes for its stage range."""

    owner: str
    attribute: str
    start: str
    end: str
    line: int


class Builder(NamedTuple):
    """One way an object comes to be: with a stage range (True), without (False), or unknown (None)."""

    with_range: bool | None
    module: str
    line: int
    class_id: str


class Project:
    """All summaries of one tree. Class ids are `module:Qualified.Name`."""

    def __init__(self, summaries: Mapping[str, dict[str, Any]], files: Mapping[str, str]) -> None:
        self.summaries = summaries
        self.files = files
        self.classes: dict[str, dict[str, Any]] = {}
        self.by_name: dict[str, list[str]] = {}
        self.definers: dict[str, list[str]] = {}
        for module in sorted(summaries):
            for name, facts in summaries[module]["classes"].items():
                class_id = f"{module}:{name}"
                self.classes[class_id] = facts
                self.by_name.setdefault(name.rpartition(".")[2], []).append(class_id)
                for method in facts["methods"]:
                    self.definers.setdefault(method, []).append(class_id)
        self._near: dict[str, list[str]] = {}
        self._lines: dict[str, tuple[str, ...]] = {}
        self._types: dict[tuple[Place, tuple[str, ...]], frozenset[str]] = {}
        self._builds: dict[str, list[tuple[Place, dict[str, Any]]]] | None = None
        self._children: dict[str, list[str]] | None = None

    def module_of(self, class_id: str) -> str:
        return class_id.partition(":")[0]

    def class_name(self, class_id: str) -> str:
        return class_id.partition(":")[2]

    # Names -----------------------------------------------------------------------------------------------

    def resolve(self, module: str, path: Iterable[str], depth: int = 0) -> str | None:
        """The id of the class or function that a dotted name means in a module, or None."""
        names = list(path)
        summary = self.summaries.get(module)
        if summary is None or not names or depth > _DEPTH:
            return None
        dotted = ".".join(names)
        if dotted in summary["classes"] or dotted in summary["functions"]:
            return f"{module}:{dotted}"
        imported = summary["imports"].get(names[0])
        if imported is None:
            return None
        source = absolute(module, imported[0])
        if not imported[1]:
            for cut in range(len(names) - 1, 0, -1):
                candidate = ".".join([source, *names[1:cut]])
                if candidate in self.summaries:
                    return self.resolve(candidate, names[cut:], depth + 1)
            return None
        deeper = f"{source}.{imported[1]}"
        if deeper in self.summaries and len(names) > 1:
            return self.resolve(deeper, names[1:], depth + 1)
        return self.resolve(source, [imported[1], *names[1:]], depth + 1)

    def resolve_class(self, module: str, path: Iterable[str]) -> str | None:
        """Like `resolve`, but only classes."""
        found = self.resolve(module, path)
        return found if found in self.classes else None

    def mro(self, class_id: str) -> tuple[str, ...]:
        """The class and its known bases, nearest first; cycles are walked once."""
        known = self._lines.get(class_id)
        if known is None:
            known = self._lines[class_id] = self._mro(class_id)
        return known

    def _mro(self, class_id: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        waiting = [class_id]
        while waiting:
            one = waiting.pop()
            if one not in found and one in self.classes:
                found[one] = None
                waiting += reversed(self._bases(one))
        return tuple(found)

    def _bases(self, class_id: str) -> list[str]:
        known = self._near.get(class_id)
        if known is None:
            module = self.module_of(class_id)
            bases = [self.resolve_class(module, one.split(".")) for one in self.classes[class_id]["bases"]]
            known = self._near[class_id] = [base for base in bases if base]
        return known

    def children(self, class_id: str) -> list[str]:
        """All classes below a class."""
        if self._children is None:
            self._children = {}
            for one in self.classes:
                for parent in self.mro(one)[1:]:
                    self._children.setdefault(parent, []).append(one)
        return self._children.get(class_id, [])

    def method(self, class_id: str, name: str) -> tuple[str, dict[str, Any]] | None:
        """The definition of a method as the class sees it: (class id that defines it, facts)."""
        for one in self.mro(class_id):
            facts = self.classes[one]["methods"].get(name)
            if facts is not None:
                return one, facts
        return None

    def function(self, place: Place) -> dict[str, Any] | None:
        """The facts of the function at a place."""
        if place.owner:
            found: dict[str, Any] | None = self.classes.get(place.owner, _NO_CLASS)["methods"].get(
                place.function
            )
            return found
        summary = self.summaries.get(place.module)
        return summary["functions"].get(place.function) if summary else None

    def unseen_bases(self, modules: Iterable[str]) -> frozenset[str]:
        """Modules that are not summarised and define what is needed to judge one of `modules`.

        That is a base, near or far, of a class, or a function that is given a list of layers.
        """
        found: set[str] = set()
        needed: set[str] = set()
        for module in modules:
            found |= self._unseen_callees(module, set())
            for name in self.summaries[module]["classes"]:
                needed.update(self.mro(f"{module}:{name}"))
        return frozenset(found.union(*map(self._unseen, needed)))

    def _unseen_callees(self, module: str, seen: set[str]) -> set[str]:
        summary = self.summaries[module]
        imported = [summary["imports"].get(path[0]) for path in summary["handed"]]
        sources = {absolute(module, one[0]) for one in imported if one is not None and one[1]} - seen
        seen |= sources
        unseen = sources - self.summaries.keys()
        # Who is given the layers may hand them on.
        return unseen.union(*(self._unseen_callees(one, seen) for one in sorted(sources - unseen)))

    def _unseen(self, class_id: str) -> set[str]:
        module = self.module_of(class_id)
        imports = self.summaries[module]["imports"]
        names = [imports.get(base.split(".")[0]) for base in self.classes[class_id]["bases"]]
        return {
            source
            for one in names
            if one is not None and one[1] and (source := absolute(module, one[0])) not in self.summaries
        }

    # Types -----------------------------------------------------------------------------------------------

    def types_of(self, place: Place, path: tuple[str, ...], depth: int = 0) -> frozenset[str]:
        """The classes that an expression may be an instance of; empty when unknown."""
        key = (place, path)
        known = self._types.get(key)
        if known is not None:
            return known
        if depth > _DEPTH or not path:
            return frozenset()
        self._types[key] = frozenset()
        found = self._root_types(place, path[0], depth)
        for attribute in path[1:]:
            found = frozenset(t for one in found for t in self.attribute_types(one, attribute, depth + 1))
        self._types[key] = found
        return found

    def _root_types(self, place: Place, root: str, depth: int) -> frozenset[str]:
        if root == "self" and place.owner:
            return frozenset({place.as_class or place.owner})
        if root == SUPER and place.owner:
            return frozenset(self._bases(place.owner))
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
            facts = self.summaries[module]["functions"][name]
            inner = Place(module, "", name)
            return frozenset(t for r in facts["returns"] for t in self.types_of_value(inner, r, depth + 1))
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

    # Builders --------------------------------------------------------------------------------------------

    def builds(self, class_id: str) -> list[tuple[Place, dict[str, Any]]]:
        """The constructor calls of a class."""
        if self._builds is None:
            self._builds = {}
            for module, summary in self.summaries.items():
                for build in summary["builds"]:
                    owner, function = build["in"]
                    place = Place(module, f"{module}:{owner}" if owner else "", function)
                    built = self._constructed(place, build["callee"])
                    if built is not None:
                        self._builds.setdefault(built, []).append((place, build))
        return self._builds.get(class_id, [])

    def does_without(self, attribute: str) -> bool:
        """Whether code that reads an attribute does something else where it is missing."""
        return any(attribute in summary["soft"] for summary in self.summaries.values())

    def built_under(self, class_id: str) -> str:
        """The flag under which each constructor call of a class, or of one below it, stands; or ""."""
        flags = [
            build["flag"]
            for one in (class_id, *self.children(class_id))
            for _, build in self.builds(one)
            if build["callee"] != ["super", "__init__"]
        ]
        return str(flags[0]) if flags and all(flags) else ""

    def _constructed(self, place: Place, callee: list[str]) -> str | None:
        """The class whose constructor a recorded call runs; for `super().__init__` the base that defines it."""
        if callee != ["super", "__init__"]:
            return self.resolve_class(place.module, callee)
        bases = self.mro(place.owner)[1:] if place.owner in self.classes else ()
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

    # What attributes hold --------------------------------------------------------------------------------

    def padded(self, place: Place, path: tuple[str, ...]) -> Padded | None:
        """The padded layer list at a chain such as `self.model.layers`, or None."""
        if len(path) < 2:
            return None
        for owner in self.types_of(place, path[:-1]):
            found = self.padded_attribute(owner, path[-1])
            if found is not None:
                return found
        return None

    def padded_attribute(self, class_id: str, attribute: str) -> Padded | None:
        """Whether a class keeps a padded layer list in an attribute."""
        for one in self.mro(class_id):
            for entry in self.classes[one]["attrs"].get(attribute, ()):
                value = entry["v"]
                if value[0] != "unpacked":
                    continue
                if self._splits(self.module_of(one), value):
                    return Padded(one, attribute, value[2], value[3], entry["line"])
        return None

    def _splits(self, module: str, value: list[Any]) -> bool:
        """Whether an unpacked call makes a padded list: a maker that is told the stage, or that asks for it itself."""
        callee, keywords, _, _, positional = value[1][1:]
        maker = self.resolve(module, callee)
        facts = None
        if maker is not None and maker not in self.classes:
            source, _, name = maker.partition(":")
            facts = self.summaries[source]["functions"][name]
        if facts is None:
            return callee[-1] in PADDED_MAKERS or bool(value[2] and value[3])
        stage = [name for name in (*facts["params"], *facts["keywords"]) if name.startswith("pp_")]
        return not stage or any(name in keywords or name in facts["params"][:positional] for name in stage)

    def padded_names(self) -> frozenset[str]:
        """The names of all attributes that hold a padded layer list somewhere."""
        return frozenset(
            attribute
            for class_id, one in self.classes.items()
            for attribute, entries in one["attrs"].items()
            if any(entry["v"][0] == "unpacked" for entry in entries)
            and self.padded_attribute(class_id, attribute) is not None
        )

    def keeps_layers(self, class_id: str) -> bool:
        """Whether a class itself unpacks a padded list or puts a placeholder somewhere."""
        entries = [entry["v"] for one in self.classes[class_id]["attrs"].values() for entry in one]
        return any(v[0] == "unpacked" or (v[0] == "call" and v[1][-1] == MISSING_LAYER) for v in entries)

    def missing_modules(self, class_id: str) -> dict[str, int]:
        """Attributes that hold a placeholder on some stage, with the line that puts it there."""
        found: dict[str, int] = {}
        for one in reversed(self.mro(class_id)):
            for attribute, entries in self.classes[one]["attrs"].items():
                for entry in entries:
                    if entry["v"][0] == "call" and entry["v"][1][-1] == MISSING_LAYER:
                        found[attribute] = entry["line"]
        return found

    def is_mapping(self, class_id: str, attribute: str) -> bool:
        """Whether an attribute is a dictionary from GLOBAL ids to DENSE ids."""
        return any(
            entry["v"] == ["mapping"]
            for one in self.mro(class_id)
            for entry in self.classes[one]["attrs"].get(attribute, ())
        )

    def shifted(self, class_id: str, attribute: str) -> tuple[str, int, str] | None:
        """Where the class indexes a list by `id - start_layer`: (module, line, method), or None."""
        for one in (*self.mro(class_id), *self.children(class_id)):
            found = self.classes[one]["shifted"].get(attribute)
            if found is not None:
                return self.module_of(one), found[0], found[1]
        return None

    def owns_start(self, class_id: str) -> str:
        """The attribute or property with which a class says its first layer id, or ""."""
        for one in self.mro(class_id):
            facts = self.classes[one]
            for name in (*facts["attrs"], *facts["methods"]):
                if name == "start_layer" and (name in facts["attrs"] or facts["methods"][name]["property"]):
                    return str(name)
        return ""

    def accepts_pp(self, class_id: str) -> bool | None:
        """Whether the forward that a class uses takes stage proxies; None when it has no forward in view."""
        found = self.method(class_id, "forward")
        return None if found is None else bool(found[1]["proxy"])

    def is_draft(self, class_id: str) -> bool:
        """Whether the class belongs to a draft model, which numbers its layers from 0 by itself."""
        return bool(DRAFT.search(self.class_name(class_id)) or DRAFT.search(self.module_of(class_id)))


def absolute(module: str, target: str) -> str:
    """The absolute name of an import target such as `..layers` seen from `module`."""
    level = len(target) - len(target.lstrip("."))
    if not level:
        return target
    parts = module.split(".")[:-level]
    rest = target[level:]
    return ".".join([*parts, rest] if rest else parts)


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
