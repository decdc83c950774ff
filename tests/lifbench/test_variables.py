import json
import re
from itertools import chain, permutations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_contexts import small_context
from steadfast.base.errors import UserError
from steadfast.benchmarks.lifbench.expressions import sampling_space
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.variables import ordinal, sample_settings

POSITIONAL = ("LSI", "LOI", "LOE", "LBI", "LBE")


def sample(name, length="4k", size=40, seed=1, **changes):
    """The variables of a task's prompts, with the information for their answers."""
    task = TASKS[name]
    context = small_context(task.scenario, length, size) | changes
    pairs = sample_settings(task, sampling_space(task), context, seed)
    return [variables | answers for variables, answers in pairs]


def entry(number):
    """The text of an element by its number in the list."""
    return f"entry {number - 1:03d} of the list"


@pytest.mark.parametrize("task", [*POSITIONAL, "LMI", "OQ"])
def test_variables_depend_on_seed_and_context(task):
    assert sample(task, size=400) != sample(task, size=400, seed=2)
    assert sample(task, size=400) != sample(task, size=400, length="8k")


@pytest.mark.parametrize("task", POSITIONAL)
@given(size=st.integers(16, 300), seed=st.integers(0, 99))
def test_positions_are_spread_over_beginning_middle_and_end(task, size, seed):
    settings = sample(task, size=size, seed=seed)
    sections = [(0, 0.25)] * 2 + [(0.25, 0.75)] * 2 + [(0.75, 1)] * 2
    margin = 0 if task == "LSI" else 1
    for setting, (low, high) in zip(settings, sections, strict=True):
        assert low * size <= setting["id"] - 1 < high * size
        assert margin < setting["id"] <= size - margin
        assert setting["element"] == entry(setting["id"])
    assert pd.DataFrame(settings)["id"].is_unique


@pytest.mark.parametrize("task", ["LOI", "LOE"])
def test_offset_tasks_have_both_neighbours(task):
    for setting in sample(task):
        assert setting["pre_element"] == entry(setting["id"] - 1)
        assert setting["post_element"] == entry(setting["id"] + 1)


@pytest.mark.parametrize("name", ["LSI", "LOI", "LBI", "LMI"])
def test_answers_are_not_among_the_variables_of_templates(name):
    task = TASKS[name]
    for variables, answers in sample_settings(task, task.space, small_context("list"), 1):
        assert not {"element", "elements", "post_element"} & variables.keys()
        assert answers


def test_element_that_is_repeated_in_the_list_is_not_sampled():
    elements = [str(k % 20) for k in range(20)] + [f"e{k}" for k in range(60)]
    repeated = elements[:10] + elements
    for setting in sample("LOE", elements=repeated):
        assert repeated.count(setting["element"]) == 1


SENTENCES = small_context("onedoc")["key_sentences"]
LABELLED = SENTENCES[0]["text"]


@pytest.mark.parametrize(
    ("task", "changes", "message"),
    [
        ("LOI", {"size": 6}, "4k is too short for LOI: .*only 6 elements; .*budget"),
        (
            "MF",
            {"length": "1k", "duplicate_groups": []},
            "lengths: 1k is too short for MF: .*the same text; .*1k",
        ),
        ("OR", {"key_sentences": SENTENCES[:6]}, "4 key sentences, of 8 needed"),
        ("OQ", {"ordinary": [LABELLED, f" {LABELLED}", "one"]}, "fewer than 2 ordinary sentences"),
    ],
)
def test_context_that_is_too_short_is_reported(task, changes, message):
    with pytest.raises(UserError, match=message):
        sample(task, **changes)


def test_as_much_as_needed_is_enough():
    assert len(sample("LSI", size=8)) == 6  # two in each quarter at the ends
    assert len(sample("OR", key_sentences=SENTENCES[:12])) == 5  # eight true ones
    assert len(sample("OQ", ordinary=["one", "two"])) == 6


