"""What a place asks each stage for, as far as the rules can tell: the input of the impact."""

from __future__ import annotations

import ast

from pplint.engine import slots, spaces
from pplint.engine import values as v
from pplint.engine.accessors import Target
from pplint.engine.answers import answer_of
from pplint.engine.context import Context
from pplint.engine.elements import PLACEHOLDER_ATTRIBUTES, guarded
from pplint.engine.guards import FIRST, LAST, excluded_stages
from pplint.engine.modules import stage_modules_of
from pplint.engine.predicates import only_on
from pplint.engine.slots import Slots
from pplint.engine.spaces import common_space, space_of
from pplint.engine.values import Value
from pplint.finding import MODEL_END, MODULE, PADDED, STAGE_END, STAGE_START, ZERO, Asks, Bound

Loop = ast.For | ast.AsyncFor | ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp

_BOUNDS = {slots.ZERO: ZERO, spaces.START: STAGE_START, spaces.END: STAGE_END, slots.ALL: MODEL_END}
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_SHORT = frozenset({"any", "all", "next"})
"""Functions that do not ask an iterable for all it has."""


def proof_of(context: Context, targets: list[Target], asks: Asks | None) -> Target:
    """The definition whose reasoning is shown: that of the class of which the impact speaks, if there is one."""
    named = [
        one for one in targets if asks and one.owner and context.project.class_name(one.owner) == asks.of
    ]
    return (named or targets)[0]


def one_id(number: int) -> tuple[Bound, Bound]:
    """The bounds of a literal id."""
    return Bound("", number), Bound("", number + 1)


def literal_asks(context: Context, number: int, targets: list[Target]) -> Asks | None:
    """What a literal given to an accessor asks for: 0 stands for the first layer of the stage, -1 for its last."""
    answer = answer_of(context.accessors, targets)
    meant = {0: STAGE_START, -1: STAGE_END.plus(-1)}.get(number)
    return Asks(answer.access, *one_id(number), meant=meant, of=answer.of) if answer.access else None


def slots_asks(context: Context, node: ast.expr, taken: Slots) -> Asks | None:
    """What a read of slots of a padded list asks for, unless a loop may stop before it has them all."""
    if taken.low == taken.high == spaces.LITERAL:
        single = taken.number is not None and taken.source.kind in (v.INT, v.ARITH, v.CALL)
        return Asks(PADDED, *one_id(taken.number.data)) if single and taken.number is not None else None
    low, high = _BOUNDS.get(taken.low), _BOUNDS.get(taken.high)
    if low is None or high is None or _picks(context, taken) or not runs_through(context, node):
        return None
    return Asks(PADDED, low, high)


def _picks(context: Context, taken: Slots) -> bool:
    """Whether a list of the configuration says which slots are taken: it need not name all of them."""
    if taken.source.kind not in (v.ELEMENT, v.INDEX):
        return False
    space = space_of(context, taken.source)
    return space is None or space.kind != spaces.EVERY


def bounds_of(context: Context, value: Value) -> tuple[Bound, Bound] | None:
    """The ids that the counter of a loop takes, from 0 to the end of the model or of the stage; else None."""
    if value.kind == v.INDEX:
        padded = context.padded(value.data[0]) is not None
        return (ZERO, MODEL_END) if padded and not value.data[1] else None
    source = value.data[0] if value.kind == v.ELEMENT else None
    if source is None or source.kind != v.RANGE:
        return None
    low = [one.data for one in source.data[0] if one.kind == v.INT]
    high = common_space(context, source.data[1])
    end = {spaces.MODEL_COUNT: MODEL_END, spaces.END: STAGE_END}.get(high.kind) if high is not None else None
    return (Bound("", low[0]), end) if len(low) == len(source.data[0]) == 1 and end is not None else None


