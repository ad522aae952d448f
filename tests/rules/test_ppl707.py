"""PPL707: which uses of a forward's result take proxies for hidden states."""

from __future__ import annotations

import pytest
from layer_cases import findings_in

from pplint.finding import ERROR, WARNING

_INNER = (
    "srt/models/sample_inner.py",
    """\
from sglang.srt.layers.sample_send import to_pp


class SampleModel:
    def forward(self, input_ids, positions, pp_proxy_tensors=None):
        hidden_states = self.run(input_ids, positions, pp_proxy_tensors)
        if not self.pp_group.is_last_rank:
            return {sends}
        return self.norm(hidden_states), hidden_states


def routine(input_ids, language_model, pp_proxy_tensors):
    result = language_model(input_ids, pp_proxy_tensors=pp_proxy_tensors)
    return result
""",
)
_SEND = (
    "srt/layers/sample_send.py",
    """\
from sglang.srt.model_executor.forward_batch_info import PPProxyTensors


def to_pp(hidden_states):
    return PPProxyTensors({"hidden_states": hidden_states})
""",
)
_PROXY = (
    "srt/model_executor/forward_batch_info.py",
    """\
class PPProxyTensors:
    def __init__(self, tensors):
        self.tensors = tensors

    def __len__(self):
        return len(self.tensors)
""",
)
_TOP = """
from sglang.srt.models.sample_inner import SampleModel, routine


class Stage:
    def __init__(self, pp_group):
        self.pp_group = pp_group
        self.last = pp_group.is_last_rank
        self.busy = pp_group.is_busy

    @property
    def ends(self):
        return self.pp_group.is_last_rank


class Base:
    def __init__(self, config):
        self.logits_processor = LogitsProcessor(config)


class SampleForCausalLM(Base):
    def __init__(self, config, pp_group):
        super().__init__(config)
        self.pp_group = pp_group
        self.model = SampleModel(config, pp_group)
        self.takes_aux = False
        self.use_aux = config.use_aux
        self.stage = Stage(pp_group)
        if pp_group.is_last_rank:
            self.lm_head = Head(config)
        else:
            self.lm_head = PPMissingLayer()
        if pp_group.is_last_rank:
            self.score = Score(config)
        else:
            self.score = Identity()

    def forward(self, input_ids, positions, {proxies}):
        {body}

    def ends(self):
        return self.pp_group.is_last_rank

    def after(self, result):
        return result
"""
_PROXIES = "pp_proxy_tensors=None"
_DIRECT = 'PPProxyTensors({"hidden_states": hidden_states})'


def tree(body: str, proxies: str = _PROXIES) -> str:
    return _TOP.format(body=body.replace("\n", "\n        "), proxies=proxies)


CALL = "result = self.model(input_ids, positions, pp_proxy_tensors=pp_proxy_tensors)\n"

