"""Which functions a rule could find anything in, told by their text: the others are not walked.

Whatever a rule reports hangs on a name: of something that takes layer ids, that keeps layers or modules of some
stages only, or that speaks of the stage.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from pplint.engine.accessors import COMMON_METHODS, Accessors
from pplint.engine.flow import Attention, FunctionNode
from pplint.engine.modules import stage_module
from pplint.engine.pools import stage_list
from pplint.engine.vocabulary import (
    END_NAMES,
    LAYER_ID_NAMES,
    MISSING_LAYER,
    RANGE_MAKERS,
    STAGE_COUNT_NAMES,
    START_NAMES,
)

if TYPE_CHECKING:
    from pplint.engine.context import Facts

_NAME = re.compile(r"[^\W\d]\w*")
_MAKER = re.compile(r"\bmake_\w*layers")
_WEIGHT = re.compile(r"[skh]\.\d")
_TEST = re.compile(r"[=!]=\s*(?:0\b|.*- ?1\b)|\b0\s*[=!]=|- ?1\)?\s*[=!]=|<\s*1\b")
_STAGE = [under + name for name in (*START_NAMES, *END_NAMES) for under in ("", "_", "__")]
_WORDS = frozenset({
    *_STAGE, *STAGE_COUNT_NAMES, *RANGE_MAKERS, MISSING_LAYER, "ModuleList",
    "first_rank", "last_rank", "next_rank", "prev_rank", "get_parameter", "get_submodule", "get_buffer",
})  # fmt: skip
_ATTRIBUTES = frozenset({"rank", "ranks", "wait_until"})

_NAMES: WeakKeyDictionary[Accessors, Names] = WeakKeyDictionary()


class Names(NamedTuple):
    """The names that matter in a tree: anywhere, as attributes, and as attributes that are more than called."""

    words: frozenset[str]
    attributes: frozenset[str]
    modules: frozenset[str]
    called: frozenset[str]
    all: frozenset[str]


class Interest(Attention):
    """The lines of a file on which something stands that a rule could build on."""

    def __init__(self, facts: Facts, module: str, text: str, tree: ast.Module) -> None:
        self._text = text if "\r" not in text else text.replace("\r\n", "\n").replace("\r", "\n")
        self._starts = list(accumulate(map(len, self._text.split("\n")), lambda sum, one: sum + one + 1, initial=0))
        used = set(_NAME.findall(self._text))
        names = names_of(facts)
        places = [match.start() for match in _WEIGHT.finditer(self._text)]
        if "make_" in self._text:
            places += [match.start() for match in _MAKER.finditer(self._text)]
        for name in used & names.all:
            if name in names.words:
                places += self._places(name, _is_word)
            elif name in names.attributes:
                places += self._places(name, _is_attribute)
            elif name in names.modules:
                places += self._places(name, _is_used)
            elif name in names.called:
                places += self._places(name, _is_called)
        self._lines = sorted({*self._at(places), *facts.accessors.lines_of(module)})
        self._layers = self._at(place for name in LAYER_ID_NAMES & used for place in self._places(name, _is_word))
        self._flags: list[int] = []
        self._function: list[int] | None = self._lines
        for name, is_flag in _further(self, tree.body, names):
            lines = self._at(self._places(name, _is_word))
            if is_flag:
                self._flags = sorted({*self._flags, *lines})
            else:
                self.add(lines)

    def _at(self, places: Iterable[int]) -> list[int]:
        """The lines of places in the text."""
        return sorted({bisect_right(self._starts, place) for place in places})

    def _places(
        self, name: str, right: Callable[[str, int, int], bool], start: int = 0, end: int = -1
    ) -> Iterator[int]:
        """Where a name stands in a part of the text, not as a part of another name, and in the right company."""
        text = self._text
        end = len(text) if end < 0 else end
        place = text.find(name, start, end)
        while place >= 0:
            after = place + len(name)
            if not _in_name(text[after : after + 1]) and right(text, place, after):
                yield place
            place = text.find(name, after, end)

    def add(self, lines: Iterable[int]) -> None:
        """Take in lines that matter for reasons of their own."""
        self._lines = sorted({*self._lines, *lines})

    def enter(self, node: FunctionNode) -> bool:
        """Whether a function is worth a walk; what `within` says afterwards is about its parts."""
        end = node.end_lineno or node.lineno
        if _any(self._flags, node.lineno, end) or self._tests_layer(node.lineno, end):
            self._function = None
            return True
        self._function = self._lines[bisect_left(self._lines, node.lineno) : bisect_right(self._lines, end)]
        return bool(self._function)

    def leave(self) -> None:
        """The end of the function."""
        self._function = self._lines

    def _tests_layer(self, first: int, last: int) -> bool:
        """Whether a function compares something with a number and has a layer id to compare."""
        if not _any(self._layers, first, last):
            return False
        return _TEST.search(self._text, self._starts[first - 1], self._starts[last]) is not None

    def may_test(self, node: ast.stmt) -> bool:
        """Whether a statement speaks of a layer id."""
        return _any(self._layers, node.lineno, node.end_lineno or node.lineno)

    def within(self, node: ast.stmt | ast.expr) -> bool:
        """Whether one of the lines is in a part of the function."""
        return self._function is None or _any(self._function, node.lineno, node.end_lineno or node.lineno)

    def bound(self, name: str, function: FunctionNode | None) -> None:
        """A name stands for something of interest from now on: the lines that use it are of interest too."""
        if self._function is None:
            return
        start = self._starts[function.lineno - 1] if function is not None else 0
        end = self._starts[function.end_lineno or function.lineno] if function is not None else -1
        lines = {*self._function, *self._at(self._places(name, _is_word, start, end))}
        self._function = sorted(lines)
        if function is None:
            self._lines = self._function


def _any(lines: list[int], first: int, last: int) -> bool:
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= last


def _in_name(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_word(text: str, start: int, end: int) -> bool:
    return not _in_name(text[start - 1 : start])


def _is_attribute(text: str, start: int, end: int) -> bool:
    """`x.name` (or a line that begins with `.name`), or the string "name" for `getattr`."""
    before = text[start - 1 : start]
    return (before == "." and text[start - 4 : start] != "srt.") or (before in "\"'" and text[end : end + 1] == before)


def _is_used(text: str, start: int, end: int) -> bool:
    """An attribute that is neither called nor assigned to."""
    if not _is_attribute(text, start, end):
        return False
    after = text[end : end + 3]
    return after[:1] != "(" and (after[:2] != " =" or after == " ==")


def _is_called(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start] == "." and text[end : end + 1] == "("


def _further(interest: Interest, body: Iterable[ast.stmt], known: Names) -> Iterator[tuple[str, bool]]:
    """Names of this file that stand for something of interest: imports, and (True) flags that keep a test."""
    for node in body:
        if isinstance(node, ast.ImportFrom):
            yield from ((alias.asname, False) for alias in node.names if alias.asname and alias.name in known.words)
        elif isinstance(node, ast.Assign):
            if isinstance(node.value, ast.Compare) and interest.may_test(node):
                yield from ((target.attr, True) for target in node.targets if isinstance(target, ast.Attribute))
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or interest.may_test(node):
            for name in ("body", "orelse", "finalbody", "handlers", "cases"):
                inner = getattr(node, name, None)
                if isinstance(inner, list):
                    yield from _further(interest, inner, known)


def names_of(facts: Facts) -> Names:
    """The names that matter in every file of a tree."""
    project, accessors = facts
    names = _NAMES.get(accessors)
    if names is None:
        functions = {name for name in accessors.all_names if name not in project.definers}
        attributes = {*_ATTRIBUTES, *accessors.all_names, *project.padded_names()} - functions
        modules: set[str] = set()
        for class_id, one in project.classes.items():
            attributes |= one["shifted"].keys()
            for name, entries in one["attrs"].items():
                if _is_mapping(entries) or stage_list(project, class_id, name) is not None:
                    attributes.add(name)
                elif stage_module(project, class_id, name) is not None:
                    modules.add(name)
        words = frozenset(_WORDS | functions | accessors.constructed)
        called = COMMON_METHODS & accessors.all_names
        every = frozenset(words | attributes | modules | called)
        names = _NAMES[accessors] = Names(
            words, frozenset(attributes - COMMON_METHODS), frozenset(modules), called, every
        )
    return names


def _is_mapping(entries: list[dict[str, Any]]) -> bool:
    return any(entry["v"] == ["mapping"] for entry in entries)
