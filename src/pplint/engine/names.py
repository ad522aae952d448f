"""The facts of all files joined: what names mean, classes and their relatives, functions."""

from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping
from sys import intern  # keys stand in thousands of answers
from typing import Any, NamedTuple, Protocol

from pplint.engine.asking import Asking, Noted, remembered

_DEPTH = 8
_NO_CLASS: dict[str, Any] = {"methods": {}}

Rows = dict[str, Any]
"""A table about the whole tree: plain data by key."""


class Place(NamedTuple):
    """Where a name is used: the module, the class id ("" outside a class) and the function.

    `as_class` is the class of `self` where it is known to be a subclass of the owner.
    """

    module: str
    owner: str
    function: str
    as_class: str = ""


class Kept(Protocol):
    """Summaries that are somewhere else."""

    def modules(self) -> Collection[str]:
        """The modules that there are."""

    def summary(self, module: str) -> dict[str, Any]:
        """The summary of one."""

    def row(self, table: str, key: str) -> Any:
        """What a table says of a key, or None."""


PICKED = "[]"
"""The last name of a callee that is picked from a table of classes."""


class Names:
    """All summaries of one tree by module; class ids are `module:Qualified.Name`, function ids `module:name`.

    With `kept`, summaries and rows of tables are fetched when they are asked for; whoever passes that fills `tables` too,
    since making one takes all summaries.
    """

    def __init__(
        self,
        summaries: Mapping[str, dict[str, Any]],
        files: Mapping[str, str],
        kept: Kept | None = None,
    ) -> None:
        self.files = files
        self.asking = Asking()
        self.tables: MutableMapping[str, Rows] = {}
        self._kept = kept
        self.lazy = kept is not None
        fetch = None if kept is None else self._fetch
        self.summaries = Noted(self.asking, fetch)
        self.classes = Noted(self.asking, fetch)
        for module in sorted(summaries):
            self._take(module, summaries[module])

    def plain(self) -> dict[str, Any]:
        """Summaries, files and tables as plain data, whatever was fetched so far."""
        for module in self._kept.modules() if self._kept is not None else ():
            self._fetch(module)
        return {
            "summaries": dict(dict.items(self.summaries)),
            "files": dict(self.files),
            "tables": dict(self.tables),
        }

    def _take(self, module: str, summary: dict[str, Any]) -> None:
        dict.__setitem__(self.summaries, module, summary)
        for name, facts in summary["classes"].items():
            dict.__setitem__(self.classes, f"{module}:{name}", facts)

    def _fetch(self, key: str) -> None:
        """Load the module of a class id, or a module."""
        module = self.module_of(key)
        if self._kept is not None and not dict.__contains__(self.summaries, module):
            if module in self._kept.modules():
                self._take(module, self._kept.summary(module))

    def imported(self, module: str, name: str) -> list[str] | None:
        """What a module in view imports under a name: the source as written and the name there; None for others."""
        self.asking.keys.add(intern(f"{module}:{name}"))
        found: list[str] | None = self._summary(module)["imports"].get(name)
        return found

    def _in_view(self, module: str) -> bool:
        """Whether there is a summary of a module; no more than that is noted."""
        self.asking.keys.add(in_view(module))
        here = dict.__contains__(self.summaries, module)
        return here or (self._kept is not None and module in self._kept.modules())

    def _summary(self, module: str) -> dict[str, Any]:
        """The summary of a module in view. Whoever looks into it notes at what."""
        self._fetch(module)
        summary: dict[str, Any] = dict.__getitem__(self.summaries, module)
        return summary

    def builds_in(self, module: str) -> list[dict[str, Any]]:
        """The constructor calls in a module; no look at it is noted."""
        builds: list[dict[str, Any]] = self._summary(module)["builds"]
        return builds

    def row(self, table: str, key: str, make: Callable[[], Rows]) -> Any:
        """What a table says of a key, or None; `make` makes the table when it is asked for first."""
        self.asking.keys.add(f"{table} {key}")
        if self._kept is not None:
            return self._kept.row(table, key)
        return self.table(table, make).get(key)

    def table(self, name: str, make: Callable[[], Rows]) -> Rows:
        """A whole table; no look at it is noted."""
        rows = self.tables.get(name)
        if rows is None:
            rows = self.tables[name] = self.asking.unnoticed(make)
        return rows

    def module_of(self, class_id: str) -> str:
        return class_id.partition(":")[0]

    def class_name(self, class_id: str) -> str:
        return class_id.partition(":")[2]

    def resolve(self, module: str, path: Iterable[str], depth: int = 0) -> str | None:
        """The id of the class or function that a dotted name means in a module, or None."""
        names = list(path)
        if not names or depth > _DEPTH or not self._in_view(module):
            return None
        dotted = ".".join(names)
        found = intern(f"{module}:{dotted}")
        self.asking.keys.add(found)
        summary = self._summary(module)
        if dotted in summary["classes"] or dotted in summary["functions"]:
            return found
        imported = self.imported(module, names[0])
        if imported is None:
            return None
        source = absolute(module, imported[0])
        if not imported[1]:
            for cut in range(len(names) - 1, 0, -1):
                candidate = ".".join([source, *names[1:cut]])
                if self._in_view(candidate):
                    return self.resolve(candidate, names[cut:], depth + 1)
            return None
        deeper = f"{source}.{imported[1]}"
        if len(names) > 1 and self._in_view(deeper):
            return self.resolve(deeper, names[1:], depth + 1)
        return self.resolve(source, [imported[1], *names[1:]], depth + 1)

    def resolve_class(self, module: str, path: Iterable[str]) -> str | None:
        """Like `resolve`, but only classes."""
        found = self.resolve(module, path)
        return found if found in self.classes else None

    @remembered
    def mro(self, class_id: str) -> tuple[str, ...]:
        """The class and its known bases, nearest first; cycles are walked once."""
        found: dict[str, None] = {}
        waiting = [class_id]
        while waiting:
            one = waiting.pop()
            if one not in found and one in self.classes:
                found[one] = None
                waiting += reversed(self.bases(one))
        return tuple(found)

    @remembered
    def bases(self, class_id: str) -> list[str]:
        """The known classes that a class names as its bases."""
        module = self.module_of(class_id)
        named = [self.resolve_class(module, one.split(".")) for one in self.classes[class_id]["bases"]]
        return [base for base in named if base]

    def children(self, class_id: str) -> list[str]:
        """All classes below a class."""
        return self.row("heirs", class_id, self.all_heirs) or []

    def all_heirs(self) -> Rows:
        """The table of the classes below each class."""
        heirs: Rows = {}
        for one in self.classes:
            for parent in self.mro(one)[1:]:
                heirs.setdefault(parent, []).append(one)
        return heirs

    def definers(self, method: str) -> list[str]:
        """The classes that define a method of that name themselves."""
        return self.row("definers", method, self.all_definers) or []

    def all_definers(self) -> Rows:
        """The table of the classes that define methods of a name."""
        definers: Rows = {}
        for class_id, facts in self.classes.items():
            for method in facts["methods"]:
                definers.setdefault(method, []).append(class_id)
        return definers

    def method(self, class_id: str, name: str) -> tuple[str, dict[str, Any]] | None:
        """The definition of a method as the class sees it: (class id that defines it, facts)."""
        for one in self.mro(class_id):
            facts = self.classes[one]["methods"].get(name)
            if facts is not None:
                return one, facts
        return None

    def function(self, place: Place) -> dict[str, Any] | None:
        """The facts of the function at a place."""
        if place.owner:
            found: dict[str, Any] | None = self.classes.get(place.owner, _NO_CLASS)["methods"].get(
                place.function
            )
            return found
        return self.plain_function(place.module, place.function)

    def plain_function(self, module: str, name: str) -> dict[str, Any] | None:
        """The facts of a function outside classes."""
        if not self._in_view(module):
            return None
        self.asking.keys.add(f"{module}:{name}")
        found: dict[str, Any] | None = self._summary(module)["functions"].get(name)
        return found

    def named_function(self, module: str, path: Iterable[str]) -> tuple[Place, dict[str, Any]] | None:
        """The function outside classes that a dotted name means in a module: its place and facts; None for others."""
        named = self.resolve(module, path)
        if named is None or named in self.classes:
            return None
        home, _, name = named.partition(":")
        facts = self.plain_function(home, name)
        return (Place(home, "", name), facts) if facts is not None else None

    def unseen_bases(self, modules: Iterable[str]) -> frozenset[str]:
        """Modules that are not summarised and define what is needed to judge one of `modules`.

        That is a base, near or far, of a class, or a function that is given a list of layers or the weights.
        """
        found: set[str] = set()
        needed: set[str] = set()
        for module in modules:
            found |= self._unseen_callees(module, set())
            for name in self.summaries[module]["classes"]:
                needed.update(self.mro(f"{module}:{name}"))
        return frozenset(found.union(*map(self._unseen, needed)))

    def _unseen_callees(self, module: str, seen: set[str]) -> set[str]:
        summary = self.summaries[module]
        imported = [summary["imports"].get(path[0]) for path in summary["handed"]]
        sources = {absolute(module, one[0]) for one in imported if one is not None and one[1]} - seen
        seen |= sources
        unseen = {one for one in sources if one not in self.summaries}
        # Who is given the layers may hand them on.
        return unseen.union(*(self._unseen_callees(one, seen) for one in sorted(sources - unseen)))

    def _unseen(self, class_id: str) -> set[str]:
        module = self.module_of(class_id)
        imports = self.summaries[module]["imports"]
        names = [imports.get(base.split(".")[0]) for base in self.classes[class_id]["bases"]]
        return {
            source
            for one in names
            if one is not None and one[1] and (source := absolute(module, one[0])) not in self.summaries
        }


def in_view(module: str) -> str:
    """The key of whether a module is in view: that of a name in it that nothing has."""
    return intern(f"{module}:")


def absolute(module: str, target: str) -> str:
    """The absolute name of an import target such as `..layers` seen from `module`."""
    level = len(target) - len(target.lstrip("."))
    if not level:
        return target
    parts = module.split(".")[:-level]
    rest = target[level:]
    return ".".join([*parts, rest] if rest else parts)
