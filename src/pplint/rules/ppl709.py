"""PPL709: a mark that a layer sets on what it returns does not reach the next stage."""

from __future__ import annotations

import ast
import re

from pplint.engine.context import Context
from pplint.engine.guards import SINGLE, last_name
from pplint.engine.values import Values
from pplint.engine.vocabulary import PROXY_CLASS
from pplint.finding import INFO, WARNING, Step
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.layer_marks import Mark, marks_of
from pplint.rules.layer_runs import runs_layer
from pplint.rules.samples import LAYERS, UTILS

_TOP = """\
from sglang.srt.layers.utils import get_pp_group, make_layers
from sglang.srt.model_executor.forward_batch_info import PPProxyTensors


class MarkingLayer:
    def __init__(self, layer_id):
        self.layer_id = layer_id

    def forward(self, hidden_states, residual):
        if residual is not None and getattr(hidden_states, "_is_partial", False):
            hidden_states = reduce_over_ranks(hidden_states)
        hidden_states, fused = self.mlp(hidden_states)
        if fused:
            hidden_states._is_partial = True
        return hidden_states, residual


class MarkedModel:
    def __init__(self, config):
        self.pp_group = get_pp_group()
        self.layers, self.start_layer, self.end_layer = make_layers(
            config.num_hidden_layers,
            lambda idx, prefix: MarkingLayer(idx),
            pp_rank=self.pp_group.rank_in_group,
            pp_size=self.pp_group.world_size,
        )

    def forward(self, hidden_states, residual, pp_proxy_tensors=None):
        if not self.pp_group.is_first_rank:
            hidden_states = pp_proxy_tensors["hidden_states"]
            residual = pp_proxy_tensors["residual"]
        for i in range(self.start_layer, self.end_layer):
            hidden_states, residual = self.layers[i](hidden_states, residual)
        if not self.pp_group.is_last_rank:
"""
_SENT = """\
            return PPProxyTensors({"hidden_states": hidden_states, "residual": residual})
        return self.norm(hidden_states, residual)
"""

INFO_TEXT = RuleInfo(
    code="PPL709",
    name="mark-lost-between-stages",
    severity=WARNING,
    precision="medium",
    summary="a mark that a layer sets on what it returns does not reach the next stage",
    what=(
        "A layer, or a function whose result it returns, sets an attribute on what it returns "
        "(`hidden_states._needs_reduce = True`), and the forward that runs the layers of a stage sends the tensor in "
        "`PPProxyTensors` without a look at that attribute."
    ),
    why=(
        "What is sent is the data of a tensor; its Python attributes stay behind. The first layer of the next stage gets a "
        "tensor without the mark and goes on as if it had not been set. Where the mark says that the all-reduce was put off "
        "(fusion is on, and there are several tensor parallel ranks), nothing ever adds up the ranks' partial sums: the "
        "next stage computes with them, and nothing fails."
    ),
    how=(
        "Do what was put off before the tensor is sent (`if getattr(hidden_states, '_needs_reduce', False): ...`), or send "
        "the mark too."
    ),
    silent=(
        "Forwards of a class that names the attribute anywhere, marks on what a layer does not return, marks under a test "
        "of the layer's place in its stage (`layer_id == end_layer - 1`) or under a flag that is set to False where there "
        "are several tensor parallel ranks, layers of unknown class, and code for one stage."
    ),
    examples=(
        Example(
            title="The reduction that the layer put off is never done",
            bad=_TOP + _SENT.replace("residual})", "residual})  # PPL709", 1),
            files=(LAYERS, UTILS),
        ),
        Example(
            title="It is done before the tensor is sent",
            good=_TOP
            + """\
            if getattr(hidden_states, "_is_partial", False):
                hidden_states = reduce_over_ranks(hidden_states)
"""
            + _SENT,
            files=(LAYERS, UTILS),
        ),
    ),
)


