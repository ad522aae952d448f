"""`python tests/fuzz/long_run.py MODULES [SEED]`: the property of fixes on many generated modules.

Prints how many were checked after every 500 and how many fixes of which rule, or the first module that breaks
the promise.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

from generated_modules import modules
from hypothesis import given, seed
from test_fix_property import Desk, check, chosen, shared_memory

STEP = 500


def main(wanted: int, first_seed: int) -> None:
    """Check `wanted` modules; each step has a seed of its own, so that it can be repeated alone."""
    warnings.simplefilter("ignore")
    done = edited = 0
    fixes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(dir=shared_memory()) as folder:
        desk = Desk(Path(folder).resolve())
        for step in range(-(-wanted // STEP)):

            @seed(first_seed + step)
            @chosen(STEP)
            @given(modules())
            def one_step(written) -> None:  # type: ignore[no-untyped-def]
                nonlocal done, edited
                fixes.update(finding.code for finding in check(desk, written))
                done += 1
                edited += desk.file.read_bytes() != written.data

            one_step()
            print(f"{done} modules, {edited} of them changed by fixes, no violation", flush=True)
        print(", ".join(f"{code}: {count}" for code, count in sorted(fixes.items())))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
