"""Code of all kinds is walked without a crash, whether or not a word in it calls for a rule.

`python tests/fuzz/sweep.py FOLDER...` is the long run.
"""

from __future__ import annotations

import asyncio
import email
from pathlib import Path

import pytest
import sweep


@pytest.mark.parametrize("package", [asyncio, email], ids=lambda package: package.__name__)
def test_packages_of_the_standard_library(package, capsys):
    assert sweep.main([str(Path(package.__file__).parent)]) == 0
    assert "0 crashes" in capsys.readouterr().out
