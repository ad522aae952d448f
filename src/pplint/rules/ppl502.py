"""PPL502: the output head is tied to an embedding that the last stage does not have."""

from __future__ import annotations

import ast
import re

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.elements import tested
from pplint.engine.guards import LAST
from pplint.engine.modules import StageModule, stage_module, stage_modules_of
from pplint.engine.reach import inner_classes, may_have
from pplint.engine.values import Value, Values
from pplint.finding import ERROR, Asks
from pplint.rules.asking import module_asks
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.heads import head_name
from pplint.rules.missing import level_of, module_step, placeholder
from pplint.rules.samples import LAYERS, UTILS
from pplint.rules.why import ONE_STAGE, no_test

INFO_TEXT = RuleInfo(
    code="PPL502",
    name="unguarded-tied-head",
    severity=ERROR,
    precision="very-high",
    summary="the output head is tied to an embedding that the last stage does not have",
    what=(
        "With `tie_word_embeddings` the output head is the embedding: `lm_head = embed_tokens`, "
        "`lm_head.weight = embed_tokens.weight`, `tie_weights(embed_tokens)` or the embedding as the head of the logits. "
        "Here nothing says that there is one stage only, and the class keeps the embedding on the first stage only, or "
        "the embedding that is meant is not here but further inside."
    ),
    why=(
        "On the last stage of a split run the embedding is a placeholder, so the head is one too: reading its weight "
        "raises AttributeError, when the model is built or at the first logits."
    ),
    how=(
        "Tie only where `pp_group.world_size == 1`. Otherwise build a head of its own on the last stage and let the "
        "loader fill it from the embedding's weight in the checkpoint."
    ),
    silent=(
        "Ties under `world_size == 1` (also through a flag or a local name) or a test of the embedding itself, classes that "
        "keep the embedding on the last stage too, draft models. Classes that do not accept pipeline parallelism are info."
    ),
    examples=(
        Example(
            title="A head is tied whenever the checkpoint ties it",
            bad="""\
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.pp_group = pp_group
        self.model = SampleModel(config, pp_group)
        if config.tie_word_embeddings:
            self.lm_head = self.model.embed_tokens  # PPL502
        else:
            self.lm_head = Head(config)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)
""",
            files=(LAYERS, UTILS),
        ),
        Example(
            title="The weight is shared on the last stage",
            bad="""\
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)
        if pp_group.is_last_rank:
            self.lm_head = Head(config)
            if config.tie_word_embeddings:
                self.lm_head.weight = self.model.embed_tokens.weight  # PPL502
""",
            files=(LAYERS, UTILS),
        ),
        Example(
            title="The embedding is that of the inner model",
            bad="""\
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)
        if pp_group.is_last_rank:
            self.lm_head = (
                self.embed_tokens  # PPL502
                if config.tie_word_embeddings
                else Head(config)
            )
""",
            files=(LAYERS, UTILS),
        ),
        Example(
            title="A head is tied where there is one stage",
            good="""\
from sglang.srt.layers.sample_utils import PPMissingLayer
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)
        self.tied = pp_group.world_size == 1 and config.tie_word_embeddings
        if self.tied:
            self.lm_head = self.model.embed_tokens
        elif pp_group.is_last_rank:
            self.lm_head = Head(config)
        else:
            self.lm_head = PPMissingLayer()
""",
            files=(LAYERS, UTILS),
        ),
    ),
)

_TIES = r"tie_(weights|embeddings|word_embeddings)"
_BY_METHOD = "the head"
"""What a head is called that a method ties: that reads the weight at once."""


