"""What other people's readers say of a SARIF file: the SARIF Multitool and sarif-tools."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

Verdicts = list[dict[str, Any]]

KNOWN_NOTES = {
    "SARIF2002": "wants message ids in place of texts; GitHub requires the text",
    "SARIF2003": "wants the revision; the upload says it, and results must not differ between runs",
    "SARIF2006": "wants each URI to be reachable from here",
    "SARIF2012": "wants a help URI, which GitHub does not show, and Pascal-case names; people type ours",
}


def assert_flawless(verdicts: Verdicts) -> None:
    """Neither an error nor a warning, and no note but the known ones. A verdict without a level is a warning."""
    assert [item for item in verdicts if item.get("level", "warning") != "note"] == []
    assert {item["ruleId"] for item in verdicts} <= set(KNOWN_NOTES)


def sarif_tools(*arguments: str | Path) -> str:
    """What sarif-tools prints; a failure is an error."""
    command = [sys.executable, "-m", "sarif", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def counts(path: Path) -> dict[str, int]:
    """The results of each level as sarif-tools counts them."""
    found = re.findall(r"^(error|warning|note): (\d+)$", sarif_tools("summary", path), re.MULTILINE)
    return {level: int(number) for level, number in found}
