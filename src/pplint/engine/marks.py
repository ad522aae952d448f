"""Marks that functions set on what they return: `hidden_states._needs_reduce = True`."""

from __future__ import annotations

import ast
import re

from pplint.engine import values as v
from pplint.engine.declarations import FunctionFacts, names_returned
from pplint.engine.flow import Flow
from pplint.engine.guards import SINGLE, stage_facts
from pplint.engine.vocabulary import is_end
from pplint.source.blocks import FunctionNode, statements

_RANKS = r"(^|_)tp_(world_)?size$|tensor_(model_)?parallel_(world_)?size$"
"""How many tensor parallel ranks there are."""


def marked(facts: FunctionFacts, flow: Flow, target: ast.Attribute, node: ast.stmt) -> None:
    """Take down `x._name = True`, where `x` is a local: what is marked so may be handed on."""
    local = target.value
    if not isinstance(local, ast.Name) or local.id == "self":
        return
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    if not isinstance(value, ast.Constant) or value.value not in (True, 1):
        return
    asked = _asked(flow, node)
    if asked is not None:
        facts["marks"].append([local.id, target.attr, asked, node.lineno])


def made_by(facts: FunctionFacts, flow: Flow, target: ast.expr | None, node: ast.stmt) -> None:
    """Take down `x = finish(x)` and `return finish(x)`: what a function that is no method returns may be marked there."""
    if not flow.names[-1].startswith("forward"):  # what the loop over the layers runs
        return
    value = getattr(node, "value", None)
    names = [one.id for one in _parts(target) if isinstance(one, ast.Name)]
    for call in _parts(value) if names or target is None else ():
        routine = call.func if isinstance(call, ast.Call) and (call.args or call.keywords) else None
        if not isinstance(routine, ast.Name) or routine.id in flow.env or routine.id[:1].isupper():
            continue
        asked = _asked(flow, node)
        if asked is not None:
            facts["made"].append([names, [routine.id], asked, node.lineno])


def keep_returned(facts: FunctionFacts, node: FunctionNode) -> None:
    """Forget what was taken down about locals that a function does not return."""
    if not facts["marks"] and not facts["made"]:
        return
    returned = names_returned(node)
    facts["marks"] = [one for one in facts["marks"] if one[0] in returned]
    facts["made"] = [one for one in facts["made"] if not one[0] or not returned.isdisjoint(one[0])]


def names_end(told: ast.expr | None) -> bool:
    """Whether a condition names the end of a stage: it says where in its stage a layer stands."""
    return isinstance(told, (ast.Compare, ast.BoolOp, ast.UnaryOp)) and any(map(is_end, v.names_in(told)))


def _parts(node: ast.expr | None) -> list[ast.expr]:
    return node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node] if node is not None else []


def _asked(flow: Flow, node: ast.stmt) -> list[str] | None:
    """The attributes of `self` that are asked before a place; None where the end of a stage leaves no mark behind.

    So do the only stage, and a flag that was taken back.
    """
    asked = [part for test in _tests(flow) for part in ast.walk(test)]
    names = (one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in asked)
    if SINGLE in stage_facts(flow.guards) or any(map(is_end, names)) or _taken_back(flow, node):
        return None
    paths = (path for one in asked if (path := v.dotted(one)) is not None)
    return sorted({path[1] for path in paths if len(path) == 2 and path[0] == "self"})


def _tests(flow: Flow) -> list[ast.AST]:
    """The conditions on the path to a place, and what the locals in them stand for."""
    found: list[ast.AST] = [atom.test for atom in flow.guards]
    for test in [*found]:
        for part in ast.walk(test):
            if isinstance(part, ast.Name):
                found += [value.node for value in flow.evaluate(part) if value.node is not None]
    return found


def _taken_back(flow: Flow, node: ast.stmt) -> bool:
    """Whether a flag on the path was set to False before where there are several tensor parallel ranks.

    On one rank nothing is left to be added up.
    """
    flags = {atom.test.id for atom in flow.guards if atom.holds and isinstance(atom.test, ast.Name)}
    return any(
        isinstance(part, ast.If)
        and part.lineno < node.lineno
        and any(re.search(_RANKS, name) for name in v.names_in(part.test))
        and any(_is_off(one, flags) for one in part.body)
        for part in (statements(flow.functions[-1].body) if flags and flow.functions else ())
    )


def _is_off(statement: ast.stmt, flags: set[str]) -> bool:
    """Whether a statement sets one of some flags to False."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
        return False
    names = {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return statement.value.value is False and not names.isdisjoint(flags)
