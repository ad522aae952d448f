"""PPL710: a literal global rank is given as the source in a group that not every rank belongs to."""

from __future__ import annotations

import ast
import re

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.guards import FIRST, SINGLE, last_name
from pplint.engine.names import Place
from pplint.finding import ERROR, INFO, SAFE, WARNING, Fix
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.why import FIRST_STAGE, no_test

_SHARE = """\
class SampleExperts:
    def __init__(self, tp_group):
        self.tp_group = tp_group

    def share(self, masks):
        torch.distributed.broadcast(masks, src={source}, group={group})
        return masks
"""

INFO_TEXT = RuleInfo(
    code="PPL710",
    name="rank-outside-group",
    severity=ERROR,
    precision="high",
    summary="a literal global rank is the source in a group of one stage's ranks",
    what=(
        "`torch.distributed.broadcast` or `broadcast_object_list` with a literal `src` and the group of one kind of "
        "parallelism, such as `group=get_tp_group().cpu_group`, or the group of whichever coordinator hands its own."
    ),
    why=(
        "`src` is a global rank. Rank 0 is in the groups of the first stage only: on every later stage the call raises "
        "ValueError, also with one tensor parallel rank."
    ),
    how="Give the group's own first rank: `src=group.first_rank`.",
    silent=(
        "Literals with the world group, without a group or with one of unknown kind, `group_src`, calls under `except "
        "ValueError`, code for one stage, and code that only the first stage reaches."
    ),
    fixable="a literal 0 becomes `<group>.first_rank` (safe) where the group is a dotted name.",
    examples=(
        Example(
            title="Rank 0 is no member of a later stage's group",
            bad=_SHARE.format(source="0", group="self.tp_group.cpu_group").replace(
                "cpu_group)", "cpu_group)  # PPL710"
            ),
            fixed=_SHARE.format(source="self.tp_group.first_rank", group="self.tp_group.cpu_group").replace(
                "cpu_group)", "cpu_group)  # PPL710"
            ),
            safety=SAFE,
        ),
        Example(
            title="All ranks take part",
            good=_SHARE.format(source="0", group="get_world_group().cpu_group"),
        ),
    ),
)

_BROADCASTS = frozenset({"broadcast", "broadcast_object_list"})
_HANDLES = frozenset({"cpu_group", "device_group"})
_ONE_KIND = (
    r"^(get_)?_?((attn|attention|moe)_)?(tp|ep|cp|dcp|dp|(?!pipeline)\w+_parallel)_((cpu|device)_)?group$"
)
"""Names of groups that have ranks of one stage."""
_CAUGHT = frozenset({"ValueError", "Exception", "BaseException", ""})


class RankOutsideGroup(Rule):
    """Judges the sources of broadcasts within a group."""

    info = INFO_TEXT

    def call(self, context: Context, node: ast.Call) -> None:
        """`torch.distributed.broadcast(x, src=0, group=get_tp_group().cpu_group)`"""
        path = v.dotted(node.func) or ()
        if len(path) < 2 or path[-1] not in _BROADCASTS or path[-2] not in ("distributed", "dist"):
            return
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        source = given.get("src", node.args[1] if len(node.args) > 1 else None)
        group = given.get("group", node.args[2] if len(node.args) > 2 else None)
        found = context.flow.evaluate(source)
        if source is None or group is None or any(one.kind != v.INT for one in found):
            return
        if context.flow.caught & _CAUGHT or context.stage() & {FIRST, SINGLE}:
            return
        owner = _without_handle(group)
        if _is_of_one_stage(context, owner):
            self._report(context, node, source, owner, owner is not group)
        elif _keeps_one_stage(context, group):
            self._report(context, node, source, group, False)
        elif builder := _built_by_any(context, group):
            self._report(context, node, source, group, False, builder)

    def _report(
        self,
        context: Context,
        node: ast.Call,
        source: ast.expr,
        owner: ast.expr,
        has_ranks: bool,
        builder: str = "",
    ) -> None:
        """Report a source; `builder` is the class of groups, of one stage or not, that hands its own handle here."""
        severity, condition = context.level()
        written, rank = ast.unparse(owner), ast.unparse(source)
        lacks = f"`{written}` of another stage has no rank {rank}: ValueError on every stage but the one with that rank"
        if builder:
            severity = min(severity, WARNING, key=(INFO, WARNING, ERROR).index)
            lacks = (
                f"`{written}` is the group of whichever `{builder}` hands it here: ValueError in one that has no rank "
                f"{rank}, as those of one stage have none on every stage but the one with that rank"
            )
        ranks = f"`{written}.first_rank`" if has_ranks else "the first one of its ranks"
        fix, no_fix = None, f"give the group's own rank, {ranks}"
        if has_ranks and v.dotted(owner) is not None and rank == "0":
            edit = context.edit(source, f"{written}.first_rank")
            fix, no_fix = Fix(SAFE, f"give `{written}.first_rank`", (edit,)), ""
        context.report(
            self,
            source,
            f"`{ast.unparse(node.func)}` takes a global rank, and {lacks}{f' ({condition})' if condition else ''}",
            severity=severity,
            trace=[
                context.step(owner, f"`{written}` has ranks of one {'group' if builder else 'stage'} only"),
                no_test(context, source, FIRST_STAGE),
            ],
            fix=fix,
            no_fix=no_fix,
            around=node,
        )


def _without_handle(group: ast.expr) -> ast.expr:
    """The group that a handle is of: `tp_group` for `tp_group.cpu_group`."""
    return group.value if isinstance(group, ast.Attribute) and group.attr in _HANDLES else group


def _is_of_one_stage(context: Context, group: ast.expr) -> bool:
    """Whether the name of a group, or of what a local stands for, is that of one with ranks of one stage."""
    if re.search(_ONE_KIND, last_name(group)):
        return True
    found = context.flow.evaluate(group) if isinstance(group, ast.Name) else ()
    nodes = [one.node for one in found if isinstance(one.node, ast.expr) and one.node is not group]
    return bool(nodes) and all(re.search(_ONE_KIND, last_name(node)) for node in nodes)


def _keeps_one_stage(context: Context, group: ast.expr) -> bool:
    """Whether an attribute has a name that says nothing, and the class keeps nothing else in it than such groups."""
    path = v.dotted(group)
    if path is None or len(path) != 2 or path[0] != "self" or not context.flow.classes:
        return False
    stored = [one for one in context.stored(path[1]) if ast.unparse(one) != "None"]
    return bool(stored) and all(re.search(_ONE_KIND, last_name(_without_handle(one))) for one in stored)


def _built_by_any(context: Context, group: ast.expr) -> str:
    """The class of groups that hands the handle of its own to the constructor which keeps it here; or ""."""
    path = v.dotted(group)
    if path is None or len(path) != 2 or path[0] != "self" or not context.class_id:
        return ""
    stored = [v.dotted(one) for one in context.stored(path[1])]
    if len(stored) != 1 or stored[0] is None or len(stored[0]) != 1:
        return ""
    place = Place(context.module, context.class_id, "__init__")
    for builder, values in context.project.passed(place, stored[0][0]):
        handed = any(one[0] == "path" and one[1][0] == "self" and one[1][-1] in _HANDLES for one in values)
        if handed and builder.owner and "rank_in_group" in context.project.classes[builder.owner]["attrs"]:
            return context.project.class_name(builder.owner)
    return ""
