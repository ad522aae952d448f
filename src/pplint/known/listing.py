"""Which Python files a tree has; its folders are listed again only where one of them changed."""

from __future__ import annotations

import time
from collections.abc import Iterable

from pplint.known.stamps import Stamp, is_file, stamps_of
from pplint.records import Record


class Listing(Record):
    """The Python files at or below some folders, sorted, and the stamps of all folders that were listed for that.

    Without stamps the listing cannot be known again: a folder was changed just now.
    """

    tops: tuple[str, ...]
    files: tuple[str, ...]
    folders: dict[str, Stamp]


def listing_of(tops: tuple[str, ...], known: Iterable[Listing]) -> Listing:
    """The files as they are now, taken from a known listing where that still holds. What cannot be listed has none."""
    for one in known:
        if one.folders and one.tops == tops and one.folders == stamps_of(one.folders, {}):
            return one
    if not tops:
        return Listing((), (), {})
    from pplint.files.discover import find_python_files

    began = time.time_ns()
    found = find_python_files(tops, exclude=(), base=tops[0], respect_gitignore=False)
    folders = stamps_of(found.folders, {}, began)
    return Listing(tops, tuple(found.files), folders if all(map(is_file, folders.values())) else {})
