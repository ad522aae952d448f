"""What one file says about layers, as plain data: the facts before they are joined with other files.

A summary is made of dictionaries, lists, strings and numbers only, so that it can be cached and sent between
processes. Values are described in short lists, see `describe`.
"""

from __future__ import annotations

import ast
from typing import Any

from pplint.engine import values as v
from pplint.engine.attributes import assigned, grown
from pplint.engine.calls import built, called_on_super, callee_path, filled, handed, lent, passed, softened
from pplint.engine.constants import module_constants
from pplint.engine.declarations import ClassFacts, FunctionFacts, add_classes, function_facts, named_at_top
from pplint.engine.describe import describe
from pplint.engine.element_reads import element_read, kinds_known
from pplint.engine.flow import Flow, Listener
from pplint.engine.instances import SUPER
from pplint.engine.marks import keep_returned, made_by, marked
from pplint.engine.owning import owning
from pplint.engine.stage_sets import askers, asks_for_placeholder, calls_answered
from pplint.engine.values import Value, Values
from pplint.engine.vocabulary import is_end, is_start
from pplint.source.blocks import FunctionNode

Summary = dict[str, Any]


def summarise(tree: ast.Module) -> Summary:
    """The summary of one parsed module."""
    try:
        return _summarised(tree)
    except RecursionError:
        from pplint.engine.deep import with_room

        return with_room(lambda: _summarised(tree))


def _summarised(tree: ast.Module) -> Summary:
    listener = Summariser(tree)
    flow = Flow(listener.constants, listener)
    flow.module(tree)
    listener.finish()
    return listener.summary


_NAMED = (ast.Name, ast.Attribute)
_MAY_BE_ELEMENT = frozenset({ast.Name, ast.Subscript, ast.IfExp})


