"""What a place is known to ask a stage for, and where that is left open rather than guessed."""

from __future__ import annotations

from pathlib import Path

import pytest
from layer_cases import findings_in, method

from pplint.finding import (
    MODEL_END,
    MODULE,
    PADDED,
    SHIFTED,
    STAGE_END,
    STAGE_START,
    ZERO,
    Asks,
    Bound,
    asks_of,
)

ALL = Asks(PADDED, ZERO, MODEL_END)


def asks_in(tmp_path: Path, code: str, body: str) -> Asks | None:
    findings = findings_in(tmp_path, code, method(body))
    assert len(findings) == 1
    return findings[0].asks


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("return [one.mlp for one in self.model.layers]", ALL, id="each layer"),
        pytest.param("for one in self.model.layers:\n    one.mlp.reset()", ALL, id="each layer of a loop"),
        pytest.param(
            "return [one.mlp for one in self.model.layers[self.model.start_layer:]]",
            Asks(PADDED, STAGE_START, MODEL_END),
            id="each from the stage on",
        ),
        pytest.param(
            "for one in self.model.layers:\n    if caches:\n        one.mlp.reset()",
            ALL,
            id="a condition that is the same for each",
        ),
        pytest.param(
            "for k, one in enumerate(self.model.layers):\n    if k % 2:\n        one.mlp.reset()",
            None,
            id="a condition that need not hold for each",
        ),
        pytest.param(
            "for one in self.model.layers:\n    if caches.wants(one):\n        one.mlp.reset()",
            None,
            id="a question that may be answered differently",
        ),
        pytest.param(
            "for one in self.model.layers:\n    if one.mlp:\n        break", None, id="a loop that ends early"
        ),
        pytest.param(
            "for one in self.model.layers:\n    if one.mlp:\n        return one",
            None,
            id="a return in the loop",
        ),
        pytest.param("return any(one.mlp for one in self.model.layers)", None, id="any stops early"),
        pytest.param("return sum(one.mlp for one in self.model.layers)", ALL, id="sum does not"),
        pytest.param(
            "return [self.model.layers[k].mlp for k in self.config.moe_layer_ids]",
            None,
            id="a list of the configuration",
        ),
    ],
)
def test_a_loop_asks_for_all_if_nothing_stops_it(body: str, expected: Asks | None, tmp_path: Path):
    assert asks_in(tmp_path, "PPL301", body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("self.model.layers[0].mlp", Asks(PADDED, ZERO, ZERO.plus(1)), id="the first"),
        pytest.param("self.model.layers[-1].mlp", Asks(PADDED, Bound("", -1), ZERO), id="the last"),
        pytest.param(
            "self.model.layers[len(self.model.layers) - 1].mlp",
            Asks(PADDED, Bound("", -1), ZERO),
            id="by number",
        ),
        pytest.param(
            "next(iter(self.model.layers)).mlp", Asks(PADDED, ZERO, ZERO.plus(1)), id="by iteration"
        ),
        pytest.param("[one.mlp for one in self.model.layers[:2]]", None, id="a slice between numbers"),
    ],
)
def test_a_literal_slot(body: str, expected: Asks | None, tmp_path: Path):
    assert asks_in(tmp_path, "PPL201", f"return {body}") == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("return caches.get_value_buffer(0)", (ZERO, STAGE_START), id="0 means the first"),
        pytest.param(
            "return caches.get_value_buffer(-1)", (Bound("", -1), STAGE_END.plus(-1)), id="-1 means the last"
        ),
        pytest.param("return caches.get_value_buffer(5)", (Bound("", 5), None), id="5 means 5"),
    ],
)
def test_a_literal_given_to_a_pool(body: str, expected: tuple[Bound, Bound | None], tmp_path: Path):
    asks = asks_in(tmp_path, "PPL101", body)
    assert asks is not None
    assert (asks.access, asks.low, asks.meant) == (SHIFTED, *expected)


@pytest.mark.parametrize(
    ("body", "asked_on"),
    [
        pytest.param("return self.model.embed_tokens.weight", "", id="on every stage"),
        pytest.param(
            "if pp_group.is_last_rank:\n    return self.model.embed_tokens.weight", "last", id="on the last"
        ),
    ],
)
def test_a_module_is_asked_where_the_tests_allow(body: str, asked_on: str, tmp_path: Path):
    assert asks_in(tmp_path, "PPL501", body) == Asks(MODULE, real_on=("first",), asked_on=asked_on)


def test_stages_that_a_test_keeps_away_do_not_ask(tmp_path: Path):
    body = method("if not pp_group.is_last_rank:\n    return self.model.embed_tokens.weight")
    (finding,) = findings_in(tmp_path, "PPL501", body)
    assert finding.asks == Asks(MODULE, real_on=("first", "last"))
    assert "AttributeError on the stages in between, which come here too" in finding.message
    assert "wait" not in finding.message


def test_stages_that_wait_for_something_before_may_never_ask(tmp_path: Path):
    waits = "got = pp_group.recv(src=0)\n    self.model.embed_tokens.weight.copy_(got)"
    body = method(f"if not pp_group.is_last_rank:\n    {waits}")
    (finding,) = findings_in(tmp_path, "PPL501", body)
    assert "which come here too if what they wait for is sent to them" in finding.message


def test_a_callee_that_reads_the_first_may_read_others(tmp_path: Path):
    runner = (
        "srt/runner.py",
        "def reads_first(layers):\n    mode = layers[0].mode\n    return [*layers, mode]\n",
    )
    (finding,) = findings_in(tmp_path, "PPL203", method("return reads_first(self.model.layers)"), runner)
    assert finding.asks == Asks(PADDED, ZERO, ZERO.plus(1), open=True)


@pytest.mark.parametrize(
    "asks", [None, ALL, ALL._replace(open=True), Asks(SHIFTED, ZERO, ZERO.plus(1), STAGE_START, of="Pool")]
)
def test_it_comes_back_from_plain_data(asks: Asks | None):
    assert asks_of(asks) == asks


@pytest.mark.parametrize(
    "row",
    [
        ("no access", *ALL[1:]),
        (PADDED, None, *ALL[2:]),
        (PADDED, ("middle", 0), *ALL[2:]),
        (*ALL[:6], ("third",), "", "", False),
        (PADDED,),
    ],
    ids=["an unknown access", "no bound", "an unknown bound", "an unknown stage", "too short"],
)
def test_other_data_is_refused(row: tuple[object, ...]):
    with pytest.raises((TypeError, ValueError)):
        asks_of(row)
