"""Prompts: how many there are, their fields, and how they are rendered."""

import copy
from collections import Counter
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_contexts import expressions, needs_cases, small_context, small_data
from steadfast.base.errors import UserError
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.prompts import prompts
from steadfast.benchmarks.lifbench.samples import LifbenchSamples, render
from steadfast.contract.components import Sample

LENGTHS = ("4k", "8k", "16k", "32k", "64k", "128k")
PER_LENGTH = {
    "LSI": 30, "LMI": 25, "LOI": 66, "LOE": 72, "LBI": 66, "LBE": 72,
    "MB": 25, "MF": 25, "OR": 25, "OQ": 30, "OE": 25,
}  # fmt: skip


def build(data=None, length="4k", tasks=tuple(TASKS)):
    settings = [TASKS[task].prompt_settings for task in tasks]
    return list(prompts(length, data or small_data(length=length), 1, settings))


def test_six_lengths_have_the_2766_prompts_of_table_2():
    ids = set()
    for length in LENGTHS:
        built = build(length=length)
        assert Counter(prompt["task"] for prompt in built) == PER_LENGTH
        ids.update(prompt["sample_id"] for prompt in built)
    assert len(ids) == 2766


@needs_cases
def test_six_lengths_have_the_2802_prompts_of_the_release():
    built = build(small_data("released"))
    assert Counter(prompt["task"] for prompt in built) == PER_LENGTH | {"LOI": 72}
    assert len(LENGTHS) * len(built) == 2802


def test_prompt_has_its_ids_and_variables_and_not_its_context():
    first, *_ = built = build(tasks=["LOI"])
    assert list(first) == [
        "sample_id", "task", "context_id", "expression_id", "variable_id",
        "instruction", "variables", "reference_answer", "max_tokens",
    ]  # fmt: skip
    assert first["sample_id"] == "LOI/list-4k-s1/e0/v0" and first["context_id"] == "list-4k-s1"
    assert first["variables"]["bias"] == 1
    assert first["variables"]["ordid"] in first["instruction"]
    assert small_context("list")["text"] not in str(built)


def test_prompts_are_sorted_by_context():
    contexts = [context for context, _ in groupby(build(), key=lambda prompt: prompt["context_id"])]
    assert contexts == ["list-4k-s1", "multidoc-4k-s1", "onedoc-4k-s1"]


def test_edited_template_changes_its_prompts_alone():
    data = small_data()
    before = build(data)
    data["expressions"]["LSI"] = copy.deepcopy(expressions("LSI"))
    data["expressions"]["LSI"]["expressions"][3]["template"] = "Kindly, the {ordid} entry"
    changed = []
    for old, new in zip(before, build(data), strict=True):
        if old != new:
            changed.append((new["task"], new["expression_id"]))
    assert changed == [("LSI", 3)] * 6


def test_source_of_a_prompt_is_its_context_and_scenario():
    data = small_data()
    built = build(data)
    for prompt, source in zip(built, LifbenchSamples().sources(built, data), strict=True):
        (context,) = data["contexts"][TASKS[prompt["task"]].scenario]
        assert source["context"] is context  # results by context are cached by this object
        assert "{input}" in source["scenario_prompt"]


@pytest.mark.parametrize(
    ("kind", "name", "missing"),
    [("contexts", "list", "context 'list-4k-s1'"), ("expressions", "LSI", "task 'LSI'")],
)
def test_prompt_without_its_context_or_task_is_refused(kind, name, missing):
    built = build(tasks=["LSI"])
    data = small_data()
    del data[kind][name]
    with pytest.raises(UserError, match=f"the {missing} of LSI/list-4k-s1/e0/v0 is not in"):
        list(LifbenchSamples().sources(built, data))


def test_only_the_context_of_a_request_may_be_truncated():
    prompt = build(tasks=["LSI"])[0]
    context = small_context("list")
    source = {"context": context, "scenario_prompt": "Read.\n{input}\nDo: {instruction}"}
    item = LifbenchSamples().item(Sample("4k", prompt, source))
    assert (item.head, item.context) == ("Read.\n", context["text"])
    assert item.tail == f"\nDo: {prompt['instruction']}"
    assert (item.sample_id, item.context_id) == (prompt["sample_id"], "list-4k-s1")
    assert item.max_tokens == TASKS["LSI"].max_tokens


LITERAL = st.text().map(lambda text: text.replace("{", ""))


@given(LITERAL, LITERAL, LITERAL, st.text(), st.text())
def test_render_replaces_and_never_interprets(before, between, after, text, instruction):
    scenario_prompt = f"{before}{{input}}{between}{{instruction}}{after}"
    parts = render(scenario_prompt, text, instruction)
    assert parts == (before, text, between + instruction + after)


@pytest.mark.parametrize(
    "scenario_prompt",
    [
        "",
        "{input}",
        "{instruction}",
        "{instruction} {input}",
        "{input} {input} {instruction}",
        "{input} {instruction} {instruction}",
        "{instruction} {input} {instruction}",
    ],
)
def test_scenario_needs_both_fields_once_and_in_order(scenario_prompt):
    with pytest.raises(UserError, match="once"):
        render(scenario_prompt, "x", "y")
