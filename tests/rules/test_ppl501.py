"""PPL501 and PPL502: which reads of a stage's module and which tied heads fail, and which look alike."""

from __future__ import annotations

import pytest
from layer_cases import findings_in, method

from pplint.finding import ERROR, INFO, WARNING

READS = {
    "a plain read": "return self.model.embed_tokens.embedding_dim",
    "through a local name": "embed = self.model.embed_tokens\nreturn embed.weight",
    "a deletion": "del self.model.embed_tokens.weight",
    "under the test of the wrong stage": "if pp_group.is_last_rank:\n    return self.model.embed_tokens.weight",
    "after a guard that ends before": "if pp_group.is_first_rank:\n    pass\nreturn self.model.embed_tokens.weight",
    "under the first rank of another group": "if tp_group.is_first_rank:\n    return self.model.embed_tokens.weight",
    "under one rank of another group": "if self.tp_group.world_size == 1:\n"
    "    return self.model.embed_tokens.weight",
}

SILENT_READS = {
    "the first stage": "return self.model.embed_tokens.weight if pp_group.is_first_rank else None",
    "others return before": "if not pp_group.is_first_rank:\n    return None\n"
    "return self.model.embed_tokens.weight",
    "one stage in all": "assert pp_group.world_size == 1\nreturn self.model.embed_tokens.weight",
    "a placeholder is tested": "if not isinstance(self.model.embed_tokens, PPMissingLayer):\n"
    "    return self.model.embed_tokens.weight",
    "the attribute is tested": "if hasattr(self.model.embed_tokens, 'weight'):\n"
    "    return self.model.embed_tokens.weight",
    "an attribute is set": "self.model.embed_tokens.weight = i",
    "the module is called": "return self.model.embed_tokens(i)",
    "what every module has": "return list(self.model.embed_tokens.parameters())",
    "a default": "return getattr(self.model.embed_tokens, 'weight', None)",
    "another module": "return self.model.pp_group.rank",
}

TIES = {
    "under a test of another module": "if self.config.tied and not isinstance(self.model.norm, PPMissingLayer):\n"
    "    self.lm_head = self.model.embed_tokens",
    "under the contrary": "if isinstance(self.model.embed_tokens, PPMissingLayer):\n"
    "    self.lm_head = self.model.embed_tokens",
    "under the configuration alone": "if self.config.tie_word_embeddings:\n"
    "    self.lm_head = self.model.embed_tokens",
    "without any test": "self.lm_head = self.model.embed_tokens",
    "on the last stage": "if pp_group.is_last_rank:\n    self.lm_head = self.model.embed_tokens",
    "the weight": "self.lm_head.weight = self.model.embed_tokens.weight",
    "tie_weights": "self.lm_head.tie_weights(self.model.embed_tokens)",
    "as the head of the logits": "return self.logits_processor(i, self.model.embed_tokens)",
    "a local head": "head = self.model.embed_tokens\nreturn self.logits_processor(i, head)",
    "one rank of another group": "if self.tp_group.world_size == 1:\n    self.lm_head = self.model.embed_tokens",
}

SILENT_TIES = {
    "a test of the embedding": "if self.config.tied and not isinstance(self.model.embed_tokens, PPMissingLayer):\n"
    "    self.lm_head = self.model.embed_tokens",
    "a test of its weight": "if hasattr(self.model.embed_tokens, 'weight'):\n"
    "    self.lm_head.weight = self.model.embed_tokens.weight",
    "one stage in all": "if pp_group.world_size == 1 and self.config.tie_word_embeddings:\n"
    "    self.lm_head = self.model.embed_tokens",
    "the size comes from a call": "if get_pp_group().world_size == 1:\n    self.lm_head = self.model.embed_tokens",
    "a local flag": "tied = pp_group.world_size == 1 and self.config.tied\n"
    "if tied:\n    self.lm_head = self.model.embed_tokens",
    "a stored flag": "self.tied = pp_group.world_size == 1 and self.config.tied\n"
    "if self.tied:\n    self.lm_head = self.model.embed_tokens",
    "first and last are one": "if pp_group.is_last_rank:\n    if self.config.tied and pp_group.is_first_rank:\n"
    "        self.lm_head = self.model.embed_tokens",
    "a head that is chosen": "head = self.model.embed_tokens if pp_group.world_size == 1 else self.lm_head\n"
    "return self.logits_processor(i, head)",
    "no head": "self.embed = self.model.embed_tokens",
}

