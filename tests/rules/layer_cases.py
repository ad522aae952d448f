"""Runs one rule on the methods of a model that holds a padded list in `self.model.layers`."""

from __future__ import annotations

import textwrap
from pathlib import Path

from pplint.finding import Finding
from pplint.judge.check import JudgeRequest, judge
from pplint.rules.samples import LAYERS, POOL, UTILS

_HEAD = """\
from sglang.srt.layers.sample_utils import PPMissingLayer
from sglang.srt.models.sample_model import SampleModel
from sglang.srt.runner import Strategy, calls, hands_on, reads_each, reads_first, tests


class CaseForCausalLM:
    def __init__(self, config, pp_group):
        self.config = config
        self.model = SampleModel(config, pp_group)

    def forward(self, input_ids, pp_proxy_tensors=None):
        return self.model(input_ids, pp_proxy_tensors)

"""

RANGED = (
    LAYERS[0],
    LAYERS[1].replace(
        "    def forward",
        "        self.kept_ids = range(self.start_layer, self.end_layer)\n\n"
        "    def belongs_here(self, k):\n        return k in range(self.start_layer, self.end_layer)\n\n"
        "    def is_gone(self, k):\n        one = self.layers[k]\n        return isinstance(one, PPMissingLayer)\n\n"
        "    def forward",
        1,
    ),
)
"""The model that keeps a padded list, which also says which layers it has."""


def findings_in(root: Path, code: str, body: str, *files: tuple[str, str]) -> list[Finding]:
    """The findings of rule `code` in `body`: methods of a class, or code after it that is not indented."""
    package = root / "sglang"
    for name, text in (LAYERS, POOL, UTILS, *files, ("srt/case.py", _HEAD + body)):
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    judged = judge(JudgeRequest(str(root), (str(package / "srt/case.py"),), {}, frozenset({code})))
    assert not judged.troubles
    return list(judged.findings)


def method(body: str) -> str:
    """A method `look` with `body`."""
    return "    def look(self, i, caches, pp_group):\n" + textwrap.indent(textwrap.dedent(body), " " * 8)
