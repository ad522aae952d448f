"""What makes a file worth a look once the first facts are known."""

from __future__ import annotations

import re

from pplint.records import Record

RULE_WORDS = (
    b"first_rank",
    b"last_rank",
    b"layer_id ==",
    b"== layer_id",
    b"layers.0.",
    b"group.rank *",
    b"src=0, group=",
    b"config.tp_rank",
    b"save_file(",
    b"self.pp_rank = pp_rank",
    b"group.rank()",
    b"src=0,\n",
)
_SOURCES = re.compile(rb"from\s+\.*(?:\w+\.)*(\w+)\s+import")
_ATTRIBUTES = re.compile(rb"\.([A-Za-z_]\w*)")
_TEXTS = re.compile(rb'"(\w+)"')
_FEW = 30
"""So few names are looked for one by one before the attributes of a file are listed."""


class Wanted(Record):
    """What makes a file worth a look once the first facts are known.

    `attributes` are names of methods and stage lists, `functions` names of functions, `kept` what models keep (padded
    lists, placeholders) and `keepers` the last names of their modules, `modules` the files that define bases.
    """

    attributes: frozenset[bytes]
    functions: tuple[bytes, ...]
    kept: frozenset[bytes]
    keepers: frozenset[bytes]
    modules: frozenset[str]
    words: tuple[bytes, ...] = RULE_WORDS

    def beyond(self, earlier: Wanted) -> Wanted:
        """What more is wanted, for files that held nothing of what was wanted `earlier`."""
        same = self.kept <= earlier.kept and self.keepers <= earlier.keepers
        return Wanted(
            self.attributes - earlier.attributes,
            tuple(name for name in self.functions if name not in earlier.functions),
            frozenset() if same else self.kept,
            self.keepers,
            self.modules,
            (),
        )

    def worth_a_look(self, data: bytes) -> bool:
        """Whether a file's bytes hold any of the names."""
        if any(word in data for word in self.words) or any(word in data for word in self.functions):
            return True
        if (
            not self.kept
            and len(self.attributes) < _FEW
            and not any(name in data for name in self.attributes)
        ):
            return False
        used = _ATTRIBUTES.findall(data)
        if not self.attributes.isdisjoint(used):
            return True
        if not self.kept.isdisjoint(used) and not self.keepers.isdisjoint(_SOURCES.findall(data)):
            return True
        return b"getattr(" in data and not self.attributes.isdisjoint(_TEXTS.findall(data))
