"""Where the fix of a literal layer id writes `start_layer`, and whether that is safe: stage 0 computes what it did."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from layer_cases import findings_in

from pplint.finding import SAFE, UNSAFE

_POOLS = (
    "srt/mem_cache/literal_pools.py",
    """\
from sglang.srt.mem_cache.sample_pool import SamplePool


class LatePool:
    def __init__(self, ids, start):
        self.mapping = {layer: i for i, layer in enumerate(ids)}
        self.width = self.get_row(0)
        self.start_layer = start

    def get_row(self, layer_id):
        return self.rows[self.mapping[layer_id]]

    def first(self):
        return self.get_row(0)


class BarePool(SamplePool):
    def __init__(self, rows):
        self.rows = rows

    def first(self):
        return self.get_value_buffer(0)


class OwnPool(SamplePool):
    def __init__(self, rows):
        SamplePool.__init__(self, rows)
        self.width = self.get_value_buffer(0)
""",
)

CASES = {
    "in the call": ("pool.get_value_buffer(0)", SAFE, "pool.get_value_buffer(<>)"),
    "chosen in the call": (
        "pool.get_value_buffer(0 if i else i)",
        SAFE,
        "pool.get_value_buffer(<> if i else i)",
    ),
    "without a space behind it": (
        "pool.get_value_buffer(0if i else i)",
        SAFE,
        "pool.get_value_buffer(<> if i else i)",
    ),
    "given a name in the call": (
        "pool.get_value_buffer(lid := 0)",
        UNSAFE,
        "pool.get_value_buffer(lid := <>)",
    ),
    "chosen right before": (
        "lid = 0\nreturn pool.get_value_buffer(lid)",
        SAFE,
        "lid = <>\nreturn pool.get_value_buffer(lid)",
    ),
    "chosen in the last line of a branch before": (
        "if i:\n    lid = i\nelse:\n    lid = 0\nreturn pool.get_value_buffer(lid)",
        SAFE,
        "if i:\n    lid = i\nelse:\n    lid = <>\nreturn pool.get_value_buffer(lid)",
    ),
    "chosen before another choice": (
        "lid = 0\nif hasattr(pool, 'mapping'):\n    lid = [*pool.mapping][0]\nreturn pool.get_value_buffer(lid)",
        SAFE,
        "lid = <>\nif hasattr(pool, 'mapping'):\n    lid = [*pool.mapping][0]\nreturn pool.get_value_buffer(lid)",
    ),
    "chosen before a test for nothing": (
        "lid = 0\nif pool is None:\n    return -1\nreturn pool.get_value_buffer(lid)",
        SAFE,
        "lid = 0\nif pool is None:\n    return -1\nreturn pool.get_value_buffer(<>)",
    ),
    "chosen outside of a handler": (
        "lid = 0\ntry:\n    return pool.get_value_buffer(lid)\nexcept AttributeError:\n    return None",
        SAFE,
        "lid = 0\ntry:\n    return pool.get_value_buffer(<>)\nexcept AttributeError:\n    return None",
    ),
    "chosen before something runs": (
        "lid = 0\nprepare(pool)\nreturn pool.get_value_buffer(lid)",
        SAFE,
        "lid = 0\nprepare(pool)\nreturn pool.get_value_buffer(<>)",
    ),
    "used as something else too": (
        "dim = 0\nreturn pool.get_value_buffer(dim).sum(dim)",
        SAFE,
        "dim = 0\nreturn pool.get_value_buffer(<>).sum(dim)",
    ),
    "with two names": (
        "lid = idx = 0\nreturn pool.get_value_buffer(lid), idx",
        SAFE,
        "lid = idx = 0\nreturn pool.get_value_buffer(<>), idx",
    ),
    "chosen before the pool is made": (
        "lid = 0\nother: SamplePool = make()\nreturn other.get_value_buffer(lid)",
        SAFE,
        "lid = 0\nother: SamplePool = make()\nreturn other.get_value_buffer(<>)",
    ),
    "the only one of a list": (
        "return [each.get_value_buffer(k) for k in (0,) for each in pools]",
        SAFE,
        "return [each.get_value_buffer(<>) for k in (0,) for each in pools]",
    ),
    "one of several in a list": ("for k in (0, 1):\n    pool.get_value_buffer(k)", "", "one of several"),
    "one of two that is also used otherwise": (
        "lid = 0 if i else i + 1\nprint(lid)\nreturn pool.get_value_buffer(lid)",
        "",
        "used for something else too",
    ),
    "one of two before the pool is made": (
        "lid = 0 if i else i + 1\nother = make()\nreturn other.get_value_buffer(lid)",
        "",
        "is made later",
    ),
    "one of two before something runs": (
        "lid = 0 if i else i + 1\nprepare(pool)\nreturn pool.get_value_buffer(lid)",
        UNSAFE,
        "lid = <> if i else i + 1\nprepare(pool)\nreturn pool.get_value_buffer(lid)",
    ),
    "moved on in the loop": (
        "lid = 0\nfor k in (4, 2):\n    pool.get_value_buffer(lid)\n    lid = k",
        UNSAFE,
        "lid = <>\nfor k in (4, 2):\n    pool.get_value_buffer(lid)\n    lid = k",
    ),
    "moved on by a walrus": (
        "lid = 0\nprint(lid := i)\nreturn pool.get_value_buffer(lid)",
        UNSAFE,
        "lid = <>\nprint(lid := i)\nreturn pool.get_value_buffer(lid)",
    ),
    "moved on by an inner function": (
        "lid = 0\ndef on():\n    nonlocal lid\n    lid = i\non()\nreturn pool.get_value_buffer(lid)",
        "",
        "used for something else too",
    ),
    "read by an inner function": (
        "def name():\n    return f'layer.{lid}'\nlid = 0\nreturn pool.get_value_buffer(lid), name()",
        SAFE,
        "return pool.get_value_buffer(<>), name()",
    ),
    "before a test of the pool": (
        "lid = 0\nif pool is not None:\n    return pool.get_value_buffer(lid)",
        SAFE,
        "    return pool.get_value_buffer(<>)",
    ),
    "before a match": (
        "lid = 0\nmatch i:\n    case 1:\n        return pool.get_value_buffer(lid)",
        SAFE,
        "        return pool.get_value_buffer(<>)",
    ),
    "before the range is set": (
        "lid = 0\npool.start_layer = 0\nreturn pool.get_value_buffer(lid)",
        SAFE,
        "lid = 0\npool.start_layer = 0\nreturn pool.get_value_buffer(<>)",
    ),
    "counted on": (
        "lid = 0\nwhile i:\n    pool.get_value_buffer(lid)\n    lid += 1",
        "",
        "run it over the layers of the stage",
    ),
}  # fmt: skip
_HEAD = """\
from sglang.srt.mem_cache.sample_pool import SamplePool


