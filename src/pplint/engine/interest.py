"""Which functions a rule could find anything in, told by their text: the others are not walked.

Whatever a rule reports hangs on a name: of something that takes layer ids, that keeps layers or modules of some
stages only, or that speaks of the stage.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pplint.engine.accessors import COMMON_METHODS, GLOBAL
from pplint.engine.attention import Company, Lines, any_line, is_word
from pplint.engine.modules import staged_names
from pplint.engine.names import Rows
from pplint.engine.pools import list_names, stage_list
from pplint.engine.vocabulary import (
    END_NAMES,
    LAYER_ID_NAMES,
    MISSING_LAYER,
    PROXY_PARAMETER,
    RANGE_MAKERS,
    STAGE_COUNT_NAMES,
    START_NAMES,
)
from pplint.records import Record
from pplint.source.blocks import FunctionNode, blocks_of

if TYPE_CHECKING:
    from pplint.engine.facts import Facts

_MAKER = re.compile(r"make_\w*layers")
# What a pattern begins with is looked for fast if it is one text, which `[skh]` and `\b` are not.
_NUMBERED = re.compile(r"\.\d")
_BEFORE_NUMBER = frozenset("skh")
_TEST = re.compile(
    r"[=!]=\s*(?:0\b|.*- ?1\b|\(?[\w.]*(?:config|cfg)\.)|\b0\s*[=!]=|- ?1\)?\s*[=!]=|<\s*1\b|(?:config|cfg)\.[^=\n]*[=!]="
)
_CHOSEN = re.compile(r"=\(?\s*[\w.]+\s+if\b")
_STAGE = [under + name for name in (*START_NAMES, *END_NAMES) for under in ("", "_", "__")]
_WORDS = frozenset({
    *_STAGE, *STAGE_COUNT_NAMES, *RANGE_MAKERS, MISSING_LAYER, PROXY_PARAMETER, "ModuleList",
    "first_rank", "last_rank", "next_rank", "prev_rank", "get_parameter", "get_submodule", "get_buffer",
})  # fmt: skip
_ATTRIBUTES = frozenset({"rank", "ranks", "wait_until", "broadcast", "broadcast_object_list"})


_ASCII_WORDS = bytes(
    code if code >= 128 or chr(code).isalnum() or chr(code) == "_" else 32 for code in range(256)
)


class Names(Record):
    """The names that matter in a tree: anywhere, as attributes, and as attributes that are more than called.

    `ids` are parameters that take a GLOBAL layer id: where a keyword chooses between two. `all` are in UTF-8.
    """

    words: frozenset[str]
    attributes: frozenset[str]
    modules: frozenset[str]
    called: frozenset[str]
    ids: frozenset[str]
    all: frozenset[bytes]

    def company(self, name: str) -> Company:
        """How a name has to stand in a text to matter."""
        if name in self.words:
            return is_word
        if name in self.attributes:
            return _is_attribute
        return _is_used if name in self.modules else _is_called


class Interest(Lines):
    """The lines of a file on which something stands that a rule could build on."""

    def __init__(self, facts: Facts, module: str, text: str, tree: ast.Module) -> None:
        super().__init__(text)
        names = names_of(facts)
        used = {word.decode() for word in names.all.intersection(_words(self.text))}
        places = [
            place
            for match in _NUMBERED.finditer(self.text)
            if self.text[(place := match.start()) - 1 : place] in _BEFORE_NUMBER
        ]
        places += [match.start() for match in _MAKER.finditer(self.text) if is_word(self.text, *match.span())]
        for name in used - names.ids:
            places += self.places(name, names.company(name))
        for name in used & names.ids:
            places += self.places(name, lambda text, _, end: _CHOSEN.match(text, end) is not None)
        self._layers = self.at(place for name in LAYER_ID_NAMES for place in self.places(name, is_word))
        self._flags: list[int] = []
        self.add([*self.at(places), *facts.accessors.lines_of(module)])
        for name, is_flag in _further(self, tree.body, names):
            lines = self.at(self.places(name, is_word))
            if is_flag:
                self._flags = sorted({*self._flags, *lines})
            else:
                self.add(lines)

    def enter(self, node: FunctionNode) -> bool:
        end = node.end_lineno or node.lineno
        if any_line(self._flags, node.lineno, end) or self._tests_layer(node.lineno, end):
            self.near = None
            return True
        return super().enter(node)

    def _tests_layer(self, first: int, last: int) -> bool:
        """Whether a function compares something with a number or the configuration, and has a layer id to compare."""
        if not any_line(self._layers, first, last):
            return False
        return _TEST.search(self.text, self.starts[first - 1], self.starts[last]) is not None

    def names_layer(self, node: ast.stmt) -> bool:
        """Whether a statement speaks of a layer id."""
        return any_line(self._layers, node.lineno, node.end_lineno or node.lineno)


def _words(text: str) -> list[bytes]:
    """The words of a text in UTF-8. Splitting bytes costs a third of what finding words does."""
    return text.encode("utf-8", "surrogatepass").translate(_ASCII_WORDS).split()


def _is_attribute(text: str, start: int, end: int) -> bool:
    """`x.name` (or a line that begins with `.name`), or the string "name" for `getattr`."""
    before = text[start - 1 : start]
    return (before == "." and text[start - 4 : start] != "srt.") or (
        before in "\"'" and text[end : end + 1] == before
    )


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
            yield from (
                (alias.asname, False) for alias in node.names if alias.asname and alias.name in known.words
            )
        elif isinstance(node, ast.Assign):
            if isinstance(node.value, ast.Compare) and interest.names_layer(node):
                yield from (
                    (target.attr, True) for target in node.targets if isinstance(target, ast.Attribute)
                )
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or interest.names_layer(node):
            for block in blocks_of(node):
                yield from _further(interest, block, known)


def names_of(facts: Facts) -> Names:
    """The names that matter in every file of a tree."""
    known = facts.project.asking.known
    if _KEY not in known:
        tables = facts.project.tables
        rows = tables.get("names")
        if rows is None:
            rows = tables["names"] = facts.project.asking.unnoticed(lambda: all_names(facts))
        words, attributes, modules, called, ids = (frozenset(rows[kind]) for kind in KINDS)
        ids -= words | attributes | modules | called
        together = frozenset(name.encode() for name in words | attributes | modules | called | ids)
        known[_KEY] = Names(words, attributes, modules, called, ids, together), ()
    names: Names = known[_KEY][0]
    return names


_KEY = ("names that matter",)

KINDS = ("words", "attributes", "modules", "called", "ids")
"""How a name has to stand in a text to matter, see `Names`."""


def all_names(facts: Facts) -> Rows:
    """The table of the names that matter, by how they have to stand in a text."""
    project, accessors = facts
    functions = {name for name in accessors.all_names if not project.definers(name)}
    attributes = {*_ATTRIBUTES, *accessors.all_names, *project.padded_names()} - functions
    lists = list_names(project)
    for class_id, one in project.classes.items():
        attributes |= one["shifted"].keys()
        for name, entries in one["attrs"].items():
            if _is_mapping(entries) or (name in lists and stage_list(project, class_id, name) is not None):
                attributes.add(name)
    return {
        "words": sorted(_WORDS | functions | accessors.constructed),
        "attributes": sorted(attributes - COMMON_METHODS),
        "modules": sorted(staged_names(project)),
        "called": sorted(COMMON_METHODS & accessors.all_names),
        "ids": sorted(
            {name for known in accessors.spaces[GLOBAL].values() for name in known} | LAYER_ID_NAMES
        ),
    }


def _is_mapping(entries: list[dict[str, Any]]) -> bool:
    return any(entry["v"] == ["mapping"] for entry in entries)
