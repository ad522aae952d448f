"""The joined facts of a tree."""

from __future__ import annotations

import marshal
from collections.abc import Callable

from pplint.engine.accessors import Accessors
from pplint.engine.project import Project
from pplint.records import Record


class Facts(Record):
    """The joined facts of a tree."""

    project: Project
    accessors: Accessors

    def __reduce__(self) -> tuple[Callable[[bytes], Facts], tuple[bytes]]:
        # All of it is plain data, for which marshal takes half the time that pickle does.
        spaces = {
            space: {
                function: {parameter: [*evidence] for parameter, evidence in found.items()}
                for function, found in known.items()
            }
            for space, known in self.accessors.spaces.items()
        }
        return _unpacked, (marshal.dumps((self.project.plain(), spaces)),)


def _unpacked(data: bytes) -> Facts:
    plain, spaces = marshal.loads(data)
    project = Project(plain["summaries"], plain["files"])
    project.tables = plain["tables"]
    return Facts(project, Accessors(project, spaces))
