"""How a file is named in a report: below the working directory, below the repository, or as a URI."""

from __future__ import annotations

import os
from collections.abc import Iterable

from pplint.files.above import checkout_of, upwards
from pplint.reports.report import Report


def below(path: str, folder: str) -> str | None:
    """Return the posix path from `folder` to `path` (both absolute), or None when `path` is not inside it."""
    prefix = folder.rstrip(os.sep) + os.sep
    return path[len(prefix) :].replace(os.sep, "/") if path.startswith(prefix) else None


def readable(path: str) -> str:
    """Return `path` with bytes that are not UTF-8 written as `\\xff`, so that it can be encoded."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def display_path(path: str, report: Report) -> str:
    """Return how people see `path`: from the working directory when that is near, else absolute.

    Near means below the directory, beside it, or in the same repository. "" stays "".
    """
    if not path:
        return ""
    inside = below(path, report.cwd)
    if inside is None and _near(path, report):
        inside = os.path.relpath(path, report.cwd).replace(os.sep, "/")
    return readable(inside if inside is not None else path)


def _near(path: str, report: Report) -> bool:
    parent = report.cwd.rpartition(os.sep)[0]
    if parent.count(os.sep) > 1 and below(path, parent) is not None:
        return True
    at_home = report.cwd == report.repository or below(report.cwd, report.repository) is not None
    return at_home and below(path, report.repository) is not None


def repository_path(path: str, report: Report) -> str:
    """Return `path` from the repository's root, or absolute when it lies outside."""
    inside = below(path, report.repository)
    return readable(path if inside is None else inside)


def repository_uri(path: str, report: Report) -> str | None:
    """Return the percent-encoded URI of `path` from the repository's root, or None when it lies outside."""
    from urllib.parse import quote

    inside = below(path, report.repository)
    return None if inside is None else quote(os.fsencode(inside))


def find_repository(paths: Iterable[str], cwd: str) -> str:
    """Return the root that reports name files from, for the absolute `paths` that are checked.

    That is the nearest folder with a `.git` entry above all of them; without one the working directory when
    it holds them all, else the folder that they share.
    """
    home = os.path.realpath(cwd)
    shared = os.path.commonpath([os.path.realpath(path) for path in paths] or [home])
    if not os.path.isdir(shared):
        shared = os.path.dirname(shared)
    return checkout_of(shared) or (home if home in upwards(shared) else shared)
