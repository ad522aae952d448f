"""The fix that asks for the first (or last) layer of the stage where a literal layer id stands, and when it is safe."""

from __future__ import annotations

import ast
from typing import TypeGuard

from pplint.engine import values as v
from pplint.engine.accessors import Target
from pplint.engine.context import Context
from pplint.engine.guards import last_name
from pplint.engine.values import Value
from pplint.finding import SAFE, UNSAFE, Fix
from pplint.rules.stage_start import has_start, stays_argument
from pplint.source.blocks import blocks_of

_DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.Return, ast.Expr, ast.If)
"""Statements of which the first thing that runs is the expression in them."""
_SOMETIMES = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""Expressions whose parts need not be evaluated when they are."""


def literal_fix(
    context: Context, node: ast.Call, argument: ast.expr, value: Value, reached: list[tuple[Target, Value]]
) -> tuple[Fix | None, str]:
    """The edit for a literal `value` that reaches an argument of a call, or why there is none."""
    receiver = v.dotted(node.func.value) if isinstance(node.func, ast.Attribute) else None
    if receiver is None:
        return (
            None,
            "what is asked for its layers is not a name or a dotted chain, so it cannot be written twice",
        )
    if value.data not in (0, -1):
        return None, f"nobody but the author knows which layer {value.data} is meant to be"
    telling = _telling(context, receiver, [target for target, _ in reached])
    if not any(telling):
        return None, "the receiver's class has no `start_layer`"
    text = ".".join(receiver) + (".start_layer" if value.data == 0 else ".end_layer - 1")
    chosen = _place(context, node, argument, value, receiver)
    if isinstance(chosen, str):
        return None, chosen
    place, safe = chosen
    safety = SAFE if safe and value.data == 0 and all(telling) else UNSAFE
    return Fix(safety, f"ask for `{text}`", (context.edit(place, text),)), ""


def _telling(context: Context, receiver: tuple[str, ...], targets: list[Target]) -> list[bool]:
    """Whether each class that may be asked says its first layer; of an unknown one all that have such a method."""
    project = context.project
    owners = {target.owner for target in targets if target.owner}
    if owners:
        name = targets[0].name
        owners = set(project.types_of(context.place, receiver)) or owners | {
            one for one in project.definers(name) if not project.classes[one]["methods"][name]["abstract"]
        }
    return [has_start(context, one, receiver) for one in sorted(owners)] or [True]


def _place(
    context: Context, node: ast.Call, argument: ast.expr, value: Value, receiver: tuple[str, ...]
) -> tuple[ast.expr, bool] | str:
    """The expression to replace and whether that is safe, or why none is to be replaced."""
    literal = value.node if isinstance(value.node, ast.expr) else None
    within = list(ast.walk(argument))
    if literal in within:
        return literal, not any(isinstance(part, ast.NamedExpr) for part in within)
    always = all(one.kind == v.INT and one.data == value.data for one in context.flow.evaluate(argument))
    function = context.flow.functions[-1] if context.flow.functions else None
    if literal is None or function is None or not _stands_in(function, literal):
        return "the number comes from a constant that other code may share; ask for `start_layer` here"
    if not isinstance(argument, ast.Name):
        return "the number is chosen elsewhere; ask for `start_layer` here"
    if _counts_on(function, argument.id):
        return "the number is where a loop begins to count: run it over the layers of the stage"
    if _is_only_for(function, literal, argument) and _is_next(function, literal, node, argument.id, receiver):
        return literal, stays_argument(context, receiver[0])
    if always and bindings(function, argument.id) == 1:
        return argument, True
    if any(
        isinstance(part, _DISPLAYS) and literal in ast.iter_child_nodes(part) for part in ast.walk(function)
    ):
        return "the number is one of several in a list; ask for `start_layer` where it is used"
    if not _is_only_for(function, literal, argument) or not stays_argument(context, receiver[0]):
        return "the number is used for something else too, or what is asked is made later; ask for `start_layer` here"
    return literal, False


def _stands_in(function: ast.AST, node: ast.expr) -> bool:
    return any(part is node for part in ast.walk(function))


def _counts_on(function: ast.AST, name: str) -> bool:
    """Whether a function adds to a name."""
    return any(
        isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name) and one.target.id == name
        for one in ast.walk(function)
    )


def bindings(function: ast.AST, name: str) -> int:
    """How often a function, or one in it, gives a name a value, by whatever statement or expression."""
    count = 0
    for part in ast.walk(function):
        if isinstance(part, ast.Name):
            count += part.id == name and not isinstance(part.ctx, ast.Load)
        elif isinstance(part, (ast.Global, ast.Nonlocal)):
            count += 2 * (name in part.names)  # others give it values too
        else:
            given = (getattr(part, field, None) for field in ("arg", "asname", "name", "rest"))
            count += name in given and not isinstance(part, ast.keyword)
    return count


def _is_only_for(function: ast.AST, literal: ast.expr, argument: ast.Name) -> bool:
    """Whether the name that a literal gets is read nowhere else but in the argument, and in tests for None."""
    stores = [
        one for one in ast.walk(function) if isinstance(one, ast.Assign) and _stands_in(one.value, literal)
    ]
    aside: set[ast.expr] = {one.left for one in ast.walk(function) if _is_none_test(one)}
    aside |= {part for one in stores for part in ast.walk(one.value) if isinstance(part, ast.expr)}
    reads = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Name)
        and one.id == argument.id
        and isinstance(one.ctx, ast.Load)
        and one not in aside
    ]
    shared = any(
        isinstance(one, (ast.Global, ast.Nonlocal)) and argument.id in one.names for one in ast.walk(function)
    )
    targets = [target for one in stores for target in one.targets]
    return not shared and reads == [argument] and len(targets) == 1 and isinstance(targets[0], ast.Name)


def _is_next(
    function: ast.AST, literal: ast.expr, call: ast.Call, name: str, receiver: tuple[str, ...]
) -> bool:
    """Whether nothing runs between the choice of a literal and a call: it is the next that a statement does."""
    following = _following(getattr(function, "body", []), literal, receiver)
    if isinstance(following, ast.If) and _is_none_test(following.test) and following.test.left.id == name:
        following = following.body[0]  # a number is not None
    if not isinstance(following, _SIMPLE):
        return False
    for part in ast.walk(following):
        inside = part is not call and _stands_in(part, call)
        chained = isinstance(part, ast.Compare) and len(part.ops) > 1
        if inside and (chained or isinstance(part, _SOMETIMES)):
            return False
        if not inside and isinstance(part, ast.Call) and part is not call and _ends_before(part, call):
            return False
    head = following.test if isinstance(following, ast.If) else following
    return _stands_in(head, call)


def _ends_before(one: ast.expr, other: ast.expr) -> bool:
    return (one.end_lineno or 0, one.end_col_offset or 0) <= (other.lineno, other.col_offset)


def _following(body: list[ast.stmt], literal: ast.expr, receiver: tuple[str, ...]) -> ast.stmt | None:
    """The statement after the one with a literal, where that ends a branch after the whole test; or None."""
    for number, statement in enumerate(body):
        if not _stands_in(statement, literal):
            continue
        after = body[number + 1] if number + 1 < len(body) else None
        if not isinstance(statement, ast.If):
            name = {target.id for target in getattr(statement, "targets", ()) if isinstance(target, ast.Name)}
            rest = (one for one in body[number + 1 :] if not _only_chooses(one, name, receiver))
            return next(rest, None) if not list(blocks_of(statement)) else None
        for branch in (statement.body, statement.orelse):
            if any(_stands_in(one, literal) for one in branch):
                return after if _ends_with(branch[-1], literal) else _following(branch, literal, receiver)
    return None


class _NoneTest(ast.Compare):
    """`x is not None`"""

    left: ast.Name


def _is_none_test(node: ast.AST) -> TypeGuard[_NoneTest]:
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.IsNot) or len(node.ops) > 1:
        return False
    other = node.comparators[0]
    return isinstance(node.left, ast.Name) and isinstance(other, ast.Constant) and other.value is None


def _only_chooses(statement: ast.stmt, names: set[str], receiver: tuple[str, ...]) -> bool:
    """Whether a statement sets something else to a constant, or tests something, gives the names another value, no more."""
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
        chains = [v.dotted(one) for one in statement.targets]
        return all(chain is not None and chain[0] not in {receiver[0], *names} for chain in chains)
    if not isinstance(statement, ast.If):
        return False
    calls = (part for part in ast.walk(statement.test) if isinstance(part, ast.Call))
    if any(last_name(call) not in ("hasattr", "isinstance", "getattr", "len") for call in calls):
        return False
    return all(
        isinstance(one, ast.Assign)
        and all(isinstance(target, ast.Name) and target.id in names for target in one.targets)
        and not any(isinstance(part, ast.Call) for part in ast.walk(one))
        for one in (*statement.body, *statement.orelse)
    )


def _ends_with(statement: ast.stmt, literal: ast.expr) -> bool:
    """Whether the statement with a literal is what a statement does last."""
    if isinstance(statement, ast.If):
        return any(
            branch and _ends_with(branch[-1], literal) for branch in (statement.body, statement.orelse)
        )
    return not list(blocks_of(statement)) and _stands_in(statement, literal)
