"""What classes and functions say before any code of theirs runs: bases, constants, parameters, decorators."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from pplint.engine import values as v
from pplint.engine.constants import literal_integer
from pplint.engine.vocabulary import PROXY_PARAMETER, is_end, is_start
from pplint.source.blocks import FunctionNode, blocks_of, statements

FunctionFacts = dict[str, Any]
ClassFacts = dict[str, Any]
_PROPERTIES = frozenset({"property", "cached_property"})


def add_classes(classes: dict[str, ClassFacts], body: list[ast.stmt], outer: tuple[str, ...] = ()) -> None:
    """Add the classes of a body by their qualified names, also those in classes and in conditions."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            bases = [".".join(path) for path in map(_base_path, node.bases) if path]
            name = ".".join((*outer, node.name))
            constants = {
                target.id: number
                for statement in node.body
                if isinstance(statement, ast.Assign) and isinstance(target := statement.targets[0], ast.Name)
                if (number := literal_integer(statement.value)) is not None
            }
            classes[name] = {
                "line": node.lineno, "bases": bases, "methods": {}, "attrs": {}, "constants": constants, "shifted": {},
            }  # fmt: skip
            add_classes(classes, node.body, (*outer, node.name))
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for block in blocks_of(node):
                add_classes(classes, block, outer)


def _base_path(node: ast.expr) -> tuple[str, ...] | None:
    return v.dotted(node.value if isinstance(node, ast.Subscript) else node)


def function_facts(node: FunctionNode) -> FunctionFacts:
    """What the head of a function says; the lists are filled by the walk through its body."""
    arguments = node.args
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    decorators = {path[-1] for d in node.decorator_list if (path := v.dotted(d))}
    return {
        "line": node.lineno,
        "params": positional,
        "keywords": [a.arg for a in arguments.kwonlyargs],
        "defaults": _defaults(arguments),
        "annotations": _annotations(arguments),
        "property": not decorators.isdisjoint(_PROPERTIES),
        "static": "staticmethod" in decorators,
        "abstract": _is_abstract(node, decorators),
        "proxy": takes_proxies(node),
        "uses": [], "passes": [], "returns": [], "elements": [], "asks": [],
        "supers": [], "kinds": [], "marks": [], "made": [], "fills": [], "replies": [], "lends": [],
        "stage": any(is_start(a.arg) or is_end(a.arg) for a in (*arguments.args, *arguments.kwonlyargs)),
    }  # fmt: skip


def property_facts(node: ast.stmt) -> FunctionFacts | None:
    """`start_layer = property(lambda self: self.model.start_layer)`, also with `operator.attrgetter`; else None."""
    made = getattr(node, "value", None)
    if not isinstance(made, ast.Call) or len(made.args) != 1:
        return None
    name = v.dotted(made.func)
    if name is None or name[-1] not in _PROPERTIES:
        return None
    path = _path_read(made.args[0])
    if path is None:
        return None
    parameters = ast.arguments([], [ast.arg("self")], None, [], [], None, [])
    facts = function_facts(ast.FunctionDef("", parameters, [ast.Pass()], [], lineno=node.lineno))
    return {**facts, "abstract": False, "property": True, "returns": [["path", ["self", *path]]]}


def _path_read(getter: ast.expr) -> tuple[str, ...] | None:
    """The chain that a function without a name reads from its argument."""
    if isinstance(getter, ast.Lambda) and len(getter.args.args) == 1:
        path = v.dotted(getter.body)
        return path[1:] if path is not None and path[0] == getter.args.args[0].arg else None
    if isinstance(getter, ast.Call) and (v.dotted(getter.func) or ("",))[-1] == "attrgetter" and getter.args:
        named = getter.args[0].value if isinstance(getter.args[0], ast.Constant) else None
        return tuple(named.split(".")) if isinstance(named, str) else None
    return None


def takes_proxies(node: FunctionNode) -> bool:
    """Whether a function has the parameter for what the stage before sent."""
    arguments = node.args
    return any(
        one.arg == PROXY_PARAMETER for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    )


def names_returned(node: FunctionNode) -> set[str]:
    """The names that a function returns, alone or in a tuple."""
    returned = [part.value for part in statements(node.body) if isinstance(part, ast.Return)]
    parts = [item for one in returned for item in (one.elts if isinstance(one, ast.Tuple) else [one])]
    return {one.id for one in parts if isinstance(one, ast.Name)}


def position_of(facts: dict[str, Any], parameter: str) -> int | None:
    """The 0-based position of a parameter among the arguments of a call, or None for keyword-only ones."""
    if parameter not in facts["params"]:
        return None
    index: int = facts["params"].index(parameter)
    return (
        index
        if facts["static"] or not facts["params"] or facts["params"][0] not in ("self", "cls")
        else index - 1
    )


def given_for(facts: dict[str, Any], parameter: str, call: ast.Call) -> ast.expr | None:
    """The argument of a call that a parameter of the called function gets, or None."""
    position = position_of(facts, parameter)
    if position is not None and position < len(call.args):
        return call.args[position]
    return next((keyword.value for keyword in call.keywords if keyword.arg == parameter), None)


def defaulted(arguments: ast.arguments) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, each with it."""
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = list(
        zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True)
    )
    return pairs + [
        (a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None
    ]


def _defaults(arguments: ast.arguments) -> dict[str, list[str]]:
    """Parameters whose default is a dotted name (a default class)."""
    return {
        argument.arg: list(path) for argument, default in defaulted(arguments) if (path := v.dotted(default))
    }


def _annotations(arguments: ast.arguments) -> dict[str, str]:
    """The names in the annotation of each parameter."""
    return {
        argument.arg: " ".join(_names_in(argument.annotation))
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        if argument.annotation is not None
    }


def _names_in(node: ast.AST) -> Iterator[str]:
    """The dotted names in an annotation, also those in strings."""
    path = v.dotted(node)
    if path is not None:
        yield ".".join(path)
    elif isinstance(node, ast.Constant):
        yield str(node.value)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _names_in(child)


def _is_abstract(node: FunctionNode, decorators: set[str]) -> bool:
    body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return "abstractmethod" in decorators or all(isinstance(s, (ast.Raise, ast.Pass)) for s in body)


def named_at_top(summary: dict[str, Any], name: str, value: ast.expr | None) -> None:
    """Record what a name at the top of a module says: the entry classes, or a table of classes."""
    if name == "EntryClass":
        summary["entry"] += named_classes(value)
    elif isinstance(value, ast.Dict) and (classes := named_classes(value)):
        summary["choices"][name] = classes


def named_classes(value: ast.expr | None) -> list[str]:
    """The names of the classes in what is assigned to `EntryClass`, or in a table of classes."""
    return [path[-1] for part in _parts(value) if (path := v.dotted(part))]


def _parts(value: ast.expr | None) -> Iterator[ast.expr]:
    """The items of a display, of joined displays and of a choice between some; of a dictionary the values."""
    if isinstance(value, (ast.List, ast.Tuple)):
        yield from value.elts
    elif isinstance(value, ast.Dict):
        yield from value.values
    elif isinstance(value, ast.BinOp):
        yield from (*_parts(value.left), *_parts(value.right))
    elif isinstance(value, ast.IfExp):
        yield from (*_parts(value.body), *_parts(value.orelse))
    elif value is not None:
        yield value
