"""What makes a file worth a look once the first facts are known."""

from __future__ import annotations

import re
from typing import NamedTuple

RULE_WORDS = (b"first_rank", b"last_rank", b"layer_id ==", b"== layer_id", b"layers.0.")
_SOURCES = re.compile(rb"from\s+\.*(?:\w+\.)*(\w+)\s+import")
_ATTRIBUTES = re.compile(rb"\.([A-Za-z_]\w*)")


class Wanted(NamedTuple):
    """What makes a file worth a look once the first facts are known.

    `attributes` are names of methods and stage lists, `functions` names of functions, `kept` what models keep (padded
    lists, placeholders) and `keepers` the last names of their modules, `modules` the files that define bases.
    """

    attributes: frozenset[bytes]
    functions: tuple[bytes, ...]
    kept: frozenset[bytes]
    keepers: frozenset[bytes]
    modules: frozenset[str]

    def worth_a_look(self, data: bytes) -> bool:
        """Whether a file's bytes hold any of the names."""
        if any(word in data for word in RULE_WORDS) or any(word in data for word in self.functions):
            return True
        used = _ATTRIBUTES.findall(data)
        if not self.attributes.isdisjoint(used):
            return True
        if not self.kept.isdisjoint(used) and not self.keepers.isdisjoint(_SOURCES.findall(data)):
            return True
        return b"getattr(" in data and any(b'"' + name + b'"' in data for name in self.attributes)
