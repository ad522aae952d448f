"""Walks a module once, in the order of execution, and tells a listener what it meets and what is known there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pplint.engine import guards as g
from pplint.engine import values as v
from pplint.engine.attention import EVERYWHERE, Attention, FunctionNode
from pplint.engine.evaluate import Environment, Evaluator, elements
from pplint.engine.values import Atom, Value, Values, join

Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


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
        self.statement: ast.stmt | None = None
        self.caught: frozenset[str] = frozenset()
        """Names of the exceptions that handlers around the place catch."""
        self.loops: tuple[ast.expr, ...] = ()
        """What the `for` statements around the place run over."""

    @property
    def symbol(self) -> str:
        """The qualified name of the place, such as `Pool.get_key_buffer`."""
        return ".".join(self.names)

    def module(self, tree: ast.Module) -> None:
        self.block(tree.body)

    # Statements ------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Walk statements; return True when the end is never reached."""
        outer = self.guards
        ended = False
        for statement in body:
            handler = _STATEMENTS.get(type(statement))
            self.memo = {}
            if handler is None:
                self.statement = statement
                if self.attention.within(statement):
                    self.children(statement)
            elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.statement = statement
                ended = bool(handler(self, statement))
            else:
                handler(self, statement)
            if ended:
                break
        self.guards = outer
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
        for part in (*node.decorator_list, *_defaults(node.args)):
            self.visit(part)
        outermost = not self.functions
        if outermost and not self.attention.enter(node):
            self.statement = before
            return
        outer = self.env, self.names, self.functions, before, self.guards, self.caught
        self.caught = frozenset()
        in_class = bool(self.classes) and not self.functions
        self.env = {} if in_class else dict(self.env)
        self.names, self.functions = (*self.names, node.name), (*self.functions, node)
        self.parameters(node.args, in_class and not _is_static(node))
        self.listener.enter(self, node)
        self.block(node.body)
        self.listener.leave(self, node)
        self.env, self.names, self.functions, self.statement, self.guards, self.caught = outer
        if outermost:
            self.attention.leave()

    def parameters(self, arguments: ast.arguments, method: bool) -> None:
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        names += [a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None]
        for position, name in enumerate(names):
            kind = Value(v.PATH, ("self",)) if method and position == 0 else Value(v.PARAM, name)
            self.env[name] = (kind,)

    def if_statement(self, node: ast.If) -> bool:
        self.look(node.test)
        before, outer = self.env, self.guards
        self.env = dict(before)
        self.guards = outer + self.known(node.test, True)
        body_ended = self.block(node.body)
        after_body, self.env = self.env, before
        failed: tuple[Atom, ...] = ()
        else_ended = False
        if node.orelse or body_ended:
            failed = self.known(node.test, False)
        if node.orelse:
            self.guards = outer + failed
            else_ended = self.block(node.orelse)
        self.guards = outer
        if body_ended and not else_ended:
            self.guards = outer + failed
        elif else_ended and not body_ended:
            self.env = after_body
            self.guards = outer + self.known(node.test, True)
        elif not body_ended:
            self.env = merge(after_body, self.env)
        return body_ended and else_ended

    def for_statement(self, node: ast.For | ast.AsyncFor) -> bool:
        looks = self.look(node.iter)
        found = self.evaluate(node.iter)
        if looks:
            self.listener.loop(self, node.target, node.iter, found)
            self.note(node.target)
        before = dict(self.env)
        self.bind(node.target, elements(found, node.iter))
        outer, self.loops = self.loops, (*self.loops, node.iter)
        self.block(node.body)
        self.env = merge(before, self.env)
        self.block(node.orelse)
        self.loops = outer
        return False

    def while_statement(self, node: ast.While) -> bool:
        self.look(node.test)
        before, outer = dict(self.env), self.guards
        self.guards = outer + self.known(node.test, True)
        self.block(node.body)
        self.guards = outer
        self.env = merge(before, self.env)
        self.block(node.orelse)
        return False

    def with_statement(self, node: ast.With | ast.AsyncWith) -> bool:
        for item in node.items:
            looks = self.look(item.context_expr)
            if item.optional_vars is not None:
                if looks:
                    self.note(item.optional_vars)
                self.bind(item.optional_vars, self.evaluate(item.context_expr))
        return self.block(node.body)

    def try_statement(self, node: ast.Try) -> bool:
        before, outer = dict(self.env), self.caught
        self.caught = outer | g.handler_names(node.handlers)
        ended = self.block(node.body)
        self.caught = outer
        after = self.env
        for handler in node.handlers:
            self.env = merge(before, after)
            if handler.name:
                self.env[handler.name] = (v.UNKNOWN_VALUE,)
            if not self.block(handler.body):
                after = self.env if ended else merge(after, self.env)
                ended = False
        self.env = after
        if not ended:
            ended = self.block(node.orelse)
        return self.block(node.finalbody) or ended

    def match_statement(self, node: ast.Match) -> bool:
        self.look(node.subject)
        before = dict(self.env)
        after = before
        for case in node.cases:
            self.env = dict(before)
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None)
                if isinstance(name, str):
                    self.env[name] = (v.UNKNOWN_VALUE,)
            if case.guard is not None:
                self.look(case.guard)
            if not self.block(case.body):
                after = merge(after, self.env)
        self.env = after
        return False

    def assert_statement(self, node: ast.Assert) -> bool:
        self.look(node.test)
        self._hold(node.test)
        return False

    def _hold(self, test: ast.expr) -> None:
        self.guards = self.guards + self.known(test, True)

    def assignment(self, node: ast.Assign) -> bool:
        looks = self.attention.within(node)
        if looks:
            self.visit(node.value)
        found = self.evaluate(node.value)
        for target in node.targets:
            self.assign_to(target, found, node, looks)
        return False

    def annotated(self, node: ast.AnnAssign) -> bool:
        if node.value is not None:
            looks = self.attention.within(node)
            if looks:
                self.visit(node.value)
            self.assign_to(node.target, self.evaluate(node.value), node, looks)
        return False

    def augmented(self, node: ast.AugAssign) -> bool:
        if self.attention.within(node):
            self.visit(node.value)
            self.visit_target(node.target)
            self.note(node.target)
        if isinstance(node.target, ast.Name):
            left = self.evaluate(node.target)
            right = self.evaluate(node.value)
            self.env[node.target.id] = (Value(v.ARITH, (type(node.op).__name__, left, right), node),)
        return False

    def assign_to(self, target: ast.expr, found: Values, node: ast.stmt, looks: bool) -> None:
        if looks:
            self.visit_target(target)
            self.note(target)
        self.bind(target, found)
        if looks or self.attention.every_assignment:
            self.listener.assign(self, target, found, node)

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

    def visit_target(self, target: ast.expr) -> None:
        if isinstance(target, ast.Subscript):
            self.visit(target)
        elif isinstance(target, ast.Attribute):
            self.visit(target.value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for item in target.elts:
                self.visit_target(item)

    def return_statement(self, node: ast.Return) -> bool:
        if node.value is not None:
            self.look(node.value)
            self.listener.returned(self, node, self.evaluate(node.value))
        return True

    def import_statement(self, node: ast.Import | ast.ImportFrom) -> bool:
        self.listener.imported(self, node)
        return False

    def end_statement(self, node: ast.stmt) -> bool:
        if self.attention.within(node):
            self.children(node)
        return True

    # Expressions -----------------------------------------------------------------------------------------

    def visit(self, node: ast.expr) -> None:
        handler = _EXPRESSIONS.get(type(node))
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

    def known(self, test: ast.expr, holds: bool) -> tuple[Atom, ...]:
        """What holds when `test` is `holds`; a name that stands for one expression is replaced by it."""
        found: list[Atom] = []
        parts = g.atoms(test, holds)
        for atom in parts:
            if isinstance(atom.test, ast.Name):
                bound = self.env.get(atom.test.id, ())
                if len(bound) == 1 and isinstance(bound[0].node, ast.expr):
                    found += g.atoms(bound[0].node, atom.holds)
            found.append(atom)
        return tuple(found)

    def visit_leaf(self, node: ast.expr) -> None:
        return

    def visit_call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            self.visit(node.func.value)
        else:
            self.visit(node.func)
        for argument in node.args:
            self.visit(argument.value if isinstance(argument, ast.Starred) else argument)
        for keyword in node.keywords:
            self.visit(keyword.value)
        self.listener.call(self, node)

    def visit_attribute(self, node: ast.Attribute) -> None:
        self.visit(node.value)
        self.listener.attribute(self, node)

    def visit_subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)
        self.visit(node.slice)
        self.listener.subscript(self, node)

    def visit_binary(self, node: ast.BinOp) -> None:
        self.visit(node.left)
        self.visit(node.right)
        self.listener.binary(self, node)

    def visit_compare(self, node: ast.Compare) -> None:
        self.visit(node.left)
        for part in node.comparators:
            self.visit(part)
        self.listener.compare(self, node)

    def visit_boolean(self, node: ast.BoolOp) -> None:
        outer = self.guards
        for part in node.values:
            self.visit(part)
            self.guards = self.guards + self.known(part, isinstance(node.op, ast.And))
        self.guards = outer

    def visit_conditional(self, node: ast.IfExp) -> None:
        self.visit(node.test)
        outer = self.guards
        self.guards = outer + self.known(node.test, True)
        self.visit(node.body)
        self.guards = outer + self.known(node.test, False)
        self.visit(node.orelse)
        self.guards = outer

    def visit_comprehension(self, node: Comprehension) -> None:
        outer, outer_guards = self.env, self.guards
        self.env = dict(self.env)
        for generator in node.generators:
            self.visit(generator.iter)
            found = self.evaluate(generator.iter)
            self.listener.loop(self, generator.target, generator.iter, found)
            self.bind(generator.target, elements(found, generator.iter))
            for test in generator.ifs:
                self.visit(test)
                self._hold(test)
        if isinstance(node, ast.DictComp):
            self.visit(node.key)
            self.visit(node.value)
        else:
            self.visit(node.elt)
        self.env, self.guards, self.memo = outer, outer_guards, {}

    def visit_lambda(self, node: ast.Lambda) -> None:
        for part in _defaults(node.args):
            self.visit(part)
        outer = self.env
        self.env = dict(self.env)
        self.parameters(node.args, False)
        self.memo = {}
        self.visit(node.body)
        self.env, self.memo = outer, {}

    def visit_named(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self.note(node.target)
        self.bind(node.target, self.evaluate(node.value))


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a body, those inside others too, in order."""
    for node in body:
        yield node
        for name in ("body", "handlers", "orelse", "finalbody", "cases"):
            inner = getattr(node, name, None)
            if isinstance(inner, list):
                yield from statements(inner)


def merge(left: Environment, right: Environment) -> Environment:
    """The environment after two branches meet."""
    merged = dict(left)
    for name, found in right.items():
        other = left.get(name)
        merged[name] = found if other is None or other is found else join(other, found)
    return merged


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    """The defaults, which are evaluated where the function is defined."""
    return [*arguments.defaults, *(one for one in arguments.kw_defaults if one is not None)]


def _is_static(node: FunctionNode) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)


_STATEMENTS: dict[type[ast.AST], Callable[[Flow, Any], bool | None]] = {
    ast.FunctionDef: Flow.function,
    ast.AsyncFunctionDef: Flow.function,
    ast.ClassDef: Flow.class_definition,
    ast.Import: Flow.import_statement,
    ast.ImportFrom: Flow.import_statement,
    ast.If: Flow.if_statement,
    ast.For: Flow.for_statement,
    ast.AsyncFor: Flow.for_statement,
    ast.While: Flow.while_statement,
    ast.With: Flow.with_statement,
    ast.AsyncWith: Flow.with_statement,
    ast.Try: Flow.try_statement,
    ast.Match: Flow.match_statement,
    ast.Assert: Flow.assert_statement,
    ast.Assign: Flow.assignment,
    ast.AnnAssign: Flow.annotated,
    ast.AugAssign: Flow.augmented,
    ast.Return: Flow.return_statement,
    ast.Raise: Flow.end_statement,
    ast.Continue: Flow.end_statement,
    ast.Break: Flow.end_statement,
}
if hasattr(ast, "TryStar"):
    _STATEMENTS[ast.TryStar] = Flow.try_statement

_EXPRESSIONS: dict[type[ast.AST], Callable[[Flow, Any], None]] = {
    ast.Name: Flow.visit_leaf,
    ast.Constant: Flow.visit_leaf,
    ast.Call: Flow.visit_call,
    ast.Attribute: Flow.visit_attribute,
    ast.Subscript: Flow.visit_subscript,
    ast.BinOp: Flow.visit_binary,
    ast.Compare: Flow.visit_compare,
    ast.BoolOp: Flow.visit_boolean,
    ast.IfExp: Flow.visit_conditional,
    ast.ListComp: Flow.visit_comprehension,
    ast.SetComp: Flow.visit_comprehension,
    ast.GeneratorExp: Flow.visit_comprehension,
    ast.DictComp: Flow.visit_comprehension,
    ast.Lambda: Flow.visit_lambda,
    ast.NamedExpr: Flow.visit_named,
}
