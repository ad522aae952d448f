"""Modules that hypothesis writes: the shapes that rules know, nested, laid out and encoded at random."""

from __future__ import annotations

import codecs
import textwrap
from typing import NamedTuple

from generated_classes import classes
from hypothesis import strategies as st

POOL = """\
class SamplePool:
    def __init__(self, layer_num, start_layer=None, end_layer=None):
        self.layer_num = layer_num
        self.start_layer = start_layer or 0
        self.end_layer = end_layer or layer_num
        self.k_buffer = [None for _ in range(layer_num)]
        self.v_buffer = [None for _ in range(layer_num)]

    def get_key_buffer(self, layer_id: int):
        return self.k_buffer[layer_id - self.start_layer]

    def get_value_buffer(self, layer_id: int):
        return self.v_buffer[layer_id - self.start_layer]
"""

MODEL = """\
from sglang.srt.layers.sample_utils import make_layers


class SampleModel:
    def __init__(self, config, pp_group):
        self.layers, self.start_layer, self.end_layer = make_layers(
            config.num_hidden_layers,
            lambda idx, prefix: DecoderLayer(config, layer_id=idx),
            pp_rank=pp_group.rank_in_group,
            pp_size=pp_group.world_size,
        )

    def forward(self, input_ids, pp_proxy_tensors=None):
        for layer in self.layers[self.start_layer : self.end_layer]:
            input_ids = layer(input_ids)
        return input_ids
"""

UTILS = """\
def make_layers(num_hidden_layers, layer_fn, pp_rank=None, pp_size=None):
    layers = [layer_fn(i, "") for i in range(num_hidden_layers)]
    if pp_rank is None:
        return layers
    return layers, 0, num_hidden_layers
"""

OVERLAP = """\
def run_overlapped(layers, size):
    kind = layers[0].mlp
    return [layer.mlp.id for layer in layers if kind]
"""

FILES = {
    "srt/batch_overlap/sample_overlap.py": OVERLAP,
    "srt/mem_cache/sample_pool.py": POOL,
    "srt/models/sample_model.py": MODEL,
    "srt/layers/sample_utils.py": UTILS,
}

HEAD = """\
from functools import partial
from sglang.srt.batch_overlap.sample_overlap import run_overlapped
from sglang.srt.mem_cache.sample_pool import SamplePool
from sglang.srt.models.sample_model import SampleModel

"""


class Written(NamedTuple):
    """A module: its bytes, its text with LF ends, and its functions that are right on every rank after fixes.

    For `repairable` the safe fixes do, for `unsafely` it takes the unsafe ones, and that each finding has a fix.
    """

    data: bytes
    text: str
    repairable: frozenset[str]
    unsafely: frozenset[str]


_ZEROS = ("0", "(0)", "((0))", "0x0", "0o0", "0_0", "00", "layer_id=0", "layer_id = (0)")
_POOLS = ("pool", "runner.token_to_kv_pool", "pool", "runner . token_to_kv_pool")
_METHODS = ("get_key_buffer", "get_value_buffer")
_TAILS = ("", ".shape", ".shape[-1]", ".dtype", ".shape[0]")
_SAFE = st.sampled_from(("call", "call", "call", "nested", "layers", "twice"))
_RIGHT = (
    "pool.get_key_buffer(pool.start_layer)",
    "pool.v_buffer[0].shape",
    "[pool.get_value_buffer(i) for i in range(pool.start_layer, pool.end_layer)]",
    "[layer.mlp.id for layer in model.layers[model.start_layer : model.end_layer]]",
    "pool.get_key_buffer(0) if group.is_first_rank else None",
    "model.layers[model.start_layer].mlp.id",
    "len(model.layers)",
    "pool.layer_num",
    "'# pool.get_key_buffer(0)'",
)
_UNSAFE = (
    "pool.get_value_buffer(-1).shape",
    "model.layers[-1].mlp.id",
    "[layer.mlp.id for layer in model.layers]",
    "[model.layers[i].mlp.id for i in range(len(model.layers))]",
    "[(i, layer.mlp.id) for i, layer in enumerate(model.layers)]",
    "[layer.mlp.id for layer in model.layers[0 : model.end_layer]]",
    "[model.layers[i].mlp.id for i in range(0, model.end_layer)]",
)
_OTHER = (
    *_UNSAFE,
    "[model.layers[i].mlp.id for i in range( # all\n model.end_layer)]",
    "[model.layers[i].mlp.id for i in range((model.end_layer))]",
    "[(i, layer.self_attn) for i, layer in enumerate(model.layers)]",
    "(lambda: pool)().get_value_buffer(0).shape",
    "(chosen := pool).get_value_buffer(0).shape",
    "pool.get_value_buffer(*[0])",
    "pool.get_value_buffer(**{'layer_id': 0})",
    "[pool][0].get_key_buffer(0)",
    "pool.get_value_buffer(1 - 1)",
    "pool.get_value_buffer(2)",
    "partial(pool.get_value_buffer, 0)()",
    "getattr(pool, 'get_value_buffer')(0)",
    "[pool.v_buffer[i] for i in range(pool.start_layer, pool.end_layer)]",
    "[pool.get_key_buffer(i) for i in range(pool.layer_num)]",
    "[i for i in range(pool.start_layer, pool.end_layer + 1)]",
    "[pool.get_key_buffer(i) for i, _ in enumerate(pool.k_buffer)]",
    "f'{pool.get_key_buffer(0)!r:>{4}}'",
)


