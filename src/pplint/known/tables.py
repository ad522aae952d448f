"""The tables about a whole tree, and what the rows in them mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pplint.engine.accessors import GLOBAL, LOCAL
from pplint.engine.asking import COMPARED, compared_rows
from pplint.engine.dense import all_dense, all_wrong
from pplint.engine.facts import Facts
from pplint.engine.interest import all_names
from pplint.engine.lent import all_lent
from pplint.engine.modules import all_flags, all_staged
from pplint.engine.names import Rows
from pplint.engine.pools import all_kept, all_listed, all_mappings
from pplint.engine.reach import all_above, all_entries, entry_table
from pplint.engine.served import all_served
from pplint.known.lines import without_lines_of

MAKERS: dict[str, Callable[[Facts], Rows]] = {
    "heirs": lambda facts: facts.project.all_heirs(),
    "definers": lambda facts: facts.project.all_definers(),
    "builds": lambda facts: facts.project.all_builds(),
    "padded": lambda facts: facts.project.all_padded(),
    "staged": lambda facts: all_staged(facts.project),
    "flags": lambda facts: all_flags(facts.project),
    "listed": lambda facts: all_listed(facts.project),
    "soft": lambda facts: facts.project.all_soft(),
    "takers": lambda facts: facts.accessors.all_takers(),
    "entries": lambda facts: all_entries(facts.project),
    "entry": lambda facts: entry_table(facts.project),
    "above": lambda facts: all_above(facts.project),
    "mappings": lambda facts: all_mappings(facts.project),
    "kept": lambda facts: all_kept(facts.project),
    "served": lambda facts: all_served(facts.project),
    "agreed": lambda facts: facts.accessors.all_agreed(),
    "dense": lambda facts: all_dense(facts.accessors),
    "wrong": lambda facts: all_wrong(facts.accessors),
    "names": all_names,
    "lent": lambda facts: all_lent(facts.project),
}


def complete(facts: Facts) -> Mapping[str, Rows]:
    """Make the tables that nobody asked for yet, and return all with what is known of compared questions."""
    project = facts.project
    for name, rows in compared_rows(project.asking).items():
        project.tables.setdefault(name, {}).update(rows)
    for name, make in MAKERS.items():
        if name not in project.tables:
            project.tables[name] = project.asking.unnoticed(lambda make=make: make(facts))  # type: ignore[misc]
    return project.tables


def is_row(key: str) -> bool:
    """Whether a key is no id, but names a row, a solved function or a compared question."""
    return " " in key


def differs(before: Facts, after: Facts, key: str) -> bool:
    """Whether what stands behind such a key differs in more than lines."""
    old, new = _row(before, key), _row(after, key)
    same = old == new
    if key.startswith("builds ") and old and same:
        left, right = (facts.project.summaries for facts in (before, after))
        same = all(left[place[0]]["builds"] is right[place[0]]["builds"] for place in old)
    return not same and _meaning(before, key) != _meaning(after, key)


def _row(facts: Facts, key: str) -> Any:
    kind, _, rest = key.partition(" ")
    if kind in (GLOBAL, LOCAL):
        return facts.accessors.spaces[kind].get(rest)
    if kind in COMPARED:
        return COMPARED[kind](facts.project, *rest.split(" "))
    return facts.project.tables[kind].get(rest)


def _meaning(facts: Facts, key: str) -> Any:
    """What stands behind such a key, without lines."""
    kind, _, rest = key.partition(" ")
    if kind in (GLOBAL, LOCAL):
        known = facts.accessors.known(kind, rest)
        return {parameter: (one.module, one.text, one.next) for parameter, one in known.items()}
    row = _row(facts, key)
    if row is None:
        return None
    if kind == "builds":
        summaries = facts.project.summaries
        return [(place, without_lines_of(summaries[place[0]]["builds"][number])) for *place, number in row]
    if kind == "dense":
        return row[:-1]
    return [asked[1:-1] for asked in row] if kind == "wrong" else row


def move_lines(table: str, rows: Rows, module: str, went: dict[int, int]) -> None:
    """Let a table speak of the new lines of a module that says what it said before."""
    if table in _OWNER_AT:
        for row in rows.values():
            if row is not None and row[_OWNER_AT[table]].partition(":")[0] == module:
                row[-1] = went[row[-1]]
    if table == "wrong":
        for home, builders in rows.items():
            for asked in builders:
                if home == module:
                    asked[0] = went[asked[0]]
                if asked[1].partition(":")[0] == module:
                    asked[-1] = went[asked[-1]]


_OWNER_AT = {"dense": 0}
"""Where in the rows of a table the class stands in whose module their last part is a line."""
