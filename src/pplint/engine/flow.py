"""Walks a module once, in the order of execution, and tells a listener what it meets and what is known there.

Here is the state of the walk, and what changes where we are: blocks, classes, functions. What statements and expressions
do to that state is said in `branches`, `bindings` and `expressions`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from pplint.engine import values as v
from pplint.engine.attention import EVERYWHERE, Attention
from pplint.engine.bindings import BINDINGS
from pplint.engine.branches import BRANCHES
from pplint.engine.evaluate import Environment, Evaluator
from pplint.engine.expressions import EXPRESSIONS, LEAVES, defaults
from pplint.engine.meaning import as_lambda, defined, known
from pplint.engine.values import Atom, Value, Values
from pplint.source.blocks import FunctionNode


class Listener:
    """What a walk can be told about; every event happens while `flow` holds the state of that place."""

    def call(self, flow: Flow, node: ast.Call) -> None: ...
    def subscript(self, flow: Flow, node: ast.Subscript) -> None: ...
    def attribute(self, flow: Flow, node: ast.Attribute) -> None: ...
    def compare(self, flow: Flow, node: ast.Compare) -> None: ...
    def binary(self, flow: Flow, node: ast.BinOp) -> None: ...
    def loop(self, flow: Flow, target: ast.expr, iterable: ast.expr, found: Values) -> None: ...
    def assign(self, flow: Flow, target: ast.expr, found: Values, node: ast.stmt) -> None: ...
    def returned(self, flow: Flow, node: ast.Return, found: Values) -> None: ...
    def define(self, flow: Flow, node: ast.ClassDef) -> None: ...
    def imported(self, flow: Flow, node: ast.Import | ast.ImportFrom) -> None: ...
    def enter(self, flow: Flow, node: FunctionNode) -> None: ...
    def leave(self, flow: Flow, node: FunctionNode) -> None: ...


class Flow(Evaluator):
    """The state of the walk: environment, guards, and where we are."""

    def __init__(
        self,
        constants: Environment,
        listener: Listener,
        attention: Attention = EVERYWHERE,
    ) -> None:
        super().__init__(constants)
        self.listener = listener
        self.attention = attention
        self.names: tuple[str, ...] = ()
        self.classes: tuple[ast.ClassDef, ...] = ()
        self.functions: tuple[FunctionNode, ...] = ()
        self._inside = False
        self.statement: ast.stmt | None = None
        self.caught: frozenset[str] = frozenset()
        """Names of the exceptions that handlers around the place catch."""
        self.last_guards: tuple[Atom, ...] = ()
        """What was known at the end of the block that was walked last."""
        self.loops: tuple[ast.expr, ...] = ()
        """What the `for` statements around the place run over."""

    @property
    def symbol(self) -> str:
        """The qualified name of the place, such as `Pool.get_key_buffer`."""
        return ".".join(self.names)

    def module(self, tree: ast.Module) -> None:
        self.block(tree.body)

    # Where we are ----------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Walk statements; return True when the end is never reached."""
        outer = self.guards
        ended = False
        for statement in body:
            kind = type(statement)
            handler = _STATEMENTS.get(kind)
            self.memo = {}
            if handler is None:
                self.statement = statement
                if self.attention.within(statement):
                    self.children(statement)
            elif kind in _DEFINITIONS:
                handler(self, statement)
            else:
                self.statement = statement
                if handler(self, statement):
                    ended = True
                    break
        self.last_guards, self.guards = self.guards, outer
        return ended

    def class_definition(self, node: ast.ClassDef) -> None:
        self.statement = node
        for part in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self.visit(part)
        outer = self.env, self.names, self.classes, self.functions
        self.env = dict(self.env)
        self.names, self.classes = (*self.names, node.name), (*self.classes, node)
        self.functions = ()
        self.listener.define(self, node)
        self.block(node.body)
        self.env, self.names, self.classes, self.functions = outer

    def function(self, node: FunctionNode) -> None:
        before, self.statement = self.statement, node
        for part in (*node.decorator_list, *defaults(node.args)):
            self.visit(part)
        outermost = not self._inside
        if outermost and not self.attention.enter(node):
            self.attention.leave()
            self.statement = before
            return
        outer = self.env, self.names, self.functions, before, self.guards, self.caught
        self.caught, self._inside = frozenset(), True
        in_class = bool(self.classes) and not self.functions
        self.env = {} if in_class else dict(self.env)
        self.names, self.functions = (*self.names, node.name), (*self.functions, node)
        self.parameters(node.args, in_class and not _is_static(node))
        self.listener.enter(self, node)
        self.block(node.body)
        self.listener.leave(self, node)
        self.env, self.names, self.functions, self.statement, self.guards, self.caught = outer
        if outermost:
            self._inside = False
            self.attention.leave()
        elif (answer := as_lambda(node)) is not None:
            self.env[defined(node.name)] = (Value(v.UNKNOWN, None, answer),)

    def parameters(self, arguments: ast.arguments, method: bool) -> None:
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        names += [a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None]
        for position, name in enumerate(names):
            kind = Value(v.PATH, ("self",)) if method and position == 0 else Value(v.PARAM, name)
            self.env[name] = (kind,)

    # What is known ---------------------------------------------------------------------------------------

    def known(self, test: ast.expr, holds: bool) -> tuple[Atom, ...]:
        """What holds when `test` is `holds`, see `meaning`."""
        return known(self.env, test, holds)

    def hold(self, test: ast.expr) -> None:
        """Note that a condition holds from here on."""
        self.guards = self.guards + self.known(test, True)

    # Parts that the listener hears of ---------------------------------------------------------------------

    def look(self, node: ast.expr) -> bool:
        """Visit an expression if it needs to be; return whether it did."""
        looks = self.attention.within(node)
        if looks:
            self.visit(node)
        return looks

    def note(self, target: ast.expr) -> None:
        """Tell which names stand for something that the listener heard of."""
        if self.attention is EVERYWHERE:
            return
        if isinstance(target, ast.Name):
            self.attention.bound(target.id)
        elif isinstance(target, ast.Starred):
            self.note(target.value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for item in target.elts:
                self.note(item)

    def visit(self, node: ast.expr) -> None:
        kind = type(node)
        if kind in LEAVES:
            return
        handler = _expression(kind)
        if handler is not None:
            handler(self, node)
        else:
            self.children(node)

    def children(self, node: ast.AST) -> None:
        if type(node) is ast.Expr:
            self.visit(node.value)
            return
        for name in node._fields:
            child = getattr(node, name, None)
            if child is None or child.__class__ is str:
                continue
            if isinstance(child, list):
                for item in child:
                    if isinstance(item, ast.expr):
                        self.visit(item)
                    elif isinstance(item, ast.AST) and not isinstance(item, ast.stmt):
                        self.children(item)
            elif isinstance(child, ast.expr):
                self.visit(child)
            elif isinstance(child, ast.AST):
                self.children(child)


def _is_static(node: FunctionNode) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)


_DEFINITIONS = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})
_STATEMENTS: dict[type[ast.AST], Callable[[Flow, Any], bool | None]] = {
    ast.FunctionDef: Flow.function,
    ast.AsyncFunctionDef: Flow.function,
    ast.ClassDef: Flow.class_definition,
    **BRANCHES,
    **BINDINGS,
}

# Bound once: of an imported name, Python makes the bound method anew for each call, and `visit` is called most of all.
_expression = EXPRESSIONS.get
