"""PPL710: which literal ranks are no members of the group that they are given with."""

from __future__ import annotations

from pathlib import Path

import pytest
from layer_cases import findings_in

from pplint.finding import ERROR, SAFE, UNSAFE, WARNING, Finding

_CODE = """

import torch
import torch.distributed as dist

from sglang.srt.distributed import get_attn_tp_group, get_pp_group, get_tp_group, get_world_group

SOURCE = 0


class Sharing:
    def __init__(self, tp_group, tp_cpu_group, pp_group, world_group, some_group, first_rank):
        self.tp_group = tp_group
        self.attn_tp_group = get_attn_tp_group()
        self.tp_cpu_group = tp_cpu_group
        self.pp_group = pp_group
        self.world_group = world_group
        self.some_group = some_group
        self.first_rank = first_rank

    def share(self, masks, tp_cpu_group, group, runner):
        {body}
"""


def found_in(folder: Path, body: str) -> list[Finding]:
    return findings_in(folder, "PPL710", _CODE.format(body=body.replace("\n", "\n        ")))


def sends(group: str, source: str = "0") -> str:
    return f"torch.distributed.broadcast(masks, src={source}, group={group})"


CALL = sends("self.tp_group.cpu_group")

GROUPS = {
    "a group that is called for": ("get_tp_group().cpu_group", [ERROR]),
    "its handle for devices": ("get_tp_group().device_group", [ERROR]),
    "an attribute": ("self.tp_group.cpu_group", [ERROR]),
    "an attribute of something else": ("runner.tp_group.device_group", [ERROR]),
    "the ranks that share an attention": ("get_attn_tp_group().cpu_group", [ERROR]),
    "an attribute of these ranks": ("self.attn_tp_group.cpu_group", [ERROR]),
    "these ranks under a longer name": ("get_attention_tp_group().cpu_group", [ERROR]),
    "the ranks that share experts": ("get_moe_ep_group().device_group", [ERROR]),
    "an attribute of the ranks that share experts": ("self.moe_ep_group.device_group", [ERROR]),
    "the ranks that share one expert": ("get_moe_tp_group().device_group", [ERROR]),
    "the ranks that share a batch": ("get_attn_dp_group().device_group", [ERROR]),
    "the ranks that share a context": ("get_attn_cp_group().device_group", [ERROR]),
    "a handle with a name of its own": ("self.tp_cpu_group", [ERROR]),
    "a handle that is a local": ("tp_cpu_group", [ERROR]),
    "such a handle for devices": ("self.tp_device_group", [ERROR]),
    "such a handle of the ranks that share an attention": ("self.attn_tp_cpu_group", [ERROR]),
    "the group's name in full": ("get_tensor_model_parallel_group().cpu_group", [ERROR]),
    "a group that a module is asked for": ("parallel_state.get_tp_group().cpu_group", [ERROR]),
    "all ranks": ("get_world_group().cpu_group", []),
    "an attribute for all ranks": ("self.world_group.device_group", []),
    "no group": ("None", []),
    "a group of unknown kind": ("self.some_group.cpu_group", []),
    "a local of unknown kind": ("group", []),
    "the stages of a pipeline": ("get_pp_group().cpu_group", []),
}  # fmt: skip

