"""PPL302: a weight loader looks up the parameters of layers that another stage owns."""

from __future__ import annotations

import ast
import re

from pplint.engine.context import Context
from pplint.engine.lent import lent_at, lent_functions
from pplint.engine.loaders import Call, LoaderWalk, Lookup, is_scale, walked
from pplint.engine.lookups import Loaders
from pplint.engine.reach import entries_above, runs_base, split_below
from pplint.engine.vain import Vain
from pplint.finding import INFO, MODEL_END, NAMED, WARNING, ZERO, Asks, Step
from pplint.records import Record
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.samples import LAYERS, UTILS
from pplint.rules.why import WEIGHT, no_test, split_step

_TOP = """\
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)
        self.start_layer = self.model.start_layer
        self.end_layer = self.model.end_layer

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)

"""

_BAD = (
    _TOP
    + """\
    def load_weights(self, weights):
        params_dict = dict(self.named_parameters())
        for name, loaded_weight in weights:
            if name.endswith(".bias") and name not in params_dict:
                continue
            param = params_dict[name]  # PPL302
            param.weight_loader(param, loaded_weight)


EntryClass = SampleForCausalLM
"""
)

_CLOSURE = (
    _TOP
    + """\
    def load_weights(self, weights):
        params_dict = dict(self.named_parameters())

        def load(name, loaded_weight):
            param = params_dict[name]  # PPL302
            param.weight_loader(param, loaded_weight)

        for name, loaded_weight in weights:
            load(name, loaded_weight)


EntryClass = SampleForCausalLM
"""
)

_RANGE = """\
            layer_id = get_layer_id(name)
            if layer_id is not None and not self.start_layer <= layer_id < self.end_layer:
                continue
"""

INFO_TEXT = RuleInfo(
    code="PPL302",
    name="unfiltered-weight-lookup",
    severity="error",
    precision="high",
    summary="a loader looks up weights of layers that another stage owns",
    what=(
        "`params_dict[name]` (or `self.get_submodule(name)` and the like) in the loader of a class that is split over "
        "stages, also in its helpers, its closures and functions of other modules that it hands itself and the "
        "weights to, without a test of the layer's id against the stage range or of "
        "membership on the path to it; also an attribute of the layer that the name speaks of, "
        "`self.layers[int(name.split('.')[2])].mlp`."
    ),
    why=(
        "A checkpoint holds the weights of all layers, but the parameters of a stage are those of its own "
        "layers: "
        "the first name of a layer of another stage raises KeyError while the model is loaded."
    ),
    how=(
        "Skip what the stage does not own: `layer_id = get_layer_id(name)`, then `continue` unless it lies "
        "in "
        "`[start_layer, end_layer)`, or test `name not in params_dict` right before the lookup."
    ),
    silent=(
        "Lookups behind such a test (also in a helper that is asked, in the caller, of the names of placeholders, or of "
        "what follows from `range(start_layer, end_layer)`), under `except KeyError` (a module's "
        "method: `except AttributeError`), of literal names, of vision, audio, embedding and head weights, of those that a "
        "test of the name gives to another part that the class builds (`'apm' in name` beside `self.apm = ...`), and in "
        "models that are not split. A test that holds for some names only "
        "(`name.endswith('.bias') and name not in params_dict`) is none."
    ),
    examples=(
        Example(title="Only biases are tested", bad=_BAD, files=(LAYERS, UTILS)),
        Example(title="A closure does the lookup", bad=_CLOSURE, files=(LAYERS, UTILS)),
        Example(
            title="The stage range is tested",
            good=_BAD.replace("  # PPL302", "").replace(
                '            if name.endswith(".bias")', _RANGE + '            if name.endswith(".bias")'
            ),
            files=(LAYERS, UTILS),
        ),
        Example(
            title="Membership is tested",
            good=_BAD.replace("  # PPL302", "").replace('name.endswith(".bias") and ', ""),
            files=(LAYERS, UTILS),
        ),
        Example(
            title="The caller of the closure tests",
            good=_CLOSURE.replace("  # PPL302", "").replace(
                "            load(name, loaded_weight)\n", _RANGE + "            load(name, loaded_weight)\n"
            ),
            files=(LAYERS, UTILS),
        ),
    ),
)


class _Bad(Record):
    """A lookup with the calls that lead to it, the class and the loader they come from, the split class that runs it, and
    whether that accepts pipeline parallelism."""

    way: list[Call]
    lookup: Lookup
    lender: tuple[str, str]
    owner: str
    accepts: bool


_KEEPS = r"named_(parameters|modules)|state_dict\(\)|\.get_(submodule|parameter|buffer)\(|params_dict\["
"""A module without any of these looks up nothing by its name."""


