"""A pylint plugin that tells each file that pylint visits: its own count is of module names, which repeat."""

from __future__ import annotations

from typing import Any

from pylint.checkers import BaseChecker

from pplint.pylint_plugin import NAME


class Visited(BaseChecker):
    """Enabled together with pplint's own checkers."""

    name = NAME
    msgs = {"R9999": ("visited", "visited", "The file is visited.")}  # noqa: RUF012

    def visit_module(self, node: Any) -> None:
        self.add_message("visited", node=node, line=1)


def register(linter: Any) -> None:
    linter.register_checker(Visited(linter))
