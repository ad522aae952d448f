"""PPL709: which marks on what the layers return are lost when a stage sends it."""

from __future__ import annotations

from pathlib import Path

import pytest
from layer_cases import findings_in

from pplint.finding import WARNING

_CODE = """

from sglang.srt.layers.sample_utils import make_layers
from sglang.srt.model_executor.forward_batch_info import PPProxyTensors
from sglang.srt.models.sample_elsewhere import FAR_KINDS, ElsewhereLayer, far_finish


class MarkingLayer:
    def __init__(self, config, layer_id):
        self.layer_id = layer_id
        self.is_last_of_stage = layer_id == config.end_layer - 1
        self.is_sparse = layer_id % 2 == 0

    def forward(self, hidden_states, residual, forward_batch):
        {layer}


def finish(hidden_states, last=False):
    if last:
        return hidden_states
    hidden_states._is_partial = True
    return hidden_states


def finish_both(hidden_states, residual):
    hidden_states._is_partial = True
    return hidden_states, residual


def leave(hidden_states):
    kept = Kept(hidden_states)
    kept._is_partial = True
    return hidden_states


class DerivedLayer(MarkingLayer):
    pass


class SilentLayer:
    def forward(self, hidden_states, residual, forward_batch):
        return hidden_states, residual


KINDS = {{"marks": MarkingLayer, "silent": SilentLayer}}
OTHERS = {{"silent": SilentLayer, "unknown": UnknownLayer}}


class SampleLoop:
    kinds_of_body = KINDS

    def __init__(self, config, pp_group, layer_class=None, default_class=MarkingLayer):
        self.pp_group = pp_group
        make = layer_class or MarkingLayer
        kinds = KINDS

        def make_layer(idx, prefix):
            layer_class = KINDS[config.kinds[idx]]
            return layer_class(config, layer_id=idx)

        self.layers, self.start_layer, self.end_layer = make_layers(
            config.num_hidden_layers,
            {factory},
            pp_rank=pp_group.rank_in_group,
            pp_size=pp_group.world_size,
        )

    def forward(self, hidden_states, residual, forward_batch, {proxies}):
        {body}

    def finish(self, hidden_states):
        {finish}
"""
_MARKS = """\
hidden_states = self.mlp(hidden_states)
hidden_states._is_partial = True
return hidden_states, residual"""
_LOOP = """\
for i in range(self.start_layer, self.end_layer):
    hidden_states, residual = self.layers[i](hidden_states, residual, forward_batch)
"""
_SENT = 'PPProxyTensors({"hidden_states": hidden_states, "residual": residual})'
_SENDS = f"""\
if not self.pp_group.is_last_rank:
    return {_SENT}
return self.norm(hidden_states, residual)
"""


def code(
    layer: str = _MARKS,
    body: str = _LOOP + _SENDS,
    makes: str = "MarkingLayer",
    finish: str = "return hidden_states",
    proxies: str = "pp_proxy_tensors=None",
    factory: str = "",
) -> str:
    inner = [part.rstrip().replace("\n", "\n        ") for part in (layer, body, finish)]
    factory = factory or f"lambda idx, prefix: {makes}(config, layer_id=idx)"
    return _CODE.format(layer=inner[0], body=inner[1], finish=inner[2], factory=factory, proxies=proxies)


_INDENTED = "    " + _LOOP.rstrip().replace("\n", "\n    ") + "\n"