class UnfilteredWeightLookup(Rule):
    """Judges the lookups in weight loaders."""

    info = INFO_TEXT

    def __init__(self) -> None:
        self._bad: dict[int, _Bad] = {}

    def module(self, context: Context, tree: ast.Module) -> None:
        """Find the lookups that no filter stands before."""
        self._bad = {}
        text = context.source.text
        if "load" not in text or not re.search(_KEEPS, text):
            return
        if not _has_split_class(context) and not lent_functions(context.project, context.module):
            return
        loaders = Loaders(tree, context.text_of)
        walk = walked(LoaderWalk, context.project, context.module, tree, loaders)
        for lookup, way in walk.unfiltered():
            for owner, loader in walk.owners(lookup, way):
                split = split_loader(context, owner, loader)
                if split is not None:
                    self._bad[id(lookup.node)] = _Bad(way, lookup, (owner, loader), *split)
                    context.interest.add([lookup.node.lineno])
                    break

    def subscript(self, context: Context, node: ast.Subscript) -> None:
        """Report a lookup that was found."""
        self._report(context, node)

    def call(self, context: Context, node: ast.Call) -> None:
        """The same for `get_submodule` and the like."""
        self._report(context, node)

    def _report(self, context: Context, node: ast.expr) -> None:
        found = self._bad.pop(id(node), None)
        if found is None or context.draft:
            return
        way, lookup, _, owner, accepts = found
        project = context.project
        severity, condition = context.level()
        if "scale" in ast.unparse(lookup.key) or any(map(is_scale, way[:1])):
            severity, condition = WARNING, "only for a checkpoint with such scales"
        name = project.class_name(owner)
        if not accepts:
            severity, condition = INFO, f"latent: `{name}` does not accept pipeline parallelism today"
        error, what = _what_fails(node, lookup, name)
        message = (
            f"{what}: {error} on every stage for the first name of a layer it does not own{_in_vain(lookup.vain)}"
            f"{f' ({condition})' if condition else ''}"
        )
        context.report(
            self, node, message, severity=severity, trace=_steps(context, node, found),
            no_fix="whether to test the range or membership, and where, is for the author to say",
            asks=Asks(NAMED, ZERO, MODEL_END, error=error),
        )  # fmt: skip


def _steps(context: Context, node: ast.expr, found: _Bad) -> list[Step]:
    """How a loader comes to a lookup, what makes its class split, and which test was not found."""
    way, lookup, lender, owner, _ = found
    project = context.project
    said = "is called here without a test of the stage or of membership"
    trace = [context.step(call.node, f"`{call.callee[-1]}` {said}") for call in way]
    if project.module_of(lender[0]) != context.module:
        function = way[-1].caller[-1] if way else lookup.function[-1]
        text = f"`{project.class_name(lender[0])}` hands its weights to `{function}` here"
        trace.append(context.fact_step(lender[0], lent_at(project, *lender, function), text))
    split = split_below(project, owner)
    if split is not None:
        trace.append(split_step(context, split))
    if lookup.vain is not None:
        vain = lookup.vain
        said = f"this test filters nothing: `{vain.lacks}` has no `{vain.attribute.rpartition('.')[2]}`"
        trace.append(context.step(vain.test, said))
    return [*trace, no_test(context, node, WEIGHT)]


def _what_fails(node: ast.expr, lookup: Lookup, name: str) -> tuple[str, str]:
    """The exception and what meets it in words; `name` is that of the class."""
    text = ast.unparse(node)
    if lookup.attribute:
        return "AttributeError", (
            f"`{text}.{lookup.attribute}` is read of the layer that a weight's name speaks of, but `{name}` has "
            f"placeholders without `{lookup.attribute}` in the place of other stages' layers"
        )
    return "KeyError" if isinstance(node, ast.Subscript) else "AttributeError", (
        f"`{text}` looks up the weights of all layers, but the parameters of `{name}` on a stage are those of its own "
        f"layers"
    )


def _in_vain(vain: Vain | None) -> str:
    if vain is None:
        return ""
    return f"; the test in line {vain.test.lineno} asks for `{vain.attribute}`, which `{vain.lacks}` does not have"


def _has_split_class(context: Context) -> bool:
    """Whether a class of this file, or one below it, is split: else there is nothing to look for."""
    project = context.project
    names = project.summaries[context.module]["classes"]
    return any(
        split_below(project, one) is not None
        for name in names
        for one in (f"{context.module}:{name}", *project.children(f"{context.module}:{name}"))
    )


def split_loader(context: Context, owner: str, loader: str) -> tuple[str, bool] | None:
    """The split class that runs a loader (its owner or one that inherits it), and whether it accepts PP.

    None when no class that runs it is split.
    """
    project = context.project
    latent = ""
    for one in (owner, *project.children(owner)):
        if (
            project.is_draft(one)
            or not runs_base(project, one, owner, loader)
            or split_below(project, one) is None
        ):
            continue
        family = project.children(owner)
        above = [
            top for top in entries_above(project, one) if top not in family and not project.is_draft(top)
        ]
        if any(project.accepts_pp(top) for top in (one, *above)):
            return one, True
        latent = latent or one
    return (latent, False) if latent else None
