"""What generated modules run on: pools and models of one stage, without SGLang."""

from __future__ import annotations

import builtins
import functools
from types import SimpleNamespace
from typing import Any

LAYERS = 8
STAGES = ((0, 3), (3, 5), (5, 8))
"""The layers that each rank owns; uneven, so that a wrong id is never right by chance."""


class Buffer:
    """The rows of one layer; two are equal when they belong to the same layer."""

    def __init__(self, kind: str, layer_id: int) -> None:
        self.kind = kind
        self.layer_id = layer_id
        self.shape = (16, 4, 128)
        self.dtype = "bf16"

    def __repr__(self) -> str:
        return f"{self.kind}{self.layer_id}"

    def __eq__(self, other: object) -> bool:
        return repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


class SamplePool:
    """Takes GLOBAL layer ids; unlike a list it does not take a negative index for one from the end."""

    def __init__(self, layer_num: int, start_layer: int, end_layer: int) -> None:
        self.start_layer = start_layer
        self.end_layer = end_layer
        self.layer_num = layer_num
        self.k_buffer = [Buffer("k", i) for i in range(start_layer, end_layer)]
        self.v_buffer = [Buffer("v", i) for i in range(start_layer, end_layer)]

    def get_key_buffer(self, layer_id: int) -> Buffer:
        return self._row(self.k_buffer, layer_id)

    def get_value_buffer(self, layer_id: int) -> Buffer:
        return self._row(self.v_buffer, layer_id)

    def _row(self, rows: list[Buffer], layer_id: int) -> Buffer:
        if not 0 <= layer_id - self.start_layer < len(rows):
            raise IndexError(f"layer {layer_id} is not on this stage")
        return rows[layer_id - self.start_layer]


def run_overlapped(layers: list[Any], size: int) -> list[int]:
    """Reads an attribute of the first layer and of each one."""
    kind = layers[0].mlp
    return [layer.mlp.id for layer in layers if kind]


class PPMissingLayer:
    """Stands for a layer of another stage: it has no attributes."""


class SampleModel:
    """Holds a padded layer list."""

    def __init__(self, config: Any, pp_group: Any) -> None:
        self.start_layer, self.end_layer = start_layer, end_layer = STAGES[pp_group.rank_in_group]
        self.layers: list[Any] = [
            SimpleNamespace(layer_id=i, mlp=SimpleNamespace(num_experts=4, id=i), self_attn=Buffer("a", i))
            if start_layer <= i < end_layer
            else PPMissingLayer()
            for i in range(LAYERS)
        ]


def run(code: str, rank: int) -> dict[str, str]:
    """Run each `case_*` function of a module on a rank; give what it computed, or the error, by name."""
    start, end = STAGES[rank]
    pool = SamplePool(end - start, start, end)
    group = SimpleNamespace(is_first_rank=rank == 0, is_last_rank=rank == 2, rank_in_group=rank)
    model = SampleModel(group, group)
    runner = SimpleNamespace(token_to_kv_pool=pool, model=model)
    known = {
        "SamplePool": SamplePool, "SampleModel": SampleModel, "PPMissingLayer": PPMissingLayer,
        "partial": functools.partial, "run_overlapped": run_overlapped,
    }  # fmt: skip

    def imported(name: str, *_: Any) -> SimpleNamespace:
        return SimpleNamespace(**known)

    names: dict[str, Any] = {"__builtins__": {**vars(builtins), "__import__": imported}, "__name__": "case"}
    exec(compile(code, "case.py", "exec"), names)
    found = {}
    for name, case in list(names.items()):
        if name.startswith("case_"):
            out: list[Any] = []
            try:
                case(pool, model, runner, group, out)
                found[name] = repr(out)
            except Exception as error:
                found[name] = f"{out} then {type(error).__name__}: {error}"
    return found
