"""What functions do with the tensors of the stage before: who reads them, and who is given them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from pplint.engine import guards as g
from pplint.engine import values as v
from pplint.engine.attention import Attention
from pplint.engine.constants import module_constants
from pplint.engine.flow import Flow, Listener
from pplint.engine.guards import FIRST, LAST
from pplint.engine.vocabulary import PROXY_CLASS, PROXY_PARAMETER
from pplint.records import Record
from pplint.source.blocks import FunctionNode


class Given(Record):
    """A call that is given the proxies: its dotted callee (() when it is no chain), and as what.

    `where` is the keyword or the position, `others` what else the call is given by keyword (dotted), `later` whether
    the place is known not to be on the first stage.
    """

    callee: tuple[str, ...]
    where: int | str
    others: dict[str, tuple[str, ...]]
    later: bool
    line: int
    text: str


class Uses(Record):
    """What a function does with its proxies: lines that read them, calls that are given them, lines that hand on."""

    line: int
    reads: list[int]
    given: list[Given]
    hands: list[int]


class Forwards(Record):
    """By qualified name: the functions of a module that take proxies, and those that hand their keywords on to a call.

    The latter with the dotted callees.
    """

    uses: dict[str, Uses]
    handing: dict[str, set[tuple[str, ...]]]


def forwards_of(tree: ast.Module, text_of: Callable[[ast.stmt], str]) -> Forwards:
    """Find out what the functions of a module do with proxies."""
    listener = _ProxyWalk()
    Flow(module_constants(tree), listener, _Takers(text_of)).module(tree)
    return Forwards(listener.uses, listener.handing)


class _Takers(Attention):
    """The functions that speak of proxies, and those that take any keyword."""

    def __init__(self, text_of: Callable[[ast.stmt], str]) -> None:
        self._text_of = text_of

    def enter(self, node: FunctionNode) -> bool:
        return node.args.kwarg is not None or PROXY_PARAMETER in self._text_of(node)


class _ProxyWalk(Listener):
    def __init__(self) -> None:
        self.uses: dict[str, Uses] = {}
        self.handing: dict[str, set[tuple[str, ...]]] = {}
        self._packed: set[str] = set()

    def enter(self, flow: Flow, node: FunctionNode) -> None:
        arguments = node.args
        names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        if PROXY_PARAMETER in names:
            self.uses[flow.symbol] = Uses(node.lineno, [], [], [])
        self._packed = set(_packed(node))

    def subscript(self, flow: Flow, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Load) and _is_proxies(flow, node.value):
            self._read(flow, node)

    def attribute(self, flow: Flow, node: ast.Attribute) -> None:
        if _is_proxies(flow, node.value):
            self._read(flow, node)

    def call(self, flow: Flow, node: ast.Call) -> None:
        uses = self._here(flow)
        callee = v.dotted(node.func) or ()
        if _over_super(node):
            assert isinstance(node.func, ast.Attribute)
            callee = ("super()", node.func.attr)
        self._note_handing(flow, node, callee)
        if uses is None:
            return
        if callee and callee[-1] == PROXY_CLASS:
            uses.hands.append(node.lineno)
            return
        for where, given in _arguments(node):
            packed = where is None and isinstance(given, ast.Name) and given.id in self._packed
            if packed or (where is not None and _is_proxies(flow, given)):
                others = {k.arg: path for k in node.keywords if k.arg and (path := v.dotted(k.value))}
                later = FIRST in g.excluded_stages(flow.guards)
                name = PROXY_PARAMETER if where is None else where
                uses.given.append(Given(callee, name, others, later, node.lineno, ast.unparse(node.func)))

    def returned(self, flow: Flow, node: ast.Return, found: v.Values) -> None:
        uses = self._here(flow)
        if uses is not None and LAST in g.excluded_stages(flow.guards):
            uses.hands.append(node.lineno)

    def _read(self, flow: Flow, node: ast.expr) -> None:
        uses = self._here(flow)
        if uses is not None:
            uses.reads.append(node.lineno)

    def _here(self, flow: Flow) -> Uses | None:
        """The innermost function around a place that takes proxies."""
        names = flow.names
        while names:
            found = self.uses.get(".".join(names))
            if found is not None:
                return found
            names = names[:-1]
        return None

    def _note_handing(self, flow: Flow, node: ast.Call, callee: tuple[str, ...]) -> None:
        keywords = flow.functions[-1].args.kwarg if flow.functions else None
        if (
            keywords is not None
            and callee
            and any(
                k.arg is None and isinstance(k.value, ast.Name) and k.value.id == keywords.arg
                for k in node.keywords
            )
        ):
            self.handing.setdefault(flow.symbol, set()).add(callee)


def _arguments(node: ast.Call) -> Iterator[tuple[int | str | None, ast.expr]]:
    yield from enumerate(node.args)
    yield from ((keyword.arg, keyword.value) for keyword in node.keywords)


def _is_proxies(flow: Flow, node: ast.expr) -> bool:
    if not isinstance(node, (ast.Name, ast.IfExp)):
        return False
    return any(one.kind == v.PARAM and one.data == PROXY_PARAMETER for one in flow.evaluate(node))


def _over_super(node: ast.Call) -> bool:
    called = node.func.value if isinstance(node.func, ast.Attribute) else None
    return isinstance(called, ast.Call) and v.dotted(called.func) == ("super",)


def _packed(function: FunctionNode) -> Iterator[str]:
    """The local dictionaries that hold the proxies under their name."""
    for part in ast.walk(function):
        if not isinstance(part, ast.Assign):
            continue
        for target in part.targets:
            if isinstance(target, ast.Name) and _dictionary_with(part.value):
                yield target.id
            elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                if isinstance(target.slice, ast.Constant) and target.slice.value == PROXY_PARAMETER:
                    yield target.value.id


def _dictionary_with(value: ast.expr) -> bool:
    if isinstance(value, ast.Dict):
        return any(isinstance(key, ast.Constant) and key.value == PROXY_PARAMETER for key in value.keys)
    named = isinstance(value, ast.Call) and v.dotted(value.func) == ("dict",)
    return named and any(k.arg == PROXY_PARAMETER for k in value.keywords)  # type: ignore[attr-defined]
