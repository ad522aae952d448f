"""PPL702 and PPL704: who hides a stage range, who tells it, and who hides that it is missing."""

from __future__ import annotations

import pytest
from layer_cases import findings_in

from pplint.finding import ERROR, INFO, UNSAFE, WARNING

_ENTRY = "\n\nEntryClass = [CaseForCausalLM]\n"
_PROPERTY = "    @property\n    def start_layer(self):\n        return self.model.start_layer\n"
_CHILD = """

class ChildForCausalLM(CaseForCausalLM):
    pass


EntryClass = [CaseForCausalLM, ChildForCausalLM]
"""
_OLD = """

class OldForCausalLM(CaseForCausalLM):
    def forward(self, input_ids):
        return input_ids


EntryClass = OldForCausalLM
"""
_DELEGATES = """
class Top:
    @property
    def start_layer(self):
        return getattr(getattr(self, 'inner', None), 'start_layer', 0)
"""
_FIRST = """
def look(pool, group):
    if group.is_first_rank:
        return getattr(pool, 'start_layer', 0)
"""
_WRAPPER = """

class WrapperForCausalLM:
    def __init__(self, config, pp_group):
        self.inner = {inner}(config, pp_group)

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.inner(input_ids)


EntryClass = WrapperForCausalLM
"""

_BORROWS = """

class OuterForCausalLM:
    def __init__(self, config, pp_group):
        self.inner = {inner}(config, pp_group)
        self.forward = self.inner.forward


EntryClass = OuterForCausalLM
"""
_TAKES = """
class BareModel:
    def __init__(self, config, pp_group):
        self.decoder = SampleModel(config, pp_group)


class OuterForCausalLM:
    def __init__(self, config, pp_group):
        self.model = {model}(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)

    @property
    def start_layer(self):
        return {value}


EntryClass = OuterForCausalLM
"""

HIDDEN = {
    "a class of its own": (_ENTRY, ["CaseForCausalLM"]),
    "a class that inherits the mistake is named once": (_CHILD, ["CaseForCausalLM"]),
    "a wrapper around a class that hides it": (
        _WRAPPER.format(inner="CaseForCausalLM"),
        ["WrapperForCausalLM"],
    ),
    "a class that is no entry": ("", []),
    "a property": (_PROPERTY + _ENTRY, []),
    "a property in one line": (
        "    start_layer = property(lambda self: self.model.start_layer)\n" + _ENTRY,
        [],
    ),
    "a property that an operator reads": (
        "    start_layer = property(operator.attrgetter('model.start_layer'))\n" + _ENTRY,
        [],
    ),
    "a property in one line, from a model that has none": (
        _TAKES.format(model="BareModel", value="0").replace(
            "    @property\n    def start_layer(self):\n        return 0\n",
            "    start_layer = property(lambda self: self.model.start_layer)\n",
        ),
        ["OuterForCausalLM"],
    ),
    "an attribute that another method sets": (
        "    def load(self):\n        self.start_layer = self.model.start_layer\n" + _ENTRY,
        [],
    ),
    "a base has it": (_PROPERTY + _CHILD.replace("[CaseForCausalLM, ", "["), []),
    "a wrapper that forwards to a class that tells it": (_WRAPPER.format(inner="SampleModel"), []),
    "a draft model": (
        "\n\nclass CaseForCausalLMNextN(CaseForCausalLM):\n    pass\n\n\nEntryClass = CaseForCausalLMNextN\n",
        [],
    ),
    "a forward without proxies": (_OLD, []),
    "a forward that is the inner model's": (
        _BORROWS.format(inner="CaseForCausalLM"),
        ["OuterForCausalLM"],
    ),
    "a forward that is the inner model's, without proxies": (
        _BORROWS.format(inner="PlainModel") + "\n\nclass PlainModel(CaseForCausalLM):\n"
        "    def forward(self, input_ids):\n        return input_ids\n",
        [],
    ),
    "a range from a model that has none": (
        _TAKES.format(model="BareModel", value="self.model.start_layer"),
        ["OuterForCausalLM"],
    ),
    "a default for a model that has none": (
        _TAKES.format(model="BareModel", value="getattr(self.model, 'start_layer', 0)"),
        ["OuterForCausalLM"],
    ),
    "a range from a model that has it": (
        _TAKES.format(model="SampleModel", value="self.model.start_layer"),
        [],
    ),
    "a range from further inside": (
        _TAKES.format(model="BareModel", value="self.model.decoder.start_layer"),
        [],
    ),
    "a base that is not in view": (
        (
            "\n\nfrom sglang.srt.models.elsewhere import OtherForCausalLM\n\n\n"
            "class HeirForCausalLM(OtherForCausalLM):\n    def __init__(self, config, pp_group):\n"
            "        self.model = SampleModel(config, pp_group)\n\n"
            "    def forward(self, input_ids, pp_proxy_tensors=None):\n        return self.model(input_ids)\n\n\n"
            "EntryClass = HeirForCausalLM\n"
        ),
        [],
    ),
    "a base of another package, which knows no stages": (
        (
            "\n\nfrom transformers import PreTrainedModel\n\n\n"
            "class HeirForCausalLM(PreTrainedModel):\n    def __init__(self, config, pp_group):\n"
            "        self.model = SampleModel(config, pp_group)\n\n"
            "    def forward(self, input_ids, pp_proxy_tensors=None):\n        return self.model(input_ids)\n\n\n"
            "EntryClass = HeirForCausalLM\n"
        ),
        ["HeirForCausalLM"],
    ),
    "a range from a model that is not known": (
        _TAKES.format(model="find", value="self.model.start_layer"),
        [],
    ),
}


