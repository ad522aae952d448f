"""PPL501: an attribute is read from a module that is not there on this stage."""

from __future__ import annotations

import ast
import re

from pplint.engine import values as v
from pplint.engine.context import Context
from pplint.engine.declarations import given_for
from pplint.engine.elements import PLACEHOLDER_ATTRIBUTES, guarded
from pplint.engine.guards import FIRST, last_name
from pplint.engine.modules import StageModule, stage_modules_of
from pplint.engine.values import Value
from pplint.engine.vocabulary import DRAFT
from pplint.finding import ERROR, INFO
from pplint.rules.asking import in_lambda, kept_away, leaves_only, module_asks
from pplint.rules.base import Example, Rule, RuleInfo
from pplint.rules.heads import tied_value
from pplint.rules.missing import level_of, module_step, placeholder, stages_without
from pplint.rules.samples import LAYERS, UTILS
from pplint.rules.why import no_test
from pplint.source.blocks import all_blocks

INFO_TEXT = RuleInfo(
    code="PPL501",
    name="missing-stage-module",
    severity=ERROR,
    precision="high",
    summary="an attribute is read from a module that only some stages have",
    what=(
        "`embed_tokens`, `norm`, `lm_head` and the like are real on the first or on the last stage only; elsewhere the "
        "attribute holds a placeholder (or None). Here an attribute of such a module is read where no test says that "
        "this is the right stage."
    ),
    why=(
        "The placeholder hands its input on but has none of the module's attributes: `embed_tokens.embedding_dim` "
        "raises AttributeError on every stage but the first, while the model is built or at the first request."
    ),
    how=(
        "Take the number from the configuration (`config.hidden_size`), or read it under the test of the stage "
        "(`pp_group.is_first_rank`), of the module (`isinstance(x, PPMissingLayer)`) or of the attribute (`hasattr`)."
    ),
    silent=(
        "Reads under a test of the stage or of the module, calls of the module, attributes that every module has, "
        "attributes that are set, modules that every stage has, encoders, draft models. Getters of the weights that "
        "only the speculative workers call, and classes that do not accept pipeline parallelism, are info."
    ),
    examples=(
        Example(
            title="A width is read from the embedding",
            bad="""\
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)
        self.width = self.model.embed_tokens.embedding_dim  # PPL501

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)
""",
            files=(LAYERS, UTILS),
        ),
        Example(
            title="The stage, the module or the attribute is tested first",
            good="""\
from sglang.srt.layers.sample_utils import PPMissingLayer
from sglang.srt.models.sample_model import SampleModel


class SampleForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)
        self.width = config.hidden_size

    def width_of_first_stage(self, pp_group):
        return self.model.embed_tokens.embedding_dim if pp_group.is_first_rank else None

    def width_if_here(self):
        if isinstance(self.model.embed_tokens, PPMissingLayer):
            return None
        return self.model.embed_tokens.embedding_dim

    def drop_weight(self):
        if hasattr(self.model.embed_tokens, "weight"):
            del self.model.embed_tokens.weight

    def embed(self, input_ids):
        return self.model.embed_tokens(input_ids)
""",
            files=(LAYERS, UTILS),
        ),
    ),
)

_EMBEDS_MEDIA = r"^_?(get|encode|process|embed)_\w*(image|video|audio|vision|multimodal|mm_|speech)"
_TESTS = ("is_first_rank", "is_last_rank", "PPMissingLayer", "hasattr")
_TOWER = r"(vis(ion|ual)|image|audio|video|speech|encoder|tower|projector|linear_proj|pos_embed)"


class MissingStageModule(Rule):
    """Judges reads of attributes."""

    info = INFO_TEXT

    def attribute(self, context: Context, node: ast.Attribute) -> None:
        """Look for a module that is not there on every stage."""
        if context.draft or isinstance(node.ctx, ast.Store) or _harmless(node.attr):
            return
        for value in context.flow.evaluate(node.value):
            if value.kind != v.PATH or len(value.data) < 2 or _is_beside(value.data[-1]):
                continue
            module = stage_modules_of(context.project, context.place, value.data)
            if module is None or _here(context, module, value) or _own(context, module, node.attr):
                continue
            if (
                guarded(context, node.value)
                or _not_none(context, module, node.value)
                or tied_value(context.flow.statement, node)
            ):
                continue
            self._report(context, node, module)
            return

    def call(self, context: Context, node: ast.Call) -> None:
        """A method is read before it is called: told where the function has no such read before."""
        if isinstance(node.func, ast.Attribute) and not _reported(context, self, node.func):
            self.attribute(context, node.func)

    def _report(self, context: Context, node: ast.Attribute, module: StageModule) -> None:
        severity, condition = level_of(context, module)
        if severity == INFO and _reported(context, self, node):
            return
        if severity == ERROR and _deferred(context, node):
            severity, condition = INFO, "read when the lambda is called, perhaps on the right stage only"
        consequence = "AttributeError" if module.placeholder != "None" else "AttributeError on None"
        spared = kept_away(context) - module.real_on
        where = _in_between(context, node) if spared else "there"
        message = (
            f"`{ast.unparse(node)}` is read where no test says that this is {_right_stage(module)}: `{module.attribute}` is "
            f"{placeholder(module)} on {stages_without(module)}, {consequence} {where}{_right_form(context, node, module)}"
            f"{f' ({condition})' if condition else ''}"
        )
        context.report(
            self, node, message, severity=severity,
            trace=[module_step(context, module), no_test(context, node, _tests_of(module))],
            no_fix="whether the value is needed on every stage, and where it then comes from, is for the author to say",
            asks=module_asks(context, module.surely_on),
        )  # fmt: skip


