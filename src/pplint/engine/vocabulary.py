"""The few words of SGLang that cannot be learnt from its code, in one place.

Everything else (which methods take a GLOBAL layer id, which lists are padded, who accepts pipeline parallelism) is
derived from the code in view.
"""

from __future__ import annotations

import re

START_NAMES = frozenset({"start_layer", "pp_start_layer", "stage_start", "start_layer_id", "layer_start"})
END_NAMES = frozenset({"end_layer", "pp_end_layer", "stage_end", "end_layer_id", "layer_end"})
STAGE_COUNT_NAMES = frozenset({"layer_num", "num_local_layers", "local_layer_num", "num_effective_layers"})
MODEL_COUNT_NAMES = frozenset({"num_hidden_layers", "n_layer", "num_layers", "n_layers"})
LAYER_ID_NAMES = frozenset({"layer_id"})
MISSING_LAYER = "PPMissingLayer"
PLACEHOLDERS = frozenset({MISSING_LAYER, "Identity"})
PROXY_PARAMETER = "pp_proxy_tensors"
PROXY_CLASS = "PPProxyTensors"
PADDED_MAKERS = frozenset({"make_layers", "make_pp_layers"})
RANGE_MAKERS = frozenset({"get_pp_indices"})
MODELS = "sglang.srt.models"
"""The package whose classes the model registry loads; other packages of SGLang have registries of their own."""

_DRAFT = r"MTP|NextN|nextn|(?:EAGLE|[Ee]agle)(?!2_?5|[\d_]*(?:VL|vl))|DFlash|DFLASH|dflash|DSpark|dspark|[Dd]raft|Medusa"
DRAFT_FUNCTION = re.compile(_DRAFT)
"""Names of functions of draft models. A backend's `forward_mtp` is none: it also verifies, which the target does."""
DRAFT = re.compile(f"{_DRAFT}|_mtp")
"""Names of modules and classes of draft models."""
ENCODER = re.compile(r"(Vision|Visual|Audio|Encoder|ViT|Vit)")
TEST_PATH = re.compile(r"(^|/)(tests?|testing|benchmarks?)(/|$)|(^|/)(test_[^/]*|[^/]*_test|conftest)\.pyi?$")


def is_start(name: str) -> bool:
    """Whether a name means the first layer id of a stage."""
    return name.lstrip("_") in START_NAMES


def is_end(name: str) -> bool:
    """Whether a name means one past the last layer id of a stage."""
    return name.lstrip("_") in END_NAMES
