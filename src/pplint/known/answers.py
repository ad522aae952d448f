"""What the rules said of each file, as it is kept: plain data, believed only where every part has its type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from pplint.finding import Edit, Finding, Fix, Span, Step, Trouble, asks_of
from pplint.known.stamps import Stamp, is_file
from pplint.known.store import WRONG, Lost, Store


class Answer(NamedTuple):
    """What the rules said of one file with these bytes and the facts of a snapshot.

    `checked` is False for a file that nobody parsed, `marked` True for one that holds a comment of pplint's.
    """

    stamp: Stamp
    findings: tuple[Finding, ...]
    troubles: tuple[Trouble, ...]
    checked: bool
    marked: bool


Asked = dict[str, tuple[str, ...]]
"""What files asked for, by path: keys of facts, see `asking`."""

_FEW = 20
"""So many files that asked anew are written beside the others, not with them."""


Silent = dict[bool, dict[str, Stamp]]
"""The stamps of files of which there is nothing to say, by whether they were parsed, and by path."""


class Answers:
    """The answers to one question by path, with the facts that each rests on (`asking` says what keys are).

    Of most files there is nothing to say: for these only a stamp is kept.
    """

    def __init__(
        self,
        told: dict[str, Answer] | None = None,
        silent: Silent | None = None,
        base: str | None = None,
        newly: Asked | None = None,
        asked: Asked | Callable[[], Asked] | None = None,
    ) -> None:
        """`asked` is what was asked for (or loads what was at `base`), `newly` what some files asked for since."""
        self.told = {} if told is None else told
        self._silent: Silent = {True: {}, False: {}} if silent is None else silent
        self._base = base
        self._newly: Asked = newly or {}
        self._asked: Asked | Callable[[], Asked] = {} if asked is None else asked

    @property
    def asked(self) -> Asked:
        """The keys of the facts that were asked for, by path; a file that is not here asked for none that is known."""
        if callable(self._asked):
            self._asked = {**self._asked(), **self._newly}
        return self._asked

    def get(self, path: str) -> Answer | None:
        """The answer for a file, or None."""
        for checked, stamps in self._silent.items():
            if path in stamps:
                return Answer(stamps[path], (), (), checked, False)
        return self.told.get(path)

    def put(self, answers: Mapping[str, Answer]) -> None:
        """Take in answers by path, in the place of those that are known."""
        for path, answer in answers.items():
            self.told.pop(path, None)
            for stamps in self._silent.values():
                stamps.pop(path, None)
            if any(answer[1:3]) or answer.marked:
                self.told[path] = answer
            else:
                self._silent[answer.checked][path] = answer.stamp

    def learn(self, asked: Asked) -> None:
        """Take down what files asked for."""
        if not callable(self._asked):
            self._asked.update(asked)
        self._newly.update(asked)

    def save(self, store: Store, question: str, stamps: dict[str, Stamp], state: str) -> None:
        """Keep the answers that rest on files on disk as they are; `state` stands for the facts and all stamps."""

        def holds(path: str, stamp: Stamp) -> bool:
            return stamp == stamps.get(path) and is_file(stamp)

        told = {path: answer[1:] for path, answer in self.told.items() if holds(path, answer.stamp)}
        silent = [
            [path for path, stamp in self._silent[one].items() if holds(path, stamp)] for one in _EITHER
        ]
        base = self._base
        if base is None or len(self._newly) > _FEW:
            base = state
            self._save_asked(store, question, base)
        answers = {"state": state, "told": told, "silent": silent, "base": base, "asked": self._newly}
        store.save(f"answers-{question}.json", answers)

    def _save_asked(self, store: Store, question: str, base: str) -> None:
        numbers: dict[str, int] = {}
        files = {
            path: [numbers.setdefault(key, len(numbers)) for key in keys] for path, keys in self.asked.items()
        }
        store.save(f"asked-{question}.json", {"base": base, "keys": list(numbers), "files": files})
        self._base, self._newly = base, {}

    def but(self, told: dict[str, Answer], gone: Collection[str]) -> Answers:
        """The same with other findings, and without the silence of some files. They may still have asked for something."""
        silent = {
            checked: {path: stamp for path, stamp in stamps.items() if path not in gone}
            for checked, stamps in self._silent.items()
        }
        asked = self._asked if callable(self._asked) else dict(self._asked)
        return Answers(told, silent, self._base, dict(self._newly), asked)


def read_answers(store: Store, question: str, stamps: dict[str, Stamp], state: str) -> Answers | None:
    """The answers on disk that rest on the facts and stamps of that name, or None."""
    data = store.load(f"answers-{question}.json")
    try:
        if data["state"] != state:
            return None
        told = {
            path: Answer(
                stamps[path],
                tuple(map(_finding, findings)),
                tuple(map(read_trouble, troubles)),
                checked is True,
                marked is True,
            )
            for path, (findings, troubles, checked, marked) in data["told"].items()
        }
        silent = {
            one: {path: stamps[path] for path in paths}
            for one, paths in zip(_EITHER, data["silent"], strict=True)
        }
        base = str(data["base"])
        newly = {path: tuple(map(str, keys)) for path, keys in data["asked"].items()}
    except WRONG:
        return None
    return Answers(told, silent, base, newly, lambda: _read_asked(store.load(f"asked-{question}.json"), base))


def _read_asked(data: Any, base: str) -> Asked:
    """What was asked by path. Raises Lost."""
    try:
        if data["base"] != base:
            raise Lost
        keys = [str(key) for key in data["keys"]]
        return {path: tuple(keys[number] for number in numbers) for path, numbers in data["files"].items()}
    except WRONG as error:
        raise Lost from error


_EITHER = (True, False)

_TEXTS = (
    "code",
    "name",
    "severity",
    "path",
    "symbol",
    "message",
    "no_fix",
    "shape",
    "fingerprint",
    "changed_by",
)


def _finding(row: Any) -> Finding:
    """A finding from its row of plain data. Raises TypeError or ValueError for anything else."""
    raw = Finding(*row)
    if not all(isinstance(getattr(raw, name), str) for name in _TEXTS):
        raise TypeError("a text is no text")
    fix = None
    if raw.fix is not None:
        safety, message, edits = raw.fix
        fix = Fix(str(safety), str(message), tuple(Edit(_span(span), str(text)) for span, text in edits))
    return raw._replace(
        span=_span(raw.span),
        trace=tuple(Step(str(p), int(line), int(column), str(text)) for p, line, column, text in raw.trace),
        fix=fix,
        statement=None if raw.statement is None else _span(raw.statement),
        impact=None,
        asks=asks_of(raw.asks),
    )


def _span(row: Any) -> Span:
    return Span(*(int(number) for number in row))


def read_trouble(row: Any) -> Trouble:
    """A trouble from its row of plain data. Raises TypeError or ValueError for anything else."""
    path, line, message, code = row
    return Trouble(str(path), int(line), str(message), str(code))
