"""Which other method says what a method's parameter is: the one that it overrides, or a sibling at the same list."""

from __future__ import annotations

from pplint.engine.accessors import GLOBAL, Evidence
from pplint.engine.context import Context
from pplint.engine.pools import StageList
from pplint.records import Record


class Contrary(Record):
    """The proof that another method takes a parameter of the same name as a GLOBAL id, and who that is."""

    evidence: Evidence
    overridden: bool
    who: str


def contrary_of(context: Context, name: str, shown: StageList) -> Contrary | None:
    """Who takes `name` as a GLOBAL id, where the method that we are in uses it on a list as it is.

    `shown` tells which sibling uses the list, and whether it shifts the index. A private method may have been given
    a shifted one, so that only the method that it overrides counts.
    """
    place, line = context.place, context.project.mro(context.class_id)
    above = [f"{one}.{place.function}" for one in line[1:]]
    public = not place.function.startswith("_") and shown.method != place.function
    beside = [f"{one}.{shown.method}" for one in line] if shown.shifted and public else []
    for function in (*above, *beside):
        evidence = context.accessors.known(GLOBAL, function).get(name)
        if evidence is not None:
            same = function in above
            return Contrary(
                evidence, same, "the method it overrides" if same else f"its sibling `{shown.method}`"
            )
    return None
