"""A benchmark's task by the config: its data and their dependencies, tables and templates."""

import pytest

from judged_run import SMALL
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.contract.registry import benchmarks
from steadfast.contract.task import Task

JUDGES = {name: {"engine": "reference"} for name in ("first", "second")}
LOCAL = {"source": "local", "directory": "here"}
RELEASED = {"source": "released"}


def task(name: str, section: dict | None = None, judges: tuple = ("first",), **keys) -> Task:
    raw = {"benchmarks": [name], "models": {"m": {"engine": "openai", "model": "m"}}}
    raw["judges"] = {judge: JUDGES[judge] for judge in judges}
    return benchmarks()[name].of(load_config({**raw, name: section or {}, **keys}))


@pytest.mark.parametrize(
    ("name", "section", "settings", "files"),
    [
        ("followbench", {}, {"language": "zh"}, ()),
        ("followbench", LOCAL, {"language": "zh", "directory": "here"}, None),
        ("followbench", RELEASED, {"language": "zh"}, ()),
        ("cfbench", {}, {}, ()),
        ("cfbench", LOCAL, {"directory": "here"}, ("here/cfbench_data.json",)),
        ("cfbench", RELEASED, {}, ()),
        ("complexbench", {}, {"language": "zh", "extra": None}, ()),
        (
            "complexbench",
            {**LOCAL, "extra": "mine.json"},
            {"language": "zh", "extra": "mine.json", "file": "here/data_final.json"},
            ("here/data_final.json", "mine.json"),
        ),
        ("complexbench", RELEASED, {"language": "zh", "extra": None}, ()),
        ("ifeval", {}, {}, ()),
        ("ifeval", LOCAL, {"directory": "here", "sets": ["ifeval", "ifbench"]}, None),
        ("ifeval", {**RELEASED, "sets": ["ifbench"]}, {"sets": ["ifbench"]}, ()),
    ],
)
def test_data_depend_on_the_settings_of_their_source_only(name, section, settings, files):
    lengths = {"lengths": {}} if name == "ifeval" else {}
    data = task(name, section | lengths, seed=5).data[-1]
    assert data.content.name.endswith(f".{name}.data:{section.get('source', 'sample')}")
    assert data.content.settings == settings
    assert files is None or data.files == files


def test_local_data_of_followbench_depend_on_their_files():
    assert "here/zh/mixed_constraints.json" in task("followbench", LOCAL).data[-1].files


@pytest.mark.parametrize(
    ("name", "agreement", "corrected"),
    [
        ("followbench", ["agreement", "table3_agreement"], ["corrected"]),
        ("cfbench", ["agreement"], ["corrected", "table6_humans"]),
        ("complexbench", ["agreement"], ["corrected"]),
    ],
)
def test_agreement_tables_need_two_raters_and_corrected_ones_labels(name, agreement, corrected):
    one_judge = set(task(name).tables.names)
    two_judges = set(task(name, judges=("first", "second")).tables.names)
    labels = set(task(name, {"labels": "people.jsonl"}).tables.names)
    assert two_judges - one_judge == {f"{name}_{table}" for table in agreement}
    assert labels - two_judges == {f"{name}_{table}" for table in corrected}
    assert two_judges < labels


@pytest.mark.parametrize("name", SMALL)
def test_unknown_template_is_reported(name):
    with pytest.raises(UserError, match=rf"{name}\.templates: unknown template 'fr'"):
        task(name, {"templates": {"fr": "mine.txt"}})


def test_unknown_template_is_reported_with_the_nearest_name():
    with pytest.raises(UserError, match=r"complexbench\.templates: .* did you mean 'judge_zh'"):
        task("complexbench", {"templates": {"judge_hz": "mine.txt"}})


def test_judge_attempts_are_those_of_cfbenchs_released_code():
    assert task("cfbench", judging={"mode": "released"}).judging.attempts == 10
    assert task("cfbench", judging={"attempts": 2}).judging.attempts == 2