@pytest.mark.parametrize(("body", "names"), HIDDEN.values(), ids=HIDDEN)
def test_hidden_ranges(body, names, tmp_path):
    findings = findings_in(tmp_path, "PPL702", body)
    assert [finding.symbol for finding in findings] == names
    assert all(finding.severity == ERROR for finding in findings)


def test_the_message_names_the_classes_that_inherit_it(tmp_path):
    (finding,) = findings_in(tmp_path, "PPL702", _CHILD)
    assert "`ChildForCausalLM`" in finding.message
    assert finding.span.end_column - finding.span.column == len("CaseForCausalLM")


def test_no_properties_for_an_inner_model_without_a_range(tmp_path):
    (finding,) = findings_in(tmp_path, "PPL702", _WRAPPER.format(inner="CaseForCausalLM"))
    assert finding.fix is None
    assert "does not expose its range either" in finding.no_fix


def test_the_properties_go_before_the_decorators_of_the_forward(tmp_path):
    top = (
        "\n\nclass TopForCausalLM:\n    def __init__(self, config, pp_group):\n"
        "        self.model = SampleModel(config, pp_group)\n\n    @torch.no_grad()\n"
        "    def forward(self, input_ids, pp_proxy_tensors=None):\n        return self.model(input_ids)\n\n\n"
        "EntryClass = TopForCausalLM\n"
    )
    (finding,) = findings_in(tmp_path, "PPL702", top)
    lines = (tmp_path / "sglang/srt/case.py").read_text().splitlines()
    assert finding.fix is not None
    assert finding.fix.safety == UNSAFE
    assert lines[finding.fix.edits[0].span.line - 1].strip() == "@torch.no_grad()"


_HANDS_ON = """

class TopForCausalLM:
    def __init__(self, config, pp_group):
        self.language_model = {inner}

    def forward(self, input_ids, pp_proxy_tensors=None):
        return run(input_ids, language_model=self.language_model{proxies})


EntryClass = TopForCausalLM
"""
_PROXIES = ", pp_proxy_tensors=pp_proxy_tensors"

UNKNOWN = {
    "a class that is looked up": (_HANDS_ON.format(inner="find(config)()", proxies=_PROXIES), [WARNING]),
    "proxies that go nowhere": (_HANDS_ON.format(inner="find(config)()", proxies=""), []),
    "a class that is split": (
        _HANDS_ON.format(inner="SampleModel(config, pp_group)", proxies=_PROXIES),
        [ERROR],
    ),
    "a class that is not split": (
        _HANDS_ON.format(inner="Plain()", proxies=_PROXIES) + "\n\nclass Plain:\n    pass\n",
        [],
    ),
}


@pytest.mark.parametrize(("text", "levels"), UNKNOWN.values(), ids=UNKNOWN)
def test_inner_models_of_unknown_class(text, levels, tmp_path):
    assert [finding.severity for finding in findings_in(tmp_path, "PPL702", text)] == levels


READS = {
    "a model": ("def look(model):\n    return getattr(model, 'start_layer', 0)\n", [WARNING]),
    "a pool of unknown class": ("def look(pool):\n    return getattr(pool, 'start_layer', 0)\n", [INFO]),
    "a None that becomes 0": (
        "def look(pool):\n    return getattr(pool, 'start_layer', None) or 0\n",
        [INFO],
    ),
    "a conditional": (
        "def look(pool):\n    return pool.start_layer if hasattr(pool, 'start_layer') else 0\n",
        [INFO],
    ),
    "a delegating property": (_DELEGATES, [INFO]),
    "a class that lacks it": (
        "def look(model: CaseForCausalLM):\n    return getattr(model, 'start_layer', 0)\n",
        [WARNING],
    ),
    "a class that has it": (
        "def look(model: SampleModel):\n    return getattr(model, 'start_layer', 0)\n",
        [],
    ),
    "None that is tested": ("def look(pool):\n    return getattr(pool, 'start_layer', None)\n", []),
    "a parameter's default": ("def look(start_layer):\n    return start_layer or 0\n", []),
    "the first stage": (_FIRST, []),
    "another attribute": ("def look(pool):\n    return getattr(pool, 'layer_num', 0)\n", []),
}


@pytest.mark.parametrize(("text", "levels"), READS.values(), ids=READS)
def test_defaulted_ranges(text, levels, tmp_path):
    findings = findings_in(tmp_path, "PPL704", f"{_ENTRY}\n\n{text}")
    assert [finding.severity for finding in findings] == levels