class MarkLostBetweenStages(Rule):
    """Judges what the forward of a stage sends of what its last layer returned."""

    info = INFO_TEXT

    def __init__(self) -> None:
        self._seen: set[tuple[ast.AST, str]] = set()

    def assign(self, context: Context, target: ast.expr, found: Values, node: ast.stmt) -> None:
        """`hidden_states, residual = self.layers[i](hidden_states, residual)`"""
        run = getattr(node, "value", None)
        padded = runs_layer(context, run) if isinstance(run, ast.Call) else None
        if padded is None or context.draft or SINGLE in context.stage():
            return
        forward = context.flow.functions[0]
        for mark in marks_of(context.project, padded):
            if (forward, mark.attribute) in self._seen:
                continue
            self._seen.add((forward, mark.attribute))
            sent = _sent(forward, _names_in(target))
            if sent is not None and not _tests(context, mark.attribute):
                self._report(context, sent, mark, node)

    def _report(self, context: Context, sent: ast.expr, mark: Mark, run: ast.stmt) -> None:
        severity, condition = context.level()
        if severity != INFO:  # a flag at this run says nothing of the other runs of the forward
            severity, condition = WARNING, ""
        layer = context.project.class_name(mark.owner)
        context.report(
            self,
            sent,
            f"`{layer}` marks what it returns with `{mark.attribute}`, which is not sent: {_outcome(mark.attribute)}"
            f"{f' ({condition})' if condition else ''}",
            severity=severity,
            trace=[
                *_set_at(context, mark, layer),
                context.step(run, "the layers of this stage run here"),
                context.step(
                    sent, f"nothing in this class tests `{mark.attribute}` before the tensor is sent"
                ),
            ],
            no_fix="what the mark stands for has to be done here, or the mark sent, which is for the author to say",
        )


def _outcome(attribute: str) -> str:
    """What comes of a mark that does not arrive, and what to do about it; its name says what it stands for."""
    if re.search(r"reduce|partial", attribute):
        return (
            "where fusion puts off the all-reduce of several tensor parallel ranks, their partial sums are never added up "
            "and the next stage computes with them; reduce before the result is sent"
        )
    return "the next stage goes on as if the last layer here had not set it; do what it stands for before the result is sent"


def _set_at(context: Context, mark: Mark, layer: str) -> list[Step]:
    """Where a mark is set, and which method of the layer has that done."""
    what = f"sets it on `{mark.name}`, which it returns"
    if not mark.routine:
        return [context.fact_step(mark.owner, mark.line, f"`{layer}.{mark.method}` {what}")]
    name = context.project.class_name(mark.routine)
    return [
        context.fact_step(
            mark.owner, mark.called, f"`{layer}.{mark.method}` returns what `{name}` made of it"
        ),
        context.fact_step(mark.routine, mark.line, f"`{name}` {what}"),
    ]


def _tests(context: Context, attribute: str) -> bool:
    """Whether the class we are in, a base in this file or a function of it does more with a mark than to set it."""
    project = context.project
    own = {
        project.class_name(one)
        for one in project.mro(context.class_id)
        if project.module_of(one) == context.module
    }
    asked = re.compile(rf"\b{attribute}\b(?!\s*=\s*(True|1)\b)")
    return any(
        asked.search(re.sub(r"#.*", "", context.text_of(part)))
        for part in context.tree.body
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))
        or (isinstance(part, ast.ClassDef) and part.name in own)
    )


def _sent(forward: ast.AST, names: set[str]) -> ast.expr | None:
    """The first proxies that a forward makes of one of some names, or None."""
    for part in ast.walk(forward):
        if isinstance(part, ast.Call) and last_name(part) == PROXY_CLASS:
            given = _names_in(*part.args, *(keyword.value for keyword in part.keywords))
            if not names.isdisjoint(given.union(*(_names_in(one) for one in _values_of(forward, given)))):
                return part
    return None


def _values_of(forward: ast.AST, names: set[str]) -> list[ast.expr]:
    """What is assigned to some names: the dictionary that is filled before it is sent."""
    found: list[ast.expr] = []
    for part in ast.walk(forward):
        targets = getattr(part, "targets", None) or [getattr(part, "target", None)]
        if isinstance(part, (ast.Assign, ast.AnnAssign)) and part.value is not None:
            found += [part.value] if not names.isdisjoint(_names_in(*targets)) else []
    return found


def _names_in(*nodes: ast.AST) -> set[str]:
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}
