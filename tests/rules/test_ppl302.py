"""PPL302: which tests filter the weights of other stages, and which only look like it."""

from __future__ import annotations

import textwrap

import pytest
from layer_cases import findings_in

from pplint.finding import ERROR, INFO, WARNING
from pplint.judge.check import JudgeRequest, judge
from pplint.rules.samples import LAYERS

_DICT = "params_dict = dict(self.named_parameters())\n"
_EACH = _DICT + "for name, weight in weights:\n"


def loader(body: str, *, name: str = "load_weights", parameters: str = "weights") -> str:
    """A method of the class; `body` has no indent."""
    return f"    def {name}(self, {parameters}):\n" + textwrap.indent(body, " " * 8) + "\n"


def each(body: str) -> str:
    """A loader that runs `body` for each name."""
    return loader(_EACH + textwrap.indent(textwrap.dedent(body), " " * 4))


HELPER = loader("params_dict[name].copy_(weight)", name="_load_one", parameters="name, weight, params_dict")
OUTSIDE = "\n\ndef is_elsewhere(name, model):\n    return isinstance(model, PPMissingLayer)\n"
ASKS = OUTSIDE.replace("isinstance(model, PPMissingLayer)", "int(name) < model.start_layer")

PUT = "params_dict[name].copy_(weight)"
_LIST_MISSING = """

def get_missing_names(model):
    return [name + "." for name, module in model.named_modules() if isinstance(module, PPMissingLayer)]


def list_missing(model):
    names = []
    for name, module in model.named_modules():
        if isinstance(module, PPMissingLayer):
            names.append(name + ".")
    return names
"""
VLLM = """

def is_not_here(name, model):
    if isinstance(model, PPMissingLayer):
        return True
    return any(name.startswith(missing) for missing in list_missing(model))
"""
BAILING = """

def is_not_here(name, model):
    modules = dict(model.named_modules())
    if isinstance(model, PPMissingLayer):
        return True
    return False
"""


def skipping(test: str) -> str:
    """A loader that leaves out the names of which a test holds."""
    return each(f"if {test}:\n    continue\n{PUT}")


def asking(result: str, *, name: str = "_is_here", skip: bool = True) -> str:
    """A loader that asks a method for each name (to skip it, or to take it), and the method with its result."""
    test = f"{'not ' if not skip else ''}self.{name}(name)"
    return skipping(test) + loader(result, name=name, parameters="name")


def keeping(attribute: str, test: str) -> str:
    """A loader that leaves out the names of which a test holds, and what a constructor of an heir keeps for it."""
    made = loader(
        f"super().__init__(config, pp_group)\n{attribute}", name="__init__", parameters="config, pp_group"
    )
    head = "\n\nclass Heir(CaseForCausalLM):\n"
    return head + made + skipping(test) + "\nEntryClass = Heir\n"


