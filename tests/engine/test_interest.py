"""Passing over what is of no interest must not lose a finding: by whatever name things go on the way to it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from pplint.finding import Finding
from pplint.judge.check import JudgeRequest, judge
from pplint.rules.base import Rule
from pplint.rules.registry import RULES
from pplint.rules.samples import LAYERS, POOL, UTILS

CASES = {
    "a method under another name": """
        def look(pool, width):
            ask = pool.get_value_buffer
            width = width + 1
            return ask(0), width  # PPL101
        """,
    "a method under the name of a method, by getattr": """
        def look(pool):
            return getattr(pool, "get_value_buffer")(0)  # PPL101
        """,
    "a class that is imported under another name": """
        from sglang.srt.models.sample_model import SampleModel as Inner


        class Outer:
            def __init__(self, config, pp_group):
                self.model = Inner(config, pp_group)

            def width(self):
                return self.model.layers[0].mlp.width  # PPL201
        """,
    "an element that a loop gives a name": """
        from sglang.srt.models.sample_model import SampleModel


        class Outer(SampleModel):
            def widths(self):
                found = []
                for one in self.layers:
                    other = one
                    found.append(other.mlp.width)  # PPL301
                return found
        """,
    "a list that is handed on through a local": """
        from sglang.srt.models.sample_model import SampleModel


        class Outer(SampleModel):
            def width(self):
                every = self.layers
                if every:
                    first = every[0]
                    return first.mlp.width  # PPL201
        """,
    "a closure that takes its list from outside": """
        from sglang.srt.models.sample_model import SampleModel


        class Outer(SampleModel):
            def width(self):
                every = self.layers

                def first():
                    return every[0].mlp.width  # PPL201

                return first()
        """,
    "what a header evaluates": """
        def look(pool, made):
            def inner(width=pool.get_value_buffer(0), *, other=pool.get_value_buffer(0)):  # PPL101
                return width

            @made(pool.get_value_buffer(0))  # PPL101
            def decorated(width):
                return width

            @made(pool.get_value_buffer(0))  # PPL101
            class Kept(made(pool), metaclass=made):
                pass

            class Other(made(pool.get_value_buffer(0))):  # PPL101
                pass

            return inner, lambda width=pool.get_value_buffer(0): width  # PPL101
        """,
    "a flag that is set where the layer is made": """
        class SampleAttention:
            def __init__(self, layer_id, rotary_emb, start_layer):
                self.layer_id = layer_id
                self.rotary_emb = rotary_emb
                self.leads = layer_id == 0  # PPL601

            def forward(self, positions, q):
                if self.leads:
                    self.rotary_emb.cached = self.rotary_emb.angles(positions)
                return self.rotary_emb(q)
        """,
    "a test that returns early": """
        class SampleAttention:
            def __init__(self, layer_id, rotary_emb, start_layer):
                self.layer_id = layer_id
                self.rotary_emb = rotary_emb

            def prepare(self, positions):
                if self.layer_id != 0:  # PPL601
                    return
                angles = self.rotary_emb.angles(positions)
                self.rotary_emb.cached = angles

            def forward(self, q):
                return self.rotary_emb(q)
        """,
    "a line after a function of no interest": """
        def unrelated(width):
            return width


        def other(width):
            return width


        WIDTH = look().get_value_buffer(0)  # PPL101


        class Kept:
            def width(self):
                return 1

            WIDTH = look().get_value_buffer(0)  # PPL101
        """,
    "a name that was bound before a class inside the function": """
        def look(pool):
            ask = pool.get_value_buffer

            class Inner:
                def width(self):
                    return 1

            return ask(0), Inner  # PPL101
        """,
    "lines that end with carriage returns": """
        def look(pool):
            width = 1
            return pool.get_value_buffer(0).shape[width]  # PPL101
        """,
}


def found(root: Path, text: str) -> list[Finding]:
    for name, content in (LAYERS, POOL, UTILS):
        path = root / "sglang" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    path = root / "sglang/srt/case.py"
    path.write_bytes(text.encode())
    return list(judge(JudgeRequest(str(root), (str(path),), {}, frozenset(r.code for r in RULES))).findings)


@pytest.mark.parametrize("title", CASES)
def test_a_finding_is_made_whatever_its_parts_are_called(title, tmp_path, monkeypatch):
    text = textwrap.dedent(CASES[title]).lstrip()
    marked = {(n, line.rpartition("# ")[2]) for n, line in enumerate(text.splitlines(), 1) if "# PPL" in line}
    if "carriage" in title:
        text = text.replace("\n", "\r\n")
    some = found(tmp_path / "some", text)
    monkeypatch.setattr(Rule, "everywhere", True)
    every = found(tmp_path / "every", text)
    assert {(finding.span.line, finding.code) for finding in some} == marked
    assert [finding.message for finding in some] == [finding.message for finding in every]
