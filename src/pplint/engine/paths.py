"""What the path of a file says of it, and its bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from pplint.engine.root import PACKAGE
from pplint.engine.vocabulary import TEST_PATH
from pplint.source.text import SourceError, read_bytes

_PACKAGE_PART = f"{os.sep}{PACKAGE}{os.sep}"


def content(path: str, overlay: Mapping[str, bytes]) -> bytes | None:
    """The bytes of a file, or None when it cannot be read."""
    try:
        return overlay[path] if path in overlay else read_bytes(path)
    except SourceError:
        return None


def module_name(root: str, path: str) -> str:
    """The dotted module name of a file as imports write it: from `root`, or from an SGLang elsewhere.

    A stub has a name that no import means: what runs is the file beside it.
    """
    if path.startswith(root + os.sep):
        relative = path[len(root) + 1 :]
    elif _PACKAGE_PART in path:
        relative = PACKAGE + os.sep + path.rpartition(_PACKAGE_PART)[2]
    else:
        relative = os.path.relpath(path, root)
    stem, suffix = os.path.splitext(relative)
    # No import names these; in ids they stand between the parts.
    name = stem.replace(os.sep, ".").replace(":", "(colon)").replace(" ", "(space)")
    if suffix == ".pyi":
        return f"{name}(stub)"
    return name[: -len(".__init__")] if name.endswith(".__init__") else name


def packages_of(root: str, paths: Iterable[str]) -> frozenset[str]:
    """The first parts of the names of all modules."""
    start = len(root) + 1
    found, known = {PACKAGE}, root + os.sep + PACKAGE + os.sep
    for path in paths:
        if not path.startswith(known):  # neighbours mostly have the same
            name = path[start:].partition(os.sep)[0]
            found.add(name.removesuffix(".py"))
            known = path[:start] + name + os.sep
    return frozenset(found)


def is_test(root: str, path: str) -> bool:
    """Whether a file is test code, judged by its path below the root."""
    below = path[len(root) + 1 :] if path.startswith(root + os.sep) else os.path.relpath(path, root)
    return TEST_PATH.search(below.replace(os.sep, "/")) is not None