TIED_KEEPER = """\
class KeeperForCausalLM(CaseForCausalLM):
    def __init__(self, config, pp_group):
        self.model = KeeperModel(config, pp_group)
        if config.tie_word_embeddings:
            self.lm_head = self.model.embed_tokens


class KeeperModel:
    def __init__(self, config, pp_group):
        if pp_group.is_first_rank or (config.tie_word_embeddings and pp_group.is_last_rank):
            self.embed_tokens = Embedding(config)
        else:
            self.embed_tokens = PPMissingLayer()
"""


@pytest.mark.parametrize("body", READS.values(), ids=READS)
def test_a_read_that_fails_on_a_stage_is_reported(body, tmp_path):
    (found,) = findings_in(tmp_path, "PPL501", method(body))
    assert found.severity == ERROR


@pytest.mark.parametrize("body", SILENT_READS.values(), ids=SILENT_READS)
def test_a_read_that_looks_alike_is_not_reported(body, tmp_path):
    assert not findings_in(tmp_path, "PPL501", method(body))


@pytest.mark.parametrize("body", TIES.values(), ids=TIES)
def test_a_tied_head_is_reported_once(body, tmp_path):
    found = [one for code in ("PPL501", "PPL502") for one in findings_in(tmp_path, code, method(body))]
    assert [(one.code, one.severity) for one in found] == [("PPL502", ERROR)]


@pytest.mark.parametrize("body", SILENT_TIES.values(), ids=SILENT_TIES)
def test_a_tie_that_looks_alike_is_not_reported(body, tmp_path):
    assert not findings_in(tmp_path, "PPL502", method(body))


def test_an_embedding_that_the_last_stage_keeps_may_be_tied(tmp_path):
    assert not findings_in(tmp_path, "PPL502", "\n" + TIED_KEEPER)


@pytest.mark.parametrize(
    ("body", "level"),
    [
        (
            "    def look(self):\n        if _use_aiter:\n            return self.model.embed_tokens.weight\n",
            WARNING,
        ),
        ("    def get_embed_and_head(self):\n        return self.model.embed_tokens.weight\n", INFO),
        ("    def look(self):\n        self.reader = lambda: self.model.embed_tokens.weight\n", INFO),
    ],
    ids=["under a flag", "for the speculative workers", "in a lambda"],
)
def test_reach_makes_the_level(body, level, tmp_path):
    (found,) = findings_in(tmp_path, "PPL501", body)
    assert found.severity == level


def test_a_private_method_that_only_the_right_stage_calls_is_silent(tmp_path):
    body = method("if pp_group.is_first_rank:\n    self._fill()")
    body += "\n\n    def _fill(self):\n        return self.model.embed_tokens.weight\n"
    assert not findings_in(tmp_path, "PPL501", body)


REFUSES = """

class OldForCausalLM:
    def __init__(self, config, pp_group):
        self.model = SampleModel(config, pp_group)
        if config.tie_word_embeddings:
            self.lm_head = self.model.embed_tokens

    def forward(self, input_ids):
        return self.model(input_ids)


class NewForCausalLM(OldForCausalLM):
    def __init__(self, config, pp_group):
        {constructs}

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)
"""

HEIRS = {
    "runs its base's constructor": ("super().__init__(config, pp_group)", ERROR, "in `NewForCausalLM`"),
    "builds by itself": ("self.model = SampleModel(config, pp_group)", INFO, "latent: `OldForCausalLM`"),
}


@pytest.mark.parametrize(("constructs", "level", "said"), HEIRS.values(), ids=HEIRS)
def test_an_heir_may_accept_what_its_base_refuses(constructs, level, said, tmp_path):
    (found,) = findings_in(tmp_path, "PPL502", REFUSES.format(constructs=constructs))
    assert found.severity == level
    assert said in found.message


def test_a_tie_to_an_embedding_that_is_further_inside(tmp_path):
    body = method("self.lm_head = self.embed_tokens if self.config.tied else i")
    (found,) = findings_in(tmp_path, "PPL502", body)
    assert "`self.embed_tokens`, which `CaseForCausalLM` does not have" in found.message
    assert "The embedding is `self.model.embed_tokens`" in found.message


ELSEWHERE = {
    "there is one": "self.embed_tokens = i\nself.lm_head = self.embed_tokens",
    "none is inside": "self.lm_head = self.word_embeddings",
    "one stage in all": "if pp_group.world_size == 1:\n    self.lm_head = self.embed_tokens",
}


