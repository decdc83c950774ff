"""A trial takes a few prompts of each task, spread evenly, and complete groups."""

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged_run import SMALL, JudgedRun
from steadfast.base.errors import UserError
from steadfast.config import settings
from steadfast.config.load import load_config
from steadfast.contract.components import Answer, Scored
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.show.render import write_table
from steadfast.show.roster import Display
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stages.choose_prompts import chosen_prompts
from steadfast.stages.score import score_records


def crossed(expressions, variables, task="LSI"):
    """Prompts of every expression with every variable."""
    return [
        {"sample_id": f"{task}/e{e}/v{v}", "task": task, "expression_id": e, "variable_id": v}
        for e, v in product(range(expressions), range(variables))
    ]


def chosen(prompts, limit, seed=1):
    return chosen_prompts(prompts, limit, "sample_id", ("expression_id", "variable_id"), seed)


def counts(prompts, key):
    return Counter(prompt[key] for prompt in prompts)


def test_trial_spreads_evenly_over_expressions_and_variables():
    four = chosen(crossed(4, 4), 4)
    assert counts(four, "expression_id") == counts(four, "variable_id") == {0: 1, 1: 1, 2: 1, 3: 1}
    eight = chosen(crossed(4, 4), 8)
    assert counts(eight, "expression_id") == {0: 2, 1: 2, 2: 2, 3: 2}


def test_trial_has_at_most_the_limit_of_each_task():
    prompts = [*crossed(3, 3, "LSI"), *crossed(1, 2, "OR"), *crossed(1, 1, "MB")]
    assert counts(chosen(prompts, 2), "task") == {"LSI": 2, "OR": 2, "MB": 1}


def test_seed_changes_the_prompts_of_a_trial():
    trials = [chosen(crossed(8, 8), 2, seed) for seed in range(5)]
    assert any(trial != trials[0] for trial in trials)


def test_groups_are_chosen_with_all_their_prompts():
    prompts = [
        {"sample_id": f"{group}/{level}", "task": "style", "group": group}
        for group, level in product("abc", range(1, 6))
    ]
    groups = counts(chosen_prompts(prompts, 2, "group", (), seed=1), "group")
    assert list(groups.values()) == [5, 5]


def test_trial_has_the_same_samples_at_each_length():
    samples = []
    for part in ("4k", "128k"):
        prompts = [
            {**prompt, "sample_id": f"{part}/{prompt['sample_id']}"} for prompt in crossed(8, 8)
        ]
        trial = chosen_prompts(prompts, 5, "sample_id", ("expression_id",), 1, part)
        samples.append([prompt["sample_id"].removeprefix(f"{part}/") for prompt in trial])
    assert samples[0] == samples[1]


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.integers(0, 3)), max_size=40),
    st.integers(1, 10),
    st.integers(),
)
def test_larger_trial_contains_a_smaller_one_in_order(values, limit, seed):
    prompts = [
        {"sample_id": n, "task": task, "expression_id": e, "variable_id": v}
        for n, (task, e, v) in enumerate(values)
    ]
    small = [prompt["sample_id"] for prompt in chosen(prompts, limit, seed)]
    large = [prompt["sample_id"] for prompt in chosen(prompts, limit + 1, seed)]
    assert small == sorted(small)
    assert set(small) <= set(large)
    sizes = counts(prompts, "task").values()
    assert len(small) == sum(min(limit, size) for size in sizes)


@pytest.mark.parametrize(
    ("name", "section"),
    [("followbench", SMALL["followbench"]), ("complexbench", {"decomposition": True})],
)
def test_groups_and_conversations_stay_complete(name, section):
    run = JudgedRun(name, section)
    for samples in run.samples.values():
        prompts = [sample.prompt for sample in samples]
        trial = chosen_prompts(prompts, 1, run.task.trial.together, run.task.trial.spread, seed=1)
        contexts = counts(trial, "context_id")
        tasks = counts(prompts, "task")
        assert len(contexts) == len(tasks) < len(counts(prompts, "context_id"))
        assert trial == [prompt for prompt in prompts if prompt["context_id"] in contexts]
        assert {prompt.get("follows") for prompt in trial} <= {None, *counts(trial, "sample_id")}


def test_table_of_data_counts_the_samples_of_the_trial():
    run = JudgedRun("followbench", {"languages": ["en"]})
    trial = [sample for sample in run.samples["en"] if sample.prompt["task"] == "style"]
    groups = {sample.prompt["context_id"] for sample in trial}
    answers = {sample.id: Answer("error", "") for sample in trial}
    records = score_records(run.task.scoring.make(), trial, answers, {})
    scores = [Scored("m", "en", record) for record in records]
    items = run.task.metrics.function.make(scores, run.data, None)["items"]
    assert set(items["category"]) == {"style"}
    assert items["n"].sum() == 5 * len(groups)


# --- effects of the limit ------------------------------------------------------------------------


def config(**changes):
    models = {"m": {"engine": "reference"}}
    return load_config({"benchmarks": ["lifbench"], "models": models, **changes})


def test_limit_changes_the_digest_of_outputs_only():
    runs = [InputDigests(Evaluation(config(**limit))) for limit in ({}, {"limit": 2}, {"limit": 3})]
    assert len({run.outputs("lifbench", "m", "4k").input_digest for run in runs}) == 3
    assert len({run.prompts("lifbench", "4k").input_digest for run in runs}) == 1
    assert len({run.export("lifbench").input_digest for run in runs}) == 1


def test_limit_must_be_positive():
    with pytest.raises(UserError, match="limit"):
        config(limit=0)


def test_trial_is_noted_in_the_display_except_for_released_scores():
    scored = {"gpt-4o-2024-08-06": {"engine": "scored"}}
    assert "limit" not in settings.display(config(limit=2, models=scored))
    assert Display.of(settings.display(config(limit=2))).trial.startswith("Trial: at most 2 ")
    assert Display.of(settings.display(config())).trial == ""


def test_each_file_of_a_table_has_the_remark_on_the_trial(tmp_path):
    table = Table("t", "Scores.", (Column("Model"),), (Section(((Cell("m"),), (Cell("n"),))),))
    write_table(replace(table, remark="Trial: two."), tmp_path)
    assert r"\caption{Trial: two. Scores.}" in (tmp_path / "t.tex").read_text()
    assert (tmp_path / "t.md").read_text().startswith("Trial: two. Scores.\n")
    csv = "group,Model,marks\n,m,Trial: two.\n,n,Trial: two.\n"
    assert (tmp_path / "t.csv").read_text() == csv
    write_table(table, tmp_path)
    assert "Trial" not in "".join(path.read_text() for path in tmp_path.iterdir())
