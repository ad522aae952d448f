"""Facts come from the code: the findings do not depend on how pools, accessors and parameters are called."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from pplint.engine.accessors import GLOBAL
from pplint.engine.root import find_root
from pplint.judge.check import JudgeRequest, facts_of, judge
from pplint.rules.registry import RULES

MINI = Path(__file__).parents[2] / "fixtures" / "mini_sglang"

POOLS = {
    "KVCache": "Shelf",
    "MHATokenToKVPool": "WideShelf",
    "MHATokenToKVPoolFP4": "NarrowShelf",
    "MHATokenToKVPoolHost": "CellarShelf",
    "MLATokenToKVPool": "LatentShelf",
    "NPUMHATokenToKVPool": "OtherWideShelf",
    "MambaPool": "StateShelf",
    "HybridReqToTokenPool": "RequestShelf",
    "HybridLinearKVPool": "MixedShelf",
    "MiniMaxSparseKVPool": "SparseShelf",
    "SWAKVPool": "WindowShelf",
    "UnifiedSWAKVPool": "JoinedWindowShelf",
    "UnifiedMHATokenToKVPool": "JoinedShelf",
    "TokenToKVPoolAllocator": "Shelver",
    "token_to_kv_pool": "shelf",
    "token_to_kv_pool_allocator": "shelver",
    "full_kv_pool": "full_shelf",
    "swa_kv_pool": "window_shelf",
    "main_pool": "main_shelf",
    "k_buffer": "left_rows",
    "v_buffer": "right_rows",
    "kv_buffer": "both_rows",
    "full_attention_layer_id_mapping": "places_of_full",
    "layers_mapping": "places_of_all",
}
METHODS = {
    "get_key_buffer": "fetch_left",
    "get_value_buffer": "fetch_right",
    "get_kv_buffer": "fetch_both",
    "set_kv_buffer": "store_rows",
    "get_kv_scale_buffer": "fetch_scales",
    "get_index_k_buffer": "index_left",
    "get_v_head_dim": "right_width",
    "mamba2_layer_index": "state_number",
    "mamba2_layer_cache": "fetch_state",
    "_wait_for_layer": "_wait_for",
    "_transfer_full_attention_id": "_place_of_full",
    "get_cpu_copy": "copy_out",
    "load_cpu_copy": "copy_in",
    "wait_until": "wait_for_row",
}
PARAMETERS = {
    "layer_id": "depth",
    "layer_id_override": "other_depth",
    "local_layer_id": "own_depth",
    "layer_index": "own_number",
    "layer_idx": "row_number",
    "global_layer_id": "whole_depth",
    "pool_layer_id": "dense_depth",
}
RENAMES = {
    "pools": POOLS,
    "methods": METHODS,
    "parameters": PARAMETERS,
    "pools, methods and parameters": {**POOLS, **METHODS, **PARAMETERS},
}


def words_of(names: dict[str, str]) -> re.Pattern[str]:
    plain = "|".join(name for name in names if name not in PARAMETERS) or "(?!)"
    parameters = "|".join(name for name in names if name in PARAMETERS) or "(?!)"
    return re.compile(rf"\b(?:{plain})\b|(?<!\.)\b(?:{parameters})\b")


def renamed_copy(folder: Path, names: dict[str, str]) -> Path:
    """Copy the checkout's package into `folder`, with `names` replaced wherever they stand as a word.

    Parameters only where they are not attributes: `layer.layer_id` is what an attention layer calls its id.
    """
    shutil.copytree(MINI / "python", folder, ignore=shutil.ignore_patterns("__pycache__"))
    words = words_of(names)
    used = set()
    for path in folder.rglob("*.py"):
        text = path.read_text()
        used |= set(words.findall(text))
        assert not set(re.findall(r"\w+", text)) & set(names.values()), path
        path.write_text(words.sub(lambda word: names[word[0]], text))
    assert used == set(names), f"not in the checkout: {set(names) - used}"
    return folder


def places(root: Path) -> list[tuple[str, str, str, int]]:
    """Return (path, code, level, line) of all findings, judged without the file of known facts."""
    files = tuple(sorted(str(path.resolve()) for path in root.rglob("*.py")))
    codes = frozenset(rule.code for rule in RULES)
    judged = judge(JudgeRequest(str(root.resolve()), files, {}, codes, facts_file=False))
    assert not judged.troubles
    return [
        (str(Path(f.path).relative_to(root.resolve())), f.code, f.severity, f.span.line)
        for f in judged.findings
    ]


@pytest.mark.parametrize("names", RENAMES.values(), ids=RENAMES.keys())
def test_the_findings_do_not_depend_on_the_names_of(names: dict[str, str], tmp_path: Path) -> None:
    assert places(renamed_copy(tmp_path / "python", names)) == places(MINI / "python")


def test_every_accessor_is_discovered_under_its_new_name(tmp_path: Path) -> None:
    names = RENAMES["pools, methods and parameters"]
    words = words_of(names)

    def accessors(root: Path) -> set[tuple[str, str]]:
        found = facts_of(find_root((str(root / "sglang"),), None), jobs=1).accessors.spaces[GLOBAL]
        return {(function, parameter) for function, known in found.items() for parameter in known}

    expected = {
        (words.sub(lambda word: names[word[0]], function), names.get(parameter, parameter))
        for function, parameter in accessors(MINI / "python")
    }
    assert len(expected) > 20
    assert accessors(renamed_copy(tmp_path / "python", names)) == expected
