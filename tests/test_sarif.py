"""SARIF as the command writes it for the small checkout, through the readers of other people."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from pplint.cli import run
from sarif_readers import Verdicts, assert_flawless, counts, sarif_tools

MINI = Path(__file__).parents[1] / "fixtures/mini_sglang"
REGION = ("startLine", "startColumn", "endLine", "endColumn")
LEVELS = {"error": "error", "warning": "warning", "info": "note"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git checkout with names that need care."""
    folder = tmp_path_factory.mktemp("sarif") / "a b#é%"
    shutil.copytree(MINI, folder, ignore=shutil.ignore_patterns("__pycache__"))
    backend = folder / "python/sglang/srt/layers/attention/triton_backend.py"
    backend.with_name("odd näme #1.py").write_bytes(backend.read_bytes())
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


@pytest.fixture
def inside(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(checkout / "python")
    return checkout


@pytest.mark.parametrize(
    "options",
    [["--show-info", "--sarif-include-suppressed"], ["--select", "PPL9"]],
    ids=["all findings, the suppressed ones and a trouble", "nothing but a trouble"],
)
def test_the_multitool_has_no_error_and_no_warning(
    options: list[str], inside: Path, multitool: Callable[[Path], Verdicts], tmp_path: Path
) -> None:
    bad = inside / "python/sglang/bad.py"
    bad.write_text("def f(:\n")
    file = tmp_path / "out.sarif"
    assert run(["--no-cache", "-q", *options, "--output", f"sarif:{file}", "sglang"]) == 2
    bad.unlink()
    assert_flawless(multitool(file))


def test_sarif_tools_reads_the_findings_that_json_has(inside: Path, tmp_path: Path) -> None:
    file, plain, table = tmp_path / "out.sarif", tmp_path / "out.json", tmp_path / "out.csv"
    outputs = ["--output", f"sarif:{file}", "--output", f"json:{plain}"]
    assert run(["--no-cache", "-q", "--exit-zero", "--show-info", *outputs, "sglang"]) == 0
    # Findings of one rule on one line are one result.
    lines = {
        (one["code"], LEVELS[one["severity"]], f"python/{one['path']}", one["line"])
        for one in json.loads(plain.read_text())["findings"]
    }
    assert counts(file) == {"note": 0, **Counter(level for _, level, _, _ in lines)}
    sarif_tools("csv", file, "-o", table)
    read = {
        (row["Code"], row["Severity"], unquote(row["Location"]), int(row["Line"]))
        for row in csv.DictReader(table.read_text().splitlines())
    }
    assert read == lines


@pytest.mark.parametrize(
    ("options", "words"), [([], ("Safe",)), (["--unsafe-fixes"], ("Safe", "Unsafe"))], ids=["safe", "all"]
)
def test_a_viewer_that_applies_the_fixes_gets_the_bytes_of_fix(
    options: list[str], words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, file = tmp_path / "sglang", tmp_path / "out.sarif"
    shutil.copytree(MINI, folder, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    monkeypatch.chdir(folder)
    run(["--no-cache", "-q", "--output", f"sarif:{file}", "python"])
    (log,) = json.loads(file.read_text())["runs"]
    viewed = applied(folder, log["results"], words)
    run(["--no-cache", "-q", "--fix", *options, "python"])
    assert len(viewed) > 3
    for name, data in viewed.items():
        assert (folder / name).read_bytes() == data, name


def applied(folder: Path, results: list[dict[str, Any]], words: tuple[str, ...]) -> dict[str, bytes]:
    """The files that the fixes change, as a viewer makes them; all files there are ASCII with LF ends."""
    edits: dict[str, set[tuple[int, int, int, int, str]]] = {}
    for result in results:
        for fix in result.get("fixes", []):
            if fix["description"]["text"].split()[0] in words:
                for change in fix["artifactChanges"]:
                    rows = edits.setdefault(unquote(change["artifactLocation"]["uri"]), set())
                    for item in change["replacements"]:
                        place = [item["deletedRegion"][key] for key in REGION]
                        rows.add((*place, item.get("insertedContent", {}).get("text", "")))
    files = {}
    for name, rows in edits.items():
        lines = (folder / name).read_text().splitlines(keepends=True)
        starts = [0, *accumulate(map(len, lines))]
        text = "".join(lines)
        for line, column, end_line, end_column, new in sorted(rows, reverse=True):
            text = text[: starts[line - 1] + column - 1] + new + text[starts[end_line - 1] + end_column - 1 :]
        files[name] = text.encode()
    return files
