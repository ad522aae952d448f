"""Every situation under every mode ends with the documented code; 2 wins, also over --exit-zero."""

from __future__ import annotations

from pathlib import Path

import pytest

import fake_judge
from pplint.cli import run

HIT = "v = pool.get_value_buffer(0)\n"
NO_FIX = "v = build().get_value_buffer(0)\n"

SITUATIONS: dict[str, tuple[dict[str, bytes | str], list[str], tuple[int, int, int, int]]] = {
    # name: files, arguments, codes of (check, --fix, --diff, --exit-zero)
    "clean": ({"a.py": "v = 1\n"}, ["."], (0, 0, 0, 0)),
    "findings": ({"a.py": NO_FIX}, ["."], (1, 1, 1, 0)),
    "all fixed": ({"a.py": HIT}, ["."], (1, 0, 1, 0)),
    "some fixed": ({"a.py": HIT + NO_FIX}, ["."], (1, 1, 1, 0)),
    "info only": ({"a.py": "v = latent.get_value_buffer(0)\n"}, [".", "--show-info"], (0, 0, 1, 0)),
    "unreadable file": ({"a.py": b's = "\xe9"\n', "hit.py": NO_FIX}, ["."], (2, 2, 2, 2)),
    "syntax error": ({"a.py": "def f(:\n", "hit.py": NO_FIX}, ["."], (2, 2, 2, 2)),
    "missing path": ({"a.py": "v = 1\n"}, ["a.py", "gone"], (2, 2, 2, 2)),
    "folder without Python files": ({"docs/a.txt": "text"}, ["docs"], (2, 2, 2, 2)),
    "empty folder that is allowed": ({"docs/a.txt": "text"}, ["docs", "--allow-empty"], (0, 0, 0, 0)),
    "empty folder that is allowed, missing path": (
        {"docs/a.txt": "text"},
        ["docs", "gone", "--allow-empty"],
        (2, 2, 2, 2),
    ),
    "all named files excluded": (
        {"a.py": HIT, "pyproject.toml": '[tool.pplint]\nexclude = ["a.py"]\n'},
        ["a.py"],
        (0, 0, 0, 0),
    ),
    "unknown code": ({"a.py": "v = 1\n"}, ["--select", "PPL1O1", "."], (2, 2, 2, 2)),
    "unknown option": ({"a.py": "v = 1\n"}, ["--fixx", "."], (2, 2, 2, 2)),
    "bad settings": ({"a.py": "", "pyproject.toml": "[tool.pplint]\nselekt = []\n"}, ["."], (2, 2, 2, 2)),
    "a rule that crashed": ({"a.py": "crash.get_value_buffer(0)\n", "b.py": NO_FIX}, ["."], (2, 2, 2, 2)),
    "interrupted": ({"a.py": "stop.get_value_buffer(0)\n"}, ["."], (130, 130, 130, 130)),
}
MODES = ("check", "--fix", "--diff", "--exit-zero")


@pytest.fixture(autouse=True)
def in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_judge.install(monkeypatch)
    (tmp_path / ".git").mkdir()  # settings of folders above are nobody's
    monkeypatch.chdir(tmp_path)


def write(folder: Path, files: dict[str, bytes | str]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_exit_code_is_the_documented_one(situation: str, mode: str, tmp_path: Path) -> None:
    files, arguments, codes = SITUATIONS[situation]
    write(tmp_path, files)
    options = [] if mode == "check" else [mode]
    assert run([*options, *arguments]) == codes[MODES.index(mode)]


@pytest.mark.parametrize(
    ("source", "options", "code"),
    [
        pytest.param(HIT, ["--fix"], 0, id="a fixed file is clean"),
        pytest.param(
            HIT, ["--fix", "--exit-non-zero-on-fix"], 1, id="a plain script can ask for 1 on a change"
        ),
        pytest.param("v = 1\n", ["--fix", "--exit-non-zero-on-fix"], 0, id="without a change there is no 1"),
        pytest.param(HIT, ["--diff", "--exit-zero"], 0, id="exit-zero hides the 1 of a diff"),
    ],
)
def test_a_fix_counts_only_when_asked(source: str, options: list[str], code: int, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": source})
    assert run([*options, "a.py"]) == code


def test_trouble_in_one_file_leaves_the_findings_of_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"hit.py": HIT, "bad.py": "def f(:\n", "bytes.py": b's = "\xe9"'})
    assert run([".", "gone", "--exit-zero"]) == 2
    out = capsys.readouterr().out
    assert "hit.py:1:27: PPL101[literal-layer-id]" in out
    for name in ("bad.py", "bytes.py", "gone"):
        assert f"{name}" in out
    assert "3 troubles" in out
