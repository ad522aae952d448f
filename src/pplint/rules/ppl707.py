"""PPL707: what a model returns is used as hidden states on every stage, although the earlier stages return their proxies."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.guards import LAST
from pplint.engine.project import Project
from pplint.engine.values import Value, Values
from pplint.engine.vocabulary import MISSING_LAYER, PROXY_CLASS
from pplint.finding import ERROR, Step
from pplint.rules.asking import in_lambda, leaves_only, real_only
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.layer_reads import shown
from pplint.rules.proxies import of_proxies, proxies_of
from pplint.rules.why import LAST_STAGE, no_test

_MODEL = (
    "srt/models/sample_inner.py",
    """\
class SampleModel:
    def __init__(self, config, pp_group):
        self.pp_group = pp_group

    def forward(self, input_ids, positions, pp_proxy_tensors=None):
        hidden_states = self.run(input_ids, positions, pp_proxy_tensors)
        if not self.pp_group.is_last_rank:
            return PPProxyTensors({"hidden_states": hidden_states})
        return self.norm(hidden_states), hidden_states
""",
)

INFO_TEXT = RuleInfo(
    code="PPL707",
    name="proxies-as-hidden-states",
    severity=ERROR,
    precision="high",
    summary="what an inner model returns is used as hidden states on every stage",
    what=(
        "The result of a forward that returns `PPProxyTensors` on every stage but the last is unpacked, indexed by a "
        "number, computed with, asked for an attribute or a method of a tensor, or handed to the logits processor or "
        "another module of the model without a test of the stage."
    ),
    why=(
        "The proxies are one object that holds tensors by name, no tuple and no tensor: unpacking them is a ValueError, "
        "arithmetic a TypeError, an attribute of a tensor an AttributeError, a number finds None, and a module fails at the "
        "first operation. That happens in each forward of each stage but the last."
    ),
    how=(
        "Return the proxies first: `if not self.pp_group.is_last_rank: return hidden_states`, and take the result apart "
        "after that."
    ),
    silent=(
        "Uses behind a test of the stage, of the result's type or of a module that only the last stage has "
        "(`isinstance(self.lm_head, PPMissingLayer)`), and behind a flag that is off until somebody sets it; attributes "
        "that the proxies have."
    ),
    examples=(
        Example(
            title="The result is unpacked before the stage is asked",
            bad="""\
from sglang.srt.models.sample_inner import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.pp_group = pp_group
        self.model = SampleModel(config, pp_group)

    def forward(self, input_ids, positions, forward_batch, pp_proxy_tensors=None):
        hidden_states, before_norm = self.model(input_ids, positions, pp_proxy_tensors=pp_proxy_tensors)  # PPL707
        if self.pp_group.is_last_rank:
            return self.logits_processor(input_ids, hidden_states, before_norm)
        return hidden_states
""",
            files=(_MODEL,),
        ),
        Example(
            title="The logits are computed on every stage",
            bad="""\
from sglang.srt.models.sample_inner import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)
        self.logits_processor = LogitsProcessor(config)

    def forward(self, input_ids, positions, forward_batch, pp_proxy_tensors=None):
        hidden_states = self.model(input_ids, positions, pp_proxy_tensors=pp_proxy_tensors)
        return self.logits_processor(input_ids, hidden_states)  # PPL707
""",
            files=(_MODEL,),
        ),
        Example(
            title="Behind a test of the stage",
            good="""\
from sglang.srt.models.sample_inner import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.pp_group = pp_group
        self.model = SampleModel(config, pp_group)
        self.logits_processor = LogitsProcessor(config)

    def forward(self, input_ids, positions, forward_batch, pp_proxy_tensors=None):
        result = self.model(input_ids, positions, pp_proxy_tensors=pp_proxy_tensors)
        if isinstance(result, tuple):
            result, before_norm = result
        if not self.pp_group.is_last_rank:
            return result
        return self.logits_processor(input_ids, result)
