"""PPL503: which heads that are tied on one stage get no weight on several."""

from __future__ import annotations

from pathlib import Path

import pytest
from layer_cases import findings_in

from pplint.finding import INFO, WARNING

_CODE = """

def give_to_head(name, weight, params, tied, embedding="model.embed_tokens.weight"):
    if tied and name == embedding:
        params["lm_head.weight"].copy_(weight)


class TiedForCausalLM:
    def __init__(self, config, pp_group):
        self.config = config
        self.pp_group = pp_group
        self.model = SampleModel(config, pp_group)
        {builds}

    def forward(self, input_ids, {proxies}):
        return self.model(input_ids, pp_proxy_tensors)

    def load_weights(self, weights):
        params = dict(self.named_parameters())
        {loads}

    def _load_one(self, name, weight, params):
        if name == "model.embed_tokens.weight":
            params["lm_head.weight"].copy_(weight)

    {more}

EntryClass = TiedForCausalLM
"""

_BRANCHES = """\
if not pp_group.is_last_rank:
    self.lm_head = PPMissingLayer()
elif {single}:
    self.lm_head = self.model.embed_tokens
else:
    self.lm_head = Head(config)
"""
_TIE = _BRANCHES.format(single="pp_group.world_size == 1 and config.tie_word_embeddings")
_LOOP = "for name, weight in weights:\n    {}\n    params[name].copy_(weight)\n"
_LOADS = _LOOP.format("if name not in params:\n        continue")


def levels(
    folder: Path,
    builds: str = _TIE,
    loads: str = _LOADS,
    proxies: str = "pp_proxy_tensors=None",
    more: str = "",
) -> list[str]:
    inner = [part.rstrip().replace("\n", "\n        ") for part in (builds, loads)]
    text = _CODE.format(
        builds=inner[0], loads=inner[1], proxies=proxies, more=more.replace("\n", "\n    ") or "pass"
    )
    return [one.severity for one in findings_in(folder, "PPL503", text)]


BUILDS = {
    "tied where there is one stage": (_TIE, [WARNING]),
    "a flag says that there is one stage": (
        "self.tied = pp_group.world_size == 1 and config.tie_word_embeddings\n"
        + _BRANCHES.format(single="self.tied"),
        [WARNING],
    ),
    "the weight is tied where the first stage is the last": (
        """\
if pp_group.is_last_rank:
    self.lm_head = Head(config)
    if config.tie_word_embeddings and pp_group.is_first_rank:
        self.lm_head.weight = self.model.embed_tokens.weight
""",
        [WARNING],
    ),
    "a flag that is never true": (
        "self.tied = False\n" + _BRANCHES.format(single="self.tied and pp_group.world_size == 1"),
        [],
    ),
    "the head is always one of its own": ("self.lm_head = Head(config)", []),
    "the head is always the embedding": (
        "if pp_group.world_size == 1:\n    self.lm_head = self.model.embed_tokens",
        [],
    ),
    "a model for one stage": (
        "assert pp_group.world_size == 1\n" + _TIE,
        [],
    ),
}  # fmt: skip

