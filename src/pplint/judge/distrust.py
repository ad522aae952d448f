"""Judging with a cache that may be anybody's work: where what it says cannot be, it is thrown away."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from pplint.judge.machine import Killed
from pplint.known.store import Store

if TYPE_CHECKING:
    from pplint.judge.check import Judged, JudgeRequest

UNREADABLE = "PPL903"
"""Troubles with this code are about files; those with the code of a rule are about a crash in it."""


def carefully(judge: Callable[[JudgeRequest], Judged], request: JudgeRequest) -> Judged:
    """Judge a request; if that fails, or a rule does, while a cache is there, judge once more without it."""
    try:
        judged = judge(request)
    except Killed:
        raise
    except Exception:
        if not _thrown_away(request):
            raise
        return judge(request)
    if any(trouble.code != UNREADABLE for trouble in judged.troubles) and _thrown_away(request):
        return judge(request)
    return judged


def _thrown_away(request: JudgeRequest) -> bool:
    """Forget what is known of a tree; return whether anything was on disk."""
    folder = Store(request.cache_dir, request.tree).folder if request.cache_dir else ""
    if not os.path.isdir(folder):
        return False
    import shutil

    from pplint.judge.check import forget

    forget(request)
    shutil.rmtree(folder, ignore_errors=True)
    return True
