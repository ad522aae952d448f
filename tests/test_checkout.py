"""A checkout as people have it: from wherever and however pplint is started, it says the same."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pplint

MINI = Path(__file__).parents[1] / "fixtures" / "mini_sglang"
POOLS = "python/sglang/srt/mem_cache/memory_pool.py"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with everything around the package that SGLang has."""
    root = tmp_path_factory.mktemp("work") / "sglang"
    shutil.copytree(MINI, root, ignore=shutil.ignore_patterns("__pycache__"))
    others = {
        "docs/conf.py": "project = 'sglang'\n",
        "examples/runtime/engine/offline.py": "from sglang.srt.utils import common\n",
        "sgl-kernel/python/sgl_kernel/__init__.py": "",
        "3rdparty/amd/tuning.py": "layers = []\n",
        "scripts/playground/first_layer.py": "print(pool.get_value_buffer(0))\n",
        "build/lib/sglang/srt/models/basalt.py": "pool.get_value_buffer(0)\n",
        ".gitignore": "build/\n",
    }
    for name, text in others.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    return root


def output(cwd: Path, *arguments: str, hash_seed: str = "0") -> bytes:
    """Return pplint's JSON in the bytes that it prints."""
    command = [
        sys.executable,
        "-m",
        "pplint",
        "check",
        "--no-cache",
        "--output",
        "json",
        "--show-info",
        *arguments,
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(pplint.__file__).parents[1]),
        "PYTHONHASHSEED": hash_seed,
    }
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


def findings(cwd: Path, *arguments: str) -> list[dict[str, Any]]:
    """Return the findings with absolute paths."""
    found: list[dict[str, Any]] = json.loads(output(cwd, *arguments))["findings"]
    for finding in found:
        finding["path"] = os.path.realpath(cwd / finding["path"])
        for step in finding["trace"]:
            step["path"] = os.path.realpath(cwd / step["path"])
    return found


@pytest.fixture(scope="module")
def expected(checkout: Path) -> list[dict[str, Any]]:
    return findings(checkout, "python/sglang")


def test_the_package_has_many_findings(expected: list[dict[str, Any]]) -> None:
    assert len(expected) > 20
    assert {finding["severity"] for finding in expected} >= {"error", "warning"}


@pytest.mark.parametrize(
    ("cwd", "arguments"),
    [
        ("python/sglang", ["."]),
        ("python/sglang", []),
        ("python", ["sglang"]),
        ("test", ["../python/sglang"]),
        ("python/sglang/srt/models", ["../../../sglang"]),
        ("..", ["sglang/python/sglang"]),
    ],
    ids=["inside", "no path", "python folder", "neighbour", "deep inside", "outside"],
)
def test_it_does_not_matter_where_it_is_started(
    checkout: Path, expected: list[dict[str, Any]], cwd: str, arguments: list[str]
) -> None:
    assert findings(checkout / cwd, *arguments) == expected


def test_an_absolute_path_from_elsewhere_gives_the_same(
    checkout: Path, expected: list[dict[str, Any]], tmp_path: Path
) -> None:
    assert findings(tmp_path, str(checkout / "python/sglang")) == expected


def test_the_whole_checkout_adds_only_what_is_outside_of_the_package(
    checkout: Path, expected: list[dict[str, Any]]
) -> None:
    package = str(checkout / "python" / "sglang") + os.sep
    whole = findings(checkout, ".")
    assert [finding for finding in whole if finding["path"].startswith(package)] == expected
    outside = {os.path.relpath(f["path"], checkout) for f in whole if not f["path"].startswith(package)}
    assert outside == {"scripts/playground/first_layer.py"}


@pytest.mark.parametrize(
    "arguments", [["-j", "1"], ["-j", "2"], ["-j", "0"]], ids=["1 process", "2 processes", "all cores"]
)
def test_the_number_of_processes_does_not_change_a_byte(checkout: Path, arguments: list[str]) -> None:
    once = output(checkout, "-j", "1", "python/sglang")
    assert output(checkout, *arguments, "python/sglang", hash_seed="7") == once


def test_the_order_of_the_arguments_does_not_change_a_byte(checkout: Path) -> None:
    files = sorted(str(f.relative_to(checkout)) for f in (checkout / "python").rglob("*.py"))
    once = output(checkout, *files)
    for seed in (1, 2):
        shuffled = random.Random(seed).sample(files, len(files))
        assert output(checkout, *shuffled, shuffled[0], "python/sglang") == once


@pytest.mark.parametrize("path", [POOLS, "python/sglang/srt/models/cairn_moe.py"])
def test_one_file_has_the_findings_that_it_has_among_all(
    checkout: Path, expected: list[dict[str, Any]], path: str
) -> None:
    alone = findings(checkout, path)
    assert alone
    assert alone == [finding for finding in expected if finding["path"] == str(checkout / path)]
