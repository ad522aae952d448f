"""Statements that are not always run to their end: what is known in each branch, and where branches meet again."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pplint.engine import guards as g
from pplint.engine import values as v
from pplint.engine.evaluate import Environment, elements
from pplint.engine.values import Atom, Value, join

if TYPE_CHECKING:
    from pplint.engine.flow import Flow


def _if(flow: Flow, node: ast.If) -> bool:
    flow.look(node.test)
    before, outer = flow.env, flow.guards
    flow.env = dict(before)
    flow.guards = outer + flow.known(node.test, True)
    start = len(flow.guards)
    body_ended = flow.block(node.body)
    learnt = flow.last_guards[start:]
    after_body, flow.env = flow.env, before
    failed: tuple[Atom, ...] = ()
    else_ended = False
    if node.orelse or body_ended:
        failed = flow.known(node.test, False)
    if node.orelse:
        flow.guards = outer + failed
        else_ended = flow.block(node.orelse)
    flow.guards = outer
    if body_ended and not else_ended:
        flow.guards = outer + failed
    elif else_ended and not body_ended:
        flow.env = after_body
        flow.guards = outer + flow.known(node.test, True)
    elif not body_ended:
        replaced = [] if node.orelse else _replaced_numbers(before, after_body)
        if replaced or (learnt and not node.orelse):
            failed = flow.known(node.test, False)
            flow.env = _on_condition(before, replaced, failed)
            if g.SINGLE in g.stage_facts(failed):
                # Where there is one stage, nothing that the body leaves for holds.
                flow.guards = outer + learnt
        flow.env = merge(after_body, flow.env)
    return body_ended and else_ended


def _replaced_numbers(before: Environment, after: Environment) -> list[str]:
    """The names that stood for a number before a block and stand for something else after it."""
    return [
        name
        for name, values in before.items()
        if after.get(name) is not values and any(one.kind == v.INT for one in values)
    ]


def _on_condition(env: Environment, names: Iterable[str], known: tuple[Atom, ...]) -> Environment:
    """An environment in which the numbers of some names are there on a condition."""
    found = dict(env)
    for name in names:
        found[name] = tuple(
            Value(one.kind, one.data, one.node, one.guards + known) if one.kind == v.INT else one
            for one in env[name]
        )
    return found


def _for(flow: Flow, node: ast.For | ast.AsyncFor) -> bool:
    looks = flow.look(node.iter)
    found = flow.evaluate(node.iter)
    if looks:
        flow.listener.loop(flow, node.target, node.iter, found)
        flow.note(node.target)
    before = dict(flow.env)
    flow.bind(node.target, elements(found, node.iter))
    outer, flow.loops = flow.loops, (*flow.loops, node.iter)
    flow.block(node.body)
    flow.env = merge(before, flow.env)
    flow.block(node.orelse)
    flow.loops = outer
    return False


def _while(flow: Flow, node: ast.While) -> bool:
    flow.look(node.test)
    before, outer = dict(flow.env), flow.guards
    flow.guards = outer + flow.known(node.test, True)
    flow.block(node.body)
    flow.guards = outer
    flow.env = merge(before, flow.env)
    flow.block(node.orelse)
    return False


def _with(flow: Flow, node: ast.With | ast.AsyncWith) -> bool:
    for item in node.items:
        looks = flow.look(item.context_expr)
        if item.optional_vars is not None:
            if looks:
                flow.note(item.optional_vars)
            flow.bind(item.optional_vars, flow.evaluate(item.context_expr))
    outer = flow.caught
    flow.caught = outer.union(*(g.suppressed(item.context_expr) for item in node.items))
    ended = flow.block(node.body)
    suppresses = flow.caught != outer
    flow.caught = outer
    return ended and not suppresses


def _try(flow: Flow, node: ast.Try) -> bool:
    before, outer = dict(flow.env), flow.caught
    flow.caught = outer | g.handler_names(node.handlers)
    ended = flow.block(node.body)
    flow.caught = outer
    after = flow.env
    for handler in node.handlers:
        flow.env = merge(before, after)
        if handler.name:
            flow.env[handler.name] = (v.UNKNOWN_VALUE,)
        if not flow.block(handler.body):
            after = flow.env if ended else merge(after, flow.env)
            ended = False
    flow.env = after
    if not ended:
        ended = flow.block(node.orelse)
    return flow.block(node.finalbody) or ended


def _match(flow: Flow, node: ast.Match) -> bool:
    flow.look(node.subject)
    before, outer = dict(flow.env), flow.guards
    after = before
    failed: tuple[Atom, ...] = ()
    missed: tuple[Atom, ...] = ()
    leaves = True
    for case in node.cases:
        flow.env = dict(before)
        for part in ast.walk(case.pattern):
            name = getattr(part, "name", None)
            if isinstance(name, str):
                flow.env[name] = (v.UNKNOWN_VALUE,)
        tests = _case_tests(node.subject, case.pattern)
        met = tuple(atom for test in tests for atom in flow.known(test, True))
        flow.guards = outer + failed + met
        if case.guard is not None:
            flow.look(case.guard)
            flow.hold(case.guard)
        ended = flow.block(case.body)
        if not ended:
            after = merge(after, flow.env)
        if len(tests) == 1 and case.guard is None and _says_all(case.pattern):
            failed += flow.known(tests[0], False)
        # Only after cases that all leave it is known that none of them was met.
        leaves = leaves and ended
        missed = failed if leaves else missed
    flow.env, flow.guards = after, outer + missed
    return False


def _case_tests(subject: ast.expr, pattern: ast.pattern) -> list[ast.expr]:
    """Conditions that hold where a subject matches a pattern: of a number, a flag, a class or a tuple; others say none."""
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        return _case_tests(subject, pattern.pattern)
    if isinstance(pattern, ast.MatchValue):
        return [ast.copy_location(ast.Compare(subject, [ast.Eq()], [pattern.value]), pattern)]
    if isinstance(pattern, ast.MatchSingleton) and pattern.value is not None:
        return [subject if pattern.value else ast.copy_location(ast.UnaryOp(ast.Not(), subject), pattern)]
    if classes := _classes(pattern):
        kinds = classes[0] if len(classes) == 1 else ast.Tuple(classes, ast.Load())
        asked = ast.Call(ast.Name("isinstance", ast.Load()), [subject, kinds], [])
        return [ast.fix_missing_locations(ast.copy_location(asked, pattern))]
    if isinstance(pattern, ast.MatchSequence) and isinstance(subject, (ast.Tuple, ast.List)):
        pairs = zip(subject.elts, pattern.patterns, strict=False)
        return [test for part, inner in pairs for test in _case_tests(part, inner)]
    return []


def _classes(pattern: ast.pattern) -> list[ast.expr]:
    """The classes of `Layer()` or `Layer() | Other()`."""
    if isinstance(pattern, ast.MatchClass):
        return [pattern.cls]
    found = [_classes(one) for one in pattern.patterns] if isinstance(pattern, ast.MatchOr) else []
    return [one for classes in found for one in classes] if all(found) else []


def _says_all(pattern: ast.pattern) -> bool:
    """Whether a subject that does not match a pattern fails the test that the pattern makes."""
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        return _says_all(pattern.pattern)
    if isinstance(pattern, ast.MatchOr):
        return all(map(_says_all, pattern.patterns))
    if isinstance(pattern, ast.MatchClass):
        return not pattern.patterns and not pattern.kwd_patterns
    return not isinstance(pattern, ast.MatchSequence)


def _assert(flow: Flow, node: ast.Assert) -> bool:
    flow.look(node.test)
    if node.msg is not None:
        outer = flow.guards
        flow.guards = outer + flow.known(node.test, False)
        flow.look(node.msg)
        flow.guards = outer
    flow.hold(node.test)
    return False


def _return(flow: Flow, node: ast.Return) -> bool:
    if node.value is not None:
        flow.look(node.value)
        flow.listener.returned(flow, node, flow.evaluate(node.value))
    return True


def _end(flow: Flow, node: ast.stmt) -> bool:
    if flow.attention.within(node):
        flow.children(node)
    return True


def merge(left: Environment, right: Environment) -> Environment:
    """The environment after two branches meet."""
    merged = dict(left)
    for name, found in right.items():
        other = left.get(name)
        merged[name] = found if other is None or other is found else join(other, found)
    return merged


BRANCHES: dict[type[ast.AST], Callable[[Flow, Any], bool]] = {
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Match: _match,
    ast.Assert: _assert,
    ast.Return: _return,
    ast.Raise: _end,
    ast.Continue: _end,
    ast.Break: _end,
}
"""Walks a statement, by its kind, and returns True when what stands after it is never reached."""
if hasattr(ast, "TryStar"):
    BRANCHES[ast.TryStar] = _try
