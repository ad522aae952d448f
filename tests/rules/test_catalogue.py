"""The light list of names is the list of the rules, and names are found in every spelling."""

from __future__ import annotations

import pytest

from pplint.rules.catalogue import CATALOGUE, UnknownRule, expand, find_name
from pplint.rules.registry import RULES


def test_the_catalogue_names_the_rules_as_they_name_themselves():
    assert [tuple(name) for name in CATALOGUE] == [(rule.code, rule.name, rule.severity) for rule in RULES]


def test_pylint_ids_are_those_of_the_rules():
    assert [name.message_id for name in CATALOGUE] == [rule.message_id for rule in RULES]
    assert find_name("PPL101").message_id == "E7101"


@pytest.mark.parametrize(
    ("selectors", "codes"),
    [
        (["PPL101"], {"PPL101"}),
        (["literal-layer-index"], {"PPL201"}),
        (["PPL40"], {"PPL401", "PPL402", "PPL403", "PPL404"}),
        (["ALL"], {name.code for name in CATALOGUE}),
    ],
    ids=["a code", "a name", "a prefix", "all"],
)
def test_selectors_mean_codes(selectors, codes):
    assert expand(selectors) == codes


def test_a_mistyped_selector_is_answered_with_the_nearest_name():
    with pytest.raises(UnknownRule, match="did you mean literal-layer-id"):
        expand(["litteral-layer-id"])
