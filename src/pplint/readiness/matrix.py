"""Per model class: which duties of pipeline parallelism are met, and where the gaps are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pplint.engine.root import find_root
from pplint.finding import Trouble

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
    Column(
        "proxies", "proxies", "forward takes `pp_proxy_tensors`, reads them and hands on to the next stage"
    ),
    Column("split", "split", "the layers are split by stage"),
    Column("range", "range", "the class exposes `start_layer` and `end_layer`"),
    Column("ends", "ends", "embedding, final norm and output head are placed by stage"),
    Column("tied", "tied", "a head that is tied to the embedding is guarded"),
    Column("loader", "loader", "the weight loader skips the layers of other stages"),
    Column("indices", "indices", "no layer is named by a literal"),
    Column("loops", "loops", "loops run over the layers of the stage only"),
)
_NEEDED = ("proxies", "split")
_WASTE = "ends"
"""A module that every stage builds costs memory and breaks nothing: alone it is no gap that a verdict counts."""


class Matrix(NamedTuple):
    """The rows by path and line, and the files with models that could not be read."""

    rows: tuple[Row, ...]
    troubles: tuple[Trouble, ...]


def rows_of(
    paths: Sequence[str], sglang: str | None = None, jobs: int = 0, cache_dir: str | None = None
) -> tuple[Row, ...]:
    """The rows of all classes that `EntryClass` names in files at or below some paths, by path and line.

    Raises RootError when no tree can be chosen for the paths.
    """
    return matrix_of(paths, sglang, jobs, cache_dir).rows


def matrix_of(
    paths: Sequence[str], sglang: str | None = None, jobs: int = 0, cache_dir: str | None = None
) -> Matrix:
    """Like `rows_of`, with what went wrong. The answer is kept in the cache as long as no file changes."""
    from hashlib import blake2b

    from pplint.known.store import Store
    from pplint.readiness.facts import project_of, tree_of

    tree = tree_of(find_root(paths, sglang), paths)
    named = sorted({os.path.realpath(path) for path in paths})
    store = Store(cache_dir, tree.root.path) if cache_dir and tree.key else None
    name = (
        f"readiness-{blake2b(repr(named).encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}.json"
    )
    known = _read(store.load(name), tree.key) if store else None
    if known is not None:
        return known
    from pplint.readiness.rows import rows_below

    project, troubles = project_of(tree, jobs, cache_dir)
    matrix = rows_below(project, named)
    matrix = Matrix(matrix.rows, (*(one for one in troubles if is_below(one.path, named)), *matrix.troubles))
    if store and not matrix.troubles:
        store.save(name, {"tree": tree.key, "rows": matrix.rows})
    return matrix


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


def _read(data: Any, key: str) -> Matrix | None:
    """The matrix that the cache has for this state of a tree; None for anything else."""
    try:
        if data["tree"] != key:
            return None
        return Matrix(tuple(_row(*row) for row in data["rows"]), ())
    except (TypeError, KeyError, ValueError):
        return None


def _row(name: str, path: str, line: int, verdict: str, cells: list[list[Any]]) -> Row:
    read = tuple(Cell(str(s), str(p), int(n), str(c), str(r)) for s, p, n, c, r in cells)
    if verdict not in VERDICTS or len(read) != len(COLUMNS) or any(one.state not in STATES for one in read):
        raise ValueError("no row")
    return Row(str(name), str(path), int(line), verdict, read)
