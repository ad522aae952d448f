"""Which parameters take a GLOBAL layer id and which a LOCAL index, solved to a fixed point over the whole tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pplint.engine.behind import Fronts
from pplint.engine.callees import definitions_of
from pplint.engine.declarations import position_of
from pplint.engine.names import Place, Rows
from pplint.engine.pools import kept_by_pools, stage_list
from pplint.engine.project import Project
from pplint.engine.vocabulary import is_end, is_start
from pplint.records import Record

GLOBAL = "GLOBAL"
LOCAL = "LOCAL"
COMMON_METHODS = frozenset({"__init__", "__call__", "forward"})
"""Names that every module defines: they say nothing about a receiver of unknown type."""


class Evidence(Record):
    """Why a parameter has its space: a place and a sentence, and the parameter that it is handed to, if any."""

    module: str
    line: int
    text: str
    next: tuple[str, str] | None


_CONTRARY = 3
"""A definition that takes ids in the other space weighs as much as so many that say nothing."""

_NONE: dict[str, Evidence] = {}
_BY_NAME = "by name"


class Target(Record):
    """One definition that a call may reach: function id, class id or "", parameter, its argument position."""

    function: str
    owner: str
    parameter: str
    position: int | None
    evidence: Evidence

    @property
    def name(self) -> str:
        """The function's own name."""
        return _last(self.function)


Key = tuple[str, str]
Spaces = dict[str, dict[str, dict[str, Evidence]]]
"""By space, function id and parameter. What comes from disk has plain lists in the place of `Evidence`, see `known`."""


