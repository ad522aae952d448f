"""Each duty in each of its states, in small files of our own, through the command line."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from pplint.readiness.duties import COLUMNS
from ready_models_in_small import (
    CALL,
    EMBEDDING,
    FILTER,
    HEAD,
    LOOP,
    MODEL,
    NORM,
    PROPERTIES,
    PROXY_READ,
    SPLIT,
    UNSPLIT,
    changed,
    rows_below,
    tree_with,
    with_line_before_norm,
    with_method,
)


class Case(NamedTuple):
    """What the code does, its text, and the cell of a duty: state, rule, a piece of its line or of its reason."""

    does: str
    text: str
    duty: str
    state: str
    code: str
    said: str


UNKNOWN_INNER = changed(
    ("self.model = ReedModel(config, pp_group)", "self.model = chosen(config)(config, pp_group)")
)
ONE_HEAD = changed((HEAD, "        self.lm_head = ParallelLMHead(config)\n\n"))
WHOLE_EMBEDDING = (EMBEDDING, "        self.embed_tokens = VocabEmbedding(config)\n")
NO_GUARD = ("pp_group.world_size == 1 and ", "")
READS_WIDTH = with_line_before_norm("self.width = self.embed_tokens.width")
PACKED = """\
more = {'pp_proxy_tensors': pp_proxy_tensors}
        hidden_states = self.model(input_ids, forward_batch, **more)"""
FORWARD = "    def forward(self, input_ids, forward_batch, pp_proxy_tensors=None):"
INNER = "        self.model = ReedModel(config, pp_group)\n"
ASSIGNED = """\
        self.start_layer = self.model.start_layer
        self.end_layer = self.model.end_layer

"""
MAKES_EMBEDDING = """\
    def make_embedding(self, config):
        if not self.pp_group.is_first_rank:
            return PPMissingLayer()
        return VocabEmbedding(config)


