"""PPL303: a model that takes part in pipeline parallelism builds every layer on every stage."""

from __future__ import annotations

import ast
import re
from typing import Any

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.guards import SINGLE
from pplint.engine.project import Project
from pplint.engine.reach import entries_above, keeps_unknown_model, split_below
from pplint.engine.values import Values
from pplint.engine.vocabulary import ENCODER, RANGE_MAKERS, is_start
from pplint.finding import ERROR, INFO, WARNING
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.samples import UTILS

_MAKER = r"^make_\w*layers\w*$"
_LISTS = frozenset({"ModuleList"})

_BAD = """\
from sglang.srt.layers.sample_utils import PPMissingLayer, make_layers


class SampleModel:
    def __init__(self, config, pp_group):
        if pp_group.is_first_rank:
            self.embed_tokens = Embedding(config)
        else:
            self.embed_tokens = PPMissingLayer()
        self.layers = make_layers(  # PPL303
            config.num_hidden_layers,
            lambda idx, prefix: DecoderLayer(config, layer_id=idx),
        )

    def forward(self, input_ids, pp_proxy_tensors=None):
        for layer in self.layers:
            input_ids = layer(input_ids)
        return input_ids


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)


EntryClass = SampleForCausalLM
"""

INFO_TEXT = RuleInfo(
    code="PPL303",
    name="unsplit-layers",
    severity=ERROR,
    precision="high",
    summary="every stage builds all layers of a model that accepts pipeline parallelism",
    what=(
        "The decoder layers are made without the rank and size of the stage (`make_layers(n, fn)`, a plain "
        "`ModuleList`), in a class whose forward takes `pp_proxy_tensors` or whose embedding is built by "
        "rank."
    ),
    why=(
        "The gate lets such a model run with pipeline parallelism, but every stage holds and runs all "
        "layers: "
        "memory is not saved, and hidden states go through the whole model once per stage, so every stage "
        "after "
        "the first computes wrong results."
    ),
    how=(
        "Give the maker the rank and size and unpack its three results: `self.layers, self.start_layer, "
        "self.end_layer = make_layers(..., pp_rank=pp_group.rank_in_group, pp_size=pp_group.world_size)`."
    ),
    silent=(
        "Models without any sign of pipeline parallelism, encoders, draft models, and code for one stage "
        "only. "
        "Where no top-level class that accepts pipeline parallelism leads to the model, the finding is info."
    ),
    examples=(
        Example(title="The maker is not told the stage", bad=_BAD, files=(UTILS,)),
        Example(
            title="The maker is told the stage",
            good=_BAD.replace("  # PPL303", "")
            .replace("self.layers = make", "self.layers, self.start_layer, self.end_layer = make")
            .replace(
                "layer_id=idx),\n",
                "layer_id=idx),\n            pp_rank=pp_group.rank_in_group,\n"
                "            pp_size=pp_group.world_size,\n",
            ),
            files=(UTILS,),
        ),
        Example(
            title="A model without pipeline parallelism",
            good=_BAD.replace("  # PPL303", "")
            .replace(", pp_proxy_tensors=None", "")
            .replace("        if pp_group.is_first_rank:\n            self", "        self")
            .replace("        else:\n            self.embed_tokens = PPMissingLayer()\n", ""),
            files=(UTILS,),
        ),
    ),
)


class UnsplitLayers(Rule):
    """Judges the assignments of layer lists."""

    info = INFO_TEXT

    def assign(self, context: Context, target: ast.expr, found: Values, node: ast.stmt) -> None:
        """Look for a layer list that is made without the stage."""
        call, owner = getattr(node, "value", None), context.class_id
        if not isinstance(call, ast.Call) or not owner or context.draft:
            return
        unpacked = isinstance(target, ast.Tuple)
        if not (_unsplit_maker(context, call, target) or _plain_list(context, call, target, owner)):
            return
        stage = context.stage()
        # What is unpacked fails on the one stage that has it, too.
        if ENCODER.search(context.project.class_name(owner)) or SINGLE in stage or (stage and not unpacked):
            return
        if unpacked or (_takes_part(context, owner) and not _splits_itself(context, owner)):
            self._report(context, call, owner, unpacked)

    def _report(self, context: Context, call: ast.Call, owner: str, unpacked: bool) -> None:
        project = context.project
        above = [one for one in entries_above(project, owner) if not project.is_draft(one)]
        if not above and entries_above(project, owner):
            return
        accepting = [one for one in above if project.accepts_pp(one)]
        severity, condition = context.level()
        if unpacked:
            severity, condition = ERROR, ""
        elif above and not accepting:
            severity = INFO
            condition = f"latent: `{project.class_name(above[0])}` does not accept pipeline parallelism today"
        elif not above:
            severity = WARNING
            condition = "only when a top-level class that accepts pipeline parallelism builds it"
        elif severity == ERROR and _counts_stages(project, owner):
            severity = WARNING
        does = _what_happens(context, call, owner, unpacked)
        name = project.class_name(owner)
        trace = []
        if accepting:
            top = project.classes[accepting[0]]
            text = f"`{project.class_name(accepting[0])}` accepts pipeline parallelism and leads to `{name}`"
            trace.append(context.fact_step(accepting[0], top["line"], text))
        for attribute, (setter, line) in sorted(project.missing_modules(owner).items()):
            text = f"`{attribute}` is a placeholder on some stages: the class is meant to be split"
            trace.append(context.fact_step(setter, line, text))
        trace.append(context.step(call, "neither the rank nor the size of the stage is among the arguments"))
        context.report(
            self, call.func, f"{does} ({condition})" if condition else does, severity=severity, trace=trace,
            around=call, no_fix="loops over the layers and the forward have to change with it",
        )  # fmt: skip


