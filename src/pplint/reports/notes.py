"""How the report for people stands on a terminal: labels in one column, sentences wrapped below their beginning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pplint.records import Record

Paint = Callable[[str, str], str]
"""Gives a text the style of that name."""

LABELS = ("unsafe fix", "changed by")
"""The longest labels."""
MARGIN = 2
COLUMN = MARGIN + max(map(len, LABELS)) + 2
NARROW = 60
"""Columns of a terminal below which a label has a line of its own, so that its sentences have room."""
NARROWEST = 30
"""Columns below which a sentence is not wrapped any more: a terminal breaks it as well as we could."""
LEAST = 16
"""Columns that have to be left in a line for a sentence to begin there."""


class Sheet(Record):
    """What is written on: `width` is that of the terminal in columns, 0 for a file, where a line may have any length."""

    paint: Paint
    width: int

    def head(self, plain: str, painted: str, sentence: str) -> Iterator[str]:
        """Return the first line of an entry, `painted` being `plain` with its styles, and what follows of the sentence."""
        first, *rest = self._wrapped(sentence, len(plain) + 1, MARGIN * 2)
        yield f"{painted} {first}" if first else painted
        yield from rest

    def note(self, label: str, sentences: Iterable[str]) -> Iterator[str]:
        """Return lines with `label` before the first; the sentences begin in one column."""
        if NARROWEST <= self.width < NARROW:
            yield f"{'':{MARGIN}}{self.paint(label, 'label')}"
            for sentence in sentences:
                yield from wrapped(sentence, self.width, MARGIN * 2, MARGIN * 3)
            return
        margin = f"{'':{MARGIN}}{self.paint(label, 'label')}{'':{COLUMN - MARGIN - len(label)}}"
        for sentence in sentences:
            first, *rest = self._wrapped(sentence, COLUMN, COLUMN)
            yield margin + first
            yield from rest
            margin = " " * COLUMN

    def line(self, sentence: str) -> Iterator[str]:
        """Return the lines of a sentence that stands by itself."""
        yield from self._wrapped(sentence, 0, 0)

    def _wrapped(self, sentence: str, before: int, indent: int) -> list[str]:
        """The lines of a sentence that begins behind `before` columns and goes on at `indent`; the first may be ""."""
        if self.width < NARROWEST or before + len(sentence) <= self.width:
            return [sentence]
        if before > self.width - LEAST:
            return ["", *wrapped(sentence, self.width, indent, indent)]
        first, *rest = wrapped(sentence, self.width, before, indent)
        return [first[before:], *rest]


def wrapped(sentence: str, width: int, before: int, indent: int) -> list[str]:
    """The lines of a sentence in `width` columns, the first behind `before` blanks, the others behind `indent`."""
    from textwrap import TextWrapper

    wrapper = TextWrapper(width, break_long_words=False, break_on_hyphens=False)
    wrapper.initial_indent, wrapper.subsequent_indent = " " * before, " " * indent
    return wrapper.wrap(sentence)
