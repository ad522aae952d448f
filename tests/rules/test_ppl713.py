"""PPL713: which names tell the tensor parallel rank and not the stage, and when somebody else may tell it."""

from __future__ import annotations

from pathlib import Path

import pytest
from layer_cases import findings_in

from pplint.finding import ERROR, Finding

_CONFIG = (
    "srt/store_config.py",
    """\
class StoreConfig:
    def __init__(self, tp_rank, pp_rank, model_name):
        self.tp_rank = tp_rank
        self.pp_rank = pp_rank
        self.model_name = model_name


class SmallConfig:
    def __init__(self, tp_rank, model_name):
        self.tp_rank = tp_rank
        self.model_name = model_name


@dataclass
class Fields:
    tp_rank: int
    pp_rank: int


def opened(rank):
    return Fields(tp_rank=rank, pp_rank=0)
""",
)

_STORE = """

from sglang.srt.store_config import Fields, SmallConfig, StoreConfig


class Store{base}:
    def __init__(self, config: StoreConfig, small: SmallConfig, fields: Fields, other=None):
        {body}
"""

NAMES = {
    "a suffix": ('self.suffix = f"_{config.tp_rank}"', [ERROR]),
    "a prefix with more in its name": ('self.key_prefix = f"{config.model_name}_{config.tp_rank}_"', [ERROR]),
    "a suffix that grows": ('self.suffix = ""\nself.suffix += f"_{config.tp_rank}"', [ERROR]),
    "a suffix with an annotation": ('self.suffix: str = f"_{config.tp_rank}"', [ERROR]),
    "one of two": ('self.suffix = f"_{config.tp_rank}" if other else ""', [ERROR]),
    "a local": ('rank = config.tp_rank\nself.suffix = f"_{rank}"', [ERROR]),
    "a local out of a tuple": ('rank, name = (config.tp_rank, config.model_name)\nself.suffix = f"_{rank}"', [ERROR]),
    "a local with a default": (
        'if other:\n    rank = config.tp_rank\nelse:\n    rank = 0\nself.suffix = f"_{rank}"', [ERROR],
    ),
    "a local that is chosen": (
        'rank = config.tp_rank\nchosen = 0 if other else rank\nself.suffix = f"_{chosen}"', [ERROR],
    ),
    "a local that is one of two ranks": (
        'rank = config.tp_rank if other else fields.tp_rank\nself.suffix = f"_{rank}"', [ERROR],
    ),
    "an attribute out of a tuple": (
        'self.rank, self.name = config.tp_rank, config.model_name\nself.suffix = f"_{self.rank}"', [ERROR],
    ),
    "an attribute by way of a local": ('rank = config.tp_rank\nself.rank = rank\nself.suffix = f"_{self.rank}"', [ERROR]),
    "in a function inside": ('def name():\n    self.suffix = f"_{config.tp_rank}"\n', [ERROR]),
    "an attribute": ('self.rank = config.tp_rank\nself.suffix = f"_{self.rank}"', [ERROR]),
    "a path that is given": ('self.store = opened(file_path=f"/pages/{config.tp_rank}.bin")', [ERROR]),
    "a path that is given to what is returned": ('return opened(path=f"/pages/{config.tp_rank}.bin")', [ERROR]),
    "a configuration whose fields are declared": ('self.suffix = f"_{fields.tp_rank}"', [ERROR]),
    "two names": ('self.suffix = f"_{config.tp_rank}"\nself.prefix = f"{config.tp_rank}_"', [ERROR, ERROR]),
    "a name with the stage": ('self.suffix = f"_{config.tp_rank}_{config.pp_rank}"', []),
    "a stage that comes later": ('self.suffix = f"_{config.tp_rank}"\nself.suffix += f"_{config.pp_rank}"', []),
    "a test of the number of stages": (
        'self.suffix = f"_{config.tp_rank}"\nassert other.pp_size == 1', [],
    ),
    "the stage from its group": ('self.suffix = f"_{config.tp_rank}_{get_pp_group().rank_in_group}"', []),
    "a configuration that does not know the stage": ('self.suffix = f"_{small.tp_rank}"', []),
    "a configuration of unknown class": ('self.suffix = f"_{other.tp_rank}"', []),
    "a name without a rank": ('self.suffix = f"_{config.model_name}"\nself.rank = config.tp_rank', []),
    "a thread": ('self.pool = start(thread_name_prefix=f"store-{config.tp_rank}")', []),
    "a prefix of messages": ('self.log_prefix = f"[TP{config.tp_rank}]"', []),
    "a message": ('print(f"rank {config.tp_rank}")', []),
    "a profile": ('self.profile_path = f"/traces/{config.tp_rank}.gz"', []),
    "what is no name": ('self.title = f"rank {config.tp_rank}"', []),
}  # fmt: skip


def found_in(folder: Path, body: str, base: str = "", more: str = "") -> list[Finding]:
    text = more + _STORE.format(base=base, body=body.replace("\n", "\n        "))
    return findings_in(folder, "PPL713", text, _CONFIG)


