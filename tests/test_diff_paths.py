"""`--diff` of files that are in no repository: where the patch applies."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pplint.cli import run

HIT = """\
class P:
    def __init__(self, start_layer):
        self.start_layer = start_layer

    def row(self, i):
        return self.rows[i - self.start_layer]


x = P(4)
y = x.row(0)
"""


@pytest.mark.parametrize(
    ("file", "folder", "shown"),
    [
        pytest.param("python/sglang/srt/a.py", "python", "sglang/srt/a.py", id="of a package elsewhere"),
        pytest.param("code/a.py", "code", "a.py", id="elsewhere"),
        pytest.param("here/code/a.py", "here", "code/a.py", id="below the current folder"),
    ],
)
def test_a_patch_names_no_folder_above_the_one_where_it_applies(
    file: str,
    folder: str,
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(HIT)
    (tmp_path / "here").mkdir(exist_ok=True)
    monkeypatch.chdir(tmp_path / "here")
    assert run(["--no-cache", "--diff", str(path)]) == 1
    patch = capsys.readouterr().out
    assert f"--- a/{shown}\n+++ b/{shown}\n" in patch
    subprocess.run(["git", "apply"], input=patch, text=True, check=True, cwd=tmp_path / folder)
    assert "y = x.row(x.start_layer)" in path.read_text()
