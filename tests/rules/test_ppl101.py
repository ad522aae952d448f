"""PPL101: places that no pool reaches."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from layer_cases import RANGED, findings_in, method

from pplint.finding import ERROR, INFO, SAFE

_DIMENSION = "\n    def get_v_head_dim(self):\n        return 1\n"
_POOLS = """

class Plain:
    def __init__(self, start_layer):
        self.start_layer = start_layer
        self.v_buffer = []

    def get_value_buffer(self, layer_id):
        return self.v_buffer[layer_id - self.start_layer]
{plain}

class SampleMLAPool:
    def __init__(self, start_layer):
        self.start_layer = start_layer
        self.buffer = []

    def get_value_buffer(self, layer_id):
        return self.buffer[layer_id - self.start_layer]


def build(start_layer):
    return Plain(start_layer), SampleMLAPool(start_layer)
"""
_ASKS = """

class Backend:
    def look(self, runner):
        if {flag}:
            return 1
        elif hasattr(runner.pool, "get_v_head_dim"):
            return runner.pool.get_v_head_dim()
        else:
            return runner.pool.get_value_buffer(0).shape[-1]
"""


@pytest.mark.parametrize(
    ("plain", "flag", "level"),
    [
        (_DIMENSION, "self.use_mla", INFO),
        (_DIMENSION, "self.other", ERROR),
        ("", "self.use_mla", ERROR),
    ],
    ids=["every pool that is left has it", "one kind of pool has it not", "a pool has it not"],
)
def test_a_branch_for_pools_without_a_method_is_dead_where_all_have_it(plain, flag, level, tmp_path):
    pools = ("srt/more_pools.py", _POOLS.format(plain=plain))
    findings = findings_in(tmp_path, "PPL101", _ASKS.format(flag=flag), pools)
    assert [found.severity for found in findings] == [level]


_FRONT = """\


class Front:
    def __init__(self, start_layer{parameter}):
        self.start_layer = start_layer
        self.k_buffer = []
{keeps}
    def get_state(self, layer_id):
        return self.k_buffer[layer_id - self.start_layer]

    def make(self):
        return {makes}
"""
_BEHIND = """\


class Behind{base}:
    def __init__(self, layer_num):
        self.start_layer = 0
        self.rows = [None for _ in range(layer_num)]

    def get_state(self, layer_id):
        return self.rows[layer_id]

    def other(self, layer_id):
        return self.rows[layer_id - self.start_layer]
"""
_BUILDER = "\n\ndef build():\n    return Behind(3)\n"
_CALL = "\n\ndef look(pool):\n    return pool.get_state(0)\n"


@pytest.mark.parametrize(
    ("front", "behind", "more", "found"),
    [
        ({"keeps": "        self.inner = Behind(3)"}, "", "", 1),
        ({"keeps": "        self.inner = kind(3)", "parameter": ", kind=Behind"}, "", _BUILDER, 1),
        ({"makes": "Behind(3)"}, "", "", 1),
        ({}, "(Front)", _BUILDER, 1),
        ({}, "", _BUILDER, 0),
        ({}, "", "", 0),
    ],
    ids=[
        "the front keeps one",
        "the front keeps one of a class that it is given",
        "only the front builds one",
        "it overrides the front's method",
        "somebody else builds one",
        "nobody builds one",
    ],
)
def test_a_pool_behind_another_has_no_say_about_receivers_of_unknown_type(
    front: dict[str, str], behind: str, more: str, found: int, tmp_path: Path
) -> None:
    shape = {"parameter": "", "keeps": "", "makes": "None", **front}
    pools = _BEHIND.format(base=behind), _FRONT.format(**shape)
    text = "".join(pools if not behind else reversed(pools)) + more
    findings = findings_in(tmp_path, "PPL101", _CALL, ("srt/mem_cache/fronts.py", text))
    assert len(findings) == found


_MIXIN = """
from sglang.srt.mem_cache.sample_pool import SamplePool