@st.composite
def _argument(draw: st.DrawFn) -> str:
    zero = draw(st.sampled_from(_ZEROS))
    layout = draw(st.integers(0, 9))
    if layout == 7:
        return f"\n{zero},  # first layer é\n"
    if layout == 8:
        return f"  # why 0?\n  {zero}\n  # after\n"
    return f" {zero} , " if layout == 9 else zero


@st.composite
def _safe(draw: st.DrawFn) -> str:
    """An expression that a safe fix makes right on every rank."""
    kind = draw(_SAFE)
    pool, method = draw(st.sampled_from(_POOLS)), draw(st.sampled_from(_METHODS))
    call = f"{pool}.{method}({draw(_argument())}){draw(st.sampled_from(_TAILS))}"
    if kind == "nested":
        return f"[{call}, {{'ключ': {draw(_safe())}}}, ({call})]"
    if kind == "layers":
        return f"model.layers[{draw(st.sampled_from(_ZEROS[:4]))}].mlp.id"
    if kind == "twice":
        return f"({pool}.get_key_buffer(0) == {pool}.get_value_buffer(0))"
    return call


_EXPRESSION_WRAPS = (
    "{0}", "({0})", "[{0} for _ in range(2)]", "(lambda: {0})()", "{0} if out is not None else None", "[*[{0}]]",
    "(group and {0})", "dict(a={0})", "(kept := {0})", "[[{0}] for a in (1,) for b in (a, 2) if b]", "str({0})",
    "(not {0})", "('é😀', {0})", "{{'a': {0}}}['a']", "next(x for x in [{0}])", "max([1], key=lambda _: bool({0}))",
)  # fmt: skip
_STATEMENTS = (
    "out.append({0})", "value = {0}\nout.append(value)", "out.extend([{0}])", "assert object() != ({0})",
    "out.append('😀é'); out.append({0})", "a, b = {0}, 1\nout.append(a)", "out.append(\\\n  {0})",
    "held = [None]\nheld[0] = {0}\nout.append(held)", "print({0}, file=None) if out is None else out.append(1)",
    "typed: object = {0}\nout.append(typed)",
)  # fmt: skip
_BLOCKS = (
    "if out is not None:\n{0}", "if out is None:\n    pass\nelse:\n{0}", "for turn in range(2):\n{0}",
    "while True:\n{0}\n    break", "try:\n{0}\nfinally:\n    out.append('end')",
    "def inner(word='x'):\n{0}\ninner()", "match out:\n    case list():\n{1}",
    "if pool.start_layer > 99:\n    pass\nelif out is not None:\n{0}", "for turn in ():\n    pass\nelse:\n{0}",
    "try:\n{0}\nexcept KeyError:\n    raise", "with open('/dev/null') as none, open('/dev/null'):\n{0}",
)  # fmt: skip


_NOTES = ("", "", "  # note", "  # ignore 0 é")
_MARKED = (
    *_NOTES,
    "  # pplint: ignore[PPL101] é",
    "  # pplint: ignore[PPL101, PPL301] x",
    "  # a # pplint: ignore[PPL9] x",
)


