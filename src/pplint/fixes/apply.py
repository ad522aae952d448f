"""Making edits, and making the fixes of a file so that a bad one neither counts nor blocks the others."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from pplint.finding import Edit, Fix
from pplint.fixes.edit import EditError, Placed, Taken, place
from pplint.fixes.verify import difference
from pplint.records import Record
from pplint.source.encoding import UTF8
from pplint.source.text import Source, SourceError


class FixOutcome(Record):
    """What became of the fixes of one file.

    `data` are the new bytes, `applied` the numbers of the fixes that are in them, `refused` the numbers and
    reasons (a clause each) of the others. A fix that overlapped another may do in a next round.
    """

    data: bytes
    applied: tuple[int, ...]
    refused: tuple[tuple[int, str], ...]


def apply_edits(source: Source, edits: Iterable[Edit]) -> bytes:
    r"""Return the source's bytes with all edits made; identical edits are made once.

    Every other byte stays. A "\n" in the text of an edit becomes the line end of the edited line. Nothing is
    checked but that the edits can be made. Raises EditError if they overlap, lie outside the text or cannot
    be encoded.
    """
    return _apply(source, place(source, edits))


def _apply(source: Source, edits: Sequence[Placed]) -> bytes:
    pieces: list[bytes] = []
    done = 0
    for edit in edits:
        pieces += (source.data[done : edit.start], edit.data)
        done = edit.end
    pieces.append(source.data[done:])
    data = b"".join(pieces)
    if source.encoding != UTF8:
        _check_text(source, edits, data)
    return data


def _check_text(source: Source, edits: Sequence[Placed], data: bytes) -> None:
    """In an encoding with states, the same bytes mean another text in another place."""
    text = source.text
    for edit in reversed(edits):
        text = text[: edit.char_start] + edit.text + text[edit.char_end :]
    try:
        same = data.decode(source.encoding) == text
    except UnicodeError:
        same = False
    if not same:
        raise EditError(f"the edit cannot be made in the encoding {source.encoding}")


def fix_source(source: Source, fixes: Sequence[Fix]) -> FixOutcome:
    """Make all fixes that can be made at once, each wholly or not at all, and check the result.

    Of fixes that overlap, the first is made. Never raises for a bad fix: it is refused, with the reason.
    """
    try:
        tree = source.parse()
    except SourceError as error:
        return FixOutcome(source.data, (), tuple((n, error.message) for n in range(len(fixes))))
    return _Round(source, tree).run(fixes)


class _Round:
    def __init__(self, source: Source, tree: ast.Module) -> None:
        self._source = source
        self._tree = tree
        self._edits: dict[int, list[Placed]] = {}
        self._refused: dict[int, str] = {}

    def run(self, fixes: Sequence[Fix]) -> FixOutcome:
        taken = Taken()
        for number, fix in enumerate(fixes):
            try:
                edits = place(self._source, fix.edits)
            except EditError as error:
                self._refused[number] = str(error)
                continue
            if taken.take(edits):
                self._edits[number] = edits
            else:
                self._refused[number] = "it overlaps another fix"
        kept = self._keep(list(self._edits))
        data = self._made(kept) if kept else self._source.data
        return FixOutcome(data, tuple(kept), tuple(sorted(self._refused.items())))

    def _keep(self, numbers: list[int]) -> list[int]:
        """Return the fixes that pass together; halves find the bad ones among many in few tries."""
        if not numbers:
            return []
        reason = self._reason_against(numbers)
        if not reason:
            return numbers
        if len(numbers) == 1:
            self._refused[numbers[0]] = reason
            return []
        middle = len(numbers) // 2
        first, second = self._keep(numbers[:middle]), self._keep(numbers[middle:])
        if first and second and (reason := self._reason_against(first + second)):
            self._refused.update((number, f"together with another fix: {reason}") for number in second)
            return first
        return first + second

    def _reason_against(self, numbers: Iterable[int]) -> str:
        try:
            data = self._made(numbers)
        except EditError as error:
            return str(error)
        return difference(self._source, self._tree, data, self._together(numbers))

    def _together(self, numbers: Iterable[int]) -> list[Placed]:
        return sorted({edit for number in numbers for edit in self._edits[number]})

    def _made(self, numbers: Iterable[int]) -> bytes:
        return _apply(self._source, self._together(numbers))
