"""Classes that hypothesis lays out: pools, backends, models and loaders of one mistake each, and code that runs them."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

from hypothesis import strategies as st


class Shape(NamedTuple):
    """A class named `Case<n>` with a mistake, and the statements that run it.

    `{n}` is its number, `{wrong}` one of the spellings of the mistake. `safe` says which fixes make it right on
    every rank: the safe ones, or (False) the unsafe ones.
    """

    text: str
    spellings: tuple[str, ...]
    runs: str
    safe: bool


SHAPES = {
    "PPL202": Shape(
        """\
class Case{n}:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)

    def named_parameters(self):
        owned = range(self.model.start_layer, self.model.end_layer)
        return [(f"model.layers.{{i}}.w", i) for i in owned]

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)

    def load(self, out):
        params_dict = dict(self.named_parameters())
        out.append(params_dict[{wrong}])
""",
        ('"model.layers.0.w"', "'model.layers.0.w'", "( # é\n            'model.layers.0.w')"),
        "Case{n}(group, group).load(out)",
        False,
    ),
    "PPL203": Shape(
        """\
class Case{n}(SampleModel):
    def forward(self, input_ids, pp_proxy_tensors=None):
        return run_overlapped({wrong})
""",
        ("self.layers, 1", "(self.layers), 1", "\n            self.layers,  # all\n            1",
         "size=1, layers=self.layers"),
        "out.append(Case{n}(group, group).forward(1))",
        False,
    ),
    "PPL301": Shape(
        """\
class Case{n}(SampleModel):
    def ids(self, out):
        for {wrong}:
            out.append(found.mlp.id)
""",
        ("found in self.layers", "at, found in enumerate(self.layers)", "found in ( # é\n            self.layers)"),
        "Case{n}(group, group).ids(out)",
        False,
    ),
    "PPL401": Shape(
        """\
class Case{n}(SamplePool):
    def read(self, layer, out):
        layer_id = layer.layer_id
        out.append(self.k_buffer[{wrong}].shape)
""",
        ("layer_id", "(layer_id)", " layer_id # é\n            ", "layer.layer_id", "layer . layer_id"),
        "Case{n}(pool.layer_num, pool.start_layer, pool.end_layer).read(\n"
        "    model.layers[model.start_layer].self_attn, out)",
        True,
    ),
    "PPL402": Shape(
        """\
class Case{n}(SamplePool):
    def shapes(self, out):
        out.append([self.get_key_buffer(i).shape for i in {wrong}])
""",
        ("range(self.layer_num)", "range( self.layer_num )", "range(\n            self.layer_num\n        )"),
        "Case{n}(pool.layer_num, pool.start_layer, pool.end_layer).shapes(out)",
        False,
    ),
    "PPL601": Shape(
        """\
class Case{n}:
    def __init__(self, pool: SamplePool):
        self.pool = pool
        self.plan = None

    def forward(self, layer, out):
        key = self.pool.get_value_buffer(layer.layer_id)
        if {wrong}:
            self.plan = key
        out.append(self.plan.shape)
""",
        ("layer.layer_id == 0", "0 == layer.layer_id", "(layer.layer_id) == (0)", "not layer.layer_id != 0",
         "layer.layer_id == ( # é\n            0)", "out is not None and layer.layer_id == 0"),
        "one = Case{n}(pool)\n"
        "for layer in model.layers[model.start_layer : model.end_layer]:\n"
        "    one.forward(layer.self_attn, out)",
        True,
    ),
    "PPL602": Shape(
        """\
class Case{n}(SampleModel):
    def ids(self):
        return [self.layers[i].mlp.id for i in {wrong}]
""",
        ("range(0, self.end_layer)", "range(self.end_layer)", "range( 0,\n            self.end_layer)"),
        "out.append(Case{n}(group, group).ids())",
        False,
    ),
    "PPL702": Shape(
        """\
class Case{n}{wrong}:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)

    # é
    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)


EntryClass = Case{n}
""",
        ("", "()", "(object)"),
        "one = Case{n}(group, group)\nout.append((one.start_layer, one.end_layer))",
        False,
    ),
}  # fmt: skip


class WrittenClass(NamedTuple):
    """A class, and a function `case_<n>` that runs it."""

    text: str
    safe: bool


@st.composite
def classes(draw: st.DrawFn, number: int) -> WrittenClass:
    """One class and its function."""
    shape = SHAPES[draw(st.sampled_from(sorted(SHAPES)))]
    text = shape.text.format(n=number, wrong=draw(st.sampled_from(shape.spellings)))
    if draw(st.booleans()):
        text = _commented(text, draw(st.integers(0, 9)))
    runs = textwrap.indent(shape.runs.format(n=number), "    ")
    function = f"def case_{number}(pool, model: SampleModel, runner, group, out):\n{runs}\n"
    return WrittenClass(f"{text}\n\n{function}", shape.safe)


def _commented(text: str, nth: int) -> str:
    """Put a comment, in which nothing is to be changed, at the end of a line that a statement begins."""
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line.endswith(":") or line.startswith("        ")]
    at = starts[nth % len(starts)]
    if not lines[at].endswith(("(", ",")) and "#" not in lines[at]:
        lines[at] += "  # layers[0], é"
    return "\n".join(lines)
