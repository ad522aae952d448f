"""Which conditions are known to hold at a place, and what they say about the stage."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from pplint.engine.values import Atom
from pplint.engine.vocabulary import MODEL_COUNT_NAMES, is_end, is_start

FIRST = "first"  # the stage starts at layer 0
LAST = "last"
SINGLE = "single"  # there is one stage only

_OTHER_GROUP = re.compile(r"(^|_)(tp|attn|moe|ep|dp|cp|world|draft)(_|$)")

_RANKS = frozenset({"pp_rank", "rank_in_group"})
_SIZES = frozenset({
    "world_size", "pp_size", "pipeline_parallel_size", "pp_world_size", "get_pipeline_model_parallel_world_size",
})  # fmt: skip
_ZERO = ast.dump(ast.Constant(0))
_ONE = ast.dump(ast.Constant(1))

_FLIPPED = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.NotIn: ast.In,
}


def atoms(test: ast.expr, holds: bool) -> list[Atom]:
    """Split a condition into parts that each hold for certain."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return atoms(test.operand, not holds)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is holds:
        return [atom for part in test.values for atom in atoms(part, holds)]
    if isinstance(test, ast.NamedExpr):
        return atoms(test.value, holds)
    return [Atom(test, holds)]


def last_name(node: ast.expr) -> str:
    """The last name of a chain or of a called chain, or ""."""
    if isinstance(node, ast.NamedExpr):
        node = node.value
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


_FACTS = ("_pplint_facts_where_false", "_pplint_facts_where_true")
"""Where a test keeps what it says about the stage."""


def stage_facts(known: Iterable[Atom]) -> frozenset[str]:
    """What the conditions say about the stage: a subset of {FIRST, LAST, SINGLE}."""
    said: set[str] = set()
    for test, holds in known:
        # In a long chain of `elif` each test is asked about by each finding below it.
        facts = vars(test).get(_FACTS[holds])
        if facts is None:
            facts = vars(test)[_FACTS[holds]] = _stage_fact(Atom(test, holds))
        if facts:
            said |= facts
    if SINGLE in said or said >= {FIRST, LAST}:
        said |= {FIRST, LAST, SINGLE}
    return frozenset(said)


def excluded_stages(known: Iterable[Atom], surely: bool = False) -> frozenset[str]:
    """Which stages the conditions keep away: a subset of {FIRST, LAST}.

    `not (last and speculative)` keeps away the last one in some cases, which does not count with `surely`.
    """
    said: set[str] = set()
    for atom in known:
        if surely and isinstance(atom.test, ast.BoolOp):
            continue
        opposite = stage_facts(atoms(atom.test, not atom.holds))
        if SINGLE not in opposite:
            said |= opposite
    return frozenset(said)


def _of_another_group(test: ast.expr) -> bool:
    """Whether a rank or a size is that of the tensor, expert or data parallel group."""
    node = test.func if isinstance(test, ast.Call) else test
    return isinstance(node, ast.Attribute) and bool(_OTHER_GROUP.search(last_name(node.value)))


def _stage_fact(atom: Atom) -> set[str]:
    test, holds = atom
    name = last_name(test)
    if name:
        said = _named_fact(name.lstrip("_"), holds)
        return said if said and not _of_another_group(test) else set()
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) is holds:
        parts = [stage_facts(atoms(part, holds)) for part in test.values]
        return set(frozenset.intersection(*parts))
    if isinstance(test, ast.Compare) and (holds or len(test.ops) == 1):
        said = set()
        for left, operator, right in zip(
            [test.left, *test.comparators], test.ops, test.comparators, strict=False
        ):
            kind: type[ast.cmpop] = type(operator)
            said |= _compare_fact(left, kind if holds else _FLIPPED.get(kind, ast.Is), right)
        return said
    return set()


def _named_fact(name: str, holds: bool) -> set[str]:
    if holds and name in ("is_first_rank", "is_first_stage", "is_pp_first_rank", "is_first_pp_rank"):
        return {FIRST}
    if holds and name in ("is_last_rank", "is_last_stage", "is_pp_last_rank", "is_last_pp_rank"):
        return {LAST}
    if holds and name in ("is_draft_worker", "is_draft_model"):
        return {SINGLE}  # it numbers its layers from 0 by itself
    if not holds and is_start(name):
        return {FIRST}
    if not holds and name in _RANKS:
        return {FIRST}
    return set()


def _compare_fact(left: ast.expr, operator: type[ast.cmpop], right: ast.expr) -> set[str]:
    if operator is ast.In:
        return {FIRST} if ast.dump(left) == _ZERO and _runs_from_start(right) else set()
    constant = isinstance(left, ast.Constant) and not isinstance(right, ast.Constant)
    if constant or _is_judged(last_name(plus_one(right) or right)):
        mirrored: dict[type[ast.cmpop], type[ast.cmpop]] = {
            ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE,
        }  # fmt: skip
        left, right, operator = right, left, mirrored.get(operator, operator)
    rank = plus_one(left)
    if rank is not None and last_name(rank).lstrip("_") in _RANKS:
        left, right = rank, ast.BinOp(right, ast.Sub(), ast.Constant(1))
    said = _side_fact(last_name(left).lstrip("_"), operator, right)
    return said if said and not _of_another_group(left) else set()


