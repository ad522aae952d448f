"""Records are what `typing.NamedTuple` makes of the same class."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from pplint.records import Record


class Plain(NamedTuple):
    """What the record is compared with."""

    name: str
    line: int
    text: str = "text"
    parts: tuple[str, ...] = ()

    def twice(self) -> int:
        """Methods work as in any class."""
        return 2 * self.line


class Recorded(Record):
    """The same fields."""

    name: str
    line: int
    text: str = "text"
    parts: tuple[str, ...] = ()

    def twice(self) -> int:
        """Methods work as in any class."""
        return 2 * self.line


SAME: dict[str, Callable[[Any], Any]] = {
    "all values by position": lambda kind: tuple(kind("a", 1, "b", ("c",))),
    "defaults for the last ones": lambda kind: tuple(kind("a", 1)),
    "a default that is given": lambda kind: tuple(kind("a", 1, "b")),
    "all values by name, in any order": lambda kind: tuple(kind(line=1, name="a")),
    "values by position and by name": lambda kind: tuple(kind("a", 1, parts=("c",))),
    "fields are read by name": lambda kind: (kind("a", 1).line, kind("a", 1).parts),
    "methods": lambda kind: kind("a", 2).twice(),
    "a replaced value": lambda kind: tuple(kind("a", 1)._replace(text="b")),
    "as a dictionary, in order": lambda kind: list(kind("a", 1)._asdict().items()),
    "the names of the fields": lambda kind: kind._fields,
    "equal to a tuple": lambda kind: kind("a", 1) == ("a", 1, "text", ()),
    "the hash of a tuple": lambda kind: hash(kind("a", 1)),
    "order": lambda kind: kind("a", 1) < kind("a", 2),
    "no further attributes": lambda kind: hasattr(kind("a", 1), "__dict__"),
    "patterns": lambda kind: kind.__match_args__,
    "how it is shown": lambda kind: repr(kind("a", 1)).removeprefix(kind.__name__),
    "a pickled copy": lambda kind: tuple(pickle.loads(pickle.dumps(kind("a", 1)))),
    "a copy": lambda kind: type(copy.copy(kind("a", 1))) is kind,
}


@pytest.mark.parametrize("said", SAME.values(), ids=SAME.keys())
def test_a_record_is_a_named_tuple(said: Callable[[Any], Any]) -> None:
    assert said(Recorded) == said(Plain)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "too few values": lambda kind: kind("a"),
    "too many values": lambda kind: kind("a", 1, "b", (), "d"),
    "a value under two names": lambda kind: kind("a", 1, name="b"),
    "no such field": lambda kind: kind("a", 1, column=3),
    "no such field to replace": lambda kind: kind("a", 1)._replace(column=3),
    "a field that is set": lambda kind: setattr(kind("a", 1), "line", 2),
}


@pytest.mark.parametrize("kind", [Plain, Recorded])
@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED.keys())
def test_what_a_named_tuple_refuses_a_record_refuses(make: Callable[[Any], Any], kind: type) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError)):
        make(kind)
