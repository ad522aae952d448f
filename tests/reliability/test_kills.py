"""`--fix` that is killed, stopped by the system or run twice: each file is the old one or the new one.

`python tests/reliability/test_kills.py 300` is the long run.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from checkouts import FIXED, HIT, checkout, command, environment, pplint_in

KILLS = 10
FILES = 40
OLD = ("v = 1\n" * 50 + HIT).encode()
NEW = OLD.replace(HIT.encode(), FIXED.encode())

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is POSIX")


def many(folder: Path) -> list[Path]:
    checkout(folder, {f"case{n}.py": OLD for n in range(FILES)})
    return [folder / f"sglang/case{n}.py" for n in range(FILES)]


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in (folder / "sglang").iterdir() if path.name.endswith(".tmp")]


def test_a_kill_at_any_moment_leaves_whole_files(tmp_path: Path) -> None:
    assert killed(tmp_path, KILLS), "no kill fell between two files"


def killed(folder: Path, kills: int) -> int:
    """Kill so many runs; return how many kills fell between two files."""
    files = many(folder)
    start = time.monotonic()
    assert pplint_in(folder, "-q", "--fix", "sglang").returncode == 0
    takes = time.monotonic() - start
    torn, between = [], 0
    for number in range(kills):
        for path in files:
            path.write_bytes(OLD)
        process = subprocess.Popen(
            command("-q", "--fix", "sglang"), cwd=folder, env=environment(), stdout=subprocess.DEVNULL
        )
        # Every other kill falls where files are written: as soon as a certain one is new.
        deadline = time.monotonic() + (3 if number % 2 else random.Random(number).random()) * takes
        while time.monotonic() < deadline and process.poll() is None:
            if number % 2 and files[number % FILES].read_bytes() != OLD:
                break
        process.kill()
        process.wait()
        contents = [path.read_bytes() for path in files]
        torn += [data for data in contents if data not in (OLD, NEW)]
        between += 0 < contents.count(NEW) < FILES
    assert not torn
    assert pplint_in(folder, "-q", "--fix", "sglang").returncode == 0
    assert leftovers(folder) == []
    assert all(path.read_bytes() == NEW for path in files)
    return between


def test_two_runs_at_once_do_no_harm(tmp_path: Path) -> None:
    files = many(tmp_path)
    runs = [
        subprocess.Popen(
            command("-q", "--fix", "sglang"), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for process in runs:
        process.communicate(timeout=120)
    assert all(path.read_bytes() == NEW for path in files)
    assert leftovers(tmp_path) == []


def test_mode_and_links_stay(tmp_path: Path) -> None:
    checkout(tmp_path, {"case.py": OLD})
    real = tmp_path / "sglang/case.py"
    real.chmod(0o751)
    link = tmp_path / "link.py"
    link.symlink_to(real)
    owner = real.stat().st_uid, real.stat().st_gid
    assert pplint_in(tmp_path, "-q", "--fix", "link.py").returncode == 0
    assert real.read_bytes() == NEW
    assert real.stat().st_mode & 0o777 == 0o751
    assert (real.stat().st_uid, real.stat().st_gid) == owner
    assert link.is_symlink()


def test_a_full_disk_is_a_trouble_that_names_the_file(tmp_path: Path) -> None:
    big = b"# " + b"x" * 200_000 + b"\n" + OLD
    checkout(tmp_path, {"big.py": big, "small.py": OLD})
    limited = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); "
        "from pplint.cli import run; sys.exit(run(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, "--no-cache", "-q", "--fix", "sglang"],
        cwd=tmp_path, env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert b"sglang/big.py: PPL903 trouble: cannot be written: File too large" in done.stdout
    assert (tmp_path / "sglang/big.py").read_bytes() == big
    assert (tmp_path / "sglang/small.py").read_bytes() == NEW
    assert leftovers(tmp_path) == []


def test_a_read_only_file_is_a_trouble_that_names_it(tmp_path: Path) -> None:
    checkout(tmp_path, {"case.py": OLD, "other.py": OLD})
    (tmp_path / "sglang/case.py").chmod(0o444)
    done = pplint_in(tmp_path, "-q", "--fix", "sglang")
    assert done.returncode == 2
    assert b"sglang/case.py: PPL903 trouble: is read-only; not written" in done.stdout
    assert (tmp_path / "sglang/case.py").read_bytes() == OLD
    assert (tmp_path / "sglang/other.py").read_bytes() == NEW


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as top:
        print(
            f"{sys.argv[1]} kills, {killed(Path(top), int(sys.argv[1]))} of them between two files, no violation"
        )
