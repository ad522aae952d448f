"""PPL301: which loops over a padded list fail, and which forms that look alike do not."""

from __future__ import annotations

import pytest
from layer_cases import RANGED, findings_in, method

from pplint.finding import ERROR, INFO, WARNING
from pplint.rules.samples import LAYERS, UTILS

BAD = {
    "a loop over the list": "for layer in self.model.layers:\n    print(layer.mlp)",
    "a list under another name": "layers = self.model.layers\nfor layer in layers:\n    print(layer.mlp)",
    "a copy of the whole list": "for layer in list(self.model.layers[:]):\n    print(layer.mlp)",
    "backwards": "for layer in reversed(self.model.layers):\n    print(layer.mlp)",
    "ids up to the length of the list": "for k in range(len(self.model.layers)):\n    self.model.layers[k].mlp.x = 1",
    "ids up to the configured number": "n = self.config.num_hidden_layers\nfor k in range(n):\n"
    "    layer = self.model.layers[k]\n    print(layer.mlp)",
    "from the stage's start to the end of the list": "for layer in "
    "self.model.layers[self.model.start_layer :]:\n"
    "    print(layer.mlp)",
    "ids that the config lists": "for k in self.config.full_attention_layer_ids:\n    print(self.model.layers[k].mlp)",
    "kinds that the config lists": "for k, kind in enumerate(self.config.layer_types):\n"
    "    if kind == 'full':\n        print(self.model.layers[k].mlp)",
    "one of two numbers of the config": "n = self.config.num_nextn if i else self.config.num_hidden_layers\n"
    "for k in range(n):\n    print(self.model.layers[k].mlp)",
    "each is run with something else first": "for layer in self.model.layers:\n    i = layer(caches, i)",
    "each is run and more is unpacked": "for k in range(len(self.model.layers)):\n"
    "    layer = self.model.layers[k]\n    i, caches = layer(i, caches)",
    "each is run by keywords": "for layer in self.model.layers:\n    i = layer(positions=caches, x=i)",
    "zip": "for layer, cache in zip(self.model.layers, caches):\n    print(layer.mlp, cache)",
    "any": "return any(isinstance(layer.mlp, dict) for layer in self.model.layers)",
    "a lambda": "return Lazy(lambda: [layer.mlp for layer in self.model.layers])",
    "getattr without a default": "for layer in self.model.layers:\n    print(getattr(layer, 'mlp'))",
    "hasattr of what is read": "for layer in self.model.layers:\n    print(hasattr(layer.mlp, 'experts'))",
    "a filter of the attribute": "return [k for k, layer in enumerate(self.model.layers) if layer.mlp.sparse]",
    "a guard on the model": "if self.model is not None:\n    return [layer.mlp for layer in self.model.layers]",
    "a test that layers are not None": "return [layer.mlp for layer in self.model.layers if layer is not None]",
    "each is called": "for layer in self.model.layers:\n    i = layer.mlp(i)",
    "a test of one of several stages": "for layer in self.model.layers:\n    if caches:\n"
    "        if isinstance(layer, PPMissingLayer):\n            continue\n    print(layer.mlp)",
    "a guard that ends before the read": "for layer in self.model.layers:\n"
    "    if isinstance(layer, PPMissingLayer):\n        print('none')\n    print(layer.mlp)",
    "a method that answers no": "for k, layer in enumerate(self.model.layers):\n"
    "    if not self.has_layer(k):\n        print(layer.mlp)",
    "a method that is asked about another layer": "for k, layer in enumerate(self.model.layers):\n"
    "    if self.has_layer(0):\n        print(layer.mlp)",
    "a method that compares with other bounds": "for k, layer in enumerate(self.model.layers):\n"
    "    if self.is_dense(k):\n        print(layer.mlp)",
    "a function that is asked about another layer": "for k, layer in enumerate(self.model.layers):\n"
    "    if not stands_in(self.model.layers[0]):\n        print(layer.mlp)",
    "another list where there is one stage": "loop = self.model.layers[self.model.start_layer : self.model.end_layer] "
    "if pp_group.world_size == 1 else self.model.layers\nfor layer in loop:\n    print(layer.mlp)",
    "a case of placeholders that goes on": "for layer in self.model.layers:\n    match layer:\n"
    "        case PPMissingLayer():\n            print(caches)\n    print(layer.mlp)",
    "a case of placeholders of one kind": "for layer in self.model.layers:\n    match layer:\n"
    "        case PPMissingLayer(kind=1):\n            continue\n        case _:\n            print(layer.mlp)",
    "a case after one that goes on": "for layer in self.model.layers:\n    match layer:\n        case caches if i:\n"
    "            pass\n        case PPMissingLayer():\n            continue\n    print(layer.mlp)",
    "other classes with a name": "for layer in self.model.layers:\n    if isinstance(layer, KINDS):\n        continue\n"
    "    print(layer.mlp)",
    "what the loop sets for some": "for k, layer in enumerate(self.model.layers):\n    if caches:\n"
    "        layer.layer_index = k\n    print(layer.layer_index)",
    "what the loop sets after the read": "for k, layer in enumerate(self.model.layers):\n"
    "    print(layer.layer_index)\n    layer.layer_index = k",
    "the message of an assertion": "assert caches, [layer.mlp for layer in self.model.layers]",
    "a guard on another layer": "for layer in self.model.layers:\n"
    "    if not isinstance(self.model.layers[0], PPMissingLayer):\n        print(layer.mlp)",
    "only one bound of the stage": "for k, layer in enumerate(self.model.layers):\n"
    "    if k < self.model.end_layer:\n        print(layer.mlp)",
    "ids from the first stage": "if pp_group.is_first_rank:\n    return [layer.mlp for layer in self.model.layers]",
}

