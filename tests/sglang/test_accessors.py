"""The accessors of SGLang 0.5.23 that take a GLOBAL layer id are learnt from its code, not from their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pplint.engine.accessors import GLOBAL, LOCAL
from pplint.engine.facts import Facts
from pplint.engine.root import find_root
from pplint.judge.check import facts_of

pytestmark = pytest.mark.sglang

WHOLE = {
    "MHATokenToKVPool": """_get_key_buffer get_key_buffer _get_value_buffer get_value_buffer get_kv_buffer
        get_raw_kv_buffer set_kv_buffer set_kv_buffer_prefix_valid""",
    "NoOpMHATokenToKVPool": "get_key_buffer get_value_buffer get_kv_buffer",
    "MHATokenToKVPoolFP4": """get_key_buffer get_value_buffer get_kv_buffer set_kv_buffer""",
    "MHATokenToKVPoolMXFP8": """get_key_buffer get_value_buffer get_kv_buffer get_kv_scale_buffer
        set_kv_buffer""",
    "PageMajorMHATokenToKVPool": "get_key_buffer get_value_buffer get_kv_buffer set_kv_buffer",
    "MLATokenToKVPool": """get_key_buffer get_value_buffer get_kv_buffer set_kv_buffer set_mla_kv_buffer""",
    "MLATokenToKVPoolFP4": "get_key_buffer get_value_buffer get_kv_buffer",
    "DSATokenToKVPool": """get_key_buffer get_value_buffer get_kv_buffer get_index_k_with_scale_buffer
        get_index_k_scale_buffer set_index_k_scale_buffer get_compress_tail_buffers
        kpool_decode_update_index_cache set_compress_tail_for_request""",
    "IndexKeyCache": "get_local_buffer get_buffer get_k_and_scale store_quantized",
    "MHATokenToKOnlyPool": "get_key_buffer",
    "HybridLinearKVPool": """get_key_buffer get_value_buffer get_kv_buffer get_raw_kv_buffer
        get_kv_scale_buffer get_index_k_with_scale_buffer get_index_k_scale_buffer set_index_k_scale_buffer
        get_compress_tail_buffers kpool_decode_update_index_cache set_compress_tail_for_request""",
    "SWAKVPool": """get_key_buffer get_value_buffer get_kv_buffer get_kv_scale_buffer
        get_index_k_with_scale_buffer get_index_k_scale_buffer set_index_k_scale_buffer""",
    "UnifiedSWAKVPool": "get_key_buffer get_value_buffer get_kv_buffer",
    "UnifiedDraftKVPool": "get_key_buffer get_value_buffer get_kv_buffer",
    "UnifiedDraftSWAKVPool": "get_key_buffer get_value_buffer get_kv_buffer",
    "MiniMaxSparseKVPool": """get_key_buffer get_value_buffer get_kv_buffer get_index_k_buffer
        get_index_kv_buffer""",
    "QSATokenToKVPool": """get_key_buffer get_value_buffer get_qsa_compressed_k_buffer
        set_qsa_compressed_k_buffer get_qsa_key_state_buffer set_qsa_key_state_buffer""",
    "DeepSeekV4TokenToKVPool": """get_attention_compress_states get_indexer_compress_states
        get_extra_key_buffer get_swa_key_buffer_radix get_swa_raw_buffer get_index_k_with_scale_buffer
        get_index_k_scale_buffer set_swa_key_buffer set_swa_key_buffer_radix
        set_swa_key_buffer_radix_fused wait_layer_transfer""",
    "HybridReqToTokenPool": "mamba2_layer_index mamba2_layer_cache short_conv_layer_cache",
    "PageInterleaveKVPoolMixin": "_prefetch_layer",
    "PageInterleaveMHATokenToKVPool": "get_key_buffer get_value_buffer get_kv_buffer set_kv_buffer",
    "PageInterleaveMLATokenToKVPool": "get_key_buffer get_value_buffer get_kv_buffer",
    "PageInterleaveDSATokenToKVPool": "get_value_buffer get_index_k_with_scale_buffer",
    "LayerSplitDSATokenToKVPool": """_local_layer_idx get_key_buffer get_value_buffer
        get_broadcastable_index_k_with_scale_buffer""",
    "LayerSplitIndexKeyCache": "get_buffer get_k_and_scale store_quantized",
    "MiniMaxM3Nvfp4MainKVPool": "_layer_index get_key_buffer get_value_buffer get_kv_buffer set_kv_buffer",
    "MiniMaxM3Nvfp4IndexKPool": "_layer_index get_key_buffer set_k_buffer",
    "MiniMaxM3Nvfp4KVPool": "get_main_k_scale_buffer get_main_v_scale_buffer get_index_k_scale_buffer",
    "NPUMHATokenToKVPool": "get_key_buffer get_value_buffer get_kv_buffer set_kv_buffer",
    "NPUMLATokenToKVPool": """get_key_buffer get_value_buffer get_kv_buffer get_index_k_buffer
        set_index_k_buffer""",
    "HiSparseCoordinator": "swap_in_selected_blocks",
    "HiSparseMHATokenToKVPoolHost": "load_to_device_per_layer",
    "": "_trtllm_native_nvfp4_kv_buffer",
}
"""Class (or "" for functions) -> methods with a parameter that takes a GLOBAL layer id."""

FULL_LENGTH = {
    "DeepSeekV4TokenToKVPool": """set_extra_key_buffer set_extra_key_buffer_fused set_index_k_scale_buffer
        set_index_k_fused set_index_k_fp4 get_extra_key_page_size get_extra_key_layout""",
}
"""Methods that use the id as an index of a list with a slot for every layer of the model."""

LOCAL_METHODS = {
    "MHATokenToKVPool": "_store_kv_layer",
    "MHATokenToKOnlyPool": "set_k_buffer",
    "MHATokenToKVPoolHost": "load_to_device_per_layer",
    "HiSparseCoordinator": "swap_in_selected_pages",
    "DeepSeekV4SingleKVPool": "set_key_buffer",
}
"""Class -> methods with a parameter that takes a LOCAL index."""


def methods(table: dict[str, str]) -> list[str]:
    return [f"{owner}.{name}" for owner, names in table.items() for name in names.split()]


@pytest.fixture(scope="module")
def facts(release: Callable[[str], Path]) -> Facts:
    return facts_of(find_root((str(release("0.5.23") / "sglang"),), None))


def spaces(facts: Facts, method: str) -> set[str]:
    """Return the spaces of the parameters of `method`, as its class defines or inherits it."""
    owner, _, name = method.rpartition(".")
    if owner:
        [class_id] = [one for one in facts.project.classes if one.rpartition(":")[2] == owner]
        home = facts.project.method(class_id, name)
        assert home is not None, f"{owner} has no {name}"
        functions = [f"{home[0]}.{name}"]
    else:
        functions = [
            f"{module}:{name}" for module, one in facts.project.summaries.items() if name in one["functions"]
        ]
        assert functions, f"no function {name}"
    known = facts.accessors.spaces
    return {space for space in (GLOBAL, LOCAL) if any(known[space].get(one) for one in functions)}


@pytest.mark.parametrize("method", methods(WHOLE))
def test_a_global_id_is_taken_by(facts: Facts, method: str) -> None:
    assert GLOBAL in spaces(facts, method)


@pytest.mark.xfail(reason="the engine does not know lists that are filled at GLOBAL ids", strict=True)
@pytest.mark.parametrize("method", methods(FULL_LENGTH))
def test_a_global_id_would_be_taken_by(facts: Facts, method: str) -> None:
    assert GLOBAL in spaces(facts, method)


@pytest.mark.parametrize("method", methods(LOCAL_METHODS))
def test_a_local_index_is_taken_by(facts: Facts, method: str) -> None:
    assert spaces(facts, method) == {LOCAL}
