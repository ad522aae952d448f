"""What the rules said of a tree with the contents of another time: a hook asks that at each run until the next commit."""

from __future__ import annotations

from collections.abc import Callable

from pplint.finding import Finding
from pplint.known.rows import Answer, answer_of, row_of
from pplint.known.store import WRONG, Store

MOST = 4
"""So many such trees are kept, the latest."""

_NAME = "earlier.json"


def findings_of(store: Store, key: str, find: Callable[[], tuple[Finding, ...]]) -> tuple[Finding, ...]:
    """The findings kept under a `key` that names all contents and the question; `find` finds out what is not known."""
    data = store.load(_NAME)
    known = data if isinstance(data, dict) else {}
    try:
        return answer_of("", known[key]).findings
    except WRONG:
        found = find()
    rows = {
        **{one: row for one, row in known.items() if one != key},
        key: row_of(Answer("", found, (), True, False)),
    }
    store.save(_NAME, dict([*rows.items()][-MOST:]))
    return found