GOOD = {
    "all layers where there is one stage": "loop = self.model.layers if pp_group.world_size == 1 else "
    "self.model.layers[self.model.start_layer : self.model.end_layer]\nfor layer in loop:\n    print(layer.mlp)",
    "all layers where there is one stage, in two statements": "if pp_group.world_size > 1:\n"
    "    loop = self.model.layers[self.model.start_layer : self.model.end_layer]\nelse:\n    loop = self.model.layers\n"
    "for layer in loop:\n    print(layer.mlp)",
    "all ids where a flag says that there is one stage": "whole = pp_group.world_size == 1\n"
    "ids = range(len(self.model.layers)) if whole else range(self.model.start_layer, self.model.end_layer)\n"
    "for k in ids:\n    print(self.model.layers[k].mlp)",
    "a case of placeholders": "for layer in self.model.layers:\n    match layer:\n        case PPMissingLayer():\n"
    "            continue\n        case _:\n            print(layer.mlp)",
    "a case of real layers": "for layer in self.model.layers:\n    match layer:\n"
    "        case DecoderLayer() | OtherLayer():\n            print(layer.mlp)",
    "after a case that is left": "for layer in self.model.layers:\n    match layer:\n        case PPMissingLayer():\n"
    "            continue\n    print(layer.mlp)",
    "classes with a name": "for layer in self.model.layers:\n    if isinstance(layer, _SKIP):\n        continue\n"
    "    print(layer.mlp)",
    "classes with a name of the class": "for layer in self.model.layers:\n    if not isinstance(layer, self.KINDS):\n"
    "        print(layer.mlp)",
    "classes with a name of the function": "skip = (PPMissingLayer, Skipped)\nfor layer in self.model.layers:\n"
    "    if not isinstance(layer, skip):\n        print(layer.mlp)",
    "what torch's module has": "for layer in self.model.layers:\n    print(layer._modules, layer._forward_hooks, "
    "layer.to_empty(device=i), layer._get_name(), layer.xpu(), layer.register_state_dict_pre_hook(i))",
    "what the loop sets": "for k, layer in enumerate(self.model.layers):\n    layer.layer_index = k\n"
    "    if caches:\n        print(layer.layer_index)",
    "a method that compares with the bounds": "for k, layer in enumerate(self.model.layers):\n"
    "    if self.has_layer(k):\n        print(layer.mlp)",
    "a method that is asked by keyword": "for k, layer in enumerate(self.model.layers):\n"
    "    if not self.has_layer(layer_id=k):\n        continue\n    print(layer.mlp)",
    "a method of the inner model": "for k in range(len(self.model.layers)):\n    if self.model.belongs_here(k):\n"
    "        print(self.model.layers[k].mlp)",
    "a method of the inner model that asks for placeholders": "for k in range(len(self.model.layers)):\n"
    "    if self.model.is_gone(k):\n        continue\n    print(self.model.layers[k].mlp)",
    "a method that is asked about the layer": "for layer in self.model.layers:\n    if self.leave_out(layer):\n"
    "        continue\n    print(layer.mlp)",
    "a function that is asked about the layer": "for layer in self.model.layers:\n    if not stands_in(layer):\n"
    "        print(layer.mlp)",
    "a filter by a method": "return [layer.mlp for k, layer in enumerate(self.model.layers) if self.has_layer(k)]",
    "layers that a method chose": "chosen = [layer for k, layer in enumerate(self.model.layers) if self.has_layer(k)]\n"
    "for layer in chosen:\n    print(layer.mlp)",
    "a function that is defined here": "def mine(k):\n    return self.model.start_layer <= k < self.model.end_layer\n"
    "for k, layer in enumerate(self.model.layers):\n    if mine(k):\n        print(layer.mlp)",
    "a lambda": "gone = lambda one: isinstance(one, PPMissingLayer)\n"
    "for layer in self.model.layers:\n    if not gone(layer):\n        print(layer.mlp)",
    "ids in a range that the model keeps": "for k, layer in enumerate(self.model.layers):\n"
    "    if k in self.model.kept_ids:\n        print(layer.mlp)",
    "the real ones where there are several stages": "for layer in self.model.layers:\n"
    "    if pp_group.world_size > 1:\n        if isinstance(layer, PPMissingLayer):\n            continue\n"
    "    print(layer.mlp)",
    "the layers are only called": "for layer in self.model.layers:\n    i = layer(i)",
    "the layers are run by keyword": "for layer in self.model.layers:\n    i = layer(x=i, positions=caches)",
    "the layers are run and their result has a name of its own": "for layer in self.model.layers:\n"
    "    after = layer(i, caches)\n    i = after",
    "real layers are run": "for layer in self.model.layers:\n    if isinstance(layer, PPMissingLayer):\n"
    "        continue\n    i, caches = layer(caches, i)",
    "the stage's layers are run": "for layer in self.model.layers[self.model.start_layer : self.model.end_layer]:\n"
    "    i, caches = layer(caches, i)",
    "spread arguments": "for layer in self.model.layers:\n    i = layer(*caches)",
    "a number that the caller may give": "n = i if i else self.config.num_hidden_layers\n"
    "for k in range(n):\n    print(self.model.layers[k].mlp)",
    "an attribute is set": "for layer in self.model.layers:\n    layer.captured = True",
    "what every module has": "for layer in self.model.layers:\n    print(layer.parameters(), layer.__class__)",
    "the stage's slice": "for layer in self.model.layers[self.model.start_layer : "
    "self.model.end_layer]:\n    print(layer.mlp)",
    "the stage's ids": "for k in range(self.model.start_layer, self.model.end_layer):\n"
    "    print(self.model.layers[k].mlp)",
    "continue on a placeholder": "for layer in self.model.layers:\n"
    "    if isinstance(layer, PPMissingLayer):\n"
    "        continue\n    print(layer.mlp)",
    "continue on a placeholder or another kind": "for layer in self.model.layers:\n"
    "    if isinstance(layer, PPMissingLayer) or not isinstance(layer.mlp, dict):\n        continue\n    "
    "print(layer.mlp)",
    "ids of the config that are compared": "for k in self.config.full_attention_layer_ids:\n"
    "    if not self.model.start_layer <= k < self.model.end_layer:\n        continue\n    "
    "print(self.model.layers[k].mlp)",
    "the type by name": "for layer in self.model.layers:\n"
    "    if layer.__class__.__name__ != 'PPMissingLayer':\n        print(layer.mlp)",
    "the very type": "for layer in self.model.layers:\n    if type(layer) is DecoderLayer:\n        print(layer.mlp)",
    "getattr with a default": "for layer in self.model.layers:\n    mlp = getattr(layer, 'mlp', None)\n"
    "    if mlp is None:\n        continue\n    print(layer.mlp, mlp.experts)",
    "a chosen list": "moe = [one for one in self.model.layers if isinstance(one, DecoderLayer)]\n"
    "for layer in moe:\n    print(layer.mlp)",
    "both bounds": "for k, layer in enumerate(self.model.layers):\n"
    "    if k < self.model.start_layer or k >= self.model.end_layer:\n        continue\n    print(layer.mlp)",
    "chosen ids": "ids = [k for k in range(self.config.num_hidden_layers) if self.model.start_layer <= k "
    "< self.model.end_layer]\n"
    "return [self.model.layers[k].mlp for k in ids]",
    "an error that is caught": "for layer in self.model.layers:\n    try:\n        print(layer.mlp)\n"
    "    except AttributeError:\n        pass",
    "one stage in all": "if pp_group.world_size != 1:\n    raise ValueError\n"
    "for layer in self.model.layers:\n    print(layer.mlp)",
    "names of weights": "return [f'layers.{k}.mlp' for k in range(len(self.model.layers))]",
    "a list of another kind": "for layer in self.towers:\n    print(layer.mlp)",
}

