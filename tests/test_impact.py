"""What each stage sees, by hand-made layouts."""

from __future__ import annotations

import re

import pytest

from pplint.finding import (
    ACCESSES,
    DIRECT,
    KEYED,
    MODEL_END,
    MODULE,
    NAMED,
    PADDED,
    ROOM,
    SHIFTED,
    STAGE_END,
    STAGE_START,
    TEST,
    WHOLE,
    ZERO,
    Asks,
    Bound,
)
from pplint.impact import LayoutError, impact_of, layout_outcome, stages_of, usual_layouts
from pplint.impact_summary import kind_of

ONE, FIRST, PAST, ALL = ZERO.plus(1), STAGE_START, STAGE_END, MODEL_END
LITERAL_0 = Asks(SHIFTED, ZERO, ONE, meant=FIRST)


def ranges(*layout):
    return [(stage.start, stage.end) for stage in stages_of(*layout)]


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ((None, None, ()), []),
        ((2, 8, ()), [(0, 4), (4, 8)]),
        ((3, 8, ()), [(0, 2), (2, 5), (5, 8)]),
        ((8, 4, ()), [(0, 0), (0, 0), (0, 0), (0, 0), (0, 1), (1, 2), (2, 3), (3, 4)]),
        ((None, None, (3, 1)), [(0, 3), (3, 4)]),
    ],
    ids=["no layout", "an even split", "the rest goes to the last stages", "empty stages", "a partition"],
)
def test_a_layout_gives_stages(layout, expected):
    assert ranges(*layout) == expected


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ((2, None, ()), "needs --num-layers"),
        ((3, None, (4, 4)), "names 2 stages"),
        ((2, 9, (4, 4)), "has 8 layers"),
    ],
    ids=["no layers", "another number of stages", "another number of layers"],
)
def test_a_layout_that_cannot_be_is_refused(layout, message):
    with pytest.raises(LayoutError, match=message):
        stages_of(*layout)


def told(asks, *layout):
    """One word per stage: the outcome, with what is asked for and what comes instead."""
    words = []
    for stage in layout_outcome(asks, stages_of(*layout)).stages:
        word = {"right": "ok", "other-layer": "other"}.get(stage.outcome, stage.outcome[:1])
        numbers = [str(one) for one in (stage.asked, stage.got) if one is not None]
        words.append(word + ">".join(numbers) if word != "ok" or stage.got is not None else word)
    return " ".join(words)


