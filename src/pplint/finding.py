"""The values everything speaks in: where something is, what is wrong there, and how to change it.

One unit of place is used everywhere outside `pplint.source`: 1-based lines and 1-based columns that count
Unicode code points of the decoded line (without a byte order mark), the end column exclusive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pplint.records import Record

ERROR = "error"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, WARNING, INFO)
"""The levels, the most severe first."""

SAFE = "safe"
UNSAFE = "unsafe"


class Span(Record):
    """A stretch of a text: 1-based lines and code-point columns, the end column exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Step(Record):
    """One step of the reasoning that led to a finding.

    `path` is absolute, or "" when the step has no place of its own.
    """

    path: str
    line: int
    column: int
    text: str


class Edit(Record):
    """Replace what stands at `span` by `text`."""

    span: Span
    text: str


class Fix(Record):
    """A repair: `safety` is `SAFE` or `UNSAFE`, `message` an imperative; the edits do not overlap."""

    safety: str
    message: str
    edits: tuple[Edit, ...]


SHIFTED = "shifted list"
DIRECT = "list of the stage"
KEYED = "dictionary"
NAMED = "names"
PADDED = "padded list"
WHOLE = "whole model"
ROOM = "room"
TEST = "test"
MODULE = "module"
ACCESSES = (SHIFTED, DIRECT, KEYED, NAMED, PADDED, WHOLE, ROOM, TEST, MODULE)
"""How what is asked answers a GLOBAL layer id, see `Asks`."""

RIGHT = "right"
OTHER_LAYER = "other-layer"
UNKNOWN = "unknown"
OUTCOMES = (RIGHT, OTHER_LAYER, "IndexError", "AttributeError", "KeyError", "AssertionError", UNKNOWN)
"""What a stage may get: the right layer, silently another one, an exception, or what does not follow from its range."""


class Bound(Record):
    """A layer id as the code writes it: `more` alone when `base` is "", else `more` added to what `base` names.

    That is the stage's "start" or "end", or the number of "layers" of the model.
    """

    base: str
    more: int = 0

    def plus(self, number: int) -> Bound:
        """Return the id that many layers further on."""
        return Bound(self.base, self.more + number)


ZERO = Bound("")
STAGE_START = Bound("start")
STAGE_END = Bound("end")
MODEL_END = Bound("layers")


class Asks(Record):
    """What a place asks for on each stage, where the answer follows from what the stages own.

    It asks for the ids in `[low, high)`, which are answered by

    * SHIFTED: a list with an entry per layer of the stage, indexed by the id minus `start_layer`;
    * DIRECT: such a list, indexed by the id itself;
    * KEYED: a dictionary of the stage's ids;
    * NAMED: the weights or modules of the stage by their names, which raise `error`;
    * PADDED: a list with a placeholder for each layer of another stage, of which an attribute is read;
    * WHOLE: something that knows every layer of the model;
    * ROOM: a list that has as many entries as the stage has layers but takes them to count from 0;
    * TEST: a test that lets these ids pass as the stage's own;
    * MODULE: a module that is read on each stage, or on the stage `asked_on`; the stages `real_on` ("first", "last")
      have it or do not come here; ids say nothing.

    `meant` is the id that would be right, where that is not the one that is asked for. With `counted` the place
    means the ids in `[low, high)` but asks for them minus `start_layer`. `of` names the class that is asked where
    others, that may be asked here too, answer in another way. With `open` it may ask for further ids, which are not
    known: a stage that does not own all layers and to which nothing happens so far gets UNKNOWN.
    """

    access: str
    low: Bound = ZERO
    high: Bound = ZERO
    meant: Bound | None = None
    counted: bool = False
    error: str = ""
    real_on: tuple[str, ...] = ()
    asked_on: str = ""
    of: str = ""
    open: bool = False


class StageOutcome(Record):
    """What one stage gets that owns the layers `[start, end)`, 0-based.

    `outcome` is one of OUTCOMES; `asked` is the GLOBAL layer id that the code asks for, where it is one, `got` the
    one that it gets instead: with OTHER_LAYER, and with RIGHT where it is right by accident.
    """

    rank: int
    start: int
    end: int
    outcome: str
    asked: int | None = None
    got: int | None = None


class LayoutOutcome(Record):
    """What every stage of one layout gets."""

    pp_size: int
    num_layers: int
    stages: tuple[StageOutcome, ...]


class Impact(Record):
    """What a finding means: `layouts` is the one that was asked for, or a small representative set.

    `summary` is one line that is true for all of them. `of` is the class that this is said of, where others that may be
    asked in its place give something else.
    """

    summary: str
    layouts: tuple[LayoutOutcome, ...]
    of: str = ""


class Finding(Record):
    """One conflict between a place in the code and what a pipeline stage owns.

    `path` is absolute and real (no symbolic links). `symbol` is the enclosing `Class.method` or "".
    `statement` is the innermost statement's header, for the reach of suppression comments. `no_fix` says why
    there is no fix. `shape` is equal for findings of one rule whose code differs in names only. `fingerprint`
    stays when lines move. `changed_by` names the fact elsewhere whose change caused the finding, or "". `asks` is None
    where what a stage gets does not follow from what it owns; `impact` is computed from it when findings are shown.
    """

    code: str
    name: str
    severity: str
    path: str
    span: Span
    symbol: str
    message: str
    trace: tuple[Step, ...] = ()
    fix: Fix | None = None
    no_fix: str = ""
    statement: Span | None = None
    shape: str = ""
    fingerprint: str = ""
    impact: Impact | None = None
    changed_by: str = ""
    asks: Asks | None = None


def _bound(base: object, offset: Any) -> Bound:
    return Bound(str(base), int(offset))


def asks_of(row: Sequence[Any] | None) -> Asks | None:
    """Return what a place asks from its row of plain data. Raises TypeError or ValueError for anything else."""
    if row is None:
        return None
    access, low, high, meant, counted, error, real_on, asked_on, of, is_open = row
    bounds = [None if one is None else _bound(*one) for one in (low, high, meant)]
    bases = {one.base for one in bounds if one is not None}
    if (
        access not in ACCESSES
        or bounds[0] is None
        or bounds[1] is None
        or not bases <= {"", "start", "end", "layers"}
    ):
        raise ValueError("nothing that a place could ask")
    stages = tuple(map(str, real_on))
    if not {*stages, str(asked_on)} <= {"first", "last", ""}:
        raise ValueError("no stage that could be named")
    return Asks(
        access, bounds[0], bounds[1], bounds[2], counted is True, str(error), stages, str(asked_on), str(of),
        is_open is True,
    )  # fmt: skip


class Trouble(Record):
    """Something that kept pplint from doing its work; makes the exit code 2.

    `path` is absolute or "" (no file is at fault); `line` is 1-based or 0 (the whole file).
    """

    path: str
    line: int
    message: str
    code: str = "PPL903"


def severity_rank(severity: str) -> int:
    """Return 0 for the most severe level; unknown levels come last."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def report_order(finding: Finding) -> tuple[str, int, int, str, str]:
    """The order of findings in every report: by file, place, code."""
    return (finding.path, finding.span.line, finding.span.column, finding.code, finding.message)
