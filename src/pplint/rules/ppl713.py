"""PPL713: what is stored is named after the tensor parallel rank, but not after the stage."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pplint.engine import values as v
from pplint.engine.builds import is_super
from pplint.engine.context import Context
from pplint.engine.guards import SINGLE
from pplint.engine.names import Place
from pplint.finding import ERROR, Step
from pplint.records import Record
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.source.blocks import FunctionNode, statements

_CONFIG = (
    "srt/storage/sample_config.py",
    """\
class SampleStorageConfig:
    def __init__(self, tp_rank, tp_size, pp_rank, pp_size, model_name):
        self.tp_rank = tp_rank
        self.tp_size = tp_size
        self.pp_rank = pp_rank
        self.pp_size = pp_size
        self.model_name = model_name
""",
)

_STORE = """\
from sglang.srt.storage.sample_config import SampleStorageConfig


class SampleStorage:
    def __init__(self, config: SampleStorageConfig):
        self.suffix = f"_{config.model_name}_{config.tp_rank}_{config.tp_size}"

    def key_of(self, page_hash):
        return page_hash + self.suffix
"""

INFO_TEXT = RuleInfo(
    code="PPL713",
    name="name-without-stage",
    severity=ERROR,
    precision="high",
    summary="what is stored is named after the tensor parallel rank, but not after the stage",
    what=(
        "A text with the `tp_rank` of a configuration that a class keeps as a prefix, a suffix, a key or a path, or gives "
        "as such, while the configuration has a `pp_rank` too and nothing in the class, its bases or the functions of the "
        "file reads it."
    ),
    why=(
        "Pages of the KV cache are looked up by their tokens. Ranks of several stages have the same `tp_rank` and the same "
        "tokens, but other layers: each overwrites what the other stored, or takes the other's layers for its own. Stages "
        "with equally many layers have pages of one size, so nobody notices."
    ),
    how="Let the name tell `pp_rank` (and `pp_size`) where there are several stages.",
    silent=(
        "Names of a class that reads `pp_rank`, `pp_size` or a group of stages anywhere, configurations that do not know "
        "the stage, names of threads, logs, profiles and metrics."
    ),
    examples=(
        Example(
            title="Two stages store their pages under one name",
            bad=_STORE.replace('{config.tp_size}"', '{config.tp_size}"  # PPL713'),
            files=(_CONFIG,),
            path="srt/storage/sample_store.py",
        ),
        Example(
            title="The name tells the stage",
            good=_STORE.replace('{config.tp_size}"', '{config.tp_size}_pp{config.pp_rank}"'),
            files=(_CONFIG,),
            path="srt/storage/sample_store.py",
        ),
    ),
)

_RANK, _STAGE = "tp_rank", "pp_rank"
_TELLS_STAGE = r"(\b|_)pp_(rank|size|group)\b|[pP]ipeline"
_NAMES = r"(^|_)(prefix|suffix|key|path|dir|directory|folder|file|filename|namespace)$"
"""What holds a part of the name under which something is stored."""
_OTHER_NAMES = r"log|thread|trace|metric|message|profil"


class Named(Record):
    """A text that becomes a part of a name, and what reads the rank in it."""

    holder: str
    text: ast.JoinedStr
    statement: ast.stmt
    config: tuple[str, ...]
    method: str
    read: ast.expr


class NameWithoutStage(Rule):
    """Judges the names that a class makes of the tensor parallel rank."""

    info = INFO_TEXT

    def __init__(self) -> None:
        self._found: dict[FunctionNode, list[tuple[Named, Step]]] = {}

    def define(self, context: Context, node: ast.ClassDef) -> None:
        """`self.suffix = f"_{config.tp_rank}"`"""
        if f".{_RANK}" not in context.source.text or f".{_RANK}" not in context.text_of(node):
            return
        if not context.class_id or SINGLE in context.stage():
            return
        if any(re.search(_TELLS_STAGE, context.text_of(part)) for part in _having_a_say(context, node)):
            return
        methods = [one for one in node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
        kept = {name: (one.name, read) for one in methods for name, read in _ranks_in(one, "self.")}
        for method in methods:
            for named in _names_in(method, kept):
                told = _told_stage(context, named)
                if told is not None:
                    self._found.setdefault(method, []).append((named, told))
                    context.interest.add([named.text.lineno])

    def enter(self, context: Context, node: FunctionNode) -> None:
        """Report the names that a method makes."""
        for named, told in self._found.pop(node, ()):
            self._report(context, named, told)

    def _report(self, context: Context, named: Named, told: Step) -> None:
        severity, condition = context.level()
        config = ".".join(named.config)
        context.report(
            self,
            named.text,
            f"`{named.holder}` tells the tensor parallel rank of what is stored, but not the stage: the stages store "
            f"different layers under the same names, and each overwrites or loads what another one stored"
            f"{f' ({condition})' if condition else ''}",
            severity=severity,
            trace=[
                told,
                context.step(named.read, f"the rank within the stage comes from `{config}.{_RANK}`"),
                context.step(named.text, f"nothing in this class reads `{config}.{_STAGE}` or tests it"),
            ],
            no_fix=f"a name with `{config}.{_STAGE}` in it no longer finds what was stored under the old one",
            statement=named.statement,
        )


def _having_a_say(context: Context, node: ast.ClassDef) -> Iterator[ast.stmt]:
    """The parts of the file that could put the stage into a name of a class: not the other classes, but for its bases."""
    yield node
    bases = {context.project.class_name(one) for one in context.project.mro(context.class_id)}
    for part in context.tree.body:
        if not isinstance(part, ast.ClassDef) or part.name in bases:
            yield part


def _names_in(method: FunctionNode, kept: dict[str, tuple[str, ast.expr]]) -> Iterator[Named]:
    """The texts with the rank that a method keeps, or gives away, as a part of a name."""
    known = {**kept, **{name: (method.name, read) for name, read in _ranks_in(method, "")}}
    for statement in statements(method.body):
        for holder, text in _held(statement):
            for part in (one for one in ast.walk(text) if isinstance(one, ast.FormattedValue)):
                path = v.dotted(part.value) or ()
                home, read = known.get(".".join(path), (method.name, part.value))
                config = v.dotted(read) or ()
                if config[-1:] == (_RANK,) and len(config) > 1:
                    yield Named(holder, text, statement, config[:-1], home, read)


def _held(statement: ast.stmt) -> Iterator[tuple[str, ast.JoinedStr]]:
    """The texts of a statement that become a part of a name, each with who holds it."""
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            if isinstance(target, ast.Attribute) and _is_name(target.attr) and statement.value is not None:
                yield from ((ast.unparse(target), one) for one in _texts(statement.value))
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)):
        for call in (one for one in ast.walk(statement) if isinstance(one, ast.Call)):
            for keyword in call.keywords:
                if _is_name(keyword.arg or ""):
                    yield from ((keyword.arg or "", one) for one in _texts(keyword.value))


def _is_name(holder: str) -> bool:
    return re.search(_NAMES, holder) is not None and re.search(_OTHER_NAMES, holder) is None


def _texts(node: ast.expr) -> Iterator[ast.JoinedStr]:
    return (one for one in ast.walk(node) if isinstance(one, ast.JoinedStr))


def _ranks_in(method: FunctionNode, owner: str) -> Iterator[tuple[str, ast.expr]]:
    """The locals (or, with "self.", the attributes) that a method sets to a `tp_rank`, with what it reads."""
    for statement in statements(method.body):
        if not isinstance(statement, ast.Assign):
            continue
        for target in statement.targets:
            for name, read in _pairs(target, statement.value):
                path = ".".join(v.dotted(name) or ())
                if path.startswith(owner) and (v.dotted(read) or ())[-1:] == (_RANK,):
                    yield path, read


def _pairs(target: ast.expr, given: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is assigned to what, item by item for tuples."""
    if isinstance(target, ast.Tuple) and isinstance(given, ast.Tuple):
        yield from zip(target.elts, given.elts, strict=False)
    else:
        yield target, given


def _told_stage(context: Context, named: Named) -> Step | None:
    """Where somebody tells the configuration the stage, or where it keeps it; None if it is not known to."""
    project = context.project
    place = Place(context.module, context.class_id, named.method)
    for owner in sorted(project.types_of(place, named.config)):
        name = project.class_name(owner)
        for builder, build in project.builds(owner):
            if not is_super(build) and _STAGE in build["kwargs"]:
                said = f"`{name}` is told the stage here: `{_STAGE}`"
                return context.fact_step(builder.module, build["line"], said)
        entries = project.classes[owner]["attrs"].get(_STAGE)
        if entries:
            return context.fact_step(owner, entries[0]["line"], f"`{name}` knows the stage: `{_STAGE}`")
    return None
