"""The disk cache: plain JSON under a name, whole or not at all. Whatever is wrong with it, it is no cache."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from hashlib import blake2b
from typing import Any

from pplint import __version__


class Store:
    """The cached values of one tree, for this pplint and this Python."""

    def __init__(self, cache_dir: str, root: str) -> None:
        key = json.dumps([root, __version__, sys.version, _code_stamp()])
        self.folder = os.path.join(
            cache_dir, "tree-" + blake2b(key.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        )

    def load(self, name: str) -> Any:
        """The value, or None when it is missing, damaged or unreadable."""
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                digest, _, text = file.read().partition(b"\n")
            return json.loads(text) if digest == _digest(text) else None
        except (OSError, ValueError, RecursionError):
            return None

    def save(self, name: str, value: Any) -> None:
        """Keep a value; a cache that cannot be written is no cache."""
        text = json.dumps(value, separators=(",", ":")).encode()
        with contextlib.suppress(OSError):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_digest(text) + b"\n" + text)
                os.replace(temporary, os.path.join(self.folder, name))
            except OSError:
                os.unlink(temporary)
                raise


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).hexdigest().encode()


def _code_stamp() -> list[list[Any]]:
    """What tells one state of pplint's own code from another while the version stays the same."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = []
    for folder in ("engine", "rules", "source"):
        with os.scandir(os.path.join(package, folder)) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".toml")):
                    stat = entry.stat()
                    found.append([folder, entry.name, stat.st_size, stat.st_mtime_ns])
    return sorted(found)