def _in_between(context: Context, node: ast.Attribute) -> str:
    """The stages that no test keeps away, and whether they have to be sent something before they get here."""
    where = "on the stages in between, which come here too"
    for block in all_blocks(context.flow.functions[-1]) if context.flow.functions else ():
        before = [one for one in block if getattr(one, "end_lineno", 0) < node.lineno]
        if len(before) < len(block) and node.lineno <= (block[len(before)].end_lineno or 0):
            if any(last_name(one.value) == "recv" for one in before if isinstance(one, ast.Assign)):
                return f"{where} if what they wait for is sent to them"
    return where


def _tests_of(module: StageModule) -> str:
    rank = " or ".join(f"`pp_group.is_{one}_rank`" for one in sorted(module.surely_on))
    return f"the stage, as {rank} would, or the module itself, as `isinstance` or `hasattr` would"


def _here(context: Context, module: StageModule, value: Value) -> bool:
    """Whether a test says that this is a stage that has the module; only the first one embeds images and the like."""
    function = context.flow.functions[-1].name if context.flow.functions else ""
    if FIRST in module.real_on and re.match(_EMBEDS_MEDIA, function):
        return True
    return leaves_only(context, module.real_on, value)


def _not_none(context: Context, module: StageModule, subject: ast.expr) -> bool:
    """Whether a test says that an attribute which may be None is there."""
    if module.placeholder != "None":
        return False
    wanted = ast.dump(subject)
    for test, holds in context.flow.guards:
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and ast.dump(test.left) == wanted:
            none = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
            if none and isinstance(test.ops[0], (ast.IsNot, ast.NotEq)) is holds:
                return True
        elif holds and ast.dump(test) == wanted:
            return True
    return False


def _reported(context: Context, rule: Rule, node: ast.Attribute) -> bool:
    """Whether the method has its info already: one says all."""
    line = context.flow.functions[-1].lineno if context.flow.functions else 0
    return any(
        one.code == rule.info.code
        and one.symbol == context.flow.symbol
        and line <= one.span.line < node.lineno + 1
        for one in context.findings
    )


def _deferred(context: Context, node: ast.Attribute) -> bool:
    statement = context.flow.statement
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)):
        return False
    return in_lambda(context, node)


def _right_stage(module: StageModule) -> str:
    return " or ".join(f"the {one} stage" for one in sorted(module.surely_on))


def _is_beside(name: str) -> bool:
    """Whether an attribute is called like an encoder, or like what runs a draft model: neither is split over stages."""
    return re.search(_TOWER, name) is not None or DRAFT.search(name) is not None


def _harmless(attribute: str) -> bool:
    return attribute in PLACEHOLDER_ATTRIBUTES or attribute.startswith("__")


def _own(context: Context, module: StageModule, attribute: str) -> bool:
    """Whether the placeholder's class has the attribute."""
    found = context.project.resolve_class(context.project.module_of(module.owner), [module.placeholder])
    if found is None:
        return False
    return any(
        attribute in context.project.classes[one][kind]
        for one in context.project.mro(found)
        for kind in ("attrs", "methods")
    )


def _right_form(context: Context, node: ast.Attribute, module: StageModule) -> str:
    argument = _built_with(context, node, module)
    if argument:
        return f"; it is built with `{argument}`"
    line = _guarded_peer(context, node)
    return f"; line {line} reads it under a test of the stage" if line else ""


def _built_with(context: Context, node: ast.Attribute, module: StageModule) -> str:
    """The constructor argument that the module keeps under the attribute's name, as the class writes it."""
    if module.owner != context.class_id or not context.flow.classes:
        return ""
    for statement in ast.walk(context.flow.classes[-1]):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        if any(v.dotted(target) == ("self", module.attribute) for target in statement.targets):
            call = statement.value
            path = v.dotted(call.func)
            built = context.project.resolve_class(context.module, path) if path else None
            argument = _argument(context, built, call, node.attr) if built else None
            if argument is not None:
                return ast.unparse(argument)
    return ""


def _argument(context: Context, built: str, call: ast.Call, attribute: str) -> ast.expr | None:
    constructor = context.project.method(built, "__init__")
    if constructor is None:
        return None
    owner, facts = constructor
    for entry in context.project.classes[owner]["attrs"].get(attribute, ()):
        if entry["v"][0] == "path" and len(entry["v"][1]) == 1:
            name = entry["v"][1][0]
            return given_for(facts, name, call)
    return None


def _guarded_peer(context: Context, node: ast.Attribute) -> int:
    """The line of another place in the class that tests the stage or the module before it reads the same, or 0."""
    if not context.flow.classes:
        return 0
    wanted = ast.dump(node.value)
    methods = [
        part
        for part in context.flow.classes[-1].body
        if f".{last_name(node.value)}." in (text := context.text_of(part))
        and any(word in text for word in _TESTS)
    ]
    for test in (part for method in methods for part in ast.walk(method)):
        if isinstance(test, (ast.If, ast.IfExp)) and _tests_stage(test.test, wanted):
            for part in ast.walk(test):
                if isinstance(part, ast.Attribute) and part is not node and ast.dump(part.value) == wanted:
                    return part.lineno
    return 0


def _tests_stage(test: ast.expr, subject: str) -> bool:
    names = {last_name(part) for part in ast.walk(test) if isinstance(part, (ast.Attribute, ast.Name))}
    return not names.isdisjoint(_TESTS[:3]) or (
        "hasattr" in names and any(ast.dump(part) == subject for part in ast.walk(test))
    )