class UnguardedTiedHead(Rule):
    """Judges what becomes a head: by assignment, by `tie_weights`, or as an argument for the logits."""

    info = INFO_TEXT

    def assign(self, context: Context, target: ast.expr, found: Values, node: ast.stmt) -> None:
        """`lm_head = embed_tokens` and `lm_head.weight = embed_tokens.weight`."""
        value = getattr(node, "value", None)
        if value is None or not head_name(target) or isinstance(value, ast.Call):
            return
        if isinstance(target, ast.Name):  # a local head: judged where it is used
            return
        weight = isinstance(target, ast.Attribute) and target.attr == "weight"
        for one in found:
            if one.kind == v.PATH and self._tie(context, value, one, weight, ast.unparse(target)):
                return

    def call(self, context: Context, node: ast.Call) -> None:
        """`lm_head.tie_weights(embed_tokens)` and `logits_processor(.., embed_tokens, ..)`."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if not re.search(_TIES, name) and "logits_processor" not in name:
            return
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            for one in context.flow.evaluate(argument):
                head = _BY_METHOD if re.search(_TIES, name) else "the head of the logits"
                if one.kind == v.PATH and self._tie(context, argument, one, True, head):
                    return

    def _tie(self, context: Context, value: ast.expr, tied: Value, weight: bool, head: str) -> bool:
        chain: tuple[str, ...] = tied.data[:-1] if weight and tied.data[-1] == "weight" else tied.data
        module = stage_modules_of(context.project, context.place, chain)
        if module is None:
            return self._tie_to_nothing(context, value, tied, chain, head)
        if LAST in module.real_on or context.draft:
            return False
        if module.real_on & context.stage(tied) or tested(context, *_spellings(value)):
            return False
        severity, condition = level_of(context, module)
        read = weight and isinstance(value, ast.Attribute) and value.attr == "weight"
        where = (
            "everywhere else" if read and LAST not in context.stage() else "on the last stage of a split run"
        )
        read = read or head == _BY_METHOD
        what = "reading its weight" if read else "computing logits with it"
        message = (
            f"{_named(head)} is tied to `{'.'.join(chain)}`, which only the first stage has: {where} it is "
            f"{placeholder(module)}, and {what} an AttributeError; tie only where "
            f"`{_group(context)}.world_size == 1`, and let the loader fill the head of the last stage"
            f"{f' ({condition})' if condition else ''}"
        )
        context.report(
            self, value, message, severity=severity,
            trace=[module_step(context, module), no_test(context, value, ONE_STAGE)],
            no_fix="the last stage also needs a head of its own, and a loader that fills it from the embedding's weight",
            asks=_asks(context, value, module.real_on, weight),
        )  # fmt: skip
        return True

    def _tie_to_nothing(
        self, context: Context, value: ast.expr, tied: Value, chain: tuple[str, ...], head: str
    ) -> bool:
        """A tie to an embedding that is not here but further inside."""
        found = _embedding_inside(context, chain)
        if found is None or context.draft or found[0].real_on & context.stage(tied):
            return False
        module, inside, lacks = found
        severity, condition = context.level()
        message = (
            f"{_named(head)} is tied to `{'.'.join(chain)}`, which `{lacks}` does not have: AttributeError wherever the "
            f"checkpoint ties them. The embedding is `{inside}`, which only the first stage has: tie to that where "
            f"`{_group(context)}.world_size == 1`{f' ({condition})' if condition else ''}"
        )
        context.report(
            self, value, message, severity=severity,
            trace=[module_step(context, module), no_test(context, value, ONE_STAGE)],
            no_fix="the last stage also needs a head of its own, and a loader that fills it from the embedding's weight",
            asks=module_asks(context, frozenset()),
        )  # fmt: skip
        return True


def _spellings(value: ast.expr) -> list[ast.expr]:
    """What is tied, and the module that has it where that is a weight."""
    weight = isinstance(value, ast.Attribute) and value.attr == "weight"
    return [value, value.value] if weight else [value]  # type: ignore[attr-defined]


def _named(head: str) -> str:
    return head if head.startswith("the ") else f"`{head}`"


def _embedding_inside(context: Context, chain: tuple[str, ...]) -> tuple[StageModule, str, str] | None:
    """The embedding of the first stage that a chain means, how it is reached, and the class that lacks it."""
    project = context.project
    owners = project.types_of(context.place, chain[:-1]) if chain[0] == "self" and len(chain) > 1 else ()
    if not owners or any(may_have(project, owner, chain[-1]) for owner in owners):
        return None
    lacks = min(owners)
    for path, one in inner_classes(project, lacks):
        module = stage_module(project, one, chain[-1])
        if module is not None and LAST not in module.real_on:
            return module, ".".join((*chain[:-1], *path, chain[-1])), project.class_name(lacks)
    return None


def _asks(context: Context, value: ast.expr, real_on: frozenset[str], weight: bool) -> Asks | None:
    """Who asks for the weight: a head only on the last stage; what reads it here on each stage that comes here."""
    if weight and LAST not in context.stage():
        read = isinstance(value, ast.Attribute) and value.attr == "weight"
        return module_asks(context, real_on) if read else None
    return module_asks(context, real_on, LAST)


def _group(context: Context) -> str:
    owner = context.class_id
    known = owner and any(
        "pp_group" in context.project.classes[one]["attrs"] for one in context.project.mro(owner)
    )
    return "self.pp_group" if known else "get_pp_group()"
