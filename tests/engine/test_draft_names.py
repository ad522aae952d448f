"""Which names mean a draft model, which numbers its layers from 0 by itself."""

import pytest

from pplint.engine.vocabulary import DRAFT


@pytest.mark.parametrize(
    "name",
    [
        "LlamaForCausalLMEagle", "LlamaForCausalLMEagle3", "sglang.srt.models.llama_eagle3", "EAGLEWorker",
        "DeepseekV3ForCausalLMNextN", "MiMoMTP", "draft_worker",
    ],
)  # fmt: skip
def test_a_draft_model(name: str) -> None:
    assert DRAFT.search(name)


@pytest.mark.parametrize(
    "name",
    ["sglang.srt.models.eagle2_5_vl", "Eagle25Model", "Eagle2_5_VLForConditionalGeneration", "EagleVLModel"],
)
def test_a_model_that_is_only_called_alike(name: str) -> None:
    assert not DRAFT.search(name)