FOUND = {
    "a helper that tests membership of biases only": asking(
        "params_dict = dict(self.named_parameters())\nreturn name.endswith('.bias') and name not in params_dict"
    ),
    "a helper that is asked for the contrary": asking(
        "return name in dict(self.named_parameters())",
    ),
    "a helper that says no without a test": asking(
        "if name in dict(self.named_parameters()):\n    return True\nreturn 'rotary' in name", skip=False
    ),
    "a helper that asks what kind its model is": skipping("is_not_here(name, self)") + BAILING,
    "prefixes that do not come from the stage": keeping(
        "self.prefixes = tuple(f'layers.{i}.' for i in range(config.num_hidden_layers))",
        "not name.startswith(self.prefixes)",
    ),
    "a set of all layers": keeping(
        "self.numbers = set(range(config.num_hidden_layers))", "get_layer_id(name) not in self.numbers"
    ),
    "names of the checkpoint": loader(
        _DICT + "for name in weights.keys() - params_dict.keys():\n    params_dict[name].copy_(weights[name])"
    ),
    "no test at all": each("params_dict[name].copy_(weight)"),
    "biases only": each(
        "if name.endswith('.bias') and name not in params_dict:\n    continue\n"
        "params_dict[name].copy_(weight)"
    ),
    "a test of one of two lookups": each(
        "if 'experts' in name:\n    if name not in params_dict:\n        continue\n"
        "else:\n    params_dict[name].copy_(weight)"
    ),
    "a remapped name": each(
        "name = maybe_remap_kv_scale_name(name, params_dict)\nif name is None:\n    continue\n"
        "params_dict[name].copy_(weight)"
    ),
    "a test of layers past the last": each(
        "if int(name) >= self.config.num_hidden_layers:\n    continue\nparams_dict[name].copy_(weight)"
    ),
    "a guard that ends before": each(
        "if name in params_dict:\n    pass\nparams_dict[name].copy_(weight)",
    ),
    "a helper that is called unfiltered": each("self._load_one(name, weight, params_dict)") + HELPER,
    "a helper with one filtered call": each(
        "if name in params_dict:\n    self._load_one(name, weight, params_dict)\n"
        "else:\n    self._load_one(name + '.weight', weight, params_dict)"
    )
    + HELPER,
    "a function that does not ask for the stage": each(
        "if is_elsewhere(name, self):\n    continue\nparams_dict[name].copy_(weight)"
    )
    + OUTSIDE,
    "the state": loader("for name, weight in weights:\n    self.state_dict()[name].copy_(weight)"),
    "a dictionary made by hand": loader(
        "own = {n: p for n, p in self.named_parameters()}\nfor name, weight in weights:\n    own[name].copy_(weight)"
    ),
    "a module by its name": loader(
        "for name, weight in weights:\n    experts = self.get_submodule(name.rpartition('.')[0])\n    experts.take(weight)"
    ),
    "a parameter of the inner model by its name": loader(
        "for name, weight in weights:\n    self.model.get_parameter(name).copy_(weight)"
    ),
    "a module by its name where a KeyError is caught": each(
        "try:\n    self.get_submodule(name).take(weight)\nexcept KeyError:\n    pass"
    ),
    "a dictionary of modules": loader(
        "modules = dict(self.named_modules())\nfor name, weight in weights:\n    modules[name].take(weight)"
    ),
    "weights that are taken for another reason": loader(
        _DICT + "some = [(n, w) for n, w in weights if w is not None]\n"
        "for name, weight in some:\n    params_dict[name].copy_(weight)"
    ),
    "a kept dictionary": loader(
        "self._params_dict = dict(self.named_parameters())\nfor name, weight in weights:\n"
        "    self._params_dict[name].copy_(weight)"
    ),
    "a nested test of membership for biases": each(
        "if name.endswith('.bias'):\n    if name not in params_dict:\n        continue\n"
        "params_dict[name].copy_(weight)"
    ),
    "a nested test of something else": each(
        "if get_layer_id(name) is not None:\n    if weight is None:\n        continue\n"
        "params_dict[name].copy_(weight)"
    ),
    "an error that is not caught": each(
        "try:\n    params_dict[name].copy_(weight)\nexcept ValueError:\n    pass"
    ),
}

