"""What a checkout's links cannot do: lead what pplint writes to a place outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from pplint.cli import run
from pplint.files.stray import strays

MODEL = "class Model:\n    def forward(self, pp_proxy_tensors=None):\n        pass\n\n\nEntryClass = Model\n"


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose links lead to a folder next to it; it is the working directory."""
    checkout, outside = tmp_path / "checkout", tmp_path / "outside"
    (checkout / ".git").mkdir(parents=True)
    outside.mkdir()
    (outside / "precious").write_text("mine")
    (checkout / "a.py").write_text(MODEL)
    (checkout / "folder").symlink_to(outside)
    for name in ("out.sarif", "pplint-baseline.json", "b.json"):
        (checkout / name).symlink_to(outside / "precious")
    monkeypatch.chdir(checkout)
    return outside


COMMANDS = {
    "a report": ["--no-cache", "--output", "sarif:out.sarif", "a.py"],
    "a report in a folder": ["--no-cache", "--output", "json:folder/new.json", "a.py"],
    "the default baseline": ["baseline", "write", "--no-cache", "a.py"],
    "a named baseline": ["baseline", "write", "--no-cache", "--baseline", "b.json", "a.py"],
    "a cache": ["--cache-dir", "folder/cache", "a.py"],
    "the output of readiness": ["readiness", "--no-cache", "--output-file", "out.sarif", "a.py"],
}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_nothing_is_written_outside(
    arguments: list[str], hostile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert "leads out of the checkout" in capsys.readouterr().err
    assert [path.name for path in hostile.iterdir()] == ["precious"]
    assert (hostile / "precious").read_text() == "mine"


def test_links_that_stay_inside_are_followed(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert strays(str(tmp_path / "link/out.json")) is None
    assert strays(str(tmp_path / "gone/out.json")) is None
    assert strays("/dev/null") is None
