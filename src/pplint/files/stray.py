"""Paths that a checkout's symbolic links lead elsewhere: nobody who names a file in a checkout means one outside."""

from __future__ import annotations

import os

from pplint.files.above import checkout_of, upwards


def strays(path: str) -> str | None:
    """Return where `path` leads when links take it out of the checkout in which it is named, else None."""
    named = os.path.abspath(path)  # as it is named, links included
    top = checkout_of(os.path.dirname(named))
    if top is None:
        return None
    real = os.path.realpath(named)
    return None if os.path.realpath(top) in upwards(real) else real


def refusal(path: str) -> str | None:
    """Return the sentence that refuses to write to a path that strays, else None."""
    real = strays(path)
    return f"{path} leads out of the checkout, to {real}; name that place if it is meant" if real else None