SILENT = {
    "a helper that tests membership": asking("return name not in dict(self.named_parameters())"),
    "a helper that tests membership the other way round": asking(
        "params_dict = dict(self.named_parameters())\nif name not in params_dict:\n    return False\nreturn True",
        skip=False,
    ),
    "a helper that asks such a helper": asking("return 'rotary' in name or self._lacks(name)", name="_skips")
    + loader("return name not in self.state_dict()", name="_lacks", parameters="name"),
    "a nested helper that tests membership": loader(
        _DICT + "def known(name):\n    return name in params_dict\n\nfor name, weight in weights:\n"
        "    if not known(name):\n        continue\n    params_dict[name].copy_(weight)"
    ),
    "a helper that looks for placeholders by way of another": skipping("is_not_here(name, self)")
    + _LIST_MISSING
    + VLLM,
    "names of placeholders in a list": loader(
        "gone = list_missing(self)\n"
        + _EACH
        + "    if any(name.startswith(one) for one in gone):\n        continue\n    params_dict[name].copy_(weight)"
    )
    + _LIST_MISSING,
    "names of placeholders in a tuple": loader(
        "gone = tuple(get_missing_names(self))\n"
        + _EACH
        + "    if name.startswith(gone):\n        continue\n    params_dict[name].copy_(weight)"
    )
    + _LIST_MISSING,
    "names of placeholders that are listed on the spot": loader(
        "gone = tuple(n for n, m in self.named_modules() if isinstance(m, PPMissingLayer))\n"
        + _EACH
        + "    if name.startswith(gone):\n        continue\n    params_dict[name].copy_(weight)"
    ),
    "prefixes of the stage's layers": keeping(
        "self.prefixes = tuple(f'layers.{i}.' for i in range(self.model.start_layer, self.model.end_layer))",
        "not name.startswith(self.prefixes)",
    ),
    "a set of the stage's layers": keeping(
        "self.numbers = set(range(self.model.start_layer, self.model.end_layer))",
        "get_layer_id(name) not in self.numbers",
    ),
    "a set of the stage's layers in a local": loader(
        "numbers = set(range(self.model.start_layer, self.model.end_layer))\n"
        + _EACH
        + "    if get_layer_id(name) not in numbers:\n        continue\n    params_dict[name].copy_(weight)"
    ),
    "a property with the stage's layers": skipping("get_layer_id(name) not in self.numbers")
    + "    @functools.cached_property\n"
    + loader(
        "return set(range(self.model.start_layer, self.model.end_layer))", name="numbers", parameters=""
    ),
    "names of the checkpoint and of the stage": loader(
        _DICT + "for name in params_dict.keys() & weights.keys():\n    params_dict[name].copy_(weights[name])"
    ),
    "names of the checkpoint and of the stage, sorted": loader(
        _DICT
        + "for name in sorted(set(weights) & set(params_dict)):\n    params_dict[name].copy_(weights[name])"
    ),
    "a function that is given the model": loader(
        "own = dict(named_parameters(self))\nfor name, weight in weights:\n    own[name].copy_(weight)"
    ),
    "the stage's own names": loader(
        _DICT + "for name in sorted(params_dict):\n    params_dict[name].copy_(weights[name])"
    ),
    "the stage's own names and values": loader(
        "for name, own in self.named_parameters():\n    self.get_submodule(name.rpartition('.')[0]).take(own)"
    ),
    "a module of something else": each("draft.get_submodule(name).take(weight)"),
    "a getter of its own": each("self.get_parameter(name).copy_(weight)")
    + loader("return dict(self.named_parameters()).get(name)", name="get_parameter", parameters="name"),
    "the stage range under other names": each(
        "low, high = self.model.start_layer, self.model.end_layer\nif not low <= get_layer_id(name) < high:\n"
        "    continue\nparams_dict[name].copy_(weight)"
    ),
    "a test of the placeholder": each(
        "if isinstance(self.model.layers[get_layer_id(name)], PPMissingLayer):\n    continue\n"
        "params_dict[name].copy_(weight)"
    ),
    "a module by its name where an AttributeError is caught": each(
        "try:\n    self.get_submodule(name).take(weight)\nexcept AttributeError:\n    pass"
    ),
    "a module by its name behind a test of the range": each(
        "if not self.model.start_layer <= get_layer_id(name) < self.model.end_layer:\n    continue\n"
        "self.get_submodule(name).take(weight)"
    ),
    "a module by a literal name": each("self.get_submodule('model').take(weight)"),
    "a module of another part": each("self.visual.get_submodule(name).take(weight)"),
    "weights that were picked by membership": loader(
        _DICT + "some = [(n, w) for n, w in weights if n in params_dict]\n"
        "for name, weight in some:\n    params_dict[name].copy_(weight)"
    ),
    "membership": each("if name not in params_dict:\n    continue\nparams_dict[name].copy_(weight)"),
    "membership in the keys": each("if name in params_dict.keys():\n    params_dict[name].copy_(weight)"),
    "either test continues": each(
        "if 'rotary' in name or name not in params_dict:\n    continue\nparams_dict[name].copy_(weight)"
    ),
    "the stage range": each(
        "layer_id = get_layer_id(name)\n"
        "if layer_id is not None and hasattr(self.model, 'start_layer') and (\n"
        "    layer_id < self.model.start_layer or layer_id >= self.model.end_layer\n):\n    continue\n"
        "params_dict[name].copy_(weight)"
    ),
    "the stage range in a test inside another": each(
        "layer_id = get_layer_id(name)\nif layer_id is not None:\n"
        "    if not self.model.start_layer <= layer_id < self.model.end_layer:\n        continue\n"
        "params_dict[name].copy_(weight)"
    ),
    "the stage range where the other branch does something": each(
        "if 'rotary' in name:\n    weight = None\nelif int(name) >= self.model.end_layer:\n    continue\n"
        "else:\n    name = name.lower()\nparams_dict[name].copy_(weight)"
    ),
    "a method that asks, for layers": each(
        "layer_id = get_layer_id(name)\nif layer_id is not None:\n    if self._other(name):\n"
        "        continue\nparams_dict[name].copy_(weight)"
    )
    + loader(
        "return not self.model.start_layer <= get_layer_id(name) < self.model.end_layer",
        name="_other",
        parameters="name",
    ),
    "membership, for layers": each(
        "if 'model.layers.' in name and name not in params_dict:\n    continue\n"
        "params_dict[name].copy_(weight)"
    ),
    "membership in a with block": each(
        "with quiet():\n    if name not in params_dict:\n        continue\nparams_dict[name].copy_(weight)"
    ),
    "a stage range in a local name": each(
        "skip = not self.model.start_layer <= get_layer_id(name) < self.model.end_layer\n"
        "if skip:\n    continue\nparams_dict[name].copy_(weight)"
    ),
    "an own method that asks": each("if self._other(name):\n    continue\nparams_dict[name].copy_(weight)")
    + loader(
        "return not self.model.start_layer <= get_layer_id(name) < self.model.end_layer",
        name="_other",
        parameters="name",
    ),
    "a function of the module that asks": each(
        "if is_elsewhere(name, self):\n    continue\nparams_dict[name].copy_(weight)"
    )
    + ASKS,
    "a filter with the range as keywords": each(
        "if pp_filter(name, start_layer=self.model.start_layer, end_layer=self.model.end_layer):\n"
        "    continue\nparams_dict[name].copy_(weight)"
    ),
    "weights that are filtered before the loop": loader(
        "weights = filter_weights(weights, self.model.start_layer, self.model.end_layer)\n"
        + _EACH
        + "    params_dict[name].copy_(weight)"
    ),
    "a filtered call of a helper": each(
        "if name in params_dict:\n    self._load_one(name, weight, params_dict)"
    )
    + HELPER,
    "a helper that returns early": each("self._load_one(name, weight, params_dict)")
    + loader(
        "if name not in params_dict:\n    return\nparams_dict[name].copy_(weight)",
        name="_load_one",
        parameters="name, weight, params_dict",
    ),
    "a lookup with a default": each(
        "param = params_dict.get(name)\nif param is not None:\n    param.copy_(weight)"
    ),
    "a missing key is caught": each(
        "try:\n    params_dict[name].copy_(weight)\nexcept KeyError:\n    continue"
    ),
    "a literal name": loader(_DICT + "params_dict['lm_head.weight'].copy_(weights)"),
    "names of the vision part": each("if name.startswith('visual.'):\n    params_dict[name].copy_(weight)"),
    "what is left when layers are handed on": each(
        "if name.startswith('language_model.'):\n    yield name, weight\n    continue\n"
        "params_dict[name].copy_(weight)"
    ),
    "the parameters of a part": loader(
        "params_dict = dict(self.vision_tower.named_parameters())\nfor name, weight in weights:\n"
        "    params_dict[name].copy_(weight)"
    ),
    "one stage in all": each("if self.pp_group.world_size == 1:\n    params_dict[name].copy_(weight)"),
    "a method that is no loader": loader(
        _DICT + "return params_dict[name]", name="get_weights_by_name", parameters="name"
    ),
}