CASES = {
    "unpacked where it is called": (
        tree("one, two = self.model(input_ids, positions, pp_proxy_tensors=pp_proxy_tensors)\nreturn one"),
        [ERROR],
    ),
    "unpacked later": (tree(f"{CALL}one, two = result\nreturn one"), [ERROR]),
    "the result of forward itself": (
        tree("one, two = self.model.forward(input_ids, positions, pp_proxy_tensors)\nreturn one"),
        [ERROR],
    ),
    "indexed by a number": (tree(f"{CALL}return result[0]"), [ERROR]),
    "asked for a tensor by its name": (tree(f'{CALL}return result["hidden_states"]'), []),
    "given to the logits processor of a base": (
        tree(f"{CALL}return self.logits_processor(input_ids, result)"),
        [ERROR],
    ),
    "given to a method": (tree(f"{CALL}return self.after(result)"), []),
    "multiplied": (tree(f"{CALL}result = result * 2.0\nreturn result"), [ERROR]),
    "divided in an argument": (tree(f"{CALL}return self.logits_processor(input_ids, result / 2.0)"), [ERROR]),
    "added to something": (tree(f"{CALL}return positions + result"), [ERROR]),
    "a method of a tensor is called": (tree(f"{CALL}return result.to(self.dtype)"), [ERROR]),
    "an attribute of a tensor is read": (tree(f"{CALL}rows = result.shape[0]\nreturn result, rows"), [ERROR]),
    "an attribute of the proxies is read": (tree(f"{CALL}return result.tensors"), []),
    "a method of the proxies is called": (tree(f"{CALL}return result.__len__()"), []),
    "an attribute is read if it is there": (
        tree(f"{CALL}if hasattr(result, 'shape'):\n    return result.shape\nreturn result"),
        [],
    ),
    "an attribute that is missing is caught": (
        tree(f"{CALL}try:\n    return result.shape\nexcept AttributeError:\n    return result"),
        [],
    ),
    "an attribute is set": (tree(f"{CALL}result.scale = 2.0\nreturn result"), []),
    "multiplied on the last stage": (
        tree(f"{CALL}if not self.pp_group.is_last_rank:\n    return result\nreturn result * 2.0"),
        [],
    ),
    "under a flag of another object": (
        tree(f"{CALL}if self.stage.last:\n    return self.logits_processor(result)\nreturn result"),
        [],
    ),
    "under a flag of another object that says something else": (
        tree(f"{CALL}if self.stage.busy:\n    return self.logits_processor(result)\nreturn result"),
        [ERROR],
    ),
    "under a property of another object": (
        tree(f"{CALL}if not self.stage.ends:\n    return result\nreturn self.logits_processor(result)"),
        [],
    ),
    "after a test of the head": (
        tree(f"{CALL}if isinstance(self.lm_head, PPMissingLayer):\n    return result\nreturn self.logits_processor(result)"),
        [],
    ),
    "where the head is missing": (
        tree(f"{CALL}if isinstance(self.lm_head, PPMissingLayer):\n    return self.logits_processor(result)\nreturn result"),
        [ERROR],
    ),
    "returned": (tree(f"{CALL}return result"), []),
    "under a test of the stage": (
        tree(f"{CALL}if self.pp_group.is_last_rank:\n    one, two = result\n    return one\nreturn result"),
        [],
    ),
    "after the other stages returned": (
        tree(f"{CALL}if not self.pp_group.is_last_rank:\n    return result\nreturn result[0]"),
        [],
    ),
    "on the other stages": (
        tree(f"{CALL}if not self.pp_group.is_last_rank:\n    return result[0]\nreturn result"),
        [ERROR],
    ),
    "under a test of the type": (
        tree(f"{CALL}if isinstance(result, tuple):\n    result, aux = result\nreturn result"),
        [],
    ),
    "under a test that is not about the result": (
        tree(f"{CALL}if isinstance(positions, tuple):\n    result, aux = result\nreturn result"),
        [ERROR],
    ),
    "a choice by its type": (
        tree(f"{CALL}one, two = result if isinstance(result, tuple) else (result, None)\nreturn one"),
        [],
    ),
    "made a tuple where it is none": (
        tree(f"{CALL}if not isinstance(result, tuple):\n    result = (result, None)\none, two = result\nreturn one"),
        [],
    ),
    "taken by its name where it is one": (
        tree(f"{CALL}if positions is None:\n    result = result['states']\nreturn self.logits_processor(result)"),
        [],
    ),
    "rows of a result, on one way": (
        tree(f"{CALL}if positions is not None:\n    result = result[positions]\nreturn self.logits_processor(result)"),
        [ERROR],
    ),
    "an error that is caught": (
        tree(f"{CALL}try:\n    one, two = result\nexcept ValueError:\n    return result\nreturn one"),
        [],
    ),
    "after a test with more in it": (
        tree(
            f"{CALL}group = self.pp_group\nif group.world_size > 1 and not group.is_last_rank:\n    return result\n"
            "return result[0]"
        ),
        [],
    ),
    "after a test of the rank in the group": (
        tree(f"{CALL}if self.pp_group.rank_in_group < self.pp_group.world_size - 1:\n    return result\nreturn result[0]"),
        [],
    ),
    "after a method that asks": (tree(f"{CALL}if not self.ends():\n    return result\nreturn result[0]"), []),
    "in a function that is called elsewhere": (
        tree(f"{CALL}ends = lambda: self.logits_processor(result)\nreturn ends() if self.pp_group.is_last_rank else result"),
        [],
    ),
    "given to a module that other stages lack": (tree(f"{CALL}return self.score(result)"), []),
    "under a flag that is off at first": (
        tree(f"{CALL}if self.takes_aux:\n    result, aux = result\nreturn result"),
        [],
    ),
    "under a flag of a base": (
        tree(f"{CALL}if self.of_a_base:\n    result, aux = result\nreturn result"),
        [],
    ),
    "under a flag of the configuration": (
        tree(f"{CALL}if self.use_aux:\n    result, aux = result\nreturn result"),
        [ERROR],
    ),
    "under a platform": (
        tree(f"{CALL}if is_npu():\n    result, aux = result\nreturn result"),
        [WARNING],
    ),
    "through a routine that calls the model": (
        tree(
            "one, two = routine(input_ids, language_model=self.model, pp_proxy_tensors=pp_proxy_tensors)\nreturn one"
        ),
        [ERROR],
    ),
    "the results of two calls": (
        tree(
            "if positions is None:\n    one, two = routine(input_ids, self.model, pp_proxy_tensors)\n"
            "else:\n    one, two = self.model(input_ids, positions, pp_proxy_tensors)\nreturn one"
        ),
        [ERROR, ERROR],
    ),
    "one finding for the result of one call": (
        tree(f"{CALL}if input_ids is None:\n    return result[0]\nreturn self.logits_processor(input_ids, result)"),
        [ERROR],
    ),
    "a forward that takes no proxies": (
        tree("one, two = self.model(input_ids, positions)\nreturn one", "other=None"),
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("sends", [_DIRECT, "to_pp(hidden_states)"], ids=["made here", "made elsewhere"])
@pytest.mark.parametrize("case", CASES)
def test_a_result_that_is_used_as_hidden_states(case, sends, tmp_path):
    code, levels = CASES[case]
    inner = _INNER[0], _INNER[1].replace("{sends}", sends)
    assert [one.severity for one in findings_in(tmp_path, "PPL707", code, inner, _SEND, _PROXY)] == levels


def test_a_model_that_returns_tensors_on_every_stage_is_silent(tmp_path):
    code, _ = CASES["unpacked later"]
    inner = _INNER[0], _INNER[1].replace("{sends}", "hidden_states, None")
    assert not findings_in(tmp_path, "PPL707", code, inner, _SEND, _PROXY)