class Accessors:
    """The parameters whose space is known. Function ids are `module:Class.method` or `module:function`.

    They are solved from the facts of `project`, or taken over from an earlier solution of the same facts.
    """

    def __init__(self, project: Project, spaces: Spaces | None = None) -> None:
        self.project = project
        self.asking = project.asking
        self.spaces: Spaces = spaces or {GLOBAL: {}, LOCAL: {}}
        self.names: dict[str, set[str]] = {
            space: {_last(function) for function in known} for space, known in self.spaces.items()
        }
        self._solving = spaces is None
        if self._solving:
            self._solve()

    def _solve(self) -> None:
        self._fresh: dict[str, set[str]] = {GLOBAL: set(), LOCAL: set()}
        self._edges: dict[str, list[tuple[str, Place, list[Any]]]] = {}
        self._indexed: Counter[Key] = Counter()
        functions = list(self._functions())
        for function, place, facts in functions:
            for passed in facts["passes"]:
                self._edges.setdefault(passed[1][-1], []).append((function, place, passed))
        self._seed(functions)
        for space in (LOCAL, GLOBAL):
            while self._fresh[space]:
                names, self._fresh[space] = self._fresh[space], set()
                for name in sorted(names):
                    self._spread(space, name)
        self._edges = {}
        self._solving = False

    def _functions(self) -> Iterator[tuple[str, Place, dict[str, Any]]]:
        """The functions that do something with their parameters."""
        for module, summary in self.project.summaries.items():
            for name, facts in summary["functions"].items():
                if facts["uses"] or facts["passes"]:
                    yield f"{module}:{name}", Place(module, "", name), facts
            for class_name, owner in summary["classes"].items():
                for name, facts in owner["methods"].items():
                    if facts["uses"] or facts["passes"]:
                        place = Place(module, f"{module}:{class_name}", name)
                        yield f"{module}:{class_name}.{name}", place, facts

    def facts_of(self, function: str) -> dict[str, Any]:
        """The facts of a function by its id."""
        module, _, dotted = function.partition(":")
        owner, _, name = dotted.rpartition(".")
        return self.project.function(Place(module, f"{module}:{owner}" if owner else "", name)) or (
            self.project.plain_function(module, dotted) or {}
        )

    def known(self, space: str, function: str) -> dict[str, Evidence]:
        """The parameters of a function that are known to be in a space."""
        self.asking.keys.add(f"{space} {function}")
        known = self.spaces[space].get(function, _NONE)
        for parameter, evidence in known.items():
            if not isinstance(evidence, Evidence):
                known[parameter] = Evidence(*evidence[:3], tuple(evidence[3]) if evidence[3] else None)
        return known

    def _seed(self, functions: list[tuple[str, Place, dict[str, Any]]]) -> None:
        for function, place, facts in functions:
            for parameter, how, path, line in facts["uses"]:
                if is_end(parameter) or is_start(parameter):
                    continue
                key = (function, parameter)
                name = place.function
                if how == "minus":
                    self._learn(GLOBAL, key, place, line, f"`{name}` subtracts `start_layer`")
                elif how == "compared":
                    self._learn(
                        GLOBAL, key, place, line, f"`{name}` compares `{parameter}` with the stage range"
                    )
                elif len(path) >= 2:
                    self._seed_lookup(key, place, name, path, line)

    def _seed_lookup(self, key: Key, place: Place, name: str, path: list[str], line: int) -> None:
        owners = self.project.types_of(place, tuple(path[:-1]))
        if not owners and kept_by_pools(self.project, path):
            self._indexed[key] += 1
        for owner in owners:
            if self.project.is_mapping(owner, path[-1]):
                text = f"`{name}` looks `{key[1]}` up in `{path[-1]}`, whose keys are GLOBAL layer ids"
                self._learn(GLOBAL, key, place, line, text)
            elif stage_list(self.project, owner, path[-1]):
                text = f"`{name}` uses `{key[1]}` as an index of the stage's own `{path[-1]}`"
                self._indexed[key] += 1
                self._learn(LOCAL, key, place, line, text)

    def _learn(
        self, space: str, key: Key, place: Place, line: int, text: str, following: Key | None = None
    ) -> None:
        known = self.spaces[space].setdefault(key[0], {})
        if key[1] not in known:
            name = place.function.rpartition(".")[2]
            for agreed in (GLOBAL, LOCAL):
                self.asking.known.pop((_BY_NAME, name, agreed), None)
            self.names[space].add(name)
            known[key[1]] = Evidence(place.module, line, text, following)
            class_name = self.project.class_name(place.owner).rpartition(".")[2]
            self._fresh[space].add(class_name if place.function == "__init__" else name)

    def _spread(self, space: str, name: str) -> None:
        for function, place, (parameter, callee, where, line) in self._edges.get(name, ()):
            known = self.spaces[space].get(function, {})
            if parameter in known or self._settled(space, function, parameter):
                continue
            hit = next((t for t in self.targets(place, callee, space) if matches(t, where)), None)
            if hit is not None and not is_end(parameter):
                text = f"`{place.function}` hands `{parameter}` to `{callee[-1]}`"
                self._learn(space, (function, parameter), place, line, text, (hit.function, hit.parameter))

    def _settled(self, space: str, function: str, parameter: str) -> bool:
        """Whether what a function does with a parameter itself outweighs what it is handed on to."""
        if space == LOCAL:
            return parameter in self.spaces[GLOBAL].get(function, {})
        passes = self.facts_of(function)["passes"]
        handed = sum(one[0] == parameter and one[1][-1] in self.names[GLOBAL] for one in passes)
        return bool(self._indexed[function, parameter] > handed)

    # Queries ---------------------------------------------------------------------------------------------

    @property
    def all_names(self) -> set[str]:
        """The names of the functions and methods that take a layer id or index."""
        return self.names[GLOBAL] | self.names[LOCAL]

    def lines_of(self, module: str) -> list[int]:
        """The lines at which functions of a module begin that take a layer id or index."""
        functions = self.project.row("takers", module, self.all_takers) or ()
        return [self.facts_of(function)["line"] for function in functions]

    def all_takers(self) -> Rows:
        """The table of the functions of each module that take a layer id or index."""
        takers: Rows = {}
        for known in self.spaces.values():
            for function in known:
                takers.setdefault(function.partition(":")[0], []).append(function)
        return takers

    @property
    def constructed(self) -> set[str]:
        """The names of the classes whose constructor takes a layer id or index."""
        owners = {
            function.removesuffix(".__init__")
            for known in self.spaces.values()
            for function in known
            if function.endswith(".__init__")
        }
        heirs = {heir for owner in owners for heir in self.project.children(owner)}
        return {self.project.class_name(one).rpartition(".")[2] for one in owners | heirs}

    def targets(self, place: Place, callee: list[str], space: str = GLOBAL) -> list[Target]:
        """The parameters in `space` that a call of the dotted `callee` at `place` may reach."""
        found = definitions_of(self.project, place, callee)
        if found is None:
            return self.by_name(callee[-1], space)
        return [target for function, owner in found for target in self._of(function, owner, space)]

    def by_name(self, name: str, space: str = GLOBAL) -> list[Target]:
        """Targets for a receiver of unknown type: only where the definitions in view agree."""
        if name not in self.names[space] or name in COMMON_METHODS:
            return []
        if self._solving:
            owners = self.asking.remember((_BY_NAME, name, space), lambda: self._agreed(name, space))
        else:
            owners = self.project.row("agreed", f"{space} {name}", self.all_agreed) or []
        return [target for owner in owners for target in self._of(f"{owner}.{name}", owner, space)]

    def all_agreed(self) -> Rows:
        """The table of the methods, by space and name, that mean the same whatever the receiver: who defines them so."""
        return {
            f"{space} {name}": owners
            for space, names in self.names.items()
            for name in sorted(names - COMMON_METHODS)
            if (owners := self._agreed(name, space))
        }

    def _agreed(self, name: str, space: str) -> list[str]:
        project = self.project
        owners = project.definers(name)
        fronts = [owner for owner in owners if self.known(space, f"{owner}.{name}")]
        if not fronts:
            return []
        silent = 0
        speaking = Fronts(project, fronts)
        for owner in owners:
            if owner in speaking.classes or (space == GLOBAL and speaking.leave_no_say_to(owner)):
                continue
            if self.known(LOCAL if space == GLOBAL else GLOBAL, f"{owner}.{name}"):
                silent += _CONTRARY
                continue
            facts = project.classes[owner]["methods"][name]
            silent += not facts["abstract"] and len(facts["params"]) + len(facts["keywords"]) > 1
        return fronts if len(fronts) * 3 >= 2 * (len(fronts) + silent) else []

    def _of(self, function: str, owner: str, space: str) -> list[Target]:
        known = self.known(space, function)
        if not known:
            return []
        facts = self.facts_of(function)
        return [Target(function, owner, p, position_of(facts, p), evidence) for p, evidence in known.items()]

    def tolerates(self, target: Target) -> bool:
        """Whether the definition (or one that it hands the id to) tests the id before it uses it."""
        handed_on = (one.next for one in self.chain(target.evidence) if one.next is not None)
        return any(
            used == parameter and how in ("compared", "key")
            for function, parameter in ((target.function, target.parameter), *handed_on)
            for used, how, _, _ in self.facts_of(function)["uses"]
        )

    def chain(self, evidence: Evidence) -> list[Evidence]:
        """The steps from a parameter to the line that proves its space."""
        found = [evidence]
        while found[-1].next is not None and len(found) < 8:
            following = self._evidence(found[-1].next)
            if following is None:
                break
            found.append(following)
        return found

    def _evidence(self, key: Key) -> Evidence | None:
        return next(
            (found for space in self.spaces if (found := self.known(space, key[0]).get(key[1]))), None
        )


def matches(target: Target, where: int | str) -> bool:
    """Whether an argument at a position or with a keyword reaches the target's parameter."""
    return target.parameter == where if isinstance(where, str) else target.position == where


def _last(function: str) -> str:
    return function.partition(":")[2].rpartition(".")[2]