@pytest.mark.parametrize("body", FOUND.values(), ids=FOUND)
def test_an_unfiltered_lookup_is_an_error(body, tmp_path):
    findings = findings_in(tmp_path, "PPL302", body)
    assert [finding.severity for finding in findings] == [ERROR]


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_a_filtered_lookup_is_silent(body, tmp_path):
    assert findings_in(tmp_path, "PPL302", body) == []


MODEL = (
    LAYERS[0],
    LAYERS[1].replace(
        "    def forward",
        "        self.mine = frozenset(range(self.start_layer, self.end_layer))\n        self.all = config.layers\n\n"
        "    def is_mine(self, i):\n        return self.start_layer <= i < self.end_layer\n\n"
        "    def is_wanted(self, i):\n        return i in self.all\n\n    def forward",
        1,
    ),
)
LENT = (
    "srt/layers/given.py",
    """\
def load_elsewhere(model, weights, params_dict=None):
    load_each(model, [(n, w) for n, w in weights if "experts" in n])


def load_each(model, weights):
    params_dict = dict(model.named_parameters())
    for name, weight in weights:
        params_dict[name].copy_(weight)


def load_some(model, weights):
    params_dict = dict(model.named_parameters())
    for name, weight in weights:
        if name not in params_dict:
            continue
        params_dict[name].copy_(weight)


def load_into(params_dict, weights):
    for name, weight in weights:
        params_dict[name].copy_(weight)
""",
)
_LEND = "from sglang.srt.layers.given import load_elsewhere, load_into, load_some\n"
LENDERS = {
    "the loader hands itself over": (loader(_LEND + "load_elsewhere(self, weights)"), [8]),
    "by keyword": (loader(_LEND + "load_elsewhere(model=self, weights=weights)"), [8]),
    "the loader hands its parameters over": (
        loader(_LEND + "params_dict = dict(self.named_parameters())\nload_into(params_dict, weights)"), [21]
    ),
    "to one that tests membership": (loader(_LEND + "load_some(self, weights)"), []),
    "a part of it": (loader(_LEND + "load_elsewhere(self.visual, weights)"), []),
    "behind a handler": (
        loader(_LEND + "try:\n    load_elsewhere(self, weights)\nexcept KeyError:\n    pass"), []
    ),
    "a loader that knows the stage": (
        loader(_LEND + "weights = pick(weights, self.model.start_layer)\nload_elsewhere(self, weights)"), []
    ),
    "what is no loader": (loader(_LEND + "load_elsewhere(self, weights)", name="look_at"), []),
    "nobody calls it": (loader(_LEND + "pass"), []),
}  # fmt: skip


