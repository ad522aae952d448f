"""`pplint readiness`: which classes have rows, what each format says, and what is trouble."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pplint.cli import run
from pplint.readiness.duties import COLUMNS, STATES, VERDICTS
from ready_models_in_small import HEAD, MODEL, changed, rows_below, tree_with

MINI = Path(__file__).parents[1] / "fixtures" / "mini_sglang"

ENCODER = """\
class SedgeEncoder:
    def __init__(self, config):
        self.layers = nn.ModuleList([SedgeLayer(config) for _ in range(config.num_layers)])


class SedgeModel:
    def __init__(self, config):
        self.encoder = SedgeEncoder(config)

    def forward(self, input_ids):
        return self.encoder(input_ids)


EntryClass = SedgeModel
"""
WRAPPER = """\
from sglang.srt.models.reed import ReedForCausalLM


class RushForConditionalGeneration:
    def __init__(self, config, pp_group):
        self.vision_tower = RushVisionModel(config)
        self.language_model = ReedForCausalLM(config, pp_group)

    @property
    def start_layer(self):
        return self.language_model.start_layer

    @property
    def end_layer(self):
        return self.language_model.end_layer

    def forward(self, input_ids, forward_batch, pp_proxy_tensors=None):
        return self.language_model(input_ids, forward_batch, pp_proxy_tensors=pp_proxy_tensors)

    def load_weights(self, weights):
        self.language_model.load_weights(weights)


class RushForRewardModel(RushForConditionalGeneration):
    pass


EntryClass = [RushForConditionalGeneration, RushForRewardModel]
"""
HEIR = """\
from sglang.srt.models.reed import ReedForCausalLM


class SpikeForCausalLM(ReedForCausalLM):
    pass


EntryClass = [SpikeForCausalLM]
"""
"""Nothing in this file speaks of stages."""
DRAFT = "class ReedForCausalLMNextN:\n    def forward(self):\n        pass\n\n\nEntryClass = [ReedForCausalLMNextN]\n"
CHOICE = """\
from sglang.srt.models.plain import PlainForCausalLM
from sglang.srt.models.reed import ReedForCausalLM


class EitherForCausalLM:
    def __init__(self, config, pp_group):
        if config.whole:
            self.language_model = PlainForCausalLM(config)
        else:
            self.language_model = ReedForCausalLM(config, pp_group)

    def forward(self, input_ids, forward_batch, pp_proxy_tensors=None):
        return self.language_model(input_ids, forward_batch, pp_proxy_tensors)


EntryClass = EitherForCausalLM
"""
PLAIN = """\
class PlainModel:
    def __init__(self, config):
        self.embed_tokens = VocabEmbedding(config)
        self.layers = nn.ModuleList([PlainLayer(config) for _ in range(config.num_hidden_layers)])
        self.norm = RMSNorm(config)

    def forward(self, input_ids):
        for layer in self.layers:
            input_ids = layer(input_ids)
        return input_ids


class PlainForCausalLM:
    def __init__(self, config):
        self.model = PlainModel(config)

    def forward(self, input_ids):
        return self.model(input_ids)