LOADS = {
    "the loader skips a head that is tied": (
        _LOOP.format('if self.config.tie_word_embeddings and "lm_head.weight" in name:\n        continue'),
        [WARNING],
    ),
    "the loader looks for the embedding when it meets the head": (
        _LOOP.format(
            'if "lm_head.weight" in name:\n'
            '        weight = next(filter(lambda x: x[0] == "model.embed_tokens.weight", weights))[1]'
        ),
        [WARNING],
    ),
    "the loader skips the embedding where it is not": (
        _LOOP.format('if "embed_tokens" in name and not self.pp_group.is_first_rank:\n        continue'),
        [WARNING],
    ),
    "the embedding's weight is given to the head": (
        _LOOP.format(
            'if name == "model.embed_tokens.weight" and "lm_head.weight" in params:\n'
            '        params["lm_head.weight"].copy_(weight)'
        ),
        [],
    ),
    "the embedding's weight is renamed": (
        _LOOP.format(
            'if self.pp_group.is_last_rank:\n        if "embed_tokens" in name:\n            name = "lm_head.weight"'
        ),
        [],
    ),
    "a table names both": (
        _LOOP.format('for old, new in [("embed_tokens", "lm_head")]:\n        name = name.replace(old, new)'),
        [],
    ),
    "another method does it": (_LOOP.format("self._load_one(name, weight, params)"), []),
    "a function does it": (_LOOP.format("give_to_head(name, weight, params, True)"), []),
    "a function elsewhere is told of the embedding": (
        _LOOP.format('if routed(name, weight, embedding="model.embed_tokens.weight"):\n        continue'),
        [],
    ),
    "the head's own weight is filled": (
        _LOOP.format(
            'if name == "model.embed_tokens.weight":\n        default_weight_loader(self.lm_head.weight, weight)'
        ),
        [],
    ),
    "the name is matched": (
        _LOOP.format(
            'match name:\n        case "model.embed_tokens.weight":\n            params["lm_head.weight"].copy_(weight)'
        ),
        [],
    ),
    "the name is replaced": (
        _LOOP.format('if self.tied:\n        name = name.replace("model.embed_tokens", "lm_head")'),
        [],
    ),
    "the weights are handed on": ("self.model.load_weights(weights)", []),
    "a loader elsewhere is handed the weights": ("return load_all(self, weights)", []),
}  # fmt: skip

MORE = {
    "the head is filled after loading": (
        "def post_load_weights(self):\n    self.lm_head.weight.copy_(fetch())\n",
        [],
    ),
    "the head is received after loading": (
        "def post_load_weights(self):\n    dist.recv(self.lm_head.weight, 0)\n",
        [],
    ),
    "a table that nobody reads names both": (
        '_tied = {"model.embed_tokens.weight": "lm_head.weight"}\n',
        [WARNING],
    ),
    "a table that the loader reads names both": (
        'params = {"model.embed_tokens.weight": "lm_head.weight"}\n',
        [],
    ),
    "another method refuses tied models on several stages": (
        "def check(self, config):\n    if config.tied and self.pp_group.world_size > 1:\n        raise ValueError\n",
        [],
    ),
    "the head is set for a draft model": (
        "def set_embed_and_head(self, embed, head):\n    self.lm_head.weight = head\n",
        [WARNING],
    ),
}


@pytest.mark.parametrize("case", BUILDS)
def test_a_head(case: str, tmp_path: Path) -> None:
    builds, expected = BUILDS[case]
    assert levels(tmp_path, builds=builds) == expected


@pytest.mark.parametrize("case", LOADS)
def test_a_loader(case: str, tmp_path: Path) -> None:
    loads, expected = LOADS[case]
    assert levels(tmp_path, loads=loads) == expected


@pytest.mark.parametrize("case", MORE)
def test_what_else_the_class_does(case: str, tmp_path: Path) -> None:
    more, expected = MORE[case]
    assert levels(tmp_path, more=more) == expected


def test_the_loader_is_where_it_is_reported(tmp_path: Path) -> None:
    inner = [part.rstrip().replace("\n", "\n        ") for part in (_TIE, _LOADS)]
    text = _CODE.format(builds=inner[0], loads=inner[1], proxies="pp_proxy_tensors=None", more="pass")
    (found,) = findings_in(tmp_path, "PPL503", text)
    lines = (tmp_path / "sglang/srt/case.py").read_text().split("\n")
    assert "def load_weights" in lines[found.span.line - 1]
    assert found.symbol == "TiedForCausalLM.load_weights"


def test_a_class_that_does_not_accept_several_stages_is_latent(tmp_path: Path) -> None:
    assert levels(tmp_path, proxies="pp_proxy_tensor=None") == [INFO]
