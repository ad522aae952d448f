"""One run, and the only place where its order is written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pplint.finding import INFO
from pplint.look import Look, Seen, read
from pplint.records import Record
from pplint.repair import Change
from pplint.request import Request
from pplint.source.text import Source

if TYPE_CHECKING:
    from pplint.engine.root import Root

__all__ = ["Outcome", "execute"]


class Outcome(Record):
    """What a run found and did.

    `seen` is the state after all changes that were written, `codes` are the rules that ran. `fixed` counts the fixed
    findings of each changed file, `ignored` all those that `--add-ignore` silenced; `changed` are the files that were (with
    `--diff`: would be) written, `diff` is what `--diff` prints, `applies_in` are the folders to apply it in, where
    that is not the current one. `stdin` is the new content of the standard input. `notes` are sentences for `--verbose`.
    """

    seen: Seen
    files: tuple[str, ...]
    codes: frozenset[str]
    overlay: Mapping[str, bytes]
    fixed: Mapping[str, int]
    ignored: int = 0
    changed: tuple[str, ...] = ()
    diff: bytes = b""
    applies_in: tuple[str, ...] = ()
    stdin: bytes | None = None
    notes: tuple[str, ...] = ()

    def source_of(self, path: str) -> Source | None:
        """Return the text of the file as the findings saw it, or None when it cannot be read."""
        return read(path, self.overlay)

    def exit_code(self, *, exit_zero: bool = False, exit_non_zero_on_fix: bool = False) -> int:
        """Return 2 for trouble, 1 for findings that count (or a diff), else 0."""
        if self.seen.troubles:
            return 2
        counts = any(finding.severity != INFO for finding in self.seen.findings)
        fixed = exit_non_zero_on_fix and bool(self.changed)
        return int(not exit_zero and (counts or bool(self.diff) or fixed))


def execute(request: Request) -> Outcome:
    """Check the files, change them as asked, and return what is left.

    Raises SettingsError, BaselineError, GitError and the root's errors before anything was written.
    """
    from pplint import repair

    look = Look(request)  # settings, root, files
    before = look.before()
    seen = look.at(before)  # judge, ignores, baseline and since
    change = repair.Change(dict(before), seen)
    if request.add_ignore is not None:
        from pplint.add_ignore import add_ignores

        change = add_ignores(look, change, request.add_ignore)
    elif request.fix or request.diff:
        with look.timed("fixing"):
            change = repair.fix(look, change)
    changed = tuple(path for path in sorted(change.overlay) if change.overlay[path] != look.original(path))
    diff, applies = _diff(look, change, changed) if request.diff else (b"", ())
    if request.stdin is None and not request.diff:
        change, changed = repair.write(look, change, changed)
    # A diff changes nothing: what is reported stands in the files as they are.
    shown, contents = (seen, before) if request.diff else (change.seen, change.overlay)
    return Outcome(
        shown._replace(troubles=[*shown.troubles, *change.troubles]),
        look.files,
        look.codes,
        contents,
        change.fixed,
        ignored=sum(change.ignored.values()),
        changed=changed,
        diff=diff,
        applies_in=applies,
        stdin=_stdin(look, change) if request.fix or request.add_ignore is not None else None,
        notes=(_facts_from(look.root), *look.notes),
    )


def _facts_from(root: Root) -> str:
    """Say where the facts come from, also where SGLang is installed beside pplint and the tree is none."""
    from pplint.engine.elsewhere import installed_package
    from pplint.engine.root import PACKAGE

    installed = installed_package() if os.path.basename(root.folder) != PACKAGE else None
    return f"facts from {root.how}{f'; and from {installed}, which is installed' if installed else ''}"


def _diff(look: Look, change: Change, changed: tuple[str, ...]) -> tuple[bytes, tuple[str, ...]]:
    """The patch, and the folders in which it is to be applied where that is not the current one."""
    from pplint.patch import applies_in, elsewhere, unified_diff

    root = look.root.path
    parts = [
        unified_diff(path, applies_in(path, root), look.original(path), change.overlay[path])
        for path in changed
    ]
    return b"".join(parts), elsewhere(changed, root)


def _stdin(look: Look, change: Change) -> bytes | None:
    if look.request.stdin is None:
        return None
    path = os.path.realpath(look.request.paths[0])
    return change.overlay.get(path, look.request.stdin)
