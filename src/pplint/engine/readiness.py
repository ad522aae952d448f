"""Per model class: which duties of pipeline parallelism are met, and where the gaps are."""

from __future__ import annotations

from typing import NamedTuple

from pplint.engine.context import Facts
from pplint.engine.reach import entry_classes, forwards_range, split_below
from pplint.engine.root import find_root

MET, MISSING, NOT_APPLICABLE, UNKNOWN = "met", "missing", "not applicable", "unknown"
STATES = (MET, MISSING, NOT_APPLICABLE, UNKNOWN)
READY, NEARLY, NOT = "ready", "nearly", "not"
VERDICTS = (READY, NEARLY, NOT)


class Column(NamedTuple):
    """A duty: `key` names it in JSON, `title` heads a column (short), `question` says what is asked."""

    key: str
    title: str
    question: str


class Cell(NamedTuple):
    """What one class does about one duty: `state` is one of STATES.

    `path` (absolute, "" for none) and `line` (1-based, 0 for none) are the place of the gap, or of the proof;
    `code` is the rule that reports the gap, "" for none; `reason` a short sentence.
    """

    state: str
    path: str
    line: int
    code: str
    reason: str


class Row(NamedTuple):
    """A top-level model class, where it is defined, one of VERDICTS, and a cell for each of COLUMNS."""

    name: str
    path: str
    line: int
    verdict: str
    cells: tuple[Cell, ...]


COLUMNS = (
    Column("proxies", "proxies", "forward takes `pp_proxy_tensors` and uses them"),
    Column("split", "split", "the layers are split by stage"),
    Column("range", "range", "`start_layer` and `end_layer` are exposed"),
    Column("ends", "ends", "embedding, final norm and output head are placed by stage"),
    Column("tied", "tied", "a tied head is guarded"),
    Column("loader", "loader", "the weight loader filters by stage"),
    Column("indices", "indices", "no layer is named by a literal"),
    Column("loops", "loops", "loops run over the layers of the stage"),
)


def readiness_of(facts: Facts) -> tuple[Row, ...]:
    """The rows of all classes that a module names in `EntryClass`."""
    return tuple(_row(facts, class_id) for class_id in entry_classes(facts.project))


def _row(facts: Facts, class_id: str) -> Row:
    project = facts.project
    path = project.files[project.module_of(class_id)]
    below = split_below(project, class_id)
    exposes = bool(project.owns_start(class_id)) or forwards_range(project, class_id)
    found = (bool(project.accepts_pp(class_id)), below is not None, below is not None and exposes)
    known = [Cell(MET if one else MISSING, path, 0, "", "") for one in found]
    rest = [Cell(UNKNOWN, "", 0, "", "")] * (len(COLUMNS) - len(known))
    verdict = NEARLY if all(found) else NOT
    return Row(project.class_name(class_id), path, 0, verdict, (*known, *rest))


def print_readiness(path: str) -> None:
    """Print one line per model class."""
    import sys

    from pplint.engine.check import facts_of

    rows = readiness_of(facts_of(find_root((path,))))
    for row in rows:
        states = "  ".join(cell.state for cell in row.cells)
        sys.stdout.write(f"{row.name}  {row.verdict}  {states}\n")
