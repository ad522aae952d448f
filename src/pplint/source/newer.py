"""A guess at the Python version that a file needs when the running one cannot parse it."""

from __future__ import annotations

import re
import sys

_SIGNS = (
    ((3, 14), r"(?<![\w\"'])[tT][rR]?[\"']|(?<![\w\"'])[rR][tT][\"']"),
    ((3, 14), r"\s*except\*?\s+[\w.]+\s*,[^()]*:"),
    ((3, 13), r"\s*(?:async\s+)?(?:def|class|type)\s+\w+\[.*=.*\]"),
    ((3, 12), r"\s*(?:async\s+)?(?:def|class)\s+\w+\["),
    ((3, 12), r"\s*type\s+\w+\s*(?:\[.*\])?\s*="),
    ((3, 12), r".*(?<![\w\"'])(?:[fF][rR]?|[rR][fF])[\"']"),
    ((3, 11), r"\s*except\s*\*"),
    ((3, 11), r".*\w\[.*\*\w"),
)

_LONGEST = 500
"""Characters of a line that are looked at: one of the signs takes quadratic time."""


def needed_version(line: str, running: tuple[int, int] | None = None) -> str:
    """Return a version such as "3.12" if `line`, which did not parse, looks like newer syntax, else ""."""
    line = line[:_LONGEST]
    current = running if running is not None else sys.version_info[:2]
    for version, sign in _SIGNS:
        if version > current and (re.search if version == (3, 14) else re.match)(sign, line):
            return f"{version[0]}.{version[1]}"
    return ""
