"""What the rules said of each file of a tree, with the facts that this rests on, in memory and on disk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from pplint.known.rows import Answer, Row, answer_of, leads_to, row_of
from pplint.known.stamps import Stamp, is_file
from pplint.known.store import WRONG, Lost, Store

Asked = dict[str, tuple[str, ...]]
"""What files asked for, by path: keys of facts, see `asking`."""

_FEW = 20
"""So many files that asked anew are written beside the others, not with them."""

_SILENT: Row = False
"""The row of a file that nobody parsed, and of which nothing is said."""


class Answers:
    """The answers to one question by path, with the facts that each rests on (`asking` says what keys are).

    What comes from disk is taken apart when it is asked for.
    """

    def __init__(
        self,
        rows: dict[str, Row] | None = None,
        stamps: dict[str, Stamp] | None = None,
        base: str | None = None,
        newly: Asked | None = None,
        asked: Asked | Callable[[], Asked] | None = None,
    ) -> None:
        """`asked` is what was asked for (or loads what was at `base`), `newly` what some files asked for since."""
        self._rows = rows or {}
        self._stamps = stamps or {}
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
        """The answer for a file, or None. Raises Lost."""
        row = self._rows.get(path)
        if row is None:
            return None
        try:
            return answer_of(self._stamps[path], row)
        except WRONG as error:
            raise Lost from error

    def put(self, answers: Mapping[str, Answer]) -> None:
        """Take in answers by path, in the place of those that are known."""
        for path, answer in answers.items():
            self._rows[path], self._stamps[path] = row_of(answer), answer.stamp

    def learn(self, asked: Asked) -> None:
        """Take down what files asked for."""
        if not callable(self._asked):
            self._asked.update(asked)
        self._newly.update(asked)

    def outliving(
        self, gone: Collection[str], paths: Collection[str], moved: Callable[[Answer], Answer | None]
    ) -> Answers:
        """The same without the answers for files that are `gone`; these may still have asked for something.

        `moved` brings an answer up to date whose reasons lie in `paths`; None where that cannot be. Raises Lost.
        """
        rows = {path: row for path, row in self._rows.items() if path not in gone}
        told = [(path, row) for path, row in rows.items() if not isinstance(row, bool)]
        for path, row in told:
            try:
                moves = leads_to(row, paths)
            except WRONG as error:
                raise Lost from error
            if moves:
                known = self.get(path)
                answer = None if known is None else moved(known)
                if answer is None:
                    del rows[path]
                else:
                    rows[path] = row_of(answer)
        asked = self._asked if callable(self._asked) else dict(self._asked)
        return Answers(rows, dict(self._stamps), self._base, dict(self._newly), asked)

    def save(self, store: Store, question: str, stamps: dict[str, Stamp], state: str) -> None:
        """Keep the answers that rest on files on disk as they are; `state` stands for the facts and all stamps."""
        rows = {
            path: row
            for path, row in self._rows.items()
            if (stamp := self._stamps[path]) == stamps.get(path) and is_file(stamp)
        }
        base = self._base
        if base is None or len(self._newly) > _FEW:
            base = state
            self._save_asked(store, question, base)
        # Of most files nothing is said: where that goes for all that are left, they need not be listed.
        rest = len(rows) == sum(map(is_file, stamps.values()))
        if rest:
            rows = {path: row for path, row in rows.items() if row is not _SILENT}
        told = store.save_table(f"told-{question}.json", rows)
        answers = {"state": state, "told": told, "rest": rest, "base": base, "asked": self._newly}
        store.save(f"answers-{question}.json", answers)

    def _save_asked(self, store: Store, question: str, base: str) -> None:
        numbers: dict[str, int] = {}
        files = {
            path: [numbers.setdefault(key, len(numbers)) for key in keys] for path, keys in self.asked.items()
        }
        store.save(f"asked-{question}.json", {"base": base, "keys": list(numbers), "files": files})
        self._base, self._newly = base, {}


def read_answers(store: Store, question: str, stamps: dict[str, Stamp], state: str) -> Answers | None:
    """The answers on disk that rest on the facts and stamps of that name, or None."""
    data = store.load(f"answers-{question}.json")
    try:
        if data["state"] != state:
            return None
        rows = store.load_table(f"told-{question}.json", data["told"])
        if data["rest"] is True:
            rows = {
                **dict.fromkeys((path for path, stamp in stamps.items() if is_file(stamp)), _SILENT),
                **rows,
            }
        base = str(data["base"])
        newly = {path: tuple(map(str, keys)) for path, keys in data["asked"].items()}
    except WRONG:
        return None
    return Answers(
        rows, dict(stamps), base, newly, lambda: _read_asked(store.load(f"asked-{question}.json"), base)
    )


def _read_asked(data: Any, base: str) -> Asked:
    """What was asked by path. Raises Lost."""
    try:
        if data["base"] != base:
            raise Lost
        keys = [str(key) for key in data["keys"]]
        return {path: tuple(keys[number] for number in numbers) for path, numbers in data["files"].items()}
    except WRONG as error:
        raise Lost from error
