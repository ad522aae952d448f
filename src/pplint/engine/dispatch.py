"""Functions that ask for the class name of what they are given, and raise for names that they do not know."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.handed import definitions, parameter_at
from pplint.engine.names import Place
from pplint.engine.project import Padded, Project
from pplint.records import Record
from pplint.source.blocks import FunctionNode

_DEPTH = 3


class Chooser(Record):
    """A function that takes elements of these class names only; its module and the line that asks."""

    names: frozenset[str]
    module: str
    line: int


def known_names(function: FunctionNode, element: ast.expr, asked: ast.expr) -> list[str]:
    """The class names that a function takes `element` for, if it raises for all others.

    `asked` is how it asks for the name (`x[0].__class__.__name__`). Empty where it does not choose so.
    """
    subjects = {ast.dump(asked)}
    for part in ast.walk(function):
        if isinstance(part, ast.Assign) and ast.dump(part.value) in subjects:
            names = [target.id for target in part.targets if isinstance(target, ast.Name)]
            subjects |= {ast.dump(ast.Name(name, ast.Load())) for name in names}
    found: set[str] = set()
    refuses = _falls_into_raise(function.body)
    for part in ast.walk(function):
        if isinstance(part, ast.If):
            refusing = not part.orelse and isinstance(part.body[-1], ast.Raise)
            operators = (ast.NotIn, ast.NotEq) if refusing else (ast.In, ast.Eq)
            names_here = _compared(part.test, subjects, operators)
            refuses |= refusing and bool(names_here)
            found |= names_here | _instances(part.test, ast.dump(element))
        elif isinstance(part, ast.Match) and ast.dump(part.subject) in subjects:
            last = part.cases[-1]
            refuses |= isinstance(last.pattern, ast.MatchAs) and isinstance(last.body[-1], ast.Raise)
            found |= {
                str(one.value)
                for case in part.cases
                for one in ast.walk(case.pattern)
                if isinstance(one, ast.Constant)
            }
    return sorted(found) if refuses else []


def _compared(test: ast.expr, subjects: set[str], operators: tuple[type[ast.cmpop], ...]) -> set[str]:
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], operators):
        return set()
    if ast.dump(test.left) not in subjects:
        return set()
    parts = ast.walk(test.comparators[0])
    return {one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def _instances(test: ast.expr, element: str) -> set[str]:
    """The names of the classes that `isinstance` asks for."""
    if not isinstance(test, ast.Call) or v.dotted(test.func) != ("isinstance",) or len(test.args) != 2:
        return set()
    if ast.dump(test.args[0]) != element:
        return set()
    kinds = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
    return {path[-1] for kind in kinds if (path := v.dotted(kind))}


def _falls_into_raise(body: list[ast.stmt]) -> bool:
    last = body[-1]
    while isinstance(last, ast.If) and last.orelse:
        last = last.orelse[-1]
    return isinstance(last, ast.Raise)


def chooser_of(
    project: Project, place: Place, callee: list[str], where: int | str, depth: int = 0
) -> Chooser | None:
    """The choice by class name that a call makes about the elements of its argument at `where`, or None."""
    for inner in definitions(project, place, callee) if depth <= _DEPTH else ():
        facts = project.function(inner)
        parameter = parameter_at(facts, where) if facts is not None else None
        if facts is None or parameter is None:
            continue
        for name, names, line in facts["kinds"]:
            if name == parameter:
                return Chooser(frozenset(names), inner.module, line)
        for name, onward, position, _ in facts["passes"]:
            found = chooser_of(project, inner, onward, position, depth + 1) if name == parameter else None
            if found is not None:
                return found
    return None


def element_classes(project: Project, padded: Padded) -> frozenset[str]:
    """The classes that the factory of a padded list builds; empty when one of them is not known."""
    built = built_elements(project, padded)
    return frozenset().union(*built) if all(built) else frozenset()


def built_elements(project: Project, padded: Padded, holder: str = "") -> list[frozenset[str]]:
    """The classes that each call of the factory of a padded list may build; empty ones are not known.

    `holder` is the class of the object that keeps the list, where it is not the list's owner itself.
    """
    return [
        project.types_of_value(
            Place(project.module_of(padded.owner), padded.owner, entry["method"], holder), ["call", callee]
        )
        for entry in project.classes[padded.owner]["attrs"].get(padded.attribute, ())
        for callee in entry.get("makes", ())
    ]


def refused(
    project: Project, place: Place, padded: Padded, node: ast.Call, where: int | str
) -> Chooser | None:
    """The choice that refuses every class of element of a padded list given to a call, or None."""
    callee = v.dotted(node.func)
    chooser = chooser_of(project, place, list(callee), where) if callee is not None else None
    classes = element_classes(project, padded) if chooser is not None else frozenset()
    if chooser is None or not classes:
        return None
    names = {plain_name(project, base) for one in classes for base in project.mro(one)}
    return chooser if names.isdisjoint(chooser.names) else None


def plain_name(project: Project, class_id: str) -> str:
    """The name of a class without those of the classes around it."""
    return project.class_name(class_id).rpartition(".")[2]