@pytest.mark.parametrize(("body", "lines"), LENDERS.values(), ids=LENDERS)
def test_a_function_of_another_module_that_is_given_the_weights(body, lines, tmp_path):
    findings_in(tmp_path, "PPL302", body, LENT)
    judged = judge(
        JudgeRequest(str(tmp_path), (str(tmp_path / "sglang" / LENT[0]),), {}, frozenset({"PPL302"}))
    )
    assert [finding.span.line for finding in judged.findings] == lines
    for finding in judged.findings:
        assert "parameters of `CaseForCausalLM`" in finding.message
        assert any(
            "hands its weights to" in step.text and step.path.endswith("case.py") for step in finding.trace
        )


ASKS_THE_MODEL = {
    "a helper that asks the model about layers": (asking(
        "i = get_layer_id(name)\nreturn i is None or self.model.is_mine(i)", skip=False
    ), 0),
    "a helper that asks the model the contrary": (asking(
        "i = get_layer_id(name)\nreturn i is not None and not self.model.is_mine(i)"
    ), 0),
    "a helper that returns early without a layer": (asking(
        "i = get_layer_id(name)\nif i is None:\n    return True\nreturn self.model.is_mine(i)", skip=False
    ), 0),
    "a helper that asks the model for something else": (asking(
        "i = get_layer_id(name)\nreturn i is None or self.model.is_wanted(i)", skip=False
    ), 1),
    "a set of all layers that the model keeps": (skipping("get_layer_id(name) not in self.model.all"), 1),
    "a set of the stage's layers that the model keeps": (skipping("get_layer_id(name) not in self.model.mine"), 0),
}  # fmt: skip


@pytest.mark.parametrize(("body", "count"), ASKS_THE_MODEL.values(), ids=ASKS_THE_MODEL)
def test_the_model_may_say_which_layers_are_there(body, count, tmp_path):
    assert len(findings_in(tmp_path, "PPL302", body, MODEL)) == count


def test_a_lookup_of_scales_is_a_warning(tmp_path):
    body = each(
        "if scale_name := self.quant.get_cache_scale(name):\n    params_dict[scale_name].copy_(weight)"
    )
    (finding,) = findings_in(tmp_path, "PPL302", body)
    assert finding.severity == WARNING
    assert "only for a checkpoint with such scales" in finding.message


