"""Trees to measure: a copy that may be changed, parts and multiples of a tree."""

from __future__ import annotations

import shutil
from pathlib import Path


def copied(tree: Path, folder: Path) -> Path:
    """A copy of the package `tree` in a folder."""
    return Path(
        shutil.copytree(tree, folder / tree.name, ignore=shutil.ignore_patterns("__pycache__", ".git"))
    )


def grown(tree: Path, folder: Path, eighths: int) -> Path:
    """A tree of so many eighths of the files of `tree`.

    Whole copies stand beside each other below the package and import from themselves; a part takes files evenly.
    """
    package = folder / f"{eighths}-eighths" / tree.name
    files = sorted(tree.rglob("*.py"))
    copies, part = divmod(eighths, 8)
    for copy in range(copies):
        home = package / f"copy{copy}" if copy else package
        for file in files:
            _put(file, home / file.relative_to(tree), tree.name, home.name if copy else "")
    for number, file in enumerate(files):
        if number % 8 < part:
            home = package / f"copy{copies}" if copies else package
            _put(file, home / file.relative_to(tree), tree.name, home.name if copies else "")
    (package / "srt").mkdir(parents=True, exist_ok=True)
    return package


def _put(source: Path, target: Path, package: str, copy: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    data = source.read_bytes()
    if copy:
        data = data.replace(f"{package}.".encode(), f"{package}.{copy}.".encode())
    target.write_bytes(data)


def candidate(tree: Path) -> Path:
    """A file of middling size that asks a pool for a buffer."""
    files = [file for file in sorted(tree.rglob("*.py")) if b".get_value_buffer(" in file.read_bytes()]
    if not files:
        raise SystemExit(f"{tree}: no file asks a pool for a buffer; is this SGLang's package?")
    return sorted(files, key=lambda file: file.stat().st_size)[len(files) // 2]


def plain(tree: Path) -> Path:
    """A file of the same kind of size that does not speak of layers."""
    files = [file for file in sorted(tree.rglob("*.py")) if b"layer" not in file.read_bytes()]
    return sorted(files, key=lambda file: abs(file.stat().st_size - 10_000))[0]
