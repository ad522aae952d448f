"""A file is the old one or the new one, whatever happens."""

from __future__ import annotations

import errno
import os
import random
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pplint.files import write
from pplint.files.write import WriteError, remove_leftovers, write_atomically

fcntl = pytest.importorskip("fcntl", reason="POSIX files")

OLD, NEW = b"old\r\n", b"new\r\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_bytes(OLD)
    return path


def refused(path: Path, words: str, expected: bytes | None = OLD) -> None:
    """Writing is refused in these words; the file and its folder stay as they were."""
    before = sorted(path.parent.iterdir())
    with pytest.raises(WriteError, match=words) as caught:
        write_atomically(str(path), NEW, expected)
    assert str(caught.value) == f"{path}: {caught.value.message}"
    assert sorted(path.parent.iterdir()) == before


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o2775, 0o4750])
def test_the_contents_are_replaced_and_the_mode_stays(file: Path, mode: int) -> None:
    file.chmod(mode)
    write_atomically(str(file), NEW, OLD)
    assert file.read_bytes() == NEW
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_stays(file: Path) -> None:
    os.chown(file, 1234, 4321)
    write_atomically(str(file), NEW, OLD)
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 4321)


def test_a_file_that_would_change_hands_stays(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int, user: int, group: int) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    stranger = os.stat_result((*file.stat()[:4], 1234, *file.stat()[5:]))
    monkeypatch.setattr(os, "fchown", refuse)
    monkeypatch.setattr(write, "_is_at", lambda held, path: True)
    state = os.fstat
    asked: list[int] = []

    def first_is_a_strangers(handle: int) -> os.stat_result:
        asked.append(handle)
        return stranger if len(asked) == 1 else state(handle)

    monkeypatch.setattr(os, "fstat", first_is_a_strangers)
    refused(file, "belongs to another user")


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes")
def test_extended_attributes_stay(file: Path) -> None:
    try:
        os.setxattr(file, "user.origin", b"mars")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    write_atomically(str(file), NEW, OLD)
    assert os.getxattr(file, "user.origin") == b"mars"


def test_a_link_stays_a_link(file: Path) -> None:
    folder = file.parent / "x"
    folder.mkdir()
    link = folder / "b.py"
    link.symlink_to("../a.py")
    write_atomically(str(link), NEW, OLD)
    assert link.is_symlink()
    assert file.read_bytes() == NEW
    assert list(folder.iterdir()) == [link]


def test_a_name_as_long_as_names_can_be(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 126 + ".py")
    path.write_bytes(OLD)
    write_atomically(str(path), NEW, OLD)
    assert path.read_bytes() == NEW


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.py"))
    path.write_bytes(OLD)
    write_atomically(str(path), NEW, OLD)
    assert path.read_bytes() == NEW


def test_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_atomically(str(path), NEW, None)
    (tmp_path / "plain").write_bytes(NEW)
    assert path.read_bytes() == NEW
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_whatever_the_file_holds(file: Path) -> None:
    write_atomically(str(file), NEW, None)
    assert file.read_bytes() == NEW


def test_nothing_is_written_where_the_new_bytes_are_already(file: Path) -> None:
    file.write_bytes(NEW)
    before = file.stat()
    write_atomically(str(file), NEW, OLD)
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_file_that_changed_meanwhile_stays(file: Path) -> None:
    file.write_bytes(b"third")
    refused(file, "changed on disk meanwhile")
    assert file.read_bytes() == b"third"


def test_a_file_that_vanished_meanwhile_stays_away(file: Path) -> None:
    file.unlink()
    refused(file, "vanished meanwhile")


