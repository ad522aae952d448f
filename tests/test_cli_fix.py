"""`--fix`, `--diff` and the standard input: what is written, what is printed, what stays."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fake_judge
from pplint.cli import run

HIT = "v = pool.get_value_buffer(0)\n"
FIXED = "v = pool.get_value_buffer(pool.start_layer)\n"


@pytest.fixture(autouse=True)
def in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_judge.install(monkeypatch)
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)


def test_one_run_fixes_all_and_a_second_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(HIT * 150 + "a.get_value_buffer(b.get_value_buffer(0)[0]).x(c.get_value_buffer(0))\n")
    assert run(["--fix", "."]) == 0
    once = file.read_bytes()
    assert b"(0)" not in once
    assert run(["--fix", "--exit-non-zero-on-fix", "."]) == 0
    assert file.read_bytes() == once


def test_only_the_bytes_of_the_fix_change(tmp_path: Path) -> None:
    before = b"\xef\xbb\xbfv = pool.get_value_buffer(0)\r\nif v:\n\x0c\n\tj = 2"
    (tmp_path / "a.py").write_bytes(before)
    assert run(["--fix", "a.py"]) == 0
    assert (tmp_path / "a.py").read_bytes() == before.replace(b"(0)", b"(pool.start_layer)")


def test_unsafe_fixes_need_to_be_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("v = pool.get_value_buffer(-1)\n")
    assert run(["--fix", "a.py"]) == 1
    assert (tmp_path / "a.py").read_text() == "v = pool.get_value_buffer(-1)\n"
    assert run(["--fix", "--unsafe-fixes", "a.py"]) == 0
    assert (tmp_path / "a.py").read_text() == "v = pool.get_value_buffer(pool.end_layer - 1)\n"


KEPT = {
    "is suppressed": "v = pool.get_value_buffer(0)  # pplint: ignore[PPL101]\n",
    "is not shown": "v = latent.get_value_buffer(0)\n",
}


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT.keys())
def test_nothing_is_fixed_that(source: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(source)
    assert run(["--fix", "."]) == 0
    assert (tmp_path / "a.py").read_text() == source


@pytest.mark.parametrize("receiver", ["undo", "broken"], ids=["has no end", "does not parse"])
def test_a_file_stays_as_it_was_when_its_fix(
    receiver: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = f"v = {receiver}.get_value_buffer(0)\n"
    (tmp_path / "bad.py").write_text(bad)
    (tmp_path / "good.py").write_text(HIT)
    assert run(["--fix", "."]) == 2
    assert (tmp_path / "bad.py").read_text() == bad
    assert (tmp_path / "good.py").read_text() == FIXED
    out = capsys.readouterr().out
    assert "trouble: not fixed: " in out
    assert f"bad.py:1:{len(receiver) + 23}: PPL101" in out, "the finding is still there"


def test_a_file_that_cannot_be_written_is_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pplint.files import write

    def refuse(path: str, data: bytes, expected: bytes | None) -> None:
        raise write.WriteError(path, "disk full")

    (tmp_path / "a.py").write_text(HIT)
    monkeypatch.setattr(write, "write_atomically", refuse)
    assert run(["--fix", "."]) == 2
    assert (tmp_path / "a.py").read_text() == HIT


APPLIES = {
    "plain": ("a.py", HIT.encode()),
    "CRLF": ("a.py", b"v = pool.get_value_buffer(0)\r\nw = 1\r\n"),
    "without a last line end": ("a.py", b"w = 1\nv = pool.get_value_buffer(0)"),
    "latin-1": ("a.py", b"# -*- coding: latin-1 -*-\ns = '\xe9'\nv = pool.get_value_buffer(0)\n"),
    "after a byte order mark": ("a.py", b"\xef\xbb\xbfv = pool.get_value_buffer(0)\n"),
    "a form feed": ("a.py", b"w = 1\n\x0cv = pool.get_value_buffer(0)\n"),
    "a name with a space": ("a b.py", HIT.encode()),
    "a name with quotes": ('a"b.py', HIT.encode()),
    "a name that is not ASCII": ("aé.py", HIT.encode()),
    "a file in a folder": ("python/x/a.py", HIT.encode()),
    "many hunks": ("a.py", (HIT + "w = 1\n" * 20 + HIT + "w = 2\n" * 3 + HIT).encode()),
    "a comment's line that goes": ("a.py", b"w = 1\n# pplint: ignore[PPL201]\n" + HIT.encode()),
}


@pytest.mark.parametrize(("name", "data"), APPLIES.values(), ids=APPLIES.keys())
def test_the_diff_applies_with_git_and_gives_what_fix_gives(
    name: str, data: bytes, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    assert run(["--diff", "."]) == 1
    diff = capsysbinary.readouterr().out
    assert file.read_bytes() == data, "--diff writes nothing"
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn"], input=diff, check=False, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    applied = file.read_bytes()
    file.write_bytes(data)
    assert run(["--fix", "."]) == 0
    assert applied == file.read_bytes() != data


def test_diff_paths_are_those_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = tmp_path / "python" / "sglang"
    inner.mkdir(parents=True)
    (inner / "a.py").write_text(HIT)
    monkeypatch.chdir(inner)
    run(["--diff", "a.py"])
    assert "--- a/python/sglang/a.py\n+++ b/python/sglang/a.py\n" in capsys.readouterr().out


def test_a_diff_does_not_claim_to_have_fixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text(HIT)
    run(["--diff", "a.py"])
    error = capsys.readouterr().err
    assert "1 finding would be fixed in 1 file; nothing was written" in error
    assert "1 fixed" not in error


def test_no_diff_is_printed_without_a_fix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("v = build().get_value_buffer(0)\n")
    assert run(["--diff", "a.py"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "1 error, 0 warnings in 1 file (1 checked)\n" in err
    assert "nothing would be fixed; without --diff each finding is told" in err


BESIDE_A_DIFF = {
    "the number of findings alone": ([], False),
    "findings when a format is asked for": (["--output", "text"], True),
    "nothing at all with --quiet": (["--quiet"], False),
}


@pytest.mark.parametrize(("options", "told"), BESIDE_A_DIFF.values(), ids=BESIDE_A_DIFF.keys())
def test_beside_a_diff_stand(
    options: list[str], told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_text(HIT + "v = build().get_value_buffer(0)\n")
    assert run(["--diff", *options, "a.py"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("diff --git a/a.py b/a.py\n")
    assert ("a.py:2:" in err) is told
    quiet = "--quiet" in options
    assert ("2 errors, 0 warnings in 1 file (1 checked); 1 fixable with --fix" in err) is not quiet
    assert bool(err) is not quiet


def test_trouble_is_told_beside_a_diff(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text(HIT)
    (tmp_path / "b.py").write_text("def f(:\n")
    assert run(["--diff", "."]) == 2
    assert "b.py:1: PPL903 trouble:" in capsys.readouterr().err


class Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


STDIN = {
    "fixed": (b"\xef\xbb\xbfv = pool.get_value_buffer(0)\r\n", ["--fix"], 0),
    "clean": (b"v = 1", ["--fix"], 0),
    "empty": (b"", ["--fix"], 0),
    "not parsable": (b"def f(:\n", ["--fix"], 2),
    "not UTF-8": (b"s = '\xe9'\n", ["--fix"], 2),
}


@pytest.mark.parametrize(("data", "options", "code"), STDIN.values(), ids=STDIN.keys())
def test_stdin_comes_out_fixed_or_as_it_went_in(
    data: bytes,
    options: list[str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(data))
    assert run([*options, "--stdin-filename", "new/a.py", "-"]) == code
    out, _ = capsysbinary.readouterr()
    assert out == (data.replace(b"(0)", b"(pool.start_layer)") if code == 0 else data)


def test_stdin_is_reported_under_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(HIT.encode()))
    assert run(["--quiet", "--stdin-filename", "new/a.py", "-"]) == 1
    assert capsys.readouterr().out.startswith("new/a.py:1:27: PPL101")


def test_excluded_stdin_is_echoed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.pplint]\nexclude = ["gen/"]\n')
    monkeypatch.setattr(sys, "stdin", Stdin(HIT.encode()))
    assert run(["--fix", "--stdin-filename", "gen/a.py", "-"]) == 0
    assert capsysbinary.readouterr().out == HIT.encode()


def test_an_excluded_name_holds_for_stdin_as_for_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.pplint]\nexclude = ["link"]\n')
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.py").write_text(HIT)
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setattr(sys, "stdin", Stdin(HIT.encode()))
    assert run(["--quiet", "link/a.py"]) == 0
    assert run(["--quiet", "--stdin-filename", "link/a.py", "-"]) == 0


def test_ignored_codes_of_a_file_hold_for_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.pplint.per-file-ignores]\n"a.py" = ["PPL1"]\n')
    monkeypatch.setattr(sys, "stdin", Stdin(HIT.encode()))
    assert run(["--stdin-filename", "a.py", "-"]) == 0


def test_stdin_never_writes_the_file_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("old = 1\n")
    monkeypatch.setattr(sys, "stdin", Stdin(HIT.encode()))
    run(["--fix", "--stdin-filename", "a.py", "-"])
    assert (tmp_path / "a.py").read_text() == "old = 1\n"


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("v = build().get_value_buffer(0)\n" * 2000)
    script = Path(__file__).with_name("fake_judge.py")
    process = subprocess.Popen(
        [sys.executable, str(script), "a.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    error = process.stderr.read()
    process.wait()
    assert error == b""


def test_reports_of_a_diff_are_about_the_files_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(HIT)
    run(["--diff", "a.py", "--output", "json:found.json"])
    assert len(json.loads((tmp_path / "found.json").read_text())["findings"]) == 1
