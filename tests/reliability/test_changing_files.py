"""Files that change or vanish while pplint is at work on them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from checkouts import FIXED, HIT, checkout

from pplint import look, repair
from pplint.cli import run

CASE = Path("sglang/case.py")
OPTIONS = ["--no-cache", "-q", "sglang"]


@pytest.fixture(autouse=True)
def in_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout(tmp_path, {"case.py": HIT, "other.py": HIT}))


def vanish() -> None:
    CASE.unlink()


def become_a_folder() -> None:
    CASE.unlink()
    CASE.mkdir()


def break_off() -> None:
    CASE.write_text(HIT + "def f(:\n")


@pytest.mark.parametrize("happens", [vanish, become_a_folder, break_off])
def test_between_finding_and_reading(
    happens: Callable[[], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = look.find

    def find(request: look.Request) -> look.Files:
        files = found(request)
        happens()
        return files

    monkeypatch.setattr(look, "find", find)
    assert run(OPTIONS) == 2
    out, err = capsys.readouterr()
    assert "sglang/case.py" in out
    assert "trouble" in out
    assert "sglang/other.py:1:" in out
    assert "internal error" not in err


@pytest.mark.parametrize("happens", [vanish, become_a_folder, break_off])
def test_between_judging_and_writing(
    happens: Callable[[], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write = repair.write

    def late(*arguments: object) -> object:
        happens()
        return write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(repair, "write", late)
    assert run([*OPTIONS, "--fix"]) == 2
    out, err = capsys.readouterr()
    assert "sglang/case.py: PPL903 trouble" in out
    assert Path("sglang/other.py").read_text() == FIXED
    assert not CASE.exists() or CASE.is_dir() or CASE.read_text() == HIT + "def f(:\n"
    assert "internal error" not in err