def test_labels_need_no_duplicates():
    assert sample("MB", length="1k", duplicate_groups=[])


@given(size=st.integers(10, 300), seed=st.integers(0, 99))
def test_lists_of_ids_grow_and_are_not_sorted(size, seed):
    settings = sample("LMI", size=size, seed=seed)
    for setting, count in zip(settings, [2, 4, 6, 8, 10], strict=True):
        ids = setting["id_arr"]
        assert len(ids) == len(set(ids)) == count
        assert ids != sorted(ids)
        assert setting["elements"] == list(map(entry, ids))


@pytest.mark.parametrize("variable_id", range(5))
def test_rules_of_labels_agree_with_the_rubric(variable_id):
    setting = sample("MB")[variable_id]
    # RUBRIC, Batch-label: the candidates by their first letters in the rule's key are for both
    # fields, the title alone, the source alone, and neither.
    labels = sorted(setting["candidates"], key=lambda label: setting["rule_key"].index(label[0]))
    rules = dict(re.findall(r'^- (.+): "(.+)"$', setting["rules"], re.MULTILINE))
    assert sorted(rules.values()) == sorted(labels)
    for case, label in rules.items():
        fields = "title given, source given" if "both" in case else case
        fields = "" if "neither" in case else fields
        title = "title given" in fields
        source = "source given" in fields
        assert title or source or "neither" in case
        assert label == labels[2 * (not title) + (not source)]


def test_candidate_labels_are_distinct():
    for setting in sample("MB"):
        labels = setting["candidates"]
        assert len({label[0] for label in labels}) == 4
        for first, second in permutations(labels, 2):
            assert first not in second
        assert not re.search(r"[],}]|doc", "\n".join(labels))


def test_example_of_duplicates_has_the_fields_of_its_task():
    for setting in sample("MF"):
        keys = setting["info_keys"].split(" ")
        assert {"id", "iD2"} & set(keys)
        assert re.findall(r"\w+", setting["info_text"].replace(" and ", " ")) == keys
        first, second = map(json.loads, setting["example"].splitlines())
        assert set(map(len, first + second)) == {len(keys)}
        incomplete = None in chain(*first, *second)
        assert incomplete == bool({"title", "source"} & set(keys))


def test_evidence_is_two_true_two_fake_and_two_ordinary_sentences():
    rows = pd.DataFrame(sample("OQ"))
    fake = pd.DataFrame(SENTENCES).set_index("text")["fake"].to_dict()
    kinds = rows["evidence"].map(fake).map({True: "fake", False: "true"}).fillna("ordinary")
    assert kinds.tolist() == rows["kind"].tolist()
    assert rows["kind"].value_counts().to_dict() == {"true": 2, "fake": 2, "ordinary": 2}
    assert rows["evidence"].is_unique
    for first, second in rows["options"]:
        assert first not in second and second not in first
    assert ["False", "True"] in rows["options"].tolist()
    assert ["No", "Yes"] in rows["options"].tolist()


def test_numbers_of_sentences_and_separators():
    rows = pd.DataFrame(sample("OR"))
    assert rows["num"].tolist() == [1, 2, 4, 6, 8]
    assert rows["sep"].nunique() == 5


def test_types_do_not_depend_on_the_length():
    assert sample("OE") == sample("OE", length="128k")


@pytest.mark.parametrize("absent", ["|Summary|", "#Topic#"])
@pytest.mark.parametrize("seed", range(8))
def test_absent_type_is_the_last(absent, seed):
    types = pd.DataFrame(sample("OE", absent_type=absent, seed=seed))["type"]
    assert types.iloc[-1] == f"<{absent}>" and types.nunique() == len(types) == 5


def test_ordinals():
    for text in ["1st", "2nd", "3rd", "4th", "11th", "13th", "22nd", "101st", "112th", "10003rd"]:
        assert ordinal(int(text[:-2])) == text
    assert ordinal(111) == "111th"
