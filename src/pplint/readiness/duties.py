"""The duties of pipeline parallelism that a model class has, and what a row of the matrix says of one class."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from pplint.finding import Trouble
from pplint.records import Record

MET, MISSING, NOT_APPLICABLE, UNKNOWN = "met", "missing", "not applicable", "unknown"
STATES = (MET, MISSING, NOT_APPLICABLE, UNKNOWN)
READY, NEARLY, NOT = "ready", "nearly", "not"
VERDICTS = (READY, NEARLY, NOT, NOT_APPLICABLE)
VERDICT_MEANINGS = {
    READY: "nothing is missing or unknown; a module that every stage builds (`ends`) only costs memory",
    NEARLY: "it takes and uses proxies and its layers are split, but something is missing or not known",
    NOT: "it does not take or use proxies, or its layers are not split, as far as pplint can see",
    NOT_APPLICABLE: "a draft, an encoder, or a class of another runtime: no stage is asked of it",
}


class Column(Record):
    """A duty: `key` names it in JSON, `title` heads a column (short), `question` says what is asked."""

    key: str
    title: str
    question: str


class Cell(Record):
    """What one class does about one duty: `state` is one of STATES.

    `path` (absolute, "" for none) and `line` (1-based, 0 for none) are the place of the gap, or of the proof;
    `code` is the rule that reports the gap, "" for none; `reason` a short sentence.
    """

    state: str
    path: str
    line: int
    code: str
    reason: str


class Row(Record):
    """A top-level model class, where it is defined, one of VERDICTS, and a cell for each of COLUMNS."""

    name: str
    path: str
    line: int
    verdict: str
    cells: tuple[Cell, ...]


COLUMNS = (
    Column(
        "proxies", "proxies", "forward takes `pp_proxy_tensors`, reads them and hands on to the next stage"
    ),
    Column("split", "split", "the layers are split by stage"),
    Column("range", "range", "the class exposes `start_layer` and `end_layer`"),
    Column("ends", "ends", "embedding, final norm and output head are placed by stage"),
    Column("tied", "tied", "a head that is tied to the embedding is guarded"),
    Column("loader", "loader", "the weight loader skips the layers of other stages"),
    Column("indices", "indices", "no layer is named by a literal"),
    Column("loops", "loops", "loops run over the layers of the stage only, and what they carry is sent on"),
)
_NEEDED = ("proxies", "split")
_WASTE = "ends"
"""A module that every stage builds costs memory and breaks nothing: alone it is no gap that a verdict counts."""


class Matrix(Record):
    """The rows by path and line, and the files with models that could not be read."""

    rows: tuple[Row, ...]
    troubles: tuple[Trouble, ...]


def verdict_of(cells: Sequence[Cell]) -> str:
    """What the cells of a row come to."""
    by_key = {column.key: cell for column, cell in zip(COLUMNS, cells, strict=True)}
    if all(cell.state == NOT_APPLICABLE for cell in cells):
        return NOT_APPLICABLE
    if any(by_key[key].state != MET for key in _NEEDED):
        return NOT
    counted = [cell for key, cell in by_key.items() if key != _WASTE or cell.code]
    return READY if all(cell.state in (MET, NOT_APPLICABLE) for cell in counted) else NEARLY


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of some paths, or lies below one of them."""
    return any(path == one or path.startswith(one.rstrip(os.sep) + os.sep) for one in folders)
