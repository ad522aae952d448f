"""PPL601 and PPL705: what layer 0 may decide, and which peers a group's methods take."""

from __future__ import annotations

import pytest
from layer_cases import findings_in, method

from pplint.finding import ERROR, WARNING

LAYER = """

class Attention:
    def __init__(self, layer_id, rotary, start_layer):
        self.layer_id = layer_id
        self.rotary = rotary
        self.start_layer = start_layer
        self.is_first = layer_id == 0

    def look(self, q, batch, layer_num, residual):
"""

BAD = {
    "a shared object is filled": "if self.layer_id == 0:\n    self.rotary.cached = q",
    "with the constant first": "if 0 == self.layer_id:\n    self.rotary.cached = q",
    "below 1": "if self.layer_id < 1:\n    self.rotary.cached = q",
    "the other layers return before": "if self.layer_id != 0:\n    return q\nself.rotary.cached = q",
    "one of two conditions": "if batch.decode and self.layer_id == 0:\n    batch.plan = q",
    "an entry of the batch": "if self.layer_id == 0:\n    batch.cache['q'] = q",
    "several targets": "if self.layer_id == 0:\n    self.rotary.cos, self.rotary.sin = q",
    "a call for its effect": "if self.layer_id == 0:\n    self.rotary.prepare(q)",
    "a stored flag": "if self.is_first:\n    self.rotary.cached = q",
    "a local name of the test": "first = self.layer_id == 0\nif first:\n    self.rotary.cached = q",
}

GOOD = {
    "the first layer of the stage": "if self.layer_id == self.start_layer:\n    self.rotary.cached = q",
    "a value of one layer": "if self.layer_id == 0:\n    residual = q\nreturn residual",
    "the layer's own state": "if self.layer_id == 0:\n    self.seen = True",
    "a log line": "if self.layer_id == 0:\n    logger.info('first')",
    "a print": "if self.layer_id == 0:\n    print(q)",
    "a loop over local indices": "for layer_id in range(layer_num):\n    if layer_id == 0:\n        batch.plan = q",
    "look-behind": "if self.layer_id > 0 and batch.kinds[self.layer_id - 1]:\n    batch.plan = q",
    "any but layer 0": "if self.layer_id != 0:\n    self.rotary.cached = q",
    "a value that the layer returns": "if self.layer_id == 0:\n    residual.copy_(q)\nreturn residual",
    "a value that the layer computes with": "if self.layer_id == 0:\n    q[:, 0] = batch.position\nq = self.norm(q)",
    "the slot of the layer": "if self.layer_id == 0:\n    batch.seen[self.layer_id] = q",
    "the first stage": "if batch.pp_group.is_first_rank and self.layer_id == 0:\n    self.rotary.cached = q",
}

PEERS = {
    "a group with a short name": ("pp = get_pp_group()\npp.send(i, dst=pp.last_rank)", 1),
    "something of unknown kind": ("comm = make()\ncomm.send(i, dst=comm.last_rank)", 0),
    "by keyword": ("pp_group.send(i, dst=pp_group.last_rank)", 1),
    "by position": ("pp_group.recv(i, pp_group.first_rank)", 1),
    "through a local name": ("peer = pp_group.last_rank\npp_group.send(i, dst=peer)", 1),
    "an entry of the ranks": ("pp_group.send(i, dst=pp_group.ranks[-1])", 1),
    "a group that is called for": ("get_pp_group().send(i, dst=get_pp_group().last_rank)", 1),
    "a position": ("pp_group.send(i, dst=pp_group.world_size - 1)", 0),
    "torch.distributed": ("torch.distributed.send(i, dst=pp_group.last_rank)", 0),
    "an imported function": ("broadcast_pyobj(i, src=pp_group.first_rank)", 0),
    "one stage in all": ("if pp_group.world_size == 1:\n    pp_group.send(i, dst=pp_group.last_rank)", 0),
    "no peer": ("pp_group.barrier(pp_group.last_rank)", 0),
}