BODIES = {
    "by position": ("torch.distributed.broadcast(masks, 0, get_tp_group().cpu_group)", [ERROR]),
    "the group by keyword": ("torch.distributed.broadcast(masks, 0, group=get_tp_group().cpu_group)", [ERROR]),
    "torch.distributed under another name": ("dist.broadcast(masks, src=0, group=get_tp_group().cpu_group)", [ERROR]),
    "a list of objects": (
        "torch.distributed.broadcast_object_list([masks], src=0, group=get_tp_group().cpu_group)",
        [ERROR],
    ),
    "on several lines": (
        "torch.distributed.broadcast(\n    masks,\n    src=0,\n    group=get_tp_group().cpu_group,\n)",
        [ERROR],
    ),
    "in the background": ("work = dist.broadcast(masks, src=0, group=self.tp_group.device_group, async_op=True)", [ERROR]),
    "a constant of the module": (sends("self.tp_group.cpu_group", "SOURCE"), [ERROR]),
    "a local": ("source = 0\n" + sends("self.tp_group.cpu_group", "source"), [ERROR]),
    "another number": (sends("self.tp_group.cpu_group", "1"), [ERROR]),
    "twice": (f"{CALL}\n{CALL}", [ERROR, ERROR]),
    "where the group has several ranks": (f"if self.tp_group.world_size > 1:\n    {CALL}", [ERROR]),
    "on the first rank of the group": (f"if self.tp_group.is_first_rank:\n    {CALL}", [ERROR]),
    "on the last stage": (f"if self.pp_group.is_last_rank:\n    {CALL}", [ERROR]),
    "on one platform": (f"if is_npu():\n    {CALL}", [WARNING]),
    "the group's first rank": (sends("self.tp_group.cpu_group", "self.tp_group.first_rank"), []),
    "an attribute that holds the first rank": (sends("self.tp_group.cpu_group", "self.first_rank"), []),
    "the first of the ranks": (sends("self.tp_group.cpu_group", "self.tp_group.ranks[0]"), []),
    "a rank within the group": ("dist.broadcast(masks, group_src=0, group=self.tp_group.cpu_group)", []),
    "the default group": ("torch.distributed.broadcast(masks, src=0)", []),
    "a method of the group": ("self.tp_group.broadcast(masks, src=0)", []),
    "a sum": ("torch.distributed.all_reduce(masks, group=self.tp_group.cpu_group)", []),
    "on the first stage": (f"if self.pp_group.is_first_rank:\n    {CALL}", []),
    "after the other stages returned": (f"if not get_pp_group().is_first_rank:\n    return\n{CALL}", []),
    "where the rank of the stage is 0": (f"if runner.pp_rank == 0:\n    {CALL}", []),
    "where there is one stage": (f"if self.pp_group.world_size == 1:\n    {CALL}", []),
    "where one stage is configured": (f"if runner.server_args.pp_size == 1:\n    {CALL}", []),
    "one of two numbers": (sends("self.tp_group.cpu_group", "0 if masks else 1"), [ERROR]),
    "where it is not a further stage": (f"if not self.pp_group.is_first_rank:\n    pass\nelse:\n    {CALL}", []),
    "arguments out of a dictionary": ("dist.broadcast(masks, **group)", []),
    "after an assertion that there is one stage": (f"assert self.pp_group.world_size == 1\n{CALL}", []),
    "the group before the source": ("dist.broadcast(masks, group=get_tp_group().cpu_group, src=0)", [ERROR]),
    "all by keyword": ("dist.broadcast(tensor=masks, group=get_tp_group().cpu_group, src=0)", [ERROR]),
}  # fmt: skip

FIXES = {
    "a dotted group": (sends("self.tp_group.cpu_group"), "self.tp_group.first_rank"),
    "a dotted group for devices": (sends("runner.tp_group.device_group"), "runner.tp_group.first_rank"),
    "a position": ("dist.broadcast(masks, 0, self.attn_tp_group.cpu_group)", "self.attn_tp_group.first_rank"),
    "a group that would be called for twice": (sends("get_tp_group().cpu_group"), ""),
    "a bare handle": (sends("tp_cpu_group"), ""),
    "a handle with a name of its own": (sends("self.tp_cpu_group"), ""),
    "another number": (sends("self.tp_group.cpu_group", "1"), ""),
    "a constant": (sends("self.tp_group.cpu_group", "SOURCE"), ""),
    "a group out of a list": (sends("self.groups[0].tp_group.cpu_group"), ""),
}  # fmt: skip


@pytest.mark.parametrize("case", GROUPS)
def test_a_group(case: str, tmp_path: Path) -> None:
    group, levels = GROUPS[case]
    assert [one.severity for one in found_in(tmp_path, sends(group))] == levels


@pytest.mark.parametrize("case", BODIES)
def test_a_source(case: str, tmp_path: Path) -> None:
    body, levels = BODIES[case]
    assert [one.severity for one in found_in(tmp_path, body)] == levels


@pytest.mark.parametrize("case", FIXES)
def test_the_fix_of(case: str, tmp_path: Path) -> None:
    body, written = FIXES[case]
    [found] = found_in(tmp_path, body)
    if written:
        assert found.fix is not None
        assert (found.fix.safety, [edit.text for edit in found.fix.edits]) == (SAFE, [written])
    else:
        assert found.fix is None
        assert "give the group's own rank" in found.no_fix


KEPT = """

import torch

from sglang.srt.distributed import get_tp_group


class Scheduler:
    def __init__(self, tp_cpu_group, world_group, flag):
        self.tp_cpu_group = tp_cpu_group
        {store}

    def share(self, masks):
        torch.distributed.broadcast_object_list([masks], src=0, group=self.cpu_group)
"""

STORES = {
    "the handle of such a group": ("self.cpu_group = self.tp_cpu_group", [ERROR]),
    "one of such a group that is called for": ("self.cpu_group = get_tp_group().cpu_group", [ERROR]),
    "one of two such groups": (
        "if flag:\n    self.cpu_group = self.attn_tp_cpu_group\nelse:\n    self.cpu_group = self.tp_cpu_group",
        [ERROR],
    ),
    "nothing at first": ("self.cpu_group = None\nself.cpu_group = self.tp_cpu_group", [ERROR]),
    "all ranks in one case": (
        "self.cpu_group = world_group.cpu_group\nif flag:\n    self.cpu_group = self.tp_cpu_group",
        [],
    ),
    "nothing ever": ("self.cpu_group = None", []),
    "nothing that is in view": ("pass", []),
}


@pytest.mark.parametrize("case", STORES)
def test_an_attribute_whose_name_says_nothing_keeps(case: str, tmp_path: Path) -> None:
    store, levels = STORES[case]
    found = findings_in(tmp_path, "PPL710", KEPT.format(store=store.replace("\n", "\n        ")))
    assert [one.severity for one in found] == levels
    assert all(one.fix is None for one in found)  # a process group does not know its first rank


