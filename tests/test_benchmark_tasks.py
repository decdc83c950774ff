"""What a config asks of a benchmark: what its data depend on, its tables and its templates."""

import pytest

from judged_run import SMALL
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.contract.registry import benchmarks
from steadfast.contract.task import Task

JUDGES = {name: {"engine": "reference"} for name in ("first", "second")}
LOCAL = {"source": "local", "directory": "here"}
RELEASED = {"source": "released"}


def task(name: str, section: dict | None = None, judges: tuple = ("first",), **more) -> Task:
    raw = {"benchmarks": [name], "models": {"m": {"engine": "openai", "model": "m"}}}
    raw["judges"] = {judge: JUDGES[judge] for judge in judges}
    return benchmarks()[name].of(load_config({**raw, name: section or {}, **more}))


def test_data_depend_on_what_matters_to_their_source_alone():
    both = ["ifeval", "ifbench"]
    for name, section, settings, files in (
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
        ("ifeval", {"lengths": {}}, {}, ()),
        ("ifeval", {**LOCAL, "lengths": {}}, {"directory": "here", "sets": both}, None),
        ("ifeval", {**RELEASED, "lengths": {}, "sets": both[1:]}, {"sets": both[1:]}, ()),
    ):
        made = task(name, section, seed=5).data[-1]
        source = section.get("source", "sample")
        assert made.content.name.endswith(f".{name}.data:{source}"), (name, section)
        assert made.content.settings == settings, (name, section)
        assert files is None or made.files == files, (name, section)
    assert "here/zh/mixed_constraints.json" in task("followbench", LOCAL).data[-1].files


def test_tables_of_agreement_need_two_raters_and_corrected_ones_people():
    for name, of_raters, of_people in (
        ("followbench", {"agreement", "table3_agreement"}, {"corrected"}),
        ("cfbench", {"agreement"}, {"corrected", "table6_humans"}),
        ("complexbench", {"agreement"}, {"corrected"}),
    ):
        alone = set(task(name).tables.names)
        two = set(task(name, judges=("first", "second")).tables.names)
        people = set(task(name, {"labels": "people.jsonl"}).tables.names)
        assert two - alone == {f"{name}_{table}" for table in of_raters}
        assert people - two == {f"{name}_{table}" for table in of_people} and two < people


@pytest.mark.parametrize("name", SMALL)
def test_an_unknown_template_is_named(name):
    with pytest.raises(UserError, match=rf"{name}\.templates: unknown template 'fr'"):
        task(name, {"templates": {"fr": "mine.txt"}})


def test_a_reply_is_requested_as_often_as_by_cfbenchs_released_code():
    assert task("cfbench", judging={"mode": "released"}).judging.attempts == 10
    assert task("cfbench", judging={"attempts": 2}).judging.attempts == 2