@pytest.mark.parametrize(
    ("asks", "layout", "expected"),
    [
        pytest.param(LITERAL_0, (2, 8, ()), "ok ok0>4", id="0 of an even split is the first layer by luck"),
        pytest.param(LITERAL_0, (3, 8, ()), "ok other0>3 I0", id="0 of an uneven split is another layer"),
        pytest.param(LITERAL_0, (2, 1, ()), "I0 ok", id="a stage without layers has nothing to give"),
        pytest.param(Asks(SHIFTED, Bound("", -1), ZERO, PAST.plus(-1)), (2, 8, ()), "ok7>3 I7", id="-1"),
        pytest.param(Asks(SHIFTED, Bound("", 3), Bound("", 4)), (2, 6, ()), "I3 ok", id="some layer"),
        pytest.param(Asks(SHIFTED, ZERO, ALL), (2, 8, ()), "I4 other0>4", id="every id of the model"),
        pytest.param(Asks(SHIFTED, FIRST, PAST, counted=True), (2, 8, ()), "ok ok0>4", id="counted from 0"),
        pytest.param(Asks(SHIFTED, FIRST, PAST, counted=True), (3, 8, ()), "ok other2>3 I0", id="uneven"),
        pytest.param(Asks(DIRECT, FIRST, PAST), (3, 8, ()), "ok I3 I5", id="not shifted"),
        pytest.param(Asks(DIRECT, FIRST, FIRST.plus(1)), (3, 8, ()), "ok other2>4 I5", id="not shifted, one"),
        pytest.param(Asks(KEYED, ZERO, ONE), (2, 8, ()), "ok K0", id="a dictionary of the stage's ids"),
        pytest.param(Asks(NAMED, ZERO, ALL, error="KeyError"), (2, 2, ()), "K1 K0", id="all weights"),
        pytest.param(Asks(PADDED, ZERO, ONE), (2, 8, ()), "ok A0", id="the first slot of a padded list"),
        pytest.param(Asks(PADDED, Bound("", -1), ZERO), (2, 8, ()), "A7 ok", id="the last slot"),
        pytest.param(Asks(PADDED, ZERO, ALL), (2, 8, ()), "A4 A0", id="each slot"),
        pytest.param(Asks(PADDED, FIRST, ALL), (2, 8, ()), "A4 ok", id="each slot from the stage on"),
        pytest.param(Asks(PADDED, PAST, PAST.plus(1)), (2, 8, ()), "A4 I8", id="one past the stage"),
        pytest.param(Asks(WHOLE, FIRST, PAST, counted=True), (2, 8, ()), "ok other4>0", id="a configuration"),
        pytest.param(Asks(WHOLE, ZERO, ONE, meant=FIRST), (2, 8, ()), "ok other4>0", id="0 as the start"),
        pytest.param(Asks(ROOM, FIRST, PAST), (3, 8, ()), "ok I3 I5", id="a pool that counts from 0"),
        pytest.param(Asks(TEST, FIRST, PAST.plus(1)), (2, 8, ()), "other4 ok", id="a test takes the end in"),
        pytest.param(
            Asks(MODULE, real_on=("first",)), (3, 8, ()), "ok A A", id="a module of the first stage"
        ),
        pytest.param(Asks(MODULE, real_on=("first",), asked_on="last"), (3, 8, ()), "ok ok A", id="a head"),
        pytest.param(Asks(MODULE, real_on=("first", "last")), (3, 8, ()), "ok A ok", id="of both ends"),
        pytest.param(Asks(PADDED, ZERO, ALL), (None, None, (2, 0)), "ok A0", id="one stage owns all"),
        pytest.param(
            Asks(PADDED, ZERO, ONE, open=True), (3, 8, ()), "u A0 A0", id="the first slot and others"
        ),
        pytest.param(Asks(PADDED, ZERO, ONE, open=True), (1, 8, ()), "ok", id="others that are here, too"),
    ],
)
def test_each_stage_gets_what_python_gives_it(asks, layout, expected):
    assert told(asks, *layout) == expected


@pytest.mark.parametrize(
    ("asks", "summary"),
    [
        pytest.param(
            LITERAL_0,
            "PP=2 with an even split: looks right by accident; with an uneven one: silently another layer "
            "on the last stage; PP=3 and more: IndexError from stage 2 on",
            id="a literal 0",
        ),
        pytest.param(
            Asks(SHIFTED, Bound("", -1), ZERO, PAST.plus(-1)),
            "PP=2 with an even split: IndexError on the last stage; with an uneven one: silently another layer "
            "on the last stage; PP=3 and more: IndexError from stage 2 on",
            id="a literal -1, of which some splits get an IndexError earlier",
        ),
        pytest.param(Asks(PADDED, ZERO, ONE), "AttributeError on every stage but the first", id="a slot"),
        pytest.param(
            Asks(PADDED, ZERO, ONE, open=True),
            "AttributeError on every stage but the first, not known on the first stage",
            id="a slot and others",
        ),
        pytest.param(Asks(PADDED, ZERO, ALL), "AttributeError on every stage", id="a loop"),
        pytest.param(
            Asks(SHIFTED, ZERO, ALL),
            "PP=2: IndexError on the first stage, silently another layer on the last stage; "
            "PP=3 and more: IndexError on every stage",
            id="every id",
        ),
        pytest.param(
            Asks(TEST, FIRST, PAST.plus(1)),
            "silently another layer on every stage but the last",
            id="a test",
        ),
        pytest.param(
            Asks(MODULE, real_on=("first",), asked_on="last"), "AttributeError on the last stage", id="a head"
        ),
        pytest.param(
            Asks(MODULE, real_on=("first", "last")),
            "PP=2: right on every stage; PP=3 and more: AttributeError on the stages in between",
            id="a module of both ends",
        ),
    ],
)
def test_one_line_is_true_for_all_usual_layouts(asks, summary):
    assert impact_of(asks, usual_layouts()).summary == summary


