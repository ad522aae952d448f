"""Settings are found, checked, joined with the command line, and each tells where it came from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fake_judge
from pplint.cli import run
from pplint.settings import SettingsError, load, override, selected

HIT = "v = pool.get_value_buffer(0)\n"


@pytest.fixture(autouse=True)
def in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_judge.install(monkeypatch)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)


def configure(folder: Path, text: str) -> Path:
    file = folder / "pyproject.toml"
    file.write_text(text, encoding="utf-8")
    return file


REFUSED = {
    "an unknown key": ("selekt = []", "unknown setting 'selekt'", "did you mean 'select'"),
    "a string for a list": ('select = "PPL101"', "select must be a list", ":2"),
    "a number for a flag": ("include-tests = 1", "include-tests must be true or false", ":2"),
    "a flag for a number": ("pp-size = true", "pp-size must be a whole number", ":2"),
    "no stages": ("pp-size = 0", "at least 1", ":2"),
    "an unknown code": ('ignore = ["PPL1O1"]', "PPL1O1", "PPL101"),
    "an unknown name": ('select = ["literal-layerid"]', "literal-layerid", "literal-layer-id"),
    "an unknown code for a file": ('per-file-ignores = {"a.py" = ["PPL1O1"]}', "per-file-ignores", "PPL1O1"),
    "an unknown level": ('severity = {PPL101 = "waring"}', "'waring'", "did you mean 'warning'"),
    "an unknown rule with a level": ('severity = {PPL1O1 = "error"}', "severity", "PPL1O1"),
    "a baseline outside": ('baseline = "../b.json"', "baseline must stay inside", ":2"),
    "an absolute baseline outside": ('baseline = "/elsewhere/b.json"', "baseline must stay inside", ":2"),
    "paths outside": ('paths = [".."]', "paths must stay inside", ":2"),
    "broken TOML": ("select = [", "pyproject.toml", ""),
}


@pytest.mark.parametrize(("line", "said", "hint"), REFUSED.values(), ids=REFUSED.keys())
def test_a_bad_setting_ends_the_run_with_its_place(
    line: str, said: str, hint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = configure(tmp_path, f"[tool.pplint]\n{line}\n")
    (tmp_path / "a.py").write_text(HIT)
    assert run(["a.py"]) == 2
    error = capsys.readouterr().err
    assert str(file) in error
    assert said in error
    assert hint in error


def test_a_link_cannot_lead_the_baseline_outside(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "link").symlink_to(tmp_path)
    configure(project, '[tool.pplint]\nbaseline = "link/b.json"\n')
    with pytest.raises(SettingsError, match="must stay inside"):
        load(str(project))


FOUND = {
    "beside the file": ("", True),
    "above the file": ("deep/er", True),
}


@pytest.mark.parametrize(("folder", "found"), FOUND.values(), ids=FOUND.keys())
def test_the_nearest_file_above_holds(folder: str, found: bool, tmp_path: Path) -> None:
    configure(tmp_path, "[tool.pplint]\ninclude-tests = true\n")
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    assert load(str(tmp_path / folder / "a.py")).include_tests is found


def test_a_pyproject_without_pplint_is_passed_over(tmp_path: Path) -> None:
    configure(tmp_path, "[tool.pplint]\ninclude-tests = true\n")
    inner = tmp_path / "python"
    inner.mkdir()
    configure(inner, '[project]\ndependencies = ["pplint"]\n')
    assert load(str(inner)).include_tests


def test_a_file_above_the_checkout_does_not_hold(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    configure(tmp_path, "[tool.pplint]\ninclude-tests = true\n")
    assert not load(str(checkout)).include_tests


CHOICES = {
    "everything by default": ("", {}, "PPL101 PPL201 PPL901"),
    "a prefix of the settings": ('select = ["PPL1"]', {}, "PPL101"),
    "ignored in the settings": ('ignore = ["PPL101"]', {}, "PPL201 PPL901"),
    "the command line's choice starts anew": ('ignore = ["PPL101"]', {"select": ("PPL101",)}, "PPL101"),
    "the command line ignores more": ('ignore = ["PPL1"]', {"ignore": ("PPL9",)}, "PPL201"),
    "the command line extends": (
        'select = ["PPL1"]',
        {"extend_select": ("literal-layer-index",)},
        "PPL101 PPL201",
    ),
}


@pytest.mark.parametrize(("line", "given", "codes"), CHOICES.values(), ids=CHOICES.keys())
def test_the_choice_of_rules(
    line: str, given: dict[str, tuple[str, ...]], codes: str, tmp_path: Path
) -> None:
    configure(tmp_path, f"[tool.pplint]\n{line}\n")
    chosen = selected(override(load(str(tmp_path)), given))
    assert chosen & {"PPL101", "PPL201", "PPL901"} == set(codes.split())


def test_each_value_tells_its_origin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = configure(
        tmp_path, '[project]\nname = "x"\n\n[tool.pplint]\n# words\nignore = ["PPL2"]\npp-size = 4\n'
    )
    assert run(["config", "--select", "PPL1", "--format", "json"]) == 0
    settings = json.loads(capsys.readouterr().out)["settings"]
    assert settings["pp-size"] == {"value": 4, "origin": f"{file}:7"}
    assert settings["select"] == {"value": ["PPL1"], "origin": "command line"}
    assert settings["ignore"] == {"value": [], "origin": "command line"}
    assert settings["require-reason"] == {"value": False, "origin": "default"}
    assert run(["config"]) == 0
    assert "pp-size = 4  # pyproject.toml:7\n" in capsys.readouterr().out


def test_codes_can_be_ignored_in_some_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(tmp_path, '[tool.pplint.per-file-ignores]\n"old/**" = ["literal-layer-id"]\n')
    for name in ("old/a.py", "new/a.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(HIT)
    assert run([".", "--quiet"]) == 1
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["new/a.py"]


@pytest.mark.parametrize(
    ("level", "code"), [("info", 0), ("warning", 1), ("error", 1)], ids=["to info", "to warning", "to error"]
)
def test_a_rule_s_level_can_be_set(level: str, code: int, tmp_path: Path) -> None:
    configure(tmp_path, f'[tool.pplint.severity]\nliteral-layer-id = "{level}"\n')
    (tmp_path / "a.py").write_text(HIT)
    assert run(["a.py", "--show-info"]) == code


def test_an_unused_comment_of_level_info_is_shown_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(tmp_path, '[tool.pplint.severity]\nPPL901 = "info"\n')
    (tmp_path / "a.py").write_text("v = 1  # pplint: ignore[PPL101]\n")
    assert run(["a.py"]) == 0
    assert "1 info hidden" in capsys.readouterr().out
    assert run(["a.py", "--show-info", "--quiet"]) == 0
    assert "a.py:1:8: PPL901" in capsys.readouterr().out


def test_a_latent_finding_stays_info(tmp_path: Path) -> None:
    configure(tmp_path, '[tool.pplint.severity]\nPPL101 = "error"\n')
    (tmp_path / "a.py").write_text("v = latent.get_value_buffer(0)\n")
    assert run(["a.py", "--show-info"]) == 0


def test_paths_of_the_settings_are_checked_when_none_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(tmp_path, '[tool.pplint]\npaths = ["python"]\n')
    for name in ("python/a.py", "test/a.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(HIT)
    run(["--quiet"])
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["python/a.py"]


@pytest.mark.parametrize(
    "data", [b"pplint\xff", b"[tool.pplint]\nselect = [" + b"[" * 2000, b"[tool]\npplint = 1\n"]
)
def test_hostile_settings_are_refused_in_one_line(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_bytes(data)
    (tmp_path / "a.py").write_text(HIT)
    assert run(["a.py"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
