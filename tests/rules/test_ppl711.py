"""PPL711: what is done with a group's global rank, and when that takes it for a position."""

from __future__ import annotations

from pathlib import Path

import pytest
from layer_cases import findings_in, method

from pplint.finding import ERROR, UNSAFE, WARNING

CASES = {
    "the first row of a share": ("n = i // pp_group.world_size\nfirst = pp_group.rank * n", [ERROR]),
    "one past the last row of a share": ("rank = pp_group.rank\nend = (rank + 1) * i // pp_group.world_size", [ERROR]),
    "a rank with a name": ("rank = self.tp_group.rank\nfirst = i * rank // self.tp_group.world_size", [ERROR]),
    "a rank with a name that is used twice": (
        "rank, n = get_tp_group().rank, i // get_tp_group().world_size\nfirst, last = rank * n, n + rank * n",
        [ERROR],
    ),
    "under a flag": ("if use_fast_path:\n    return pp_group.rank * i // pp_group.world_size", [WARNING]),
    "where there is one rank": ("if pp_group.world_size == 1:\n    return pp_group.rank * i", []),
    "a seed": ("return tp_group.rank * 1000 + i", []),
    "the position, reckoned": ("return (tp_group.rank % tp_group.world_size) * i", []),
    "the distance from the first one": ("return (pp_group.rank - pp_group.first_rank) * i // pp_group.world_size", []),
    "the last one of all": ("return pp_group.rank == world_group.world_size - 1", []),
    "the last one": ("return pp_group.rank == pp_group.world_size - 1", [ERROR]),
    "given as a position": ("make(i, pp_rank=pp_group.rank, pp_size=pp_group.world_size)", [ERROR]),
    "kept as a position": ("self.attn_tp_rank = self.attn_tp_group.rank", [ERROR]),
    "the rank of another group": ("make(i, pp_rank=tp_group.rank)", []),
    "kept as a rank": ("self.rank = pp_group.rank", []),
    "handed on as a rank": ("share(i, tp_group.rank, tp_group.cpu_group, src=tp_group.ranks[0])", []),
    "the position": ("first = pp_group.rank_in_group * i", []),
    "the world": ("first = world_group.rank * i", []),
    "a method": ("first = pp_group.rank() * i", []),
    "a group of unknown kind": ("first = self.group.rank * i", []),
    "a group of a class that knows no other rank": ("first = self.small_tp_group.rank * i", []),
    "the rank of what is no group": ("first = self.lora.rank * i", []),
}  # fmt: skip

_OTHER = """

    def prepare(self, handle):
        self.small_tp_group = SmallGroup(handle)


class SmallGroup:
    def __init__(self, handle):
        self.rank = handle.rank()
"""


@pytest.mark.parametrize("case", CASES)
def test_a_rank(case: str, tmp_path: Path) -> None:
    body, expected = CASES[case]
    assert [one.severity for one in findings_in(tmp_path, "PPL711", method(body) + _OTHER)] == expected


def test_the_read_of_the_rank_is_what_changes(tmp_path: Path) -> None:
    (found,) = findings_in(
        tmp_path, "PPL711", method("rank = pp_group.rank\nfirst = rank * i // pp_group.world_size")
    )
    assert found.fix is not None
    assert found.fix.safety == UNSAFE
    assert [edit.text for edit in found.fix.edits] == ["pp_group.rank_in_group"]
