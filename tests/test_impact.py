"""What each stage sees, by hand-made layouts."""

from __future__ import annotations

import pytest

from pplint.finding import ERROR, Finding, Span
from pplint.impact import LayoutError, impact_on, stages_of

LITERAL = Finding(
    "PPL101",
    "literal-layer-id",
    ERROR,
    "/x.py",
    Span(1, 1, 1, 2),
    "",
    "layer id 0 is given to `get`, which takes ...",
)


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


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ((2, 8, ()), ["right", "silently reads layer 4 instead of 0"]),
        ((3, 8, ()), ["right", "silently reads layer 3 instead of 0", "IndexError"]),
        ((2, 1, ()), ["IndexError: the stage owns no layer", "right"]),
    ],
    ids=[
        "an even split reads the first layer by luck",
        "an uneven one reads another layer",
        "an empty first stage",
    ],
)
def test_a_literal_0_is_seen_by_each_stage(layout, expected):
    assert [line.split(": ", 1)[1] for line in impact_on(LITERAL, stages_of(*layout))] == expected


def test_rules_whose_effect_does_not_follow_from_the_range_say_nothing():
    assert impact_on(LITERAL._replace(code="PPL702"), stages_of(2, 8, ())) == ()