@pytest.mark.parametrize("body", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_tie_of_another_kind_is_silent(body, tmp_path):
    assert not findings_in(tmp_path, "PPL502", method(body))


KEPT = """
from sglang.srt.layers.sample_places import {keeps}


class AskingForCausalLM(CaseForCausalLM):
    def __init__(self, config, pp_group):
        keeps = {keeps}(pp_group, config)
        if keeps:
            self.embed_tokens = Embedding(config)
        else:
            self.embed_tokens = PPMissingLayer()

    def look(self, pp_group):
        return self.embed_tokens.width

    def look_if_kept(self, pp_group, config):
        return self.embed_tokens.width if {keeps}(pp_group, config) else None

    def look_at_an_end(self, pp_group, config):
        if pp_group.is_first_rank or pp_group.is_last_rank:
            return self.embed_tokens.width
        return None
"""

PLACES = (
    "srt/layers/sample_places.py",
    """\
def is_an_end(pp_group, config):
    return pp_group.is_first_rank or (config.tied and pp_group.is_last_rank)


def keeps_tokens(pp_group, config):
    return is_an_end(pp_group, config)


def is_one_of_both(pp_group, config):
    return pp_group.is_first_rank or pp_group.is_last_rank


def is_in_between(pp_group, config):
    return not (pp_group.is_first_rank or pp_group.is_last_rank)


def keeps_by_name(pp_group, config):
    return config.keeps_tokens


def keeps_in_two_ways(pp_group, config):
    if config.keeps_tokens:
        return True
    return pp_group.is_first_rank
""",
)


_ELSEWHERE = "every stage but the first (the last one has it in some cases)"


@pytest.mark.parametrize(
    ("keeps", "where"),
    [
        ("is_an_end", _ELSEWHERE),
        ("keeps_tokens", _ELSEWHERE),
        ("is_one_of_both", "the stages in between"),
    ],
)
def test_a_function_that_is_asked_says_which_stages_keep_a_module(keeps, where, tmp_path):
    (found,) = findings_in(tmp_path, "PPL501", KEPT.format(keeps=keeps), PLACES)
    assert found.symbol.endswith(".look")
    assert f"is a `PPMissingLayer` on {where}, " in found.message


@pytest.mark.parametrize("keeps", ["keeps_by_name", "keeps_in_two_ways", "in_no_file"])
def test_a_function_that_does_not_say_which_stages_is_silent(keeps, tmp_path):
    assert not findings_in(tmp_path, "PPL501", KEPT.format(keeps=keeps), PLACES)


def test_a_function_that_is_asked_for_the_contrary(tmp_path):
    body = KEPT.format(keeps="is_in_between").replace("if keeps:", "if not keeps:")
    assert [one.symbol for one in findings_in(tmp_path, "PPL501", body, PLACES)] == [
        "AskingForCausalLM.look",
        "AskingForCausalLM.look_if_kept",
    ]


@pytest.mark.parametrize(
    ("indent", "count"), [("        ", 0), ("        if config.whole:\n            ", 1)]
)
def test_what_is_built_again_whatever_the_stage_is_there(indent, count, tmp_path):
    text = TIED_KEEPER.replace(" or (config.tie_word_embeddings and pp_group.is_last_rank)", "")
    text += f"{indent}self.embed_tokens = Embedding(config)\n"
    assert len(findings_in(tmp_path, "PPL502", "\n" + text)) == count


def test_none_in_place_of_a_head_counts(tmp_path):
    body = """
class OtherForCausalLM(CaseForCausalLM):
    def __init__(self, config, pp_group):
        if pp_group.is_last_rank:
            self.lm_head = Head(config)
        else:
            self.lm_head = None

    def look(self):
        return self.lm_head.weight

    def look_if_here(self):
        return self.lm_head.weight if self.lm_head is not None else None
"""
    (found,) = findings_in(tmp_path, "PPL501", body)
    assert "is None on every stage but the last" in found.message


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("self.model.embed_tokens.resize(i)", id="one call"),
        pytest.param(
            "self.model.embed_tokens.resize(i)\nself.model.embed_tokens.fill(i)", id="two calls, one defect"
        ),
    ],
)
def test_a_method_is_read_before_it_is_called(body, tmp_path):
    (found,) = findings_in(tmp_path, "PPL501", method(body))
    assert "`self.model.embed_tokens.resize` is read" in found.message


@pytest.mark.parametrize(("name", "count"), [("worker", 1), ("draft_worker", 0)])
def test_what_runs_a_draft_model_is_no_module_of_a_stage(name, count, tmp_path):
    body = f"""

class Scheduler:
    def __init__(self, pp_rank, pp_size):
        if pp_rank != pp_size - 1:
            self.{name} = None
            return
        self.{name} = Worker()

    def tell(self):
        self.{name}.clear()
"""
    assert len(findings_in(tmp_path, "PPL501", body)) == count
