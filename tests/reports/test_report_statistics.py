from __future__ import annotations

from report_desk import Desk, rendered


def test_counts_per_rule_and_folder_and_groups_of_one_shape(desk: Desk) -> None:
    a, b = desk.file("srt/models/a.py", "f(0)\n" * 7), desk.file("b.py", "f(0)\n")
    clones = [desk.finding(a, "0", number, shape="call(literal)") for number in range(1, 8)]
    alone = desk.finding(b, "0", shape="other", code="PPL702", severity="warning")
    none = desk.finding(b, "0", shape="", severity="info")
    text = rendered("text", desk.report(*clones, alone, none, statistics=True, quiet=True))
    assert text[text.index("By rule") :] == (
        "By rule\n"
        "     7  PPL101[literal-layer-id] error\n"
        "     1  PPL101[literal-layer-id] info\n"
        "     1  PPL702[hidden-stage-range] warning\n"
        "\n"
        "By folder\n"
        "     7  srt/models\n"
        "     2  .\n"
        "\n"
        "By shape (the same code under other names)\n"
        "     7  PPL101 srt/models/a.py:1, srt/models/a.py:2, srt/models/a.py:3, srt/models/a.py:4, "
        "srt/models/a.py:5, and 2 more places\n"
        "\n"
    )


def test_a_clean_run_has_no_tables(desk: Desk) -> None:
    assert rendered("text", desk.report(statistics=True)) == "All clean: 3 files checked\n"
