"""Text from a repository, made safe to show: no control characters, no hidden directions."""

from __future__ import annotations

import re

_HARMFUL = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"


def harmless(text: str) -> str:
    """Return `text` on one line, with each character that could act on a terminal written as its escape."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_HARMFUL, lambda match: match[0].encode("unicode_escape").decode("ascii"), text)