_ASKED = """
    KINDS = (Skipped, PPMissingLayer)

    def has_layer(self, layer_id):
        return self.model.start_layer <= layer_id < self.model.end_layer

    def is_dense(self, layer_id):
        return self.config.first_dense <= layer_id < self.config.last_dense

    def leave_out(self, one):
        return isinstance(one, (PPMissingLayer, Skipped))


_SKIP = (PPMissingLayer, nn.Identity)
KINDS = (DenseLayer, SparseLayer)


def stands_in(layer):
    return isinstance(layer, PPMissingLayer)
"""


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_a_loop_that_fails_is_reported_once(body, tmp_path):
    assert len(findings_in(tmp_path, "PPL301", method(body) + _ASKED, RANGED)) == 1


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD)
def test_a_loop_that_looks_alike_is_not_reported(body, tmp_path):
    assert not findings_in(tmp_path, "PPL301", method(body) + _ASKED, RANGED)


def test_a_loop_that_takes_steps_is_for_the_author(tmp_path):
    body = "for k in range(0, self.config.num_hidden_layers, 4):\n    print(self.model.layers[k].mlp)"
    (found,) = findings_in(tmp_path, "PPL301", method(body))
    assert found.fix is None
    assert "takes steps" in found.no_fix


def test_two_loops_are_two_findings(tmp_path):
    body = "layers = self.model.layers\na = [x.mlp for x in layers]\nb = [x.mlp for x in layers]"
    assert len(findings_in(tmp_path, "PPL301", method(body))) == 2


