"""Measures pplint beside other tools, and how its time grows with the tree. See README.md."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

import report
import trees
from measure import Command, median, memory_of_all, run, turns

HERE = Path(__file__).parent
VENV = HERE / ".venv"
PEERS = ("ruff", "ast-grep-cli", "semgrep", "pylint")
EIGHTHS = (1, 2, 4, 8, 16, 32, 64)
NAMES = r"get_key_buffer|get_value_buffer|get_kv_buffer|start_layer|PPMissingLayer"
SLOW = ("semgrep", "pylint")
BARS = {
    ("cold", "ast-grep"): 0.6,
    ("warm", "ruff F401"): 0.4,
    ("one changed", "import click"): 4,
    ("one without candidates", "import click"): 3,
    ("fix", "cold"): 1.2,
}
"""The ratios of wall time that are promised."""

_SCRIPT = "import sys; from pplint.__main__ import main; sys.exit(main())"
"""What the installed command `pplint` does."""


class Bench:
    """The commands for one tree; `work` is a folder for what is written."""

    def __init__(self, tree: Path, work: Path, jobs: int) -> None:
        self.tree = tree
        self.work = work
        self.jobs = str(jobs)
        self.missing: list[str] = []
        # An installed tool's modules are compiled, whatever the environment of this run says about that.
        self.compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(work / "compiled")}

    def pplint(self, name: str, *more: str, tree: Path | None = None, cache: str = "") -> Command:
        """A check of the tree (or of `tree`), with a cache folder of that name or without a cache."""
        kept = ("--cache-dir", str(self.work / cache)) if cache else ("--no-cache",)
        line = [
            sys.executable,
            "-c",
            _SCRIPT,
            "check",
            "-q",
            "-j",
            self.jobs,
            *kept,
            *more,
            str(tree or self.tree),
        ]
        return Command(name, line, {"PYTHONPATH": str(HERE.parent / "src"), **self.compiled})

    def peers(self) -> Iterator[Command]:
        """The peers that are installed, each on the whole tree."""
        tree = str(self.tree)
        found = {name: self.tool(name) for name in ("rg", "grep", "ruff", "ast-grep", "semgrep", "pylint")}
        if found["rg"]:
            yield Command("ripgrep", [found["rg"], "--no-ignore", "-tpy", "-c", NAMES, tree])
        elif found["grep"]:
            yield Command("grep", [found["grep"], "-rEc", "--include=*.py", NAMES, tree])
        if found["ruff"]:
            yield Command(
                "ruff F401", [found["ruff"], "check", "--isolated", "--select", "F401", "--no-cache", tree]
            )
        if found["ast-grep"]:
            rule = str(HERE / "peers" / "ast-grep.yml")
            yield Command("ast-grep", [found["ast-grep"], "scan", "-r", rule, "--no-ignore", "hidden", tree])
        if found["semgrep"]:
            rule = str(HERE / "peers" / "semgrep.yml")
            options = [
                "--metrics=off",
                "--disable-version-check",
                "--quiet",
                "--no-git-ignore",
                "--config",
                rule,
            ]
            yield Command("semgrep", [found["semgrep"], "scan", *options, tree])
        if found["pylint"]:
            listed = self.work / "files.txt"
            listed.write_text("\0".join(map(str, sorted(self.tree.rglob("*.py")))))
            checks = "--rcfile=/dev/null --load-plugins=literal_layer --disable=all --enable=literal-layer"
            shell = f"xargs -0 -n 100000 -a {listed} {found['pylint']} {checks} -j {self.jobs}"
            # A folder without __init__.py ends pylint's own search, so it is handed the files. xargs says 123 for 1.
            yield Command(
                "pylint", ["sh", "-c", shell], {"PYTHONPATH": str(HERE / "peers")}, good=(0, 1, 2, 123)
            )

    def tool(self, name: str) -> str:
        """Where a peer is: in the venv of --install, else on the PATH; "" when nowhere."""
        found = shutil.which(name, path=os.pathsep.join([str(VENV / "bin"), os.environ.get("PATH", "")]))
        if found is None:
            self.missing.append(name)
        return found or ""

    def rows(self, kinds: list[str], times: int, slow: int) -> Iterator[report.Pair]:
        """Measure what is asked for: all in turn, the slow peers with a cold run alone."""
        cold, warm = self.pplint("cold"), self.pplint("warm", cache="warm")
        click = Command("import click", [sys.executable, "-c", "import click"], self.compiled)
        peers = list(self.peers()) if {"cold", "warm"} & set(kinds) else []
        quick = [peer for peer in peers if peer.name not in SLOW]
        ours = [one for one in (cold, warm) if one.name in kinds]
        wanted = [(one, peer) for one in ours for peer in quick]
        if "fix" in kinds:
            wanted.append((self.pplint("fix", "--diff"), cold))
        if "one-file" in kinds:
            wanted += [(one, click) for one in self.one_file()]
        yield from self._measured(wanted, times)
        for peer in peers if "cold" in kinds else ():
            if peer.name in SLOW:
                yield from self._measured([(cold, peer)], slow)

    def _measured(self, wanted: list[tuple[Command, Command]], times: int) -> Iterator[report.Pair]:
        commands = list({one.name: one for pair in wanted for one in pair}.values())
        print(", ".join(one.name for one in commands), file=sys.stderr)
        costs = turns(commands, times)
        for one, other in wanted:
            bar = BARS.get((one.name, other.name))
            yield report.Pair(
                one.name, f"pplint {one.name}", other.name, costs[one.name], costs[other.name], bar
            )

    def one_file(self) -> Iterator[Command]:
        """The hook's cases: a file that changed since the cache was filled, and one that has nothing to judge."""
        copy = trees.copied(self.tree, self.work)
        changed = trees.candidate(copy)
        text = changed.read_text(encoding="utf-8")
        count = iter(range(10**6))
        run(self.pplint("fill", tree=copy, cache="one"))

        def change() -> None:
            changed.write_text(f"{text}\n# change {next(count)}\n", encoding="utf-8")

        yield self.pplint("one changed", tree=changed, cache="one")._replace(before=change)
        yield self.pplint("one without candidates", tree=trees.plain(copy), cache="one")

    def growth(self, times: int) -> list[report.Growth]:
        """Cold runs on 1/8 to 8 copies, each between two runs on one copy that tell how fast the machine is just then."""
        points = []
        whole = self.pplint("grown")
        for eighths in EIGHTHS:
            print(f"growth: {eighths}/8", file=sys.stderr)
            tree = trees.grown(self.tree, self.work, eighths)
            command = self.pplint("grown", tree=tree)
            rounds = [(run(whole), run(command), run(whole)) for _ in range(times)]
            shares = [2 * cost.cpu / (before.cpu + after.cpu) for before, cost, after in rounds]
            files = sum(1 for _ in tree.rglob("*.py"))
            cost = median([cost for _, cost, _ in rounds])
            points.append(report.Growth(eighths, files, cost, statistics.median(shares)))
            shutil.rmtree(tree.parent)
        return points


