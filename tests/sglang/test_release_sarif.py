"""The SARIF of a whole release, through the readers of other people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import judged
import pytest

from sarif_readers import Verdicts, assert_flawless, counts

pytestmark = pytest.mark.sglang

VERSION = "0.5.23"
LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def test_the_multitool_has_no_error_and_no_warning(
    release: Callable[[str], Path], multitool: Callable[[Path], Verdicts]
) -> None:
    release(VERSION)
    assert_flawless(multitool(judged.sarif(VERSION)))


def test_sarif_tools_counts_what_json_has(release: Callable[[str], Path]) -> None:
    release(VERSION)
    # Findings of one rule on one line are one result.
    lines = {(one["code"], one["severity"], one["path"], one["line"]) for one in judged.findings(VERSION)}
    assert len(lines) > 100
    assert counts(judged.sarif(VERSION)) == Counter(LEVELS[severity] for _, severity, _, _ in lines)
