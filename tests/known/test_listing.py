"""Files that come and go are seen although a tree is listed again only where a folder changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from test_cache import OLD, POOL, look, places, write

from pplint.files import discover

LATE = POOL.replace("row", "late_row")
OTHER = POOL.replace("row", "other_row")


def use(method: str) -> str:
    return f"def use(pool):\n    return pool.{method}(0)\n"


def settle(tree: Path) -> None:
    """Give all folders old time stamps."""
    for folder in (tree, *(path for path in tree.rglob("*") if path.is_dir())):
        os.utime(folder, (OLD, OLD))


def a_new_folder(tree: Path) -> None:
    (tree / "sub").mkdir()
    write(tree / "sub" / "pool.py", LATE)


def a_link(tree: Path) -> None:
    (tree / "pool.py").unlink()
    (tree / "pool.py").symlink_to(tree / "other" / "pool.py")


CHANGES: dict[str, tuple[str, Callable[[Path], object], bool]] = {
    "a new file": ("late_row", lambda tree: write(tree / "late.py", LATE), True),
    "a new file in a folder": ("late_row", lambda tree: write(tree / "other" / "late.py", LATE), True),
    "a file with a new suffix": ("late_row", lambda tree: (tree / "late.txt").rename(tree / "l.py"), True),
    "a new folder": ("late_row", a_new_folder, True),
    "a folder that was hidden": ("late_row", lambda tree: (tree / ".hidden").rename(tree / "sub"), True),
    "a file that went": ("other_row", lambda tree: (tree / "other" / "pool.py").unlink(), False),
    "a file that became a link": ("row", a_link, False),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (tmp_path / "setup.cfg").touch()  # a project, of which all is read
    for name, text in {
        "pool.py": POOL,
        "other/pool.py": OTHER,
        "late.txt": LATE,
        ".hidden/x.py": LATE,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        write(root / name, text)
    return root


@pytest.mark.parametrize(("method", "change", "found"), CHANGES.values(), ids=CHANGES)
def test_a_change_of_folders_is_seen(tree, tmp_path, method, change, found):
    write(tree / "use.py", use(method))
    settle(tree)
    before = look(tree, tmp_path / "cache", "use.py")
    change(tree)
    after = look(tree, tmp_path / "cache", "use.py")
    assert places(before) == ([] if found else [("use.py", 2)])
    assert places(after) == ([("use.py", 2)] if found else [])


def test_unchanged_folders_are_not_listed_again(tree, tmp_path, monkeypatch):
    write(tree / "use.py", use("row"))
    before = look(tree, tmp_path / "cache", "use.py")
    write(tree / "use.py", "\n" + use("row"), age=1)

    def listed(*_: object, **__: object) -> None:
        raise AssertionError("listed")

    monkeypatch.setattr(discover, "find_python_files", listed)
    after = look(tree, tmp_path / "cache", "use.py")
    assert (places(before), places(after)) == ([("use.py", 2)], [("use.py", 3)])


def test_a_folder_that_just_changed_is_listed_again(tree, tmp_path, monkeypatch):
    write(tree / "use.py", use("late_row"))
    monkeypatch.setattr("pplint.known.stamps._FRESH_NS", 10**18)
    before = look(tree, tmp_path / "cache", "use.py")
    write(tree / "late.py", LATE)
    settle(tree)
    after = look(tree, tmp_path / "cache", "use.py")
    assert (places(before), places(after)) == ([], [("use.py", 2)])