GROUP = (
    "srt/distributed/group.py",
    """\
class Group:
    def send(self, tensor, dst=None):
        torch.distributed.send(tensor, self.ranks[dst])

    def recv(self, size, src=None):
        return torch.distributed.recv(size, self.ranks[src])
""",
)


def _layer(body: str) -> str:
    return LAYER + "".join(f"        {line}\n" for line in body.splitlines())


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_state_that_layer_0_prepares_is_reported_once(body, tmp_path):
    (found,) = findings_in(tmp_path, "PPL601", _layer(body))
    assert found.severity == "error"


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD)
def test_a_test_of_layer_0_that_looks_alike_is_not_reported(body, tmp_path):
    assert not findings_in(tmp_path, "PPL601", _layer(body))


def test_the_last_layer_of_the_model_is_a_warning(tmp_path):
    body = "if self.layer_id == batch.num_hidden_layers - 1:\n    self.rotary.release()"
    (found,) = findings_in(tmp_path, "PPL601", _layer(body))
    assert found.severity == "warning"


def test_a_layer_that_knows_its_stage_is_compared_with_it(tmp_path):
    (found,) = findings_in(tmp_path, "PPL601", _layer(BAD["a shared object is filled"]))
    assert found.fix is not None
    assert [edit.text for edit in found.fix.edits] == ["self.start_layer"]


MORE = {
    "a value of the layer beside the state": "if self.layer_id == 0:\n    self.rotary.cached = q\n    q = q * 2\nreturn q",
    "another branch for the other layers": (
        "if self.layer_id == 0:\n    self.rotary.cached = q\nelse:\n    residual = q\nreturn residual"
    ),
    "an end of the function": "if self.layer_id == 0:\n    self.rotary.cached = q\n    return q",
    "a value for the state alone": "if self.layer_id == 0:\n    angle = q * 2\n    self.rotary.cached = angle",
}


@pytest.mark.parametrize("said", MORE)
def test_a_test_that_decides_about_more_than_state_is_not_replaced_safely(said, tmp_path):
    (found,) = findings_in(tmp_path, "PPL601", _layer(MORE[said]))
    assert found.fix is not None
    assert found.fix.safety == ("safe" if "alone" in said else "unsafe")


def test_the_message_says_where_the_state_is_prepared(tmp_path):
    (found,) = findings_in(tmp_path, "PPL601", _layer(BAD["the other layers return before"]))
    assert found.message.startswith("`self.layer_id != 0` is false on the first stage only")


@pytest.mark.parametrize(("body", "count"), PEERS.values(), ids=PEERS)
def test_global_ranks_are_no_peers(body, count, tmp_path):
    assert len(findings_in(tmp_path, "PPL705", method(body), GROUP)) == count


@pytest.mark.parametrize(
    ("picked", "position"),
    [("-1", "pp_group.world_size - 1"), ("0", "0"), ("i", "0 ... pp_group.world_size - 1")],
)
def test_the_position_of_an_entry_of_the_ranks(picked, position, tmp_path):
    (found,) = findings_in(
        tmp_path, "PPL705", method(f"pp_group.send(i, dst=pp_group.ranks[{picked}])"), GROUP
    )
    assert found.message.endswith(f"the position is `{position}`")


def test_the_group_is_that_of_the_own_program(tmp_path):
    body = method(PEERS["by keyword"][0])
    text = GROUP[1] + "\n    def last_rank(self):\n        return self.ranks[-1]\n"
    (found,) = findings_in(tmp_path, "PPL705", body, ("other/group.py", text), (GROUP[0], text))
    assert found.trace[0].path.endswith("sglang/srt/distributed/group.py")


FLAGS = {
    "a flag": ("", "self.use_graph", "use_graph", WARNING),
    "what the model is": ("", "self.use_mla", "config.kind == 'mla'", ERROR),
    "on unless somebody says no": ('USE_PLAN = env_flag("PLAN", "True")\n', "USE_PLAN", "0", ERROR),
    "off unless somebody says so": ('USE_PLAN = env_flag("PLAN")\n', "USE_PLAN", "0", WARNING),
}


