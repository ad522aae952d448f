"""What is known of a tree, in memory or on disk, never changes what is said of it: each look is compared with a fresh one.

`python tests/fuzz/test_incremental.py 2000` is the long run.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest
from generated_modules import FILES, Written, modules
from hypothesis import given
from hypothesis import strategies as st
from test_fix_property import Desk, chosen, shared_memory

from pplint.finding import Finding
from pplint.judge import check

LOOKS = 40
OTHERS = {
    "srt/mem_cache/sample_pool.py": (
        FILES["srt/mem_cache/sample_pool.py"],
        FILES["srt/mem_cache/sample_pool.py"].replace("layer_id - self.start_layer", "layer_id", 1),
        "# moved\n\n" + FILES["srt/mem_cache/sample_pool.py"],
        "",
    ),
    "srt/models/sample_model.py": (
        FILES["srt/models/sample_model.py"],
        FILES["srt/models/sample_model.py"].replace(", pp_proxy_tensors=None", ""),
        FILES["srt/models/sample_model.py"].replace("self.layers, self.start", "self.blocks, self.start"),
    ),
    "srt/batch_overlap/sample_overlap.py": (
        FILES["srt/batch_overlap/sample_overlap.py"],
        FILES["srt/batch_overlap/sample_overlap.py"].replace("layers[0].mlp", "1"),
        None,
    ),
}
"""Contents of the files around: what they say changes, moves, goes and comes back."""


class Changes:
    """A checkout that changes from look to look."""

    def __init__(self, folder: Path) -> None:
        self.desk = Desk(folder)
        self.cache = folder / "cache"

    def step(self, written: Written, name: str, number: int) -> None:
        """Put a generated module and one of the other files in place, look, and look again as if for the first time."""
        self.desk.file.write_bytes(written.data)
        path, contents = self.desk.folder / name, OTHERS[name]
        content = contents[number % len(contents)]
        if content is not None:
            path.write_text(content)
        elif path.exists():
            path.unlink()
        seen = self.look()
        known = dict(check._KNOWN)
        check._KNOWN.clear()
        from_disk = self.look(cache_dir=str(self.cache))
        check._KNOWN.clear()
        fresh = self.look()
        check._KNOWN.clear()
        check._KNOWN.update(known)
        assert seen == fresh
        assert from_disk == fresh

    def look(self, **options: str) -> list[Finding]:
        return self.desk.look(show_info=True, **options).seen.findings


CHANGE = {"written": modules(), "name": st.sampled_from(sorted(OTHERS)), "number": st.integers(0, 11)}


@pytest.fixture(scope="module")
def changes():
    with tempfile.TemporaryDirectory(dir=shared_memory()) as folder:
        yield Changes(Path(folder).resolve())


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@chosen(LOOKS)
@given(**CHANGE)
def test_a_look_that_knows_what_was_before_says_what_a_fresh_one_says(
    changes: Changes, written: Written, name: str, number: int
) -> None:
    changes.step(written, name, number)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=shared_memory()) as top:
        tree = Changes(Path(top).resolve())
        chosen(int(sys.argv[1]))(given(**CHANGE)(tree.step))()
        print(f"{sys.argv[1]} looks, no difference")
