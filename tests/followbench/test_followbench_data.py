"""Data: read from where it is, checked, in one shape; generated data covers every scorer."""

import shutil
from collections import Counter

import pytest

from followbench_run import BOTH, run
from released_files import released_folder
from steadfast.base.errors import UserError
from steadfast.base.files import read_json
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.followbench import data
from steadfast.benchmarks.followbench.facts import CATEGORIES
from steadfast.benchmarks.followbench.rules import COMPARISONS


def group_counts(language: str, category: str) -> dict[str, int]:
    """Released groups of each source: the facts have those in English, then those in Chinese."""
    place = ("en", "zh").index(language)
    return {name: task["groups"][name][place] for name, task in data.sources(category).items()}


RULED = {"en": {"content": 12, "situation": 8, "style": 0, "format": 2, "example": 40, "mixed": 8}}
RULED["zh"] = RULED["en"] | {"content": 10, "format": 1, "mixed": 7}
GROUPS = {"en": {"content": 25, "situation": 22, "style": 30, "format": 30, "example": 40}}
GROUPS["en"]["mixed"] = 17
GROUPS["zh"] = GROUPS["en"] | {"content": 23, "mixed": 13}
RELEASED = facts("followbench/released.yaml")
LISTED = facts("followbench/rules.yaml")
RULES = {*COMPARISONS, *LISTED["last_match"], *LISTED["conditions"]}


@BOTH
def test_the_released_groups_are_all_there(language):
    groups = run("local", language).data[language]["data"][language]
    assert Counter(group["category"] for group in groups) == GROUPS[language]
    ruled = Counter(group["category"] for group in groups if group["scorer"] != "judge")
    assert {category: ruled[category] for category in CATEGORIES} == RULED[language]
    for category in CATEGORIES:
        found = Counter(group["source"] for group in groups if group["category"] == category)
        assert found == Counter(group_counts(language, category))


@BOTH
def test_released_files_are_checked_against_their_pins(tmp_path, language, monkeypatch):
    """As from the repository, but from this disk."""
    folder = RELEASED["folders"][language]
    shutil.copytree(released_folder("followbench", "data") / language, tmp_path / folder)
    monkeypatch.setitem(RELEASED, "url", f"file://{tmp_path}/{{folder}}/{{file}}")
    assert data.released({}, language) == data.local({}, language, str(tmp_path))

    style = tmp_path / folder / "style_constraints.json"
    style.chmod(0o644)
    style.write_text(style.read_text("utf-8").replace("?", "!", 1), "utf-8")
    with pytest.raises(UserError, match=r"sha256 .* followbench.directory"):
        data.released({}, language)


def test_rules_need_targets_to_compare_and_the_category_decides_before_the_source():
    assert sorted(facts("followbench/targets.yaml")) == sorted(
        {*COMPARISONS, *LISTED["last_match"]}
    )
    assert data.scorer_of("en", "mixed", "xsum", 3) == "xsum"
    assert data.scorer_of("en", "example", "xsum", 3) == "template"
    assert data.scorer_of("en", "format", "koala", 30) == "ministerial_speech"
    assert data.scorer_of("zh", "format", "koala", 30) == "judge"
    assert data.scorer_of("en", "style", "koala", 30) == "judge"


@BOTH
def test_the_sample_covers_every_scorer_that_can_be_passed(language):
    groups = data.sample({}, language)
    # Of a rule that no answer can pass at some level there are none.
    apart = {"en": {"wooden_table"}, "zh": {"lines", "ministerial_speech"}}[language]
    expected = {*RULES, "judge"} - apart
    assert {group["scorer"] for group in groups} == expected
    counts = Counter(group["category"] for group in groups)
    assert all(counts[category] >= 4 for category in CATEGORIES)
    assert any(group["start"] == "" and group["scorer"] == "judge" for group in groups)


def test_both_layouts_of_a_directory_are_read(tmp_path):
    assert data.local_files("x", "zh")["style"] == "x/zh/style_constraints.json"
    (tmp_path / "data_zh").mkdir()
    assert data.local_files(tmp_path, "zh")["mixed"] == f"{tmp_path}/data_zh/mixed_constraints.json"


def records(category: str) -> list:
    found = read_json(resource(f"followbench/sample/en/{category}_constraints.json"))
    assert isinstance(found, list)
    return found


def edit(**changes):
    return lambda record: record.update(changes)


DAMAGE = [
    ("style", lambda r: r.pop("target"), "record 3 .*: 'target' is missing"),
    ("style", edit(targets=""), "unknown key 'targets'.*target"),
    ("style", edit(level=6), "level: Input should be less than or equal to 5"),
    ("example", edit(level=0), "level 0 is not one of 1 to 5"),
    ("style", edit(instruction=" "), "the instruction is empty"),
    ("style", edit(category="format"), "category 'format' does not belong"),
    ("mixed", edit(category="content"), "category 'content' does not belong to level 2"),
    ("mixed", edit(category="content, tone"), "category 'content, tone' does not belong"),
    ("style", edit(source="koalla"), "unknown source 'koalla'.*koala"),
    ("style", edit(source="koala"), "group 1 has two sources at level 2"),
    ("style", edit(level=1), "record 2 has the same example_id and level"),
    ("style", edit(example_id=99), "group 1 lacks level 2"),
    ("example", edit(target="{instruction}\nA:"), "must have {answer} once"),
]


@pytest.mark.parametrize(("category", "damage", "sentence"), DAMAGE)
def test_damage_is_named(category, damage, sentence):
    found = records(category)
    damage(found[1 if category == "example" else 2])
    with pytest.raises(UserError, match=f"^some file: .*{sentence}"):
        data.checked(found, "en", category, "some file")


@pytest.mark.parametrize("target", ["", "[]", "['a'", "x"])
def test_a_reference_that_its_rule_cannot_use_is_named(target):
    found = records("content")
    town = next(record for record in found if record["source"] == "CONLL2003" and record["level"])
    town["target"] = target
    with pytest.raises(UserError, match="level 1: the target is"):
        data.checked(found, "en", "content", "some file")