class Prefetch:
    def prefetch(self, layer_id):
        return self.rows[layer_id - self.start_layer]

    def begin(self):
        return self.prefetch(0)


class Prefetching(Prefetch, SamplePool):
    pass
"""


@pytest.mark.parametrize(("more", "fixed"), [("", True), ("\n\nclass Bare(Prefetch):\n    pass\n", False)])
def test_a_mixin_has_what_all_its_hosts_have(more: str, fixed: bool, tmp_path: Path) -> None:
    (finding,) = findings_in(tmp_path, "PPL101", _MIXIN + more)
    assert (finding.fix is not None) is fixed
    assert fixed or finding.no_fix == "the receiver's class has no `start_layer`"


STATED = {
    "the last one by the configuration": ("pool.get_value_buffer(self.config.num_hidden_layers - 1)", 1),
    "the last one with a name": ("last = self.config.num_hidden_layers - 1\nreturn pool.get_value_buffer(last)", 1),
    "the last one by the list": ("pool.get_value_buffer(len(self.model.layers) - 1)", 1),
    "the last one on the last stage": (
        "if pp_group.is_last_rank:\n    pool.get_value_buffer(self.config.num_hidden_layers - 1)",
        0,
    ),
    "the first ones, counted": ("for k in range(3):\n    pool.get_value_buffer(k)", 1),
    "the first ones, counted on the first stage": (
        "if pp_group.is_first_rank:\n    for k in range(3):\n        pool.get_value_buffer(k)",
        0,
    ),
    "counted in the range of the stage": (
        "for k in range(3):\n    if pool.start_layer <= k < pool.end_layer:\n        pool.get_value_buffer(k)",
        0,
    ),
    "counted where the pool has them": ("for k in range(3):\n    if k in pool.kept:\n        pool.get_value_buffer(k)", 0),
    "for pools that have no range": (
        "lid = 0\nif hasattr(pool, 'start_layer'):\n    lid = pool.start_layer\npool.get_value_buffer(lid)",
        0,
    ),
    "where the range is tested": ("assert pool.start_layer <= 0 < pool.end_layer\npool.get_value_buffer(0)", 0),
    "where a function says that the stage has it": (
        ("def owns(layer_id):\n    return pool.start_layer <= layer_id < pool.end_layer\n"
        "if owns(0):\n    pool.get_value_buffer(0)"),
        0,
    ),
    "where a method says that the stage has it": ("if self.model.belongs_here(0):\n    pool.get_value_buffer(0)", 0),
    "where a method says that the stage has it not": (
        "last = self.config.num_hidden_layers - 1\nif not self.model.belongs_here(last):\n    pool.get_value_buffer(last)",
        1,
    ),
    "in the message of an assertion": (
        "last = self.config.num_hidden_layers - 1\nassert i, f'{pool.get_value_buffer(last)}'",
        1,
    ),
    "counted as far as somebody says": ("for k in range(i):\n    pool.get_value_buffer(k)", 0),
}  # fmt: skip


@pytest.mark.parametrize(("body", "count"), STATED.values(), ids=STATED)
def test_ids_that_are_stated_without_their_number(body: str, count: int, tmp_path: Path) -> None:
    findings = findings_in(tmp_path, "PPL101", method("pool = caches.pool\n" + body), RANGED)
    assert len(findings) == count
    assert not any(found.fix is not None and found.fix.safety == SAFE for found in findings)


_OWNING = """

class Owning:
    def __init__(self, start_layer, end_layer):
        self.start_layer = start_layer
        self.end_layer = end_layer
        self.k_buffer = []

    def holds(self, layer_id):
        return 0 <= layer_id - self.start_layer < len(self.k_buffer)

    def row(self, layer_id):
        return self.k_buffer[layer_id - self.start_layer]


