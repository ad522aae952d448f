"""The files of a tree by module, read and parsed when they are asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from pplint.readiness.forward import Forwards, forwards_of
from pplint.source.blocks import statements
from pplint.source.text import Source, SourceError


class Sources:
    """Reads each module once; one that cannot be read or parsed is empty."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files
        self._parsed: dict[str, tuple[Source, ast.Module] | None] = {}
        self._forwards: dict[str, Forwards] = {}
        self._bodies: dict[str, list[ast.stmt]] = {}
        self._calls: dict[tuple[str, str], list[ast.Call]] = {}

    def parsed(self, module: str) -> tuple[Source, ast.Module] | None:
        """The text and the tree of a module, or None."""
        if module not in self._parsed:
            self._parsed[module] = self._parse(module)
        return self._parsed[module]

    def _parse(self, module: str) -> tuple[Source, ast.Module] | None:
        path = self.files.get(module)
        try:
            source = Source.read(path) if path else None
            return (source, source.parse()) if source is not None else None
        except SourceError:
            return None

    def around(self, module: str, line: int) -> list[ast.stmt]:
        """The statements that hold a line, the outermost first; the last one begins there if any does."""
        parsed = self.parsed(module)
        body: list[ast.stmt] = parsed[1].body if parsed is not None else []
        found: list[ast.stmt] = []
        while True:
            inner = next((one for one in body if one.lineno <= line <= (one.end_lineno or 0)), None)
            if inner is None:
                return found
            found.append(inner)
            if inner.lineno == line and not isinstance(
                inner, (ast.If, ast.For, ast.While, ast.With, ast.Try)
            ):
                return found
            parts = (getattr(inner, name, ()) for name in ("body", "orelse", "finalbody"))
            body = [one for part in parts for one in part if isinstance(one, ast.stmt)]

    def class_body(self, class_id: str) -> list[ast.stmt]:
        """The statements of a class, those inside its functions included."""
        known = self._bodies.get(class_id)
        if known is None:
            known = self._bodies[class_id] = list(self._class_body(class_id))
        return known

    def _class_body(self, class_id: str) -> Iterator[ast.stmt]:
        module, _, name = class_id.partition(":")
        parsed = self.parsed(module)
        body: list[ast.stmt] = parsed[1].body if parsed is not None else []
        for part in name.split("."):
            owner = next(
                (one for one in statements(body) if isinstance(one, ast.ClassDef) and one.name == part), None
            )
            body = owner.body if owner is not None else []
        yield from statements(body)

    def calls(self, class_id: str, method: str) -> list[ast.Call]:
        """The calls in a method of a class."""
        known = self._calls.get((class_id, method))
        if known is None:
            functions = (ast.FunctionDef, ast.AsyncFunctionDef)
            found = [
                one for one in self.class_body(class_id) if isinstance(one, functions) and one.name == method
            ]
            known = [part for one in found[:1] for part in ast.walk(one) if isinstance(part, ast.Call)]
            self._calls[class_id, method] = known
        return known

    def forwards(self, module: str) -> Forwards:
        """What the functions of a module do with stage proxies."""
        if module not in self._forwards:
            parsed = self.parsed(module)
            found = Forwards({}, {})
            if parsed is not None:
                found = forwards_of(parsed[1], text_of(parsed[0]))
            self._forwards[module] = found
        return self._forwards[module]


def text_of(source: Source) -> Callable[[ast.stmt], str]:
    """How to get at the lines of a statement."""
    return lambda node: "\n".join(source.lines[node.lineno - 1 : node.end_lineno])
