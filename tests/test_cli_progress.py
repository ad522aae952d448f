"""The bar: only at a terminal, over itself, and gone at the end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pplint.progress import Progress, picture


class Terminal:
    """A file that says it is a terminal."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("wb", buffering=0)

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.file.fileno()


def test_there_is_no_bar_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(True) as bar:
        assert not bar.wanted
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("wanted", "ticks"),
    [
        pytest.param(True, 0, id="a short run shows nothing"),
        pytest.param(True, 3, id="a long run leaves a blank line"),
        pytest.param(False, 0, id="not asked for"),
    ],
)
def test_the_bar_is_wiped_at_the_end(
    wanted: bool, ticks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal(tmp_path / "terminal"))
    with Progress(wanted) as bar:
        assert bar.wanted is wanted
        for _ in range(ticks):
            bar.draw()
    shown = (tmp_path / "terminal").read_bytes().decode().split("\r")
    assert len(shown) == (ticks + 3 if ticks else 1)
    assert shown[1 : ticks + 1] == [picture("checking", tick) for tick in range(ticks)]
    assert "".join(shown[ticks + 1 :]).strip() == ""


def test_all_pictures_have_one_width() -> None:
    pictures = [picture("checking", tick) for tick in range(200)]
    assert len({len(text) for text in pictures}) == 1
    assert len(set(pictures)) > 48