def _is_judged(name: str) -> bool:
    """Whether a name goes to the left of a comparison: it is that of the stage's end, or of its rank."""
    return is_end(name) or name.lstrip("_") in _RANKS


def bounds_stage(name: str) -> bool:
    """Whether a name is that of a bound, of the rank or of the number of the stages."""
    return is_start(name) or _is_judged(name) or name.lstrip("_") in _SIZES


def _side_fact(name: str, operator: type[ast.cmpop], right: ast.expr) -> set[str]:
    """What the comparison of something called `name` with `right` says."""
    number = right.value if isinstance(right, ast.Constant) and isinstance(right.value, int) else None
    if number is None:
        above = operator in (ast.Eq, ast.GtE)
        at_end = is_end(name) and (_counts_layers(right) or _is_length_of_layers(right))
        return {LAST} if above and (at_end or (name in _RANKS and _is_last_rank(right))) else set()
    small = (operator is ast.Eq and number == 0) or (operator is ast.Lt and number == 1)
    small = small or (operator is ast.LtE and number == 0)
    if small and (is_start(name) or name in _RANKS):
        return {FIRST}
    one = (operator is ast.Eq and number == 1) or (operator is ast.Lt and number == 2)
    one = one or (operator is ast.LtE and number == 1)
    if one and name in _SIZES:
        return {SINGLE}
    return set()


def _counts_layers(node: ast.expr) -> bool:
    """`config.num_hidden_layers`, `config.n_layer`"""
    name = last_name(node)
    return "hidden_layers" in name or (
        name in MODEL_COUNT_NAMES
        and isinstance(node, ast.Attribute)
        and last_name(node.value).endswith("config")
    )


def _is_length_of_layers(node: ast.expr) -> bool:
    """`len(self.layers)`, which is padded to the layers of the whole model."""
    return isinstance(node, ast.Call) and last_name(node) == "len" and "layers" in map(last_name, node.args)


def _runs_from_start(node: ast.expr) -> bool:
    """`range(self.start_layer, ...)`"""
    return (
        isinstance(node, ast.Call)
        and last_name(node) == "range"
        and len(node.args) > 1
        and is_start(last_name(node.args[0]))
    )


def less_one(node: ast.expr) -> ast.expr | None:
    """The `x` of `x - 1`, or None."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and ast.dump(node.right) == _ONE:
        return node.left
    return None


def plus_one(node: ast.expr) -> ast.expr | None:
    """The `x` of `x + 1` or `1 + x`, or None."""
    if type(node) is not ast.BinOp or not isinstance(node.op, ast.Add):
        return None
    sides = (node.left, node.right)
    one = next(
        (place for place, side in enumerate(sides) if isinstance(side, ast.Constant) and side.value == 1),
        None,
    )
    return None if one is None else sides[1 - one]


def _is_last_rank(node: ast.expr) -> bool:
    """`pp_group.world_size - 1`"""
    count = less_one(node)
    return count is not None and last_name(count).lstrip("_") in _SIZES


def alone(stage: frozenset[str]) -> bool:
    """Whether the facts say that there is one stage only: the first, which is the last."""
    return SINGLE in stage or {FIRST, LAST} <= stage


def required(owner: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[Atom]:
    """The conditions without which the constructor of a class raises, whatever else is the case.

    `classes` are those of the module: what the constructor builds, or a base, has conditions too.
    """
    found: list[Atom] = []
    waiting, seen = [owner], set[ast.ClassDef]()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        body = _constructor(one)
        inside = list(map(last_name, one.bases)) if body is None else []
        for statement in body or ():
            found += _demanded(statement)
            value = getattr(statement, "value", None)
            if isinstance(value, ast.Call):
                inside += map(last_name, one.bases if _is_super(value.func) else [value])
        waiting += [classes[name] for name in inside if name in classes]
    return found


def _constructor(owner: ast.ClassDef) -> list[ast.stmt] | None:
    methods = [one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    return methods[-1].body if methods else None


def _is_super(callee: ast.expr) -> bool:
    """`super().__init__`"""
    return (
        isinstance(callee, ast.Attribute)
        and callee.attr == "__init__"
        and isinstance(callee.value, ast.Call)
        and last_name(callee.value) == "super"
    )


def _demanded(statement: ast.stmt) -> list[Atom]:
    """What holds after a statement that raises where it does not."""
    if isinstance(statement, ast.Assert):
        return atoms(statement.test, True)
    if isinstance(statement, ast.If) and not statement.orelse and isinstance(statement.body[-1], ast.Raise):
        return atoms(statement.test, False)
    return []


def suppressed(node: ast.expr) -> frozenset[str]:
    """The names of the exceptions that `contextlib.suppress(...)` swallows, where an expression is a call of that."""
    if not isinstance(node, ast.Call) or last_name(node) != "suppress":
        return frozenset()
    return frozenset(map(last_name, node.args))


def handler_names(handlers: Iterable[ast.ExceptHandler]) -> frozenset[str]:
    """The names of the exceptions that handlers catch; "" for a bare one."""
    found: set[str] = set()
    for handler in handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        found |= {last_name(kind) if kind is not None else "" for kind in kinds}
    return frozenset(found)
