"""From an expression to what it may be. Symbolic: it needs no facts, so both passes use it alike."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from pplint.engine import meaning
from pplint.engine import values as v
from pplint.engine.guards import atoms
from pplint.engine.spread import spread_out
from pplint.engine.values import Atom, Value, Values, join

Environment = dict[str, Values]

_SEQUENCES = frozenset(
    {"list", "tuple", "sorted", "reversed", "iter", "set", "frozenset", "LazyValue", "deque"}
)


class Evaluator:
    """Evaluates expressions in one environment; `guards` are the conditions that hold right now."""

    def __init__(self, constants: Environment) -> None:
        self.constants = constants
        self.env: Environment = {}
        self.guards: tuple[Atom, ...] = ()
        # Listeners ask for the same expressions again and again; what they get holds until a name is bound.
        self.memo: dict[ast.expr, Values] = {}

    def evaluate(self, node: ast.expr | None) -> Values:
        """The alternatives of `node`; never empty, except for no node."""
        if node.__class__ is ast.Name:
            bound = self.env.get(node.id)
            if bound is not None:
                return bound
        elif node is None:
            return ()
        known = self.memo.get(node)
        if known is None:
            handler = _HANDLERS.get(type(node))
            known = handler(self, node) if handler else (Value(v.UNKNOWN, None, node),)
            self.memo[node] = known
        return known

    def constant(self, node: ast.Constant) -> Values:
        if isinstance(node.value, bool):
            return (Value(v.UNKNOWN, None, node),)
        if isinstance(node.value, int):
            return (Value(v.INT, node.value, node, self.guards),)
        if isinstance(node.value, str):
            return (Value(v.STR, node.value, node),)
        return (Value(v.NONE if node.value is None else v.UNKNOWN, None, node),)

    def name(self, node: ast.Name) -> Values:
        found = self.env.get(node.id)
        if found is None:
            found = self.constants.get(node.id)
        return found if found is not None else (Value(v.PATH, (node.id,), node),)

    def attribute(self, node: ast.Attribute) -> Values:
        found = self.evaluate(node.value)
        if len(found) == 1:
            return (self.member(found[0], node.attr, node),)
        return tuple(self.member(base, node.attr, node) for base in found)

    def member(self, base: Value, attribute: str, node: ast.AST) -> Value:
        if base.kind == v.PATH:
            return Value(v.PATH, (*base.data, attribute), node, self.guards)
        if base.kind == v.PARAM:
            return Value(v.PATH, (base.data, attribute), node, self.guards)
        return Value(v.MEMBER, ((base,), attribute), node)

    def unary(self, node: ast.UnaryOp) -> Values:
        operand = self.evaluate(node.operand)
        if isinstance(node.op, ast.USub):
            return tuple(
                Value(v.INT, -one.data, node, one.guards)
                if one.kind == v.INT
                else Value(v.UNKNOWN, None, node)
                for one in operand
            )
        return (Value(v.UNKNOWN, None, node),)

    def binary(self, node: ast.BinOp) -> Values:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if len(left) == len(right) == 1 and left[0].kind == right[0].kind == v.INT:
            folded = _fold(node.op, left[0].data, right[0].data)
            return (
                Value(v.UNKNOWN, None, node) if folded is None else Value(v.INT, folded, node, self.guards),
            )
        return (Value(v.ARITH, (type(node.op).__name__, left, right), node),)

    def conditional(self, node: ast.IfExp) -> Values:
        outer = self.guards
        self.guards = (*outer, *meaning.known(self.env, node.test, True))
        body = self.evaluate(node.body)
        self.guards = (*outer, *meaning.known(self.env, node.test, False))
        orelse = self.evaluate(node.orelse)
        self.guards = outer
        return join(body, orelse)

    def boolean(self, node: ast.BoolOp) -> Values:
        # `x or 0` is a default, not a literal that somebody chose: it stays unknown. `x or Layer` is one of two classes.
        last = node.values[-1]
        if isinstance(node.op, ast.Or) and isinstance(last, ast.Name) and last.id[:1].isupper():
            found = join(*map(self.evaluate, node.values))
            if all(one.kind in (v.PARAM, v.PATH) for one in found):
                return found
        return (Value(v.UNKNOWN, None, node),)

    def named(self, node: ast.NamedExpr) -> Values:
        found = self.evaluate(node.value)
        self.env[node.target.id] = found
        self.memo = {}
        return found

    def subscript(self, node: ast.Subscript) -> Values:
        container = self.evaluate(node.value)
        index = node.slice
        if isinstance(index, ast.Slice):
            lower = self.evaluate(index.lower) if index.lower else None
            upper = self.evaluate(index.upper) if index.upper else None
            return (Value(v.SLICE, (container, lower, upper), node, self.guards),)
        picked = self.evaluate(index)
        if len(container) == 1 and container[0].kind == v.TUPLE and picked and picked[0].kind == v.INT:
            items: tuple[Values, ...] = container[0].data
            if -len(items) <= picked[0].data < len(items):
                return items[picked[0].data]
        return (Value(v.SUB, (container, picked), node),)

    def display(self, node: ast.Tuple | ast.List) -> Values:
        if any(isinstance(item, ast.Starred) for item in node.elts):
            spread = [self.evaluate(i.value if isinstance(i, ast.Starred) else i) for i in node.elts]
            return (Value(v.BUILT, join(*spread), node),)
        items = tuple(self.evaluate(item) for item in node.elts)
        return (Value(v.TUPLE, items, node),)

    def awaited(self, node: ast.Await) -> Values:
        return self.evaluate(node.value)

    def call(self, node: ast.Call) -> Values:
        callee = node.func
        if isinstance(callee, ast.Name) and callee.id not in self.env:
            known = _BUILTINS.get(callee.id)
            if known is not None and not any(isinstance(arg, ast.Starred) for arg in node.args):
                found = known(self, node)
                if found is not None:
                    return found
        if isinstance(callee, ast.Attribute):
            if callee.attr in ("items", "keys", "values") and not node.args:
                return (Value(v.ITEMS, (self.evaluate(callee.value), callee.attr), node),)
            if callee.attr == "get" and node.args:
                return (Value(v.SUB, (self.evaluate(callee.value), self.evaluate(node.args[0])), node),)
        if v.dotted(callee) in (("functools", "partial"), ("partial",)) and node.args:
            return (Value(v.PARTIAL, self.evaluate(node.args[0]), node),)
        return (Value(v.CALL, self.evaluate(callee), spread_out(self.evaluate, node), self.guards),)

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Values:
        outer = dict(self.env)
        self.bind_generators(node.generators)
        found = self.evaluate(node.elt)
        self.env = outer
        tests = [
            atom for generator in node.generators for test in generator.ifs for atom in atoms(test, True)
        ]
        if tests:
            found = tuple(Value(o.kind, o.data, o.node, (*o.guards, *tests)) for o in found)
        return (Value(v.BUILT, found, node),)

    def bind_generators(self, generators: list[ast.comprehension]) -> None:
        for generator in generators:
            self.bind(generator.target, elements(self.evaluate(generator.iter), generator.iter))

    def bind(self, target: ast.expr, found: Values) -> None:
        """Assign alternatives to a target; attributes and subscripts are the listener's business."""
        if isinstance(target, ast.Name):
            self.env[target.id] = found
            self.memo = {}
        elif isinstance(target, ast.Starred):
            self.bind(target.value, (v.UNKNOWN_VALUE,))
        elif isinstance(target, (ast.Tuple, ast.List)):
            for position, item in enumerate(target.elts):
                self.bind(item, unpack(found, position, item))


