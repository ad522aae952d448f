"""PPL710: a literal global rank is given as the source in a group that not every rank belongs to."""

from __future__ import annotations

import ast
import re

from pplint.engine import values as v
from pplint.engine.constants import literal_integer
from pplint.engine.context import Context
from pplint.engine.declarations import defaulted
from pplint.engine.guards import FIRST, SINGLE, last_name
from pplint.engine.names import Place
from pplint.engine.values import Values
from pplint.finding import ERROR, INFO, SAFE, UNSAFE, WARNING, Fix
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.group_ranks import own_place
from pplint.rules.why import FIRST_STAGE, no_test

_SHARE = """\
class SampleExperts:
    def __init__(self, tp_group):
        self.tp_group = tp_group

    def share(self, masks):
        torch.distributed.broadcast(masks, src={source}, group={group})
        return masks
"""

_PLACES = """\
import torch.distributed as dist


class SampleTimes:
    def __init__(self, group):
        self.group = group
        self.rank = dist.get_rank(group=self.group)

    def share(self, times):
        if self.rank == 0:
            times.fill_(self.measure())
        dist.broadcast(times, src=0, group=self.group)
        return times
"""

INFO_TEXT = RuleInfo(
    code="PPL710",
    name="rank-outside-group",
    severity=ERROR,
    precision="high",
    summary="a literal global rank is the source in a group of one stage's ranks",
    what=(
        "`torch.distributed.broadcast` or `broadcast_object_list` with a literal `src` and the group of one kind of "
        "parallelism, such as `group=get_tp_group().cpu_group`, the group of whichever coordinator hands its own, or a "
        "group in which the class asks for its own position (`group.rank()`, `dist.get_rank(group)`). A parameter with a "
        "number as its default counts as that number there."
    ),
    why=(
        "`src` is a global rank. Rank 0 is in the groups of the first stage only: on every later stage the call raises "
        "ValueError, also with one tensor parallel rank. Who tells the ranks of a group apart by their position in it "
        "means the first one by 0, and that one has another global rank."
    ),
    how="Give the group's own first rank: `src=group.first_rank`, or `dist.get_global_rank(group, 0)`.",
    silent=(
        "Literals with the world group, without a group or with one of unknown kind, groups that the class makes by "
        "itself, `group_src`, calls under `except ValueError`, code for one stage, and code that only the first stage "
        "reaches."
    ),
    fixable=(
        "a literal 0 becomes `<group>.first_rank` (safe) where the group is a dotted name, or "
        "`dist.get_global_rank(<group>, 0)` (safe; unsafe where a parameter stands for it, which a caller may give a "
        "global rank)."
    ),
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
            title="The class knows the ranks of the group by their positions",
            bad=_PLACES.replace("src=0, group=self.group)", "src=0, group=self.group)  # PPL710"),
            fixed=_PLACES.replace(
                "src=0, group=self.group)",
                "src=dist.get_global_rank(self.group, 0), group=self.group)  # PPL710",
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
        if source is None or group is None or any(one.kind not in (v.INT, v.PARAM) for one in found):
            return
        if context.flow.caught & _CAUGHT or context.stage() & {FIRST, SINGLE}:
            return
        literal = all(one.kind == v.INT for one in found)
        owner = _without_handle(group)
        if literal and _is_of_one_stage(context, owner):
            self._report(context, node, source, owner, owner is not group)
        elif (literal or _has_number(context, found)) and (asked := own_place(context, group)) is not None:
            self._report_position(context, node, source, group, asked, SAFE if literal else UNSAFE)
        elif literal and _keeps_one_stage(context, group):
            self._report(context, node, source, group, False)
        elif literal and (builder := _built_by_any(context, group)):
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

    def _report_position(
        self,
        context: Context,
        node: ast.Call,
        source: ast.expr,
        group: ast.expr,
        asked: ast.expr,
        safety: str,
    ) -> None:
        severity, condition = context.level()
        written, position = ast.unparse(group), ast.unparse(source)
        right = f"{ast.unparse(node.func).rpartition('.')[0]}.get_global_rank({written}, {position})"
        context.report(
            self,
            source,
            f"`{ast.unparse(node.func)}` takes a global rank, but `{position}` is a position in `{written}`: a group of a "
            f"later stage has no such rank, ValueError; the global rank is `{right}`"
            f"{f' ({condition})' if condition else ''}",
            severity=severity,
            trace=[
                context.step(asked, f"here the ranks of `{written}` are told apart by their position in it"),
                no_test(context, source, FIRST_STAGE),
            ],
            fix=Fix(safety, f"ask for `{right}`", (context.edit(source, right),)),
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


def _has_number(context: Context, found: Values) -> bool:
    """Whether each alternative is a number, or a parameter that is one where the caller gives none."""
    defaults = {
        name.arg: literal_integer(default)
        for function in context.flow.functions
        for name, default in defaulted(function.args)
    }
    return all(one.kind == v.INT or defaults.get(one.data) is not None for one in found)
