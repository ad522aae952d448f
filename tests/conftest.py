"""The real SARIF Multitool."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from node_tools import installed


@pytest.fixture(scope="session")
def multitool(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], list[dict[str, Any]]]:
    """A function that validates a SARIF file with the Sarif and Ghas rules and returns the verdicts."""
    binary = _installed_multitool()

    def validate(path: Path) -> list[dict[str, Any]]:
        out = tmp_path_factory.mktemp("multitool") / "said.sarif"
        command = [binary, "validate", path, "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning;Note"]
        environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
        done = subprocess.run(
            [*command, "-o", out], env=environment, capture_output=True, text=True, check=False
        )
        assert out.exists(), done.stdout + done.stderr
        said = json.loads(out.read_text(encoding="utf-8-sig"))["runs"][0]
        failed = said["invocations"][0].get("toolExecutionNotifications", [])
        assert not [item for item in failed if item.get("level") == "error"], failed
        return list(said.get("results", []))

    return validate


def _installed_multitool() -> Path:
    package, file = "@microsoft/sarif-multitool@5.7.0", "@microsoft/sarif-multitool-linux/Sarif.Multitool"
    binary = installed(package, file)
    # npm leaves out the package's own install script where scripts are not allowed.
    binary.chmod(binary.stat().st_mode | 0o100)
    return binary
