"""A run that found nothing says what it looked at, and warns when that was nothing of SGLang's."""

from __future__ import annotations

from pathlib import Path

import pytest

from pplint.cli import run

POOL = """\
class Pool:
    def __init__(self, start_layer):
        self.start_layer = start_layer

    def get_key_buffer(self, layer_id):
        return self.k_buffer[layer_id - self.start_layer]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that has a pool, and no mistake."""
    folder = tmp_path.resolve() / "sglang" / "srt"
    folder.mkdir(parents=True)
    (folder / "pool.py").write_text(POOL)
    (folder / "other.py").write_text("x = 1\n")
    return folder.parent


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "elsewhere"
    folder.mkdir()
    (folder / "a.py").write_text("def f(x):\n    return x[0]\n")
    return folder


def test_a_clean_run_says_what_it_knew_also_when_it_reads_nothing_again(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in ("cold", "warm"):
        assert run(["--cache-dir", str(tmp_path / "cache"), "--no-progress", str(checkout)]) == 0
        out, err = capsys.readouterr()
        assert out == "All clean: 2 files checked; known: 1 accessor, 0 padded lists\n"
        assert err == ""


def test_a_run_on_other_code_is_no_green_nothing(
    elsewhere: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = f"sarif:{tmp_path / 'out.sarif'}"
    assert run(["--no-cache", "--no-progress", "--output", target, "--output", "text", str(elsewhere)]) == 0
    out, err = capsys.readouterr()
    assert out == "No findings: 1 file checked; none of them speaks of SGLang's layers\n"
    assert err.startswith(f"pplint: warning: {elsewhere}: no code of SGLang was seen")


def test_a_run_on_code_built_on_an_unseen_sglang_says_so(
    elsewhere: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (elsewhere / "a.py").write_text(
        "from sglang.srt.mem_cache.memory_pool import MHATokenToKVPool\n\n\n"
        "class MyPool(MHATokenToKVPool):\n"
        "    def width(self):\n        return self.get_key_buffer(self.start_layer).shape[-1]\n"
    )
    for _ in ("cold", "warm"):
        assert run(["--cache-dir", str(tmp_path / "cache"), "--no-progress", str(elsewhere)]) == 0
        out, err = capsys.readouterr()
        assert out.startswith("All clean: 1 file checked")
        assert err.startswith(f"pplint: warning: {elsewhere}: SGLang's sources are not in view")


def test_a_quiet_run_keeps_quiet(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--no-cache", "--no-progress", "--quiet", str(elsewhere)]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_run_that_was_to_check_no_file_warns_of_nothing(
    elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (elsewhere / "pyproject.toml").write_text('[tool.pplint]\nexclude = ["a.py"]\n')
    assert run(["--no-cache", "--no-progress", str(elsewhere / "a.py")]) == 0
    assert capsys.readouterr() == ("All clean: 0 files checked\n", "")