def runs_through(context: Context, node: ast.expr) -> bool:
    """Whether the loops around a place come to it for each of their elements, as far as the code shows."""
    for loop, asker in _loops_around(context, node):
        inside = {id(part) for part in ast.walk(loop)}
        bound = {part.id for part in ast.walk(loop) if isinstance(part, ast.Name) and _is_stored(part)}
        if any(id(atom.test) in inside and _varies(atom.test, bound) for atom in context.flow.guards):
            return False
        if asker in _SHORT and isinstance(loop, ast.GeneratorExp):
            return False
        if isinstance(loop, (ast.For, ast.AsyncFor)) and any(map(_leaves, loop.body)):
            return False
    return True


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _varies(test: ast.expr, bound: set[str]) -> bool:
    """Whether a condition may hold for some elements of a loop only, which binds these names."""
    return any(
        isinstance(part, ast.Call) or (isinstance(part, ast.Name) and part.id in bound)
        for part in ast.walk(test)
    )


def _leaves(statement: ast.stmt) -> bool:
    return any(isinstance(part, (ast.Break, ast.Return, ast.Raise)) for part in ast.walk(statement))


def _loops_around(context: Context, node: ast.expr) -> list[tuple[Loop, str]]:
    """The loops of the current function that a place stands in, each with the function that is given it."""
    root: ast.AST = context.flow.functions[-1] if context.flow.functions else context.tree
    found: list[tuple[Loop, str]] = []
    asker = ""
    while root is not node:
        inner = next((one for one in ast.iter_child_nodes(root) if _holds(one, node)), None)
        if inner is None:
            return found
        if isinstance(root, ast.Call):
            asker = root.func.id if isinstance(root.func, ast.Name) else ""
        if isinstance(root, (ast.For, ast.AsyncFor)) and inner is not root.iter:
            found.append((root, ""))
        elif isinstance(root, _COMPREHENSIONS):
            found.append((root, asker))
        if not isinstance(root, ast.Call):
            asker = asker if isinstance(root, _COMPREHENSIONS) else ""
        root = inner
    return found


def _holds(outer: ast.AST, node: ast.expr) -> bool:
    first, last = getattr(outer, "lineno", None), getattr(outer, "end_lineno", None)
    if first is not None and last is not None and not first <= node.lineno <= last:
        return False
    return any(part is node for part in ast.walk(outer))


def is_read(context: Context, node: ast.expr) -> bool:
    """Whether an attribute that a placeholder lacks is read from an element, where it is taken."""
    statement = context.flow.statement
    return any(
        isinstance(part, ast.Attribute) and part.value is node and part.attr not in PLACEHOLDER_ATTRIBUTES
        for part in (ast.walk(statement) if statement is not None else ())
    )


def in_lambda(context: Context, node: ast.expr) -> bool:
    """Whether an expression stands in a lambda of the current statement, and runs where that is called."""
    statement = context.flow.statement
    lambdas = (part for part in ast.walk(statement) if isinstance(part, ast.Lambda)) if statement else ()
    return any(part is node for one in lambdas for part in ast.walk(one.body))


def module_asks(context: Context, real_on: frozenset[str], asked_on: str = "") -> Asks:
    """What a read of a module asks for that only some stages have; the tests on the path say where it is read."""
    stage = context.stage() & {FIRST, LAST}
    where = asked_on or (next(iter(stage)) if len(stage) == 1 else "")
    return Asks(MODULE, real_on=tuple(sorted(real_on | kept_away(context))), asked_on=where)


def leaves_only(context: Context, stages: frozenset[str], value: Value) -> bool:
    """Whether the tests on the path to a place and to a value, with what the functions say that they ask, leave only these.

    `stages` is {FIRST, LAST} or a part of it.
    """
    left = only_on(context.conditions(value))
    return bool(stages & context.stage(value)) or (bool(left) and left <= stages)


def real_only(context: Context, stage: str) -> bool:
    """Whether a test on the path to a place says that a module is real which only this stage has."""
    for test, _ in context.flow.guards:
        asked = test.args[0] if isinstance(test, ast.Call) and test.args else None
        path = v.dotted(asked) if asked is not None else None
        if asked is not None and path is not None and guarded(context, asked):
            module = stage_modules_of(context.project, context.place, path)
            if module is not None and module.real_on == {stage}:
                return True
    return False


def kept_away(context: Context) -> frozenset[str]:
    """The stages ({FIRST, LAST} or a part of it) that the tests on the path to a place keep away from it."""
    return excluded_stages(context.conditions())
