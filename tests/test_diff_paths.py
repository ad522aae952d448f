"""`--diff`: where the patch applies, and that it does so from where the user stands."""

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
    patch, said = capsys.readouterr()
    assert (f"another folder: git -C {tmp_path / folder} apply" in said) is (folder != "here")
    assert f"--- a/{shown}\n+++ b/{shown}\n" in patch
    subprocess.run(["git", "apply"], input=patch, text=True, check=True, cwd=tmp_path / folder)
    assert "y = x.row(x.start_layer)" in path.read_text()


STANDS = {
    "at the top of a checkout": ("outer", "outer/sglang/a.py", True),
    "in a folder of it": ("outer/sglang", "outer/sglang/a.py", True),
    "above a submodule": ("outer", "outer/third/sub/sglang/a.py", True),
    "in a submodule": ("outer/third/sub", "outer/third/sub/sglang/a.py", True),
    "in a folder between both": ("outer/third", "outer/third/sub/sglang/a.py", True),
    "above a checkout": (".", "outer/sglang/a.py", True),
    "in another folder of a checkout": ("outer/third", "outer/sglang/a.py", False),
    "in a submodule of the checkout": ("outer/third/sub", "outer/sglang/a.py", False),
    "in another checkout": ("other", "outer/sglang/a.py", False),
}


@pytest.mark.parametrize(("here", "file", "applies"), STANDS.values(), ids=STANDS.keys())
def test_a_patch_applies_for_who_stands(
    here: str,
    file: str,
    applies: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for checkout in ("outer", "outer/third/sub", "other"):
        subprocess.run(["git", "init", "--quiet", str(tmp_path / checkout)], check=True)
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(HIT)
    monkeypatch.chdir(tmp_path / here)
    assert run(["--no-cache", "--diff", str(path)]) == 1
    patch, said = capsys.readouterr()
    assert ("this diff applies in another folder" in said) is not applies
    command = ["git", "apply"] if applies else said.partition("another folder: ")[2].split("\n")[0].split()
    subprocess.run(command, input=patch, text=True, check=True)
    assert "y = x.row(x.start_layer)" in path.read_text()
