"""PPL301: a loop over all layers of the model reads an attribute of each, or asks for each."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL, Target
from pplint.engine.answers import answer_of
from pplint.engine.context import Context
from pplint.engine.dispatch import element_classes
from pplint.engine.elements import chosen, position_said
from pplint.engine.guards import SINGLE
from pplint.engine.reach import may_have
from pplint.engine.slots import Slots, is_whole
from pplint.engine.spaces import EVERY, START, space_of
from pplint.engine.values import Value, Values
from pplint.finding import ERROR, WARNING, Asks
from pplint.rules.asking import bounds_of, proof_of, runs_through, slots_asks
from pplint.rules.base import Rule, RuleInfo
from pplint.rules.builders import argument_for
from pplint.rules.kept_reads import Kept, kept_too_long
from pplint.rules.layer_reads import called_reads, read_slots, run_slots, shown
from pplint.rules.loop_samples import EXAMPLES
from pplint.rules.stage_loop import stage_loop
from pplint.rules.why import LAYER, no_test

INFO_TEXT = RuleInfo(
    code="PPL301",
    name="full-layer-loop",
    severity=ERROR,
    precision="high",
    summary="a loop over all layers of the model reads an attribute of each",
    what=(
        "A loop or a comprehension runs over a padded layer list, over `range(len(layers))` or over "
        "`range(num_hidden_layers)`, and reads an attribute of each layer (a filter "
        "`isinstance(layer.mlp, C)` reads it too), hands each id to a method that takes a GLOBAL layer id, or runs "
        "each layer and keeps more of it than its first argument (`x, residual = layer(positions, x)`). Or it sets a "
        "name for real layers only, and uses it for every slot."
    ),
    why=(
        "The slots of other stages hold placeholders without attributes, so that the read raises "
        "AttributeError on "
        "every stage, also the first: its padding is at the end. A pool has no buffer for the layers of "
        "other stages. A placeholder that is run hands on its first argument, whatever that is. A name that is set for "
        "real layers only is unbound at the first slot of later stages, and stale at slots after those of the stage."
    ),
    how=(
        "Run over the stage: `range(self.start_layer, self.end_layer)`, `self.layers[self.start_layer:self.end_layer]`."
    ),
    silent=(
        "Loops that test the layer itself first (`isinstance(layer, PPMissingLayer)`, `hasattr(layer, "
        "x)`) or its id, "
        "that only run the layers as `x = layer(x)`, that run where there is one stage only; plain lists, encoders, draft "
        "models."
    ),
    fixable=(
        "`range(len(self.layers))` and `for layer in self.layers` become the stage range, `enumerate` "
        "keeps counting "
        "GLOBAL ids (all unsafe: the shape of the loop changes)."
    ),
    examples=EXAMPLES,
)


_ID = "the id against `start_layer` and `end_layer`"


class FullLayerLoop(Rule):
    """Judges reads of attributes and arguments of calls; one finding per loop."""

    info = INFO_TEXT

    def __init__(self) -> None:
        self._loops: set[ast.AST] = set()

    def attribute(self, context: Context, node: ast.Attribute) -> None:
        """Look for a read of each slot."""
        self._read(context, node, node.value, node.attr)

    def call(self, context: Context, node: ast.Call) -> None:
        """What is called of a slot is read first, `getattr` without a default reads too; a method may take the id."""
        for read in called_reads(node):
            self._read(context, *read)
        targets = [] if context.draft else context.targets(node, GLOBAL)
        if not targets or SINGLE in context.stage():
            return
        for target, callee in targets:
            argument = argument_for(node, target, callee)
            if argument is not None and not context.accessors.tolerates(target):
                self._hand(context, node, argument, target)

    def _read(self, context: Context, node: ast.expr, element: ast.expr, attribute: str) -> None:
        slots = read_slots(context, element, attribute)
        if slots is None or not is_whole(slots) or self._told(slots.loop):
            return
        severity, condition = context.level_of(slots.padded)
        if severity == ERROR and _is_put_off(context, node):
            severity, condition = WARNING, "only when the value that is put off here is asked for"
        where = "the end of the list" if slots.low == START else "the list"
        message = (
            f"`{shown(element)}.{attribute}` is read for every slot of a padded layer list: {where} "
            f"holds placeholders "
            f"without `{attribute}` for the layers of other stages{_nor_real(context, slots, attribute)}"
            f"{f' ({condition})' if condition else ''}"
        )
        self._tell(context, node, message, severity, slots, slots_asks(context, node, slots))

    def assign(self, context: Context, target: ast.expr, found: Values, node: ast.stmt) -> None:
        """A run of each slot, of which more is kept than a placeholder hands on; what is kept of a real layer."""
        kept = kept_too_long(context, target, node)
        if kept is not None:
            self._keep(context, kept)
        run = getattr(node, "value", None)
        if not isinstance(run, ast.Call) or not (lost := _lost(target, run)):
            return
        slots = run_slots(context, run.func)
        if slots is None or not is_whole(slots) or self._told(slots.loop):
            return
        severity, condition = context.level_of(slots.padded)
        message = (
            f"`{shown(run.func)}` is run for every slot of a padded layer list: the placeholder of another stage's layer "
            f"hands on its first argument, where {lost}{f' ({condition})' if condition else ''}"
        )
        self._tell(context, run.func, message, severity, slots, None)

    def _keep(self, context: Context, kept: Kept) -> None:
        severity, condition = context.level_of(kept.padded)
        if severity == ERROR and "scale" in context.flow.functions[-1].name:
            severity, condition = WARNING, "only where such scales are loaded"
        name = kept.use.id
        message = (
            f"`{name}` is set in this loop for real layers only (line {kept.test.lineno}), but used for every slot: a stage "
            f"that does not own the first one meets an UnboundLocalError, and for slots after its own it takes its last "
            f"layer again{f' ({condition})' if condition else ''}"
        )
        trace = [
            context.fact_step(
                kept.padded.owner, kept.padded.line, f"`{kept.padded.attribute}` gets a slot for every layer"
            ),
            context.step(kept.test, f"under this test `{name}` is set, and nowhere else"),
            context.step(
                kept.use, f"nothing here tests the layer again, without which `{name}` need not be its own"
            ),
        ]
        context.report(
            self, kept.use, message, severity=severity, trace=trace, around=kept.use,
            statement=context.home(kept.use), no_fix="move the use under the test, or leave the loop's round in its else",
        )  # fmt: skip

    def _tell(
        self, context: Context, node: ast.expr, message: str, severity: str, slots: Slots, asks: Asks | None
    ) -> None:
        fix, no_fix = stage_loop(context, slots)
        trace = []
        if slots.loop is not None:
            trace.append(context.step(slots.loop, "the loop runs over layers of other stages"))
        text = f"`{slots.padded.attribute}` gets a slot for every layer here"
        trace.append(context.fact_step(slots.padded.owner, slots.padded.line, text))
        trace.append(no_test(context, node, LAYER))
        context.report(
            self,
            node,
            message,
            severity=severity,
            trace=trace,
            fix=fix,
            no_fix=no_fix,
            around=node,
            asks=asks,
        )

    def _told(self, loop: ast.AST | None) -> bool:
        known = loop in self._loops
        if loop is not None:
            self._loops.add(loop)
        return known

    def _hand(self, context: Context, node: ast.Call, argument: ast.expr, target: Target) -> None:
        for value in context.flow.evaluate(argument):
            space = space_of(context, value) if value.kind in (v.ELEMENT, v.INDEX) else None
            if space is None or space.kind != EVERY or chosen(context, value) or any(position_said(context)):
                continue
            if self._told(value.node):
                continue
            severity, condition = context.level()
            message = (
                f"every layer id of the model is given to `{target.name}`, which takes the GLOBAL ids of this "
                f"stage: a stage has nothing for the layers of the others{f' ({condition})' if condition else ''}"
            )
            asks = _asks(context, node, value)
            proof = proof_of(context, [one for one, _ in context.targets(node, GLOBAL)], asks)
            trace = [*context.steps(proof.evidence)]
            if value.node is not None:
                trace.insert(0, context.step(value.node, space.why))
            trace.append(no_test(context, node, _ID))
            context.report(
                self, argument, message, severity=severity, trace=trace, around=node,
                no_fix="where the stage range comes from is for the author to say",
                asks=asks,
            )  # fmt: skip
            return


def _nor_real(context: Context, slots: Slots, attribute: str) -> str:
    """Words that say so where no class of the list's real layers has an attribute."""
    project = context.project
    kinds = element_classes(project, slots.padded)
    if not kinds or any(may_have(project, one, attribute) for one in kinds):
        return ""
    if f".{attribute} = " in context.source.text:  # somebody else sets it
        return ""
    names = " and ".join(f"`{name}`" for name in sorted(map(project.class_name, kinds)))
    return f"; its real layers ({names}) set none either, so that one stage alone fails too"


