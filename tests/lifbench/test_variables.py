import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_contexts import small_context
from steadfast.base.errors import UserError
from steadfast.benchmarks.lifbench.expressions import sampling_space
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.variables import draw_settings, ordinal

POSITIONAL = ("LSI", "LOI", "LOE", "LBI", "LBE")
CASES_OF_A_DOCUMENT = ({"title", "source"}, {"title"}, {"source"}, set())


def draw(task, length="4k", size=40, seed=1, **changes):
    known = TASKS[task]
    context = small_context(known.scenario, length, size) | changes
    pairs = draw_settings(known, sampling_space(known), context, seed)
    return [variables | gold for variables, gold in pairs]


@pytest.mark.parametrize("task", [*POSITIONAL, "LMI", "OQ"])
def test_seed_and_context_change_what_is_drawn(task):
    assert draw(task, size=400) != draw(task, size=400, seed=2)
    assert draw(task, size=400) != draw(task, size=400, length="8k")


@pytest.mark.parametrize("task", POSITIONAL)
@given(size=st.integers(16, 300), seed=st.integers(0, 99))
def test_positions_are_spread_over_beginning_middle_and_end(task, size, seed):
    settings = draw(task, size=size, seed=seed)
    margin = 0 if task == "LSI" else 1
    for setting, (low, high) in zip(
        settings, [(0, 0.25)] * 2 + [(0.25, 0.75)] * 2 + [(0.75, 1)] * 2, strict=True
    ):
        assert low * size <= setting["id"] - 1 < high * size
        assert margin < setting["id"] <= size - margin
        assert setting["element"] == f"entry {setting['id'] - 1:03d} of the list"
    assert len({setting["id"] for setting in settings}) == 6


@pytest.mark.parametrize("task", ["LOI", "LOE"])
def test_offset_tasks_know_both_neighbours(task):
    for setting in draw(task):
        place = setting["id"] - 1
        assert setting["pre_element"] == f"entry {place - 1:03d} of the list"
        assert setting["post_element"] == f"entry {place + 1:03d} of the list"


def test_offset_tasks_know_both_neighbours_and_templates_never_get_what_they_ask_for():
    context = small_context("list")
    for task in map(TASKS.get, ("LSI", "LOI", "LBI", "LMI")):
        for variables, gold in draw_settings(task, task.space, context, 1):
            assert not {"element", "elements", "post_element"} & variables.keys()
            assert gold
    elements = [f"{k % 20}" for k in range(20)] + [f"e{k}" for k in range(60)]
    repeated = elements[:10] + elements
    for setting in draw("LOE", elements=repeated):
        assert repeated.count(setting["element"]) == 1


def test_contexts_that_are_too_short_are_refused_with_advice():
    with pytest.raises(UserError, match=r"4k is too short for LOI: .*only 6 elements; .*budget"):
        draw("LOI", size=6)
    with pytest.raises(UserError, match=r"lengths: 1k is too short for MF: .*the same text; .*1k"):
        draw("MF", length="1k", duplicate_groups=[])
    assert draw("MB", length="1k", duplicate_groups=[])
    sentences = small_context("onedoc")["key_sentences"][:6]
    with pytest.raises(UserError, match="4 key sentences, of 8 needed"):
        draw("OR", key_sentences=sentences)
    labelled = small_context("onedoc")["key_sentences"][0]["text"]
    with pytest.raises(UserError, match="fewer than 2 ordinary sentences"):
        draw("OQ", ordinary=[labelled, f" {labelled}", "one"])


@given(size=st.integers(10, 300), seed=st.integers(0, 99))
def test_index_lists_grow_and_are_never_in_the_lists_order(size, seed):
    settings = draw("LMI", size=size, seed=seed)
    assert [len(setting["id_arr"]) for setting in settings] == [2, 4, 6, 8, 10]
    for setting in settings:
        assert len(set(setting["id_arr"])) == len(setting["id_arr"])
        assert setting["id_arr"] != sorted(setting["id_arr"])
        assert setting["elements"] == [f"entry {k - 1:03d} of the list" for k in setting["id_arr"]]


def rubric_label(setting, fields):
    # RUBRIC, Batch-label: the expected label of a document
    candidates = sorted(setting["candidates"], key=lambda c: setting["rule_key"].index(c[0]))
    return candidates[2 * ("title" not in fields) + ("source" not in fields)]


@pytest.mark.parametrize("variable_id", range(5))
def test_the_text_of_the_label_rules_says_what_the_rubric_expects(variable_id):
    setting = draw("MB")[variable_id]
    rules = dict(re.findall(r'^- (.+): "(.+)"$', setting["rules"], re.MULTILINE))
    assert sorted(rules.values()) == sorted(setting["candidates"])
    for case, label in rules.items():
        if "both" in case or "neither" in case:
            fields = {"title", "source"} if "both" in case else set()
        else:
            fields = {name for name in ("title", "source") if f"{name} given" in case}
        assert fields in CASES_OF_A_DOCUMENT
        assert rubric_label(setting, fields) == label


def test_labels_can_be_told_apart_and_duplicates_show_an_example_of_their_fields():
    for setting in draw("MB"):
        labels = setting["candidates"]
        assert len({label[0] for label in labels}) == 4
        assert not any(a != b and a in b for a in labels for b in labels)
        assert not any(mark in label for label in labels for mark in (",", "]", "}", "doc"))
    for setting in draw("MF"):
        keys = setting["info_keys"].split(" ")
        assert {"id", "iD2"} & set(keys)
        assert re.findall(r"\w+", setting["info_text"].replace(" and ", " ")) == keys
        groups = [json.loads(line) for line in setting["example"].splitlines()]
        documents = [document for group in groups for document in group]
        assert len(groups) == 2 and all(len(document) == len(keys) for document in documents)
        assert any(None in document for document in documents) == bool(
            {"title", "source"} & set(keys)
        )


def test_evidence_options_and_separators_are_told_apart():
    context = small_context("onedoc")
    fake = {s["text"]: s["fake"] for s in context["key_sentences"]}
    settings = draw("OQ")
    kinds = {None: "ordinary", True: "fake", False: "true"}
    assert [kinds[fake.get(s["evidence"])] for s in settings] == [s["kind"] for s in settings]
    assert sorted(s["kind"] for s in settings) == sorted(["true", "fake", "ordinary"] * 2)
    assert len({s["evidence"] for s in settings}) == 6
    options = [s["options"] for s in draw("OQ")]
    assert all(a not in b and b not in a for a, b in options)
    assert ["False", "True"] in options and ["No", "Yes"] in options
    settings = draw("OR")
    assert [setting["num"] for setting in settings] == [1, 2, 4, 6, 8]
    assert len({setting["sep"] for setting in settings}) == 5
    assert draw("OE") == draw("OE", length="128k")


@pytest.mark.parametrize("absent", ["|Summary|", "#Topic#"])
@pytest.mark.parametrize("seed", range(8))
def test_the_absent_type_is_asked_for_last(absent, seed):
    types = [s["type"] for s in draw("OE", absent_type=absent, seed=seed)]
    assert types[-1] == f"<{absent}>" and len(set(types)) == 5


def test_ordinals():
    for text in ["1st", "2nd", "3rd", "4th", "11th", "13th", "22nd", "101st", "112th", "10003rd"]:
        assert ordinal(int(text[:-2])) == text
