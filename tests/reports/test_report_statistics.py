from __future__ import annotations

from report_desk import Desk, rendered


def test_counts_per_rule_and_folder_and_groups_of_one_shape(desk: Desk) -> None:
    a, b = desk.file("srt/models/a.py", "f(0)\n" * 7), desk.file("b.py", "f(0)\n")
    clones = [desk.finding(a, "0", n, shape="call(literal)", to="x" * (n < 3)) for n in range(1, 8)]
    alone = desk.finding(b, "0", shape="other", code="PPL702", severity="warning")
    none = desk.finding(b, "0", shape="", severity="info")
    text = rendered("text", desk.report(*clones, alone, none, statistics=True, quiet=True))
    assert text[text.index("By rule") :] == (
        "By rule\n"
        "  total  error  warning  info   fix\n"
        "      8      7        -     1     2  PPL101[literal-layer-id]\n"
        "      1      -        1     -     -  PPL702[hidden-stage-range]\n"
        "\n"
        "By folder\n"
        "  total  error  warning  info   fix\n"
        "      7      7        -     -     2  srt/models\n"
        "      2      -        1     1     -  .\n"
        "\n"
        "By shape (the same code under other names)\n"
        "      7  PPL101 srt/models/a.py:1, 2, 3 and 4 more places\n"
        "\n"
    )


def test_a_clean_run_has_no_tables(desk: Desk) -> None:
    assert rendered("text", desk.report(statistics=True)) == "All clean: 3 files checked\n"
