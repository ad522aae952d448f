"""What one file says about layers, as plain data: the facts before they are joined with other files.

A summary is made of dictionaries, lists, strings and numbers only, so that it can be cached and sent between
processes. Values are described in short lists, see `describe`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from pplint.engine import values as v
from pplint.engine.attention import FunctionNode
from pplint.engine.constants import literal_integer, module_constants
from pplint.engine.describe import describe, keywords_of
from pplint.engine.flow import Flow, Listener
from pplint.engine.instances import SUPER
from pplint.engine.levels import flag_on_path
from pplint.engine.values import Value, Values
from pplint.engine.vocabulary import PROXY_PARAMETER, is_end, is_start

_LISTS = ("layers", "blocks", "h")
FunctionFacts = dict[str, Any]
ClassFacts = dict[str, Any]
Summary = dict[str, Any]


def summarise(tree: ast.Module) -> Summary:
    """The summary of one parsed module."""
    listener = Summariser(tree)
    flow = Flow(listener.constants, listener)
    flow.module(tree)
    return listener.summary


_NAMED = (ast.Name, ast.Attribute)
_MAY_BE_LAYERS = (ast.Name, ast.Attribute, ast.Subscript)
_MAY_BE_PARAMETER = (ast.Name, ast.IfExp, ast.Call)
_MAY_BE_ELEMENT = (ast.Name, ast.Subscript, ast.IfExp)


class Summariser(Listener):
    """Listens to the walk of one module and fills its summary."""

    def __init__(self, tree: ast.Module) -> None:
        self.constants = module_constants(tree)
        self.summary: Summary = {
            "imports": {},
            "constants": {name: found[0].data for name, found in self.constants.items()},
            "classes": {},
            "functions": {},
            "entry": [],
            "builds": [],
            "handed": [],
            "prepared": [],
            "soft": [],
        }
        self._classes(tree.body, ())
        self._owner: ClassFacts | None = None
        self._facts: FunctionFacts | None = None
        self._outer: list[tuple[ClassFacts | None, FunctionFacts | None]] = []

    def _classes(self, body: list[ast.stmt], outer: tuple[str, ...]) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                bases = [".".join(path) for path in map(_base_path, node.bases) if path]
                name = ".".join((*outer, node.name))
                constants = {
                    target.id: number
                    for statement in node.body
                    if isinstance(statement, ast.Assign)
                    and isinstance(target := statement.targets[0], ast.Name)
                    if (number := literal_integer(statement.value)) is not None
                }
                self.summary["classes"][name] = {
                    "line": node.lineno, "bases": bases, "methods": {}, "attrs": {}, "constants": constants, "shifted": {},
                }  # fmt: skip
                self._classes(node.body, (*outer, node.name))
            elif isinstance(node, (ast.If, ast.Try)):
                self._classes(node.body, outer)
                self._classes(node.orelse, outer)

    # Events ----------------------------------------------------------------------------------------------

    def enter(self, flow: Flow, node: FunctionNode) -> None:
        arguments = node.args
        positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        decorators = {path[-1] for d in node.decorator_list if (path := v.dotted(d))}
        facts: FunctionFacts = {
            "line": node.lineno,
            "params": positional,
            "keywords": [a.arg for a in arguments.kwonlyargs],
            "defaults": _defaults(arguments),
            "annotations": _annotations(arguments),
            "property": bool(decorators & {"property", "cached_property"}),
            "static": "staticmethod" in decorators,
            "abstract": _is_abstract(node, decorators),
            "proxy": PROXY_PARAMETER in positional or any(a.arg == PROXY_PARAMETER for a in arguments.kwonlyargs),
            "uses": [], "passes": [], "returns": [], "elements": [], "asks": [],
            "supers": [], "kinds": [],
            "stage": any(is_start(a.arg) or is_end(a.arg) for a in (*arguments.args, *arguments.kwonlyargs)),
        }  # fmt: skip
        self._outer.append((self._owner, self._facts))
        if flow.classes:
            self._owner = self.summary["classes"].get(".".join(c.name for c in flow.classes))
        else:
            self._owner = None
        if self._owner is not None:
            self._owner["methods"][node.name] = facts
        else:
            self.summary["functions"][".".join(flow.names)] = facts
        self._facts = facts

    def leave(self, flow: Flow, node: FunctionNode) -> None:
        self._owner, self._facts = self._outer.pop()

    def imported(self, flow: Flow, node: ast.Import | ast.ImportFrom) -> None:
        found = self.summary["imports"]
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                found[alias.asname or alias.name] = ["." * node.level + (node.module or ""), alias.name]
            else:
                first = alias.name if alias.asname else alias.name.split(".")[0]
                found[alias.asname or first] = [first, ""]

    def binary(self, flow: Flow, node: ast.BinOp) -> None:
        if not isinstance(node.op, ast.Sub) or isinstance(node.right, ast.Constant):
            return
        if any(names_start(one) for one in flow.evaluate(node.right)):
            self._use(flow, flow.evaluate(node.left), "minus", [], node)

    def compare(self, flow: Flow, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        ordered = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
        if isinstance(node.ops[0], ordered):
            bounds = [
                side for side in sides if any(names_start(o) or names_end(o) for o in flow.evaluate(side))
            ]
            if bounds:
                for side in sides:
                    self._use(flow, flow.evaluate(side), "compared", [], node)
        elif isinstance(node.ops[0], (ast.In, ast.NotIn)):
            for path in v.paths(flow.evaluate(node.comparators[0])):
                self._use(flow, flow.evaluate(node.left), "key", list(path), node)

    def subscript(self, flow: Flow, node: ast.Subscript) -> None:
        if isinstance(node.slice, (ast.Slice, ast.Constant, ast.Tuple)) or not isinstance(node.value, _NAMED):
            return
        for path in v.paths(flow.evaluate(node.value)):
            index = flow.evaluate(node.slice)
            self._use(flow, index, "sub", list(path), node)
            owner = self._owner
            if (
                owner is not None
                and len(path) == 2
                and path[0] == "self"
                and any(is_shifted(one) for one in index)
            ):
                owner["shifted"].setdefault(
                    path[1], [node.lineno, flow.functions[-1].name if flow.functions else ""]
                )

    def call(self, flow: Flow, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
            for path in v.paths(flow.evaluate(node.func.value)):
                self._use(flow, flow.evaluate(node.args[0]), "key", list(path), node)
        self._handed(flow, node)
        if isinstance(node.func, ast.Name) and node.func.id in ("hasattr", "getattr"):
            self._soft(flow, node)
        facts = self._facts
        if (
            facts is not None
            and isinstance(node.func, ast.Name)
            and node.func.id == "type"
            and len(node.args) == 1
        ):
            self._kinds(flow, facts, node.args[0], ast.Attribute(node, "__name__", ast.Load()))
        above = _called_on_super(node)
        if above == "__init__":
            self._build(flow, node, ["super", "__init__"])
        elif above and facts is not None:
            facts["supers"].append(above)
        callee = flow.evaluate(node.func)
        for one in callee:
            called = [SUPER, above] if above else _callee_path(one)
            if called is None:
                continue
            if facts is not None:
                self._passes(flow, facts, node, called)
                self._asks(flow, facts, node, called)
            if called[-1][:1].isupper() or called[-1].endswith(("_cls", "_class", "Class")):
                self._build(flow, node, called)

    def _soft(self, flow: Flow, node: ast.Call) -> None:
        """Take down the name of an attribute without which the code does something else."""
        name = node.args[1] if len(node.args) > 1 else None
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            return
        tested = flow.statement
        branches = isinstance(tested, ast.If) and tested.test is node and bool(tested.orelse)
        if len(node.args) == 3 or (branches and not isinstance(tested.orelse[-1], ast.Raise)):  # type: ignore[union-attr]
            self.summary["soft"].append(name.value)

    def _kinds(self, flow: Flow, facts: FunctionFacts, element: ast.expr, name: ast.expr) -> None:
        """Take down which class names a function knows, if it asks for that of an element of a parameter."""
        from pplint.engine.dispatch import known_names

        for one in flow.evaluate(element):
            for list_ in one.data[0] if one.kind == v.SUB else one.data if one.kind == v.ELEMENT else ():
                if list_.kind == v.PARAM and (names := known_names(flow.functions[-1], element, name)):
                    facts["kinds"].append([list_.data, names, element.lineno])

    def _handed(self, flow: Flow, node: ast.Call) -> None:
        """Take down who is given a list of layers, so that its file can be looked at too."""
        for one in (*node.args, *node.keywords):
            argument = one.value if isinstance(one, ast.keyword) else one
            if isinstance(argument, _MAY_BE_LAYERS) and hands_layers(flow, argument):
                path = v.dotted(node.func)
                if path is not None:
                    self.summary["handed"].append(list(path))
                return

    def _passes(self, flow: Flow, facts: FunctionFacts, node: ast.Call, path: list[str]) -> None:
        given: list[tuple[int | str | None, ast.expr]] = [*enumerate(node.args)]
        given += [(keyword.arg, keyword.value) for keyword in node.keywords]
        for where, argument in given:
            if not isinstance(argument, _MAY_BE_PARAMETER) or where is None:
                continue
            for one in flow.evaluate(argument):
                if one.kind == v.PARAM:
                    facts["passes"].append([one.data, path, where, node.lineno])

    def _asks(self, flow: Flow, facts: FunctionFacts, node: ast.Call, path: list[str]) -> None:
        """Record what an object in an attribute is asked with, if that was looked up or translated."""
        if len(path) != 3 or path[0] != "self":
            return
        given: list[tuple[int | str, ast.expr]] = [*enumerate(node.args)]
        given += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
        for where, argument in given:
            for one in flow.evaluate(argument):
                if one.kind in (v.SUB, v.ITEM, v.CALL) and (value := describe(one)) != ["other"]:
                    facts["asks"].append([path, where, value, node.lineno])

    def _build(self, flow: Flow, node: ast.Call, path: list[str]) -> None:
        _, star = keywords_of(node)
        positional = [
            [describe(o) for o in flow.evaluate(a)] for a in node.args if not isinstance(a, ast.Starred)
        ]
        named = {k.arg: [describe(o) for o in flow.evaluate(k.value)] for k in node.keywords if k.arg}
        self.summary["builds"].append(
            {
                "callee": path, "line": node.lineno, "args": positional, "kwargs": named, "star": star,
                "flag": flag_on_path(flow.guards),
                "in": [".".join(c.name for c in flow.classes), flow.functions[-1].name if flow.functions else ""],
            }
        )  # fmt: skip

    def attribute(self, flow: Flow, node: ast.Attribute) -> None:
        facts = self._facts
        if facts is None:
            return
        facts["stage"] = facts["stage"] or is_start(node.attr) or is_end(node.attr)
        if node.attr == "__class__":
            self._kinds(flow, facts, node.value, ast.Attribute(node, "__name__", ast.Load()))
        if not isinstance(node.value, _MAY_BE_ELEMENT):
            return
        for base in flow.evaluate(node.value):
            if base.kind in (v.ELEMENT, v.SUB):
                self._element_read(flow, facts, base, node)

    def _element_read(self, flow: Flow, facts: FunctionFacts, base: Value, node: ast.Attribute) -> None:
        from pplint.engine.elements import PLACEHOLDER_ATTRIBUTES, filtered, guarded_in

        how = element_of(base)
        if not how or node.attr.startswith("__") or node.attr in PLACEHOLDER_ATTRIBUTES or filtered(base):
            return
        spelling = [base.node] if isinstance(base.node, ast.Subscript) else []
        for one in base.data if base.kind == v.ELEMENT else base.data[0]:
            if one.kind == v.PARAM and not guarded_in(flow, node.value, *spelling):
                facts["elements"].append([one.data, how, node.attr, node.lineno])

    def assign(self, flow: Flow, target: ast.expr, found: Values, node: ast.stmt) -> None:
        if isinstance(target, ast.Attribute) and any(_asks_first_layer(atom.test) for atom in flow.guards):
            self.summary["prepared"].append(target.attr)
        if self._owner is None and flow.functions:
            return
        in_class = bool(flow.classes) and not flow.functions
        if isinstance(target, ast.Name) and target.id != "EntryClass" and not in_class:
            return
        from pplint.engine.attributes import assigned

        owner = self._owner
        if in_class:
            owner = self.summary["classes"].get(".".join(c.name for c in flow.classes))
        assigned(self.summary, owner, flow, target, found, node)

    def returned(self, flow: Flow, node: ast.Return, found: Values) -> None:
        facts = self._facts
        if facts is not None and len(facts["returns"]) < 6:
            facts["returns"] += [one for value in found if (one := describe(value)) != ["other"]]

    def _use(self, flow: Flow, found: Values, how: str, path: list[str], node: ast.expr) -> None:
        facts = self._facts
        if facts is None:
            return
        for one in found:
            if one.kind == v.PARAM:
                facts["uses"].append([one.data, how, path, node.lineno])


def _asks_first_layer(test: ast.expr) -> bool:
    """Whether a condition compares a layer id with 0."""
    if not isinstance(test, ast.Compare) or not isinstance(test.comparators[0], ast.Constant):
        return False
    path = v.dotted(test.left)
    return path is not None and path[-1] == "layer_id" and test.comparators[0].value == 0


def element_of(base: Value) -> str:
    """Whether the value is the "first" element of a sequence, "each" of them, or neither ("")."""
    if base.kind == v.ELEMENT:
        return "each"
    if base.kind != v.SUB or not base.data[1]:
        return ""
    if all(one.kind == v.INT for one in base.data[1]):
        return "first"
    index = base.data[1][0]
    counted = index.kind == v.ELEMENT and index.data[0].kind == v.RANGE
    stop = index.data[0].data[1] if counted else ()
    return "each" if any(one.kind == v.COUNT and set(one.data) & set(base.data[0]) for one in stop) else ""


def hands_layers(flow: Flow, argument: ast.expr) -> bool:
    """Whether an argument is a list of layers or a slice of one, by its name."""
    if isinstance(argument, ast.Subscript) and isinstance(argument.slice, ast.Slice):
        argument = argument.value
    if isinstance(argument, ast.Name):
        found = flow.evaluate(argument)
        given = any(one.kind == v.PARAM and one.data.endswith(_LISTS[:1]) for one in found)
        return given or any(path[-1].endswith(_LISTS) for path in v.paths(found) if len(path) > 1)
    return isinstance(argument, ast.Attribute) and argument.attr.endswith(_LISTS)


def names_start(value: Value) -> bool:
    """Whether the value is called the first layer id of a stage."""
    return value.kind in (v.PATH, v.PARAM) and is_start(
        value.data[-1] if value.kind == v.PATH else value.data
    )


def is_shifted(value: Value) -> bool:
    """Whether the value is something minus the first layer id of a stage."""
    return value.kind == v.ARITH and value.data[0] == "Sub" and any(names_start(one) for one in value.data[2])


def names_end(value: Value) -> bool:
    """Whether the value is called one past the last layer id of a stage."""
    return value.kind in (v.PATH, v.PARAM) and is_end(value.data[-1] if value.kind == v.PATH else value.data)


def _called_on_super(node: ast.Call) -> str:
    """The method that `super().method(...)` calls, or ""."""
    function = node.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Call):
        return ""
    return function.attr if v.dotted(function.value.func) == ("super",) else ""


def _callee_path(value: Value) -> list[str] | None:
    if value.kind == v.PATH:
        return list(value.data)
    if value.kind == v.PARAM:
        return [value.data]
    if value.kind == v.MEMBER:
        return ["?", value.data[1]]
    return None


def _base_path(node: ast.expr) -> tuple[str, ...] | None:
    return v.dotted(node.value if isinstance(node, ast.Subscript) else node)


def _defaults(arguments: ast.arguments) -> dict[str, list[str]]:
    """Parameters whose default is a dotted name (a default class)."""
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = list(
        zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True)
    )
    pairs += [
        (a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None
    ]
    return {argument.arg: list(path) for argument, default in pairs if (path := v.dotted(default))}


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
