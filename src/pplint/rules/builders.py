"""How the pools that a place asks come to be, and what that makes of a finding's level."""

from __future__ import annotations

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL
from pplint.engine.context import Context
from pplint.engine.pools import built_without_range, takes_range
from pplint.engine.project import Builder
from pplint.engine.values import Value, Values, paths
from pplint.finding import ERROR, INFO, WARNING

_ORDER = (INFO, WARNING, ERROR)
_LATENT = " (latent: every builder of this inner pool leaves its stage range out)"


def builders_of(context: Context, callee: Value) -> list[Builder]:
    """The builders of the inner object whose method a callee is."""
    path = callee.data if callee.kind == v.PATH else ()
    return context.project.builders_of(context.place, tuple(path[:-1])) if len(path) > 2 else []


def level_of_builders(builders: list[Builder], severity: str, condition: str) -> tuple[str, str]:
    """A level, and the clause that says why, from the builders of an inner pool."""
    said = f" ({condition})" if condition else ""
    if builders and not any(b.with_range is not False for b in builders):
        return INFO, _LATENT
    if any(b.with_range is False for b in builders) and any(b.with_range for b in builders):
        return min(severity, WARNING, key=_ORDER.index), (
            " (only when the inner pool comes from the builder that passes a stage range)"
        )
    return severity, said


def level_at(context: Context, found: Values) -> tuple[str, str]:
    """The level of a place that asks an object's member: from reach, then from the object's builders."""
    severity, condition = context.level()
    project = context.project
    for path in paths(found):
        if len(path) > 2:
            builders = project.builders_of(context.place, path[:-1])
            builders = [one for one in builders if takes_range(project, one.class_id)]
            return level_of_builders(builders, severity, condition)
    if context.class_id and any(path[0] == "self" for path in paths(found)):
        return _level_of_own(context, severity, condition)
    return severity, f" ({condition})" if condition else ""


def _level_of_own(context: Context, severity: str, condition: str) -> tuple[str, str]:
    """The level of a place in a pool whose own builders may leave its stage range out."""
    places = built_without_range(context.project, context.class_id)
    if places and all(_is_pool(context, place.owner) for place in places):
        return INFO, _LATENT
    if places and severity != INFO:
        return WARNING, " (as soon as its builder passes the stage range, which it leaves out today)"
    return severity, f" ({condition})" if condition else ""


def _is_pool(context: Context, owner: str) -> bool:
    """Whether a class takes GLOBAL ids itself, so that what it builds is an inner pool."""
    known = context.accessors.spaces[GLOBAL]
    return bool(owner) and any(
        f"{one}.{method}" in known
        for one in context.project.mro(owner)
        for method in context.project.classes[one]["methods"]
    )
