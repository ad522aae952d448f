"""PPL303: which layer lists are built without the stage although the model takes part in pipelines."""

from __future__ import annotations

import pytest
from layer_cases import findings_in

from pplint.finding import ERROR, INFO, WARNING

_INNER = """

class InnerModel:
    def __init__(self, config, pp_group):
        {layers}

    def forward(self, input_ids{proxy}):
        return input_ids


class TopForCausalLM:
    def __init__(self, config, pp_group):
        self.model = {inner}(config, pp_group)

    def forward(self, input_ids{top}):
        return self.model(input_ids)


EntryClass = TopForCausalLM
"""
_IMPORT = "\n\nfrom sglang.srt.layers.sample_utils import make_layers\n"
PROXY = ", pp_proxy_tensors=None"
PLAIN = "self.layers = make_layers(4, Layer)"


def tree(layers: str = PLAIN, *, proxy: str = PROXY, top: str = PROXY, inner: str = "InnerModel") -> str:
    return _IMPORT + _INNER.format(layers=layers, proxy=proxy, top=top, inner=inner)


_HEIR = """
from sglang.srt.models.sample_model import SampleModel


class WholeModel(SampleModel):
    def __init__(self, config, pp_group):
        nn.Module.__init__(self)
        {replaces}


class WholeForCausalLM:
    def __init__(self, config, pp_group):
        self.model = WholeModel(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids)


EntryClass = WholeForCausalLM
"""

CASES = {
    "the maker is not told": (tree(), [ERROR]),
    "a plain module list": (tree("self.layers = nn.ModuleList([Layer(i) for i in range(4)])"), [ERROR]),
    "a maker for models without stages": (tree("self.layers = make_layers_non_pp(4, Layer)"), [ERROR]),
    "an inner model that ignores proxies": (tree(proxy=""), [ERROR]),
    "a list that cannot be unpacked": (
        tree("self.start_layer, self.end_layer, self.layers = make_layers(4, Layer)"),
        [ERROR],
    ),
    "a class that computes its range": (
        tree(f"self.start_layer = pp_group.rank * 4 // pp_group.world_size\n        {PLAIN}"),
        [WARNING],
    ),
    "a top-level class that refuses": (tree(top=""), [INFO]),
    "an unpacking under a class that refuses": (
        tree("self.layers, self.start_layer, self.end_layer = make_layers(4, Layer)", top=""),
        [ERROR],
    ),
    "nobody takes part": (tree(proxy="", top=""), []),
    "a plain list in place of a base's split one": (
        "\n\n" + _HEIR.format(replaces="self.layers = nn.ModuleList([Layer(i) for i in range(4)])"),
        [ERROR],
    ),
    "a list beside a base's split one": (
        "\n\n" + _HEIR.format(replaces="self.towers = nn.ModuleList([Layer(i) for i in range(4)])"),
        [],
    ),
    "told by keyword": (
        tree("self.layers, self.start_layer, self.end_layer = make_layers(4, Layer, pp_rank=0, pp_size=2)"),
        [],
    ),
    "told by position": (
        tree("self.layers, self.start_layer, self.end_layer = make_layers(4, Layer, 0, 2)"),
        [],
    ),
    "a list of something else": (tree("self.blocks = nn.ModuleList([Block()])", top=""), []),
    "one stage in all": (
        tree("if pp_group.world_size == 1:\n            self.layers = make_layers(4, Layer)"),
        [],
    ),
    "layers of the last stage only": (
        tree("if pp_group.is_last_rank:\n            self.tail = make_layers(1, Layer)"),
        [],
    ),
    "a list on one stage that cannot be unpacked": (
        tree(
            "if pp_group.is_last_rank:\n"
            "            self.layers, self.start_layer, self.end_layer = make_layers(4, Layer)"
        ),
        [ERROR],
    ),
    "a part beside a model whose class nobody says": (
        tree("self.layers = nn.ModuleList([Layer(i) for i in range(4)])", proxy="").replace(
            "        self.model = InnerModel(config, pp_group)",
            "        self.model = InnerModel(config, pp_group)\n        self.language_model = make_model(config)",
        ),
        [],
    ),
    "a draft model": (tree().replace("InnerModel", "InnerModelMTP"), []),
}


@pytest.mark.parametrize(("text", "levels"), CASES.values(), ids=CASES)
def test_layer_lists(text, levels, tmp_path):
    assert [finding.severity for finding in findings_in(tmp_path, "PPL303", text)] == levels


PLACED = """

class Based:
    def __init__(self, config, pp_group):
        self.embed_tokens = Embedding(config) if pp_group.is_first_rank else PPMissingLayer()
        if pp_group.is_last_rank:
            self.norm = Norm(config)
        else:
            self.norm = PPMissingLayer()
"""


def test_a_placeholder_of_a_base_is_shown_where_the_base_puts_it(tmp_path):
    based = "from sglang.srt.layers.sample_utils import PPMissingLayer\n" + PLACED
    heir = (
        _IMPORT
        + "from sglang.srt.based import Based\n"
        + _INNER.replace("class InnerModel:", "class InnerModel(Based):")
    )
    layers = (
        "super().__init__(config, pp_group)\n        self.embed_tokens = Embedding(config)\n        " + PLAIN
    )
    text = heir.format(layers=layers, proxy=PROXY, top=PROXY, inner="InnerModel")
    [found] = findings_in(tmp_path, "PPL303", text, ("srt/based.py", based))
    told = [step for step in found.trace if "is a placeholder on some stages" in step.text]
    assert [step.text.split("`")[1] for step in told] == ["norm"], "the heir has an embedding on every stage"
    assert told[0].path.endswith("srt/based.py")
    line = based.splitlines().index("            self.norm = PPMissingLayer()") + 1
    assert told[0].line == line
