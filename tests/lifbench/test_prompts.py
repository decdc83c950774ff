from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_contexts import needs_cases, small_context, write_inputs
from steadfast.errors import UserError
from steadfast.files import read_json, read_jsonl, write_jsonl
from steadfast.lifbench.prompts import build_prompts, load_part, render
from steadfast.lifbench.tasks import RESOURCES, TASKS

LENGTHS = ("4k", "8k", "16k", "32k", "64k", "128k")
PER_LENGTH = {
    "LSI": 30, "LMI": 25, "LOI": 66, "LOE": 72, "LBI": 66, "LBE": 72,
    "MB": 25, "MF": 25, "OR": 25, "OQ": 30, "OE": 25,
}  # fmt: skip


def build(folder, source="own", length="4k", tasks=tuple(TASKS), seed=1, **own):
    inputs = write_inputs(folder, source, length, **own)
    out = folder / "prompts" / f"{length}.jsonl"
    build_prompts(length, seed, list(tasks), **inputs, out=out)
    return list(read_jsonl(out)), inputs, out


def test_six_lengths_have_the_2766_prompts_of_table_2(tmp_path):
    ids = set()
    for length in LENGTHS:
        prompts, _, _ = build(tmp_path / length, length=length)
        assert Counter(prompt["task"] for prompt in prompts) == PER_LENGTH
        ids.update(prompt["sample_id"] for prompt in prompts)
    assert len(ids) == 2766


@needs_cases
def test_six_lengths_have_the_2802_prompts_of_the_release(tmp_path):
    total = 0
    for length in LENGTHS:
        prompts, _, _ = build(tmp_path / length, "released", length)
        assert Counter(prompt["task"] for prompt in prompts) == PER_LENGTH | {"LOI": 72}
        total += len(prompts)
    assert total == 2802


def test_a_prompt_names_its_context_and_never_copies_it(tmp_path):
    prompts, _, out = build(tmp_path)
    first = next(prompt for prompt in prompts if prompt["task"] == "LOI")
    assert list(first) == [
        "sample_id", "task", "context_id", "expression_id", "variable_id",
        "instruction", "variables", "gold", "max_tokens",
    ]  # fmt: skip
    assert first["sample_id"] == "LOI/list-4k-s1/e0/v0" and first["context_id"] == "list-4k-s1"
    assert first["variables"]["bias"] == 1
    assert first["variables"]["ordid"] in first["instruction"]
    assert small_context("list")["text"] not in out.read_text()


def test_prompts_go_context_by_context_for_the_prefix_cache(tmp_path):
    prompts, _, _ = build(tmp_path)
    ids = [prompt["context_id"] for prompt in prompts]
    assert [ids[0], *(b for a, b in pairwise(ids) if a != b)] == [
        "list-4k-s1",
        "multidoc-4k-s1",
        "onedoc-4k-s1",
    ]


def test_the_same_inputs_give_the_same_bytes(tmp_path):
    assert build(tmp_path / "a")[2].read_bytes() == build(tmp_path / "b")[2].read_bytes()


def test_editing_one_template_changes_its_instructions_alone(tmp_path):
    edited = tmp_path / "LSI.yaml"
    text = (RESOURCES / "expressions" / "LSI.yaml").read_text()
    edited.write_text(text.replace("{ordid} entry, please", "Kindly, the {ordid} entry"))
    before, _, _ = build(tmp_path / "before")
    after, _, _ = build(tmp_path / "after", LSI=edited)
    changed = [b for a, b in zip(before, after, strict=True) if a != b]
    assert len(changed) == 6
    assert {(prompt["task"], prompt["expression_id"]) for prompt in changed} == {("LSI", 3)}


def test_some_tasks_only(tmp_path):
    inputs = write_inputs(tmp_path)
    del inputs["contexts"]["multidoc"], inputs["contexts"]["onedoc"]
    out = tmp_path / "prompts.jsonl"
    build_prompts("4k", 1, ["LMI", "LSI"], **inputs, out=out)
    assert [p["task"] for p in read_jsonl(out)] == ["LSI"] * 30 + ["LMI"] * 25


def test_contexts_of_another_length_are_refused(tmp_path):
    inputs = write_inputs(tmp_path)
    with pytest.raises(UserError, match="is of length 4k, not 8k"):
        build_prompts("8k", 1, ["LSI"], **inputs, out=tmp_path / "p.jsonl")


def test_an_unknown_task_is_refused(tmp_path):
    with pytest.raises(UserError, match="no task 'LSX'"):
        build_prompts("4k", 1, ["LSX"], **write_inputs(tmp_path), out=tmp_path / "p.jsonl")


def test_expressions_of_another_task_are_refused(tmp_path):
    inputs = write_inputs(tmp_path)
    inputs["expressions"]["LSI"] = inputs["expressions"]["LMI"]
    with pytest.raises(UserError, match="expressions of LMI, not of LSI"):
        build_prompts("4k", 1, ["LSI"], **inputs, out=tmp_path / "p.jsonl")


def test_load_part_gives_each_prompt_its_context_and_scenario(tmp_path):
    prompts, inputs, out = build(tmp_path)
    loaded = list(load_part(out, **inputs))
    assert [prompt for prompt, _, _ in loaded] == prompts
    for prompt, context, scenario_prompt in loaded:
        assert context["context_id"] == prompt["context_id"]
        assert context["scenario"] == TASKS[prompt["task"]].scenario
        assert "{input}" in scenario_prompt


def test_a_prompt_whose_context_is_gone_is_refused(tmp_path):
    _, inputs, out = build(tmp_path)
    write_jsonl(inputs["contexts"]["list"], [small_context("list", "8k")])
    with pytest.raises(UserError, match="'list-4k-s1' of LSI/list-4k-s1/e0/v0 is not in"):
        list(load_part(out, **inputs))


@given(st.text(), st.text(), st.text(), st.text(), st.text())
def test_render_replaces_and_never_interprets(a, b, c, text, instruction):
    a, b, c = (piece.replace("{", "") for piece in (a, b, c))
    head, context, tail = render(f"{a}{{input}}{b}{{instruction}}{c}", text, instruction)
    assert (head, context, tail) == (a, text, b + instruction + c)


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
def test_a_scenario_needs_both_fields_once_and_in_order(scenario_prompt):
    with pytest.raises(UserError, match="once"):
        render(scenario_prompt, "x", "y")


def test_own_scenarios_explain_what_their_tasks_rely_on(tmp_path):
    inputs = write_inputs(tmp_path)
    prompts = {t: read_json(path)["scenario_prompt"] for t, path in inputs["expressions"].items()}
    for scenario_prompt in prompts.values():
        render(scenario_prompt, "x", "y")
    for name in ("#Topic#", "@argument@", "!Transition!", "|Summary|", "*Evidence*"):
        assert name in prompts["OR"]
    assert "-Concession-" in prompts["OR"] and "fake" in prompts["OE"]
    assert "None" in prompts["MF"]  # the released rubric looks for it in the prompt
