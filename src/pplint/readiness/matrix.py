"""Per model class: which duties of pipeline parallelism are met, and where the gaps are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from pplint.engine.root import find_root
from pplint.readiness.duties import COLUMNS, STATES, VERDICTS, Cell, Matrix, Row, is_below


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
    from pplint.known.store import Store
    from pplint.readiness.facts import project_of, tree_of
    from pplint.source.digest import digest_of

    tree = tree_of(find_root(paths, sglang), paths)
    named = sorted({os.path.realpath(path) for path in paths})
    store = Store(cache_dir, tree.root.path) if cache_dir and tree.key else None
    name = f"readiness-{digest_of(repr(named), 8)}.json"
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


def _read(data: Any, key: str) -> Matrix | None:
    """The matrix that the cache has for this state of a tree; None for anything else."""
    from pplint.known.store import WRONG

    try:
        if data["tree"] != key:
            return None
        return Matrix(tuple(_row(*row) for row in data["rows"]), ())
    except WRONG:
        return None


def _row(name: str, path: str, line: int, verdict: str, cells: list[list[Any]]) -> Row:
    read = tuple(Cell(str(s), str(p), int(n), str(c), str(r)) for s, p, n, c, r in cells)
    if verdict not in VERDICTS or len(read) != len(COLUMNS) or any(one.state not in STATES for one in read):
        raise ValueError("no row")
    return Row(str(name), str(path), int(line), verdict, read)