def test_the_call_that_every_checkpoint_makes_decides_the_level(tmp_path):
    closure = "def load(n, w):\n    params_dict[n].copy_(w)\n\n"
    body = loader(
        _DICT + closure + "for name, weight in weights:\n"
        "    if scale_name := self.quant.get_cache_scale(name):\n        load(scale_name, weight)\n"
        "        continue\n    load(name, weight)"
    )
    (finding,) = findings_in(tmp_path, "PPL302", body)
    assert finding.severity == ERROR
    assert "`load` is called here" in finding.trace[0].text


WRAPPED = """

class WrappedModel:
    def __init__(self, config, pp_group):
        self.decoder = SampleModel(config, pp_group){has}

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.decoder(input_ids, pp_proxy_tensors)


class WrappedForCausalLM:
    def __init__(self, config, pp_group):
        self.model = WrappedModel(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)

"""

ASKS_MODEL = each(
    "layer_id = get_layer_id(name)\n"
    "if layer_id is not None and hasattr(self.model, 'start_layer') and (\n"
    "    layer_id < self.model.start_layer or layer_id >= self.model.end_layer\n):\n    continue\n"
    "params_dict[name].copy_(weight)"
)


def test_a_filter_that_asks_for_what_the_model_lacks_is_none(tmp_path):
    (finding,) = findings_in(tmp_path, "PPL302", WRAPPED.format(has="") + ASKS_MODEL)
    assert finding.severity == ERROR
    assert "asks for `self.model.start_layer`, which `WrappedModel` does not have" in finding.message
    assert any("`WrappedModel` has no `start_layer`" in step.text for step in finding.trace)


HAS = {
    "an attribute": "\n        self.start_layer = self.decoder.start_layer",
    "a property": "\n\n    @property\n    def start_layer(self):\n        return self.decoder.start_layer",
    "any attribute": "\n\n    def __getattr__(self, name):\n        return getattr(self.decoder, name)",
}


@pytest.mark.parametrize("has", HAS.values(), ids=HAS)
def test_a_filter_that_asks_for_what_the_model_has_is_one(has, tmp_path):
    assert findings_in(tmp_path, "PPL302", WRAPPED.format(has=has) + ASKS_MODEL) == []


def test_a_base_out_of_view_may_bring_what_the_filter_asks_for(tmp_path):
    text = WRAPPED.format(has="").replace("class WrappedModel:", "class WrappedModel(Elsewhere):")
    assert findings_in(tmp_path, "PPL302", text + ASKS_MODEL) == []


LATENT = """

class OldForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)

    def forward(self, input_ids):
        return self.model(input_ids)

"""


def test_a_class_that_refuses_pipelines_is_latent(tmp_path):
    (finding,) = findings_in(tmp_path, "PPL302", LATENT + each("params_dict[name].copy_(weight)"))
    assert finding.severity == INFO
    assert "`OldForCausalLM` does not accept pipeline parallelism today" in finding.message


CHILDREN = {
    "hands on to its base": ("super().load_weights(weights)", [ERROR]),
    "loads by itself": ("return None", [INFO]),
}


@pytest.mark.parametrize(("body", "levels"), CHILDREN.values(), ids=CHILDREN)
def test_a_subclass_that_accepts_pipelines(body, levels, tmp_path):
    child = (
        "\n\nclass NewForCausalLM(OldForCausalLM):\n"
        "    def forward(self, input_ids, pp_proxy_tensors=None):\n        return input_ids\n\n"
    )
    entry = "\n\nEntryClass = [OldForCausalLM, NewForCausalLM]\n"
    text = LATENT + each("params_dict[name].copy_(weight)") + child + loader(body) + entry
    assert [finding.severity for finding in findings_in(tmp_path, "PPL302", text)] == levels


