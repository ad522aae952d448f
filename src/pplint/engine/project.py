"""What the attributes of classes hold as far as stages are concerned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pplint.engine.asking import remembered
from pplint.engine.instances import Types
from pplint.engine.names import Place, Rows
from pplint.engine.vocabulary import DRAFT, MISSING_LAYER, PADDED_MAKERS
from pplint.records import Record

_PADDED = "padded"


class Padded(Record):
    """A padded list: `owner` is the class id that unpacks it, with the attributes for its stage range.

    The owner of the layers of a `served` model is one of the classes that such a model may have.
    """

    owner: str
    attribute: str
    start: str
    end: str
    line: int
    served: bool = False


def property_path(method: dict[str, Any]) -> tuple[str, ...] | None:
    """The chain that a property returns, if that is all it does; None for anything else."""
    returns = method["returns"]
    plain = method["property"] and len(returns) == 1 and returns[0][0] == "path" and len(returns[0][1]) > 1
    return tuple(returns[0][1]) if plain else None


class Project(Types):
    """All that is known of one tree."""

    def padded(self, place: Place, path: tuple[str, ...]) -> Padded | None:
        """The padded layer list at a chain such as `self.model.layers`, or None."""
        if len(path) < 2 or not self.is_padded_name(path[-1]):
            return None
        for owner in self.types_of(place, path[:-1]):
            found = self.padded_attribute(owner, path[-1])
            if found is not None:
                return found
        return None

    @remembered
    def padded_attribute(self, class_id: str, attribute: str) -> Padded | None:
        """Whether a class keeps a padded layer list in an attribute, or has a property that hands one out."""
        kept = self._keeps_padded(class_id, attribute)
        method = self.method(class_id, attribute) if kept is None else None
        path = property_path(method[1]) if method is not None else None
        if method is None or path is None:
            return kept
        place = Place(self.module_of(method[0]), method[0], attribute, class_id)
        found = (self._keeps_padded(owner, path[-1]) for owner in self.types_of(place, path[:-1]))
        return next((one for one in found if one is not None), None)

    def _keeps_padded(self, class_id: str, attribute: str) -> Padded | None:
        """The list that a class keeps itself, which it may replace if a base has one."""
        for one in self.mro(class_id):
            entries = self.classes[one]["attrs"].get(attribute, ())
            for entry in entries:
                value = entry["v"]
                if value[0] != "unpacked" or "whole" in entry:
                    continue
                if self._splits(self.module_of(one), value):
                    return Padded(one, attribute, value[2], value[3], entry["line"])
            if any(entry["method"] == "__init__" for entry in entries):
                return None
        return None

    def _splits(self, module: str, value: list[Any]) -> bool:
        """Whether an unpacked call makes a padded list: a maker that is told the stage, or that asks for it itself."""
        callee, keywords, _, _, positional = value[1][1:]
        maker = self.named_function(module, callee)
        if maker is None:
            return callee[-1] in PADDED_MAKERS or bool(value[2] and value[3])
        facts = maker[1]
        stage = [name for name in (*facts["params"], *facts["keywords"]) if name.startswith("pp_")]
        return not stage or any(name in keywords or name in facts["params"][:positional] for name in stage)

    @cached_property
    def assigned(self) -> Mapping[str, list[tuple[str, str]]]:
        """Classes with their attributes by the kind of what they assign, the making of a placeholder being a kind too."""
        found = defaultdict[str, list[tuple[str, str]]](list)
        for class_id, one in self.classes.items():
            for attribute, entries in one["attrs"].items():
                for entry in entries:
                    value = entry["v"]
                    missing = value[0] == "call" and value[1][-1] == MISSING_LAYER
                    found[MISSING_LAYER if missing else value[0]].append((class_id, attribute))
        return found

    def is_padded_name(self, attribute: str) -> bool:
        """Whether attributes of that name hold a padded layer list somewhere."""
        return self.row(_PADDED, attribute, self.all_padded) is True

    def padded_names(self) -> frozenset[str]:
        """The names of all attributes that hold a padded layer list somewhere."""
        return frozenset(self.table(_PADDED, self.all_padded))

    def all_padded(self) -> Rows:
        """The table of those names."""
        kept = {
            attribute
            for class_id, attribute in self.assigned["unpacked"]
            if self._keeps_padded(class_id, attribute) is not None
        }
        handed_out = {
            name
            for one in self.classes.values()
            for name, method in one["methods"].items()
            if (path := property_path(method)) is not None and path[-1] in kept
        }
        return dict.fromkeys(sorted(kept | handed_out), True)

    def missing_modules(self, class_id: str) -> dict[str, tuple[str, int]]:
        """Attributes that hold a placeholder on some stage, with the class and the line that put it there.

        A class that sets an attribute itself has the last word on it, whatever its bases put there.
        """
        found: dict[str, tuple[str, int]] = {}
        for one in reversed(self.mro(class_id)):
            for attribute, entries in self.classes[one]["attrs"].items():
                lines = [
                    entry["line"]
                    for entry in entries
                    if entry["v"][:1] == ["call"] and entry["v"][1][-1] == MISSING_LAYER
                ]
                if lines:
                    found[attribute] = (one, lines[-1])
                else:
                    found.pop(attribute, None)
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
            if "start_layer" in facts["attrs"] or facts["methods"].get("start_layer", {}).get("property"):
                return "start_layer"
        return ""

    def accepts_pp(self, class_id: str) -> bool | None:
        """Whether the forward that a class uses takes stage proxies; None when it has no forward in view.

        A constructor may take that of an inner model: `self.forward = self.model.forward`.
        """
        inner = self._forward_of(class_id)
        if inner:
            return all(map(self.accepts_pp, inner))
        found = self.method(class_id, "forward")
        return None if found is None else bool(found[1]["proxy"])

    def _forward_of(self, class_id: str) -> frozenset[str]:
        """The classes whose forward a class takes for its own in its constructor."""
        found: set[str] = set()
        for one in self.mro(class_id):
            for entry in self.classes[one]["attrs"].get("forward", ()):
                path = entry["v"][1] if entry["v"][0] == "path" else []
                if path[:1] == ["self"] and len(path) > 2 and path[-1] == "forward":
                    place = Place(self.module_of(one), one, entry["method"], class_id)
                    found |= self.types_of(place, tuple(path[:-1]))
        return frozenset(found - {class_id})

    def is_draft(self, class_id: str) -> bool:
        """Whether the class belongs to a draft model, which numbers its layers from 0 by itself."""
        return bool(DRAFT.search(self.class_name(class_id)) or DRAFT.search(self.module_of(class_id)))
