"""Drops from a summary what no question about layers can need, so that it travels and rests lightly."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable
from typing import Any

_WORD = re.compile(r"[A-Za-z_]\w*")
_NO_LAYER = frozenset({"Tensor", "str", "bool", "float", "dtype", "device", "bytes"})
_WRAPPERS = frozenset({"torch", "Optional", "Union", "None", "typing"})


def trim(summary: dict[str, Any], packages: frozenset[str]) -> dict[str, Any]:
    """Trim in place and return the summary; `packages` are the top-level names of the modules in the tree.

    What comes from other packages can neither be resolved nor take part in a pipeline. Imports and calls of it,
    constructor calls of its classes and annotations with its types go.
    """
    imports = {
        name: found
        for name, found in summary["imports"].items()
        if found[0].startswith(".") or found[0].split(".")[0] in packages
    }
    foreign = summary["imports"].keys() - imports.keys()
    known = imports.keys() | {name.split(".")[0] for name in summary["classes"]}
    summary["imports"] = imports
    elsewhere = foreign | (_BUILTINS - known)
    summary["builds"] = [build for build in summary["builds"] if build["callee"][0] not in elsewhere]
    for facts in _functions(summary):
        annotations = facts["annotations"]
        facts["passes"] = [
            passed
            for passed in facts["passes"]
            if passed[1][0] not in foreign
            and passed[1][0] not in _BUILTINS
            and not _is_no_layer(annotations.get(passed[0], ""))
        ]
        facts["annotations"] = {
            name: text for name, text in annotations.items() if not known.isdisjoint(_WORD.findall(text))
        }
    return summary


def _functions(summary: dict[str, Any]) -> Iterable[dict[str, Any]]:
    yield from summary["functions"].values()
    for one in summary["classes"].values():
        yield from one["methods"].values()


def _is_no_layer(annotation: str) -> bool:
    words = set(_WORD.findall(annotation)) - _WRAPPERS
    return bool(words) and words <= _NO_LAYER


_BUILTINS = frozenset(name for name, value in vars(builtins).items() if callable(value)) - {
    "super",
    "__import__",
}
