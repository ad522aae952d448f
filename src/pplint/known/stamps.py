"""What tells whether a file is as it was when it was looked at last."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping

from pplint.source.digest import digest_of

Stamp = str
"""A kind, a size in bytes and a mark. The kinds are file, text (an overlay), fresh and gone; only the first two hold.

Thousands are made, read and compared in each run: texts cost the least.
"""


_FRESH_NS = 20_000_000
"""A file that was changed this recently could change again without a new time stamp (clocks tick in steps)."""


def stamps_of(
    paths: Iterable[str], overlay: Mapping[str, bytes], began: int | None = None
) -> dict[str, Stamp]:
    """A stamp for each file or folder that tells whether it is as before; what just changed is never as before.

    `began` is when they were read, in nanoseconds since the epoch; now, if they are yet to be read.
    """
    now = time.time_ns() if began is None else began
    latest = now - _FRESH_NS
    found: dict[str, Stamp] = {}
    stat_of = os.stat
    for path in paths:
        if path in overlay:
            data = overlay[path]
            found[path] = f"text {len(data)} {digest_of(data)}"
            continue
        try:
            stat = stat_of(path)
        except OSError:
            found[path] = f"gone 0 {now}"
            continue
        modified, changed = stat.st_mtime_ns, stat.st_ctime_ns
        if modified > latest or changed > latest:
            found[path] = f"fresh {stat.st_size} {now}"
        else:
            found[path] = f"file {stat.st_size} {modified}.{changed}.{stat.st_ino}"
    return found


def is_file(stamp: Stamp) -> bool:
    """Whether this is the stamp of a file on disk that holds."""
    return stamp.startswith("file ")


def size_of(stamp: Stamp) -> int:
    """The bytes of the file, or of what stands for it."""
    return int(stamp.split(" ", 2)[1])