def look(pool: SamplePool, pools: list[SamplePool], i):
"""


@pytest.mark.parametrize("case", CASES)
def test_the_fix_of_a_literal(case: str, tmp_path: Path) -> None:
    body, safety, expected = CASES[case]
    text = _HEAD + textwrap.indent(body, "    ") + "\n"
    (found,) = findings_in(tmp_path, "PPL101", "\n\n" + text)
    if not safety:
        assert found.fix is None
        assert expected in found.no_fix
        return
    assert found.fix is not None
    assert found.fix.safety == safety
    (edit,) = found.fix.edits
    lines = (tmp_path / "sglang/srt/case.py").read_text().split("\n")
    line = lines[edit.span.line - 1]
    lines[edit.span.line - 1] = line[: edit.span.column - 1] + edit.text + line[edit.span.end_column - 1 :]
    receiver = "other" if "other" in expected else "each" if "each" in expected else "pool"
    wanted = textwrap.indent(expected.replace("<>", f"{receiver}.start_layer"), "    ")
    assert wanted in "\n".join(lines)


@pytest.mark.parametrize(
    ("pool", "method", "fixed"),
    [
        ("LatePool", "__init__", False),
        ("LatePool", "first", True),
        ("BarePool", "first", False),
        ("OwnPool", "__init__", True),
    ],
    ids=[
        "before the constructor sets the range",
        "after the constructor set the range",
        "the constructor leaves out that of the base",
        "after the constructor of the base",
    ],
)
def test_a_pool_that_asks_itself(pool: str, method: str, fixed: bool, tmp_path: Path) -> None:
    path, text = _POOLS
    findings = findings_in(tmp_path, "PPL101", "\n\n" + text)
    assert path
    (found,) = [one for one in findings if one.symbol == f"{pool}.{method}"]
    assert (found.fix is not None) is fixed


def test_a_pool_of_unknown_class_is_asked_unsafely_where_a_class_has_no_range(tmp_path: Path) -> None:
    text = "\n\ndef look(pool):\n    return pool.get_value_buffer(0)\n"
    (alone,) = findings_in(tmp_path, "PPL101", text)
    (beside,) = findings_in(tmp_path, "PPL101", text, _POOLS)
    assert alone.fix is not None
    assert alone.fix.safety == SAFE
    assert beside.fix is not None
    assert beside.fix.safety == SAFE  # no class without a range defines the accessor
    rangeless = (
        _POOLS[1]
        + "\n    def get_value_buffer(self, layer_id):\n        return self.v_buffer[layer_id - self.start_layer]\n"
    )
    rangeless = rangeless.replace("class OwnPool", "class RangelessPool").replace(
        "        SamplePool.__init__(self, rows)\n", ""
    )
    (without,) = findings_in(tmp_path, "PPL101", text, (_POOLS[0], rangeless))
    assert without.fix is not None
    assert without.fix.safety == UNSAFE
