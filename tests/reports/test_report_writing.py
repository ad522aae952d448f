from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from report_desk import Desk

from pplint.reports.report import FORMATS, ReportError, write_reports


def entries(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


def test_several_reports_in_one_run(desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finding = desk.finding(desk.file("a.py", "f(0)\n"), "0")
    targets = [(name, str(tmp_path / f"out.{name}")) for name in FORMATS]
    write_reports([*targets, ("github", ""), ("text", "")], desk.report(finding))
    assert all((tmp_path / f"out.{name}").stat().st_size for name in FORMATS)
    out = capsys.readouterr().out
    assert "::error " in out
    assert "a.py:1:3: PPL101" in out
    assert entries(tmp_path) == sorted(["repo", *(f"out.{name}" for name in FORMATS)])


def test_a_file_is_utf8_and_never_coloured(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    path = desk.file("\u00e9.py", "s = '\u6f22'; f(0)\n")
    write_reports([("text", str(tmp_path / "out.txt"))], desk.report(desk.finding(path, "0")))
    text = (tmp_path / "out.txt").read_bytes().decode("utf-8")
    assert text.startswith("\u00e9.py:1:")
    assert "\u6f22" in text
    assert "\x1b" not in text


def test_a_failure_leaves_the_old_file_and_nothing_else(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "out.json"
    old.write_text("old", encoding="utf-8")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ReportError, match=r"out\.json: cannot be written: No space left on device"):
        write_reports([("json", str(old))], desk.report())
    assert old.read_text(encoding="utf-8") == "old"
    assert entries(tmp_path) == ["out.json", "repo"]


@pytest.mark.parametrize("name", ["gone/out.json", "."], ids=["a missing folder", "a folder"])
def test_a_place_that_cannot_be_written_is_named(desk: Desk, tmp_path: Path, name: str) -> None:
    target = str(tmp_path / name)
    with pytest.raises(ReportError, match="cannot be written"):
        write_reports([("json", target)], desk.report())


def test_one_file_for_two_reports_is_refused_before_anything_is_written(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="two reports"):
        write_reports([("json", str(tmp_path / "o")), ("sarif", str(tmp_path / "." / "o"))], desk.report())
    assert entries(tmp_path) == ["repo"]


def test_a_link_keeps_and_its_target_gets_the_report(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old", encoding="utf-8")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    write_reports([("json", str(tmp_path / "link.json"))], desk.report())
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text(encoding="utf-8"))["version"] == 1


def test_the_mode_is_that_of_any_new_file(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    write_reports([("json", str(tmp_path / "out.json"))], desk.report())
    assert (tmp_path / "out.json").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_devices_and_pipes_are_fed_and_not_replaced(desk: Desk, tmp_path: Path) -> None:
    write_reports([("json", os.devnull)], desk.report())
    assert Path(os.devnull).is_char_device()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_reports([("json", str(pipe))], desk.report())
    reader.join()
    assert json.loads(got[0])["version"] == 1


SCRIPT = """
import sys
from report_desk import Desk
from pathlib import Path
from pplint.reports.report import write_reports
desk = Desk(Path(sys.argv[1]))
path = desk.file("\\u00e9.py", "s = '\\u6f22'; f(0)\\n" * 2000)
finding = desk.finding(path, "0")
write_reports([(sys.argv[2], ""), ("json", sys.argv[1] + "/out.json")], desk.report(*[finding] * 2000))
print("after", file=sys.stderr)
"""


def run_script(tmp_path: Path, format_name: str, **environment: str) -> subprocess.Popen[bytes]:
    here = Path(__file__).parent
    places = os.pathsep.join([str(here), str(here.parents[1] / "src")])
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "made"), format_name]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": places, **environment},
    )


@pytest.mark.parametrize("format_name", ["text", "json", "github"])
def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path, format_name: str) -> None:
    process = run_script(tmp_path, format_name)
    assert process.stdout
    assert process.stderr
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b"after\n"
    assert process.wait() == 0
    assert json.loads((tmp_path / "made" / "out.json").read_bytes())["version"] == 1


@pytest.mark.parametrize("format_name", list(FORMATS))
def test_a_terminal_that_knows_only_ascii_is_no_error(tmp_path: Path, format_name: str) -> None:
    out, err = run_script(tmp_path, format_name, PYTHONIOENCODING="ascii", PYTHONUTF8="0").communicate()
    assert err == b"after\n"
    assert out.isascii()


def test_only_the_asked_format_is_imported(tmp_path: Path) -> None:
    code = "import sys, pplint.reports.report; print(sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "sarif" not in done.stdout
    assert "'pplint.reports.report'" in done.stdout
    assert "'pplint.reports.text'" not in done.stdout
