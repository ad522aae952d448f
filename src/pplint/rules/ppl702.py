"""PPL702: a top-level class accepts pipeline parallelism but does not say which layers its stage owns."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.reach import Split, hidden, is_entry, taken_from_nothing, tells_nothing
from pplint.engine.vocabulary import PROXY_PARAMETER
from pplint.finding import ERROR, UNSAFE, WARNING, Edit, Fix, Span
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.places import name_node
from pplint.rules.samples import LAYERS, UTILS
from pplint.rules.why import named_classes, split_step

_BAD = """\
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:  # PPL702
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)


EntryClass = SampleForCausalLM
"""

_FORWARD = "    def forward(self, input_ids, pp_proxy_tensors=None):\n"

_PROPERTIES = """\
    @property
    def start_layer(self):
        return self.model.start_layer

    @property
    def end_layer(self):
        return self.model.end_layer

"""

_WRAPPED = """\
from sglang.srt.models.sample_model import SampleModel


class WrappedModel:
    def __init__(self, config, pp_group):
        self.decoder = SampleModel(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.decoder(input_ids, pp_proxy_tensors)


""" + _BAD.partition("\n\n\n")[2].replace("SampleModel(", "WrappedModel(").replace(
    _FORWARD, _PROPERTIES + _FORWARD
)

_CONSEQUENCE = "every stage takes itself for the owner of all layers and allocates KV cache for all of them"
_ACCEPTS = "accepts pipeline parallelism but exposes no `start_layer`/`end_layer`"

INFO_TEXT = RuleInfo(
    code="PPL702",
    name="hidden-stage-range",
    severity=ERROR,
    precision="high",
    summary="a top-level class accepts pipeline parallelism but exposes no stage range",
    what=(
        "A class named in `EntryClass` takes `pp_proxy_tensors` and its inner model is split over stages, "
        "but "
        "neither the class nor a base defines, assigns or forwards `start_layer` and `end_layer`, or what it forwards "
        "is taken from a model that has none. Where the class of the inner model is not known, but the proxies are "
        "handed on to it, the finding is a warning."
    ),
    why=(
        "The model runner asks the top-level class for its range and falls back to all layers. Every stage "
        "then "
        "allocates the KV cache of the whole model, so splitting frees no cache memory, and tells a decode "
        "instance that it holds layers which other stages hold."
    ),
    how="Forward the inner model's range with two properties.",
    silent=(
        "Classes that inherit, assign or define the range, forward it with `__getattr__`, are drafts, or "
        "whose "
        "layers are not split (see PPL303). A class that inherits the mistake is not reported again."
    ),
    fixable="Two forwarding properties before `forward` (unsafe), where one inner model has the range.",
    examples=(
        Example(
            title="The range stays in the inner model",
            bad=_BAD,
            fixed=_BAD.replace(_FORWARD, _PROPERTIES + _FORWARD),
            safety=UNSAFE,
            files=(LAYERS, UTILS),
        ),
        Example(
            title="The range is taken from a model that has none",
            bad=_WRAPPED,
            files=(LAYERS, UTILS),
        ),
        Example(
            title="The model hands its range on",
            good=_WRAPPED.replace("  # PPL702", "").replace(
                "(config, pp_group)\n\n    def forward",
                "(config, pp_group)\n        self.start_layer = self.decoder.start_layer\n"
                "        self.end_layer = self.decoder.end_layer\n\n    def forward",
                1,
            ),
            files=(LAYERS, UTILS),
        ),
        Example(
            title="The range is assigned in the constructor",
            good=_BAD.replace("  # PPL702", "").replace(
                "(config, pp_group)\n\n",
                "(config, pp_group)\n        self.start_layer = self.model.start_layer\n"
                "        self.end_layer = self.model.end_layer\n\n",
            ),
            files=(LAYERS, UTILS),
        ),
        Example(
            title="The range is forwarded with properties",
            good=_BAD.replace("  # PPL702", "").replace(_FORWARD, _PROPERTIES + _FORWARD),
            files=(LAYERS, UTILS),
        ),
    ),
)


class HiddenStageRange(Rule):
    """Judges the classes of `EntryClass`."""

    info = INFO_TEXT

    def define(self, context: Context, node: ast.ClassDef) -> None:
        """Ask whether the class tells its range."""
        project, class_id = context.project, context.class_id
        if len(context.flow.classes) != 1 or not is_entry(project, class_id):
            return
        split = hidden(project, class_id)
        if split is None and tells_nothing(project, class_id):
            self._report_unknown(context, node, class_id)
        elif split is not None and not any(hidden(project, base) for base in project.mro(class_id)[1:]):
            self._report(context, node, class_id, split)

    def _report(self, context: Context, node: ast.ClassDef, class_id: str, split: Split) -> None:
        project = context.project
        below = [one for one in project.children(class_id) if hidden(project, one)]
        inherit = "inherits" if len(below) == 1 else "inherit"
        also = f" (also {named_classes(project, below)}, which {inherit} it)" if below else ""
        trace = [split_step(context, split)]
        forward = project.method(class_id, "forward")
        if forward is not None:
            text = "this forward takes `pp_proxy_tensors`, so pipeline parallelism is let through"
            trace.append(context.fact_step(forward[0], forward[1]["line"], text))
        for one in project.mro(class_id) if forward is None else ():
            for entry in project.classes[one]["attrs"].get("forward", ()):
                text = "the forward of the inner model takes `pp_proxy_tensors`, so pipeline parallelism is let through"
                trace.append(context.fact_step(one, entry["line"], text))
        taken = taken_from_nothing(project, class_id)
        if taken is None:
            says = f"`{node.name}` {_ACCEPTS}"
            missing = f"neither `{node.name}` nor its bases set or define `start_layer`"
            trace.append(context.step(name_node(context.source, node), missing))
        else:
            inner = project.class_name(taken.lacks)
            says = f"`start_layer` of `{node.name}` is taken from `{inner}`, which has none"
            missing = f"neither `{inner}` nor its bases set or define `start_layer`"
            trace.append(context.fact_step(taken.lacks, project.classes[taken.lacks]["line"], missing))
            error = f"`{taken.chain}` raises AttributeError, so that the model runner takes its default, 0"
            trace.append(context.fact_step(taken.owner, taken.line, error))
        fix, no_fix = self._fix(context, node, class_id, split)
        context.report(
            self, name_node(context.source, node), f"{says}: {_CONSEQUENCE}{also}",
            severity=ERROR, trace=trace, fix=fix, no_fix=no_fix, around=ast.Name(node.name),
        )  # fmt: skip

    def _report_unknown(self, context: Context, node: ast.ClassDef, class_id: str) -> None:
        """A class that hands the proxies on to an inner model whose class is not known."""
        found = _unknown_inner(context, node, class_id)
        if found is None:
            return
        attribute, call = found
        step = context.step(
            call, f"the proxies are handed on to `self.{attribute}`, whose class is not known"
        )
        context.report(
            self, name_node(context.source, node),
            f"`{node.name}` {_ACCEPTS}: {_CONSEQUENCE} (only when the class of `self.{attribute}` is split)",
            severity=WARNING, trace=[step], no_fix="the class of the inner model is not known",
            around=ast.Name(node.name),
        )  # fmt: skip

    def _fix(
        self, context: Context, node: ast.ClassDef, class_id: str, split: Split
    ) -> tuple[Fix | None, str]:
        project = context.project
        if project.owns_start(class_id):
            return None, f"the range is that of `{'.'.join(('self', *split.path))}`: forward it from there"
        attribute = split.path[0] if split.path else ""
        inner = project.attribute_types(class_id, attribute) if attribute else frozenset()
        if not inner or not all(project.owns_start(one) for one in inner):
            return None, "the inner model does not expose its range either"
        if project.method(class_id, "end_layer") is not None:
            return None, "the class defines `end_layer` by itself"
        before = _insertion(node)
        if before is None:
            return None, "there is no method to put the properties before"
        line = min((before.lineno, *(one.lineno for one in before.decorator_list)))
        indent = context.source.lines[before.lineno - 1][: before.col_offset]
        step = "\t" if indent.startswith("\t") else " " * len(indent)
        text = "".join(
            f"{indent}@property\n{indent}def {name}(self):\n{indent}{step}return self.{attribute}.{name}\n\n"
            for name in ("start_layer", "end_layer")
        )
        edit = Edit(Span(line, 1, line, 1), text)
        return Fix(UNSAFE, f"forward the range of `self.{attribute}`", (edit,)), ""


def _unknown_inner(context: Context, node: ast.ClassDef, class_id: str) -> tuple[str, ast.Call] | None:
    """An attribute of unknown class that the class's own forward hands the proxies on to, with the call."""
    forward = next((one for one in node.body if getattr(one, "name", "") == "forward"), node)
    for call in ast.walk(forward):
        if not isinstance(call, ast.Call) or not any(
            isinstance(k.value, ast.Name) and k.value.id == PROXY_PARAMETER for k in call.keywords
        ):
            continue
        for part in (call.func, *call.args, *(k.value for k in call.keywords)):
            path = v.dotted(part)
            inner = path is not None and len(path) == 2 and path[0] == "self" and "model" in path[1]
            if path and inner and not context.project.attribute_types(class_id, path[1]):
                return path[1], call
    return None


def _insertion(node: ast.ClassDef) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The method before which the properties go: the forward, else the one after the constructor."""
    methods = [one for one in node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
    forward = next((one for one in methods if one.name == "forward"), None)
    return forward or next((one for one in methods if one.name != "__init__"), None)