MARKS = {
    "on what is returned in a tuple": (_MARKS, [WARNING]),
    "on what is returned last": (
        "residual = self.add(residual)\nresidual._is_partial = True\nreturn hidden_states, residual",
        [WARNING],
    ),
    "on another local that is returned": (
        "out = self.mlp(hidden_states)\nout._is_partial = True\nreturn out, residual",
        [WARNING],
    ),
    "under a condition": (
        "hidden_states, fused = self.mlp(hidden_states)\n" + _MARKS.replace("hidden_states._", "if fused: hidden_states._"),
        [WARNING],
    ),
    "in both branches": (
        "if fused:\n    residual._is_partial = True\nelse:\n    residual._is_partial = True\nreturn hidden_states, residual",
        [WARNING],
    ),
    "that is taken away": (_MARKS.replace("True", "False"), []),
    "on the layer itself": (_MARKS.replace("hidden_states._is", "self._is"), []),
    "on a local that is not returned": (
        "kept = self.mlp(hidden_states)\nkept._is_partial = True\nreturn self.add(kept), residual",
        [],
    ),
    "where the layer is not the last of its stage": (
        ("hidden_states = self.mlp(hidden_states)\nif not self.is_last_of_stage:\n    hidden_states._is_partial = True\n"
        "return hidden_states, residual"),
        [],
    ),
    "under a flag that asks whether the layer is the last of its stage": (
        ("fuse = self.fuses(forward_batch) and not self.is_last_of_stage\nif fuse:\n    hidden_states._is_partial = True\n"
        "return hidden_states, residual"),
        [],
    ),
    "where the layer is of one kind": (
        "if self.is_sparse:\n    hidden_states._is_partial = True\nreturn hidden_states, residual",
        [WARNING],
    ),
    "under a flag that is taken back where there are several ranks": (
        ("fuse = self.fuses(forward_batch)\nif self.is_sparse and get_parallel().tp_size > 1:\n    fuse = False\n"
        "if fuse:\n    hidden_states._is_partial = True\nreturn hidden_states, residual"),
        [],
    ),
    "under a flag that is taken back for some layers": (
        ("fuse = self.fuses(forward_batch)\nif self.is_sparse:\n    fuse = False\n"
        "if fuse:\n    hidden_states._is_partial = True\nreturn hidden_states, residual"),
        [WARNING],
    ),
    "under another flag than the one that is taken back": (
        ("fuse = self.fuses(forward_batch)\nother = fuse\nif get_parallel().tp_size > 1:\n    other = False\n"
        "if fuse:\n    hidden_states._is_partial = True\nreturn hidden_states, residual"),
        [WARNING],
    ),
    "by a function that is given it": (
        "hidden_states = finish(self.mlp(hidden_states), last=False)\nreturn hidden_states, residual",
        [WARNING],
    ),
    "by a function that returns more": (
        "hidden_states, residual = finish_both(hidden_states, residual)\nreturn hidden_states, residual",
        [WARNING],
    ),
    "by a function whose result is returned": ("return finish_both(hidden_states, residual)", [WARNING]),
    "by a function whose result is returned in a tuple": ("return finish(hidden_states), residual", [WARNING]),
    "by a function of another file": ("return far_finish(hidden_states), residual", [WARNING]),
    "by a function, where the layer is not the last of its stage": (
        "if not self.is_last_of_stage:\n    hidden_states = finish(hidden_states)\nreturn hidden_states, residual",
        [],
    ),
    "by a function whose result is not returned": (
        "kept = finish(hidden_states)\nreturn self.add(kept), residual",
        [],
    ),
    "by a function that returns something else": ("return leave(hidden_states), residual", []),
    "on the batch": ("forward_batch._is_partial = True\nreturn hidden_states, residual", []),
}  # fmt: skip

