"""Inner pools that are asked with DENSE ids where they take GLOBAL ones, and who builds them wrongly."""

from __future__ import annotations

from pplint.engine.accessors import GLOBAL, Accessors, matches
from pplint.engine.names import Place, Rows
from pplint.engine.pools import dense_through
from pplint.records import Record


class Asked(Record):
    """An inner pool that is asked with DENSE ids: by which class, through which attribute, and where."""

    owner: str
    attribute: str
    method: str
    line: int


def dense_pool(accessors: Accessors, class_id: str, attribute: str) -> Asked | None:
    """How a class itself asks an inner pool with DENSE ids where it takes GLOBAL ones, or None."""
    row = accessors.project.row("dense", f"{class_id} {attribute}", lambda: all_dense(accessors))
    return None if row is None else Asked(*row)


def all_dense(accessors: Accessors) -> Rows:
    """The table of the inner pools that are asked so, by class and attribute."""
    dense: Rows = {}
    project = accessors.project
    for class_id, facts in project.classes.items():
        for method, function in facts["methods"].items():
            for path, where, value, line in function["asks"]:
                if dense_through(project, class_id, value) and _takes_global(
                    accessors, class_id, method, path, where
                ):
                    dense.setdefault(f"{class_id} {path[1]}", [class_id, path[1], method, line])
    return dense


def _takes_global(
    accessors: Accessors, class_id: str, method: str, path: list[str], where: int | str
) -> bool:
    place = Place(accessors.project.module_of(class_id), class_id, method)
    return any(matches(target, where) for target in accessors.targets(place, path, GLOBAL))


def asked_densely(accessors: Accessors, class_id: str, attribute: str) -> Asked | None:
    """How a class (or a relative that shares the attribute) asks an inner pool with DENSE ids, or None."""
    project = accessors.project
    for one in (*project.mro(class_id), *project.children(class_id)):
        found = dense_pool(accessors, one, attribute)
        if found is not None:
            return found
    return None


def wrong_builder(accessors: Accessors, module: str, line: int) -> Asked | None:
    """How a pool is asked with DENSE ids that a constructor call at a line gives a stage range, or None."""
    rows = accessors.project.row("wrong", module, lambda: all_wrong(accessors)) or ()
    return next((Asked(*asked) for at, *asked in rows if at == line), None)


def all_wrong(accessors: Accessors) -> Rows:
    """The table of such constructor calls by module: the line, and how the pool is asked."""
    wrong: Rows = {}
    project = accessors.project
    for asked in all_dense(accessors).values():
        class_id, attribute = asked[:2]
        for one in (class_id, *project.children(class_id)):
            place = Place(project.module_of(one), one, "")
            for builder in project.builders_of(place, ("self", attribute)):
                if builder.with_range:
                    nearest = dense_pool(accessors, one, attribute) or asked
                    wrong.setdefault(builder.module, []).append([builder.line, *nearest])
    return wrong