def unpack(found: Values, position: int, node: ast.AST) -> Values:
    """Item `position` of each alternative."""
    parts: list[Values] = []
    for value in found:
        if value.kind == v.TUPLE and position < len(value.data):
            parts.append(value.data[position])
        else:
            parts.append((Value(v.ITEM, ((value,), position), node),))
    return join(*parts)


def elements(found: Values, node: ast.AST) -> Values:
    """What a loop over each alternative yields."""
    parts: list[Values] = []
    for value in found:
        if value.kind == v.ENUMERATE:
            iterable, start = value.data
            counter = (Value(v.INDEX, (iterable, start), node),)
            parts.append((Value(v.TUPLE, (counter, elements(iterable, node)), node),))
        elif value.kind == v.ZIP:
            parts.append((Value(v.TUPLE, tuple(elements(one, node) for one in value.data), node),))
        elif value.kind == v.TUPLE:
            parts.append(join(*value.data))
        elif value.kind == v.BUILT:
            parts.append(value.data)
        else:
            parts.append((Value(v.ELEMENT, (value,), node),))
    return join(*parts)


def _fold(operator: ast.operator, left: int, right: int) -> int | None:
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    return left * right if isinstance(operator, ast.Mult) and abs(left) < 1000 and abs(right) < 1000 else None


