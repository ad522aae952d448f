"""What a run had to judge by is known again in a warm run, and when a file was edited."""

from __future__ import annotations

from pathlib import Path

import pytest

from pplint.judge import check
from pplint.judge.check import Judged, JudgeRequest, judge
from pplint.judge.learnt import Learnt

POOL = """\
class Pool:
    def __init__(self, start_layer):
        self.start_layer = start_layer

    def get_key_buffer(self, layer_id):
        return self.k_buffer[layer_id - self.start_layer]

    def get_both(self, layer_id):
        return self.get_key_buffer(layer_id), 1
"""
MODEL = """\
class Model:
    def __init__(self, config, pp_group):
        self.layers, self.start_layer, self.end_layer = make_layers(
            config.num_hidden_layers, None, pp_rank=pp_group.rank_in_group, pp_size=pp_group.world_size
        )
"""


def look(root: Path, name: str = "sglang/srt/pool.py") -> Judged:
    """Judge one file as a new process would."""
    check._KNOWN.clear()
    request = JudgeRequest(str(root), (str(root / name),), {}, frozenset({"PPL101"}))
    return judge(request._replace(cache_dir=str(root / "cache")))


@pytest.fixture(autouse=True)
def _old_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pplint.known.stamps._FRESH_NS", -(10**18))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "sglang" / "srt"
    folder.mkdir(parents=True)
    (folder / "pool.py").write_text(POOL)
    (folder / "model.py").write_text(MODEL)
    (folder / "other.py").write_text("x = 1\n")
    return folder.parents[1]


def test_a_warm_run_knows_what_the_cold_run_learnt(tree: Path) -> None:
    cold, warm = look(tree), look(tree)
    assert cold.learnt == warm.learnt == Learnt(accessors=2, padded_lists=1, files=2)
    assert warm.parsed == 0


def test_an_edit_is_counted(tree: Path) -> None:
    look(tree)
    (tree / "sglang/srt/pool.py").write_text(POOL + POOL.replace("Pool", "Other"))
    assert look(tree).learnt == Learnt(accessors=4, padded_lists=1, files=2)


def test_a_tree_that_never_speaks_of_layers_has_no_files(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(x):\n    return x[0]\n")
    assert look(tmp_path.resolve(), "a.py").learnt.files == 0
