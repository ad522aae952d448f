"""What git knows: the top level of a checkout, and the lines that changed since a revision."""

from __future__ import annotations

import os
from collections.abc import Iterable

from pplint.files.above import checkout_of
from pplint.records import Record


class GitError(Exception):
    """Git is missing, the folder is no checkout, or the revision does not exist; the text is for humans."""


class Changes(Record):
    """The changed lines: absolute real path to 1-based lines, `None` for a whole file."""

    lines: dict[str, frozenset[int] | None]

    def touches(self, path: str, first: int, last: int) -> bool:
        """Whether one of the lines `first` to `last` (inclusive) of the file at `path` changed."""
        if path not in self.lines:
            return False
        changed = self.lines[path]
        return changed is None or any(line in changed for line in range(first, last + 1))


def top_level(path: str) -> str | None:
    """Return the real path of the innermost checkout that holds `path`, or None.

    Looks for `.git` (a folder, or a file in work trees and submodules) without starting git.
    """
    return checkout_of(os.path.realpath(path))


def changed_since(revision: str, path: str) -> Changes:
    """Return what differs between `revision` and the working tree of the checkout that holds `path`.

    Untracked files count as changed from top to bottom. Raises `GitError`.
    """
    top = top_level(path)
    if top is None:
        raise GitError(f"--since needs a git checkout, and {path} is not in one")
    commit = _git(
        top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    ).strip()
    diff = _git(
        top, "diff", "--unified=0", "--inter-hunk-context=0", "--no-color", "--no-ext-diff", "--no-textconv",
        "--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules", commit.decode("ascii"), "--",
    )  # fmt: skip
    lines: dict[str, frozenset[int] | None] = {
        _absolute(top, name): frozenset(numbers) for name, numbers in parse_changed_lines(diff).items()
    }
    for name in _git(top, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0"):
        if name:
            lines[_absolute(top, name)] = None
    return Changes(lines)


def hook_file(top: str, name: str) -> str:
    """Return the absolute path at which git, in the checkout at `top`, looks for a hook. Raises `GitError`."""
    return _absolute(top, _git(top, "rev-parse", "--git-path", f"hooks/{name}").rstrip(b"\r\n"))


def contents_at(revision: str, top: str, paths: Iterable[str]) -> dict[str, bytes]:
    """Return what a revision of the checkout at `top` holds at `paths` (absolute, real), as git stores it.

    A path that the revision does not hold is left out. Raises `GitError`, also where there is no commit yet.
    """
    names = {path: os.fsencode(os.path.relpath(path, top)) for path in paths}
    asked = [path for path, name in names.items() if b"\n" not in name and not name.startswith(b"../")]
    start = os.fsencode(revision)
    lines = b"".join(start + b":" + names[path] + b"\n" for path in asked)
    answer = _git(top, "cat-file", "--batch", given=start + b"^{tree}\n" + lines)
    head, _, answer = answer.partition(b"\n")
    if head.endswith(b" missing"):
        raise GitError(f"unknown git revision {revision!r} in {top}")
    found: dict[str, bytes] = {}
    place = int(head.rsplit(b" ", 1)[1]) + 1  # past the content of the tree
    for path in asked:
        end = answer.index(b"\n", place)
        header = answer[place:end].rsplit(b" ", 2)
        place = end + 1
        if header[-1] == b"missing":
            continue
        size = int(header[-1])
        if header[-2] == b"blob":
            found[path] = answer[place : place + size]
        place += size + 1
    return found


def parse_changed_lines(diff: bytes) -> dict[bytes, set[int]]:
    """Return the new-side line numbers of each file of a diff that was made without context lines."""
    changed: dict[bytes, set[int]] = {}
    current: set[int] = set()
    to_skip = 0
    for line in diff.split(b"\n"):
        if to_skip:  # the body of a hunk, whose lines may look like headers
            to_skip -= not line.startswith(b"\\")
        elif line.startswith(b"+++ "):
            current = changed.setdefault(_unquoted(line[4:]), set())
        elif line.startswith(b"@@ "):
            _, old, new, *_ = line.split(b" ")
            (_, removed), (start, added) = _numbers(old), _numbers(new)
            current.update(range(start, start + added))
            to_skip = removed + added
    changed.pop(b"/dev/null", None)
    return changed


def _numbers(side: bytes) -> tuple[int, int]:
    start, _, count = side[1:].partition(b",")
    return int(start), int(count or b"1")


def _unquoted(name: bytes) -> bytes:
    name = name.removesuffix(b"\t")  # git marks names with spaces by a tab at the end
    if name.startswith(b'"'):
        import ast

        name = ast.literal_eval("b" + name.decode("ascii"))  # git's escapes are those of a bytes literal
    return name.removeprefix(b"b/")


def quoted(name: bytes) -> bytes:
    """Return a file name as git writes it in a diff: in quotes with escapes if it holds odd bytes."""
    special = {b'"': b'\\"', b"\\": b"\\\\", b"\t": b"\\t", b"\n": b"\\n", b"\r": b"\\r"}
    out = b"".join(
        special.get(char) or (char if b" " <= char <= b"~" else b"\\%03o" % ord(char))
        for char in (name[i : i + 1] for i in range(len(name)))
    )
    return name if out == name else b'"' + out + b'"'


def _absolute(top: str, name: bytes) -> str:
    return os.path.realpath(os.path.join(top, os.fsdecode(name)))


def _git(top: str, *arguments: str, given: bytes = b"") -> bytes:
    import subprocess

    # A hook's variables point at the repository of the hook, which need not be the one that is checked.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=true", "-C", top, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False, env=environment, input=given)
    except OSError as error:
        raise GitError(f"cannot run git: {error.strerror}") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
        if "--verify" in arguments:
            raise GitError(f"unknown git revision {arguments[-1].removesuffix('^{commit}')!r} in {top}")
        raise GitError(f"git {arguments[0]} failed in {top}: {reason[0] if reason else 'no message'}")
    return done.stdout
