"""Prompts: how many there are, what they name, and how they are asked."""

import copy
from collections import Counter
from itertools import pairwise

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


def build(data=None, length="4k", tasks=tuple(TASKS), seed=1):
    asked = [TASKS[task].asked for task in tasks]
    return list(prompts(length, data or small_data(length=length), seed, asked))


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


def test_a_prompt_names_its_context_and_prompts_go_context_by_context():
    built = build()
    first = next(prompt for prompt in built if prompt["task"] == "LOI")
    assert list(first) == [
        "sample_id", "task", "context_id", "expression_id", "variable_id",
        "instruction", "variables", "reference_answer", "max_tokens",
    ]  # fmt: skip
    assert first["sample_id"] == "LOI/list-4k-s1/e0/v0" and first["context_id"] == "list-4k-s1"
    assert first["variables"]["bias"] == 1
    assert first["variables"]["ordid"] in first["instruction"]
    assert not any(small_context("list")["text"] in str(prompt) for prompt in built)
    ids = [prompt["context_id"] for prompt in build()]
    assert [ids[0], *(b for a, b in pairwise(ids) if a != b)] == [
        "list-4k-s1",
        "multidoc-4k-s1",
        "onedoc-4k-s1",
    ]


def test_each_prompt_depends_on_its_template_context_and_scenario_alone():
    data = small_data()
    before = build(data)
    data["expressions"]["LSI"] = edited = copy.deepcopy(expressions("LSI"))
    edited["expressions"][3]["template"] = "Kindly, the {ordid} entry"
    changed = [b for a, b in zip(before, build(data), strict=True) if a != b]
    assert len(changed) == 6
    assert {(prompt["task"], prompt["expression_id"]) for prompt in changed} == {("LSI", 3)}
    data = small_data()
    built = build(data)
    for prompt, source in zip(built, LifbenchSamples().sources(built, data), strict=True):
        (context,) = data["contexts"][TASKS[prompt["task"]].scenario]
        assert source["context"] is context  # what is known of it is kept by provenance
        assert "{input}" in source["scenario_prompt"]


@pytest.mark.parametrize(
    ("kind", "name", "lacking"),
    [("contexts", "list", "context 'list-4k-s1'"), ("expressions", "LSI", "task 'LSI'")],
)
def test_a_prompt_whose_context_or_task_is_gone_is_refused(kind, name, lacking):
    built = build(tasks=["LSI"])
    data = small_data()
    del data[kind][name]
    with pytest.raises(UserError, match=f"the {lacking} of LSI/list-4k-s1/e0/v0 is not in"):
        list(LifbenchSamples().sources(built, data))


def test_what_is_asked_may_be_cut_in_the_context_alone():
    prompt = next(prompt for prompt in build() if prompt["task"] == "LSI")
    context = small_context("list")
    source = {"context": context, "scenario_prompt": "Read.\n{input}\nDo: {instruction}"}
    item = LifbenchSamples().item(Sample("4k", prompt, source))
    assert (item.head, item.context) == ("Read.\n", context["text"])
    assert item.tail == f"\nDo: {prompt['instruction']}"
    assert (item.sample_id, item.context_id) == (prompt["sample_id"], "list-4k-s1")
    assert item.max_tokens == TASKS["LSI"].max_tokens


@given(st.text(), st.text(), st.text(), st.text(), st.text())
def test_render_replaces_and_never_interprets(a, b, c, text, instruction):
    a, b, c = (piece.replace("{", "") for piece in (a, b, c))
    head, context, tail = render(f"{a}{{input}}{b}{{instruction}}{c}", text, instruction)
    assert (head, context, tail) == (a, text, b + instruction + c)


def test_a_scenario_needs_both_fields_once_and_in_order():
    for scenario_prompt in (
        "",
        "{input}",
        "{instruction}",
        "{instruction} {input}",
        "{input} {input} {instruction}",
        "{input} {instruction} {instruction}",
        "{instruction} {input} {instruction}",
    ):
        with pytest.raises(UserError, match="once"):
            render(scenario_prompt, "x", "y")
