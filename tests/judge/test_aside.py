"""What is found out in another process is what would be found out in this one."""

import os
import signal
import sys
from collections.abc import Callable

import pytest

from pplint.judge.aside import Aside

AT_ONCE = [False, pytest.param(True, marks=pytest.mark.skipif(sys.platform != "linux", reason="forks"))]


def _raise() -> int:
    raise ValueError("no answer")


@pytest.mark.parametrize("at_once", AT_ONCE)
def test_the_answer_is_that_of_the_function(at_once: bool) -> None:
    with Aside(lambda: {"a": (1, 2)}, at_once) as aside:
        assert aside.found() == {"a": (1, 2)}


@pytest.mark.parametrize("at_once", AT_ONCE)
def test_an_error_is_raised_where_the_answer_is_asked_for(at_once: bool) -> None:
    with Aside(_raise, at_once) as aside, pytest.raises(ValueError, match="no answer"):
        aside.found()


@pytest.mark.parametrize(("at_once", "same"), [(False, True), (True, False)])
@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_only_work_that_starts_at_once_has_a_process_of_its_own(at_once: bool, same: bool) -> None:
    with Aside(os.getpid, at_once) as aside:
        assert (aside.found() == os.getpid()) is same


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_a_killed_process_leaves_the_work_to_this_one() -> None:
    here = os.getpid()
    with Aside(_killed_unless(here), True) as aside:
        assert aside.found() == here


def _killed_unless(here: int) -> Callable[[], int]:
    def find() -> int:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return here

    return find


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_nobody_is_left_when_the_answer_is_not_asked_for() -> None:
    with Aside(signal.pause, True) as aside:
        process = aside._process
    assert process.exitcode == -signal.SIGTERM
