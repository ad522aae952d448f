"""SARIF as the command writes it for the small checkout, through the readers of other people."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pytest

from pplint.cli import run
from sarif_readers import Verdicts, assert_flawless, counts, sarif_tools

MINI = Path(__file__).parents[1] / "fixtures/mini_sglang"
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
