"""The parts that a model is built of besides its layers, and whether a text in a weight's name tells of one of them."""

from __future__ import annotations

from pplint.engine.asking import remembered
from pplint.engine.dispatch import element_classes
from pplint.engine.project import Project
from pplint.engine.reach import Split, attributes_of, inner_classes, split_below
from pplint.records import Record


class Parts(Record):
    """How weights are called in a model: the `ways` that lead to its layers, the names `inside` of these, and the names
    of all `others` of its parts.
    """

    ways: frozenset[str]
    inside: frozenset[str]
    others: frozenset[str]

    def tells_other(self, text: str) -> bool:
        """Whether a name with this text is that of another part: it has a piece of that one's name, and no layer has it."""
        return any(word.isidentifier() and self._is_other(word) for word in text.split("."))

    def _is_other(self, word: str) -> bool:
        named = any(other.startswith(word) or other.endswith(word) for other in self.others)
        return named and not any(word in name for name in self.inside)

    def begins_all(self, text: str) -> bool:
        """Whether the names of all layers begin with this text."""
        return bool(self.ways) and all(way.startswith(text) for way in self.ways)

    def stands_in_all(self, text: str) -> bool:
        """Whether the names of all layers have this text."""
        return bool(self.ways) and all(text in way for way in self.ways)


UNKNOWN = Parts(frozenset(), frozenset(), frozenset())


@remembered
def parts_of(project: Project, class_id: str) -> Parts:
    """The parts of a class and of those below it, as far as they keep a split list of layers."""
    ways, inside, others = set[str](), set[str](), set[str]()
    for one in (class_id, *project.children(class_id)):
        split = split_below(project, one)
        if split is None:
            continue
        names = _names_inside(project, split)
        if not names:
            return UNKNOWN
        ways.add("".join(f"{attribute}." for attribute in split.path))
        inside |= names
        others |= _others(project, one)
    return Parts(frozenset(ways), frozenset(inside), frozenset(others))


def _names_inside(project: Project, split: Split) -> set[str]:
    """The names that the weights of the layers may be made of; none where the class of a layer is not known."""
    names = set(split.path)
    for attribute in attributes_of(project, split.owner):
        padded = project.padded_attribute(split.owner, attribute)
        if padded is None:
            continue
        kinds = element_classes(project, padded)
        if not kinds:
            return set()
        parts = (part for kind in kinds for _, part in inner_classes(project, kind))
        names |= {attribute, *(name for part in parts for name in attributes_of(project, part))}
    return names


def _others(project: Project, class_id: str) -> set[str]:
    """The attributes of a class that hold a part without split layers."""
    return {name for name in attributes_of(project, class_id) if _is_apart(project, class_id, name)}


def _is_apart(project: Project, class_id: str, attribute: str) -> bool:
    """Whether an attribute holds such a part; what a method makes, or a class out of view, is one too."""
    kinds = project.attribute_types(class_id, attribute)
    if kinds:
        return all(split_below(project, kind) is None for kind in kinds)
    made = (
        entry["v"][1]
        for one in project.mro(class_id)
        for entry in project.classes[one]["attrs"].get(attribute, ())
        if entry["v"][0] == "call"
    )
    return any(callee[:-1] == ["self"] or callee[-1][:1].isupper() for callee in made)