"""
LITERAL = with_method("def width(self):", "return self.model.layers[0].mlp.width")

PROXIES = [
    Case("forward reads proxies and hands on", MODEL, "proxies", "met", "", PROXY_READ),
    Case(
        "the constructor asks for a single stage",
        changed((INNER, "        assert pp_group.world_size == 1\n" + INNER)),
        "proxies", "missing", "", "assert pp_group.world_size == 1",
    ),
    Case(
        "the inner model's constructor asks for a single stage",
        changed((EMBEDDING, "        pp_size = pp_group.world_size\n        assert pp_size == 1\n" + EMBEDDING)),
        "proxies", "missing", "", "`ReedForCausalLM` cannot be made on several stages",
    ),
    Case(
        "the constructor asks for a single stage under a flag",
        changed((INNER, "        if config.fused:\n            assert pp_group.world_size == 1\n" + INNER)),
        "proxies", "met", "", PROXY_READ,
    ),
    Case(
        "forward does not take proxies",
        changed((", pp_proxy_tensors=None", ""), (CALL, "self.model(input_ids, forward_batch)")),
        "proxies", "missing", "", "def forward(self, input_ids, forward_batch):",
    ),
    Case(
        "forward takes proxies and drops them",
        changed((CALL, "self.model(input_ids, forward_batch)")),
        "proxies", "missing", "", "does nothing with them",
    ),
    Case(
        "the inner forward drops them",
        changed((PROXY_READ, "hidden_states = None")), "proxies", "missing", "", "`ReedModel.forward` takes",
    ),
    Case(
        "proxies arrive under another name",
        changed((CALL, "self.model(input_ids, pp_proxy_tensors)")), "proxies", "missing", "", "as `forward_batch`",
    ),
    Case(
        "proxies are given to the first owned layer",
        changed((PROXY_READ, "hidden_states = self.layers[self.start_layer].entry.take(pp_proxy_tensors)")),
        "proxies", "met", "", "entry.take(pp_proxy_tensors)",
    ),
    Case(
        "proxies are read and nothing is handed on",
        changed(('            return PPProxyTensors({"hidden_states": hidden_states})\n', "            pass\n")),
        "proxies", "unknown", "", "nothing is seen that hands on",
    ),
    Case(
        "proxies go through a routine to the language model",
        changed(
            ("from sglang.srt.l", "from sglang.srt.managers.routine import embed_and_run\nfrom sglang.srt.l"),
            (CALL, "embed_and_run(input_ids, language_model=self.model, pp_proxy_tensors=pp_proxy_tensors)"),
        ),
        "proxies", "met", "", PROXY_READ,
    ),
    Case(
        "proxies travel in a dictionary",
        changed(
            (f"hidden_states = {CALL}", PACKED),
        ),
        "proxies", "met", "", PROXY_READ,
    ),
    Case(
        "the forward is that of an inner model",
        changed(
            (f"{FORWARD}\n        hidden", "    def run(self):\n        hidden"),
            (INNER, f"{INNER}        self.forward = self.model.forward\n"),
        ),
        "proxies", "met", "", PROXY_READ,
    ),
    Case("proxies go to an unknown class", UNKNOWN_INNER, "proxies", "unknown", "", "which is not known"),
]  # fmt: skip

SPLITS = [
    Case("the maker is told the stage", MODEL, "split", "met", "", "self.layers, self.start_layer"),
    Case("the maker is not told", changed((SPLIT, UNSPLIT)), "split", "missing", "PPL303", "self.layers = make"),
    Case(
        "the maker is told stage 0 of 1",
        changed(("pp_rank=pp_group.rank_in_group", "pp_rank=0")), "split", "missing", "", "`pp_rank=0` on every stage",
    ),
    Case("the list is not in view", UNKNOWN_INNER, "split", "unknown", "", "class ReedForCausalLM"),
]  # fmt: skip

RANGES = [
    Case("the range is exposed by properties", MODEL, "range", "met", "", "def start_layer(self):"),
    Case("the range is hidden", changed((PROPERTIES, "")), "range", "missing", "PPL702", "class ReedForCausalLM:"),
    Case(
        "only the start is exposed",
        changed((PROPERTIES[PROPERTIES.rindex("    @property") :], "")), "range", "missing", "", "no `end_layer`",
    ),
    Case(
        "the range is a number",
        changed(("        return self.model.start_layer\n", "        return 0\n")), "range", "missing", "", "the number 0",
    ),
    Case(
        "the inner model has none",
        changed(("self.layers, self.start_layer, self.end_layer = make", "self.layers, self.first, self.stop = make")),
        "range", "missing", "", "which has none",
    ),
    Case(
        "the range is assigned",
        changed((PROPERTIES, ""), (HEAD, ASSIGNED)),
        "range", "met", "", "self.start_layer = self.model.start_layer",
    ),
    Case(
        "the range is forwarded",
        changed((PROPERTIES, "    def __getattr__(self, name):\n        return getattr(self.model, name)\n\n")),
        "range", "met", "", "def __getattr__",
    ),
    Case(
        "the range is forwarded from something unknown",
        changed(
            (HEAD, "\n"),
            (PROPERTIES, "    def __getattr__(self, name):\n        return getattr(self.model, name)\n\n"),
            text=UNKNOWN_INNER,
        ),
        "range", "unknown", "", "def __getattr__",
    ),
]  # fmt: skip

ENDS = [
    Case("the ends are placed by stage", MODEL, "ends", "met", "", "self.embed_tokens = VocabEmbedding"),
    Case("the embedding is everywhere", changed(WHOLE_EMBEDDING), "ends", "missing", "", "self.embed_tokens = Voc"),
    Case("the head is everywhere", ONE_HEAD, "ends", "missing", "", "self.lm_head = ParallelLMHead"),
    Case("a width is read", READS_WIDTH, "ends", "missing", "PPL501", "self.width = self.embed_tokens.width"),
    Case(
        "a method builds the embedding of the first stage",
        changed(
            (EMBEDDING, "        self.embed_tokens = self.make_embedding(config)\n"),
            ("class ReedForCausalLM", f"{MAKES_EMBEDDING}class ReedForCausalLM"),
        ),
        "ends", "met", "", "self.embed_tokens = self.make_embedding",
    ),
    Case("no norm is in view", changed(("self.norm", "self.finish")), "ends", "unknown", "", "no norm"),
]  # fmt: skip

TIED = [
    Case("a tie is guarded", MODEL, "tied", "met", "", "self.lm_head = self.model.embed_tokens"),
    Case(
        "the loader leaves the tied head out",
        changed(('if name == "model.embed_tokens.weight" and', "if False and")),
        "tied", "missing", "PPL503", "def load_weights",
    ),
    Case("a tie is not guarded", changed(NO_GUARD), "tied", "missing", "PPL502", "self.lm_head = self.model.embed"),
    Case("nothing is tied", ONE_HEAD, "tied", "not applicable", "", "no head is tied"),
    Case(
        "the class never ties",
        changed((NO_GUARD[0], ""), (HEAD[:40], f"        config.tie_word_embeddings = False\n{HEAD[:40]}")),
        "tied", "not applicable", "", "config.tie_word_embeddings = False",
    ),
    Case(
        "a head is tied to what the class does not have",
        changed(("= self.model.embed_tokens", "= self.embed_tokens"), NO_GUARD),
        "tied", "missing", "PPL502", "self.embed_tokens",
    ),
    Case(
        "the last stage has the embedding as well",
        changed(WHOLE_EMBEDDING, NO_GUARD), "tied", "met", "", "the last stage has as well",
    ),
    Case(
        "a head takes its weight from a getter",
        changed((HEAD, "        self.lm_head = Head(config)\n        self.lm_head.weight = self.embedding().weight\n\n")),
        "tied", "unknown", "", "self.lm_head.weight = self.embedding().weight",
    ),
]  # fmt: skip

LOADERS = [
    Case("the loader tests the range", MODEL, "loader", "met", "", "if layer_id is not None and not"),
    Case(
        "the loader tests membership",
        changed((FILTER, "            if name not in params_dict:\n                continue\n")),
        "loader", "met", "", "if name not in params_dict",
    ),
    Case("the loader tests nothing", changed((FILTER, "")), "loader", "missing", "PPL302", "params_dict[name].weight"),
    Case(
        "another object loads",
        changed(("        params_dict = dict(self.named_parameters())\n", "        return Loader(self).load(weights)\n")),
        "loader", "unknown", "", "no lookup",
    ),
    Case(
        "the loader tests a range that the model does not have",
        changed(
            ("self.layers, self.start_layer, self.end_layer = make", "self.layers, self.first, self.stop = make"),
            ("layer_id is not None and not", 'layer_id is not None and hasattr(self.model, "start_layer") and not'),
        ),
        "loader", "missing", "PPL302", "params_dict[name].weight",
    ),
    Case("no loader is in view", changed(("def load_w", "def read_w")), "loader", "unknown", "", "no `load_weights`"),
]  # fmt: skip

INDICES = [
    Case("layers are taken by their ids", MODEL, "indices", "met", "", "hidden_states = self.layers[i]"),
    Case("a literal layer is read", LITERAL, "indices", "missing", "PPL201", "self.model.layers[0].mlp"),
    Case(
        "a literal layer stands under a test",
        with_method("def width(self):", "return self.model.layers[0].mlp.width if self.pp_group.is_first_rank else 0"),
        "indices", "met", "", "`self.model.layers[0]` stands under a test",
    ),
    Case(
        "a literal would break once the layers are split",
        changed((SPLIT, UNSPLIT), text=LITERAL), "indices", "missing", "PPL201", "once the layers are split",
    ),
    Case("no layer is taken", changed((LOOP, "pass")), "indices", "unknown", "", "class ReedForCausalLM"),
]  # fmt: skip

LOOPS = [
    Case("the loop runs over the stage", MODEL, "loops", "met", "", "range(self.start_layer, self.end_layer)"),
    Case(
        "the loop runs over a slice",
        changed((LOOP, "for layer in self.layers[self.start_layer : self.end_layer]:\n            layer(hidden_states)")),
        "loops", "met", "", "self.layers[self.start_layer : self.end_layer]",
    ),
    Case(
        "the loop calls every layer",
        changed((LOOP, "for layer in self.layers:\n            hidden_states = layer(hidden_states)")),
        "loops", "missing", "", "for layer in self.layers:",
    ),
    Case(
        "a loop reads every layer",
        with_method("def widths(self):", "return [layer.mlp.width for layer in self.model.layers]"),
        "loops", "missing", "PPL301", "layer.mlp.width",
    ),
    Case("no loop is in view", changed((LOOP, "pass")), "loops", "unknown", "", "no forward"),
]  # fmt: skip

CASES = [*PROXIES, *SPLITS, *RANGES, *ENDS, *TIED, *LOADERS, *INDICES, *LOOPS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.does))
def test_a_duty_in_each_of_its_states(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cell = rows_below(tree_with(tmp_path, reed=case.text), capsys)["ReedForCausalLM"]["cells"][case.duty]
    assert (cell["state"], cell["code"] or "") == (case.state, case.code), cell
    line = Path(cell["path"]).read_text("utf-8").splitlines()[cell["line"] - 1] if cell["path"] else ""
    assert case.said in line or case.said in cell["reason"], (line, cell)


def test_every_duty_has_a_case_for_each_state_that_it_can_have() -> None:
    seen = {(case.duty, case.state) for case in CASES}
    wanted = {(column.key, state) for column in COLUMNS for state in ("met", "missing", "unknown")}
    assert wanted | {("tied", "not applicable")} == seen


VERDICTS = {
    "nothing is missing": (MODEL, "ready"),
    "a head on every stage costs memory only": (ONE_HEAD, "ready"),
    "the range is hidden": (changed((PROPERTIES, "")), "nearly"),
    "something is not known": (changed(("def load_w", "def read_w")), "nearly"),
    "a width is read from the embedding": (READS_WIDTH, "nearly"),
    "the layers are whole": (changed((SPLIT, UNSPLIT)), "not"),
    "proxies are dropped": (changed((CALL, "self.model(input_ids, forward_batch)")), "not"),
    "the inner model is not known": (UNKNOWN_INNER, "not"),
}


@pytest.mark.parametrize("case", VERDICTS)
def test_the_verdict(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, verdict = VERDICTS[case]
    assert rows_below(tree_with(tmp_path, reed=text), capsys)["ReedForCausalLM"]["verdict"] == verdict


def test_the_norm_is_placed_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = changed((NORM, "        self.norm = RMSNorm(config.hidden_size)\n\n"))
    cell = rows_below(tree_with(tmp_path, reed=text), capsys)["ReedForCausalLM"]["cells"]["ends"]
    assert (cell["state"], cell["reason"]) == ("missing", "`norm` is built on every stage")