def test_a_pool_that_tests_the_id_may_be_asked_for_each(tmp_path):
    text = """\
class TolerantPool:
    def get_rows(self, layer_id):
        if layer_id < self.start_layer or layer_id >= self.end_layer:
            return None
        return self.rows[layer_id - self.start_layer]
"""
    body = "for k in range(self.config.num_hidden_layers):\n    pool.get_rows(k)"
    assert not findings_in(tmp_path, "PPL301", method(body), ("srt/tolerant.py", text))


_TESTED = "if not isinstance(self.model.layers[k], PPMissingLayer):\n        mlp = self.model.layers[k].mlp\n"
_LEFT = "if isinstance(self.model.layers[k], PPMissingLayer):\n        continue\n"
KEPT = {
    "used after the test": ("for k, x in caches:\n    " + _TESTED + "    mlp.x = x", 1),
    "used twice after the test": ("for k, x in caches:\n    " + _TESTED + "    mlp.x = x\n    mlp.y = x", 1),
    "used under the test": ("for k, x in caches:\n    " + _TESTED + "        mlp.x = x", 0),
    "not used": ("for k, x in caches:\n    " + _TESTED + "    print(k)", 0),
    "set before the test too": ("for k, x in caches:\n    mlp = None\n    " + _TESTED + "    print(mlp)", 0),
    "set before the loop": ("mlp = None\nfor k, x in caches:\n    " + _TESTED + "    print(mlp)", 0),
    "set in the other branch": (
        "for k, x in caches:\n    " + _TESTED + "    else:\n        mlp = None\n    print(mlp)",
        0,
    ),
    "the round is left otherwise": (
        "for k, x in caches:\n    " + _LEFT + "    mlp = self.model.layers[k].mlp\n    mlp.x = x",
        0,
    ),
    "used after the loop": ("for k, x in caches:\n    " + _TESTED + "return mlp", 0),
    "the stage's own ids": (
        "for k in range(self.model.start_layer, self.model.end_layer):\n    " + _TESTED + "    mlp.x = i",
        0,
    ),
}


