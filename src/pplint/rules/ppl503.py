"""PPL503: a head that is tied on one stage only gets no weight on several: the loader has none for it."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.guards import SINGLE, alone
from pplint.engine.values import Value, Values
from pplint.engine.vocabulary import MISSING_LAYER
from pplint.finding import ERROR, WARNING, Step
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.head_loaders import HeadLoader
from pplint.rules.heads import head_name, never_tied
from pplint.rules.places import name_node
from pplint.rules.samples import LAYERS, UTILS
from pplint.source.blocks import FunctionNode

_MODEL = """\
from sglang.srt.layers.sample_utils import PPMissingLayer
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.config = config
        self.pp_group = pp_group
        self.model = SampleModel(config, pp_group)
        if not pp_group.is_last_rank:
            self.lm_head = PPMissingLayer()
        elif pp_group.world_size == 1 and config.tie_word_embeddings:
            self.lm_head = self.model.embed_tokens
        else:
            self.lm_head = Head(config)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)

    def load_weights(self, weights):
        params = dict(self.named_parameters())
        for name, weight in weights:
"""
_FILLS = """\
            if name == "model.embed_tokens.weight" and self.config.tie_word_embeddings:
                if "lm_head.weight" in params:
                    params["lm_head.weight"].data.copy_(weight)
"""
_LOADS = """\
            if name in params:
                params[name].data.copy_(weight)
"""

INFO_TEXT = RuleInfo(
    code="PPL503",
    name="unfilled-tied-head",
    severity=WARNING,
    precision="medium",
    summary="a head that is tied on one stage only gets no weight on several",
    what=(
        "The head is the embedding where there is one stage, and a module of its own otherwise; `load_weights` does "
        "nothing for the head when it meets the embedding's weight."
    ),
    why=(
        "A checkpoint that ties them has no weight for the head. On the last of several stages the head keeps what it was "
        "allocated with: the logits are noise, and nothing fails. What is sent from the first stage in the constructor is "
        "sent before any weight is loaded."
    ),
    how=(
        'Where the loader meets the embedding\'s weight, give it to the head too: `if name == "model.embed_tokens.weight" '
        "and tied and pp_group.is_last_rank`, load it as `lm_head.weight`."
    ),
    silent=(
        "Loaders that name the embedding and the head together, that hand the weights on to others, or that another file "
        "defines; heads that are filled in another method; models that tie never; draft models."
    ),
    examples=(
        Example(
            title="The loader knows the embedding only",
            bad=_MODEL.replace("weights):\n", "weights):  # PPL503\n") + _LOADS,
            files=(LAYERS, UTILS),
        ),
        Example(
            title="The embedding's weight is the head's too",
            good=_MODEL + _FILLS + _LOADS,
            files=(LAYERS, UTILS),
        ),
    ),
)


class UnfilledTiedHead(Rule):
    """Judges ties that hold where there is one stage."""

    info = INFO_TEXT

    def __init__(self) -> None:
        self._waiting: dict[FunctionNode, tuple[str, ast.expr, Step]] = {}

    def assign(self, context: Context, target: ast.expr, found: Values, node: ast.stmt) -> None:
        """`self.lm_head = self.model.embed_tokens` under `world_size == 1`, or the weight of it."""
        head = head_name(target)
        if not head or context.draft or v.dotted(target) is None or not context.class_id:
            return
        for one in found:
            if one.kind == v.PATH and "embed" in ".".join(one.data[1:]) and _only_on_one(context, one):
                value = getattr(node, "value", None)
                if value is not None and not never_tied(context, value):
                    self._judge(context, value, head)
                return

    def _judge(self, context: Context, value: ast.expr, head: str) -> None:
        line = _own_head(context, head)
        loader = HeadLoader.of(context)
        if line and loader is not None and not loader.feeds(head):
            built = context.fact_step(context.class_id, line, f"`{head}` is a module of its own otherwise")
            self._waiting.setdefault(loader.node, (head, value, built))
            context.interest.add([loader.node.lineno])

    def enter(self, context: Context, node: FunctionNode) -> None:
        """The loader that leaves the head out."""
        if node not in self._waiting:
            return
        head, tied, built = self._waiting.pop(node)
        severity, condition = context.level()
        context.report(
            self,
            name_node(context.source, node),
            f"`{head}` is the embedding on one stage only, and `{node.name}` gives it nothing when it meets the embedding's "
            f"weight: on the last of several stages it keeps what it was allocated with, since a checkpoint that ties them "
            f"has no weight for it; the logits are noise, and nothing fails{f' ({condition})' if condition else ''}",
            severity=WARNING if severity == ERROR else severity,
            trace=[
                context.step(tied, f"`{head}` is tied where there is one stage"),
                built,
                context.step(node, "nothing in this loader tests for the embedding's name to fill the head"),
            ],
            no_fix="how the weight reaches the head is for the author to say",
            statement=node,
        )


def _only_on_one(context: Context, tied: Value) -> bool:
    """Whether a place is reached on a single stage only, and at all."""
    stage = context.stage(tied)
    if context.refused() or not alone(stage):
        return False
    for atom in (*context.flow.guards, *tied.guards):
        path = v.dotted(atom.test)
        if atom.holds and path is not None and len(path) == 2 and path[0] == "self":
            stored = context.stored(path[1])
            if stored and all(isinstance(one, ast.Constant) and one.value is False for one in stored):
                return False
    return True


def _own_head(context: Context, head: str) -> int:
    """The line at which a class builds a head that is no embedding, or 0."""
    for entry in context.project.classes[context.class_id]["attrs"].get(head, ()):
        if (
            entry["v"][0] == "call"
            and entry["v"][1][-1] != MISSING_LAYER
            and SINGLE not in entry.get("on", ())
        ):
            return int(entry["line"])
    return 0
