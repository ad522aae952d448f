"""PPL708: what one layer hands to the next is lost between two stages."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pplint.engine.context import Context
from pplint.engine.declarations import given_for
from pplint.engine.dispatch import built_elements
from pplint.engine.guards import SINGLE
from pplint.engine.project import Padded, Project
from pplint.engine.values import Values
from pplint.engine.vocabulary import PROXY_PARAMETER
from pplint.finding import ERROR, WARNING
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.layer_runs import runs_layer
from pplint.rules.samples import LAYERS, UTILS

_TOP = """\
from sglang.srt.models.sample_model import SampleModel


class RoutedModel(SampleModel):
    def forward(self, input_ids, positions, pp_proxy_tensors=None):
        if self.pp_group.is_first_rank:
            hidden_states = self.embed_tokens(input_ids)
{first}        else:
            hidden_states = pp_proxy_tensors["hidden_states"]
{later}        for i in range(self.start_layer, self.end_layer):
            hidden_states, routed = self.layers[i](positions, hidden_states, routed=routed){mark}
        if not self.pp_group.is_last_rank:
            return PPProxyTensors({sent})
        return self.norm(hidden_states)
"""

INFO_TEXT = RuleInfo(
    code="PPL708",
    name="state-lost-between-stages",
    severity=WARNING,
    precision="high",
    summary="what one layer hands to the next is lost between two stages",
    what=(
        "In the loop over the stage's layers a name is an argument of each layer and a part of its result, starts as "
        "`None` on every stage, and is used nowhere else: it is neither sent with the proxies nor taken from them."
    ),
    why=(
        "The first layer of each later stage gets `None`, where in one process it gets what the layer before it said. It "
        "then computes something else, or asks `None` for what is not there."
    ),
    how="Send it with the hidden states in `PPProxyTensors`, and start from `pp_proxy_tensors` where they are given.",
    silent=(
        "Names that are read or assigned anywhere else in the function, that start anew inside the loop, or that both "
        "branches of a test set; names that each layer makes where it gets None, of arguments that are the same for all "
        "(`if cos is None: cos = self.rotary(positions)`); forwards without proxies, and code for one stage."
    ),
    examples=(
        Example(
            title="The routing of the layer before",
            bad=_TOP.format(
                first="",
                later="        routed = None\n",
                mark="  # PPL708",
                sent='{"hidden_states": hidden_states}',
            ),
            files=(LAYERS, UTILS),
        ),
        Example(
            title="It travels with the hidden states",
            good=_TOP.format(
                first="            routed = None\n",
                later='            routed = pp_proxy_tensors["routed"]\n',
                mark="",
                sent='{"hidden_states": hidden_states, "routed": routed}',
            ),
            files=(LAYERS, UTILS),
        ),
    ),
)


class StateLostBetweenStages(Rule):
    """Judges what a layer is given of the layer before it."""

    info = INFO_TEXT

    def assign(self, context: Context, target: ast.expr, found: Values, node: ast.stmt) -> None:
        """`hidden_states, other = self.layers[i](hidden_states, other)`"""
        if not isinstance(target, ast.Tuple) or not isinstance(node, ast.Assign):
            return
        call = node.value
        if not isinstance(call, ast.Call) or context.draft or SINGLE in context.stage():
            return
        padded = runs_layer(context, call)
        if padded is None:
            return
        given = {part.id: part for part in _arguments(call) if isinstance(part, ast.Name)}
        carried = [one.id for one in target.elts if isinstance(one, ast.Name)]
        for name in carried:
            starts = _starts(context.flow.functions[0], name, call.func) if name in given else []
            if starts and not _made_by_layers(context.project, padded, call, name, carried):
                self._report(context, given[name], starts[0])

    def _report(self, context: Context, given: ast.Name, start: ast.stmt) -> None:
        severity, condition = context.level()
        severity = WARNING if severity == ERROR else severity
        name = given.id
        context.report(
            self,
            given,
            f"`{name}` goes from layer to layer, but starts as None on every stage and is not sent to the next one: the "
            f"first layer of a later stage goes without what the layer before it said"
            f"{f' ({condition})' if condition else ''}",
            severity=severity,
            trace=[
                context.step(start, f"`{name}` starts as None here, on every stage"),
                context.step(given, "each layer gets what the one before it returned"),
                context.step(
                    context.flow.functions[0],
                    f"here `{name}` is neither taken from `{PROXY_PARAMETER}` nor given to the proxies",
                ),
            ],
            no_fix="how it is to be sent and received is for the author to say",
        )


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _made_by_layers(project: Project, padded: Padded, call: ast.Call, name: str, carried: list[str]) -> bool:
    """Whether each layer makes what it is not given, of arguments that are the same for all layers."""
    kinds = frozenset().union(*built_elements(project, padded))
    return bool(kinds) and all(_fills(project, kind, call, name, carried) for kind in kinds)


def _fills(project: Project, kind: str, call: ast.Call, name: str, carried: list[str]) -> bool:
    found = project.method(kind, "forward")
    if found is None:
        return False
    forward = found[1]
    for parameter, of, _ in forward["fills"]:
        given = given_for(forward, parameter, call)
        if given is not None and _is(given, name):
            sources = [one for source in of if (one := given_for(forward, source, call)) is not None]
            return not any(_is(one, other) for one in sources for other in carried)
    return False


def _starts(function: ast.AST, name: str, layer: ast.expr) -> list[ast.stmt]:
    """The statements before the loops that set a name to None, if all others that name it only carry it through a layer."""
    starts: list[ast.stmt] = []
    run = ast.dump(layer)
    waiting: list[tuple[ast.AST, bool]] = [(function, False)]
    while waiting:
        node, looped = waiting.pop()
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and _sets(node, name):
            value = node.value
            if isinstance(value, ast.Constant) and value.value is None and not looped:
                starts.append(node)
            elif not isinstance(value, ast.Call) or ast.dump(value.func) != run:
                return []
        elif _is(node, name) or (isinstance(node, ast.If) and _decides(node, name)):
            return []
        else:
            inside = looped or isinstance(node, (ast.For, ast.AsyncFor, ast.While))
            waiting += [(child, inside) for child in ast.iter_child_nodes(node)]
    return starts


def _decides(node: ast.If, name: str) -> bool:
    """Whether both branches of a test set a name: then the author thought of those stages too."""
    return all(
        any(isinstance(one, ast.Assign | ast.AnnAssign) and _sets(one, name) for one in branch)
        for branch in (node.body, node.orelse)
    )


def _sets(node: ast.Assign | ast.AnnAssign, name: str) -> bool:
    targets: Iterable[ast.expr] = node.targets if isinstance(node, ast.Assign) else (node.target,)
    return any(_is(part, name) for target in targets for part in ast.walk(target))


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
