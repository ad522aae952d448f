"""`python tests/fuzz/atheris_readers.py READER [libFuzzer options]`: coverage-guided fuzzing of one reader.

READER is settings, baseline, comments or cache. Needs `pip install atheris`. What it finds goes to
`tests/fuzz/corpus/READER/`, which `test_readers.py` replays.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["pplint"]):
    from test_readers import READERS


def main() -> None:
    """Hand over to libFuzzer; it does not return."""
    reader = READERS[sys.argv.pop(1)]
    folder = Path(tempfile.mkdtemp())
    atheris.Setup(sys.argv, lambda data: reader(folder, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
