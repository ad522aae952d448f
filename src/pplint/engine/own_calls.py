"""What the parameters of a private method are, told by the calls of it in its class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL, Evidence
from pplint.engine.declarations import given_for
from pplint.engine.vocabulary import LAYER_ID_NAMES
from pplint.records import Record
from pplint.source.blocks import FunctionNode

if TYPE_CHECKING:
    from pplint.engine.context import Context


def evidence_of_calls(context: Context, space: str, parameter: str) -> Evidence | None:
    """Why a parameter of the private method we are in is in a space: all calls hand it parameters that are; or None."""
    functions = context.flow.functions
    if len(functions) != 1 or not context.class_id or not functions[0].name.startswith("_"):
        return None
    project, found = context.project, None
    facts = context.accessors.facts_of(context.function_id)
    heirs = project.children(context.class_id)
    if any(_hands_other(context, space, one, functions[0].name) for one in heirs):
        return None
    names = {project.class_name(one) for one in heirs}
    for owner, caller, call in _calls(context, functions[0].name):
        own = v.dotted(call.func) == ("self", functions[0].name)
        if own and owner is not context.flow.classes[-1] and (owner is None or owner.name not in names):
            continue  # a method of another class
        if not own or owner is not context.flow.classes[-1] or caller is None or caller not in owner.body:
            return None
        argument = given_for(facts, parameter, call)
        if argument is None or not _is_in(context, space, caller, argument):
            return None
        text = f"`{caller.name}` hands `{ast.unparse(argument)}` to `{functions[0].name}`"
        found = found or Evidence(context.module, call.lineno, text, None)
    return found


def _hands_other(context: Context, space: str, heir: str, method: str) -> bool:
    """Whether an heir (an id) in another file hands a parameter to the method that is not known to be in the space."""
    project = context.project
    return project.module_of(heir) != context.module and any(
        callee == ["self", method] and parameter not in context.accessors.known(space, f"{heir}.{name}")
        for name, facts in project.classes[heir]["methods"].items()
        for parameter, callee, _, _ in facts["passes"]
    )


def _is_in(context: Context, space: str, caller: FunctionNode, argument: ast.expr) -> bool:
    """Whether an argument is a parameter of the caller in that space, or the id that a layer has."""
    if isinstance(argument, ast.Attribute):
        return space == GLOBAL and argument.attr in LAYER_ID_NAMES
    known = context.accessors.known(space, f"{context.class_id}.{caller.name}")
    return isinstance(argument, ast.Name) and argument.id in known and not _rebinds(caller, argument)


class _Call(Record):
    """A call, and the innermost class and function that it stands in."""

    owner: ast.ClassDef | None
    caller: FunctionNode | None
    node: ast.Call


def _calls(context: Context, method: str) -> Iterator[_Call]:
    """The calls of a method with that name in this file."""
    waiting: list[tuple[ast.AST, ast.ClassDef | None, FunctionNode | None]] = [(context.tree, None, None)]
    while waiting:
        node, owner, caller = waiting.pop()
        if isinstance(node, ast.stmt) and f".{method}" not in context.text_of(node):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
            yield _Call(owner, caller, node)
        if isinstance(node, ast.ClassDef):
            owner = node
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            caller = None if isinstance(node, ast.Lambda) else node
        waiting += [(child, owner, caller) for child in ast.iter_child_nodes(node)]


def _rebinds(caller: FunctionNode, argument: ast.Name) -> bool:
    """Whether a method may have given its parameter another value before it hands it on."""
    return any(
        isinstance(node, ast.Name)
        and node.id == argument.id
        and not isinstance(node.ctx, ast.Load)
        and node.lineno <= argument.lineno
        for node in ast.walk(caller)
    )