class Looks:
    def look(self, pool: Owning):
{body}
"""
_QUESTIONS = {
    "a test": ("if pool.holds(0):\n    return 1", 0),
    "one of two tests": ("return self.width if pool.holds(0) and self.width else 1", 0),
    "a comparison": ("assert pool.holds(0) == self.leads", 0),
    "a filter": ("return [one for one in self.all if not pool.holds(0)]", 0),
    "a row that is tested": ("if pool.row(0) is None:\n    return 1", 1),
    "a row under a test": ("if self.width:\n    return pool.row(0)", 1),
}


@pytest.mark.parametrize(("body", "count"), _QUESTIONS.values(), ids=_QUESTIONS)
def test_to_ask_who_owns_a_layer_is_no_access(body: str, count: int, tmp_path: Path) -> None:
    text = _OWNING.format(body=textwrap.indent(body, " " * 8))
    assert len(findings_in(tmp_path, "PPL101", text)) == count


_AT_THE_TOP = {
    "bound once": ("FIRST = 0\n", 1),
    "with an annotation": ("FIRST: int = 0\n", 1),
    "counted up": ("FIRST = 0\nFIRST += 1\n", 0),
    "counted by a loop": ("FIRST = 0\nfor FIRST in range(3):\n    pass\n", 0),
    "bound again under a condition": ("FIRST = 0\nif LATE:\n    FIRST = 4\n", 0),
    "bound again among others": ("FIRST = 0\nFIRST, LAST = 4, 8\n", 0),
}


@pytest.mark.parametrize(("top", "count"), _AT_THE_TOP.values(), ids=_AT_THE_TOP)
def test_a_name_of_the_module_is_a_number_when_it_is_bound_once(top: str, count: int, tmp_path: Path) -> None:
    body = f"{top}\n\nclass Wide:\n    def width(self, pool):\n        return pool.get_value_buffer(FIRST)\n"
    assert len(findings_in(tmp_path, "PPL101", body)) == count


_CONSTANTS = {
    "of the own class": ("self.FIRST", "    FIRST = 0\n", 1),
    "of a base": ("self.FIRST", "", 1),
    "of another class": ("Consts.FIRST", "", 1),
    "that is assigned somewhere": (
        "self.FIRST",
        "    def move(self):\n        self.FIRST = self.start\n\n",
        0,
    ),
}
_LOOKS = """\
    pass


class Consts:
    FIRST = 0


class Looks(Consts):
{more}    def look(self, caches):
        return caches.get_value_buffer({written})
"""


@pytest.mark.parametrize(("written", "more", "count"), _CONSTANTS.values(), ids=_CONSTANTS)
def test_a_constant_of_a_class_is_a_number(written, more, count, tmp_path):
    findings = findings_in(tmp_path, "PPL101", _LOOKS.format(written=written, more=more))
    assert len(findings) == count
    assert all(
        found.fix is None and "constant that other code may share" in found.no_fix for found in findings
    )


def test_where_a_loop_begins_to_count_is_not_fixed_alone(tmp_path):
    body = "k = 0\nwhile k < self.config.num_hidden_layers:\n    caches.get_value_buffer(k)\n    k += 1"
    (found,) = findings_in(tmp_path, "PPL101", method(body))
    assert found.fix is None
    assert "begins to count" in found.no_fix


@pytest.mark.parametrize(("pools", "count"), [(9, 1), (1, 0)], ids=["many against one", "one against one"])
def test_a_class_that_means_something_else_does_not_outweigh_many(pools, count, tmp_path):
    one = "class P{0}:\n    def __init__(self, start_layer):\n        self.start_layer = start_layer\n\n"
    one += "    def get_rows(self, layer_id):\n        return self.rows[layer_id - self.start_layer]\n\n\n"
    other = "class Wrapper:\n    def __init__(self, layer_num, start_layer):\n        self.start_layer = start_layer\n"
    other += "        self.rows = [None for _ in range(layer_num)]\n\n    def get_rows(self, layer_id):\n"
    other += "        return self.rows[layer_id]\n"
    files = ("srt/rows.py", "".join(one.format(number) for number in range(pools)) + other)
    assert len(findings_in(tmp_path, "PPL101", method("return caches.get_rows(0)"), files)) == count


_OUTER = """