WORDS = {"silently another layer": "other-layer", "right by accident": "accident"}
STAGES = {
    r"on every stage": lambda rank, pp: True,
    r"on the first stage": lambda rank, pp: rank == 0,
    r"on the last stage": lambda rank, pp: rank == pp - 1,
    r"on every stage but the first": lambda rank, pp: rank > 0,
    r"on every stage but the last": lambda rank, pp: rank < pp - 1,
    r"on the stages in between": lambda rank, pp: 0 < rank < pp - 1,
    r"on stage 1": lambda rank, pp: rank == 1,
    r"from stage 2 on": lambda rank, pp: rank >= 2,
}


def claims(summary):
    """The claims of a summary: (least pp_size, greatest, even split or None, kind, where)."""
    low, high = 2, 99
    for sentence in summary.split("; "):
        head, colon, rest = sentence.rpartition(": ")
        if size := re.match(r"PP=(\d+)( and more)?", head):
            low, high = int(size[1]), 99 if size[2] else int(size[1])
        even = True if "an even" in head else False if "an uneven" in head else None
        for part in (rest if colon else sentence).split(", "):
            kind, where = re.fullmatch(r"(.*?)(?: ((?:on|from) .*))?", part).groups()
            yield low, high, even, kind.removeprefix("looks "), where


@pytest.mark.parametrize(
    "asks",
    [
        pytest.param(asks, id=str(number))
        for number, asks in enumerate(
            Asks(access, low, high, meant, counted, error="KeyError")
            for access in ACCESSES
            if access != MODULE
            for low, high, meant, counted in [
                (ZERO, ONE, FIRST, False),
                (Bound("", -1), ZERO, PAST.plus(-1), False),
                (ONE, Bound("", 2), None, False),
                (ZERO, ALL, None, False),
                (FIRST, ALL, None, False),
                (FIRST, PAST, None, True),
                (FIRST, PAST.plus(1), None, False),
                (ZERO, PAST, None, False),
            ]
        )
    ],
)
def test_the_line_is_true_for_larger_pipelines_and_other_models_too(asks):
    """Whatever is asked for: 2 to 8 stages with at least 4 layers each."""
    told = list(claims(impact_of(asks, usual_layouts()).summary))
    assert told
    for pp_size in range(2, 9):
        for num_layers in range(4 * pp_size, 65):
            stages = layout_outcome(asks, stages_of(pp_size, num_layers, ())).stages
            kinds = [kind_of(stage) for stage in stages]
            for low, high, even, kind, where in told:
                if not low <= pp_size <= high or even not in (None, num_layers % pp_size == 0):
                    continue
                if where is None:
                    allowed = {"right", "accident"} if kind == "right by accident" else {"right"}
                    assert set(kinds) <= allowed
                    continue
                wanted = WORDS.get(kind, kind)
                hit = [rank for rank in range(pp_size) if STAGES[where](rank, pp_size)]
                assert all(kinds[rank] == wanted for rank in hit), (pp_size, num_layers, kinds)


@pytest.mark.parametrize(
    ("layout", "summary"),
    [
        ((2, 8, ()), "2 stages of 8 layers: looks right by accident"),
        ((3, 8, ()), "3 stages of 8 layers: IndexError on the last stage, silently another layer on stage 1"),
        ((1, 8, ()), "1 stage of 8 layers: right on every stage"),
        (
            (None, None, (4, 4, 0, 1)),
            "4 stages of 9 layers: IndexError from stage 2 on, right by accident on stage 1",
        ),
    ],
    ids=["an even split", "an uneven one", "one stage", "a partition with an empty stage"],
)
def test_a_layout_that_is_asked_for_has_its_own_line(layout, summary):
    assert impact_of(LITERAL_0, (stages_of(*layout),)).summary == summary


def test_a_number_of_layers_alone_stands_for_the_usual_sizes():
    assert [len(layout) for layout in usual_layouts(61)] == [2, 3, 4]
    assert impact_of(LITERAL_0, usual_layouts(8)).summary == (
        "PP=2: looks right by accident; PP=3 and more: IndexError from stage 2 on"
    )


def test_what_does_not_follow_from_the_stages_is_not_guessed():
    assert impact_of(None, usual_layouts()) is None
