"""What tells whether a file is as it was when it was looked at last."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import NamedTuple


class Stamp(NamedTuple):
    """What tells whether a file is as before. `kind` is file, text (an overlay), fresh or gone; only the first two hold."""

    kind: str
    mark: str
    size: int


_FRESH_NS = 20_000_000
"""A file that was changed this recently could change again without a new time stamp (clocks tick in steps)."""


def stamps_of(paths: Iterable[str], overlay: Mapping[str, bytes]) -> dict[str, Stamp]:
    """A stamp for each file that tells whether it is as before; a file just changed is never as before."""
    now = time.time_ns()
    found: dict[str, Stamp] = {}
    stat_of = os.stat
    for path in paths:
        if path in overlay:
            data = overlay[path]
            found[path] = Stamp("text", blake2b(data, digest_size=16).hexdigest(), len(data))
            continue
        try:
            stat = stat_of(path)
        except OSError:
            found[path] = Stamp("gone", str(now), 0)
            continue
        modified, changed = stat.st_mtime_ns, stat.st_ctime_ns
        if max(modified, changed) > now - _FRESH_NS:
            found[path] = Stamp("fresh", str(now), stat.st_size)
        else:
            found[path] = Stamp("file", f"{modified:x}.{changed:x}.{stat.st_ino:x}", stat.st_size)
    return found
