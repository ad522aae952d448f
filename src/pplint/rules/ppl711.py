"""PPL711: a global rank is reckoned with as if it were the position within the group."""

from __future__ import annotations

import ast
import re

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.values import Value, Values
from pplint.finding import ERROR, INFO, UNSAFE, Fix
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.group_ranks import attribute_read, knows_positions

_RANGE = """\
class SampleModel:
    def __init__(self, config, pp_group):
        pp_rank = pp_group.rank
        self.start_layer = pp_rank * config.num_hidden_layers // pp_group.world_size
        self.end_layer = (pp_rank + 1) * config.num_hidden_layers // pp_group.world_size
"""

INFO_TEXT = RuleInfo(
    code="PPL711",
    name="global-rank-as-position",
    severity=ERROR,
    precision="very-high",
    summary="the global rank of a group is used as the position within the group",
    what=(
        "`group.rank` is multiplied where the function also asks for `group.world_size`, compared with "
        "`group.world_size - 1`, given as `pp_rank=` or kept as `self.pp_rank` (or that of another group)."
    ),
    why=(
        "`rank` of a group is the process's rank among all processes. It is the position within the group for one tensor "
        "parallel rank only: with several, a share that is reckoned with it lies behind the last one, on a single stage "
        "too. A second rank with `rank * num_hidden_layers` runs layers that do not exist."
    ),
    how="Ask for `group.rank_in_group`.",
    silent=(
        "The world group, where both are the same, the method `group.rank()`, global ranks that are handed on, and code "
        "under `world_size == 1`."
    ),
    fixable="`rank` becomes `rank_in_group` (unsafe: the same name may be used for a global rank elsewhere).",
    examples=(
        Example(
            title="The range of a stage by the global rank",
            bad=_RANGE.replace("pp_group.rank\n", "pp_group.rank  # PPL711\n"),
            fixed=_RANGE.replace("pp_group.rank\n", "pp_group.rank_in_group  # PPL711\n"),
            safety=UNSAFE,
        ),
        Example(
            title="The position within the group",
            good=_RANGE.replace("pp_group.rank\n", "pp_group.rank_in_group\n"),
        ),
    ),
)

_POSITION = r"(^|_)([a-z]*p)_rank$"
"""Names of positions within a group: `pp_rank`, `attn_tp_rank`."""
_OF_ONE_KIND = r"(^|[._])[a-z_]*p_group(\(\))?$"
"""Groups of one kind of parallelism, as written: `self.pp_group`, `get_attn_tp_group()`."""


class GlobalRankAsPosition(Rule):
    """Judges what is done with the rank of a group."""

    info = INFO_TEXT

    def __init__(self) -> None:
        self._told: set[ast.AST] = set()

    def binary(self, context: Context, node: ast.BinOp) -> None:
        """`pp_group.rank * n` and `(pp_group.rank + 1) * n`"""
        if not isinstance(node.op, ast.Mult):
            return
        for side in (node.left, node.right):
            if isinstance(side, ast.BinOp) and isinstance(side.op, (ast.Add, ast.Sub)):
                side = side.left if isinstance(side.right, ast.Constant) else side
            self._judge(context, context.flow.evaluate(side), node, shares=True)

    def compare(self, context: Context, node: ast.Compare) -> None:
        """`pp_group.rank == pp_group.world_size - 1`"""
        sides = (node.left, *node.comparators)
        for other in (one for one in sides if ast.unparse(one).endswith(".world_size - 1")):
            group = ast.unparse(other).removesuffix(".world_size - 1")
            for side in sides:
                found = [one for one in context.flow.evaluate(side) if attribute_read(one) == (group, "rank")]
                self._judge(context, tuple(found), node)

    def call(self, context: Context, node: ast.Call) -> None:
        """`make_layers(..., pp_rank=pp_group.rank)`"""
        for keyword in node.keywords:
            kind = re.search(_POSITION, keyword.arg or "")
            if kind is not None:
                self._judge(context, context.flow.evaluate(keyword.value), keyword.value, kind[2])

    def assign(self, context: Context, target: ast.expr, found: Values, node: ast.stmt) -> None:
        """`self.pp_rank = pp_group.rank`"""
        kind = re.search(_POSITION, target.attr) if isinstance(target, ast.Attribute) else None
        if kind is not None:
            self._judge(context, found, target, kind[2])

    def _judge(
        self, context: Context, found: Values, use: ast.expr, kind: str = "", shares: bool = False
    ) -> None:
        """Report global ranks among the alternatives that are used at `use`.

        With `kind` those of such a group only, with `shares` those of a group whose size the function asks for too.
        """
        for value in found:
            read = attribute_read(value)
            if read is None or read[1] != "rank" or kind not in read[0] or value.node in self._told:
                continue
            if shares and f"{read[0]}.world_size" not in _text(context):
                continue
            if any("world_size == 1" in ast.unparse(atom.test) for atom in context.flow.guards):
                continue  # of one rank; whether that is so for this group is for the author to know
            if _is_coordinator(context, value, read[0]):
                assert value.node is not None
                self._told.add(value.node)
                self._report(context, value.node, read[0], use)

    def _report(self, context: Context, rank: ast.AST, group: str, use: ast.expr) -> None:
        severity, condition = context.level()
        if severity == INFO:  # several tensor parallel ranks are enough for it, on one stage too
            severity, condition = ERROR, ""
        position = f"{group}.rank_in_group"
        looked_for = "here it is taken for a position: nothing before tests for a single rank"
        context.report(
            self,
            rank,
            f"`{group}.rank` is the rank among all processes, but it is used as the position within the group: with several "
            f"tensor parallel ranks it is past the end, on a single stage too; the position is `{position}`"
            f"{f' ({condition})' if condition else ''}",
            severity=severity,
            trace=[
                context.step(rank, "`rank` of a group is the global rank of the process"),
                context.step(use, looked_for),
            ],
            statement=context.home(rank),
            fix=Fix(UNSAFE, f"ask for `{position}`", (context.edit(rank, position),)),
        )


def _text(context: Context) -> str:
    """The text of the function we are in."""
    functions = context.flow.functions
    return context.text_of(functions[-1]) if functions else context.source.text


def _is_coordinator(context: Context, rank: Value, group: str) -> bool:
    """Whether the rank is that of a group that knows both: by its class, or by the name of its kind."""
    known = knows_positions(context, [rank.data[:-1]] if rank.kind == v.PATH else [])
    return re.search(_OF_ONE_KIND, group) is not None if known is None else known
