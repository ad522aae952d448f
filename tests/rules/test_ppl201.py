"""PPL201: literal slots in their many spellings."""

from __future__ import annotations

import textwrap

import pytest
from layer_cases import RANGED, findings_in, method

BAD = {
    "the first": "return self.model.layers[0].mlp",
    "the last": "return self.model.layers[-1].mlp",
    "the last by the length": "return self.model.layers[len(self.model.layers) - 1].mlp",
    "the last by the config": "return self.model.layers[self.config.num_hidden_layers - 1].mlp",
    "kept in a local": "layer = self.model.layers[0]\nreturn layer.mlp",
    "an index in a local": "first = 0\nreturn self.model.layers[first].mlp",
    "suppressed in vain": "with contextlib.suppress(KeyError):\n    return self.model.layers[0].mlp",
    "a number that is replaced for another reason": "k = 0\nif i:\n    k = self.model.start_layer\n"
    "return self.model.layers[k].mlp",
    "the first of an iterator": "return next(iter(self.model.layers)).mlp",
    "a slice with a literal bound": "return [layer.mlp for layer in self.model.layers[:3]]",
    "all but the first": "return [layer.mlp for layer in self.model.layers[1:]]",
    "a range of literals": "return [self.model.layers[k].mlp for k in range(4)]",
    "getattr without a default": "return getattr(self.model.layers[0], 'mlp')",
    "a method of a part of the layer": "return self.model.layers[0].mlp(i)",
    "a method of the layer": "self.model.layers[-1].prepare(i)",
    "where the test of the first stage failed": "match pp_group.is_first_rank:\n    case True:\n        return None\n"
    "    case _:\n        return self.model.layers[0].mlp",
    "of a property that hands out the list": "return self.blocks[0].mlp",
    "the first between other bounds": "if self.low <= 0 < self.high:\n    return self.model.layers[0].mlp",
    "the last where the rank is another group's": "rank, size = self.tp_group.rank_in_group, self.tp_group.world_size\n"
    "if rank + 1 != size:\n    return None\nreturn self.model.layers[-1].mlp",
    "the last where an end is a number of another kind": "n = self.config.num_experts\n"
    "if self.model.end_layer == n:\n    return self.model.layers[-1].mlp",
    "the first where another one is in the range": "if 1 in self.own_ids:\n    return self.model.layers[0].mlp",
    "a method that is asked about another layer": "if self.has_layer(3):\n    return self.model.layers[0].mlp",
    "a method that answers no": "if not self.has_layer(0):\n    return self.model.layers[0].mlp",
    "the last on the first stage": "if pp_group.is_first_rank:\n    return self.model.layers[-1].mlp",
}

