"""The proof that edits did what they were meant to do and nothing else."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from pplint.finding import Edit
from pplint.fixes.edit import EditError, Placed, place
from pplint.fixes.trees import Regions, trees_differ
from pplint.source.text import Comment, Source, SourceError

_HARMLESS = re.compile(r"[\w .,()\[\]=+*/<>-]*\Z")
_DELICATE = frozenset("\\'\"{}#")


def verify(before: Source, after: bytes, edits: Iterable[Edit]) -> str | None:
    """Return None if `after` is `before` with `edits` made and nothing else, or the reason why it is not.

    The bytes outside the edits are the same, the encoding is read the same, the result parses, its tree
    differs only in what the edits replaced or put in, and the comments are the same, except those that an
    edit is about (it replaces nothing but comments and white space).
    Raises SourceError if `before` does not parse.
    """
    try:
        placed = place(before, edits)
    except EditError as error:
        return str(error)
    return difference(before, before.parse(), after, placed) or None


def difference(before: Source, tree: ast.Module, after: bytes, edits: Sequence[Placed]) -> str:
    """Do the work of `verify` for edits in order and a tree in hand; return the reason or ""."""
    if not _same_bytes(before, after, edits):
        return "it would change bytes outside its place"
    try:
        new = Source.of(before.path, after)
        if (new.encoding, new.bom) != (before.encoding, before.bom):
            return "it would change the file's encoding"
        new_tree = new.parse()
    except SourceError as error:
        return f"the result would not parse: {error.message} (line {error.line})"
    regions = _regions(before, new, edits)
    if line := trees_differ(tree, new_tree, regions):
        return f"it would change code outside its place (line {line})"
    if not _comments_are_safe(before, edits) and _comments_differ(before, new, edits):
        return "it would change comments"
    return ""


def _same_bytes(before: Source, after: bytes, edits: Sequence[Placed]) -> bool:
    done = place_now = 0
    for edit in edits:
        size = edit.start - done
        if before.data[done : edit.start] != after[place_now : place_now + size]:
            return False
        place_now += size
        if after[place_now : place_now + len(edit.data)] != edit.data:
            return False
        place_now += len(edit.data)
        done = edit.end
    return before.data[done:] == after[place_now:]


def _regions(before: Source, after: Source, edits: Sequence[Placed]) -> Regions:
    """Return where the edits stand in both texts, in ast's coordinates."""
    old, new, shift = [], [], 0
    for edit in edits:
        old.append((_ast_place(before, edit.char_start), _ast_place(before, edit.char_end)))
        start = edit.char_start + shift
        new.append((_ast_place(after, start), _ast_place(after, start + len(edit.text))))
        shift += len(edit.text) - (edit.char_end - edit.char_start)
    return Regions(old, new)


def _ast_place(source: Source, index: int) -> tuple[int, int]:
    line, column = source.place(index)
    return line, source.utf8_offset(line, column)


def _comments_are_safe(before: Source, edits: Sequence[Placed]) -> bool:
    """Say whether no comment can have changed, without reading the tokens.

    It is so if neither the removed nor the new text can begin or end a string or a comment, not even together
    with its neighbours, and no edit stands behind a `#`.
    """
    for edit in edits:
        removed = before.text[edit.char_start : edit.char_end]
        if not (_HARMLESS.match(removed) and _HARMLESS.match(edit.text)):
            return False
        around = before.text[max(edit.char_start - 1, 0) : edit.char_start] + before.text[edit.char_end :][:1]
        if not _DELICATE.isdisjoint(around) or "#" in before.lines[edit.span.line - 1][: edit.span.column]:
            return False
    return True


def _comments_differ(before: Source, after: Source, edits: Sequence[Placed]) -> bool:
    old_places, new_places, shift = [], [], 0
    comments = _with_places(before)
    for edit in edits:
        if _is_about_comments(before, edit, comments):
            old_places.append((edit.char_start, edit.char_end))
            new_places.append((edit.char_start + shift, edit.char_start + shift + len(edit.text)))
        shift += len(edit.text) - (edit.char_end - edit.char_start)
    return _untouched(comments, old_places) != _untouched(_with_places(after), new_places)


def _with_places(source: Source) -> list[tuple[int, Comment]]:
    return [(source.index(comment.line, comment.column), comment) for comment in source.comments()]


def _is_about_comments(source: Source, edit: Placed, comments: Sequence[tuple[int, Comment]]) -> bool:
    """Say whether an edit replaces nothing but (parts of) comments and white space."""
    rest, done = "", edit.char_start
    first = max(bisect_right(comments, edit.char_start, key=lambda found: found[0]) - 1, 0)
    for start, comment in comments[first:]:
        if start >= edit.char_end:
            break
        rest += source.text[done : max(start, done)]
        done = max(done, min(start + len(comment.text), edit.char_end))
    return not (rest + source.text[done : edit.char_end]).strip()


def _untouched(comments: Iterable[tuple[int, Comment]], places: Sequence[tuple[int, int]]) -> list[str]:
    """Return the texts of the comments that no place so much as touches."""
    starts = [start for start, _ in places]
    texts = []
    for start, comment in comments:
        end = start + len(comment.text)
        last = bisect_right(starts, end) - 1
        if last < 0 or places[last][1] < start:
            texts.append(comment.text)
    return texts
