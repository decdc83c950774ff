"""Data: released, local or synthetic groups, and which errors are refused."""

import shutil
from collections import Counter

import pandas as pd
import pytest

from followbench_run import BOTH, run
from released_files import released_folder
from steadfast.base.errors import UserError
from steadfast.base.files import read_json
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.followbench import data
from steadfast.benchmarks.followbench.facts import CATEGORIES
from steadfast.benchmarks.followbench.rules import COMPARISONS

# Groups of each category, and how many of them have a rule.
GROUPS = {"en": {"content": (25, 12), "situation": (22, 8), "style": (30, 0)}}
GROUPS["en"] |= {"format": (30, 2), "example": (40, 40), "mixed": (17, 8)}
GROUPS["zh"] = GROUPS["en"] | {"content": (23, 10), "format": (30, 1), "mixed": (13, 7)}
RELEASED = facts("followbench/released.yaml")
LISTED = facts("followbench/rules.yaml")


@BOTH
def test_released_groups_are_complete(language):
    groups = pd.DataFrame(run("local", language).data[language]["data"][language])
    assert set(groups["category"]) == set(CATEGORIES)
    for category, in_category in groups.groupby("category"):
        ruled = (in_category["scorer"] != "judge").sum()
        assert (len(in_category), ruled) == GROUPS[language][category], category
        expected = {}
        for source, task in data.sources(category).items():
            english, chinese = task["groups"][source]
            expected[source] = english if language == "en" else chinese
        assert Counter(in_category["source"]) == Counter(expected), category


@BOTH
def test_released_files_are_checked_against_their_checksums(tmp_path, language, monkeypatch):
    folder = RELEASED["folders"][language]
    shutil.copytree(released_folder("followbench", "data") / language, tmp_path / folder)
    monkeypatch.setitem(RELEASED, "url", f"file://{tmp_path}/{{folder}}/{{file}}")
    assert data.released({}, language) == data.local({}, language, str(tmp_path))

    style = tmp_path / folder / "style_constraints.json"
    style.chmod(0o644)
    style.write_text(style.read_text("utf-8").replace("?", "!", 1), "utf-8")
    with pytest.raises(UserError, match=r"sha256 .* followbench.directory"):
        data.released({}, language)


def test_rules_with_targets_are_listed():
    with_targets = {*COMPARISONS, *LISTED["last_match"]}
    assert sorted(facts("followbench/targets.yaml")) == sorted(with_targets)


def test_scorer_depends_on_category_before_source():
    for language, category, source, example, scorer in (
        ("en", "mixed", "xsum", 3, "xsum"),
        ("en", "example", "xsum", 3, "template"),
        ("en", "format", "koala", 30, "ministerial_speech"),
        ("zh", "format", "koala", 30, "judge"),
        ("en", "style", "koala", 30, "judge"),
    ):
        assert data.scorer_of(language, category, source, example) == scorer


def test_task_of_a_group_may_differ_from_its_sources():
    assert data.task_of("format", "koala", 6) == "Text-to-table generation"
    for category, group in (("format", 1), ("style", 6)):
        assert data.task_of(category, "koala", group) == "Open-ended question answering"


@BOTH
def test_sample_covers_every_scorer_that_can_be_passed(language):
    groups = pd.DataFrame(data.sample({}, language))
    impossible = {"en": {"wooden_table"}, "zh": {"lines", "ministerial_speech"}}[language]
    scorers = {*COMPARISONS, *LISTED["last_match"], *LISTED["conditions"], "judge"}
    assert set(groups["scorer"]) == scorers - impossible
    assert set(groups["category"]) == set(CATEGORIES)
    assert groups["category"].value_counts().min() >= 4
    assert ((groups["start"] == "") & (groups["scorer"] == "judge")).any()


def test_both_layouts_of_a_directory_are_read(tmp_path):
    assert data.local_files("x", "zh")["style"] == "x/zh/style_constraints.json"
    (tmp_path / "data_zh").mkdir()
    assert data.local_files(tmp_path, "zh")["mixed"] == f"{tmp_path}/data_zh/mixed_constraints.json"


def sample_records(category: str) -> list:
    return read_json(resource(f"followbench/sample/en/{category}_constraints.json"))


ERRORS = [
    ("style", {"target": None}, "record 3 .*: 'target' is missing"),
    ("style", {"targets": ""}, "unknown key 'targets'.*target"),
    ("style", {"level": 6}, "level: Input should be less than or equal to 5"),
    ("example", {"level": 0}, "level 0 is not one of 1 to 5"),
    ("style", {"instruction": " "}, "the instruction is empty"),
    ("style", {"category": "format"}, "category 'format' does not belong"),
    ("mixed", {"category": "content"}, "category 'content' does not belong to level 2"),
    ("mixed", {"category": "content, tone"}, "category 'content, tone' does not belong"),
    ("style", {"source": "koalla"}, "unknown source 'koalla'.*koala"),
    ("style", {"source": "koala"}, "group 1 has two sources at level 2"),
    ("style", {"source": "x" * 61}, f"unknown source '{'x' * 60}'; available"),
    ("style", {"category": "x" * 61}, f"category '{'x' * 60}' does not belong"),
    ("style", {"level": 1}, "record 2 has the same example_id and level"),
    ("style", {"example_id": 99}, "group 1 lacks level 2"),
    ("example", {"target": "{instruction}\nA:"}, "must have {answer} once"),
]


@pytest.mark.parametrize(("category", "changes", "message"), ERRORS)
def test_invalid_record_is_refused(category, changes, message):
    """A field that becomes None is left out."""
    records = sample_records(category)
    changed = records[1 if category == "example" else 2]
    changed |= changes
    if changed["target"] is None:
        del changed["target"]
    with pytest.raises(UserError, match=f"^some file: .*{message}"):
        data.checked(records, "en", category, "some file")


def test_group_without_level_0_is_refused():
    with pytest.raises(UserError, match="group 1 lacks level 0"):
        data.checked(sample_records("style")[1:], "en", "style", "some file")


@pytest.mark.parametrize("target", ["", "[]", "['a'", "x"])
def test_target_that_its_rule_cannot_use_is_refused(target):
    records = sample_records("content")
    town = next(record for record in records if record["source"] == "CONLL2003" and record["level"])
    town["target"] = target
    with pytest.raises(UserError, match="level 1: the target is"):
        data.checked(records, "en", "content", "some file")
