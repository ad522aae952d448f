"""In which index space an expression lives: every source that the lattice knows, and what stays unknown."""

from __future__ import annotations

import ast
import textwrap

import pytest

from pplint.engine.accessors import Accessors
from pplint.engine.context import Context, Walk
from pplint.engine.facts import Facts
from pplint.engine.project import Project
from pplint.engine.spaces import (
    DENSE,
    END,
    EVERY,
    LITERAL,
    MODEL_COUNT,
    OWNED,
    STAGE,
    STAGE_COUNT,
    START,
    common_space,
)
from pplint.engine.summary import summarise
from pplint.rules.base import Rule, RuleInfo
from pplint.source.text import Source

MODEL = """
from layers import make_layers

class Model:
    def __init__(self, config, pp_group, layer_id):
        self.config = config
        self.layer_id = layer_id
        self.layers, self.start_layer, self.end_layer = make_layers(
            config.num_hidden_layers, pp_rank=pp_group.rank_in_group, pp_size=pp_group.world_size
        )

    def place(self, layer, unknown):
        {body}
"""

POOL = """
class Pool:
    def __init__(self, layer_num, start_layer, full_ids):
        self.layer_num = layer_num
        self.start_layer = start_layer
        self.k_buffer = [None for _ in range(self.layer_num)]
        self.mapping = {{gid: i for i, gid in enumerate(full_ids)}}
        self.pairs = {{}}
        for i, gid in enumerate(full_ids):
            self.pairs[gid] = (i, True)

    def get(self, layer_id):
        return self.k_buffer[layer_id - self.start_layer]

    def store(self, index):
        self.k_buffer[index] = None

    def local(self, layer_id):
        return layer_id - self.start_layer

    def dense(self, layer_id):
        if layer_id not in self.mapping:
            raise ValueError(layer_id)
        return self.mapping[layer_id]

    def ask_global(self, layer_id):
        probe(layer_id)
        return self.get(layer_id)

    def ask_local(self, layer_id):
        probe(layer_id)
        self.k_buffer[layer_id] = None

    def place(self, layer, unknown):
        {body}
"""

IN_MODEL = [
    ("the id of a layer is GLOBAL", "probe(layer.layer_id)", OWNED),
    ("so is the id that a layer was constructed with", "probe(self.layer_id)", OWNED),
    ("so is the id of an element", "for one in self.layers[self.start_layer:]: probe(one.layer_id)", OWNED),
    ("a number is a literal", "probe(3)", LITERAL),
    ("the first layer of the stage", "probe(self.start_layer)", START),
    ("one past its last layer", "probe(self.end_layer)", END),
    ("its last layer", "probe(self.end_layer - 1)", OWNED),
    ("the number of its layers", "probe(self.end_layer - self.start_layer)", STAGE_COUNT),
    ("the number of all layers", "probe(self.config.num_hidden_layers)", MODEL_COUNT),
    ("a padded list has a slot for each layer", "probe(len(self.layers))", MODEL_COUNT),
    ("a stage slice has not", "probe(len(self.layers[self.start_layer : self.end_layer]))", STAGE_COUNT),
    (
        "a loop over the stage range",
        "for i in range(self.start_layer, self.end_layer): probe(i)",
        OWNED,
    ),
    ("a loop over all layers", "for i in range(self.config.num_hidden_layers): probe(i)", EVERY),
    (
        "a loop over all layers through a local",
        "n = self.config.num_hidden_layers\n        for i in range(n): probe(i)",
        EVERY,
    ),
    ("a loop over the slots", "for i in range(len(self.layers)): probe(i)", EVERY),
    ("a loop up to the stage's end", "for i in range(self.end_layer): probe(i)", EVERY),
    ("the counter of a padded list", "for i, one in enumerate(self.layers): probe(i)", EVERY),
    (
        "the counter of a stage slice",
        "for i, one in enumerate(self.layers[self.start_layer : self.end_layer]): probe(i)",
        STAGE,
    ),
    (
        "the counter of islice",
        "for i, one in enumerate(islice(self.layers, self.start_layer, self.end_layer)): probe(i)",
        STAGE,
    ),
    (
        "the counter of a slice, with its start",
        "for i, one in enumerate(self.layers[self.start_layer : self.end_layer], self.start_layer): probe(i)",
        OWNED,
    ),
    (
        "the counter of a stage slice, moved",
        "for i, one in enumerate(self.layers[self.start_layer : self.end_layer]): probe(i + self.start_layer)",
        OWNED,
    ),
    (
        "the counter of a stage slice, moved in place",
        "for i, one in enumerate(self.layers[self.start_layer :]):\n            i += self.start_layer\n            probe(i)",
        OWNED,
    ),
    (
        "the position inside a stage range",
        "for i, one in enumerate(range(self.start_layer, self.end_layer)): probe(i)",
        STAGE,
    ),
    (
        "the element of a stage range",
        "for i, one in enumerate(range(self.start_layer, self.end_layer)): probe(one)",
        OWNED,
    ),
    ("an id minus the first layer", "probe(unknown - self.start_layer)", STAGE),
    ("the id before", "probe(layer.layer_id - 1)", OWNED),
    ("a parameter that nobody explains", "probe(unknown)", None),
    ("the counter of a list that nobody explains", "for i, one in enumerate(unknown): probe(i)", None),
    ("an id that was chosen by `or`", "probe(unknown or layer.layer_id)", None),
    ("two branches that disagree", "probe(self.start_layer if unknown else layer.layer_id)", None),
]

