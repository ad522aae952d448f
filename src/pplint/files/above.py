"""The folders above a place, and the checkout that it lies in."""

from __future__ import annotations

import os
from collections.abc import Iterator


def upwards(place: str) -> Iterator[str]:
    """An absolute path and all folders above it, the innermost first."""
    above = os.path.dirname(place)
    yield place
    while above != place:
        yield above
        place, above = above, os.path.dirname(above)


def is_checkout(folder: str) -> bool:
    """Whether a folder holds `.git`: a folder, or a file in work trees and submodules."""
    return os.path.lexists(os.path.join(folder, ".git"))


def is_project(place: str) -> bool:
    """Whether an absolute path lies in a project: a checkout, or what Python's tools take for one."""
    marks = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
    return any(os.path.lexists(os.path.join(folder, mark)) for folder in upwards(place) for mark in marks)


def checkout_of(place: str) -> str | None:
    """The innermost checkout that holds an absolute path, as that is written, or None."""
    return next(filter(is_checkout, upwards(place)), None)
