"""The page in a real browser, as people get it: written by `pplint --output html:FILE` and opened from disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from report_desk import Desk, rendered

from pplint.finding import Impact, Step, Trouble
from pplint.reports.report import Report

Open = Callable[..., Any]


def shown(page: Any) -> int:
    """How many findings can be seen."""
    return int(page.locator("article.finding:visible").count())


def state(page: Any) -> str:
    return str(page.evaluate("decodeURIComponent(location.hash)"))


def places(page: Any) -> list[str]:
    return list(page.locator("article.finding:visible .place").all_text_contents())


def place_of(finding: dict[str, Any]) -> str:
    return f"{finding['path']}:{finding['line']}:{finding['column']}"


def test_all_findings_are_there_by_rule_the_most_severe_first(opened: Open, written: Any) -> None:
    levels = ["error", "warning", "info"]
    ordered = sorted(written[1], key=lambda one: (one["code"], levels.index(one["severity"])))
    page = opened()
    assert places(page) == [place_of(one) for one in ordered]
    assert page.locator("#shown").inner_text() == f"{len(ordered)} of {len(ordered)} findings"
    counts = Counter(one["code"] for one in ordered)
    titles = [text.split() for text in page.locator(".group h3").all_text_contents()]
    assert {title[0]: int(title[-1]) for title in titles} == counts


def test_a_level_is_left_out_and_the_counts_follow(opened: Open, written: Any) -> None:
    rest = [one for one in written[1] if one["severity"] != "error"]
    page = opened()
    page.get_by_role("checkbox", name="error").uncheck()
    page.wait_for_url(lambda url: "#" in url)
    assert shown(page) == len(rest)
    assert state(page) == "#level=warning,info"
    assert page.locator("#groups li:visible").count() == len({one["code"] for one in rest})
    numbers = [int(text) for text in page.locator(".group:visible .count").all_text_contents()]
    assert sum(numbers) == len(rest)


def test_the_slash_key_goes_to_the_search_which_looks_for_all_words(opened: Open, written: Any) -> None:
    page = opened()
    page.keyboard.press("/")
    page.keyboard.type("GLOBAL  npu")
    page.wait_for_url(lambda url: "#" in url)
    hits = [one for one in written[1] if "npu" in one["path"] and "GLOBAL" in str(one)]
    assert hits
    assert sorted(places(page)) == sorted(place_of(one) for one in hits)
    assert state(page) == "#q=GLOBAL++npu"
    page.keyboard.type(" no such word")
    page.get_by_text("No finding matches.").wait_for()
    assert shown(page) == 0


def test_rule_path_and_level_work_together_and_are_taken_back_together(opened: Open, written: Any) -> None:
    page = opened()
    page.get_by_role("combobox", name="Rule").select_option("PPL301")
    page.get_by_label("Path has").fill("models/")
    page.get_by_role("checkbox", name="error").uncheck()
    page.wait_for_url(lambda url: "level" in url.partition("#")[2])
    wanted = [
        one
        for one in written[1]
        if one["code"] == "PPL301" and "models/" in one["path"] and one["severity"] != "error"
    ]
    assert places(page) == [place_of(one) for one in wanted]
    page.get_by_role("button", name="Show all").click()
    assert shown(page) == len(written[1])
    assert state(page) == ""


@pytest.mark.parametrize(
    "hash", ["level=warning&group=file", "q=start_layer&brief=1", "rule=PPL101&path=attention", "group=shape"]
)
def test_a_link_opens_the_same_view(opened: Open, hash: str) -> None:
    page = opened(f"#{hash}")
    assert sorted(state(page)[1:].split("&")) == sorted(hash.split("&"))
    again = opened(state(page))
    assert places(again) == places(page)
    assert (
        again.locator(".group:visible h3").all_inner_texts()
        == page.locator(".group:visible h3").all_inner_texts()
    )


def test_grouping_by_file_and_back_loses_nothing(opened: Open, written: Any) -> None:
    page = opened()
    before = places(page)
    page.get_by_label("file").check()
    page.wait_for_url("**#group=file")
    counts = Counter(one["path"] for one in written[1])
    titles = [text.split() for text in page.locator(".group:visible h3").all_text_contents()]
    assert {path: int(count) for path, count in titles} == counts
    assert places(page) == [place_of(one) for one in sorted(written[1], key=lambda one: one["path"])]
    page.get_by_label("rule", exact=True).check()
    page.wait_for_url(lambda url: "#" not in url)
    assert places(page) == before


def test_places_of_one_shape_stand_together_before_the_others(opened: Open) -> None:
    page = opened("#group=shape")
    counts = [int(text) for text in page.locator(".group .count").all_text_contents()]
    assert counts[:-1] == sorted(counts[:-1], reverse=True)
    assert min(counts[:-1]) >= 2
    assert page.locator(".group h3").last.inner_text().startswith("Code with no other of its shape")


def test_a_finding_can_be_linked(opened: Open) -> None:
    page = opened()
    link = page.locator("article .place").last
    link.click()
    assert state(page).startswith("#at=f-")
    for hash in (state(page), link.get_attribute("href")):
        again = opened(hash)
        (target,) = again.locator(".target").all()
        assert target.locator(".place").inner_text() == link.inner_text()
        box = target.bounding_box()
        assert 0 <= box["y"] < 900


def test_a_rule_is_explained_one_click_away(opened: Open) -> None:
    page = opened()
    page.locator("article a.rule").first.click()
    assert page.locator("#PPL101").is_visible()
    assert "Why it breaks" in page.locator("#PPL101").inner_text()
    assert shown(page) == 0
    page.get_by_role("link", name="Findings").click()
    assert shown(page) > 0
    assert state(page) == ""


def test_the_marked_token_is_the_one_that_is_reported(opened: Open, written: Any) -> None:
    page = opened()
    for one in written[1]:
        if one["line"] == one["end_line"]:
            line = (Path.cwd() / one["path"]).read_text().splitlines()[one["line"] - 1]
            article = page.locator("article", has=page.get_by_text(place_of(one), exact=True))
            token = line[one["column"] - 1 : one["end_column"] - 1]
            assert article.first.locator(".frame mark").first.text_content() == token


def test_the_stages_are_drawn_and_told(opened: Open, written: Any) -> None:
    page = opened()
    drawn = [one for one in written[1] if one["outcomes"]]
    assert page.locator("figure.stages").count() == len(drawn)
    drawing = page.locator("article", has_text="triton_backend").locator("svg").first
    assert drawing.get_attribute("role") == "img"
    words = drawing.get_attribute("aria-label")
    assert "stage 0 owns 0-" in words
    assert "IndexError" in words
    rows = drawing.locator(".rank").all_text_contents()
    assert rows == [f"stage {rank}" for rank in range(len(rows))]
    assert drawing.locator("text.fails").last.text_content() == "IndexError"
    others = page.locator("article", has_text="triton_backend").locator("figure details")
    others.locator("summary").click()
    assert "layers on 2 stages. stage 0 owns 0-" in others.inner_text()


def test_every_control_is_reached_by_the_tab_key_and_shows_it(opened: Open) -> None:
    page = opened()
    seen = []
    for _ in range(16):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate(
                "(() => { const e = document.activeElement, s = getComputedStyle(e);"
                " return [e.name || e.id || e.textContent, s.outlineStyle, e.getBoundingClientRect().left >= 0]; })()"
            )
        )
    names = [name for name, _, _ in seen]
    assert names[0] == "Skip to the content"
    assert {"theme", "q", "level", "rule", "path", "group", "brief", "Show all"} <= set(names)
    assert all(outline != "none" and visible for _, outline, visible in seen), seen


def test_the_system_chooses_the_colours_until_the_reader_does(opened: Open) -> None:
    def light(page: Any) -> bool:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(","))) > 380

    assert light(opened())
    page = opened(color_scheme="dark")
    assert not light(page)
    page.get_by_label("Theme").select_option("light")
    assert light(page)
    page.reload()
    assert light(page)
    page.get_by_label("Theme").select_option("dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 33, 37)"


def test_on_paper_everything_is_open_and_nothing_can_be_clicked(opened: Open, written: Any) -> None:
    page = opened(color_scheme="dark")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert shown(page) == len(written[1])
    assert page.locator("input:visible, select:visible, button:visible, nav:visible").count() == 0
    folded = page.locator("figure details").first
    assert folded.locator("li").first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not folded.evaluate("one => one.open")


def test_without_scripts_everything_can_be_read(opened: Open, written: Any) -> None:
    page = opened(java_script_enabled=False)
    assert shown(page) == len(written[1])
    assert page.locator(".controls").is_hidden()
    assert page.locator("#rules").is_visible()


@pytest.mark.parametrize("width", [320, 420, 800])
def test_a_narrow_window_needs_no_sideways_scrolling(opened: Open, width: int) -> None:
    page = opened(viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not page.get_by_label("Path has").is_visible() or width > 1000
    page.get_by_text("Filters").click()
    assert page.get_by_label("Path has").is_visible()


def synthetic(desk: Desk, number: int) -> Report:
    """Findings of all levels, over forty files and ten rules, that all differ."""
    paths = [
        desk.file(f"srt/part{n % 8}/m{n}.py", f"v = pool.get_value_buffer(0)  # {n}\n" * 50)
        for n in range(40)
    ]
    levels = ("error", "warning", "info")
    findings = [
        desk.finding(paths[n % 40], "0", n // 40 + 1, code=f"PPL{100 + n % 10}", severity=levels[n % 3])
        for n in range(number)
    ]
    return desk.report(
        *(one._replace(message=f"number{n}", shape=f"s{n % 500}") for n, one in enumerate(findings))
    )


def saved(report: Report, folder: Path) -> Path:
    file = folder / "page.html"
    file.write_text(rendered("html", report), "ascii")
    return file


def test_two_thousand_findings_can_be_filtered_grouped_and_searched(
    opened: Open, desk: Desk, tmp_path: Path
) -> None:
    page = opened("", saved(synthetic(desk, 2000), tmp_path))
    assert shown(page) == 2000
    page.get_by_role("checkbox", name="info").uncheck()
    page.get_by_label("shape").check()
    page.get_by_label("Path has").fill("part3/")
    page.wait_for_url(lambda url: "path" in url.partition("#")[2])
    assert shown(page) == len([n for n in range(2000) if n % 3 != 2 and n % 40 % 8 == 3])
    page.keyboard.press("Escape")
    page.get_by_label("Search").fill("number1203")
    page.wait_for_url(lambda url: "q=" in url.partition("#")[2])
    assert page.locator("article:visible .message").all_text_contents() == ["number1203"]


HOSTILE = "</pre></script><script>alert(1)</script>\"'><img src=x onerror=alert(1)><svg onload=alert(1)>`${alert(1)}`"


def test_what_stands_in_code_messages_and_paths_stays_text(opened: Open, desk: Desk, tmp_path: Path) -> None:
    path = desk.file("a<img src=x onerror=alert(1)>&.py", f"f(0)  # {HOSTILE}\n")
    more = {"symbol": HOSTILE, "trace": (Step(path, 1, 1, HOSTILE),), "impact": Impact(HOSTILE, ())}
    one = desk.finding(path, "0", to=HOSTILE, message=HOSTILE, fingerprint=HOSTILE, **more)
    other = desk.finding(path, "0", no_fix=HOSTILE, changed_by=HOSTILE, name=HOSTILE, code="PPL702")
    report = desk.report(one, other, troubles=[Trouble(path, 1, HOSTILE)], version=HOSTILE, command=HOSTILE)
    file = saved(report, tmp_path)
    page = opened(f"#q={quote('<script>alert(1)')}", file)
    assert shown(page) == 2
    assert page.locator("img, svg[onload], script:not(head script, body > script)").count() == 0
    page.get_by_label("file").check()
    page.get_by_label("shape").check()
    page.locator("#groups a").first.click()
    page.get_by_label("Search").fill(HOSTILE)
    page.get_by_label("Path has").fill(HOSTILE)
    page.wait_for_url(lambda url: "path" in url.partition("#")[2])
    assert shown(opened(state(page), file)) == 0