@pytest.mark.parametrize("case", NAMES)
def test_a_name(case: str, tmp_path: Path) -> None:
    body, levels = NAMES[case]
    assert [one.severity for one in found_in(tmp_path, body)] == levels


SUFFIX = 'self.suffix = f"_{config.tp_rank}"'

OTHERS = {
    "a base that tells it": (
        "(Staged)",
        "\nclass Staged:\n    def key(self):\n        return self.pp_rank\n",
        [],
    ),
    "a class that is no base": (
        "",
        "\nclass Staged:\n    def key(self):\n        return self.pp_rank\n",
        [ERROR],
    ),
    "a function of the file": ("", "\ndef staged(config):\n    return config.pp_rank\n", []),
}


@pytest.mark.parametrize("case", OTHERS)
def test_who_else_may_tell_the_stage(case: str, tmp_path: Path) -> None:
    base, more, levels = OTHERS[case]
    assert [one.severity for one in found_in(tmp_path, SUFFIX, base, more)] == levels


def test_the_trace_names_who_tells_the_configuration_the_stage(tmp_path: Path) -> None:
    [found] = found_in(tmp_path, 'self.suffix = f"_{fields.tp_rank}"')
    assert found.trace[0].path.endswith("srt/store_config.py")
    assert "`Fields` is told the stage here" in found.trace[0].text
    assert "`fields.tp_rank`" in found.trace[1].text
    assert found.fix is None
    assert "fields.pp_rank" in found.no_fix


_SAVER = """

def {helper}(rank):
    return get_parallel().pp_rank, rank


class Saver:
    @staticmethod
    def save_model(tensors, folder, client, pattern="shard-{{rank}}-{{part}}.bin"):
        rank = {rank}
        {body}
"""
OWN = "get_parallel().tp_rank"

STORED = {
    "a file": (OWN, 'filename = pattern.format(rank=rank, part=0)\nsave_file(tensors, join(folder, filename))', [ERROR]),
    "a file by an f-string": (OWN, 'filename = f"shard-{rank}.bin"\ntorch.save(tensors, join(folder, filename))', [ERROR]),
    "a rank from a function": (
        "get_tensor_model_parallel_rank()", 'key = f"rank_{rank}"\nfor one in tensors:\n    client.set(key, one)', [ERROR],
    ),
    "a rank from a function of a module": (
        "parallel_state.get_tp_rank()", 'key = f"rank_{rank}"\nclient.put(key, tensors)', [ERROR],
    ),
    "a name whose parts are made apart": (
        OWN, 'part_key = f"rank_{rank}"\nkey = f"{folder}/{part_key}"\nclient.set(f"{part_key}/all", tensors)', [ERROR],
    ),
    "two files": (
        OWN,
        'filename = f"a-{rank}"\nsave_file(tensors, filename)\nfilename = f"b-{rank}"\nsave_file(tensors, filename)',
        [ERROR, ERROR],
    ),
    "a rank that is handed in": ("tp_rank", 'key = f"rank_{rank}"\nclient.set(key, tensors)', []),
    "the rank among all processes": ("dist.get_rank()", 'key = f"rank_{rank}"\nclient.set(key, tensors)', []),
    "the rank of an expert group": ("get_parallel().moe_ep_rank", 'key = f"rank_{rank}"\nclient.set(key, tensors)', []),
    "a name with the stage": (
        OWN, 'key = f"rank_{rank}_{get_parallel().pp_rank}"\nclient.set(key, tensors)', [],
    ),
    "a name that a function tells the stage": (OWN, 'key = f"rank_{rank}" + named(rank)\nclient.set(key, tensors)', []),
    "a name that is only looked for": (OWN, 'filename = f"shard-{rank}.bin"\nreturn glob(join(folder, filename))', []),
    "an event": (OWN, 'key = f"rank_{rank}"\nclient.set(key)', []),
    "a profile": (OWN, 'profile_path = f"rank_{rank}"\nsave_file(tensors, profile_path)', []),
    "a log": (OWN, 'log_key = f"rank_{rank}"\nclient.set(log_key, tensors)', []),
    "another text": (OWN, 'text = f"rank_{rank}"\nclient.set("key", text)', []),
}  # fmt: skip


@pytest.mark.parametrize("case", STORED)
def test_what_a_process_stores_under_its_own_rank(case: str, tmp_path: Path) -> None:
    rank, body, levels = STORED[case]
    text = _SAVER.format(rank=rank, body=body.replace("\n", "\n        "), helper="named")
    assert [one.severity for one in findings_in(tmp_path, "PPL713", text)] == levels


def test_the_trace_of_a_process_own_rank(tmp_path: Path) -> None:
    body = STORED["a file"][1].replace("\n", "\n        ")
    [found] = findings_in(tmp_path, "PPL713", _SAVER.format(rank=OWN, body=body, helper="other"))
    assert found.message.startswith(
        "`filename` tells the tensor parallel rank of what is stored, but not the stage"
    )
    assert [step.text.split("`")[1] for step in found.trace if "`" in step.text] == [OWN, "pp_rank"]