class Summariser(Listener):
    """Listens to the walk of one module and fills its summary."""

    def __init__(self, tree: ast.Module) -> None:
        self.constants = module_constants(tree)
        self.summary: Summary = {
            "imports": {},
            "constants": {
                name: found[0].data for name, found in self.constants.items() if found[0].kind == v.INT
            },
            "classes": {},
            "functions": {},
            "entry": [],
            "builds": [],
            "handed": [],
            "prepared": [],
            "soft": [],
            "choices": {},
        }
        add_classes(self.summary["classes"], tree.body)
        self._owner: ClassFacts | None = None
        self._facts: FunctionFacts | None = None
        self._outer: list[tuple[ClassFacts | None, FunctionFacts | None]] = []
        self._functions: list[tuple[FunctionNode, str, FunctionFacts]] = []
        self._askers: set[str] = set()
        """The functions that look for placeholders: their qualified names."""

    # Events ----------------------------------------------------------------------------------------------

    def enter(self, flow: Flow, node: FunctionNode) -> None:
        facts = function_facts(node)
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
        self._functions.append((node, flow.symbol, facts))

    def finish(self) -> None:
        """Who calls a function of the module that looks for placeholders looks for them too."""
        if self._askers:
            found = askers([(node, name) for node, name, _ in self._functions], self._askers)
            for _, name, facts in self._functions:
                if name in found:
                    facts["stage"] = True

    def leave(self, flow: Flow, node: FunctionNode) -> None:
        if self._facts is not None:
            keep_returned(self._facts, node)
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
        if any(_names_start(one) for one in flow.evaluate(node.right)):
            self._use(flow, flow.evaluate(node.left), "minus", [], node)

    def compare(self, flow: Flow, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        ordered = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
        if isinstance(node.ops[0], ordered):
            bounds = [
                side for side in sides if any(_names_start(o) or _names_end(o) for o in flow.evaluate(side))
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
                and any(_is_shifted(one) for one in index)
            ):
                owner["shifted"].setdefault(
                    path[1], [node.lineno, flow.functions[-1].name if flow.functions else ""]
                )

    def call(self, flow: Flow, node: ast.Call) -> None:
        function, facts = node.func, self._facts
        if node.args or node.keywords:
            handed(self.summary, flow, node)
            if self._owner is not None and facts is not None:
                lent(self.summary, facts, flow, node)
        if type(function) is ast.Name:
            self._named(flow, node, function.id)
        elif type(function) is ast.Attribute and node.args:
            self._method(flow, node, function)
        above = called_on_super(node)
        if above == "__init__":
            built(self.summary, flow, node, ["super", "__init__"])
        elif above and facts is not None:
            facts["supers"].append(above)
        if facts is not None and not above and _runs_constructor(node):
            facts["supers"].append("__init__")
        for one in flow.evaluate(function):
            called = [SUPER, above] if above else callee_path(one)
            if called is None:
                continue
            if facts is not None and (node.args or node.keywords):
                passed(facts, flow, node, called)
            if called[-1][:1].isupper() or called[-1].endswith(("_cls", "_class", "Class")):
                built(self.summary, flow, node, called)

    def _named(self, flow: Flow, node: ast.Call, name: str) -> None:
        """A call of a function by its name."""
        if name in ("hasattr", "getattr"):
            softened(self.summary, flow, node)
        elif name == "isinstance":
            if self._facts is not None and asks_for_placeholder(flow, node):
                self._askers.add(flow.symbol)
        elif name == "type" and self._facts is not None and len(node.args) == 1:
            kinds_known(self._facts, flow, node.args[0], ast.Attribute(node, "__name__", ast.Load()))

    def _method(self, flow: Flow, node: ast.Call, function: ast.Attribute) -> None:
        """A call of a method with arguments."""
        if function.attr == "append" and self._owner is not None:
            grown(self._owner, flow, node, function.value)
        elif function.attr == "get":
            for path in v.paths(flow.evaluate(function.value)):
                self._use(flow, flow.evaluate(node.args[0]), "key", list(path), node)

    def attribute(self, flow: Flow, node: ast.Attribute) -> None:
        facts = self._facts
        if facts is None:
            return
        if not facts["stage"] and (is_start(node.attr) or is_end(node.attr)):
            facts["stage"] = True
        if node.attr == "__class__":
            kinds_known(facts, flow, node.value, ast.Attribute(node, "__name__", ast.Load()))
        if type(node.value) not in _MAY_BE_ELEMENT:
            return
        for base in flow.evaluate(node.value):
            if base.kind in (v.ELEMENT, v.SUB):
                element_read(facts, flow, base, node)

    def assign(self, flow: Flow, target: ast.expr, found: Values, node: ast.stmt) -> None:
        if type(target) is ast.Attribute:
            if self._facts is not None:
                marked(self._facts, flow, target, node)
            for atom in flow.guards:
                if type(atom.test) is ast.Compare and _asks_first_layer(atom.test):
                    self.summary["prepared"].append(target.attr)
                    break
        elif self._facts is not None and self._owner is not None:
            made_by(self._facts, flow, target, node)
            if type(target) is ast.Name:
                filled(self._facts, flow, target, node)
        if self._owner is None and flow.functions:
            return
        in_class = bool(flow.classes) and not flow.functions
        if isinstance(target, ast.Name) and not in_class:
            if not flow.functions:
                named_at_top(self.summary, target.id, getattr(node, "value", None))
            return
        owner = self._owner
        if in_class:
            owner = self.summary["classes"].get(".".join(c.name for c in flow.classes))
        if owner is not None:
            assigned(owner, flow, target, found, node)

    def returned(self, flow: Flow, node: ast.Return, found: Values) -> None:
        facts = self._facts
        if facts is not None and self._owner is not None:
            made_by(facts, flow, None, node)
        if facts is None or len(facts["returns"]) >= 6:
            return
        facts["replies"] += calls_answered(node.value)
        owned = owning(flow.env, node.value) if node.value is not None else ""
        if owned:
            facts["returns"].append(["test", owned])
        else:
            facts["returns"] += [one for value in found if (one := describe(value)) != ["other"]]

    def _use(self, flow: Flow, found: Values, how: str, path: list[str], node: ast.expr) -> None:
        facts = self._facts
        if facts is None:
            return
        for one in found:
            if one.kind == v.PARAM:
                facts["uses"].append([one.data, how, path, node.lineno])


def _runs_constructor(node: ast.Call) -> bool:
    """`Base.__init__(self, ...)`"""
    function, first = node.func, node.args[0] if node.args else None
    named = isinstance(function, ast.Attribute) and function.attr == "__init__"
    return named and isinstance(first, ast.Name) and first.id == "self"


def _asks_first_layer(test: ast.Compare) -> bool:
    """Whether a condition compares a layer id with 0."""
    if not isinstance(test.comparators[0], ast.Constant):
        return False
    path = v.dotted(test.left)
    return path is not None and path[-1] == "layer_id" and test.comparators[0].value == 0


def _names_start(value: Value) -> bool:
    """Whether the value is called the first layer id of a stage."""
    return is_start(v.last_name_of(value))


def _is_shifted(value: Value) -> bool:
    """Whether the value is something minus the first layer id of a stage."""
    return (
        value.kind == v.ARITH and value.data[0] == "Sub" and any(_names_start(one) for one in value.data[2])
    )


def _names_end(value: Value) -> bool:
    """Whether the value is called one past the last layer id of a stage."""
    return is_end(v.last_name_of(value))