def install() -> None:
    """Make a venv for the peers and install them by name."""
    venv.create(VENV, with_pip=True)
    subprocess.run([str(VENV / "bin" / "pip"), "install", "--quiet", *PEERS], check=True)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", nargs="?", type=Path, help="SGLang's package: the folder that holds srt/")
    parser.add_argument("--install", action="store_true", help="install the peers into bench/.venv and stop")
    kinds = ["cold", "warm", "one-file", "fix", "growth", "memory"]
    parser.add_argument("--only", nargs="+", choices=kinds, default=kinds)
    parser.add_argument(
        "--times", type=int, default=5, help="runs of each of a pair, after one that does not count"
    )
    parser.add_argument("--slow-times", type=int, default=5, help="the same for semgrep and pylint")
    parser.add_argument(
        "--growth-times", type=int, default=1, help="the same for each part or number of copies"
    )
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument(
        "--write", type=Path, metavar="DOCS", help="put the figures into DOCS/performance.md and .svg"
    )
    asked = parser.parse_args()
    if asked.install:
        install()
        return
    if asked.tree is None or not (asked.tree / "srt").is_dir():
        parser.error("name SGLang's package: the folder that holds srt/")
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(asked.tree.resolve(), Path(work), asked.jobs)
        parts = [
            _machine(asked.tree, asked.jobs),
            report.table(list(bench.rows(asked.only, asked.times, asked.slow_times))),
        ]
        if "memory" in asked.only and (most := memory_of_all(bench.pplint("cold"))) is not None:
            parts.append(f"A cold run's processes together take up to {most:.0f} MiB.")
        points = bench.growth(asked.growth_times) if "growth" in asked.only else []
        if points:
            parts.append(report.growth_table(points))
        if bench.missing:
            parts.append(f"Not installed here: {', '.join(dict.fromkeys(bench.missing))}.")
    figures = "\n\n".join(parts)
    if asked.write is None:
        print(figures)
        return
    report.put(asked.write / "performance.md", figures)
    if points:
        (asked.write / "performance.svg").write_text(report.plot(points), encoding="utf-8")


def _machine(tree: Path, jobs: int) -> str:
    files = sum(1 for _ in tree.rglob("*.py"))
    return (
        f"{files:,} files, `-j {jobs}`, Python {platform.python_version()}, {platform.system()} {platform.machine()}; "
        "all in turn, medians."
    )


if __name__ == "__main__":
    main()