IN_POOL = [
    ("the number of a pool's layers", "probe(self.layer_num)", STAGE_COUNT),
    ("a loop over them", "for layer_id in range(self.layer_num): probe(layer_id)", STAGE),
    ("the length of a buffer list", "probe(len(self.k_buffer))", STAGE_COUNT),
    ("the counter of a buffer list", "for i, one in enumerate(self.k_buffer): probe(i)", STAGE),
    ("the end of a pool's range", "probe(self.start_layer + self.layer_num)", END),
    (
        "a loop over a pool's range",
        "for i in range(self.start_layer, self.start_layer + self.layer_num): probe(i)",
        OWNED,
    ),
    ("a value of a dictionary of ids", "probe(self.mapping[unknown])", DENSE),
    ("a value that get gives", "probe(self.mapping.get(unknown))", DENSE),
    ("the index of a pair", "index, kind = self.pairs[unknown]\n        probe(index)", DENSE),
    ("the kind of a pair is no index", "index, kind = self.pairs[unknown]\n        probe(kind)", None),
    ("a key of a dictionary of ids", "for one in self.mapping: probe(one)", OWNED),
    ("a key of its items", "for one, index in self.mapping.items(): probe(one)", OWNED),
    ("a value of its items", "for one, index in self.mapping.items(): probe(index)", DENSE),
    ("a value of its values", "for index in self.mapping.values(): probe(index)", DENSE),
    ("what a method subtracts from", "probe(self.local(unknown))", STAGE),
    ("what a method looks up", "probe(self.dense(unknown))", DENSE),
]


class Probe(Rule):
    """Writes down the space of what `probe` is called with."""

    everywhere = True

    def __init__(self) -> None:
        self.info = RuleInfo("PPL000", "probe", "info", "high", "", "", "", "", "")
        self.found: dict[str, str | None] = {}

    def call(self, context: Context, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "probe":
            space = common_space(context, context.flow.evaluate(node.args[0]))
            self.found[context.flow.functions[-1].name] = space.kind if space is not None else None


def probed(text: str) -> dict[str, str | None]:
    source = Source.of("/sample.py", textwrap.dedent(text).encode())
    tree = source.parse()
    project = Project({"sample": summarise(tree)}, {"sample": "/sample.py"})
    probe = Probe()
    Walk(Facts(project, Accessors(project)), "sample", source, tree, [probe]).walk()
    return probe.found


@pytest.mark.parametrize(
    ("body", "space"), [case[1:] for case in IN_MODEL], ids=[case[0] for case in IN_MODEL]
)
def test_a_model_counts_layers_in_one_space(body, space):
    assert probed(MODEL.format(body=body))["place"] == space


@pytest.mark.parametrize(("body", "space"), [case[1:] for case in IN_POOL], ids=[case[0] for case in IN_POOL])
def test_a_pool_counts_layers_in_one_space(body, space):
    assert probed(POOL.format(body=body))["place"] == space


def test_a_parameter_has_the_space_that_its_uses_show():
    found = probed(POOL.format(body="pass"))
    assert (found["ask_global"], found["ask_local"]) == (OWNED, STAGE)
