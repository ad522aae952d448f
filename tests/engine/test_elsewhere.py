"""Code outside any checkout: facts from an installed SGLang, else from the bundled file, else none."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from pplint.engine.elsewhere import installed_package
from pplint.judge import check
from pplint.judge.check import JudgeRequest, judge

PLUGIN = """\
from sglang.srt.mem_cache.memory_pool import MHATokenToKVPool


class Backend:
    def __init__(self, pool: MHATokenToKVPool):
        self.head_dim = pool.get_value_buffer(0).shape[-1]
"""
MINI = Path(__file__).parents[2] / "fixtures" / "mini_sglang" / "python" / "sglang"


def lines(folder: Path, facts_file: bool) -> list[int]:
    check._KNOWN.clear()
    path = str(folder / "plugin.py")
    judged = judge(JudgeRequest(str(folder), (path,), {}, frozenset({"PPL101"}), facts_file=facts_file))
    return [finding.span.line for finding in judged.findings]


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "plugin"
    folder.mkdir()
    (folder / "plugin.py").write_text(PLUGIN)
    monkeypatch.setattr("pplint.judge.case.installed_package", lambda: None)
    return folder


def test_the_bundled_facts_know_the_pools_of_sglang(plugin):
    assert lines(plugin, facts_file=True) == [6]


def test_without_the_bundled_facts_nothing_is_known_of_them(plugin):
    assert lines(plugin, facts_file=False) == []


def test_an_installed_sglang_is_read_and_not_imported(plugin, tmp_path, monkeypatch):
    site = tmp_path / "site"
    shutil.copytree(MINI, site / "sglang")
    (site / "sglang" / "__init__.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    monkeypatch.setattr("pplint.judge.case.installed_package", installed_package)
    text = PLUGIN.replace("get_value_buffer", "get_kv_scale_buffer").replace("KVPool", "KVPoolFP4")
    (plugin / "plugin.py").write_text(text)
    assert lines(plugin, facts_file=True) == [6]