@pytest.mark.parametrize("mode", [0o444, 0o555, 0o077])
def test_a_read_only_file_stays(file: Path, mode: int) -> None:
    file.chmod(mode)
    refused(file, "read-only")
    assert stat.S_IMODE(file.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes anywhere")
def test_a_file_in_a_read_only_folder_stays(file: Path) -> None:
    file.parent.chmod(0o555)
    try:
        refused(file, "Permission denied")
    finally:
        file.parent.chmod(0o755)


@pytest.mark.parametrize(
    ("step", "code"),
    [
        pytest.param("write", errno.ENOSPC, id="the disk is full"),
        pytest.param("write", errno.EDQUOT, id="the quota is used up"),
        pytest.param("fsync", errno.EIO, id="the disk fails"),
        pytest.param("fchmod", errno.EPERM, id="the mode cannot be kept"),
        pytest.param("replace", errno.EACCES, id="the folder is read-only"),
        pytest.param("replace", errno.EPERM, id="the file is immutable"),
    ],
)
def test_a_failing_step_leaves_the_file_and_no_other(
    file: Path, monkeypatch: pytest.MonkeyPatch, step: str, code: int
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, step, fail)
    refused(file, os.strerror(code))
    assert file.read_bytes() == OLD


def test_a_disk_that_fills_up_halfway(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    written: list[int] = []

    def three_bytes(handle: int, data: bytes) -> int:
        if written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(real(handle, bytes(data)[:3]))
        return written[0]

    monkeypatch.setattr(os, "write", three_bytes)
    refused(file, os.strerror(errno.ENOSPC))
    assert (file.read_bytes(), written) == (OLD, [3])


def test_an_interrupted_write_leaves_no_temporary_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(str(file), NEW, OLD)
    assert list(file.parent.iterdir()) == [file]


def test_small_writes_add_up(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, bytes(data)[:2]))
    write_atomically(str(file), NEW, OLD)
    assert file.read_bytes() == NEW


@pytest.mark.parametrize(
    "make",
    [pytest.param(Path.mkdir, id="a folder"), pytest.param(os.mkfifo, id="a pipe nobody reads")],
)
def test_what_is_no_file_is_not_written(tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(tmp_path / "x.py")
    refused(tmp_path / "x.py", r"not a regular file", None)


def test_a_file_that_another_program_holds_stays(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "_LOCK_PAUSE", 0)
    with file.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        refused(file, "locked by another program")


def test_a_file_system_without_locks(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int, kind: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    write_atomically(str(file), NEW, OLD)
    assert file.read_bytes() == NEW


def test_of_many_writers_one_wins(file: Path) -> None:
    outcomes: list[str] = []

    def attempt(data: bytes) -> None:
        try:
            write_atomically(str(file), data, OLD)
            outcomes.append(data.decode())
        except WriteError as error:
            outcomes.append(error.message)

    writers = [threading.Thread(target=attempt, args=(b"%d" % number,)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    winner = file.read_text()
    assert sorted(outcomes) == sorted([winner, *["changed on disk meanwhile; not written"] * 7])
    assert list(file.parent.iterdir()) == [file]


def leftover(folder: Path, name: str = ".a.py.pplint-1-0123456789ab.tmp") -> Path:
    path = folder / name
    path.write_bytes(b"half")
    return path


def test_leftovers_of_dead_runs_are_removed_and_nothing_else(tmp_path: Path) -> None:
    mine = leftover(tmp_path)
    for name in (
        ".a.py.tmp",
        "a.py.pplint-1-0123456789ab.tmp",
        ".a.py.pplint-1-0123.tmp",
        ".b.pplint-x-y.tmp",
    ):
        leftover(tmp_path, name)
    (tmp_path / ".d.pplint-1-0123456789ab.tmp").mkdir()
    (tmp_path / ".l.pplint-1-0123456789ab.tmp").symlink_to("a.py")
    before = set(tmp_path.iterdir())
    assert remove_leftovers(str(tmp_path)) == [str(mine)]
    assert set(tmp_path.iterdir()) == before - {mine}


def test_a_file_that_is_being_written_is_no_leftover(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    removed: list[str] = []
    real = os.replace

    def sweep_first(old: str, new: str) -> None:
        removed.extend(remove_leftovers(str(file.parent)))
        real(old, new)

    monkeypatch.setattr(os, "replace", sweep_first)
    write_atomically(str(file), NEW, OLD)
    assert (removed, file.read_bytes()) == ([], NEW)


@pytest.mark.parametrize(
    ("pid", "goes"),
    [(os.getpid(), False), (2**22 + 1, True), (10**30, False)],
    ids=["of this process", "of no process", "too large for one"],
)
def test_without_locks_the_process_number_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pid: int, goes: bool
) -> None:
    def refuse(handle: int, kind: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    path = leftover(tmp_path, f".a.py.pplint-{pid}-0123456789ab.tmp")
    assert remove_leftovers(str(tmp_path)) == ([str(path)] if goes else [])


def test_a_folder_that_is_gone_has_no_leftovers(tmp_path: Path) -> None:
    assert remove_leftovers(str(tmp_path / "gone")) == []


WRITER = """
import sys
from pplint.files.write import write_atomically
path, old, new = sys.argv[1], b"a" * 200_000, b"b" * 200_000
print("ready", flush=True)
while True:
    write_atomically(path, new, None)
    write_atomically(path, old, None)
"""


def test_killed_at_any_moment_the_file_is_old_or_new(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"a" * 200_000)
    moments = random.Random(0)
    stopped_early = 0
    for _ in range(25):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            # The moment is the writer's own: so many times it is let run for a little.
            with pytest.raises(subprocess.TimeoutExpired):
                writer.wait(moments.uniform(0, 0.03))
            writer.send_signal(signal.SIGKILL)
        assert path.read_bytes() in (b"a" * 200_000, b"b" * 200_000)
        stopped_early += len(list(tmp_path.iterdir())) > 1
        remove_leftovers(str(tmp_path))
        assert list(tmp_path.iterdir()) == [path]
    assert stopped_early, "no kill hit a write: the test shows nothing"
