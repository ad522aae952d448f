"""How much a run had to judge by, so that its silence can be understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pplint.engine.root import PACKAGE
from pplint.records import Record

if TYPE_CHECKING:
    from pplint.engine.facts import Facts
    from pplint.engine.summary import Summary


class Learnt(Record):
    """What was known of SGLang: `accessors` are functions that take a layer id or an index into a stage's own list,
    `padded_lists` attributes that hold a slot for every layer of the model, `files` those of the tree that speak of
    either. Without `files` the tree has nothing to do with SGLang. `bundled` is 1 where files build on classes of SGLang
    of which only the bundled list is known, else 0.
    """

    accessors: int = 0
    padded_lists: int = 0
    files: int = 0
    bundled: int = 0


def learnt_from(facts: Facts, files: int) -> Learnt:
    """Count what the facts hold; `files` is the number of files that they were read from."""
    project, accessors = facts
    takers = {function for known in accessors.spaces.values() for function in known}
    padded = sum(
        (found := project.padded_attribute(class_id, attribute)) is not None and found.owner == class_id
        for class_id, attribute in {*project.assigned["unpacked"]}
    )
    # Bundled summaries come from no file.
    bundled = len(project.summaries) > files and any(map(_builds_on_sglang, project.summaries.items()))
    return Learnt(len(takers), padded, files, int(bundled))


def _builds_on_sglang(entry: tuple[str, Summary]) -> bool:
    module, summary = entry
    return not module.startswith(f"{PACKAGE}.") and any(
        source.split(".")[0] == PACKAGE for source, _ in summary["imports"].values()
    )