@st.composite
def _statement(draw: st.DrawFn, pieces: st.SearchStrategy[str], depth: int, notes: tuple[str, ...]) -> str:
    if depth and draw(st.integers(0, 2)) == 0:
        body = "\n".join(draw(st.lists(_statement(pieces, depth - 1, notes), min_size=1, max_size=2)))
        block = draw(st.sampled_from(_BLOCKS))
        return block.format(textwrap.indent(body, " " * 4), textwrap.indent(body, " " * 8))
    expression = draw(pieces)
    for _ in range(draw(st.integers(0, 2))):
        expression = draw(st.sampled_from(_EXPRESSION_WRAPS)).format(expression)
    lines = draw(st.sampled_from(_STATEMENTS)).format(expression).split("\n")
    if not lines[-1].endswith("\\") and "\\" not in "".join(lines):
        lines[-1] += draw(st.sampled_from(notes))
    return "\n".join(lines)


@st.composite
def _function(draw: st.DrawFn, name: str, kind: str) -> str:
    """A function of which all that is wrong has a fix: a `safe` or an `unsafe` one; or of `any` code."""
    right = st.sampled_from(_RIGHT)
    pieces = {
        "safe": st.one_of(_safe(), _safe(), right),
        "unsafe": st.one_of(_safe(), st.sampled_from(_UNSAFE), right),
        "any": st.one_of(st.sampled_from(_OTHER), st.sampled_from(_OTHER), right, _safe()),
    }[kind]
    notes = _MARKED if kind == "any" else _NOTES
    body = draw(st.lists(_statement(pieces, 2, notes), min_size=1, max_size=4))
    signature = draw(
        st.sampled_from(
            (
                "pool, model: SampleModel, runner, group, out",
                "pool: SamplePool, model: SampleModel, runner, group, out",
            )
        )
    )
    return f"def {name}({signature}):\n" + textwrap.indent("\n".join(body), " " * 4) + "\n"


@st.composite
def modules(draw: st.DrawFn) -> Written:
    """A module of a few functions `case_<n>(pool, model, runner, group, out)`, some of them with a class."""
    parts = [HEAD]
    repairable: dict[str, set[str]] = {"safe": set(), "unsafe": set(), "any": set()}
    for number in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(("safe", "safe", "unsafe", "any", "class")))
        if kind == "class":
            written = draw(classes(number))
            kind = "safe" if written.safe else "unsafe"
            parts.append(written.text)
        else:
            parts.append(draw(_function(f"case_{number}", kind)))
        repairable[kind].add(f"case_{number}")
    text = _compilable(draw(st.sampled_from(("\n", "\n\n", "\n\x0c\n"))).join(parts))
    return Written(*draw(_bytes(text)), frozenset(repairable["safe"]), frozenset(repairable["unsafe"]))


def _compilable(text: str) -> str:
    """Take the walrus out where it stands in a comprehension's iterable, which only the compiler refuses."""
    try:
        compile(text, "case.py", "exec")
    except SyntaxError:
        return text.replace("kept := ", "").replace("chosen := ", "")
    return text


@st.composite
def _bytes(draw: st.DrawFn, text: str) -> tuple[bytes, str]:
    encoding = draw(
        st.sampled_from(("utf-8", "utf-8", "utf-8-bom", "latin-1", "cp1252", "koi8-r", "shift_jis"))
    )
    if encoding not in ("utf-8", "utf-8-bom"):
        text = f"# -*- coding: {encoding} -*-\n" + text.replace("😀", "")
        text = text.encode(encoding, "ignore").decode(encoding)
    if draw(st.integers(0, 3)) == 0:
        text = "".join(
            "\t" * ((len(line) - len(line.lstrip(" "))) // 4) + line.lstrip(" ")
            if (len(line) - len(line.lstrip(" "))) % 4 == 0
            else line
            for line in text.splitlines(keepends=True)
        )
    ends = draw(st.sampled_from(("\n", "\n", "\r\n", "\r", "mixed")))
    lines = text.split("\n")
    if ends == "mixed":
        picked = draw(st.lists(st.sampled_from(("\n", "\r\n")), min_size=7, max_size=7))
        laid = "".join(line + picked[n % 7] for n, line in enumerate(lines[:-1])) + lines[-1]
    else:
        laid = ends.join(lines)
    if draw(st.booleans()):
        laid = laid.rstrip("\r\n")
    if encoding == "utf-8-bom":
        return codecs.BOM_UTF8 + laid.encode(), text
    return laid.encode(encoding), text
