"""A pylint checker that does next to nothing: what pylint costs by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from astroid import nodes
from pylint.checkers import BaseChecker

if TYPE_CHECKING:
    from pylint.lint import PyLinter


class LiteralLayer(BaseChecker):
    """Reports `x.get_key_buffer(0)` and `x.get_value_buffer(0)`."""

    name = "literal-layer"
    msgs = {"E7999": ("a literal is given where a layer id is expected", "literal-layer", "")}  # noqa: RUF012

    def visit_call(self, node: nodes.Call) -> None:
        """Compare names and look at the first argument."""
        called = node.func
        if isinstance(called, nodes.Attribute) and called.attrname in ("get_key_buffer", "get_value_buffer"):
            if node.args and isinstance(node.args[0], nodes.Const) and type(node.args[0].value) is int:
                self.add_message("literal-layer", node=node)


def register(linter: PyLinter) -> None:
    """Called by pylint."""
    linter.register_checker(LiteralLayer(linter))