@pytest.mark.parametrize(("body", "count"), KEPT.values(), ids=KEPT)
def test_what_is_kept_of_real_layers(body, count, tmp_path):
    assert len(findings_in(tmp_path, "PPL301", method(body))) == count


REPLACED = """

from sglang.srt.layers.sample_utils import make_layers


class WholeModel(SampleModel):
    def __init__(self, config, pp_group):
        {builds}


class WholeForCausalLM(CaseForCausalLM):
    def __init__(self, config, pp_group):
        self.model = WholeModel(config, pp_group)

    def look(self):
        return [layer.mlp for layer in self.model.layers]
"""
LISTS = {
    "a list for one stage": (
        "self.layers, self.start_layer, self.end_layer = make_layers(4, Layer, pp_rank=0, pp_size=1)",
        0,
    ),
    "a list for the stage": (
        "self.layers, self.start_layer, self.end_layer = make_layers(4, Layer, pp_rank=0, pp_size=config.pp_size)",
        1,
    ),
    "a plain list in its place": ("self.layers = nn.ModuleList([Layer(i) for i in range(4)])", 0),
    "what the base builds": ("super().__init__(config, pp_group)", 1),
}


@pytest.mark.parametrize(("builds", "count"), LISTS.values(), ids=LISTS)
def test_a_class_may_replace_the_list_of_its_base(builds, count, tmp_path):
    assert len(findings_in(tmp_path, "PPL301", REPLACED.format(builds=builds))) == count


FLAGS = {
    "under a flag": (
        "        if _use_aiter:\n            return [x.mlp for x in self.model.layers]\n",
        WARNING,
    ),
    "under a flag that says first what it is for": (
        "        if self.args.moe_enable_updates:\n            return [x.mlp for x in self.model.layers]\n",
        WARNING,
    ),
    "in a method called under a flag": (
        """\
        return [x.mlp for x in self.model.layers]

    def look(self):
        if _use_aiter:
            self._inner()
""",
        WARNING,
    ),
    "in a method also called without": (
        """\
        return [x.mlp for x in self.model.layers]

    def look(self):
        self._inner()
        if _use_aiter:
            self._inner()
""",
        ERROR,
    ),
}


@pytest.mark.parametrize(("body", "level"), FLAGS.values(), ids=FLAGS)
def test_a_flag_on_the_path_makes_a_warning(body, level, tmp_path):
    (found,) = findings_in(tmp_path, "PPL301", "    def _inner(self):\n" + body)
    assert found.severity == level


def test_a_model_that_refuses_pp_is_information_only(tmp_path):
    body = """\


class Alone:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)

    def forward(self, input_ids):
        return [layer.mlp for layer in self.model.layers]


EntryClass = Alone
"""
    (found,) = findings_in(tmp_path, "PPL301", body)
    assert found.severity == INFO
    assert "`Alone` does not accept pipeline parallelism" in found.message


@pytest.mark.parametrize(
    ("made", "level"),
    [("LazyValue(lambda: {})", WARNING), ("LazyValue({})", ERROR), ("list(map(lambda: {}, ()))", ERROR)],
    ids=["a value that is put off", "a value that is not", "a lambda for a function"],
)
def test_a_value_that_is_put_off_breaks_only_when_it_is_asked_for(made, level, tmp_path):
    value = made.replace("{}", "[layer.mlp for layer in self.model.layers]")
    (found,) = findings_in(tmp_path, "PPL301", method(f"return {value}"))
    assert found.severity == level