GOOD = {
    "a call": "return self.model.layers[0](i)",
    "a method that every module has": "self.model.layers[0].eval()",
    "an error that is suppressed": "with contextlib.suppress(AttributeError):\n    return self.model.layers[0].mlp",
    "a draft worker": "if i.is_draft_worker:\n    return self.model.layers[0].mlp",
    "a number that is replaced on later stages": "k = 0\nif pp_group.rank_in_group > 0:\n    k = self.model.start_layer\n"
    "return self.model.layers[k].mlp",
    "a bound that is named in its test": "if (start := self.model.start_layer) == 0:\n    return self.model.layers[0].mlp",
    "an attribute that is set": "self.model.layers[0].captured = True",
    "what every module has": "return self.model.layers[0].training",
    "the stage's own slice": "return self.model.layers[self.model.start_layer : self.model.end_layer][0].mlp",
    "getattr with a default": "return getattr(self.model.layers[0], 'mlp', None)",
    "the first on the first stage": "if self.model.start_layer == 0:\n    return self.model.layers[0].mlp",
    "the last on the last stage": "if pp_group.is_last_rank:\n    return self.model.layers[-1].mlp",
    "the last where the stage ends with the list": "if self.model.end_layer == len(self.model.layers):\n"
    "    return self.model.layers[-1].mlp",
    "the last where the list ends with the stage": "if len(self.model.layers) == self.model.end_layer:\n"
    "    return self.model.layers[-1].mlp",
    "the first where the stage's range has it": "if 0 in range(self.model.start_layer, self.model.end_layer):\n"
    "    return self.model.layers[0].mlp",
    "a case of the first stage": "match pp_group.is_first_rank:\n    case True:\n        return self.model.layers[0].mlp",
    "a case of the one stage": "match (pp_group.world_size, i):\n    case (1, _):\n        return self.model.layers[0].mlp",
    "a case after the one that other stages take": "match pp_group.is_first_rank:\n    case False:\n        return None\n"
    "    case _:\n        return self.model.layers[0].mlp",
    "the last where the end is a number with a name": "n = self.config.num_hidden_layers\n"
    "if self.model.end_layer == n:\n    return self.model.layers[-1].mlp",
    "the last where others leave by a number with a name": "n = len(self.model.layers)\n"
    "if self.model.end_layer < n:\n    return None\nreturn self.model.layers[-1].mlp",
    "the last on the last rank, counted up": "if pp_group.rank_in_group + 1 < pp_group.world_size:\n    return None\n"
    "return self.model.layers[-1].mlp",
    "the last on the last rank, by names": "rank, size = pp_group.rank_in_group, pp_group.world_size\n"
    "if rank + 1 != size:\n    return None\nreturn self.model.layers[-1].mlp",
    "the last on the last rank, from the other side": "if pp_group.world_size == pp_group.rank_in_group + 1:\n"
    "    return self.model.layers[-1].mlp",
    "the first between the bounds": "if self.model.start_layer <= 0 < self.model.end_layer:\n"
    "    return self.model.layers[0].mlp",
    "the first in a range that is kept": "if 0 in self.own_ids:\n    return self.model.layers[0].mlp",
    "the first in a range of the model": "if 0 not in self.model.kept_ids:\n    return None\n"
    "return self.model.layers[0].mlp",
    "a method that compares with the bounds": "if self.has_layer(0):\n    return self.model.layers[0].mlp",
    "a method that says no": "if not self.skip_layer(0):\n    return self.model.layers[0].mlp",
    "a lambda that compares with the bounds": "mine = lambda k: self.model.start_layer <= k < self.model.end_layer\n"
    "return self.model.layers[0].mlp if mine(0) else None",
    "a property that asks": "if self.leads:\n    return self.model.layers[0].mlp",
    "a function that asks": "if leads(pp_group):\n    return self.model.layers[0].mlp",
    "a function that asks what it is given by a call": "if leads_here():\n    return self.model.layers[0].mlp",
    "the first of the stage": "return self.model.layers[self.model.start_layer].mlp",
    "a test of the element": "layer = self.model.layers[0]\nif hasattr(layer, 'mlp'):\n    return layer.mlp",
    "an error that is caught": "try:\n    return self.model.layers[0].mlp\nexcept AttributeError:\n"
    "    return None",
}


_ASKED = """
    @property
    def leads(self):
        return self.pp_group.is_first_rank

    @property
    def blocks(self):
        return self.model.layers

    @property
    def own_ids(self):
        return range(self.model.start_layer, self.model.end_layer)

    def has_layer(self, layer_id):
        return self.model.start_layer <= layer_id < self.model.end_layer

    def skip_layer(self, k):
        return k < self.model.start_layer or k >= self.model.end_layer


def leads(group):
    return group.rank_in_group == 0


def leads_here():
    return get_parallel().pp_group.is_first_rank
"""


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_a_literal_slot_is_reported(body, tmp_path):
    assert len(findings_in(tmp_path, "PPL201", method(body) + _ASKED, RANGED)) == 1


_CLASS = """
class Outer(SampleModel):
    def width(self):
        return self.layers[0].mlp.width
"""
_BLOCKS = {
    "where an import failed": "try:\n    import fast\nexcept ImportError:\n",
    "where all imports are done": "try:\n    import fast\nfinally:\n",
    "under a context": "with torch.device('meta'):\n",
    "under a condition": "if LATE:\n    pass\nelse:\n",
}


@pytest.mark.parametrize("block", _BLOCKS.values(), ids=_BLOCKS)
def test_a_class_is_known_wherever_the_module_defines_it(block, tmp_path):
    body = (
        "from sglang.srt.models.sample_model import SampleModel\n" + block + textwrap.indent(_CLASS, "    ")
    )
    assert len(findings_in(tmp_path, "PPL201", body)) == 1


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD)
def test_what_looks_alike_is_not_reported(body, tmp_path):
    assert not findings_in(tmp_path, "PPL201", method(body) + _ASKED, RANGED)
