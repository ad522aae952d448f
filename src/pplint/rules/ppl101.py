"""PPL101: a literal reaches a parameter that takes a GLOBAL layer id."""

from __future__ import annotations

import ast

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL, Target
from pplint.engine.context import Context
from pplint.engine.dense import asked_densely
from pplint.engine.instances import Builder
from pplint.engine.values import Value
from pplint.finding import ERROR, INFO, SAFE, Step
from pplint.rules.asking import literal_asks, proof_of
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.builders import argument_for, builders_of, level_of_builders
from pplint.rules.first_layers import not_enough, unreached
from pplint.rules.literal_fixes import literal_fix
from pplint.rules.samples import POOL
from pplint.rules.stated_ids import default_ids, stated_id
from pplint.rules.why import FIRST_STAGE, LAST_STAGE, no_test
from pplint.source.blocks import FunctionNode

INFO_TEXT = RuleInfo(
    code="PPL101",
    name="literal-layer-id",
    severity=ERROR,
    precision="very-high",
    summary="a literal is given where a GLOBAL layer id is expected",
    what=(
        "A call hands a number to a parameter that takes a GLOBAL layer id: directly, by keyword, "
        "through a local, "
        "module or class constant, through one branch of an assignment, or through an alias of the method."
    ),
    why=(
        "Such a method subtracts the stage's `start_layer` (or looks the id up in a dictionary of the "
        "stage's ids). "
        "With 0 on a stage that starts at layer 12 it reads `buffer[-12]`: an IndexError when the stage "
        "owns fewer "
        "layers than that, and silently another layer when it owns more."
    ),
    how=(
        "Ask the object that is asked anyway for its first layer: "
        "`pool.get_value_buffer(pool.start_layer)`. Keep "
        "reading the dimension from the buffer; the model's configured head dimension differs from it "
        "for MLA."
    ),
    silent=(
        "Calls that only the first stage makes (`start_layer == 0`, `is_first_rank`, one stage in all), "
        "draft models, "
        "methods that take a LOCAL index, and inner pools that are never given a stage range (these are "
        "info)."
    ),
    fixable="`0` becomes `<receiver>.start_layer` (safe where the receiver is a name or a dotted chain).",
    examples=(
        Example(
            title="A backend reads the head dimension from the buffer of layer 0",
            bad="""\
class SampleBackend:
    def __init__(self, model_runner):
        pool = model_runner.token_to_kv_pool
        self.v_head_dim = pool.get_value_buffer(0).shape[-1]  # PPL101
""",
            fixed="""\
class SampleBackend:
    def __init__(self, model_runner):
        pool = model_runner.token_to_kv_pool
        self.v_head_dim = pool.get_value_buffer(pool.start_layer).shape[-1]  # PPL101
""",
            safety=SAFE,
            files=(POOL,),
        ),
        Example(
            title="The literal is chosen in one branch",
            bad="""\
def v_head_dim(pool, hybrid):
    if hybrid:
        layer_id = pool.first_attention_layer
    else:
        layer_id = 0
    return pool.get_value_buffer(layer_id).shape[-1]  # PPL101
""",
            files=(POOL,),
        ),
        Example(
            title="Only the first stage comes here, or the index is the stage's own",
            good="""\
def first_buffer(pool, pp_group):
    if pp_group.is_first_rank:
        return pool.get_value_buffer(0)
    return pool.v_buffer[0]
""",
            files=(POOL,),
        ),
    ),
)


class LiteralLayerId(Rule):
    """Judges the arguments of calls."""

    info = INFO_TEXT

    def call(self, context: Context, node: ast.Call) -> None:
        """Compare each argument with the space of its parameter."""
        if context.draft:
            return
        by_argument: dict[ast.expr, list[tuple[Target, Value]]] = {}
        for target, callee in context.targets(node, GLOBAL):
            argument = argument_for(node, target, callee)
            if argument is not None:
                by_argument.setdefault(argument, []).append((target, callee))
        for argument, reached in by_argument.items():
            if _is_question(context, node, [target for target, _ in reached]):
                continue
            for one in context.flow.evaluate(argument):
                value = stated_id(context, one)
                if value is not None:
                    self._judge(context, node, argument, value, reached)
                    break

    def enter(self, context: Context, node: FunctionNode) -> None:
        """`def width(self, layer_id: int = 0)`"""
        for parameter, default, number in default_ids(context, node):
            evidence = context.accessors.known(GLOBAL, context.function_id)[parameter]
            severity, condition = context.level()
            context.report(
                self,
                default,
                f"layer id {number} is the default of `{parameter}` of `{node.name}`, which takes a GLOBAL layer id: "
                f"{_stage(number)}{f' ({condition})' if condition else ''}",
                severity=severity,
                trace=[
                    *context.steps(evidence),
                    context.step(node, "nothing tests the stage of a call without it"),
                ],
                no_fix="give the parameter no default, or None, and ask for the first layer of the pool",
                around=node,
            )

    def _judge(
        self,
        context: Context,
        node: ast.Call,
        argument: ast.expr,
        value: Value,
        reached: list[tuple[Target, Value]],
    ) -> None:
        callee = reached[0][1]
        targets = [one for one, _ in reached]
        builders = builders_of(context, callee)
        dead = unreached(context, targets)
        severity, said = _level(context, builders, dead)
        latent = dead or _latent(context, callee, builders)
        asks = None if latent else literal_asks(context, value.data, targets)
        proof = proof_of(context, targets, asks)
        fix, no_fix = literal_fix(context, node, argument, value, reached)
        clause, exceptions = "", list[Step]()
        if value.data == 0:
            clause, exceptions = not_enough(context, node, targets, [one.class_id for one in builders])
        context.report(
            self,
            argument,
            f"layer id {value.data} is given to `{targets[0].name}`, which takes a GLOBAL layer id: "
            f"{_stage(value.data)}{said}{clause}",
            severity=severity,
            trace=[
                *_receiver(context, callee, builders, reached),
                *context.steps(proof.evidence),
                *_origins(context, argument, value, builders, proof.owner),
                no_test(context, node, FIRST_STAGE if value.data >= 0 else LAST_STAGE, value),
                *exceptions,
            ],
            fix=fix if severity != INFO else None,
            no_fix=no_fix,
            around=node,
            asks=asks,
        )


