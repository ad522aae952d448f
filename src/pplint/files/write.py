"""Replacing a file so that it is always the old one or the new one, whatever happens in between."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Iterator

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_LEFTOVER = re.compile(r"\..*\.pplint-(\d+)-[0-9a-f]{12}\.tmp\Z", re.DOTALL)
_LONGEST_STEM = 80
"""Characters of the file's name that go into the temporary name: four bytes each stay below the usual 255."""
_LOCK_TRIES = 250
_LOCK_PAUSE = 0.02


class WriteError(Exception):
    """A file that was left as it was; `path` is the file, `message` a sentence without its name."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message


def write_atomically(path: str, data: bytes, expected: bytes | None) -> None:
    """Put `data` into a file at once.

    The file behind symbolic links is replaced, not the link; permissions, owner and extended attributes stay.
    (Of several hard links to a file, the named one gets the new contents, the others keep the old.)
    `expected` are the bytes that the new ones were made from: if the file holds others by now, it stays.
    None: whatever the file holds, and it may be new. A file that holds `data` already is not touched.

    Raises WriteError, which names the file: changed meanwhile, read-only, not a regular file, disk full and the like.
    """
    real = os.path.realpath(path)
    try:
        with _locked(real) as old:
            if expected is None and old is None:
                _replace(real, data, None)
                return
            if old is None:
                raise WriteError(path, "vanished meanwhile; not written")
            if _is_read_only(real, old):
                raise WriteError(path, "is read-only; not written")
            present = _contents(real)
            if present == data:
                return
            if expected is not None and present != expected:
                raise WriteError(path, "changed on disk meanwhile; not written")
            _replace(real, data, old)
    except OSError as error:
        raise WriteError(path, f"cannot be written: {error.strerror or error}") from error
    except ValueError as error:
        raise WriteError(path, str(error)) from error


@contextlib.contextmanager
def _locked(real: str) -> Iterator[os.stat_result | None]:
    """Hold the lock of a file against other runs of pplint; give its state, None if there is no file.

    A file that was replaced while we waited for its lock is one that nobody sees any more: then the lock of
    the new one is taken.
    """
    for attempt in range(_LOCK_TRIES):
        if attempt:
            time.sleep(_LOCK_PAUSE)
        try:
            handle = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except FileNotFoundError:
            yield None
            return
        try:
            held = os.fstat(handle)
            if not stat.S_ISREG(held.st_mode):
                raise ValueError("not a regular file; not written")
            if _try_lock(handle) is not False and _is_at(held, real):
                yield held
                return
        finally:
            os.close(handle)
    raise ValueError("is locked by another program; not written")


def _try_lock(handle: int) -> bool | None:
    """Return whether the lock is ours now; None where files cannot be locked."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_at(held: os.stat_result, path: str) -> bool:
    try:
        found = os.stat(path, follow_symlinks=False)
    except OSError:
        return False
    return os.path.samestat(held, found)


def _is_read_only(real: str, state: os.stat_result) -> bool:
    # The bit counts even for root, who may write anything: somebody took it away on purpose.
    return not state.st_mode & stat.S_IWUSR or not os.access(real, os.W_OK)


def _contents(real: str) -> bytes:
    with open(real, "rb") as file:
        return file.read()


def _replace(real: str, data: bytes, old: os.stat_result | None) -> None:
    """Write a temporary file next to `real` and give it that name. Raises OSError or ValueError."""
    handle, temporary = _new_temporary(real, 0o666 if old is None else 0o600)
    try:
        # Open until the end: its lock tells other runs that this is no leftover.
        with open(handle, "wb", buffering=0) as file:
            _write_all(handle, data)
            if old is not None:
                _keep_attributes(handle, real, old)
            os.fsync(handle)
            if fcntl is None:
                file.close()  # Windows moves no open files.
            os.replace(temporary, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(os.path.dirname(real))


def _new_temporary(real: str, mode: int) -> tuple[int, str]:
    """Create and lock a new file next to `real`."""
    import secrets

    folder, name = os.path.split(real)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    while True:
        unique = f".{name[:_LONGEST_STEM]}.pplint-{os.getpid()}-{secrets.token_hex(6)}.tmp"
        temporary = os.path.join(folder, unique)
        handle = os.open(temporary, flags, mode)
        # Between the two calls another run may take it for a leftover; then there is a next name.
        if _try_lock(handle) is not False and _is_at(os.fstat(handle), temporary):
            return handle, temporary
        os.close(handle)


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _keep_attributes(handle: int, real: str, old: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        new = os.fstat(handle)
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            try:
                os.fchown(handle, old.st_uid, old.st_gid)
            except PermissionError:
                raise ValueError("belongs to another user and would change hands; not written") from None
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(real):
                with contextlib.suppress(OSError):
                    os.setxattr(handle, name, os.getxattr(real, name))
    if hasattr(os, "fchmod"):
        os.fchmod(handle, stat.S_IMODE(old.st_mode))


def _sync_folder(folder: str) -> None:
    """Make the new name survive a power cut, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def is_leftover(name: str) -> bool:
    """Say whether a file name is one of pplint's temporary files."""
    return name.endswith(".tmp") and _LEFTOVER.match(name) is not None


def remove_leftovers(folder: str) -> list[str]:
    """Remove the temporary files that killed runs left in a folder (not below it); return their paths.

    Files that a living run is writing stay. What cannot be listed or removed stays too, without an error.
    """
    removed = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if is_leftover(entry.name) and remove_leftover(entry.path):
                removed.append(entry.path)
    return removed


def remove_leftover(path: str) -> bool:
    """Remove one temporary file if the run that made it is gone; return whether it was removed."""
    named = _LEFTOVER.match(os.path.basename(path))
    if named is None:
        return False
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return False
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            free = _try_lock(handle)
            if free is False or (free is None and fcntl is not None and _is_running(int(named[1]))):
                return False
            os.unlink(path)  # On Windows this fails while anybody has the file open, us included.
        finally:
            os.close(handle)
    except OSError:
        return False
    return True


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