@pytest.mark.parametrize(("top", "test", "stored", "level"), FLAGS.values(), ids=FLAGS)
def test_only_what_somebody_switches_on_is_a_flag(top, test, stored, level, tmp_path):
    body = f"""

{top}
class Attention:
    def __init__(self, layer_id, rotary, config, use_graph):
        self.layer_id = layer_id
        self.rotary = rotary
        {test if test.startswith("self.") else "self.other"} = {stored}

    def look(self, q):
        if {test} and self.layer_id == 0:
            self.rotary.cached = q
"""
    (found,) = findings_in(tmp_path, "PPL601", body)
    assert found.severity == level


READERS = {
    "hasattr with another way": "if hasattr(x, 'cos_cached'):\n        return x.cos_cached\n"
    "    else:\n        return x.angles()",
    "getattr with a default": 'return getattr(x, "cos_cached", None) or x.angles()',
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_readers_that_do_without_make_it_slower_only(reader, tmp_path):
    body = LAYER + "        if self.layer_id == 0:\n            self.rotary.cos_cached = q\n"
    readers = ("srt/readers.py", f"def angles_of(x):\n    {reader}\n")
    (found,) = findings_in(tmp_path, "PPL601", body, readers)
    assert found.severity == WARNING


@pytest.mark.parametrize(
    ("top", "inner", "test", "fixed"),
    [
        pytest.param("from sglang.srt.pools import get_kv_pool\n", "", "layer_id == 0", True, id="an import"),
        pytest.param(
            "", "from sglang.srt.pools import get_kv_pool", "layer_id == 0", True, id="an own import"
        ),
        pytest.param("", "", "layer_id == 0", False, id="another function's import"),
        pytest.param(
            "from sglang.srt.pools import get_kv_pool\n",
            "",
            "layer_id < 1",
            False,
            id="a test of what is less",
        ),
    ],
)
def test_a_fix_asks_what_is_known_in_its_function(top, inner, test, fixed, tmp_path):
    body = f"""\
    pass


{top}
def other():
    from sglang.srt.pools import get_kv_pool

    return get_kv_pool()


def look(q, layer, batch):
    {inner or "pass"}
    layer_id = layer.layer_id
    if {test}:
        batch.plan = q
"""
    (found,) = findings_in(tmp_path, "PPL601", body)
    assert (found.fix is not None) is fixed, found.no_fix
    assert fixed or found.no_fix


_CHOSEN = """
class Layer:
    def __init__(self, config, layer_id, rotary, start_layer):
        self.config = config
        self.layer_id = layer_id
        self.rotary = rotary

    def forward(self, q, batch):
        if {test}:
            {effect}
        return self.rotary(q)
"""
_FILLS = "self.rotary.cached = q"
CHOSEN = {
    "a number of the configuration": ("self.layer_id == self.config.interval - 1", _FILLS, [WARNING]),
    "the first of a kind": ('self.layer_id == self.config.kinds.index("full")', _FILLS, [WARNING]),
    "an entry of the configuration": ("self.config.full_layers[0] == self.layer_id", _FILLS, [WARNING]),
    "the stage's start": ("self.layer_id == self.config.start_layer", _FILLS, []),
    "of the first stage": (
        "self.pp_group.is_first_rank and self.layer_id == self.config.first_full",
        _FILLS,
        [],
    ),
    "something that no other layer reads here": (
        "self.layer_id == self.config.tapped_layer",
        "batch.tapped.append(q)",
        [],
    ),
    "a test of something else": ("self.config.kind == self.config.kinds[0]", _FILLS, []),
}


@pytest.mark.parametrize(("test", "effect", "levels"), CHOSEN.values(), ids=CHOSEN)
def test_a_layer_that_the_configuration_names(test, effect, levels, tmp_path):
    code = _CHOSEN.format(test=test, effect=effect)
    assert [one.severity for one in findings_in(tmp_path, "PPL601", code)] == levels
