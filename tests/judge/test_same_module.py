"""Two files that are one module: which of them counts does not depend on how the work is spread."""

from __future__ import annotations

from pathlib import Path

import pytest

from pplint.judge import check, workers
from pplint.judge.check import JudgeRequest, judge

TAKES_IDS = """\
class Pool:
    def __init__(self, start_layer):
        self.start_layer = start_layer

    def row(self, i):
        return self.rows[i - self.start_layer]
"""
TAKES_INDICES = """\
class Pool:
    def __init__(self, start_layer, number):
        self.rows = [object() for _ in range(number)]

    def row(self, i):
        return self.rows[i]
"""
USE = "def first(pool):\n    return pool.row(0)\n"


@pytest.mark.parametrize(
    ("module", "package", "found"),
    [
        pytest.param(TAKES_INDICES, TAKES_IDS, ["use.py"], id="the package takes ids"),
        pytest.param(TAKES_IDS, TAKES_INDICES, [], id="the module beside it takes ids"),
        pytest.param(TAKES_INDICES + "#" * 500, TAKES_IDS, ["use.py"], id="however long they are"),
    ],
)
def test_the_package_hides_the_module(module, package, found, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "WORTH_A_PROCESS", 1)
    root = tmp_path / "tree"
    for name, text in {"pool.py": module, "pool/__init__.py": package, "use.py": USE}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    files = tuple(str(path) for path in sorted(root.rglob("*.py")))
    for jobs in (1, 2, 3):
        check._KNOWN.clear()
        judged = judge(JudgeRequest(str(root), files, {}, frozenset({"PPL101"}), jobs=jobs))
        assert [Path(one.path).name for one in judged.findings] == found