_INNER = """\
    pass


class InnerModel:
    def __init__(self, config):
        self.start_layer = 0
        self.layers, self.start_layer, self.end_layer = make_layers(
            config.num_hidden_layers, lambda idx: idx, pp_rank=config.pp_rank, pp_size=config.pp_size
        )

    def take_scales(self, scales):
        for layer in self.layers:
            layer.attn.scale = scales


class InnerForCausalLM:
    def __init__(self, config):
        self.model = InnerModel(config)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model

{}
EntryClass = [InnerForCausalLM]
"""
_OTHER = (
    "srt/models/other.py",
    """\
from sglang.srt.case import InnerModel


class OtherForCausalLM:
    def __init__(self, config):
        self.start_layer = 0

    def take_scales(self, scales):
        return scales


EntryClass = OtherForCausalLM
""",
)


@pytest.mark.parametrize(
    ("hands_on", "files", "level"),
    [
        pytest.param("", [_OTHER], INFO, id="the top-level class has no such method, others have"),
        pytest.param("", [], ERROR, id="no top-level class has such a method: who knows who calls it"),
        pytest.param(
            "    def take_scales(self, scales):\n        self.model.take_scales(scales)\n\n", [_OTHER], ERROR,
            id="the top-level class hands the call on",
        ),
        pytest.param(
            "    def load(self, scales):\n        self.model.take_scales(scales)\n\n", [_OTHER], ERROR,
            id="another method calls it",
        ),
    ],
)  # fmt: skip
def test_an_inner_method_that_nobody_hands_on_is_latent(hands_on, files, level, tmp_path):
    (found,) = findings_in(tmp_path, "PPL301", _INNER.format(hands_on), *files)
    assert found.severity == level
    assert ("nothing reaches `take_scales`" in found.message) is (level == INFO)


_READS = """
from sglang.srt.models.sample_model import SampleModel


class Reader(SampleModel):
    def forward(self, hidden_states, pp_proxy_tensors=None):
        return [layer.gate for layer in self.layers]
"""
_REAL = "its real layers (`DecoderLayer`) set none either, so that one stage alone fails too"


@pytest.mark.parametrize(
    ("base", "body", "said"),
    [
        pytest.param("", "pass", True, id="no real layer sets it"),
        pytest.param("nn.Module", "pass", True, id="nor does a module"),
        pytest.param("elsewhere.Block", "pass", False, id="a base that is not in view may"),
        pytest.param("", "gate = 0", False, id="their class has it"),
        pytest.param("", "def __init__(self, config, layer_id):\n        self.gate = layer_id", False, id="they set it"),
        pytest.param("", "@property\n    def gate(self):\n        return 0", False, id="a property"),
    ],
)  # fmt: skip
def test_an_attribute_that_no_real_layer_sets_is_no_matter_of_stages_alone(base, body, said, tmp_path):
    layers = LAYERS[0], f"{LAYERS[1]}\n\nclass DecoderLayer({base}):\n    {body}\n"
    (found,) = findings_in(tmp_path, "PPL301", _READS, layers, UTILS)
    assert (_REAL in found.message) is said


def test_an_attribute_that_the_file_sets_is_not_said_to_lack(tmp_path):
    layers = LAYERS[0], f"{LAYERS[1]}\n\nclass DecoderLayer:\n    pass\n"
    sets = "\n    def mark(self):\n        self.layers[self.start_layer].gate = 1\n"
    (found,) = findings_in(tmp_path, "PPL301", _READS + sets, layers, UTILS)
    assert _REAL not in found.message


def test_a_list_that_is_cut_on_one_path_gets_no_fix(tmp_path):
    body = (
        "loop = self.model.layers if i else self.model.layers[self.model.start_layer : self.model.end_layer]\n"
        "for layer in loop:\n    print(layer.mlp)"
    )
    (found,) = findings_in(tmp_path, "PPL301", method(body))
    assert found.fix is None
    assert found.no_fix == "the loop runs over different lists on different paths"
