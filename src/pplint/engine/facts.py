"""The joined facts of a tree."""

from typing import NamedTuple

from pplint.engine.accessors import Accessors
from pplint.engine.project import Project


class Facts(NamedTuple):
    """The joined facts of a tree."""

    project: Project
    accessors: Accessors
