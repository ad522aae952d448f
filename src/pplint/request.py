"""What the user asked for."""

from __future__ import annotations

from pplint.impact import Stage
from pplint.records import Record
from pplint.settings import Settings


class Request(Record):
    """What the user asked for; `paths` as given, everything else that has a setting is in `settings`.

    `stdin` is the content of the only path, which then need not exist. `baseline_entries` False leaves the
    baseline out. `stages` are those of the layout for which the impact is told, if one is asked for.
    """

    paths: tuple[str, ...]
    settings: Settings
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    show_info: bool = False
    since: str | None = None
    baseline_entries: bool = True
    add_ignore: str | None = None
    stdin: bytes | None = None
    allow_empty: bool = False
    jobs: int = 0
    cache_dir: str | None = None
    stages: tuple[Stage, ...] = ()