def _what_happens(context: Context, call: ast.Call, owner: str, unpacked: bool) -> str:
    name, maker = context.project.class_name(owner), ast.unparse(call.func)
    if unpacked:
        return (
            f"`{maker}` without rank and size returns one list, which cannot be unpacked into a list and a range: "
            "ValueError in every run, with or without pipeline parallelism"
        )
    if _counts_stages(context.project, owner):
        return (
            f"`{maker}` is not told the stage, so every stage builds all layers of `{name}`, those too that its range "
            "leaves to other stages: it keeps and loads their weights"
        )
    return (
        f"`{maker}` is not told the stage, so every stage builds and runs all layers of `{name}` instead of its own: "
        f"{_effect(context, owner)}"
    )


def _effect(context: Context, owner: str) -> str:
    """What happens on the stages when each runs all layers."""
    forward = context.project.method(owner, "forward")
    returns = forward[1]["returns"] if forward is not None else ()
    if any(one[0] == "call" and one[1][-1].endswith("ProxyTensors") for one in returns):
        return (
            "what the first stage hands on has passed them all, so results are wrong from the second stage on"
        )
    return (
        "the first stage computes a final result where the scheduler expects what the next stage needs, and fails; "
        "nothing reaches the later stages"
    )


def _takes_part(context: Context, owner: str) -> bool:
    """Whether a class shows that it is meant to be split over stages, or is all that an accepting class has."""
    project = context.project
    if project.accepts_pp(owner) or project.missing_modules(owner):
        return True
    start = [entry["v"][0] for one in project.mro(owner) for entry in _starts(project.classes[one])]
    return any(kind in ("arith", "item") for kind in start) or _is_only_model(context, owner)


def _counts_stages(project: Project, owner: str) -> bool:
    """Whether a class computes its own first layer."""
    return any(entry["v"][0] == "arith" for entry in _starts(project.classes[owner]))


def _starts(facts: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for name, entries in facts["attrs"].items() if is_start(name) for entry in entries]


def _is_only_model(context: Context, owner: str) -> bool:
    """Whether a class that accepts pipeline parallelism leads to this one and has no split list anywhere."""
    project = context.project
    return any(
        project.accepts_pp(one)
        and not project.is_draft(one)
        and split_below(project, one) is None
        and (one == owner or not keeps_unknown_model(project, one))
        for one in entries_above(project, owner)
    )


def _unsplit_maker(context: Context, call: ast.Call, target: ast.expr) -> bool:
    callee = v.dotted(call.func)
    if callee is None or not re.match(_MAKER, callee[-1]) or any(k.arg is None for k in call.keywords):
        return False
    if not isinstance(target, ast.Tuple):
        return isinstance(target, ast.Attribute) and not _told(context, call, callee)
    maker = context.project.named_function(context.module, callee)
    names = [item.attr for item in target.elts if isinstance(item, ast.Attribute)]
    if not any(map(is_start, names)):
        return False
    if maker is None:  # its usual form: number, layer function, rank, size
        return callee[-1] == "make_layers" and len(call.args) <= 2 and not _told(context, call, callee)
    has_stage = any(name.startswith("pp_") for name in (*maker[1]["params"], *maker[1]["keywords"]))
    return has_stage and not _told(context, call, callee)


def _told(context: Context, call: ast.Call, callee: tuple[str, ...]) -> bool:
    """Whether a maker is given the rank or the size of a stage."""
    if any(k.arg is not None and k.arg.startswith("pp_") for k in call.keywords):
        return True
    maker = context.project.named_function(context.module, callee)
    given = maker[1]["params"][: len(call.args)] if maker is not None else []
    return any(name.startswith("pp_") for name in given)


def _plain_list(context: Context, call: ast.Call, target: ast.expr, owner: str) -> bool:
    """Whether a plain list of all layers becomes the layers of a class whose forward takes stage proxies."""
    callee = v.dotted(call.func)
    if callee is None or callee[-1] not in _LISTS or not call.args:
        return False
    return (
        isinstance(target, ast.Attribute)
        and target.attr == "layers"
        and (bool(context.project.accepts_pp(owner)) or _is_only_model(context, owner))
    )


def _splits_itself(context: Context, owner: str) -> bool:
    """Whether the class takes a stage's range from elsewhere and builds its list accordingly."""
    project = context.project
    replaced: set[str] = set()
    for one in project.mro(owner):
        attributes = project.classes[one]["attrs"]
        for attribute, entries in attributes.items():
            if attribute in replaced:
                continue
            if project.padded_attribute(one, attribute) is not None:
                return True
            for entry in entries:
                value = entry["v"]
                called = value[1][1] if value[0] == "item" and value[1][0] == "call" else ("",)
                if called[-1] in RANGE_MAKERS and _is_list(attributes.get("layers", ())):
                    return True
        replaced.update(attributes)
    return False


def _is_list(entries: object) -> bool:
    return any(
        entry["v"][0] == "call" and entry["v"][1][-1] in _LISTS
        for entry in entries  # type: ignore[attr-defined]
    )
