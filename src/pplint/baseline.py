"""Accepted findings: a JSON file of fingerprints, which know neither lines nor names of locals."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable

from pplint.finding import Finding
from pplint.records import Record

DEFAULT_FILE = "pplint-baseline.json"
VERSION = 1
_FIELDS = ("path", "code", "fingerprint", "symbol", "message")


class BaselineError(Exception):
    """The baseline file cannot be read or is no baseline; the text names the file."""


class Entry(Record):
    """One accepted finding. Only `fingerprint` is matched; `path` is relative to the folder of the file."""

    path: str
    code: str
    fingerprint: str
    symbol: str
    message: str


class Matched(Record):
    """Findings that are not accepted, findings that are, and entries that no finding matches."""

    new: list[Finding]
    accepted: list[Finding]
    stale: list[Entry]


def read(file: str) -> tuple[Entry, ...]:
    """Return the entries of `file`. Raises `BaselineError`."""
    import json

    try:
        with open(file, "rb") as opened:
            content = json.loads(opened.read())
    except OSError as error:
        hint = "; `pplint baseline write` makes it" if isinstance(error, FileNotFoundError) else ""
        raise BaselineError(f"cannot read the baseline {file}: {error.strerror}{hint}") from error
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"{file} is not a pplint baseline: {error}") from error
    if not isinstance(content, dict) or not isinstance(rows := content.get("findings"), list):
        raise BaselineError(f'{file} is not a pplint baseline: it has no list "findings"')
    if content.get("version") != VERSION:
        raise BaselineError(
            f"{file} is a baseline of version {content.get('version')!r}; this pplint reads {VERSION}"
        )
    return tuple(_entry(file, number, row) for number, row in enumerate(rows, 1))


def _entry(file: str, number: int, row: object) -> Entry:
    if not isinstance(row, dict):
        raise BaselineError(f"{file} is not a pplint baseline: finding {number} is not an object")
    for field in _FIELDS:
        if not isinstance(row.get(field), str):
            raise BaselineError(f'{file} is not a pplint baseline: finding {number} has no text "{field}"')
    return Entry(*(row[field] for field in _FIELDS))


def text(entries: Iterable[Entry]) -> bytes:
    """Return the file's content: sorted, one entry a line, so that merges and reviews are easy."""
    import json

    rows = ",\n".join("    " + json.dumps(entry._asdict()) for entry in sorted(entries))
    listed = f"[\n{rows}\n  ]" if rows else "[]"
    return f'{{\n  "version": {VERSION},\n  "findings": {listed}\n}}\n'.encode()


def entries_of(findings: Iterable[Finding], file: str) -> list[Entry]:
    """Return the entries that accept `findings` in the baseline `file`."""
    folder = os.path.realpath(os.path.dirname(file))
    return [
        Entry(_relative(found.path, folder), found.code, found.fingerprint, found.symbol, found.message)
        for found in findings
    ]


def within(entries: Iterable[Entry], paths: Iterable[str], file: str) -> list[Entry]:
    """Return the entries of the baseline `file` whose files are one of `paths` or below one."""
    folder = os.path.realpath(os.path.dirname(file))
    places = [os.path.realpath(path) for path in paths]
    return [entry for entry in entries if any(_holds(place, _real(entry, folder)) for place in places)]


def _holds(place: str, path: str) -> bool:
    return path == place or path.startswith(os.path.join(place, ""))


def _real(entry: Entry, folder: str) -> str:
    """The absolute real path of an entry's file, "" for what can be none."""
    return os.path.realpath(os.path.join(folder, entry.path)) if "\0" not in entry.path else ""


def match(
    findings: Iterable[Finding],
    hidden: Iterable[Finding],
    entries: Iterable[Entry],
    file: str,
    ran_on: Callable[[str], Collection[str]],
) -> Matched:
    """Take the `entries` of the baseline `file` from `findings`, each entry once; `hidden` ones take theirs too.

    `ran_on` tells the codes of the rules that ran on a file (an absolute real path), none where it was not judged: what
    nobody looked for is not stale, as long as its file is there.
    """
    left = Counter(entry.fingerprint for entry in entries)
    new: list[Finding] = []
    accepted: list[Finding] = []
    for found in findings:
        if left[found.fingerprint] > 0:
            left[found.fingerprint] -= 1
            accepted.append(found)
        else:
            new.append(found)
    left.subtract(Counter(found.fingerprint for found in hidden))
    folder = os.path.realpath(os.path.dirname(file))
    stale: list[Entry] = []
    for entry in sorted(entries, reverse=True):
        if left[entry.fingerprint] > 0:
            left[entry.fingerprint] -= 1
            path = _real(entry, folder)
            if entry.code in ran_on(path) or not os.path.exists(path):
                stale.append(entry)
    return Matched(new, accepted, stale[::-1])


def without(entries: Iterable[Entry], stale: Iterable[Entry]) -> list[Entry]:
    """Return `entries` less one of each of `stale`."""
    gone = Counter(stale)
    kept: list[Entry] = []
    for entry in entries:
        if gone[entry] > 0:
            gone[entry] -= 1
        else:
            kept.append(entry)
    return kept


def _relative(path: str, folder: str) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")
