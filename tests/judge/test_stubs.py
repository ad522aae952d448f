"""A stub beside a file takes nothing away from what is said of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pplint.judge import check
from pplint.judge.check import JudgeRequest, judge

MINI = Path(__file__).parents[2] / "fixtures" / "mini_sglang" / "python"
POOL = "sglang/srt/mem_cache/memory_pool.py"


@pytest.mark.parametrize(
    "text", ["class KVCache:\n    start_layer: int\n", "#" * 100_000], ids=["short", "long"]
)
def test_findings_stay_when_a_stub_comes(tmp_path: Path, text: str) -> None:
    root = tmp_path.resolve() / "python"
    shutil.copytree(MINI, root)

    def look() -> list[tuple[str, str, int]]:
        check._KNOWN.pop(str(root), None)
        files = tuple(str(path) for path in sorted((root / "sglang").rglob("*.py*")))
        judged = judge(JudgeRequest(str(root), files, {}, frozenset({"PPL101", "PPL401", "PPL706"})))
        assert judged.troubles == ()
        return [(one.code, one.path, one.span.line) for one in judged.findings]

    before = look()
    (root / POOL).with_suffix(".pyi").write_text(text)
    assert before
    assert look() == before
