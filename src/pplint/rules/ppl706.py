"""PPL706: the first layer of a kind is taken for granted although a stage may own none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pplint.engine import values as v
from pplint.engine.accessors import GLOBAL
from pplint.engine.constants import literal_integer
from pplint.engine.context import Context
from pplint.engine.dense import asked_densely
from pplint.engine.meaning import meant
from pplint.engine.pools import mapping_keepers
from pplint.engine.values import Value
from pplint.engine.vocabulary import is_end, is_start
from pplint.finding import INFO, WARNING, Step
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.pool_samples import BUFFERS, HYBRID
from pplint.rules.why import no_test

INFO_TEXT = RuleInfo(
    code="PPL706",
    name="stage-may-own-none",
    severity=WARNING,
    precision="medium",
    summary="the first layer of a kind is taken for granted although a stage may own none",
    what=(
        "The first key of a dictionary of the stage's layers of one kind (`[*mapping][0]`, "
        "`next(iter(mapping))`, "
        "`min(mapping)`), or the first entry of a list that was filtered by the stage range, without a "
        "test that there "
        "is one. As info: an inner pool of a hybrid pool is asked for its first layer."
    ),
    why=(
        "A hybrid model has few layers of some kinds. With many stages, or an uneven partition, a stage "
        "owns none of "
        "them: the first one is an IndexError, StopIteration or ValueError when that stage starts."
    ),
    how=(
        "Test for emptiness first, or ask for what does not depend on a layer, such as the configured "
        "dimension."
    ),
    silent=(
        "Places behind a test of the same dictionary or list, or of what counts it, where the error is caught, and "
        "`next(iter(x), default)`."
    ),
    examples=(
        Example(
            title="The first full-attention layer of this stage",
            bad="""\
def first_dim(pool):
    layer_id = [*pool.full_attention_layer_id_mapping][0]  # PPL706
    other = next(iter(pool.full_attention_layer_id_mapping))  # PPL706
    return pool.get_key_buffer(layer_id).shape[-1], other
""",
            files=(BUFFERS, HYBRID),
        ),
        Example(
            title="A list of the stage's layers of one kind",
            bad="""\
def first_sparse(sparse_layer_ids, start_layer, end_layer):
    local_ids = [i for i in sparse_layer_ids if start_layer <= i < end_layer]
    return local_ids[0]  # PPL706
""",
        ),
        Example(
            title="Tested before, or with a default",
            good="""\
def first_dim(pool, sparse_layer_ids, start_layer, end_layer):
    local_ids = [i for i in sparse_layer_ids if start_layer <= i < end_layer]
    first = local_ids[0] if local_ids else None
    if not pool.full_attention_layer_id_mapping:
        return first
    layer_id = [*pool.full_attention_layer_id_mapping][0]
    return pool.get_key_buffer(layer_id), next(iter(pool.full_attention_layer_id_mapping), None)