def _asks(context: Context, node: ast.Call, value: Value) -> Asks | None:
    """What a loop asks an accessor for, if nothing ends it early."""
    bounds = bounds_of(context, value)
    answer = answer_of(context.accessors, [target for target, _ in context.targets(node, GLOBAL)])
    if bounds is None or not answer.access or not runs_through(context, node):
        return None
    return Asks(answer.access, *bounds, of=answer.of)


def _lost(target: ast.expr, run: ast.Call) -> str:
    """What a target expects beyond the first argument of a run, or "" where that may be what it expects."""
    given = [*run.args, *(keyword.value for keyword in run.keywords)]
    if not given or isinstance(given[0], ast.Starred) or any(keyword.arg is None for keyword in run.keywords):
        return ""
    if isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) > 1:
        return f"`{shown(target)}` are unpacked"
    if not any(type(one) is type(target) for one in given[1:]):
        return ""
    first, *others = map(ast.unparse, given)
    own = ast.unparse(target)
    return f"`{shown(target)}` takes what `{shown(given[0])}` is" if own != first and own in others else ""


def _is_put_off(context: Context, node: ast.expr) -> bool:
    """Whether a read stands in a lambda without parameters that an object keeps: `LazyValue(lambda: ...)`."""
    for call in ast.walk(context.flow.statement) if context.flow.statement is not None else ():
        name = v.dotted(call.func) if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and name is not None and name[-1].lstrip("_")[:1].isupper():
            for given in (*call.args, *(keyword.value for keyword in call.keywords)):
                if isinstance(given, ast.Lambda) and not given.args.args:
                    if any(part is node for part in ast.walk(given)):
                        return True
    return False
