"""What other contents of files would say: a hook asks for those of the last commit at each run until the next one."""

from __future__ import annotations

from collections.abc import Callable

from pplint.known.store import Store
from pplint.source.digest import digest_of

MOST = 300
"""So many are kept, the latest."""

_NAME = "sayings.json"


def saying(store: Store, content: bytes, packages: frozenset[str], find: Callable[[], str]) -> str:
    """What a file with `content` says in a tree with these `packages`; `find` finds out what is not known."""
    key = digest_of(repr(sorted(packages)).encode("utf-8", "surrogatepass") + content)
    data = store.load(_NAME)
    known = {str(one): str(said) for one, said in data.items()} if isinstance(data, dict) else {}
    if key not in known:
        known[key] = find()
        store.save(_NAME, dict(list(known.items())[-MOST:]))
    return known[key]