""",
            files=(BUFFERS, HYBRID),
        ),
    ),
)


_EMPTY = "that there is such a layer"
_CATCHES = frozenset({"LookupError", "Exception", "BaseException", ""})


class StageMayOwnNone(Rule):
    """Judges where the first layer of a kind is taken."""

    info = INFO_TEXT

    def subscript(self, context: Context, node: ast.Subscript) -> None:
        """`[*mapping][0]`, `list(mapping)[0]`, `local_ids[0]`."""
        if not isinstance(node.ctx, ast.Load) or literal_integer(node.slice) not in (0, -1):
            return
        mapping = _spread(node.value)
        if mapping is not None and _is_mapping(context, mapping):
            self._report(context, node, mapping, "IndexError")
        elif isinstance(node.value, ast.Name) and _filtered_by_stage(context, node.value):
            self._report(context, node, node.value, "IndexError")

    def call(self, context: Context, node: ast.Call) -> None:
        """`next(iter(mapping))`, `min(mapping)`, and an inner pool asked for its first layer."""
        name = v.dotted(node.func)
        if name in (("next",), ("min",), ("max",)) and len(node.args) == 1 and not node.keywords:
            inner = _iterated(node.args[0]) if name == ("next",) else node.args[0]
            if inner is not None and _is_mapping(context, inner):
                self._report(context, node, inner, "StopIteration" if name == ("next",) else "ValueError")
            return
        self._inner_start(context, node)

    def _report(self, context: Context, node: ast.expr, subject: ast.expr, error: str) -> None:
        if context.draft or _tested(context, subject, error):
            return
        _, condition = context.level()
        context.report(
            self,
            node,
            f"`{ast.unparse(node)}` takes for granted that this stage owns a layer of this kind: one that owns "
            f"none meets {'an' if error[0] in 'AEIOU' else 'a'} {error}{f' ({condition})' if condition else ''}",
            severity=WARNING,
            trace=[*_filled(context, subject), no_test(context, node, _EMPTY)],
            no_fix="what a stage without such a layer should do is for the author to say",
        )

    def _inner_start(self, context: Context, node: ast.Call) -> None:
        """`self.inner.get(self.inner.start_layer)` where the inner pool holds one kind of layers."""
        if len(node.args) != 1 or not context.class_id or context.draft:
            return
        argument = v.dotted(node.args[0])
        if argument is None or not is_start(argument[-1]) or not context.targets(node, GLOBAL):
            return
        callee = context.flow.evaluate(node.func)
        for path in v.paths(callee) if len(callee) == 1 else ():
            asked = asked_densely(context.accessors, context.class_id, path[1]) if len(path) == 3 else None
            if asked is not None and not _tested(context, node.args[0], "IndexError"):
                context.report(
                    self,
                    node.args[0],
                    f"`{path[1]}` holds the layers of one kind only: a stage that owns none of them "
                    "meets an IndexError",
                    severity=INFO,
                    trace=[
                        context.fact_step(
                            asked.owner, asked.line, f"`{asked.method}` asks it with DENSE ids"
                        ),
                        no_test(context, node, _EMPTY),
                    ],
                    no_fix="what a stage without such a layer should do is for the author to say",
                    around=node,
                )
                return


def _filled(context: Context, subject: ast.expr) -> list[Step]:
    """Where the dictionary or the list gets the layers of one kind."""
    found = context.flow.evaluate(subject)
    for path in v.paths(found):
        known = context.project.types_of(context.place, path[:-1])
        for owner in sorted(known) or mapping_keepers(context.project, path[-1]):
            for one in context.project.mro(owner):
                for entry in context.project.classes[one]["attrs"].get(path[-1], ()):
                    if entry["v"] == ["mapping"]:
                        text = f"`{path[-1]}` gets an entry per layer of one kind that the stage owns"
                        return [context.fact_step(one, entry["line"], text)]
    for value in found:
        if value.node is not None and _stage_filter(value):
            return [context.step(value.node, "only layers of this stage are kept here, of one kind")]
    return []


def _spread(node: ast.expr) -> ast.expr | None:
    """What `[*x]`, `list(x)`, `sorted(x)`, `tuple(x)` are made of."""
    if (
        isinstance(node, (ast.List, ast.Tuple))
        and len(node.elts) == 1
        and isinstance(node.elts[0], ast.Starred)
    ):
        return node.elts[0].value
    if (
        isinstance(node, ast.Call)
        and v.dotted(node.func) in (("list",), ("sorted",), ("tuple",))
        and node.args
    ):
        return node.args[0]
    return None


def _iterated(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.Call) and v.dotted(node.func) == ("iter",) and len(node.args) == 1:
        return node.args[0]
    return None


def _is_mapping(context: Context, node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in ("keys", "values", "items") or node.args:
            return False
        node = node.func.value
    return any(context.is_mapping(path) for path in v.paths(context.flow.evaluate(node)))


def _filtered_by_stage(context: Context, node: ast.Name) -> bool:
    """Whether a local is a list of ids that were filtered by the stage range."""
    return any(_stage_filter(value) for value in context.flow.evaluate(node))


def _stage_filter(value: Value) -> bool:
    if value.kind != v.BUILT or not isinstance(value.node, (ast.ListComp, ast.GeneratorExp)):
        return False
    names = {
        name for generator in value.node.generators for test in generator.ifs for name in v.names_in(test)
    }
    return any(map(is_start, names)) and any(map(is_end, names))


def _tested(context: Context, subject: ast.expr, error: str) -> bool:
    """Whether the error is caught, or some condition on the path speaks of the same dictionary or list."""
    if context.flow.caught & {error, *_CATCHES}:
        return True
    asked = {ast.dump(subject)}
    if isinstance(subject, ast.Call) and isinstance(subject.func, ast.Attribute):
        asked.add(ast.dump(subject.func.value))
    tests = [atom.test for atom in context.flow.guards]
    names = (part for test in tests for part in ast.walk(test) if isinstance(part, ast.Name))
    tests += [stands_for for name in names if (stands_for := meant(context.flow.env, name)) is not None]
    parts = [part for test in tests for part in ast.walk(test)]
    if any(ast.dump(part) in asked for part in parts):
        return True
    counts = {
        path for part in parts if isinstance(part, ast.Attribute) and (path := v.dotted(part)) is not None
    }
    return bool(counts) and any(
        (*path[:-1], name) in counts
        for path in v.paths(context.flow.evaluate(_keyed(subject)))
        for name in _counters(context, path)
    )


def _keyed(subject: ast.expr) -> ast.expr:
    """The dictionary of `mapping.keys()`."""
    call = isinstance(subject, ast.Call) and isinstance(subject.func, ast.Attribute)
    return subject.func.value if call else subject  # type: ignore[attr-defined]


def _counters(context: Context, path: tuple[str, ...]) -> Iterator[str]:
    """The attributes in which the classes that keep a dictionary keep how many entries it has."""
    project = context.project
    known = project.types_of(context.place, path[:-1])
    for owner in sorted(known) or mapping_keepers(project, path[-1]):
        for one in project.mro(owner):
            attributes = project.classes[one]["attrs"]
            keys = [
                ["self", path[-1]],
                *(entry["keys"] for entry in attributes.get(path[-1], ()) if "keys" in entry),
            ]
            for name, entries in attributes.items():
                if any(entry["v"] == ["count", ["path", key]] for entry in entries for key in keys):
                    yield name
