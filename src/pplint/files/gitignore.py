"""Patterns in the language of .gitignore files.

pplint reads such patterns from repositories that it does not trust, so a match must not take long whatever
the pattern: with the regular expressions that pathspec makes, `*a*a*a*a*a*b` takes minutes for one long name.
Here each path segment is a pattern of its own, for which `fnmatch` makes an expression that never backtracks,
and `**` is matched by hand.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence

from pplint.records import Record

_ANY_DEPTH = "**"
_STARS = r"\A\*\*+\Z"
_SPECIAL = r"[*?\[\\]"
_TOKEN = re.compile(r"\\(.)|\[(?:[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]|\*+|.", re.DOTALL)
_CLASSES = {
    "[:alnum:]": "a-zA-Z0-9",
    "[:alpha:]": "a-zA-Z",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:space:]": " \t\n\r\f\v",
    "[:upper:]": "A-Z",
    "[:xdigit:]": "0-9a-fA-F",
}


class _Rule(Record):
    """One line: the segments of its path, the last one a name; `**` stands for any number of folders."""

    hides: bool
    folders_only: bool
    folders: tuple[str, ...]
    name: str


class _Names:
    """Rules for the names in one folder, by their number: of the rules that match, the last counts."""

    def __init__(self, rules: Iterable[tuple[int, str]]) -> None:
        self._exact: dict[str, int] = {}
        self._globs: list[tuple[int, re.Pattern[str]]] = []
        tails: list[str] = []
        others: list[str] = []
        for number, name in rules:
            if not re.search(_SPECIAL, name):
                self._exact[name] = number
                continue
            source = _segment(name)
            self._globs.append((number, re.compile(source)))
            if name[0] == "*" and not re.search(_SPECIAL, name[1:]):
                tails.append(name[1:])
            else:
                others.append(source)
        self._globs.reverse()
        # Nearly all names match nothing: two quick questions tell so.
        self._tails = tuple(tails)
        self._others = re.compile("|".join(others)).match if others else None

    def last(self, name: str) -> int:
        """Return the number of the last rule that matches, or -1."""
        found = self._exact.get(name, -1)
        others = self._others
        # pylint: disable-next=not-callable
        if name.endswith(self._tails) or (others is not None and others(name)):
            for number, pattern in self._globs:
                if number < found:
                    break
                if pattern.match(name):
                    return number
        return found


class Patterns:
    """The patterns of one file or setting; they hold for the paths below one folder.

    Lines that are no patterns (comments, blanks, a lone `!`) are left out, as git does.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._rules = [rule for rule in map(_read_rule, lines) if rule is not None]
        everywhere = [(n, rule) for n, rule in enumerate(self._rules) if rule.folders == (_ANY_DEPTH,)]
        self._folder_names = _Names((n, rule.name) for n, rule in everywhere)
        self._file_names = _Names((n, rule.name) for n, rule in everywhere if not rule.folders_only)
        self._placed = [(n, rule) for n, rule in enumerate(self._rules) if rule.folders != (_ANY_DEPTH,)]

    def __bool__(self) -> bool:
        return bool(self._rules)

    def within(self, folders: Sequence[str]) -> Within:
        """Return what the patterns say about the entries of one folder, given by its path from theirs."""
        here = [(n, rule) for n, rule in self._placed if _folders_match(rule.folders, folders)]
        if not here:
            return Within(self._rules, self._folder_names, self._file_names, None, None)
        return Within(
            self._rules,
            self._folder_names,
            self._file_names,
            _Names((n, rule.name) for n, rule in here),
            _Names((n, rule.name) for n, rule in here if not rule.folders_only),
        )

    def hide(self, parts: Sequence[str], is_folder: bool) -> bool:
        """Say whether the path itself or a folder on the way to it is hidden."""
        for depth, name in enumerate(parts):
            if self.within(parts[:depth]).verdict(name, is_folder or depth < len(parts) - 1):
                return True
        return False


class Within(Record):
    """Patterns as they hold in one folder."""

    rules: Sequence[_Rule]
    folder_names: _Names
    file_names: _Names
    placed_folders: _Names | None
    placed_files: _Names | None

    def verdict(self, name: str, is_folder: bool) -> bool | None:
        """Return True if an entry is hidden, False if it is taken back (`!`), None if no pattern matches."""
        names, placed = (
            (self.folder_names, self.placed_folders) if is_folder else (self.file_names, self.placed_files)
        )
        last = names.last(name)
        if placed is not None:
            last = max(last, placed.last(name))
        return self.rules[last].hides if last >= 0 else None


def _read_rule(line: str) -> _Rule | None:
    line = line.rstrip("\r\n")
    if line.startswith("#"):
        return None
    stripped = line.rstrip(" ")
    if stripped.endswith("\\") and len(stripped) < len(line):
        stripped += " "
    hides = not stripped.startswith("!")
    pattern = stripped if hides else stripped[1:]
    folders_only = pattern.endswith("/")
    anchored = "/" in pattern[:-1]
    segments = [re.sub(_STARS, _ANY_DEPTH, segment) for segment in pattern.split("/") if segment]
    if not segments or any(_unfinished(segment) for segment in segments):
        return None
    if not anchored:
        segments.insert(0, _ANY_DEPTH)
    if segments[-1] == _ANY_DEPTH:
        segments.append("*")
    return _Rule(hides, folders_only, tuple(segments[:-1]), segments[-1])


def _unfinished(segment: str) -> bool:
    """An open bracket without an end, or a lone backslash at the end: for git that matches nothing."""
    return any(token[0] in {"[", "\\"} for token in _TOKEN.finditer(segment))


def _segment(pattern: str) -> str:
    """Translate one segment to a regular expression that does not backtrack."""
    return fnmatch.translate("".join(map(_fnmatch_token, _TOKEN.finditer(pattern))))


def _fnmatch_token(token: re.Match[str]) -> str:
    text = token[0]
    if token[1]:
        return f"[{token[1]}]" if token[1] in "*?[" else token[1]
    if text.startswith("[") and len(text) > 1:
        for name, members in _CLASSES.items():
            text = text.replace(name, members)
        return "[!" + text[2:] if text.startswith("[^") else text
    return text


def _folders_match(segments: Sequence[str], folders: Sequence[str]) -> bool:
    """Match folder names with segments; only the last `**` ever needs another try, as in globs."""
    if len(segments) != len(folders) and _ANY_DEPTH not in segments:
        return False
    at = place = 0
    retry_at, retry_place = -1, 0
    while place < len(folders):
        if at < len(segments) and segments[at] == _ANY_DEPTH:
            retry_at, retry_place = at, place
            at += 1
        elif at < len(segments) and _segment_matches(segments[at], folders[place]):
            at += 1
            place += 1
        elif retry_at >= 0:
            retry_place += 1
            at, place = retry_at + 1, retry_place
        else:
            return False
    return all(segment == _ANY_DEPTH for segment in segments[at:])


def _segment_matches(segment: str, name: str) -> bool:
    if not re.search(_SPECIAL, segment):
        return segment == name
    return re.match(_segment(segment), name) is not None
