"""PPL712: a forward that runs the layers of one stage takes what the stage before sent, and never reads it."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.declarations import function_facts, takes_proxies
from pplint.engine.guards import SINGLE, stage_facts
from pplint.engine.project import Project
from pplint.engine.reach import Split, entries_above, inner_classes, runs_base, split_below
from pplint.engine.vocabulary import ENCODER, PROXY_PARAMETER
from pplint.finding import ERROR
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.samples import LAYERS, UTILS
from pplint.rules.why import split_step
from pplint.source.blocks import FunctionNode

_CODE = """\
from sglang.srt.models.sample_model import SampleModel


class SampleLoop(SampleModel):
    def forward(self, input_ids, pp_proxy_tensors=None):{mark}
{body}        for i in range(self.start_layer, self.end_layer):
            hidden_states = self.layers[i](hidden_states)
        if not self.pp_group.is_last_rank:
            return PPProxyTensors({{"hidden_states": hidden_states}})
        return self.norm(hidden_states)


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleLoop(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors=pp_proxy_tensors)


EntryClass = SampleForCausalLM
"""

INFO_TEXT = RuleInfo(
    code="PPL712",
    name="unread-proxies",
    severity=ERROR,
    precision="high",
    summary="a forward that runs the layers of one stage never reads what the stage before sent",
    what=(
        "The forward of a class that keeps the layers of one stage, or an inner model that does, has the parameter "
        f"`{PROXY_PARAMETER}` and never reads it."
    ),
    why=(
        "The model passes for one that accepts pipeline parallelism, but each stage starts from the token ids: the "
        "placeholder of the embedding hands the ids on as if they were hidden states, or the inner forward asserts that "
        "there are proxies. What the stages before computed is lost."
    ),
    how=(
        f"Take the hidden states from `{PROXY_PARAMETER}` on every stage but the first, or hand it on to the inner model."
    ),
    silent=(
        "Abstract methods, forwards that refuse several stages or hand on all that they were given (`**kwargs`, "
        "`locals()`), classes that no model runs which accepts pipeline parallelism, draft models, encoders, and models "
        "whose layers are not split."
    ),
    examples=(
        Example(
            title="Each stage embeds the token ids",
            bad=_CODE.format(
                mark="  # PPL712", body="        hidden_states = self.embed_tokens(input_ids)\n"
            ),
            files=(LAYERS, UTILS),
        ),
        Example(
            title="The later stages start from what was sent",
            good=_CODE.format(
                mark="",
                body="        if self.pp_group.is_first_rank:\n"
                "            hidden_states = self.embed_tokens(input_ids)\n"
                "        else:\n"
                '            hidden_states = pp_proxy_tensors["hidden_states"]\n',
            ),
            files=(LAYERS, UTILS),
        ),
    ),
)


class UnreadProxies(Rule):
    """Judges the forwards that take proxies."""

    info = INFO_TEXT

    def leave(self, context: Context, node: FunctionNode) -> None:
        """`def forward(self, input_ids, pp_proxy_tensors=None):`, at its end."""
        owner = context.class_id
        if node.name != "forward" or len(context.flow.functions) != 1 or not owner or context.draft:
            return
        if not takes_proxies(node) or _reads(node) or function_facts(node)["abstract"]:
            return
        if ENCODER.search(context.project.class_name(owner)) or SINGLE in context.refused():
            return
        if SINGLE in stage_facts(context.flow.last_guards):
            return
        run = _run_by(context.project, owner)
        if run is not None:
            self._report(context, node, owner, *run)

    def _report(
        self, context: Context, node: FunctionNode, owner: str, entry: str, kind: str, split: Split
    ) -> None:
        project = context.project
        parameter = next(
            one for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            if one.arg == PROXY_PARAMETER
        )  # fmt: skip
        top = project.classes[entry]
        accepts = f"`{project.class_name(entry)}` accepts pipeline parallelism"
        leads = (
            f"{accepts} and runs this forward"
            if kind == entry
            else f"{accepts} and leads to `{project.class_name(kind)}`"
        )
        context.report(
            self,
            parameter,
            f"`{project.class_name(owner)}.forward` never reads `{PROXY_PARAMETER}`: each stage but the first starts from "
            "the token ids again, and what the stage before computed is lost",
            severity=ERROR,
            trace=[
                context.fact_step(entry, top["line"], leads),
                split_step(context, split),
                context.step(
                    node, f"from here to line {node.end_lineno} `{PROXY_PARAMETER}` is neither read nor handed on"
                ),
            ],
            no_fix="which of the proxies stands for what is for the author to say",
        )  # fmt: skip


def _reads(node: FunctionNode) -> bool:
    """Whether a function reads the proxies, or hands on all that it was given."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id == PROXY_PARAMETER and isinstance(part.ctx, ast.Load):
            return True
        if isinstance(part, ast.Call) and (
            v.dotted(part.func) == ("locals",)
            or any(keyword.arg is None for keyword in part.keywords)
            or any(isinstance(one, ast.Starred) for one in part.args)
        ):
            return True
    return False


def _run_by(project: Project, owner: str) -> tuple[str, str, Split] | None:
    """A top-level class that accepts pipeline parallelism, the class below it that runs the forward of `owner`, and where
    that is split; None where there is none."""
    above = [entry for entry in entries_above(project, owner) if not project.is_draft(entry)]
    if not all(map(project.accepts_pp, above)):
        return None  # one that refuses several stages may be the only one that builds this class
    for entry in above:
        for _, kind in inner_classes(project, entry):
            if owner in project.mro(kind) and runs_base(project, kind, owner, "forward"):
                split = split_below(project, kind)
                if split is not None and not project.is_draft(kind):
                    return entry, kind, split
    return None