""",
            files=(_MODEL,),
        ),
    ),
)

_CAUGHT = frozenset({"ValueError", "TypeError", "Exception", "BaseException", ""})
_CAUGHT_READ = frozenset({"AttributeError", "Exception", "BaseException", ""})


class ProxiesAsHiddenStates(Rule):
    """Judges what is done with the result of a forward."""

    info = INFO_TEXT

    def __init__(self) -> None:
        # What one call returned is told of once.
        self._told: set[ast.AST | None] = set()

    def assign(self, context: Context, target: ast.expr, found: Values, node: ast.stmt) -> None:
        """`hidden_states, other = self.model(...)`"""
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(node, ast.Assign):
            if not context.flow.caught & _CAUGHT and not isinstance(node.value, ast.IfExp):
                said = (lambda: f"`{shown(target)} = ...` unpacks"), "a ValueError"
                self._judge(context, node.value, node.value, found, said)

    def subscript(self, context: Context, node: ast.Subscript) -> None:
        """`self.model(...)[0]`"""
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            found = context.flow.evaluate(node.value)
            self._judge(context, node, node.value, found, ((lambda: f"`{shown(node)}` indexes"), "None"))

    def binary(self, context: Context, node: ast.BinOp) -> None:
        """`self.model(...) * scale`"""
        for side in (node.left, node.right):
            said = (lambda: f"`{shown(node)}` computes with"), "a TypeError"
            self._judge(context, node, side, context.flow.evaluate(side), said)

    def attribute(self, context: Context, node: ast.Attribute) -> None:
        """`hidden_states.shape`"""
        found = () if isinstance(node.ctx, ast.Store) else context.flow.evaluate(node.value)
        if not context.flow.caught & _CAUGHT_READ:
            said = (lambda: f"`{shown(node)}` reads an attribute of"), "an AttributeError"
            self._judge(context, node, node.value, found, said, node.attr)

    def call(self, context: Context, node: ast.Call) -> None:
        """`self.logits_processor(input_ids, hidden_states)`"""
        if isinstance(node.func, ast.Attribute):
            self.attribute(context, node.func)
        module = v.dotted(node.func)
        if module is None or len(module) < 2 or module[0] != "self" or not _keeps(context, module):
            return
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            found = context.flow.evaluate(argument)
            said = (lambda: f"`{'.'.join(module)}` is given"), "an AttributeError"
            self._judge(context, node, argument, found, said)

    def _judge(
        self,
        context: Context,
        node: ast.expr,
        used: ast.expr,
        found: Values,
        said: tuple[Callable[[], str], str],
        attribute: str = "",
    ) -> None:
        """Report `node`, which uses one of the values `found` of an expression; `said` is what it does and meets.

        `attribute` is what it reads of it. What it does is put into words for a report alone.
        """
        if not any(value.kind == v.CALL for value in found):
            return
        does, meets = said
        # Where there is a tuple or a tensor among the alternatives, somebody tells them apart.
        apart = any(value.kind == v.TUPLE or _is_picked(value) for value in found)
        for value in found if not apart and _may_be_forward(context) else ():
            forward = proxies_of(context, value) if value.node not in self._told else None
            if forward is None or in_lambda(context, node) or _asked(context, value, used):
                continue
            if attribute and of_proxies(context.project, forward[0], attribute):
                continue
            if leaves_only(context, frozenset({LAST}), value) or real_only(context, LAST):
                continue
            self._told.add(value.node)
            owner, line = forward
            severity, condition = context.level()
            name = context.project.class_name(owner)
            context.report(
                self,
                node,
                f"{does()} what `{name}.forward` returns, which on every stage but the last is one `{PROXY_CLASS}`: "
                f"{meets} in each forward there{f' ({condition})' if condition else ''}",
                severity=severity,
                trace=[_returned(context, owner, line), no_test(context, node, LAST_STAGE)],
                no_fix="where the proxies are to be returned is for the author to say",
            )
            return


def _may_be_forward(context: Context) -> bool:
    """Whether what we are in runs on a stage; what is defined in a function runs where that is called."""
    functions = context.flow.functions
    if context.draft or len(functions) != 1:
        return False
    return functions[0].name != "forward" or bool(context.project.accepts_pp(context.class_id))


def _is_picked(value: Value) -> bool:
    """Whether a value is one part of another, by a number or a name; other indices pick rows of a tensor."""
    return value.kind == v.SUB and any(one.kind in (v.INT, v.STR) for one in value.data[1])


def _keeps(context: Context, chain: tuple[str, ...]) -> bool:
    """Whether the class of `self`, or of what is kept there, makes a module for the last name on every stage."""
    project = context.project
    owners = project.types_of(context.place, chain[:-1]) if len(chain) > 2 else {context.class_id}
    return bool(owners) and all(_makes_module(project, one, chain[-1]) for one in owners)


def _makes_module(project: Project, class_id: str, name: str) -> bool:
    for one in project.mro(class_id):
        entries = project.classes[one]["attrs"].get(name)
        if entries:
            return all(map(_is_module, entries))
    return False


def _is_module(entry: dict[str, Any]) -> bool:
    made = entry["v"][1][-1] if entry["v"][0] == "call" else ""
    return made[:1].isupper() and made not in (MISSING_LAYER, "Identity")


def _asked(context: Context, value: Value, used: ast.expr) -> bool:
    """Whether a condition on the way asks about a result that is used, or for a flag that is off at first."""
    wanted = ast.dump(used)
    for test, holds in (*context.flow.guards, *value.guards):
        names = [part for part in ast.walk(test) if isinstance(part, ast.Name)]
        if any(one.node is value.node for name in names for one in context.flow.evaluate(name)):
            return True
        if any(ast.dump(name) == wanted for name in names):
            return True
        path = v.dotted(test)
        if holds and path is not None and len(path) == 2 and path[0] == "self":
            stored = context.stored(path[1])
            if not stored or any(isinstance(one, ast.Constant) and not one.value for one in stored):
                return True
    return False


def _returned(context: Context, owner: str, line: int) -> Step:
    return context.fact_step(
        owner, line, f"this forward returns `{PROXY_CLASS}` where the stage is not the last one"
    )