def _range(self: Evaluator, node: ast.Call) -> Values | None:
    args = [self.evaluate(arg) for arg in node.args]
    if len(args) == 1:
        return (Value(v.RANGE, ((Value(v.INT, 0),), args[0]), node, self.guards),)
    return (Value(v.RANGE, (args[0], args[1]), node, self.guards),) if len(args) >= 2 else None


def _enumerate(self: Evaluator, node: ast.Call) -> Values | None:
    if not node.args:
        return None
    start = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords), None)
    return (Value(v.ENUMERATE, (self.evaluate(node.args[0]), self.evaluate(start)), node),)


def _zip(self: Evaluator, node: ast.Call) -> Values | None:
    return (Value(v.ZIP, tuple(self.evaluate(arg) for arg in node.args), node),)


def _len(self: Evaluator, node: ast.Call) -> Values | None:
    return (Value(v.COUNT, self.evaluate(node.args[0]), node),) if len(node.args) == 1 else None


def _first_argument(self: Evaluator, node: ast.Call) -> Values | None:
    return self.evaluate(node.args[0]) if node.args else None


def _islice(self: Evaluator, node: ast.Call) -> Values | None:
    if len(node.args) < 2:
        return None
    lower = self.evaluate(node.args[1]) if len(node.args) > 2 else None
    upper = self.evaluate(node.args[2 if len(node.args) > 2 else 1])
    return (Value(v.SLICE, (self.evaluate(node.args[0]), lower, upper), node),)


def _getattr(self: Evaluator, node: ast.Call) -> Values | None:
    if len(node.args) < 2 or not isinstance(node.args[1], ast.Constant):
        return None
    attribute = node.args[1].value
    if not isinstance(attribute, str):
        return None
    return tuple(self.member(base, attribute, node) for base in self.evaluate(node.args[0]))


_BUILTINS: dict[str, Callable[[Evaluator, ast.Call], Values | None]] = {
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "len": _len,
    "islice": _islice,
    "getattr": _getattr,
    "int": _first_argument,
    **dict.fromkeys(_SEQUENCES, _first_argument),
}

_HANDLERS: dict[type[ast.AST], Callable[[Evaluator, Any], Values]] = {
    ast.Constant: Evaluator.constant,
    ast.Name: Evaluator.name,
    ast.Attribute: Evaluator.attribute,
    ast.UnaryOp: Evaluator.unary,
    ast.BinOp: Evaluator.binary,
    ast.IfExp: Evaluator.conditional,
    ast.BoolOp: Evaluator.boolean,
    ast.NamedExpr: Evaluator.named,
    ast.Subscript: Evaluator.subscript,
    ast.Tuple: Evaluator.display,
    ast.List: Evaluator.display,
    ast.Await: Evaluator.awaited,
    ast.Call: Evaluator.call,
    ast.ListComp: Evaluator.comprehension,
    ast.SetComp: Evaluator.comprehension,
    ast.GeneratorExp: Evaluator.comprehension,
}
