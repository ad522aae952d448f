"""Which facts an answer rests on: each look at one is noted, also the looks behind what is only remembered.

A key is the id of a class or of a function (what it says, or that there is none; what a module imports under a name has
such a key too), of a module (what it says as a whole), or the name of a row in a table about the whole tree, see `tables`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Protocol, TypeVar

Found = TypeVar("Found")


class Asking:
    """The `keys` looked at since somebody put a new set there, and what is remembered with the keys behind it."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.known: dict[Any, tuple[Any, tuple[str, ...]]] = {}

    def remember(self, key: Any, find: Callable[[], Found]) -> Found:
        """Find something out once; whoever asks later rests on the same facts."""
        known = self.known.get(key)
        if known is None:
            outer, self.keys = self.keys, set()
            try:
                known = find(), tuple(self.keys)
            finally:
                self.keys = outer
            self.known[key] = known
        self.keys.update(known[1])
        found: Found = known[0]
        return found

    def unnoticed(self, find: Callable[[], Found]) -> Found:
        """Find something out that is compared as a whole, so that it does not matter where it comes from."""
        outer, self.keys = self.keys, set()
        try:
            return find()
        finally:
            self.keys = outer


class Noted(dict[str, Any]):
    """Facts by id. Every look is noted, one that finds nothing too; `load` brings what is not here yet.

    Who goes through all of them asks for more than can be noted or is here: tables are made for that. Where facts are
    loaded, that raises RuntimeError.
    """

    def __init__(self, asking: Asking, load: Callable[[str], None] | None = None) -> None:
        super().__init__()
        self.asking = asking
        self.load = load

    def __getitem__(self, key: str) -> Any:
        self.asking.keys.add(key)
        if self.load is not None and not dict.__contains__(self, key):
            self.load(key)
        return dict.__getitem__(self, key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the facts of `key`, or `default`."""
        self.asking.keys.add(key)
        if self.load is not None and not dict.__contains__(self, key):
            self.load(key)
        return dict.get(self, key, default)

    def _all_here(self) -> None:
        if self.load is not None:
            raise RuntimeError("facts that are loaded one by one cannot be gone through: make a table")

    def __iter__(self) -> Iterator[str]:
        self._all_here()
        return dict.__iter__(self)

    def keys(self) -> Any:
        """All ids."""
        self._all_here()
        return dict.keys(self)

    def values(self) -> Any:
        """All facts."""
        self._all_here()
        return dict.values(self)

    def items(self) -> Any:
        """All facts with their ids."""
        self._all_here()
        return dict.items(self)

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        self.asking.keys.add(key)
        if self.load is not None and not dict.__contains__(self, key):
            self.load(key)
        return dict.__contains__(self, key)


class Asked(Protocol):
    """A project, or what was solved from one."""

    @property
    def asking(self) -> Asking: ...


Question = TypeVar("Question", bound=Callable[..., Any])

COMPARED: dict[str, Callable[..., Any]] = {}
"""Questions by name whose answers are compared, since too many facts are behind each."""


def compared(restore: Callable[..., Any]) -> Callable[[Question], Question]:
    """Remember as `remembered` does, but note only the question itself: its name and an id.

    The answers of an earlier run may be in the project's table of that name; `restore` makes one of its parts.
    """

    def decorate(question: Question) -> Question:
        name = question.__name__

        @wraps(question)
        def ask(project: Any, key: str) -> Any:
            asking = project.asking
            asking.keys.add(f"{name} {key}")
            if (name, key) not in asking.known:
                rows = project.tables.get(name, {})
                if key in rows:
                    found = None if rows[key] is None else restore(*rows[key])
                else:
                    found = asking.unnoticed(lambda: question(project, key))
                asking.known[name, key] = found, ()
            return asking.known[name, key][0]

        COMPARED[name] = ask
        return ask  # type: ignore[return-value]

    return decorate


def compared_rows(asking: Asking) -> dict[str, dict[str, Any]]:
    """The answers to compared questions that are known, as tables: the parts of an answer, or None."""
    tables: dict[str, dict[str, Any]] = {name: {} for name in COMPARED}
    for key, (found, _) in asking.known.items():
        if key[0] in COMPARED:
            tables[key[0]][key[1]] = None if found is None else list(found)
    return tables


def remembered(question: Question) -> Question:
    """Remember the answers to a question about a project (its first argument), by the other arguments."""
    name = question.__qualname__

    @wraps(question)
    def ask(subject: Asked, *arguments: Any) -> Any:
        asking = subject.asking
        known = asking.known.get((name, *arguments))
        if known is None:
            return asking.remember((name, *arguments), lambda: question(subject, *arguments))
        asking.keys.update(known[1])
        return known[0]

    return ask  # type: ignore[return-value]
