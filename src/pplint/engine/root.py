"""Which tree the facts come from."""

from __future__ import annotations

import os
from collections.abc import Sequence

from pplint.files.above import upwards
from pplint.records import Record

PACKAGE = "sglang"


class RootError(ValueError):
    """No tree can be chosen; the message says why."""


class Root(Record):
    """`path` is the folder whose modules are named from it (the parent of `sglang/`), absolute and real.

    `folder` is what is read for facts below it, `how` a sentence for `--verbose`.
    """

    path: str
    folder: str
    how: str


def find_root(paths: Sequence[str], sglang: str | None = None) -> Root:
    """Choose the tree: `--sglang`, else the nearest folder at or above the first path that holds the package.

    A checkout holds it as `python/sglang`. Without one in view the facts come from the folder of the paths alone.
    Raises RootError when `sglang` holds no package, or the paths lie in two checkouts.
    """
    if sglang:
        found = _package_in(os.path.realpath(sglang))
        if found is None:
            raise RootError(f"{sglang}: holds no SGLang sources (no {PACKAGE}/srt below it)")
        return Root(os.path.dirname(found), found, f"{found}, as asked for by --sglang")
    named = [os.path.realpath(path) for path in paths] or [os.path.realpath(os.curdir)]
    roots = {one: found for one in named if (found := _above(one)) is not None}
    if len(set(roots.values())) > 1:
        listed = " and ".join(sorted(set(roots.values())))
        raise RootError(f"the paths lie in two checkouts, {listed}: check one at a time")
    for found in roots.values():
        return Root(os.path.dirname(found), found, f"{found}, the nearest package at or above the paths")
    folder = _bare_folder(named)
    return Root(folder, folder, f"{folder}: no {PACKAGE} package above the paths")


def _bare_folder(named: list[str]) -> str:
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in named]
    shared = os.path.commonpath(folders)
    # Paths that share nothing but the disk: reading all of it would take hours.
    return shared if os.path.dirname(shared) != shared else folders[0]


def _above(path: str) -> str | None:
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    return next(filter(None, map(_package_in, upwards(folder))), None)


def _package_in(folder: str) -> str | None:
    """The package folder that `folder` is or holds."""
    candidates = [os.path.join(folder, PACKAGE), os.path.join(folder, "python", PACKAGE)]
    if os.path.basename(folder) == PACKAGE:
        candidates.insert(0, folder)
    for candidate in candidates:
        if os.path.isdir(os.path.join(candidate, "srt")):
            return candidate
    return None
