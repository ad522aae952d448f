"""PPL705: a global rank is given where a group's method takes the rank within the group."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from itertools import takewhile

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.declarations import position_of
from pplint.engine.guards import SINGLE
from pplint.finding import ERROR, Step
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.group_ranks import attribute_read, is_group
from pplint.rules.why import ONE_STAGE, no_test

_GROUP = (
    "srt/distributed/sample_group.py",
    """\
class SampleGroup:
    def __init__(self, ranks, rank):
        self.ranks = ranks
        self.world_size = len(ranks)
        self.rank_in_group = ranks.index(rank)

    @property
    def first_rank(self):
        return self.ranks[0]

    @property
    def last_rank(self):
        return self.ranks[-1]

    def send(self, tensor, dst=None):
        torch.distributed.send(tensor, self.ranks[dst])

    def recv(self, size, src=None):
        return torch.distributed.recv(size, self.ranks[src])
""",
)

INFO_TEXT = RuleInfo(
    code="PPL705",
    name="global-rank-as-peer",
    severity=ERROR,
    precision="very-high",
    summary="a global rank is given to a group's method, which takes the rank within the group",
    what=(
        "`first_rank`, `last_rank`, `next_rank`, `prev_rank`, `rank` and `ranks[i]` of a group are global ranks. "
        "The group's own `send`, `recv`, `broadcast` and the like look their `dst` or `src` up in `ranks`, so they "
        "take a position within the group."
    ),
    why=(
        "The two agree on one tensor parallel rank only. With TP > 1 the global rank of the last stage is past the "
        "end of `ranks` (IndexError), or names another stage: the first and the last stage wait for each other."
    ),
    how="Give the position: `0` for the first stage, `group.world_size - 1` for the last one.",
    silent=(
        "Functions of `torch.distributed` and others that take global ranks, comparisons with the own rank, and code "
        "for one stage."
    ),
    examples=(
        Example(
            title="The embedding is sent to the last stage",
            bad="""\
from sglang.srt.distributed.sample_group import SampleGroup


class SampleForCausalLM:
    def __init__(self, config, pp_group: SampleGroup):
        self.pp_group = pp_group

    def share(self, weight):
        if self.pp_group.is_first_rank:
            self.pp_group.send(weight, dst=self.pp_group.last_rank)  # PPL705
        elif self.pp_group.is_last_rank:
            return self.pp_group.recv(weight.shape, self.pp_group.first_rank)  # PPL705
        return weight
""",
            files=(_GROUP,),
        ),
        Example(
            title="Positions within the group, and functions that take global ranks",
            good="""\
def share(pp_group, weight):
    if pp_group.is_first_rank:
        pp_group.send(weight, dst=pp_group.world_size - 1)
    elif pp_group.is_last_rank:
        weight = pp_group.recv(weight.shape, src=0)
    torch.distributed.broadcast(weight, src=pp_group.first_rank, group=pp_group.device_group)
    return weight
""",
            files=(_GROUP,),
        ),
    ),
)

_PEERS = frozenset({"dst", "src"})
_METHOD = r"^_?(i?send|i?recv|broadcast|gather|scatter|reduce)(_|$)"
_RANKS = {
    "first_rank": "0",
    "last_rank": "{group}.world_size - 1",
    "next_rank": "({group}.rank_in_group + 1) % {group}.world_size",
    "prev_rank": "({group}.rank_in_group - 1) % {group}.world_size",
    "rank": "{group}.rank_in_group",
}


class GlobalRankAsPeer(Rule):
    """Judges the peers that calls of a group's methods name."""

    info = INFO_TEXT

    def call(self, context: Context, node: ast.Call) -> None:
        """Compare each argument with what the group's method does with it."""
        if not isinstance(node.func, ast.Attribute) or not re.match(_METHOD, node.func.attr):
            return
        inside = isinstance(node.func.value, ast.Name) and node.func.value.id == "self"
        if inside or SINGLE in context.stage():  # a group's own methods turn positions into global ranks
            return
        arguments: list[tuple[int | str, ast.expr]] = [*enumerate(node.args)]
        arguments += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
        suspects = [(where, one, value) for where, one in arguments if (value := _global(context, one))]
        if not suspects:
            return
        taken = _taken(context, node.func)
        for where, argument, (group, name) in suspects:
            if where in taken:
                self._report(context, node.func.attr, argument, group, name, taken[where])

    def _report(
        self, context: Context, method: str, argument: ast.expr, group: str, name: str, step: Step
    ) -> None:
        severity, condition = context.level()
        text = _RANKS.get(name, "0 ... {group}.world_size - 1").format(group=group)
        said = f" ({condition})" if condition else ""
        message = (
            f"`{ast.unparse(argument)}` is a global rank, but `{method}` takes the rank within the group: with several "
            f"tensor parallel ranks it names a wrong stage or none; the position is `{text}`{said}"
        )
        context.report(
            self, argument, message, severity=severity, trace=[step, no_test(context, argument, ONE_STAGE)],
            no_fix="both ends of the transfer have to change together, and it has to come after the weights are loaded",
        )  # fmt: skip


def _global(context: Context, argument: ast.expr) -> tuple[str, str] | None:
    """The group and the name of its global rank among the alternatives of an argument, or None."""
    for value in context.flow.evaluate(argument):
        path = attribute_read(value)
        if path is not None and path[1] in _RANKS and isinstance(value.node, ast.Attribute):
            if is_group(context, value.node.value):
                return path
        if value.kind == v.SUB and isinstance(value.node, ast.Subscript):
            inner = next(
                (found for one in value.data[0] if (found := attribute_read(one)) and found[1] == "ranks"),
                None,
            )
            if inner is not None:
                picked = [one.data for one in value.data[1] if one.kind == v.INT]
                ends = {(0,): "first_rank", (-1,): "last_rank"}
                return inner[0], ends.get(tuple(picked), inner[1])
    return None


def _taken(context: Context, callee: ast.Attribute) -> dict[int | str, Step]:
    """The positions and keywords that a group's method looks up in its list of ranks, with the line that does it."""
    project = context.project
    found: dict[int | str, Step] = {}
    owners = frozenset(
        one
        for path in v.paths(context.flow.evaluate(callee.value))
        for one in project.types_of(context.place, path)
    )
    if not owners and is_group(context, callee.value):
        owners = _nearest(context.module, project.definers(callee.attr))
    for owner in sorted(owners):
        method = project.method(owner, callee.attr)
        if method is None:
            continue
        for parameter, how, path, line in method[1]["uses"]:
            if how == "sub" and path == ["self", "ranks"]:
                text = f"`{callee.attr}` looks `{parameter}` up in the ranks of the group"
                step = context.fact_step(method[0], line, text)
                position = position_of(method[1], parameter)
                found.setdefault(parameter, step)
                if position is not None:
                    found.setdefault(position, step)
    if not found and is_group(context, callee.value):
        own = context.step(callee, f"`{callee.attr}` is a method of the group, not of torch.distributed")
        found = dict.fromkeys((*_PEERS, 1), own)
    return found


def _nearest(module: str, owners: Iterable[str]) -> frozenset[str]:
    """The classes (ids) whose modules share most packages with a module: a tree may hold groups for other programs."""
    near: dict[int, set[str]] = {}
    for owner in owners:
        pairs = zip(module.split("."), owner.partition(":")[0].split("."), strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        near.setdefault(shared, set()).add(owner)
    return frozenset(near[max(near)]) if near else frozenset()
