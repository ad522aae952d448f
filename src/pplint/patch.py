"""A unified diff of bytes that `git apply` takes as it is: any encoding, any line ends, any file name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from pplint.git import quoted, top_level

CONTEXT = 3
Block = tuple[int, int, int, int]
"""Lines [0]..[1] of the old text became lines [2]..[3] of the new one; 0-based, ends exclusive."""


def unified_diff(path: str, top: str, old: bytes, new: bytes) -> bytes:
    """Return the diff of one file, its name relative to `top`; empty when nothing changed."""
    before, after = _lines(old), _lines(new)
    hunks = b"".join(_hunk(group, before, after) for group in _groups(changed_blocks(before, after)))
    if not hunks:
        return b""
    name = os.fsencode(os.path.relpath(path, top).replace(os.sep, "/"))
    left, right = quoted(b"a/" + name), quoted(b"b/" + name)
    tab = b"\t" if b" " in name else b""  # without it git would end the name at the space
    header = b"diff --git %s %s\n--- %s%s\n+++ %s%s\n" % (left, right, left, tab, right, tab)
    return header + hunks


def applies_in(path: str, root: str) -> str:
    """Return the folder that a patch of `path` (absolute, real) is relative to.

    Where the user stands above the file, it is the top of the user's own checkout, or the current folder where there is
    none: a patch of a submodule can be piped into `git apply`. Else it is the file's checkout, else `root`, the tree that
    is checked, or the file's folder: git takes no name with `..` in it.
    """
    above = (_top_here(), top_level(path), root, os.path.dirname(path))
    return next(folder for folder in above if folder and _is_below(path, folder))


def elsewhere(paths: Iterable[str], root: str) -> tuple[str, ...]:
    """Return the folders in which `git apply` is to be run, where the patch of `paths` does not apply right here.

    Git says nothing of files outside of the current folder, and leaves them as they are.
    """
    here, top = os.path.realpath(os.curdir), _top_here()
    folders = ((path, applies_in(path, root)) for path in paths)
    return tuple(sorted({folder for path, folder in folders if folder != top or not _is_below(path, here)}))


def _top_here() -> str:
    here = os.path.realpath(os.curdir)
    return top_level(here) or here


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(os.path.join(folder, ""))


def changed_blocks(before: list[bytes], after: list[bytes]) -> list[Block]:
    """Return the blocks that differ, in order.

    Fixes seldom add or remove lines: with equally many lines the comparison is line by line, so that
    ten thousand changed lines cost no more than reading them.
    """
    if len(before) != len(after):
        import difflib

        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        return [opcode[1:] for opcode in matcher.get_opcodes() if opcode[0] != "equal"]
    blocks: list[Block] = []
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if old == new:
            continue
        if blocks and blocks[-1][1] == number:
            start = blocks.pop()[0]
            blocks.append((start, number + 1, start, number + 1))
        else:
            blocks.append((number, number + 1, number, number + 1))
    return blocks


def moved_lines(changed: frozenset[int], old: bytes, new: bytes) -> frozenset[int]:
    """Return where the 1-based lines `changed` of `old` stand in `new`, with all lines that differ."""
    moved: set[int] = set()
    start = shift = 0
    before, after = _lines(old), _lines(new)
    for first, last, new_first, new_last in changed_blocks(before, after):
        moved.update(line + shift for line in changed if start < line <= first)
        moved.update(range(new_first + 1, new_last + 1))
        start, shift = last, new_last - last
    moved.update(line + shift for line in changed if line > start)
    return frozenset(moved)


def _lines(data: bytes) -> list[bytes]:
    # git ends lines at LF only; a CR is part of the line.
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _groups(blocks: list[Block]) -> Iterator[list[Block]]:
    group: list[Block] = []
    for block in blocks:
        if group and block[0] - group[-1][1] > 2 * CONTEXT:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _hunk(group: list[Block], before: list[bytes], after: list[bytes]) -> bytes:
    start = max(0, group[0][0] - CONTEXT)
    stop = min(len(before), group[-1][1] + CONTEXT)
    new_start = group[0][2] - (group[0][0] - start)
    new_stop = group[-1][3] + (stop - group[-1][1])
    out = [b"@@ -%s +%s @@\n" % (_range(start, stop), _range(new_start, new_stop))]
    done = start
    for first, last, new_first, new_last in group:
        out += [_line(b" ", line) for line in before[done:first]]
        out += [_line(b"-", line) for line in before[first:last]]
        out += [_line(b"+", line) for line in after[new_first:new_last]]
        done = last
    out += [_line(b" ", line) for line in before[done:stop]]
    return b"".join(out)


def _range(start: int, stop: int) -> bytes:
    return b"%d,%d" % (start + 1 if stop > start else start, stop - start)


def _line(mark: bytes, line: bytes) -> bytes:
    return mark + line if line.endswith(b"\n") else mark + line + b"\n\\ No newline at end of file\n"