LAYERS_IN_VIEW = (
    LAYERS[0],
    LAYERS[1] + "\n\nclass DecoderLayer:\n    def __init__(self, config, layer_id):\n"
    "        self.mlp = Mlp(config)\n        self.gate_norm = Norm(config)\n",
)  # fmt: skip
TOWERS = """

class HearingForCausalLM:
    def __init__(self, config, pp_group):
        self.lm = SampleModel(config, pp_group)
        self.apm = Ear(config)
        self.resampler = self.make_resampler(config)
        self.mlp1 = nn.Linear(config.wide, config.narrow)

    def make_resampler(self, config):
        return registry.get(config).to("cpu")

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.lm(input_ids, pp_proxy_tensors)

"""
OTHER_PARTS = {
    "what another attribute is called": ("if 'apm' in name:\n    " + PUT, 0),
    "a piece of what a method makes": ("if 'sampler' in name:\n    " + PUT, 0),
    "a piece of it after the name of the model": ("if name.startswith('model.resampler.'):\n    " + PUT, 0),
    "one or the other": ("if 'sampler' in name or ('apm' in name and 'blocks' in name):\n    " + PUT, 0),
    "one or the layers": ("if 'sampler' in name or 'layers' in name:\n    " + PUT, 1),
    "a piece that layers have in their names too": ("if 'mlp' in name:\n    " + PUT, 1),
    "the whole name beside such a piece": ("if 'mlp1' in name:\n    " + PUT, 0),
    "a number of a layer": ("if '.1.' in name:\n    " + PUT, 1),
    "what the class does not build": ("if 'tts' in name:\n    " + PUT, 1),
    "what is left without the other part": ("if 'apm' in name:\n    continue\n" + PUT, 1),
    "what is left without the way to the layers": ("if name.startswith('lm.'):\n    continue\n" + PUT, 0),
    "what is left without a word of that way": ("if 'lm' in name:\n    continue\n" + PUT, 0),
    "what is left without another beginning": ("if name.startswith('m.'):\n    continue\n" + PUT, 1),
    "the way to the layers": ("if name.startswith('lm.'):\n    " + PUT, 1),
    "a name that is not the way alone": ("if name == 'lm.':\n    continue\n" + PUT, 1),
}


@pytest.mark.parametrize(("body", "count"), OTHER_PARTS.values(), ids=OTHER_PARTS)
def test_what_a_class_builds_besides_its_layers_tells_which_weights_are_not_theirs(body, count, tmp_path):
    assert len(findings_in(tmp_path, "PPL302", TOWERS + each(body), LAYERS_IN_VIEW)) == count


def test_layers_of_an_unknown_class_may_have_any_names(tmp_path):
    body = OTHER_PARTS["what another attribute is called"][0]
    assert len(findings_in(tmp_path, "PPL302", TOWERS + each(body))) == 1


_READ = "print(self.model.layers[k].mlp)"
LAYER_OF_NAME = {
    "the part of a name": ("self.model.layers[int(name.split('.')[2])].mlp.fused = weight", 1),
    "under a name of its own": ("k = int(name.split('.')[2])\n" + _READ, 1),
    "by a helper": ("k = get_layer_id(name)\n" + _READ, 1),
    "by an expression": (r"k = int(re.search(r'layers\.(\d+)', name).group(1))" + "\n" + _READ, 1),
    "after a test of the range": (
        "k = get_layer_id(name)\nif not self.model.start_layer <= k < self.model.end_layer:\n    continue\n" + _READ, 0
    ),
    "after a test of membership": (
        "if name not in params_dict:\n    continue\nprint(self.model.layers[int(name.split('.')[2])].mlp)", 0,
    ),
    "after a test of the slot": (
        "k = get_layer_id(name)\nif isinstance(self.model.layers[k], PPMissingLayer):\n    continue\n" + _READ, 0
    ),
    "what every module has": ("print(self.model.layers[get_layer_id(name)].training)", 0),
    "another list": ("print(self.heads[int(name.split('.')[2])].mlp)", 0),
    "another number": ("print(self.model.layers[self.number].mlp)", 0),
}  # fmt: skip


@pytest.mark.parametrize(("body", "count"), LAYER_OF_NAME.values(), ids=LAYER_OF_NAME)
def test_the_layer_that_a_name_speaks_of_may_be_a_placeholder(body, count, tmp_path):
    findings = findings_in(tmp_path, "PPL302", each(body + "\n"))
    assert len(findings) == count
    for finding in findings:
        assert ".mlp` is read of the layer that a weight's name speaks of" in finding.message
        assert "AttributeError on every stage" in finding.message
        assert finding.asks is not None
        assert finding.asks.error == "AttributeError"
