"""The files that name models or hold what models build on: summarised once, and kept as long as they do not change."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from pplint.engine.declarations import named_classes
from pplint.engine.summary import Summariser, Summary, summarise
from pplint.engine.trim import trim
from pplint.finding import Trouble
from pplint.known.stamps import Stamp, is_file
from pplint.known.store import WRONG, Store
from pplint.source.text import Source, SourceError

_NAME = "readiness-files.json"
_ENTRY = b"EntryClass"
Known = dict[str, tuple[Stamp, bool, Summary | None]]
"""By path: the stamp, whether the file names models, and its summary if that was asked for."""


class Files:
    """Answers from the cache where a file is as it was; `save` keeps what was learnt."""

    def __init__(self, stamps: Mapping[str, Stamp], packages: frozenset[str], store: Store | None) -> None:
        self.stamps = stamps
        self.packages = packages
        self.store = store
        self.known = _read(store.load(_NAME)) if store is not None else {}
        self.changed = False

    def names_models(self, path: str) -> bool:
        """Whether a file holds the word `EntryClass`."""
        known = self._known(path)
        if known is not None:
            return known[1]
        try:
            with open(path, "rb") as file:
                found = _ENTRY in file.read()
        except OSError:
            return False
        self._keep(path, found, None)
        return found

    def summary(self, path: str, in_full: bool) -> Summary | Trouble:
        """The summary of a file, or why it cannot be read or parsed.

        One that is not `in_full` has the classes and the names in `EntryClass` only.
        """
        known = self._known(path)
        if known is not None and known[2] is not None:
            return known[2]
        try:
            tree = Source.read(path).parse()
        except SourceError as error:
            return Trouble(path, error.line, str(error))
        summary = trim(summarise(tree), self.packages) if in_full else _outline(tree)
        self._keep(path, known[1] if known is not None else False, summary)
        return summary

    def save(self) -> None:
        """Keep what was learnt of files that were not changed just now."""
        if self.store is not None and self.changed:
            kept = {path: known for path, known in self.known.items() if path in self.stamps}
            self.store.save(_NAME, kept)

    def _known(self, path: str) -> tuple[Stamp, bool, Summary | None] | None:
        stamp, known = self.stamps.get(path), self.known.get(path)
        return known if stamp is not None and known is not None and known[0] == stamp else None

    def _keep(self, path: str, names_models: bool, summary: Summary | None) -> None:
        stamp = self.stamps.get(path)
        if stamp is not None and is_file(stamp):
            self.known[path] = (stamp, names_models, summary)
            self.changed = True


def _read(data: Any) -> Known:
    try:
        return {
            str(path): (str(stamp), names is True, summary if isinstance(summary, dict) else None)
            for path, (stamp, names, summary) in data.items()
        }
    except WRONG:
        return {}


def _outline(tree: ast.Module) -> Summary:
    summary = Summariser(tree).summary
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == "EntryClass":
            summary["entry"] += named_classes(getattr(node, "value", None))
    return summary
