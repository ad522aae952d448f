"""No code makes a rule or the engine crash: examples that are cut up and put together at random.

`python tests/fuzz/atheris_readers.py modules` is the long run, guided by coverage.
"""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spliced_modules import chosen_by, walk

FOUND = sorted(Path(__file__).with_name("corpus").joinpath("code").glob("*.py"))
SOME = settings(deadline=None, database=None, max_examples=150, suppress_health_check=list(HealthCheck))


@SOME
@given(st.data())
def test_all_rules_walk_any_module(data: st.DataObject) -> None:
    walk(chosen_by(lambda count: data.draw(st.integers(0, count - 1))))


def test_what_crashed_once() -> None:
    for path in FOUND:
        assert walk(path.read_text()), path
