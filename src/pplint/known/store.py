"""The disk cache: plain JSON under a name, whole or not at all. Whatever is wrong with it, it is no cache."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Mapping
from typing import Any

from pplint import __version__
from pplint.source.digest import digest_of

WRONG = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What plain data of the wrong types or sizes raises where it is taken apart: `1e999` is no number of anything."""

_FEW = 50
"""So many rows of a table are written beside the others, not with them."""


class Lost(BaseException):
    """A part of what is kept on disk is gone or damaged; no rule's handler of exceptions takes this for its own mistake."""


class Store:
    """The cached values of one tree, for this pplint and this Python."""

    def __init__(self, cache_dir: str, root: str) -> None:
        self._bases: dict[str, tuple[str, dict[str, Any]]] = {}
        key = json.dumps([root, __version__, sys.version, _code_stamp()])
        self.folder = os.path.join(cache_dir, f"tree-{digest_of(key, 12)}")

    def load(self, name: str) -> Any:
        """The value, or None when it is missing, damaged or unreadable."""
        return self.load_with_digest(name)[0]

    def load_with_digest(self, name: str) -> tuple[Any, str]:
        """The value and a name for what it says, or None and "" when it is missing, damaged or unreadable."""
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                noted, _, text = file.read().partition(b"\n")
            digest = digest_of(text)
            return (json.loads(text), digest) if noted == digest.encode() else (None, "")
        except (OSError, ValueError, RecursionError):
            return None, ""

    def save(self, name: str, value: Any) -> str:
        """Keep a value and return a name for what it says; a cache that cannot be written is no cache."""
        text = json.dumps(value, separators=(",", ":")).encode()
        digest = digest_of(text)
        self._write(name, digest.encode() + b"\n" + text)
        return digest

    def save_table(self, name: str, rows: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a large table of which little changes at a time; return what `load_table` needs besides."""
        if name in self._bases:
            digest, base = self._bases[name]
            newer = {key: row for key, row in rows.items() if key not in base or base[key] != row}
            gone = [key for key in base if key not in rows]
            if len(newer) + len(gone) <= _FEW:
                return {"base": digest, "newer": newer, "gone": gone}
        digest = self.save(name, rows)
        self._bases[name] = digest, dict(rows)
        return {"base": digest, "newer": {}, "gone": []}

    def load_table(self, name: str, entry: dict[str, Any]) -> dict[str, Any]:
        """The rows of a table. Raises one of WRONG when they are missing, damaged or others by now."""
        base, digest = self.load_with_digest(name)
        if digest != entry["base"]:
            raise LookupError(name)
        self._bases[name] = digest, base
        rows = {**base, **entry["newer"]}
        for key in entry["gone"]:
            del rows[key]
        return rows

    def save_rows(self, name: str, rows: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Keep values that are loaded one by one; return what `load_row` needs of each."""
        parts: list[bytes] = []
        places: dict[str, list[Any]] = {}
        start = 0
        for key, value in rows.items():
            text = json.dumps(value, separators=(",", ":")).encode()
            places[key] = [start, len(text), digest_of(text)]
            start += len(text)
            parts.append(text)
        self._write(name, b"".join(parts))
        return places

    def load_row(self, name: str, place: list[Any]) -> Any:
        """A value among those that were saved together, or None when it is missing, damaged or unreadable."""
        try:
            start, size, digest = place
            with open(os.path.join(self.folder, name), "rb") as file:
                file.seek(start)
                text = file.read(size)
            return json.loads(text) if digest_of(text) == digest else None
        except (OSError, TypeError, ValueError, OverflowError, RecursionError):
            return None

    def _write(self, name: str, data: bytes) -> None:
        with contextlib.suppress(OSError):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            temporary = os.path.join(self.folder, f".{name}.{os.getpid()}.{time.monotonic_ns():x}")
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                os.replace(temporary, os.path.join(self.folder, name))
            except OSError:
                os.unlink(temporary)
                raise


def _code_stamp() -> list[list[Any]]:
    """What tells one state of pplint's own code from another while the version stays the same."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = []
    for folder in ("engine", "judge", "known", "readiness", "rules", "source"):
        with os.scandir(os.path.join(package, folder)) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".toml")):
                    stat = entry.stat()
                    found.append([folder, entry.name, stat.st_size, stat.st_mtime_ns])
    return sorted(found)
