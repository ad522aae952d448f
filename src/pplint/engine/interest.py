"""Which functions a rule could find anything in, told by their text: the others are not walked.

Whatever a rule reports hangs on a name: of something that takes layer ids, that keeps layers or modules of some
stages only, or that speaks of the stage.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from pplint.engine.accessors import COMMON_METHODS, Accessors
from pplint.engine.modules import stage_module
from pplint.engine.pools import stage_list
from pplint.engine.project import Project
from pplint.engine.vocabulary import (
    END_NAMES, LAYER_ID_NAMES, MISSING_LAYER, RANGE_MAKERS, STAGE_COUNT_NAMES, START_NAMES,
)  # fmt: skip

if TYPE_CHECKING:
    from pplint.engine.context import Facts
    from pplint.engine.flow import FunctionNode

_NAME = re.compile(r"[^\W\d]\w*")
_MAKER = re.compile(r"make_\w*layers\w*")
_WEIGHT = re.compile(r"(?:layers|blocks|\bh)\.\d")
_WORDS = frozenset({
    *START_NAMES, *END_NAMES, *STAGE_COUNT_NAMES, *LAYER_ID_NAMES, *RANGE_MAKERS, MISSING_LAYER,
    "first_rank", "last_rank", "next_rank", "prev_rank", "ranks", "ModuleList", "wait_until",
    "get_parameter", "get_submodule", "get_buffer",
})  # fmt: skip
_RANK = ".rank"

_NAMES: WeakKeyDictionary[Accessors, frozenset[str]] = WeakKeyDictionary()


class Interest:
    """The lines of a file on which something stands that a rule could build on."""

    def __init__(self, facts: Facts, module: str, text: str, tree: ast.Module) -> None:
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._text = text
        self._lines: list[int] = []
        used = set(_NAME.findall(text))
        known = names_of(facts)
        found = {name for name in used if name in known or name.lstrip("_") in _WORDS or _MAKER.match(name)}
        places = [place for name in found for place in _places(text, name)]
        places += [match.start() for match in _WEIGHT.finditer(text)]
        for phrase in (_RANK, *(f".{name}" for name in COMMON_METHODS & facts.accessors.names_of_any)):
            places += _places(text, phrase)
        self._add(places)
        for function, (_, one) in facts.accessors.functions_of(module):
            pass

    def add(self, lines: Iterable[int]) -> None:
        """Take in lines that matter for reasons of their own."""
        self._lines = sorted({*self._lines, *lines})

    def within(self, node: ast.stmt) -> bool:
        """Whether one of the lines is in a statement."""
        at = bisect_left(self._lines, node.lineno)
        return at < len(self._lines) and self._lines[at] <= (node.end_lineno or node.lineno)
