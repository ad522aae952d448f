"""Pools for which asking `start_layer` in place of a literal is not enough."""

from __future__ import annotations

import ast
import re

from pplint.engine import values as v
from pplint.engine.accessors import Target
from pplint.engine.builds import is_super
from pplint.engine.context import Context
from pplint.engine.pools import holds_one_kind, pinned_start
from pplint.engine.vocabulary import is_start
from pplint.finding import Step
from pplint.rules.builders import is_pool

DIMENSION_METHOD = "get_v_head_dim"
"""The method with which a pool gives its head dimension without being asked for a layer."""

_NAMED = 2
_KIND = r"^_?(?:use|is)_([a-z0-9]+)(?:_backend|_model)?$"
_PLATFORM = r"\bhardware_backend\.\w+\."


def not_enough(
    context: Context, node: ast.Call, targets: list[Target], built: list[str]
) -> tuple[str, list[Step]]:
    """A message's clause, and the steps, on pools whose `start_layer` does not repair the call at `node`.

    `built` are the classes that the object which is asked is built from, where they are known.
    """
    project = context.project
    among = {one for class_id in built for one in project.mro(class_id)}
    method = targets[0].function.rpartition(".")[2] if targets else ""
    excluded = _ruled_out(context) | _overridden(context, node)
    clauses: list[str] = []
    steps: list[Step] = []
    for owner in dict.fromkeys(target.owner for target in targets if target.owner in among or not among):
        if not owner or project.is_draft(owner) or any(_has(context, owner, name) for name in excluded):
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


def unreached(context: Context, targets: list[Target]) -> str:
    """The failed `hasattr` that rules every class out which could be asked here, or ""; the place is dead then."""
    excluded = sorted(_ruled_out(context))
    if not excluded:
        return ""
    owners = [
        one.owner
        for one in targets
        if one.owner and not (_of_other_kind(context, one.owner) or _is_elsewhere(context, one.owner))
    ]
    if not owners:
        return ""
    return next((name for name in excluded if all(_has(context, one, name) for one in owners)), "")


def _has(context: Context, owner: str, name: str) -> bool:
    project = context.project
    return project.method(owner, name) is not None or any(
        name in project.classes[one]["attrs"] for one in project.mro(owner)
    )


def _of_other_kind(context: Context, owner: str) -> bool:
    """Whether a failed flag on the path names the kind of a class: `not self.use_mla` and an MLA pool."""
    names = " ".join(context.project.class_name(one) for one in context.project.mro(owner))
    kinds = [
        found.group(1)
        for test, holds in context.flow.guards
        if not holds and (path := v.dotted(test)) and (found := re.match(_KIND, path[-1]))
    ]
    return any(kind.upper() in names or kind.title() in names for kind in kinds)


def _is_elsewhere(context: Context, owner: str) -> bool:
    """Whether a class is not met here: pools alone build it as a part of them, or it is another platform's."""
    project = context.project
    platform = re.search(_PLATFORM, project.module_of(owner))
    if platform is not None and platform.group() not in context.module:
        return True
    built = [
        place
        for one in (owner, *project.children(owner))
        for place, call in project.builds(one)
        if not is_super(call)
    ]
    return all(place.function == "__init__" and is_pool(context, place.owner) for place in built)


def _overridden(context: Context, node: ast.Call) -> set[str]:
    """The attributes of objects for which a local given to the call is chosen anew: `if hasattr(x, ..): i = ..`."""
    given = {one.id for one in (*node.args, *(k.value for k in node.keywords)) if isinstance(one, ast.Name)}
    found: set[str] = set()
    for part in ast.walk(context.flow.functions[-1]) if given and context.flow.functions else ():
        name = _asked(part.test) if isinstance(part, ast.If) and part.lineno < node.lineno else ""
        for one in part.body if name and isinstance(part, ast.If) else ():
            targets = one.targets if isinstance(one, ast.Assign) else []
            if any(isinstance(target, ast.Name) and target.id in given for target in targets):
                found.add(name)
    return found


def _ruled_out(context: Context) -> set[str]:
    """The methods that the object which is asked has not, as a failed `hasattr` on the path says."""
    return {name for test, holds in context.flow.guards if not holds and (name := _asked(test))}


def _asked(test: ast.expr) -> str:
    """The name that `hasattr(x, "name")` asks for, or ""."""
    if not isinstance(test, ast.Call) or v.dotted(test.func) != ("hasattr",) or len(test.args) != 2:
        return ""
    name = test.args[1]
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ""


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
