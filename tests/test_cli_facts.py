"""`pplint facts`: what was learnt, for a reader and for a program, known already or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pplint.cli import run

POOL = """\
class Pool:
    def __init__(self, start_layer):
        self.start_layer = start_layer

    def row(self, layer_id):
        return self.rows[layer_id - self.start_layer]
"""
MODEL = """\
from sglang.srt.utils import make_layers


class Model:
    def __init__(self, config, pp_group):
        self.layers, self.start_layer, self.end_layer = make_layers(
            config.num_hidden_layers, build, pp_rank=pp_group.rank_in_group, pp_size=pp_group.world_size
        )
        if pp_group.is_last_rank:
            self.norm = Norm()
        else:
            self.norm = PPMissingLayer()

    def forward(self, hidden_states, pp_proxy_tensors=None):
        return hidden_states
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "sglang" / "srt"
    folder.mkdir(parents=True)
    (folder / "pool.py").write_text(POOL)
    (folder / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def facts(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert run(["facts", *options, "sglang"]) == 0
    return capsys.readouterr().out


def test_a_program_gets_the_same_facts_as_a_reader(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(facts(capsys, "--format", "json", "--no-cache"))
    assert data.pop("root") == str(checkout.resolve())
    layers = {"attribute": "sglang.srt.model:Model.layers", "path": "sglang/srt/model.py", "line": 6}
    assert data == {
        "version": 1,
        "parameters": [
            {
                "function": "sglang.srt.pool:Pool.row",
                "parameter": "layer_id",
                "space": "GLOBAL",
                "text": "`row` subtracts `start_layer`",
                "path": "sglang/srt/pool.py",
                "line": 6,
            }
        ],
        "padded_lists": [{**layers, "start": "start_layer", "end": "end_layer"}],
        "mappings": [],
        "missing_modules": [
            {"attribute": "sglang.srt.model:Model.norm", "path": "sglang/srt/model.py", "line": 12}
        ],
        "owners": ["sglang.srt.model:Model", "sglang.srt.pool:Pool"],
        "accepting": ["sglang.srt.model:Model"],
    }
    text = facts(capsys, "--no-cache")
    for line in (
        "sglang.srt.pool:Pool.row(layer_id)  `row` subtracts `start_layer`  [sglang/srt/pool.py:6]",
        "sglang.srt.model:Model.layers  range: start_layer, end_layer  [sglang/srt/model.py:6]",
        "sglang.srt.model:Model.norm  [sglang/srt/model.py:12]",
    ):
        assert f"\n{line}\n" in f"\n{text}"


def test_facts_are_the_same_where_they_are_known_already(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    learnt = facts(capsys, "--no-cache")
    kept = ["--cache-dir", "cache"]
    assert [facts(capsys, *kept) for _ in ("cold", "warm")] == [learnt, learnt]
    assert run([*kept, "sglang"]) == 0
    capsys.readouterr()
    assert facts(capsys, *kept) == learnt
    (checkout / "sglang/srt/pool.py").write_text(POOL.replace("row", "line_of"))
    assert facts(capsys, *kept) == facts(capsys, "--no-cache") != learnt
