"""A small tree with one model that is ready, and what a test changes in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pplint.cli import run

LAYERS = """\
class PPMissingLayer:
    def __init__(self, return_tuple=False):
        self.return_tuple = return_tuple


def make_layers(count, layer_fn, pp_rank=None, pp_size=None, prefix=""):
    whole = [layer_fn(idx=i, prefix=prefix) for i in range(count)]
    if pp_rank is None:
        return whole
    start_layer, end_layer = get_pp_indices(count, pp_rank, pp_size)
    return whole, start_layer, end_layer


def get_pp_indices(count, rank, size):
    return rank * count // size, (rank + 1) * count // size
"""

ROUTINE = """\
def embed_and_run(input_ids, forward_batch, language_model, **kwargs):
    return language_model(input_ids, forward_batch, **kwargs)
"""

MODEL = """\
from sglang.srt.layers.parts import PPMissingLayer, make_layers


class ReedLayer:
    def __init__(self, config, layer_id):
        self.layer_id = layer_id
        self.mlp = ReedMLP(config)

    def forward(self, hidden_states, forward_batch):
        return self.mlp(hidden_states)


class ReedModel:
    def __init__(self, config, pp_group):
        self.pp_group = pp_group
        if pp_group.is_first_rank:
            self.embed_tokens = VocabEmbedding(config)
        else:
            self.embed_tokens = PPMissingLayer()
        self.layers, self.start_layer, self.end_layer = make_layers(
            config.num_hidden_layers,
            lambda idx, prefix: ReedLayer(config, layer_id=idx),
            pp_rank=pp_group.rank_in_group,
            pp_size=pp_group.world_size,
        )
        if pp_group.is_last_rank:
            self.norm = RMSNorm(config.hidden_size)
        else:
            self.norm = PPMissingLayer(return_tuple=True)

    def forward(self, input_ids, forward_batch, pp_proxy_tensors=None):
        if self.pp_group.is_first_rank:
            hidden_states = self.embed_tokens(input_ids)
        else:
            hidden_states = pp_proxy_tensors["hidden_states"]
        for i in range(self.start_layer, self.end_layer):
            hidden_states = self.layers[i](hidden_states, forward_batch)
        if not self.pp_group.is_last_rank:
            return PPProxyTensors({"hidden_states": hidden_states})
        return self.norm(hidden_states)


class ReedForCausalLM:
    def __init__(self, config, pp_group):
        self.pp_group = pp_group
        self.model = ReedModel(config, pp_group)
        if pp_group.is_last_rank:
            if pp_group.world_size == 1 and config.tie_word_embeddings:
                self.lm_head = self.model.embed_tokens
            else:
                self.lm_head = ParallelLMHead(config)
        else:
            self.lm_head = PPMissingLayer()

    @property
    def start_layer(self):
        return self.model.start_layer

    @property
    def end_layer(self):
        return self.model.end_layer

    def forward(self, input_ids, forward_batch, pp_proxy_tensors=None):
        hidden_states = self.model(input_ids, forward_batch, pp_proxy_tensors=pp_proxy_tensors)
        if self.pp_group.is_last_rank:
            return self.logits_processor(hidden_states, self.lm_head)
        return hidden_states

    def load_weights(self, weights):
        params_dict = dict(self.named_parameters())
        for name, loaded_weight in weights:
            layer_id = get_layer_id(name)
            if layer_id is not None and not self.model.start_layer <= layer_id < self.model.end_layer:
                continue
            if name == "model.embed_tokens.weight" and "lm_head.weight" in params_dict:
                params_dict["lm_head.weight"].weight_loader(loaded_weight)
            params_dict[name].weight_loader(loaded_weight)


EntryClass = ReedForCausalLM
"""
"""Every duty is met here. The tests replace a few lines of it."""

UNSPLIT = """\
        self.layers = make_layers(
            config.num_hidden_layers,
            lambda idx, prefix: ReedLayer(config, layer_id=idx),
        )
"""


def _part(begin: str, end: str) -> str:
    """The part of the model from one line up to another."""
    start = MODEL.index(begin)
    return MODEL[start : MODEL.index(end, start + 1)]


EMBEDDING = _part("        if pp_group.is_first_rank:\n            self.embed", "        self.layers, ")
SPLIT = _part("        self.layers, ", "        if pp_group.is_last_rank:\n            self.norm")
NORM = _part("        if pp_group.is_last_rank:\n            self.norm", "    def forward")
LOOP = _part("for i in range", "\n        if not self.pp_group.is_last_rank")
PROXY_READ = 'hidden_states = pp_proxy_tensors["hidden_states"]'
CALL = "self.model(input_ids, forward_batch, pp_proxy_tensors=pp_proxy_tensors)"
HEAD = _part("        if pp_group.is_last_rank:\n            if", "    @property")
PROPERTIES = _part(
    "    @property", "    def forward(self, input_ids, forward_batch, pp_proxy_tensors=None):\n        hidden"
)
FILTER = _part("            if layer_id is not None", "            params_dict[name]")


def changed(*pairs: tuple[str, str], text: str = MODEL) -> str:
    """The model's text with parts replaced, each of which must be there."""
    for before, after in pairs:
        assert before in text, before
        text = text.replace(before, after)
    return text


def with_method(head: str, line: str) -> str:
    """The model's text with one more method of the top-level class, of one line."""
    return changed(("    def load_weights", f"    {head}\n        {line}\n\n    def load_weights"))


def with_line_before_norm(line: str) -> str:
    """The model's text with one more line in the constructor that builds the layers."""
    return changed((NORM, f"        {line}\n{NORM}"))


def tree_with(folder: Path, **models: str) -> Path:
    """Write a small checkout with model files (name to text) and return the folder of its models."""
    package = folder / "python" / "sglang" / "srt"
    files = {"layers/parts.py": LAYERS, "managers/routine.py": ROUTINE}
    files |= {f"models/{name}.py": text for name, text in models.items()}
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return package / "models"


def rows_below(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, dict[str, Any]]:
    """The rows that the command gives as JSON, by class."""
    code = run(["readiness", str(path), "--format", "json", *(options or ("--no-cache",))])
    out, error = capsys.readouterr()
    assert (code, error) == (0, "")
    return {row["class"]: row for row in json.loads(out)["rows"]}
