"""Which calls return the proxies of a stage, and what those have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.declarations import FunctionFacts, given_for
from pplint.engine.project import Project
from pplint.engine.values import Value
from pplint.engine.vocabulary import PROXY_CLASS

_DEPTH = 2
"""So many functions may stand between a forward and the making of its proxies."""


def of_proxies(project: Project, owner: str, attribute: str) -> bool:
    """Whether the proxies that the forward of a class returns have an attribute or a method."""
    kind = project.resolve_class(project.module_of(owner), [PROXY_CLASS])
    facts = project.classes[kind] if kind is not None else {"attrs": {"tensors": []}, "methods": {}}
    return attribute.startswith("__") or attribute in facts["attrs"] or attribute in facts["methods"]


def proxies_of(context: Context, value: Value) -> tuple[str, int] | None:
    """The class whose forward a value is the result of, if that may return proxies, and the line of the forward."""
    project = context.project
    for path in _called(context, value):
        model = path[:-1] if path[-1] == "forward" else path
        for owner in sorted(project.types_of(context.place, model)) if len(model) > 1 else ():
            method = project.method(owner, "forward")
            if method is not None and method[1]["proxy"]:
                if _may_be_proxies(project, project.module_of(method[0]), method[1]):
                    return method[0], method[1]["line"]
    return None


def _called(context: Context, value: Value) -> Iterator[tuple[str, ...]]:
    """What was called for a value: a chain of names, that of a model that a function is given to call among them."""
    for path in v.paths(value.data) if value.kind == v.CALL else ():
        yield path
        routine = context.project.named_function(context.module, path)
        if routine is None or not isinstance(value.node, ast.Call):
            continue
        for returned in routine[1]["returns"]:
            if returned[0] == "call":
                given = given_for(routine[1], returned[1][0], value.node)
                yield from v.paths(context.flow.evaluate(given))


def _may_be_proxies(project: Project, module: str, function: FunctionFacts, depth: int = 0) -> bool:
    """Whether a function of a module returns proxies, which it makes itself or has made for it."""
    for returned in function["returns"]:
        if returned[0] != "call":
            continue
        if returned[1][-1] == PROXY_CLASS:
            return True
        made = project.named_function(module, returned[1]) if depth < _DEPTH else None
        if made is not None and _may_be_proxies(project, made[0].module, made[1], depth + 1):
            return True
    return False
