"""A rule that raises is a trouble with rule, file and line; the rest of the run goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkouts import HIT, checkout

from pplint.cli import run
from pplint.rules.ppl101 import LiteralLayerId
from pplint.rules.ppl201 import LiteralLayerIndex


@pytest.fixture(autouse=True)
def in_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(
        checkout(tmp_path, {"a.py": "def f(pool):\n    x = pool.start_layer\n    " + HIT, "b.py": HIT})
    )


def test_the_other_rules_and_files_are_still_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def call(self: object, context: object, node: object) -> None:
        raise ZeroDivisionError("a mistake of ours")

    monkeypatch.setattr(LiteralLayerIndex, "call", call)
    assert run(["--no-cache", "-q", "sglang"]) == 2
    out = capsys.readouterr().out
    assert "sglang/a.py:3: PPL201 trouble: rule PPL201 crashed: ZeroDivisionError: a mistake of ours" in out
    assert "sglang/a.py:3:" in out
    assert "sglang/b.py:1:" in out


def test_a_crash_is_told_once_for_each_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def call(self: object, context: object, node: object) -> None:
        raise KeyError("gone")

    monkeypatch.setattr(LiteralLayerId, "call", call)
    Path("sglang/a.py").write_text(HIT * 50)
    assert run(["--no-cache", "-q", "sglang", "--exit-zero"]) == 2
    assert capsys.readouterr().out.count("a.py:1: PPL101 trouble: rule PPL101 crashed") == 1
