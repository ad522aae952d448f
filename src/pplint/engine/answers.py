"""How a method answers a GLOBAL layer id: from a list of the stage's layers, or from a dictionary of their ids."""

from __future__ import annotations

from collections.abc import Iterable

from pplint.engine.accessors import GLOBAL, Accessors, Target, matches
from pplint.engine.asking import remembered
from pplint.engine.names import Place
from pplint.finding import KEYED, SHIFTED
from pplint.records import Record

UNKNOWN = ""
_DEPTH = 5


class Answer(Record):
    """How an id is answered: SHIFTED, KEYED or UNKNOWN; `of` is a class that does it so where others do not."""

    access: str
    of: str = ""


def answer_of(accessors: Accessors, targets: Iterable[Target]) -> Answer:
    """How the definitions that a call may reach answer: as all do, else as a class that shifts ids into its list."""
    project = accessors.project
    found: dict[Target, str] = {}
    for target in targets:
        facts = project.method(target.owner, _name(target)) if target.owner else None
        if not (facts is not None and facts[1]["abstract"]) and not project.is_draft(target.owner or ""):
            found[target] = access_of(accessors, target)
    kinds = set(found.values())
    if len(kinds) == 1:
        return Answer(kinds.pop())
    shifting = [target.owner for target, access in found.items() if access == SHIFTED and target.owner]
    if not shifting:
        return Answer(UNKNOWN)
    usual = min(shifting, key=lambda one: (-len(project.children(one)), project.class_name(one)))
    return Answer(SHIFTED, project.class_name(usual))


def access_of(accessors: Accessors, target: Target) -> str:
    """How one definition answers the ids that it is given; UNKNOWN where it tests them or does several things."""
    found = _accesses(accessors, target.owner, _name(target), target.parameter, 0)
    return next(iter(found)) if len(found) == 1 else UNKNOWN


@remembered
def _accesses(accessors: Accessors, owner: str, name: str, parameter: str, depth: int) -> set[str]:
    """All that a definition does with an id; nothing for one that only waits for a layer."""
    project = accessors.project
    method = project.method(owner, name) if owner else None
    if method is None or depth > _DEPTH:
        return {UNKNOWN}
    facts = method[1]
    found: set[str] = set()
    for used, how, path, _ in facts["uses"]:
        if used != parameter:
            continue
        if how in ("compared", "key"):
            return {UNKNOWN}
        if how == "sub":
            own = len(path) == 2 and path[0] == "self"
            found.add(KEYED if own and project.is_mapping(owner, path[1]) else UNKNOWN)
        elif _indexes_own_list(accessors, owner, name):
            found.add(SHIFTED)
        elif any(one[:2] == ["arith", "Sub"] for one in facts["returns"]):
            found.add(UNKNOWN)
    place = Place(project.module_of(owner), owner, name)
    for passed, callee, where, _ in facts["passes"]:
        if passed == parameter:
            found |= _handed_on(accessors, place, callee, where, depth)
    return found


def _handed_on(
    accessors: Accessors, place: Place, callee: list[str], where: int | str, depth: int
) -> set[str]:
    """How the definitions answer that a method hands its id to; an inner pool has to have the stage's range."""
    targets = [one for one in accessors.targets(place, callee, GLOBAL) if matches(one, where)]
    found = {
        access
        for one in targets
        for access in _accesses(accessors, one.owner, _name(one), one.parameter, depth + 1)
    }
    if len(callee) > 2 and found:
        builders = accessors.project.builders_of(place, tuple(callee[:-1]))
        if not builders or not all(one.with_range for one in builders):
            return {UNKNOWN}
    return found


def _indexes_own_list(accessors: Accessors, owner: str, name: str) -> bool:
    """Whether a method that subtracts `start_layer` from an id takes an entry of a list with what remains."""
    project = accessors.project
    family = (*project.mro(owner), *project.children(owner))
    lists = {
        attribute: seen[1] for one in family for attribute, seen in project.classes[one]["shifted"].items()
    }
    method = project.method(owner, name)
    returns = method[1]["returns"] if method is not None else ()
    if name in lists.values() or not returns:
        return bool(lists)
    return any(one[0] == "lookup" and one[1][:1] == ["self"] and one[1][-1] in lists for one in returns)


def _name(target: Target) -> str:
    return target.function.rpartition(".")[2]
