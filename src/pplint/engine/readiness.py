"""Per model class: which duties of pipeline parallelism are met."""

from __future__ import annotations

from typing import NamedTuple

from pplint.engine.context import Facts
from pplint.engine.reach import Split, entry_classes, forwards_range, split_below
from pplint.engine.root import find_root


class Readiness(NamedTuple):
    """The duties of one top-level class; None where a duty does not arise."""

    class_id: str
    accepts: bool
    split: bool
    exposes: bool | None
    embedding: bool | None


def readiness_of(facts: Facts) -> list[Readiness]:
    """The duties of every class that a module names in `EntryClass`, drafts excepted, in order."""
    return [
        _readiness(facts, class_id)
        for class_id in entry_classes(facts.project)
        if not facts.project.is_draft(class_id)
    ]


def _readiness(facts: Facts, class_id: str) -> Readiness:
    project = facts.project
    below = split_below(project, class_id)
    exposes = bool(project.owns_start(class_id)) or forwards_range(project, class_id)
    return Readiness(
        class_id,
        bool(project.accepts_pp(class_id)),
        below is not None,
        exposes if below is not None else None,
        _embedding(facts, below),
    )


def _embedding(facts: Facts, below: Split | None) -> bool | None:
    return bool(facts.project.missing_modules(below.owner)) if below is not None else None


def print_readiness(path: str) -> None:
    """Print one line per model class: forward takes proxies, layers split, range exposed, ends padded."""
    import sys

    from pplint.engine.check import facts_of

    rows = readiness_of(facts_of(find_root((path,))))
    ready = sum(all(duty is not False for duty in row[1:]) for row in rows)
    width = max((len(row.class_id) for row in rows), default=5)
    out = [f"{'class':{width}}  proxies  split  range  ends"]
    for row in rows:
        cells = [{True: "yes", False: "no", None: "-"}[duty] for duty in row[1:]]
        out.append(f"{row.class_id:{width}}  {cells[0]:7}  {cells[1]:5}  {cells[2]:5}  {cells[3]}")
    out.append(f"{ready} of {len(rows)} model classes meet every duty that pplint can see")
    sys.stdout.write("\n".join(out) + "\n")