FORWARDS = {
    "the layer has a name": (
        "for i in range(self.start_layer, self.end_layer):\n    layer = self.layers[i]\n"
        "    hidden_states, residual = layer(hidden_states, residual, forward_batch)\n" + _SENDS,
        [WARNING],
    ),
    "the layers are a slice": (
        "for layer in self.layers[self.start_layer : self.end_layer]:\n"
        "    hidden_states, residual = layer(hidden_states, residual, forward_batch)\n" + _SENDS,
        [WARNING],
    ),
    "the layers are an islice": (
        "for layer in islice(self.layers, self.start_layer, self.end_layer):\n"
        "    hidden_states, residual = layer(hidden_states, residual, forward_batch)\n" + _SENDS,
        [WARNING],
    ),
    "the layers run in two loops": (_LOOP + _LOOP + _SENDS, [WARNING]),
    "the dictionary is made before": (
        _LOOP + "sent = {'hidden_states': hidden_states}\nsent['residual'] = residual\nreturn PPProxyTensors(sent)",
        [WARNING],
    ),
    "the dictionary is filled before": (
        _LOOP + "sent = {}\nsent['hidden_states'] = hidden_states\nreturn PPProxyTensors(sent)",
        [WARNING],
    ),
    "something else is sent": (
        _LOOP + "if not self.pp_group.is_last_rank:\n    return PPProxyTensors({'batch': forward_batch})\n"
        "return self.norm(hidden_states, residual)",
        [],
    ),
    "nothing is sent": (_LOOP + "return self.norm(hidden_states, residual)", []),
    "the layers run where there is one stage": (
        "if self.pp_group.world_size == 1:\n" + _INDENTED + _SENDS,
        [],
    ),
    "the forward does what was put off": (
        _LOOP
        + "if getattr(hidden_states, '_is_partial', False):\n    hidden_states = reduce(hidden_states)\n"
        + _SENDS,
        [],
    ),
    "the forward asks whether there is a mark": (
        _LOOP + "if hasattr(hidden_states, '_is_partial'):\n    hidden_states = reduce(hidden_states)\n" + _SENDS,
        [],
    ),
    "the mark is sent too": (
        _LOOP + _SENDS.replace("residual}", "residual, 'partial': hidden_states._is_partial}"),
        [],
    ),
}  # fmt: skip

FACTORIES = {
    "a class": ("MarkingLayer", [WARNING]),
    "a class that inherits its forward": ("DerivedLayer", [WARNING]),
    "a class from another model that inherits": ("ElsewhereLayer", [WARNING]),
    "a default of what may be given": ("make", [WARNING]),
    "a default of a parameter": ("default_class", [WARNING]),
    "one of two classes": ("(MarkingLayer if idx else SilentLayer)", [WARNING]),
    "a class out of a table": ("KINDS[config.kinds[idx]]", [WARNING]),
    "a class out of a table with another name": ("kinds[config.kinds[idx]]", [WARNING]),
    "a class out of a table that the class body names": ("self.kinds_of_body[config.kinds[idx]]", [WARNING]),
    "a class out of a table of another file": ("FAR_KINDS[idx]", [WARNING]),
    "a class out of a table that is not all known": ("OTHERS[idx]", []),
    "a class that marks nothing": ("SilentLayer", []),
    "an unknown class": ("UnknownLayer", []),
    "what is given": ("layer_class", []),
}  # fmt: skip
_ELSEWHERE = (
    "srt/models/sample_elsewhere.py",
    """\
from sglang.srt.model_executor.forward_batch_info import PPProxyTensors


class FarLayer:
    def forward(self, hidden_states, residual, forward_batch):
        hidden_states._is_partial = True
        return hidden_states, residual


class ElsewhereLayer(FarLayer):
    pass


def far_finish(hidden_states):
    hidden_states._is_partial = True
    return hidden_states


FAR_KINDS = {"far": FarLayer, 0: ElsewhereLayer}
""",
)


def levels(folder: Path, text: str) -> list[str]:
    return [one.severity for one in findings_in(folder, "PPL709", text, _ELSEWHERE)]


@pytest.mark.parametrize("case", MARKS)
def test_a_mark(case: str, tmp_path: Path) -> None:
    layer, expected = MARKS[case]
    assert levels(tmp_path, code(layer=layer)) == expected


@pytest.mark.parametrize(
    "factory",
    ["layer_fn=lambda idx, prefix: MarkingLayer(config, layer_id=idx)", "make_layer", "layer_fn=make_layer"],
)
def test_a_factory_that_is_given_by_keyword_or_defined_beside(factory: str, tmp_path: Path) -> None:
    assert levels(tmp_path, code(factory=factory)) == [WARNING]


def test_a_flag_at_one_of_two_runs_is_no_condition(tmp_path: Path) -> None:
    body = "if forward_batch.can_run_fast:\n" + _INDENTED + _LOOP + _SENDS
    (found,) = findings_in(tmp_path, "PPL709", code(body=body), _ELSEWHERE)
    assert "only when" not in found.message


