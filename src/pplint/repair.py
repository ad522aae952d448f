"""Fixes to a fixed point: repair what is reported, look again, until nothing is left; then write."""

from __future__ import annotations

from pplint.finding import SAFE, UNSAFE, Finding, Trouble
from pplint.look import Look, Seen, read
from pplint.source.text import Source

ROUNDS = 20
"""Most rounds per file. Fixes that do not overlap all go in one; more rounds than this are an endless fix."""


class Change:
    """New contents by absolute real path, what a look at them shows, and how they came about.

    `fixed` and `ignored` count findings per file. `blocked` files stay as they are; `troubles` say why.
    """

    def __init__(self, overlay: dict[str, bytes], seen: Seen) -> None:
        self.overlay = overlay
        self.seen = seen
        self.fixed: dict[str, int] = {}
        self.ignored: dict[str, int] = {}
        self.blocked: set[str] = set()
        self.troubles: list[Trouble] = []

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
    refused: dict[str, list[Trouble]] = {}
    while _round(look, change, history, refused):
        change.seen = look.at(change.overlay)
    for path, troubles in refused.items():
        if path not in change.blocked:
            change.troubles += troubles
    return change


def _round(
    look: Look, change: Change, history: dict[str, list[bytes]], refused: dict[str, list[Trouble]]
) -> bool:
    """Repair each file once; return whether any content changed."""
    allowed = {SAFE, UNSAFE} if look.request.unsafe_fixes else {SAFE}
    wanted: dict[str, list[Finding]] = {}
    for finding in change.seen.findings:
        if finding.fix is not None and finding.fix.safety in allowed and finding.path in look.named:
            wanted.setdefault(finding.path, []).append(finding)
    refused.clear()
    moved = False
    for path, findings in wanted.items():
        if path not in change.blocked and (source := read(path, change.overlay)) is not None:
            before = history.setdefault(path, [look.original(path)])
            moved |= _repair(look, change, source, findings, before, refused)
    return moved


def _repair(
    look: Look,
    change: Change,
    source: Source,
    findings: list[Finding],
    history: list[bytes],
    refused: dict[str, list[Trouble]],
) -> bool:
    from pplint.fixes import fix_source

    path = source.path
    outcome = fix_source(source, [finding.fix for finding in findings if finding.fix is not None])
    refused[path] = [
        Trouble(path, findings[number].span.line, f"not fixed: {reason}", findings[number].code)
        for number, reason in outcome.refused
    ]
    if outcome.data == source.data:
        return False
    if outcome.data in history or len(history) > ROUNDS:
        change.block(look, path, 0, "not fixed: the fixes undo each other, so the file stays as it was")
        return True
    history.append(outcome.data)
    change.overlay[path] = outcome.data
    change.fixed[path] = change.fixed.get(path, 0) + len(outcome.applied)
    return True


def write(look: Look, change: Change, changed: tuple[str, ...]) -> tuple[Change, tuple[str, ...]]:
    """Write the `changed` files; one that cannot be written stays as it was and is a trouble."""
    from pplint.files.write import WriteError, remove_leftover, write_atomically

    if look.request.fix or look.request.add_ignore is not None:
        for leftover in look.leftovers:
            remove_leftover(leftover)
    written: list[str] = []
    for path in changed:
        try:
            write_atomically(path, change.overlay[path], look.original(path))
            written.append(path)
        except WriteError as error:
            change.block(look, path, 0, error.message)
    if len(written) < len(changed):
        change.seen = look.at(change.overlay)
    return change, tuple(written)