EntryClass = PlainForCausalLM
"""


def states(row: dict[str, Any]) -> str:
    """The states of a row, one letter each: met, Missing, not applicable (-), unknown (?)."""
    letters = {"met": "+", "missing": "x", "not applicable": "-", "unknown": "?"}
    return "".join(letters[cell["state"]] for cell in row["cells"].values())


ROWS = {
    "the model itself": ("ReedForCausalLM", "ready", "++++++++"),
    "a wrapper that delegates to a language model": ("RushForConditionalGeneration", "ready", "++++++++"),
    "a second class of a list, which inherits all": ("RushForRewardModel", "ready", "++++++++"),
    "a class in a file that does not speak of stages": ("SpikeForCausalLM", "ready", "++++++++"),
    "a draft": ("ReedForCausalLMNextN", "not applicable", "--------"),
    "an encoder": ("SedgeModel", "not applicable", "--------"),
    "a model that is not split": ("PlainForCausalLM", "not", "xxxx-?+x"),
    "a wrapper around either": ("EitherForCausalLM", "not", "xxxx+?+x"),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of models of a small checkout that has a bit of everything."""
    folder = tree_with(
        tmp_path_factory.mktemp("tree"),
        reed=MODEL, rush=WRAPPER, spike=HEIR, reed_nextn=DRAFT, sedge=ENCODER, plain=PLAIN, either=CHOICE,
    )  # fmt: skip
    other = folder.parents[1] / "drawing" / "pipelines" / "brush.py"
    other.parent.mkdir(parents=True)
    other.write_text("class BrushPipeline:\n    pass\n\n\nEntryClass = BrushPipeline\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("case", ROWS)
def test_a_row_for_each_kind_of_class(case: str, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, verdict, cells = ROWS[case]
    row = rows_below(tree, capsys)[name]
    assert (row["verdict"], states(row)) == (verdict, cells)


def test_only_the_classes_below_the_path_have_rows(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(rows_below(tree / "rush.py", capsys)) == {"RushForConditionalGeneration", "RushForRewardModel"}
    everything = rows_below(tree.parents[1], capsys)
    assert set(everything) == {name for name, _, _ in ROWS.values()} | {"BrushPipeline"}
    assert everything["BrushPipeline"]["verdict"] == "not applicable"
    assert rows_below(tree, capsys).keys() == everything.keys() - {"BrushPipeline"}


def test_a_row_is_the_same_for_the_file_and_for_the_tree(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = rows_below(tree, capsys)
    for file in tree.glob("*.py"):
        for name, row in rows_below(file, capsys).items():
            assert row == whole[name]


FORMS = {
    "one class": ("EntryClass = A", {"A"}),
    "a list": ("EntryClass = [A, B]", {"A", "B"}),
    "a tuple with an annotation": ("EntryClass: tuple = (A, B)", {"A", "B"}),
    "joined lists": ("EntryClass = [A] + [B]", {"A", "B"}),
    "a choice": ("EntryClass = [A, B] if LARGE else A", {"A", "B"}),
    "a class that is made by a call": ("C = make()\nEntryClass = [A, C]", {"A", "C"}),
    "a class of another module": ("from sglang.srt.models.reed import ReedForCausalLM\n\nEntryClass = ReedForCausalLM",
                                  {"ReedForCausalLM"}),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_way_to_name_classes_gives_rows(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, names = FORMS[form]
    models = tree_with(tmp_path, reed=MODEL, form=f"class A:\n    pass\n\n\nclass B:\n    pass\n\n\n{text}\n")
    assert set(rows_below(models / "form.py", capsys)) == names


def test_json_says_all(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["readiness", "--format", "json", "--no-cache", str(tree)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == 1
    assert [column["key"] for column in document["columns"]] == [column.key for column in COLUMNS]
    assert document["summary"] == {"ready": 4, "nearly": 0, "not": 2, "not applicable": 2}
    for row in document["rows"]:
        assert row.keys() == {"class", "path", "line", "verdict", "cells"}
        assert row["verdict"] in VERDICTS
        assert list(row["cells"]) == [column.key for column in COLUMNS]
        for cell in row["cells"].values():
            assert cell["state"] in STATES
            assert cell["reason"]
            assert (cell["path"] is None) == (cell["line"] is None)
            assert cell["state"] != "met" or cell["line"], "a met without the line that proves it"


def test_text_has_a_table_and_gaps_with_places(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    assert run(["readiness", "--no-cache", "."]) == 0
    out = capsys.readouterr().out
    head, *lines = out.splitlines()
    assert head.split() == [column.title for column in COLUMNS]
    starts = [head.index(column.title) for column in COLUMNS]
    row = next(line for line in lines if line.split()[:1] == ["PlainForCausalLM"])
    assert [row[start:].split()[0] for start in starts] == ["gap", "gap", "gap", "gap", "-", "?", "+", "gap"]
    assert [line for line in lines if re.match(r"[a-z ]+ \(\d+\)$", line)] == [
        "ready (4)", "not (2)", "not applicable (2)",
    ]  # fmt: skip
    assert (
        "  plain.py:4: split: `layers` of `PlainModel` is made whole: its maker is not told the stage"
        in lines
    )
    assert lines[-1] == "6 model classes: 4 ready, 0 nearly, 2 not; 2 not asked"
    assert all(column.question in out for column in COLUMNS)


def test_markdown_is_a_table_for_an_issue(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["readiness", "--no-cache", "--format", "markdown", str(tree)]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert {line.count("|") for line in table} == {len(COLUMNS) + 3}
    assert f"| PlainForCausalLM | not |{' **gap** |' * 4} \u2013 | ? | \u2713 | **gap** |" in table
    assert lines.count("</details>") == 3
    assert any(line.startswith("- ") and "plain.py:4 **split**" in line for line in lines)


def test_html_is_a_page_by_itself(tree: Path, tmp_path: Path) -> None:
    page = tmp_path / "matrix.html"
    assert run(["readiness", "--no-cache", "--format", "html", "-o", str(page), str(tree)]) == 0
    text = page.read_text(encoding="ascii")
    assert text.startswith("<!DOCTYPE html>")
    assert text.count('<tr class="class"') == len(ROWS)
    assert "src=" not in text


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_names_from_outside_do_no_harm(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "a|b`<zz>\x1b[31m"
    models = tree_with(folder, reed=changed((HEAD, "        self.lm_head = ParallelLMHead('<b>|`')\n\n")))
    assert run(["readiness", "--no-cache", "--format", form, str(models)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "ReedForCausalLM" in out
    if form == "html":
        assert "<zz>" not in out
    if form == "markdown":
        assert "<zz>" not in out.replace("\\<zz\\>", "")


def test_an_option_writes_to_a_file(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.json"
    assert run(["readiness", "--no-cache", "--format", "json", "-o", str(file), str(tree)]) == 0
    assert capsys.readouterr().out == ""
    assert len(json.loads(file.read_text("utf-8"))["rows"]) == len(ROWS)


TROUBLES = {
    "a path that is not there": (["no_such_model.py"], "no_such_model.py: there is no such file or folder"),
    "a folder without models": (["../layers"], "../layers: no module there names a class in `EntryClass`"),
    "a file that no output can be written to": (
        ["-o", "no/such/folder/rows", "reed.py"],
        "no/such/folder/rows",
    ),
    "a tree without the package": (["--sglang", "..", "reed.py"], "holds no SGLang sources"),
}


@pytest.mark.parametrize("case", TROUBLES)
def test_trouble_is_named_and_ends_with_2(
    case: str, tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    arguments, said = TROUBLES[case]
    assert run(["readiness", "--no-cache", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_model_that_cannot_be_parsed_is_trouble_beside_the_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = tree_with(tmp_path, reed=MODEL, broken="class Broken(\n\nEntryClass = Broken\n")
    assert run(["readiness", "--no-cache", str(models)]) == 2
    out, error = capsys.readouterr()
    assert "ReedForCausalLM" in out
    assert f"{models / 'broken.py'}:" in error


def test_a_rule_that_crashes_is_trouble_beside_the_rows(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise ValueError("a mistake of pplint")

    monkeypatch.setattr("pplint.rules.ppl301.FullLayerLoop.attribute", crash)
    assert run(["readiness", "--no-cache", str(tree / "reed.py")]) == 2
    assert "rule PPL301 crashed: ValueError: a mistake of pplint" in capsys.readouterr().err


def test_code_that_is_nested_deeply_has_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deep = f"    def depth(self):\n        return {'self.a(' * 90}0{')' * 90}{'.b()' * 400}\n\n    def load_weights"
    models = tree_with(tmp_path, reed=changed(("    def load_weights", deep)))
    assert states(rows_below(models, capsys)["ReedForCausalLM"]) == "++++++++"


def test_the_cache_answers_until_a_file_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pplint.known.stamps._FRESH_NS", -(10**18))
    models = tree_with(tmp_path / "tree", reed=MODEL)
    options = ("--cache-dir", str(tmp_path / "cache"))
    first = rows_below(models, capsys, *options)
    kept = next((tmp_path / "cache").rglob("readiness-*.json"))
    kept_bytes = kept.read_bytes()
    assert rows_below(models, capsys, *options) == first
    assert kept.read_bytes() == kept_bytes
    (models / "reed.py").write_text(changed(("pp_group.world_size == 1 and ", "")), encoding="utf-8")
    assert rows_below(models, capsys, *options)["ReedForCausalLM"]["cells"]["tied"]["state"] == "missing"
    kept.write_bytes(b"not what was kept")
    assert rows_below(models, capsys, *options)["ReedForCausalLM"]["cells"]["tied"]["code"] == "PPL502"


MINI_ROWS = {
    "BasaltForCausalLM": "+++xxxx+",
    "CairnMoeForCausalLM": "+++x++xx",
    "ChalkForCausalLM": "++++x+++",
    "FlintForCausalLM": "+++++++x",
    "GneissForCausalLM": "+++++++x",
    "MarbleForCausalLM": "+x++++++",
    "PebbleForCausalLM": "++++++++",
    "PebbleForCausalLMNextN": "--------",
    "ShaleForCausalLM": "++++++x+",
    "SlateForCausalLM": "xxx?-?xx",
    "TravertineForSequenceClassification": "++x+-?++",
}


def test_the_models_of_the_small_checkout(capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_below(MINI, capsys)
    assert {name: states(row) for name, row in rows.items() if name in MINI_ROWS} == MINI_ROWS
