"""What a pylint that is started in a folder makes of the plugin: the folder's configuration, and pylint's own word."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pplint.records import Record
from pplint.rules.catalogue import CATALOGUE

PLUGIN = "pplint.pylint_plugin"
PATIENCE = 60
"""Seconds that pylint gets for its answer; it needs about one."""

_IN_FOLDER = (
    "pylintrc", "pylintrc.toml", ".pylintrc", ".pylintrc.toml", "pyproject.toml", "setup.cfg", "tox.ini",
)  # fmt: skip
_LOADS = re.compile(rf"\bload[-_]plugins\s*=[^=]*\b{re.escape(PLUGIN)}\b")
_COMMENT = re.compile(r"^\s*[#;].*$", re.MULTILINE)
_TAKES = re.compile(r"^Using config file (.+)$", re.MULTILINE)


class Word(Record):
    """What pylint says: the configuration file that it takes ("" for none), its last complaint ("" for none).

    `known` are the messages of the plugin that it knows, `enabled` those of them that it would show.
    """

    takes: str
    complaint: str
    known: int
    enabled: int


def loading_files(folder: str) -> list[str]:
    """Return the configuration files in `folder`, or of the user, that name the plugin among those to be loaded."""
    return [str(file) for file in _candidates(folder) if _LOADS.search(_COMMENT.sub("", _text(file)))]


def _candidates(folder: str) -> Iterator[Path]:
    yield from (Path(folder, name) for name in _IN_FOLDER)
    if named := os.environ.get("PYLINTRC"):
        yield Path(folder, named)
    yield from (Path(name).expanduser() for name in ("~/.pylintrc", "~/.config/pylintrc"))


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return ""


def pylint_version() -> str | None:
    """Return the version of the pylint that this Python can import, without importing it; None without one."""
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    try:
        return version("pylint") if find_spec("pylint") is not None else None
    except PackageNotFoundError:
        return "of unknown version"


def ask_pylint(folder: str) -> Word:
    """Start this Python's pylint in `folder` and ask which messages are enabled there.

    It does what it would do for an editor: it follows its configuration, which may name plugins and hooks that run.
    """
    command = [sys.executable, "-m", "pylint", "--verbose", "--list-msgs-enabled"]
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Word("", f"it cannot be asked: {error}", 0, 0)
    said, complaints = (out.decode("utf-8", "replace") for out in (done.stdout, done.stderr))
    takes = _TAKES.search(complaints)
    others = [line for line in _TAKES.sub("", complaints).splitlines() if line.strip()]
    enabled, _, disabled = said.partition("Disabled messages:")
    return Word(
        takes[1].strip() if takes else "",
        others[-1].strip() if others and (done.returncode or not takes) else "",
        _ours(enabled) + _ours(disabled),
        _ours(enabled),
    )


def _ours(text: str) -> int:
    return sum(f" {rule.name} ({rule.message_id})" in text for rule in CATALOGUE)
