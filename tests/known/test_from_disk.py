"""What is judged by facts from disk is what fresh facts give, to the last line of the reasons."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pplint.engine import reach
from pplint.finding import Finding, Trouble
from pplint.judge import check, workers
from pplint.judge.check import JudgeRequest, judge
from pplint.rules.registry import RULES

MINI = Path(__file__).parents[2] / "fixtures" / "mini_sglang" / "python"
NAMES = sorted(str(path.relative_to(MINI)) for path in (MINI / "sglang").rglob("*.py"))
CODES = frozenset(rule.code for rule in RULES)

TWO_ON_ONE_LINE = """\
class TornPool:
    def __init__(self, start_layer):
        self.start_layer = start_layer

    def get_torn_key(self, layer_id):
        return (self.k_buffer[layer_id - self.start_layer], self.v_buffer[layer_id - self.start_layer])
"""
USE = "def use(pool):\n    return pool.get_torn_key(0)\n"


class Checkout:
    """A copy of the small checkout with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "python"
        self.cache = str(folder / "cache")
        shutil.copytree(MINI, self.root)

    def look(
        self, cache: bool, codes: frozenset[str] = CODES, jobs: int = 1, some: str = "*.py"
    ) -> tuple[tuple[Finding, ...], tuple[Trouble, ...]]:
        """What a new process says of all files, or of some."""
        check._KNOWN.pop(str(self.root), None)
        files = tuple(str(path) for path in sorted((self.root / "sglang").rglob(some)))
        judged = judge(
            JudgeRequest(str(self.root), files, {}, codes, jobs=jobs, cache_dir=self.cache if cache else None)
        )
        return judged.findings, judged.troubles

    def agrees(self) -> bool:
        return self.look(cache=True) == self.look(cache=False)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout(tmp_path_factory.mktemp("kept").resolve())


@pytest.fixture
def new(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path.resolve())


@pytest.mark.parametrize("name", NAMES)
def test_a_file_with_a_line_more_is_judged_by_facts_from_disk(kept: Checkout, name: str) -> None:
    kept.look(cache=True)
    path = kept.root / name
    path.write_text("# one line more\n" + path.read_text())
    assert kept.agrees()


def test_what_stood_on_one_line_moves_to_two(new: Checkout) -> None:
    (new.root / "sglang" / "use.py").write_text(USE)
    pool = new.root / "sglang" / "torn.py"
    pool.write_text(TWO_ON_ONE_LINE)
    new.look(cache=True)
    pool.write_text("# new\n" + TWO_ON_ONE_LINE.replace(", self.v", ",\n                self.v"))
    assert new.agrees()
    pool.write_text("# newer\n" + pool.read_text())
    assert new.agrees()


def test_processes_are_told_what_is_on_disk(new: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "WORTH_A_PROCESS", 1)
    some = frozenset({"PPL101", "PPL501"})
    new.look(cache=True)
    assert new.look(cache=True, codes=some, jobs=2) == new.look(cache=False, codes=some)
    assert new.look(cache=True, jobs=2) == new.look(cache=False)


def test_what_a_run_found_out_about_a_class_is_known_after_a_run_that_did_not_ask(
    new: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    new.look(cache=True, some="tuff.py")
    new.look(cache=True)
    path = new.root / "sglang" / "srt" / "models" / "basalt.py"
    path.write_text(path.read_text() + "# one line more\n")
    right = new.look(cache=False)

    def refuse(*_: object) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(reach, "inner_classes", refuse)
    assert new.look(cache=True) == right
