"""GitHub's `primaryLocationLineHash`: what code scanning knows an alert by when lines move.

The hash of a line is a polynomial (multiplier 37, modulo 2**64) over the 100 UTF-16 units that start at the
line's first unit which is neither space nor tab. Spaces and tabs count nowhere, CR and CRLF count as LF,
an end mark follows the text and zeros follow that.
"""

from __future__ import annotations

import sys
from operator import mul

_BLOCK = 100
_POWERS = [pow(37, _BLOCK - 1 - place, 1 << 64) for place in range(_BLOCK)]
_MASK = (1 << 64) - 1
_LINE_FEED = 0x0A
_END = 0xFFFF
_KEPT = str.maketrans({" ": None, "\t": None})


def line_hashes(data: bytes) -> list[str]:
    """Return the hash of each line of a file's bytes as `<hex>:<running number of that hash>`.

    The bytes are read as UTF-8 whatever encoding they declare, and a byte order mark counts, because the
    upload action reads files that way and warns when a given hash is not its own.
    """
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").translate(_KEPT)
    units = memoryview(text.encode(f"utf-16-{sys.byteorder[0]}e")).cast("H")
    starts = [0, *(place + 1 for place, unit in enumerate(units) if unit == _LINE_FEED)]
    padded = [*units, _END, *[0] * _BLOCK]
    seen: dict[str, int] = {}
    hashes = []
    for start in starts:
        value = sum(map(mul, padded[start : start + _BLOCK], _POWERS)) & _MASK
        mark = f"{value:x}"
        seen[mark] = seen.get(mark, 0) + 1
        hashes.append(f"{mark}:{seen[mark]}")
    return hashes
