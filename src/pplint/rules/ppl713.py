"""PPL713: what is stored is named after the tensor parallel rank, but not after the stage."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

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
        "file reads it; and a text with the rank of the process itself, such as `get_parallel().tp_rank`, under which a "
        "method saves something."
    ),
    why=(
        "Pages of the KV cache are looked up by their tokens. Ranks of several stages have the same `tp_rank` and the same "
        "tokens, but other layers: each overwrites what the other stored, or takes the other's layers for its own. Stages "
        "with equally many layers have pages of one size, so nobody notices. Where weights are saved, the files of the "
        "stage that is last are left, and whoever loads them has keys too many or too few."
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
_OWN_RANK = r"(^|\.)(get_)?(tensor_model_parallel|tp)_rank\(\)$|\(\)\.tp_rank$"
"""The rank of the process itself, which knows its stage too: `get_parallel().tp_rank`."""
_STORES = r"(^|\.)(save|save_\w+|set|put|store|write|upload)$"
"""What is called with a name and with what is to be kept under it."""
_WORDS = (f".{_RANK}", "_parallel_rank()", f"{_RANK}()")
_TELLS_STAGE = r"(\b|_)pp_(rank|size|group)\b|[pP]ipeline"
_NAMES = r"(^|_)(prefix|suffix|key|path|dir|directory|folder|file|filename|namespace)$"
"""What holds a part of the name under which something is stored."""
_OTHER_NAMES = r"log|thread|trace|metric|message|profil"


class Rank(Record):
    """A rank that a text tells: the `config` that has it, the `method` that reads it there, and the step that shows it.

    The rank of the process itself is that of no configuration.
    """

    config: tuple[str, ...]
    method: str
    read: Step


class NameWithoutStage(Rule):
    """Judges the names that a class makes of the tensor parallel rank."""

    info = INFO_TEXT

    def __init__(self) -> None:
        self._judged: dict[ast.ClassDef, bool] = {}
        """The classes whose names can lack the stage, and whether those that they take from a configuration can."""

    def define(self, context: Context, node: ast.ClassDef) -> None:
        """Take down the classes whose names can lack the stage."""
        text = context.text_of(node) if any(word in context.source.text for word in _WORDS) else ""
        if not any(word in text for word in _WORDS) or not context.class_id or SINGLE in context.stage():
            return
        telling = [
            part for part in _having_a_say(context, node) if re.search(_TELLS_STAGE, context.text_of(part))
        ]
        # A function may know the configuration; of the rank of the process it knows what the class hands to it.
        if all(_is_function(part) and part.name not in text for part in telling):
            self._judged[node] = not telling
            context.interest.add([part.lineno for part in node.body if _is_function(part)])

    def leave(self, context: Context, node: FunctionNode) -> None:
        """`self.suffix = f"_{config.tp_rank}"`"""
        owner = context.flow.classes[-1] if context.flow.classes else None
        if owner not in self._judged:
            return
        stored = _stored_in(node)
        for statement in statements(node.body):
            for holder, text in _held(statement, stored):
                for rank in _ranks(context, text):
                    if not (self._judged[owner] if rank.config else holder in stored):
                        continue
                    told = _told_stage(context, rank, statement)
                    if told is not None:
                        self._report(context, holder, text, statement, rank, told)
                        break

    def _report(
        self, context: Context, holder: str, text: ast.expr, statement: ast.stmt, rank: Rank, told: Step
    ) -> None:
        severity, condition = context.level()
        stage = ".".join((*rank.config, _STAGE))
        context.report(
            self,
            text,
            f"`{holder}` tells the tensor parallel rank of what is stored, but not the stage: the stages store "
            f"different layers under the same names, and each overwrites or loads what another one stored"
            f"{f' ({condition})' if condition else ''}",
            severity=severity,
            trace=[
                told,
                rank.read,
                context.step(text, f"nothing in this class reads `{stage}` or tests it"),
            ],
            no_fix=f"a name with `{stage}` in it no longer finds what was stored under the old one",
            statement=statement,
        )


def _is_function(part: ast.stmt) -> TypeGuard[FunctionNode]:
    return isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))


def _having_a_say(context: Context, node: ast.ClassDef) -> Iterator[ast.stmt]:
    """The parts of the file that could put the stage into a name of a class: not the other classes, but for its bases."""
    yield node
    bases = {context.project.class_name(one) for one in context.project.mro(context.class_id)}
    for part in context.tree.body:
        if not isinstance(part, ast.ClassDef) or part.name in bases:
            yield part


def _ranks(context: Context, text: ast.expr) -> Iterator[Rank]:
    """The ranks that a text tells, at the end of a method: its own, out of a configuration, or kept by the class before."""
    for value in (value for part in _parts(text) for value in context.flow.evaluate(part)):
        path: tuple[str, ...] = value.data if value.kind == v.PATH else ()
        if len(path) == 2 and path[0] == "self":
            for entry in context.project.classes[context.class_id]["attrs"].get(path[1], ()):
                kept = tuple(entry["v"][1]) if entry["v"][0] == "path" else ()
                if kept[-1:] == (_RANK,):
                    step = context.fact_step(context.class_id, entry["line"], _comes_from(".".join(kept)))
                    yield Rank(kept[:-1], entry["method"], step)
        elif len(path) > 1 and path[-1] == _RANK and value.node is not None:
            yield Rank(
                path[:-1], context.place.function, context.step(value.node, _comes_from(".".join(path)))
            )
        elif isinstance(value.node, ast.expr) and re.search(_OWN_RANK, read := ast.unparse(value.node)):
            yield Rank((), context.place.function, context.step(value.node, _comes_from(read)))


def _comes_from(read: str) -> str:
    return f"the rank within the stage comes from `{read}`"


def _stored_in(method: FunctionNode) -> set[str]:
    """The locals of a method that are a part of the name in `save(tensors, name)` or `store.set(name, tensor)`."""
    calls = [one for one in ast.walk(method) if isinstance(one, ast.Call) and len(one.args) > 1]
    given = [one.args for one in calls if re.search(_STORES, ".".join(v.dotted(one.func) or ()))]
    inner = (part for arguments in given for argument in arguments for part in ast.walk(argument))
    return {part.id for part in inner if isinstance(part, ast.Name) and _is_name(part.id)}


def _held(statement: ast.stmt, stored: set[str]) -> Iterator[tuple[str, ast.expr]]:
    """The texts of a statement that become a part of a name, each with who holds it."""
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            held = (
                _is_name(target.attr) if isinstance(target, ast.Attribute) else ast.unparse(target) in stored
            )
            if held and statement.value is not None:
                yield from ((ast.unparse(target), one) for one in _texts(statement.value))
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)):
        for call in (one for one in ast.walk(statement) if isinstance(one, ast.Call)):
            for keyword in call.keywords:
                if _is_name(keyword.arg or ""):
                    yield from ((keyword.arg or "", one) for one in _texts(keyword.value))


def _is_name(holder: str) -> bool:
    return re.search(_NAMES, holder) is not None and re.search(_OTHER_NAMES, holder) is None


def _texts(node: ast.expr) -> Iterator[ast.expr]:
    return (one for one in ast.walk(node) if isinstance(one, ast.expr) and _parts(one))


def _parts(text: ast.expr) -> list[ast.expr]:
    """What is filled into a text: `f"{rank}"`, `text.format(rank)`."""
    if isinstance(text, ast.JoinedStr):
        return [one.value for one in text.values if isinstance(one, ast.FormattedValue)]
    if isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute) and text.func.attr == "format":
        return [*text.args, *(keyword.value for keyword in text.keywords)]
    return []


def _told_stage(context: Context, rank: Rank, statement: ast.stmt) -> Step | None:
    """Where somebody tells the configuration the stage, or where it keeps it; None if it is not known to."""
    if not rank.config:
        return context.step(statement, "each rank of each stage stores under the name that is made here")
    project = context.project
    place = Place(context.module, context.class_id, rank.method)
    for owner in sorted(project.types_of(place, rank.config)):
        name = project.class_name(owner)
        for builder, build in project.builds(owner):
            if not is_super(build) and _STAGE in build["kwargs"]:
                said = f"`{name}` is told the stage here: `{_STAGE}`"
                return context.fact_step(builder.module, build["line"], said)
        entries = project.classes[owner]["attrs"].get(_STAGE)
        if entries:
            return context.fact_step(owner, entries[0]["line"], f"`{name}` knows the stage: `{_STAGE}`")
    return None
