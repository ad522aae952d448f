"""Other people's readers on our SARIF: the SARIF Multitool and sarif-tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from report_desk import Desk

from pplint.finding import UNSAFE, Step, Trouble
from pplint.reports.report import Report, write_reports
from sarif_readers import Verdicts, assert_flawless, counts


def clean(desk: Desk) -> Report:
    return desk.report()


def many_kinds(desk: Desk) -> Report:
    hit = desk.file(
        "python/sglang/a b#%\u00e9.py",
        "s = '\U0001f600\u00e9'; v = pool.get_value_buffer(0); w = x.get_key_buffer(0)\nl[0]\n",
    )
    pool = desk.file(
        "python/sglang/pool.py", "class P:\n    def get(self, i):\n        return i - self.start_layer\n"
    )
    far = desk.finding(desk.file("../far.py", "f(0)\n"), "0")
    trace = (
        Step(pool, 3, 20, "`get_value_buffer` subtracts `start_layer`"),
        Step(pool, 2, 9, "reads `layers[0](x)`"),
        Step("", 0, 0, "a step without a place"),
    )
    silent = desk.finding(pool, "i", 1)
    return desk.report(
        desk.finding(hit, "0", 1, to="pool.start_layer", trace=trace),
        desk.finding(hit, "0", 2, to="x.start_layer"),
        desk.finding(hit, "0", 3, to="", code="PPL201", severity="warning"),
        desk.finding(hit, "l[", 1, to="m[", safety=UNSAFE, code="PPL702", severity="info"),
        desk.finding(hit, "l[", 1, code="PPL901", severity="warning"),
        far._replace(path=str(Path(far.path).resolve())),
        troubles=[
            Trouble(pool, 2, "cannot be parsed"),
            Trouble(hit, 0, "unreadable"),
            Trouble("", 0, "nothing"),
        ],
        suppressed=[(silent, "looked at"), (silent._replace(code="PPL201"), "")],
        include_suppressed=True,
    )


@pytest.mark.parametrize("build", [clean, many_kinds], ids=["a clean run", "every kind of result"])
def test_the_multitool_has_no_error_and_no_warning(
    desk: Desk, multitool: Callable[[Path], Verdicts], tmp_path: Path, build: Callable[[Desk], Report]
) -> None:
    file = tmp_path / "out.sarif"
    write_reports([("sarif", str(file))], build(desk))
    assert_flawless(multitool(file))


def test_the_multitool_would_see_a_wrong_region(
    desk: Desk, multitool: Callable[[Path], Verdicts], tmp_path: Path
) -> None:
    file = tmp_path / "out.sarif"
    write_reports([("sarif", str(file))], many_kinds(desk))
    text = file.read_text(encoding="utf-8")
    assert '"startColumn":38' in text
    file.write_text(text.replace('"startColumn":38', '"startColumn":0'), encoding="utf-8")
    assert any(item.get("level") == "error" for item in multitool(file))


def test_sarif_tools_reads_the_same_counts(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "out.sarif"
    write_reports([("sarif", str(file))], many_kinds(desk)._replace(include_suppressed=False))
    assert counts(file) == {"error": 1, "warning": 2, "note": 1}
