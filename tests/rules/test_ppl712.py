"""PPL712: which forwards leave unread what the stage before sent."""

from __future__ import annotations

import pytest
from layer_cases import findings_in

from pplint.finding import ERROR

_CODE = """
from sglang.srt.models.sample_model import SampleModel


class LoopModel({base}):
    {constructor}def forward(self, input_ids, {parameters}):
        {body}


class LoopForCausalLM:
    def __init__(self, config, pp_group):
        self.pp_group = pp_group
        self.model = {built}(config, pp_group)

    def forward(self, input_ids, {outer}):
        {hands}


{more}
"""
_LOOP = """\
hidden_states = self.embed_tokens(input_ids)
for i in range(self.start_layer, self.end_layer):
    hidden_states = self.layers[i](hidden_states)
return hidden_states"""
_READS = "hidden_states = pp_proxy_tensors['hidden_states'] if pp_proxy_tensors else None\n"
_PLAIN = """class PlainModel:
    def __init__(self, config, pp_group):
        self.layers = ModuleList([Layer(config) for _ in range(config.num_hidden_layers)])


"""
_ONE_STAGE = """def __init__(self, config, pp_group):
        assert pp_group.world_size == 1
        super().__init__(config, pp_group)

    """


def code(
    body: str = _LOOP,
    base: str = "SampleModel",
    constructor: str = "",
    parameters: str = "pp_proxy_tensors=None",
    built: str = "LoopModel",
    outer: str = "pp_proxy_tensors=None",
    hands: str = "return self.model(input_ids, pp_proxy_tensors=pp_proxy_tensors)",
    more: str = "EntryClass = LoopForCausalLM",
) -> str:
    text = _CODE.format(
        base=base, constructor=constructor, parameters=parameters, body=body.replace("\n", "\n        "), built=built,
        outer=outer, hands=hands, more=more,
    )  # fmt: skip
    return text if base != "PlainModel" else text.replace("class LoopModel", _PLAIN + "class LoopModel")


CASES = {
    "each stage embeds the token ids": (code(), [ERROR]),
    "it is set and never read": (code("pp_proxy_tensors = None\n" + _LOOP), [ERROR]),
    "it is for keywords only": (code(parameters="*, pp_proxy_tensors=None"), [ERROR]),
    "the outer forward does not hand it on": (code(_READS + _LOOP, hands="return self.model(input_ids)"), [ERROR]),
    "it is read": (code(_READS + _LOOP), []),
    "it is handed to the base": (code("return super().forward(input_ids, pp_proxy_tensors)"), []),
    "all locals are handed on": (code("return super().forward(**locals())"), []),
    "all keywords are handed on": (
        code("return super().forward(input_ids, **kwargs)", parameters="pp_proxy_tensors=None, **kwargs"),
        [],
    ),
    "there is no such parameter": (code(parameters="other=None"), []),
    "the forward is abstract": (code("raise NotImplementedError"), []),
    "the forward asserts that there is one stage": (
        code("assert self.pp_group.world_size == 1\n" + _LOOP),
        [],
    ),
    "the forward raises on several stages": (
        code("if self.pp_group.world_size > 1:\n    raise ValueError\n" + _LOOP),
        [],
    ),
    "the class cannot be made on several stages": (code(constructor=_ONE_STAGE), []),
    "the layers are not split": (code(base="PlainModel"), []),
    "no model is served": (code(more=""), []),
    "the model does not accept stages": (
        code(outer="other=None", hands="return self.model(input_ids)"),
        [],
    ),
    "another model that does not accept stages may be the one that builds it": (
        code(
            more="class OtherForCausalLM:\n    def __init__(self, config, pp_group):\n"
            "        self.model = LoopModel(config, pp_group)\n\n    def forward(self, *args, **kwargs):\n"
            "        return self.model(*args, **kwargs)\n\n\nEntryClass = [LoopForCausalLM, OtherForCausalLM]"
        ),
        [],
    ),
    "an heir is served that overrides it": (
        code(
            built="Heir",
            more="class Heir(LoopModel):\n    def forward(self, input_ids, pp_proxy_tensors=None):\n"
            "        return pp_proxy_tensors\n\n\nEntryClass = LoopForCausalLM",
        ),
        [],
    ),
    "an heir is served that inherits it": (
        code(built="Heir", more="class Heir(LoopModel):\n    pass\n\n\nEntryClass = LoopForCausalLM"),
        [ERROR],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_forward_that_takes_proxies(case, tmp_path):
    text, levels = CASES[case]
    assert [one.severity for one in findings_in(tmp_path, "PPL712", text)] == levels


@pytest.mark.parametrize("name", ["LoopModelNextN", "DraftLoopModel", "VisionLoopModel"])
def test_a_draft_model_or_an_encoder_is_silent(name, tmp_path):
    assert not findings_in(tmp_path, "PPL712", code().replace("LoopModel", name))


def test_the_finding_says_what_was_looked_for(tmp_path):
    [found] = findings_in(tmp_path, "PPL712", code())
    assert "`LoopModel.forward` never reads `pp_proxy_tensors`" in found.message
    assert [step.text.split(" ")[0] for step in found.trace[:2]] == ["`LoopForCausalLM`", "`LoopModel`"]
    assert found.trace[2].text.endswith("`pp_proxy_tensors` is neither read nor handed on")
