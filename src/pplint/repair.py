"""Fixes to a fixed point: repair what is reported, look again, until nothing is left; then write."""

from __future__ import annotations

from dataclasses import dataclass, field

from pplint.finding import SAFE, UNSAFE, Fix, Trouble
from pplint.look import Look, Seen, read

ROUNDS = 20
"""Most rounds per file. Fixes that do not overlap all go in one; more rounds than this are an endless fix."""


@dataclass
class Change:
    """New contents by absolute real path, what a look at them shows, and how they came about.

    `fixed` and `ignored` count findings per file. `blocked` files stay as they are; `troubles` say why.
    """

    overlay: dict[str, bytes]
    seen: Seen
    fixed: dict[str, int] = field(default_factory=dict)
    ignored: dict[str, int] = field(default_factory=dict)
    blocked: set[str] = field(default_factory=set)
    troubles: list[Trouble] = field(default_factory=list)

    def block(self, look: Look, path: str, line: int, message: str) -> None:
        """Give up on a file: its old content stays, and that is a trouble."""
        self.blocked.add(path)
        self.fixed.pop(path, None)
        self.ignored.pop(path, None)
        self.overlay.pop(path, None)
        if path in look.before():
            self.overlay[path] = look.before()[path]
        self.troubles.append(Trouble(path, line, message))


def fix(look: Look, change: Change) -> Change:
    """Apply the fixes of all findings that are reported, round by round. Writes nothing."""
    history: dict[str, list[bytes]] = {}
    while _round(look, change, history):
        change.seen = look.at(change.overlay)
    return change


def _round(look: Look, change: Change, history: dict[str, list[bytes]]) -> bool:
    """Repair each file once; return whether any content changed."""
    allowed = {SAFE, UNSAFE} if look.request.unsafe_fixes else {SAFE}
    fixes: dict[str, list[Fix]] = {}
    for finding in change.seen.findings:
        if finding.fix is not None and finding.fix.safety in allowed and finding.path in look.named:
            fixes.setdefault(finding.path, []).append(finding.fix)
    moved = False
    for path, wanted in fixes.items():
        if path not in change.blocked:
            moved |= _repair(look, change, path, wanted, history.setdefault(path, [look.original(path)]))
    return moved


def _repair(look: Look, change: Change, path: str, wanted: list[Fix], history: list[bytes]) -> bool:
    from pplint.fixes import FixError, fix_source

    source = read(path, change.overlay)
    if source is None:
        return False
    try:
        fixed = fix_source(source, wanted)
    except FixError as error:
        change.block(look, path, 0, f"not fixed: {error}")
        return len(history) > 1
    if fixed.data == source.data:
        return False
    if fixed.data in history or len(history) > ROUNDS:
        change.block(look, path, 0, "not fixed: the fixes undo each other, so the file stays as it was")
        return True
    history.append(fixed.data)
    change.overlay[path] = fixed.data
    change.fixed[path] = change.fixed.get(path, 0) + fixed.applied
    return True


def write(look: Look, change: Change, changed: tuple[str, ...]) -> tuple[Change, tuple[str, ...]]:
    """Write the `changed` files; one that cannot be written stays as it was and is a trouble."""
    from pplint.files.write import WriteError, write_atomically

    written: list[str] = []
    for path in changed:
        try:
            write_atomically(path, change.overlay[path], look.original(path))
            written.append(path)
        except WriteError as error:
            change.block(look, path, 0, str(error))
    if len(written) < len(changed):
        change.seen = look.at(change.overlay)
    return change, tuple(written)
