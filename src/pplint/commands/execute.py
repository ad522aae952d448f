"""Run a request with a bar, and turn what stops it into a message."""

from __future__ import annotations

from pplint.baseline import BaselineError
from pplint.cli import Failure
from pplint.git import GitError
from pplint.progress import Progress
from pplint.request import Request
from pplint.run import Outcome, execute
from pplint.settings import SettingsError


def outcome_of(request: Request, progress: bool) -> Outcome:
    """Execute `request`. Raises Failure."""
    from pplint.engine.root import RootError
    from pplint.judge.machine import Killed

    try:
        with Progress(progress):
            return execute(request)
    except (SettingsError, BaselineError, GitError, RootError, Killed) as error:
        raise Failure(str(error)) from error
