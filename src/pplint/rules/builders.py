"""Pools that a place asks: in which space, how they come to be, and what that makes of a level."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL, LOCAL, Target, matches
from pplint.engine.context import Context
from pplint.engine.guards import FIRST
from pplint.engine.instances import Builder
from pplint.engine.pools import bare_builders, takes_range
from pplint.engine.spaces import DENSE, OWNED, STAGE, START, Space, space_of
from pplint.engine.values import Value, Values, paths
from pplint.finding import ERROR, INFO, WARNING
from pplint.rules.space_fixes import subtracts_own

_CONTRARY = frozenset({OWNED, START, STAGE, DENSE})
COUNTED = frozenset({v.INDEX, v.ELEMENT})
"""Kinds of values that a loop counts."""
_ORDER = (INFO, WARNING, ERROR)
_LATENT = " (latent: every builder of this inner pool leaves its stage range out)"


def argument_for(node: ast.Call, target: Target, callee: Value) -> ast.expr | None:
    """The argument of a call that reaches the target's parameter, also through `functools.partial`."""
    calls = [node]
    if callee.kind == v.PARTIAL and isinstance(callee.node, ast.Call):
        calls.append(callee.node)
    for call in calls:
        for keyword in call.keywords:
            if keyword.arg == target.parameter:
                return keyword.value
    bound = calls[1].args[1:] if len(calls) > 1 else []
    positional = [*bound, *node.args]
    for position, argument in enumerate(positional):
        if isinstance(argument, ast.Starred):
            return None
        if matches(target, position):
            return argument
    return None


def builders_of(context: Context, callee: Value) -> list[Builder]:
    """The builders of the inner object whose method a callee is."""
    path = callee.data if callee.kind == v.PATH else ()
    return context.project.builders_of(context.place, tuple(path[:-1])) if len(path) > 2 else []


def counts_itself(context: Context, callee: Value, value: Value) -> bool:
    """Whether an inner pool is asked with its own numbering: nobody says that it gets a range.

    A parameter that the function itself uses as a LOCAL index is none for what it gets from its caller.
    """
    builders = builders_of(context, callee)
    if any(builder.with_range for builder in builders) or subtracts_own(callee, value):
        return False
    if value.kind == v.PARAM and callee.kind == v.PATH and len(callee.data) == 2 and callee.data[0] != "self":
        known = context.accessors.known(LOCAL, context.function_id).get(value.data)
        if known is not None and known.next is None:
            return False
    return value.kind not in COUNTED or any(takes_range(context.project, one.class_id) for one in builders)


def level_of_builders(
    context: Context, builders: list[Builder], severity: str, condition: str
) -> tuple[str, str]:
    """A level, and the clause that says why, from the builders of an inner pool.

    Which pool a runner builds is the choice of a model; which one a pool builds inside is a test on the path.
    """
    said = f" ({condition})" if condition else ""
    if builders and not any(b.with_range is not False for b in builders):
        return INFO, _LATENT
    mixed = any(b.with_range is False for b in builders) and any(b.with_range for b in builders)
    if mixed and is_pool(context, context.class_id):
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
            owners = sorted(project.types_of(context.place, path[:-1]))
            flags = [project.built_under(one) for one in owners]
            if severity == ERROR and flags and all(flags):
                name = project.class_name(owners[0])
                return WARNING, f" (only when `{flags[0]}`, under which `{name}` is built)"
            builders = project.builders_of(context.place, path[:-1])
            builders = [one for one in builders if takes_range(project, one.class_id)]
            return level_of_builders(context, builders, severity, condition)
    if context.class_id and any(path[0] == "self" for path in paths(found)):
        return _level_of_own(context, severity, condition)
    return severity, f" ({condition})" if condition else ""


def _level_of_own(context: Context, severity: str, condition: str) -> tuple[str, str]:
    """The level of a place in a pool whose own builders may leave its stage range out."""
    places = bare_builders(context.project, context.class_id)
    if places and all(is_pool(context, place.owner) for place in places):
        return INFO, _LATENT
    if places and severity != INFO:
        return WARNING, " (as soon as its builder passes the stage range, which it leaves out today)"
    return severity, f" ({condition})" if condition else ""


def is_pool(context: Context, owner: str) -> bool:
    """Whether a class takes GLOBAL ids itself, so that what it builds is an inner pool."""
    return bool(owner) and any(
        context.accessors.known(GLOBAL, f"{one}.{method}")
        for one in context.project.mro(owner)
        for method in context.project.classes[one]["methods"]
    )


def one_space(context: Context, node: ast.expr, wanted: frozenset[str]) -> tuple[Value, Space] | None:
    """An alternative of an expression in one of the spaces, unless another one says the contrary.

    Alternatives that are parameters, or of which nothing is known, say nothing; nor does what only the first
    stage reaches.
    """
    picked: tuple[Value, Space] | None = None
    for value in context.flow.evaluate(node):
        space = space_of(context, value)
        is_wanted = space is not None and space.kind in wanted
        contrary = space is not None and value.kind != v.PARAM and space.kind in _CONTRARY
        if space is None or not (is_wanted or contrary) or FIRST in context.stage(value):
            continue
        if not is_wanted:
            return None
        picked = picked or (value, space)
    return picked


def both_spaces(context: Context, node: ast.Call, argument: ast.expr, other: str) -> bool:
    """Whether some definition that a call may reach takes the argument in the `other` space.

    One that forgets to subtract, as its other branch or what it overrides does (see PPL401), says nothing.
    """
    return any(
        argument_for(node, target, callee) is argument and not (other == LOCAL and _forgets(context, target))
        for target, callee in context.targets(node, other)
    )


def _forgets(context: Context, target: Target) -> bool:
    """Whether a method that takes a LOCAL index, or what it overrides, takes GLOBAL ids too."""
    owner, _, method = target.function.rpartition(".")
    return any(
        context.accessors.known(GLOBAL, f"{one}.{method}")
        for one in (context.project.mro(owner) if owner in context.project.classes else ())
    )
