"""PPL203: a whole padded layer list is given to a function that reads its elements."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.dispatch import refused
from pplint.engine.handed import Reader, reader_of, reads_each
from pplint.engine.slots import ALL, ZERO, Slots, owned, slice_of
from pplint.engine.spaces import END
from pplint.engine.values import Value
from pplint.finding import ERROR, INFO, PADDED, UNSAFE, Asks, Fix, Step
from pplint.rules.asking import one_id, slots_asks
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.layer_reads import latent_choice, owner_text, shown
from pplint.rules.samples import LAYERS, UTILS
from pplint.rules.why import FIRST_STAGE, no_test

_RUNNER = (
    "srt/batch_overlap/sample_overlap.py",
    """\
def run_overlapped(layers, hidden_states):
    mode = layers[0].scatter_mode
    return [layer.op(hidden_states, mode) for layer in layers]


def run_plain(layers, hidden_states):
    for layer in layers:
        hidden_states = layer(hidden_states)
    return hidden_states
""",
)

_MODEL = """\
from sglang.srt.batch_overlap.sample_overlap import run_overlapped
from sglang.srt.models.sample_model import SampleModel


class OverlapModel(SampleModel):
    def forward(self, input_ids, pp_proxy_tensors=None):
        return run_overlapped({}, hidden_states=input_ids)
"""

INFO_TEXT = RuleInfo(
    code="PPL203",
    name="padded-list-passed",
    severity=ERROR,
    precision="high",
    summary="a whole padded layer list is given to a function that reads its elements",
    what=(
        "A call hands over the padded layer list, or a slice of it that starts at 0, to a function that "
        "reads an "
        "attribute of `layers[0]` or of each element."
    ),
    why=(
        "The slots of other stages hold placeholders without attributes: on every stage but the first "
        "`layers[0]` is "
        "one, and on every stage but the last the end of the list is. The callee raises AttributeError."
    ),
    how="Hand over the layers of the stage: `layers=self.layers[self.start_layer : self.end_layer]`.",
    silent=(
        "Functions that only call the layers, or that test each element first; plain lists; draft models. Info, where "
        "the function compares class names and raises for the class of these layers, with or without PP."
    ),
    fixable=(
        "`self.layers` becomes `self.layers[self.start_layer:self.end_layer]` (unsafe: the callee counts from 0)."
    ),
    examples=(
        Example(
            title="The runner of overlapped batches gets the whole list",
            bad=_MODEL.format("self.layers").replace("input_ids)\n", "input_ids)  # PPL203\n"),
            fixed=_MODEL.format("self.layers[self.start_layer:self.end_layer]").replace(
                "input_ids)\n", "input_ids)  # PPL203\n"
            ),
            safety=UNSAFE,
            files=(LAYERS, UTILS, _RUNNER),
        ),
        Example(
            title="The runner gets the layers of the stage",
            good=_MODEL.format("self.layers[self.start_layer : self.end_layer]"),
            files=(LAYERS, UTILS, _RUNNER),
        ),
        Example(
            title="The function only calls the layers",
            good=_MODEL.format("self.layers").replace("run_overlapped", "run_plain"),
            files=(LAYERS, UTILS, _RUNNER),
        ),
    ),
)


class PaddedListPassed(Rule):
    """Judges the arguments of calls."""

    info = INFO_TEXT

    def call(self, context: Context, node: ast.Call) -> None:
        """Look for a padded list among the arguments, and for a callee that reads its elements."""
        if context.draft:
            return
        placed: list[tuple[int | str, ast.expr]] = [*enumerate(node.args)]
        placed += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
        for where, argument in placed:
            if isinstance(argument, (ast.Constant, ast.Starred)):
                continue
            for value in context.flow.evaluate(argument):
                slots = _handed_over(context, value)
                if slots is not None and not owned(context, slots):
                    self._judge(context, node, where, argument, slots)
                    break

    def _judge(
        self, context: Context, node: ast.Call, where: int | str, argument: ast.expr, slots: Slots
    ) -> None:
        reader = next(
            (
                found
                for callee in context.flow.evaluate(node.func)
                if callee.kind == v.PATH
                and (found := reader_of(context.project, context.place, list(callee.data), where))
            ),
            None,
        )
        if reader is None or (reader.how == "first" and slots.low != ZERO):
            return
        severity, condition = context.level_of(slots.padded)
        chooser = refused(context.project, context.place, slots.padded, node, where)
        if chooser is not None:
            severity, condition = INFO, latent_choice(context, slots.padded)
        said = f" ({condition})" if condition else ""
        message = (
            f"`{shown(argument)}` has a slot for every layer of the model, and `{shown(node.func)}` reads "
            f"`{reader.attribute}` of {_stage(reader)}{said}"
        )
        fix, no_fix = self._fix(context, argument, slots)
        context.report(
            self, argument, message, severity=severity, trace=_trace(context, argument, reader, slots), fix=fix,
            no_fix=no_fix, around=argument, asks=_asks(context, node, where, slots, reader),
        )  # fmt: skip

    def _fix(self, context: Context, argument: ast.expr, slots: Slots) -> tuple[Fix | None, str]:
        written = argument.value if isinstance(argument, ast.Subscript) else argument
        owner = owner_text(context, slots, written)
        if owner is None or v.dotted(written) is None:
            return (
                None,
                "the list is not written here as a dotted chain, so the stage range is for the author to add",
            )
        text = f"{ast.unparse(written)}[{owner.start}:{owner.end}]"
        return Fix(UNSAFE, "hand over the layers of the stage", (context.edit(argument, text),)), ""


def _handed_over(context: Context, value: Value) -> Slots | None:
    if value.kind == v.PATH:
        padded = context.padded((value,))
        return Slots(padded, (value,), ZERO, ALL, None, value) if padded is not None else None
    if value.kind != v.SLICE:
        return None
    slots = slice_of(context, value)
    # A slice that ends with the stage is judged where its first bound is chosen (PPL602).
    return slots if slots is not None and slots.high != END else None


def _asks(context: Context, node: ast.Call, where: int | str, slots: Slots, reader: Reader) -> Asks | None:
    """What a callee asks for that reads each element, or the first one and then others which are not known."""
    each = any(
        callee.kind == v.PATH and reads_each(context.project, context.place, list(callee.data), where)
        for callee in context.flow.evaluate(node.func)
    )
    if each:
        return slots_asks(context, node, slots)
    return Asks(PADDED, *one_id(0), open=True) if reader.how == "first" else None


def _stage(reader: Reader) -> str:
    if reader.how == "first":
        return (
            "the first element, which on every stage but the first is a placeholder, and the end of the list "
            "is one on every stage but the last"
        )
    return "each element, and the slots of other stages hold a placeholder"


def _trace(context: Context, argument: ast.expr, reader: Reader, slots: Slots) -> list[Step]:
    path = context.project.files.get(reader.module, "")
    what = "the first element" if reader.how == "first" else "each element"
    return [
        context.fact_step(
            slots.padded.owner,
            slots.padded.line,
            f"`{slots.padded.attribute}` gets a slot for every layer here",
        ),
        Step(
            path,
            reader.line,
            1,
            f"`{reader.attribute}` of {what} is read here, without a test of that element",
        ),
        no_test(context, argument, FIRST_STAGE),
    ]
