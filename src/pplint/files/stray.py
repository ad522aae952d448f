"""Paths that a checkout's symbolic links lead elsewhere: nobody who names a file in a checkout means one outside."""

from __future__ import annotations

import os
from pathlib import Path


def strays(path: str) -> str | None:
    """Return where `path` leads when links take it out of the checkout in which it is named, else None."""
    named = Path(os.path.abspath(path))  # noqa: PTH100  # as it is named, links included
    top = next((folder for folder in named.parents if (folder / ".git").exists()), None)
    if top is None:
        return None
    real = Path(os.path.realpath(named))
    return None if real.is_relative_to(os.path.realpath(top)) else str(real)


def refusal(path: str) -> str | None:
    """Return the sentence that refuses to write to a path that strays, else None."""
    real = strays(path)
    return f"{path} leads out of the checkout, to {real}; name that place if it is meant" if real else None