class Outer:
    def __init__(self, ids, size, start_layer):
        {made}
        {changed}
        self.inner = SamplePool(layer_num=len(ids), **common)
        self.ids = {{layer_id: number for number, layer_id in enumerate(ids)}}

    def get_first(self):
        return self.inner.get_value_buffer(0)
"""


@pytest.mark.parametrize(
    ("made", "changed", "levels"),
    [
        pytest.param("common = dict(end_layer=size)", "pass", {INFO}, id="without a range"),
        pytest.param("common = {'end_layer': size}", "pass", {INFO}, id="a display without a range"),
        pytest.param("common = dict(start_layer=start_layer)", "pass", {ERROR}, id="with a range"),
        pytest.param(
            "common = dict(end_layer=size)", "common['start_layer'] = start_layer", {ERROR}, id="changed"
        ),
        pytest.param("common = dict(**size)", "pass", {ERROR}, id="with what cannot be seen"),
    ],
)
def test_what_is_spread_out_of_a_dictionary_counts(made, changed, levels, tmp_path):
    body = "    pass\n\n\nfrom sglang.srt.mem_cache.sample_pool import SamplePool\n" + _OUTER.format(
        made=made, changed=changed
    )
    assert {found.severity for found in findings_in(tmp_path, "PPL101", body)} == levels


_REFUSES = """\
    pass


class Backend:
    def __init__(self, runner):
        {first}
        self.pool = runner.pool

    def look(self):
        return self.pool.get_value_buffer(0)
"""


@pytest.mark.parametrize(
    ("first", "count"),
    [
        pytest.param("if runner.server_args.pp_size > 1:\n            raise ValueError('one stage')", 0, id="raises"),
        pytest.param("assert runner.pp_size == 1", 0, id="asserts"),
        pytest.param(
            "assert runner.pp_group.is_first_rank and runner.pp_group.is_last_rank", 0, id="asserts both ends"
        ),
        pytest.param("if runner.pp_size > 1:\n            print('slow')", 1, id="only warns"),
        pytest.param("if runner.tp_size > 1:\n            raise ValueError('one')", 1, id="raises for another group"),
        pytest.param(
            "if runner.fast:\n            if runner.pp_size > 1:\n                raise ValueError('one')", 1,
            id="raises in one case only",
        ),
    ],
)  # fmt: skip
def test_a_class_that_refuses_several_stages_has_one(first, count, tmp_path):
    assert len(findings_in(tmp_path, "PPL101", _REFUSES.format(first=first))) == count


_PART_REFUSES = """
class Base:
    def __init__(self, runner):
        {base}

class Inner:
    def __init__(self, runner):
        {inner}

class Planner(Base):
    {constructor}

    def look(self):
        return self.pool.get_value_buffer(0)
"""
_REFUSAL = "assert runner.pp_size == 1"


_TAKES = "def __init__(self, runner, own=None):\n        "
_PARTS = {
    "it builds one that does": ("pass", _REFUSAL, f"{_TAKES}self.inner = Inner(runner)", 0),
    "it may build one that does": ("pass", _REFUSAL, f"{_TAKES}self.inner = own or Inner(runner)", 1),
    "its base does": (_REFUSAL, "pass", f"{_TAKES}super().__init__(runner)", 0),
    "it leaves the constructor to a base that does": (_REFUSAL, "pass", "name = 'planner'", 0),
    "the base's constructor is not called": (_REFUSAL, "pass", f"{_TAKES}self.runner = runner", 1),
}


@pytest.mark.parametrize("case", _PARTS)
def test_a_class_with_a_part_that_refuses_several_stages_has_one(case, tmp_path):
    base, inner, constructor, count = _PARTS[case]
    code = _PART_REFUSES.format(base=base, inner=inner, constructor=constructor)
    assert len(findings_in(tmp_path, "PPL101", code)) == count
