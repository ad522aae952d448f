"""Pools for which asking `start_layer` in place of a literal is not enough."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.accessors import Target
from pplint.engine.context import Context
from pplint.engine.pools import holds_one_kind, pinned_start
from pplint.engine.vocabulary import is_start
from pplint.finding import Step

DIMENSION_METHOD = "get_v_head_dim"
"""The method with which a pool gives its head dimension without being asked for a layer."""

_NAMED = 2


def not_enough(
    context: Context, node: ast.Call, targets: list[Target], built: list[str]
) -> tuple[str, list[Step]]:
    """A message's clause, and the steps, on pools whose `start_layer` does not repair the call at `node`.

    `built` are the classes that the object which is asked is built from, where they are known.
    """
    project = context.project
    among = {one for class_id in built for one in project.mro(class_id)}
    method = targets[0].function.rpartition(".")[2] if targets else ""
    excluded = _ruled_out(context)
    clauses: list[str] = []
    steps: list[Step] = []
    for owner in dict.fromkeys(target.owner for target in targets if target.owner in among or not among):
        if not owner or project.is_draft(owner) or any(project.method(owner, name) for name in excluded):
            continue
        name = project.class_name(owner)
        pinned = pinned_start(project, owner)
        if pinned is not None:
            clauses.append(f"`{name}` pins its `start_layer` to {pinned.number}")
            steps.append(
                context.fact_step(pinned.owner, pinned.line, f"`{name}` has no other `start_layer` than this")
            )
        elif holds_one_kind(project, owner, method):
            asks = f": ask `{DIMENSION_METHOD}()`" if project.method(owner, DIMENSION_METHOD) else ""
            clauses.append(f"the first layer of a stage need not be one that `{name}` holds{asks}")
            line = project.classes[owner]["line"]
            steps.append(
                context.fact_step(owner, line, f"`{name}` holds only the layers in its dictionary of ids")
            )
    late = _set_later(context, node)
    if late is not None:
        clauses.append("the range is set after this read")
        steps.append(context.step(late, "`start_layer` is set here, after it would be read"))
    more = len(clauses) - _NAMED
    said = "; ".join(clauses[:_NAMED]) + (f"; and {more} more" if more > 0 else "")
    return (f"; `start_layer` alone is not enough: {said}" if clauses else ""), steps


def _ruled_out(context: Context) -> set[str]:
    """The methods that the object which is asked has not, as a failed `hasattr` on the path says."""
    return {
        test.args[1].value
        for test, holds in context.flow.guards
        if not holds
        and isinstance(test, ast.Call)
        and v.dotted(test.func) == ("hasattr",)
        and len(test.args) == 2
        and isinstance(test.args[1], ast.Constant)
        and isinstance(test.args[1].value, str)
    }


def _set_later(context: Context, node: ast.Call) -> ast.Attribute | None:
    """The assignment, further down in this function, of the `start_layer` that a fix would read here."""
    receiver = v.dotted(node.func.value) if isinstance(node.func, ast.Attribute) else None
    if receiver is None:
        return None
    return next(
        (
            part
            for part in context.written.attributes
            if isinstance(part.ctx, ast.Store)
            and is_start(part.attr)
            and v.dotted(part.value) == receiver
            and part.lineno > node.lineno
        ),
        None,
    )
