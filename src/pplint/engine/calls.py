"""What a call says, as one file's facts: who is handed what, what is built with what, what may be missing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from pplint.engine import values as v
from pplint.engine.declarations import FunctionFacts
from pplint.engine.describe import describe, keywords_of
from pplint.engine.flow import Flow
from pplint.engine.levels import flag_on_path
from pplint.engine.lookups import CAUGHT, LOADER, is_parameters
from pplint.engine.spread import spread_out
from pplint.engine.values import Value

_LISTS = ("layers", "blocks", "h")
_MAY_BE_LAYERS = frozenset({ast.Name, ast.Attribute, ast.Subscript})
_MAY_BE_PARAMETER = frozenset({ast.Name, ast.IfExp, ast.Call})
_ASKED = (v.SUB, v.ITEM, v.CALL)


def called_on_super(node: ast.Call) -> str:
    """The method that `super().method(...)` calls, or ""."""
    function = node.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Call):
        return ""
    return function.attr if v.dotted(function.value.func) == ("super",) else ""


def callee_path(value: Value) -> list[str] | None:
    """The dotted chain that a callee is, where the root may be unknown ("?"), or None."""
    if value.kind == v.PATH:
        return list(value.data)
    if value.kind == v.PARAM:
        return [value.data]
    if value.kind == v.MEMBER:
        return ["?", value.data[1]]
    return None


def passed(facts: FunctionFacts, flow: Flow, node: ast.Call, path: list[str]) -> None:
    """Take down which parameters are handed on, to which argument of the dotted `path`.

    Also what an object in an attribute of `self` is asked with, if that was looked up or translated.
    """
    asks = len(path) == 3 and path[0] == "self"
    for where, argument in _given(node):
        if asks or type(argument) in _MAY_BE_PARAMETER:
            for one in flow.evaluate(argument):
                if one.kind == v.PARAM:
                    facts["passes"].append([one.data, path, where, node.lineno])
                elif asks and one.kind in _ASKED and (value := describe(one)) != ["other"]:
                    facts["asks"].append([path, where, value, node.lineno])


def lent(summary: dict[str, Any], facts: FunctionFacts, flow: Flow, node: ast.Call) -> None:
    """Take down to which function a loader hands its module, or the parameters of that, and the weights it was given.

    Its file is looked at too.
    """
    if not re.match(LOADER, flow.names[-1]) or flow.caught & CAUGHT:
        return
    path = v.dotted(node.func)
    if path is None or path[0] == "self":
        return
    given = [one for _, argument in _given(node) for one in flow.evaluate(argument)]
    whole = any(one.kind == v.PATH and one.data == ("self",) for one in given)
    if (whole or any(map(is_parameters, given))) and any(one.kind == v.PARAM for one in given):
        facts["lends"].append([list(path), node.lineno])
        summary["handed"].append(list(path))


def _given(node: ast.Call) -> Iterator[tuple[int | str, ast.expr]]:
    """The arguments of a call by position and by keyword."""
    yield from enumerate(node.args)
    for keyword in node.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value


def built(summary: dict[str, Any], flow: Flow, node: ast.Call, path: list[str]) -> None:
    """Take down what an object is built with."""
    node = spread_out(flow.evaluate, node)
    _, star = keywords_of(node)
    positional = [
        [describe(o) for o in flow.evaluate(a)] for a in node.args if not isinstance(a, ast.Starred)
    ]
    named = {k.arg: [describe(o) for o in flow.evaluate(k.value)] for k in node.keywords if k.arg}
    summary["builds"].append(
        {
            "callee": path, "line": node.lineno, "args": positional, "kwargs": named, "star": star,
            "flag": flag_on_path(flow.guards),
            "in": [".".join(c.name for c in flow.classes), flow.functions[-1].name if flow.functions else ""],
        }
    )  # fmt: skip


def handed(summary: dict[str, Any], flow: Flow, node: ast.Call) -> None:
    """Take down who is given a list of layers, so that its file can be looked at too."""
    for argument in (*node.args, *[keyword.value for keyword in node.keywords]):
        if type(argument) in _MAY_BE_LAYERS and _hands_layers(flow, argument):
            path = v.dotted(node.func)
            if path is not None:
                summary["handed"].append(list(path))
            return


def _hands_layers(flow: Flow, argument: ast.expr) -> bool:
    """Whether an argument is a list of layers or a slice of one, by its name."""
    if isinstance(argument, ast.Subscript) and isinstance(argument.slice, ast.Slice):
        argument = argument.value
    if type(argument) is ast.Attribute:
        return argument.attr.endswith(_LISTS)
    if type(argument) is ast.Name:
        for one in flow.evaluate(argument):
            if one.kind == v.PARAM:
                if one.data.endswith(_LISTS[:1]):
                    return True
            elif one.kind == v.PATH and len(one.data) > 1 and one.data[-1].endswith(_LISTS):
                return True
    return False


def filled(facts: FunctionFacts, flow: Flow, target: ast.Name, node: ast.stmt) -> None:
    """Take down a parameter that is made of other ones where it is None: `if mask is None: mask = self.mask(positions)`."""
    made, name = getattr(node, "value", None), target.id
    if not isinstance(made, (ast.Call, ast.IfExp)):
        return
    if isinstance(made, ast.IfExp) and _is_none(made.test, name, ast.Is):
        made = made.body
    elif isinstance(made, ast.IfExp) and _is_none(made.test, name, ast.IsNot):
        made = made.orelse
    elif not any(holds and _is_none(test, name, ast.Is) for test, holds in flow.guards):
        return
    if isinstance(made, ast.Call):
        known = {*facts["params"], *facts["keywords"]} - {"self"}
        of = {part.id for part in ast.walk(made) if isinstance(part, ast.Name)} & known
        if name in known and of and name not in of:
            facts["fills"].append([name, sorted(of), node.lineno])


def _is_none(test: ast.expr, name: str, operator: type[ast.cmpop]) -> bool:
    """`name is None`"""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], operator)
        and isinstance(test.left, ast.Name)
        and test.left.id == name
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is None
    )


def softened(summary: dict[str, Any], flow: Flow, node: ast.Call) -> None:
    """Take down the name of an attribute without which the code does something else."""
    name = node.args[1] if len(node.args) > 1 else None
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return
    tested = flow.statement
    branches = isinstance(tested, ast.If) and tested.test is node and bool(tested.orelse)
    if len(node.args) == 3 or (branches and not isinstance(tested.orelse[-1], ast.Raise)):  # type: ignore[union-attr]
        summary["soft"].append(name.value)
