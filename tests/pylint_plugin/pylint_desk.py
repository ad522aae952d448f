"""Runs pylint and pplint as users do, and brings what they say into one form."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from pplint.source.text import Source

REPOSITORY = Path(__file__).parents[2]
MINI = REPOSITORY / "fixtures" / "mini_sglang"
CACHE = TemporaryDirectory(prefix="pplint-cache-")
ENABLE = ("--disable=all", "--enable=pplint")

POOL = """\
class Pool:
    def __init__(self, layer_num, start_layer=None, end_layer=None):
        self.layer_num = layer_num
        self.start_layer = start_layer or 0
        self.end_layer = end_layer or layer_num
        self.v_buffer = [None for _ in range(layer_num)]

    def get_value_buffer(self, layer_id: int):
        return self.v_buffer[layer_id - self.start_layer]
"""
HIT = "def width(pool):\n    return pool.get_value_buffer(0).shape\n"


class Place(NamedTuple):
    """A finding; the columns are UTF-8 bytes from 0, as ast and pylint count."""

    code: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    symbol: str
    text: str


class Linted(NamedTuple):
    """What a run of pylint said: `others` are messages that are not pplint's, `files` what was visited."""

    places: list[Place]
    others: list[str]
    files: set[str]
    status: int

    def codes(self, name: str) -> list[tuple[str, int]]:
        """The codes and lines of the findings in the file with this name."""
        return [(place.code, place.line) for place in self.places if Path(place.path).name == name]


def environment() -> dict[str, str]:
    """The environment in which pplint can be imported, with a cache of its own."""
    paths = [str(REPOSITORY / "src"), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    python_path = os.pathsep.join(filter(None, paths))
    return {**os.environ, "PYTHONPATH": python_path, "XDG_CACHE_HOME": CACHE.name}


def pylint(
    files: Sequence[Path | str],
    *options: str,
    cwd: Path,
    enable: Sequence[str] = ENABLE,
    stdin: bytes | None = None,
) -> Linted:
    """Run pylint with the plugin on `files`."""
    command = [
        sys.executable,
        "-m",
        "pylint",
        "--load-plugins=pplint.pylint_plugin,visited",
        "--persistent=n",
    ]
    command += [*enable, "--output-format=json2", *options, *map(str, files)]
    done = subprocess.run(command, cwd=cwd, env=environment(), input=stdin, capture_output=True, check=False)
    assert not done.stderr, done.stderr.decode()
    return read_json(done.stdout, cwd, done.returncode)


def read_json(output: bytes, cwd: Path, status: int) -> Linted:
    """Read pylint's json2 output."""
    data = json.loads(output)
    ours = [message for message in data["messages"] if message["messageId"][1] == "7"]
    others = [message for message in data["messages"] if message["messageId"][1] != "7"]
    return Linted(
        sorted(_place(message, cwd) for message in ours),
        [f"{m['symbol']}: {m['message']}" for m in others if m["symbol"] != "visited"],
        {os.path.realpath(cwd / m["path"]) for m in others if m["symbol"] == "visited"},
        status,
    )


def _place(message: dict[str, Any], cwd: Path) -> Place:
    return Place(
        "PPL" + message["messageId"][2:],
        os.path.realpath(cwd / message["path"]),
        message["line"],
        message["column"],
        message["endLine"],
        message["endColumn"],
        re.sub(r"(\.?<lambda>)+$", "", message["obj"]),  # a scope for pylint only
        message["message"],
    )


def command_line(paths: Sequence[Path | str], *options: str, cwd: Path) -> list[Place]:
    """Return what `pplint` says of `paths`, in pylint's units."""
    command = [sys.executable, "-m", "pplint", "--output", "json", "--no-cache", *options, *map(str, paths)]
    done = subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return sorted(_from_json(finding, cwd) for finding in json.loads(done.stdout)["findings"])


def _from_json(finding: dict[str, Any], cwd: Path) -> Place:
    source = Source.read(str(cwd / finding["path"]))
    line, end_line = finding["line"], finding["end_line"]
    return Place(
        finding["code"],
        os.path.realpath(source.path),
        line,
        source.utf8_offset(line, finding["column"]),
        end_line,
        source.utf8_offset(end_line, finding["end_column"]),
        "" if finding["code"].startswith("PPL9") else finding["symbol"],
        f"{finding['message']} [{finding['severity']}]",
    )


def checkout(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Make a git checkout with a pool and `files` (paths below `python/sglang/srt`); return its root."""
    package = folder / "python" / "sglang"
    contents = {"mem_cache/pool.py": POOL, **files}
    for name, content in contents.items():
        path = package / "srt" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (package / "__init__.py").write_text("")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


def python_files(folder: Path) -> list[Path]:
    """All Python files below a folder, in order."""
    return sorted(folder.rglob("*.py"))