@pytest.mark.parametrize("case", FORWARDS)
def test_a_forward_that_runs_layers_that_mark(case: str, tmp_path: Path) -> None:
    body, expected = FORWARDS[case]
    assert levels(tmp_path, code(body=body)) == expected


@pytest.mark.parametrize("case", FACTORIES)
def test_a_factory_of_layers(case: str, tmp_path: Path) -> None:
    makes, expected = FACTORIES[case]
    assert levels(tmp_path, code(makes=makes)) == expected


def test_layers_with_a_single_result(tmp_path: Path) -> None:
    text = code().replace("hidden_states, residual = self.layers", "hidden_states = self.layers")
    text = text.replace("return hidden_states, residual", "return hidden_states")
    assert levels(tmp_path, text.replace(', "residual": residual', "")) == [WARNING]


def test_another_method_of_the_class_does_what_was_put_off(tmp_path: Path) -> None:
    finish = "if getattr(hidden_states, '_is_partial', False):\n    return reduce(hidden_states)\nreturn hidden_states"
    body = _LOOP + "hidden_states = self.finish(hidden_states)\n" + _SENDS
    assert levels(tmp_path, code(finish=finish, body=body)) == []


def test_a_forward_that_takes_no_proxies(tmp_path: Path) -> None:
    assert levels(tmp_path, code(proxies="sent=None")) == []


@pytest.mark.parametrize("name", ["SampleLoopNextN", "SampleMTP", "SampleDraftLoop"])
def test_a_draft_model(name: str, tmp_path: Path) -> None:
    assert levels(tmp_path, code().replace("SampleLoop", name)) == []


def test_a_model_whose_list_is_that_of_its_base(tmp_path: Path) -> None:
    heir = """

class HeirLoop(SampleLoop):
    def forward(self, hidden_states, residual, forward_batch, pp_proxy_tensors=None):
        for layer in self.layers[self.start_layer : self.end_layer]:
            hidden_states, residual = layer(hidden_states, residual, forward_batch)
        return PPProxyTensors({"hidden_states": hidden_states})
"""
    assert levels(tmp_path, code(body="return hidden_states") + heir) == [WARNING]


def test_the_finding_shows_where_the_mark_is_set(tmp_path: Path) -> None:
    [found] = findings_in(tmp_path, "PPL709", code(makes="DerivedLayer"), _ELSEWHERE)
    lines = (tmp_path / "sglang/srt/case.py").read_text().splitlines()
    assert "`MarkingLayer` marks what it returns with `_is_partial`" in found.message
    assert [lines[step.line - 1].strip() for step in found.trace] == [
        "hidden_states._is_partial = True",
        "hidden_states, residual = self.layers[i](hidden_states, residual, forward_batch)",
        f"return {_SENT}",
    ]
    assert found.fix is None
    assert "for the author to say" in found.no_fix


def test_the_finding_shows_the_function_that_sets_the_mark(tmp_path: Path) -> None:
    layer = "hidden_states = finish(self.mlp(hidden_states))\nreturn hidden_states, residual"
    [found] = findings_in(tmp_path, "PPL709", code(layer=layer), _ELSEWHERE)
    lines = (tmp_path / "sglang/srt/case.py").read_text().splitlines()
    assert [lines[step.line - 1].strip() for step in found.trace[:2]] == [
        "hidden_states = finish(self.mlp(hidden_states))",
        "hidden_states._is_partial = True",
    ]
    assert "what `finish` made of it" in found.trace[0].text


OUTCOMES = {
    "_is_partial": "their partial sums are never added up",
    "_needs_all_reduce": "their partial sums are never added up",
    "_is_scaled": "goes on as if the last layer here had not set it",
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_the_message_says_what_breaks_by_what_the_mark_stands_for(name: str, tmp_path: Path) -> None:
    [found] = findings_in(tmp_path, "PPL709", code().replace("_is_partial", name), _ELSEWHERE)
    assert OUTCOMES[name] in found.message
    assert found.message.endswith("before the result is sent")