HANDED = """

import torch.distributed as dist


class Communicator:
    def __init__(self, group, device):
        self.group = group

    def agree(self, tensor):
        dist.broadcast(tensor, src={source}, group=self.group)


class Coordinator:
    def __init__(self, ranks, rank):
        self.ranks = ranks
        {position}
        self.cpu_group = dist.new_group(ranks)
        self.communicator = Communicator({group}, device=None)
"""

HANDS = {
    "its own group": ({}, [WARNING]),
    "its own group by keyword": ({"group": "group=self.cpu_group"}, [WARNING]),
    "its own group, and the first of its ranks is the source": ({"source": "self.ranks[0]"}, []),
    "all ranks": ({"group": "dist.group.WORLD"}, []),
    "a group of its own that it has no place in": ({"position": "self.name = ''"}, []),
}


@pytest.mark.parametrize("case", HANDS)
def test_a_class_of_groups_hands_on(case: str, tmp_path: Path) -> None:
    written, levels = HANDS[case]
    usual = {"source": "0", "group": "self.cpu_group", "position": "self.rank_in_group = ranks.index(rank)"}
    found = findings_in(tmp_path, "PPL710", HANDED.format(**{**usual, **written}))
    assert [one.severity for one in found] == levels
    assert all("the group of whichever `Coordinator` hands it here" in one.message for one in found)


_PLACES = """

import torch.distributed as dist


class Timing:
    def __init__(self, group, ranks):
        self.group = group
        self.ranks = ranks
        {asked}

    def share(self, times, root: int = 0, anyone=None, *, first: int = 0):
        {body}
"""

KNOWN_BY_PLACE = "self.rank = dist.get_rank(group=self.group)"
BROADCAST = "dist.broadcast(times, src={}, group=self.group)"

PLACES = {
    "a class that asks for its position": (KNOWN_BY_PLACE, BROADCAST.format(0), [ERROR]),
    "asked by position": ("self.rank = torch.distributed.get_rank(self.group)", BROADCAST.format(0), [ERROR]),
    "asked of the handle": ("self.rank = self.group.rank()", BROADCAST.format(0), [ERROR]),
    "a parameter that is 0 unless somebody says otherwise": (KNOWN_BY_PLACE, BROADCAST.format("root"), [ERROR]),
    "a keyword that is 0": (KNOWN_BY_PLACE, BROADCAST.format("first"), [ERROR]),
    "a parameter without a number": (KNOWN_BY_PLACE, BROADCAST.format("anyone"), []),
    "a parameter that was looked up": (KNOWN_BY_PLACE, f"root = self.ranks[root]\n{BROADCAST.format('root')}", []),
    "a class that does not ask": ("self.rank = dist.get_rank()", BROADCAST.format(0), []),
    "a class that asks about another group": ("self.rank = dist.get_rank(ranks)", BROADCAST.format(0), []),
    "a group that is made here": ("self.group = dist.new_group(ranks)\n" + KNOWN_BY_PLACE, BROADCAST.format(0), []),
    "the world under a name of its own": (
        "self.world_group = self.group\nself.rank = dist.get_rank(self.world_group)",
        "dist.broadcast(times, src=0, group=self.world_group)",
        [],
    ),
    "asked in the function itself": (
        "pass", f"if dist.get_rank(self.group) == 0:\n    times += 1\n{BROADCAST.format(0)}", [ERROR],
    ),
    "the position where it is taken": (KNOWN_BY_PLACE, "dist.broadcast(times, group_src=0, group=self.group)", []),
    "the global rank of the position": (
        KNOWN_BY_PLACE, BROADCAST.format("dist.get_global_rank(self.group, 0)"), [],
    ),
}  # fmt: skip


def told_by_place(folder: Path, case: str) -> list[Finding]:
    asked, body, _ = PLACES[case]
    text = _PLACES.format(asked=asked.replace("\n", "\n        "), body=body.replace("\n", "\n        "))
    return findings_in(folder, "PPL710", text)


@pytest.mark.parametrize("case", PLACES)
def test_a_group_that_is_known_by_positions(case: str, tmp_path: Path) -> None:
    assert [one.severity for one in told_by_place(tmp_path, case)] == PLACES[case][2]


@pytest.mark.parametrize(
    ("case", "safety", "written"),
    [
        ("a class that asks for its position", SAFE, "dist.get_global_rank(self.group, 0)"),
        (
            "a parameter that is 0 unless somebody says otherwise",
            UNSAFE,
            "dist.get_global_rank(self.group, root)",
        ),
    ],
)
def test_a_position_becomes_a_global_rank(case: str, safety: str, written: str, tmp_path: Path) -> None:
    [found] = told_by_place(tmp_path, case)
    assert found.fix is not None
    assert (found.fix.safety, [edit.text for edit in found.fix.edits]) == (safety, [written])
    assert "self.group" in found.trace[0].text