def _is_question(context: Context, node: ast.Call, targets: list[Target]) -> bool:
    """Whether a call is itself a test, of methods that return one or compare the id: it asks who owns the layer."""
    statement = context.flow.statement
    return (
        statement is not None
        and any(_is_tested(part, node) for part in ast.walk(statement))
        and all(context.accessors.tolerates(one) or _returns_test(context, one) for one in targets)
    )


def _returns_test(context: Context, target: Target) -> bool:
    returns = context.accessors.facts_of(target.function)["returns"]
    return bool(returns) and all(kind == "test" for kind, *_ in returns)


def _is_tested(part: ast.AST, node: ast.Call) -> bool:
    """Whether a node of a syntax tree tests what a call answers: by its truth, or by a comparison."""
    if isinstance(part, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return part.test is node
    if isinstance(part, ast.comprehension):
        return any(test is node for test in part.ifs)
    if isinstance(part, ast.BoolOp):
        return any(value is node for value in part.values)
    if isinstance(part, ast.Compare):
        return node in (part.left, *part.comparators)
    return isinstance(part, ast.UnaryOp) and part.operand is node


def _level(context: Context, builders: list[Builder], dead: str) -> tuple[str, str]:
    """The level, and the clause that says why; `dead` is a test that keeps every class away from here, or ""."""
    if dead:
        return INFO, f" (latent: every class that could be asked here has `{dead}`, so nothing gets here)"
    return level_of_builders(context, builders, *context.level())


def _origins(
    context: Context, argument: ast.expr, value: Value, builders: list[Builder], owner: str
) -> list[Step]:
    """Where the literal is chosen, if not in the call, and where the receiver (best an `owner`) gets a stage range."""
    steps = []
    if value.node is not None and value.node is not argument:
        steps.append(context.step(value.node, f"{value.data} is chosen here"))
    project = context.project
    ranged = [one for one in builders if one.with_range]
    exact = [one for one in ranged if one.class_id == owner]
    built = exact or [one for one in ranged if owner in project.mro(one.class_id)] or ranged
    text = "the receiver is built with a stage range here"
    return [*steps, *(context.fact_step(one.module, one.line, text) for one in built[:2])]


def _receiver(
    context: Context, callee: Value, builders: list[Builder], reached: list[tuple[Target, Value]]
) -> list[Step]:
    """What is asked, where that is not built in view: any class that has the method."""
    path: tuple[str, ...] = callee.data if callee.kind == v.PATH else ()
    owners = {target.owner for target, _ in reached if target.owner}
    if builders or len(path) < 2 or len(owners) < 2:
        return []
    names = sorted(context.project.class_name(one) for one in owners)
    said = ", ".join(f"`{name}`" for name in names[:2])
    text = f"`{'.'.join(path[:-1])}` may be one of {len(names)} classes, such as {said}, that take a GLOBAL layer id here"
    return [context.step(callee.node, text)] if isinstance(callee.node, ast.expr) else []


def _latent(context: Context, callee: Value, builders: list[Builder]) -> bool:
    """Whether it is not known what an inner pool owns: it has no stage range, or holds layers of one kind only."""
    path: tuple[str, ...] = callee.data if callee.kind == v.PATH else ()
    if builders and not any(one.with_range for one in builders):
        return True
    return (
        len(path) == 3
        and path[0] == "self"
        and asked_densely(context.accessors, context.class_id, path[1]) is not None
    )


def _stage(number: int) -> str:
    if number < 0:
        return "the last layer belongs to the last stage only"
    return "a later stage does not own it" if number else "only the first stage owns layer 0"
