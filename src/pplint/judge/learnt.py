"""How much a run had to judge by, so that its silence can be understood."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pplint.engine.facts import Facts


class Learnt(NamedTuple):
    """What was known of SGLang: `accessors` are functions that take a layer id or an index into a stage's own list,
    `padded_lists` attributes that hold a slot for every layer of the model, `files` those of the tree that speak of
    either. Without `files` the tree has nothing to do with SGLang.
    """

    accessors: int = 0
    padded_lists: int = 0
    files: int = 0


def learnt_from(facts: Facts, files: int) -> Learnt:
    """Count what the facts hold; `files` is the number of files that they were read from."""
    project, accessors = facts
    takers = {function for known in accessors.spaces.values() for function in known}
    padded = sum(
        (found := project.padded_attribute(class_id, attribute)) is not None and found.owner == class_id
        for class_id, attribute in {*project.assigned["unpacked"]}
    )
    return Learnt(len(takers), padded, files)
