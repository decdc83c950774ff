"""A trial takes a few prompts of each task, spread evenly, and whole groups."""

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
    """Every expression with every variable."""
    return [
        {"sample_id": f"{task}/e{e}/v{v}", "task": task, "expression_id": e, "variable_id": v}
        for e, v in product(range(expressions), range(variables))
    ]


def chosen(prompts, limit, seed=1, together="sample_id"):
    return chosen_prompts(prompts, limit, together, ("expression_id", "variable_id"), seed)


def test_each_task_has_so_many_and_each_expression_and_variable_once_before_any_twice():
    found = chosen(crossed(4, 4), 4)
    assert {one["expression_id"] for one in found} == {0, 1, 2, 3}
    assert {one["variable_id"] for one in found} == {0, 1, 2, 3}
    twice = chosen(crossed(4, 4), 8)
    assert set(Counter(one["expression_id"] for one in twice).values()) == {2}
    prompts = [*crossed(3, 3, "LSI"), *crossed(1, 2, "OR"), *crossed(1, 1, "MB")]
    found = Counter(one["task"] for one in chosen(prompts, 2))
    assert found == {"LSI": 2, "OR": 2, "MB": 1}
    assert len({str(chosen(crossed(8, 8), 2, seed)) for seed in range(5)}) > 1


def test_groups_and_lengths_belong_together():
    prompts = [
        {"sample_id": f"{group}/{level}", "task": "style", "group": group}
        for group, level in product("abc", range(1, 6))
    ]
    found = chosen_prompts(prompts, 2, "group", (), seed=1)
    assert set(Counter(one["group"] for one in found).values()) == {5}
    assert len(found) == 10
    chosen_ids = []
    for part in ("4k", "128k"):
        prompts = [{**one, "sample_id": f"{part}/{one['sample_id']}"} for one in crossed(8, 8)]
        sample = chosen_prompts(prompts, 5, "sample_id", ("expression_id",), 1, part)
        chosen_ids.append([prompt["sample_id"].removeprefix(f"{part}/") for prompt in sample])
    assert chosen_ids[0] == chosen_ids[1]


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.integers(0, 3)), max_size=40),
    st.integers(1, 10),
    st.integers(),
)
def test_a_larger_trial_holds_a_smaller_one_in_the_order_of_all(values, limit, seed):
    prompts = [
        {"sample_id": n, "task": task, "expression_id": e, "variable_id": v}
        for n, (task, e, v) in enumerate(values)
    ]
    small, large = (
        [one["sample_id"] for one in chosen(prompts, n, seed)] for n in (limit, limit + 1)
    )
    assert small == sorted(small)
    assert set(small) <= set(large)
    sizes = Counter(task for task, _, _ in values)
    assert len(small) == sum(min(limit, size) for size in sizes.values())


def test_groups_and_conversations_stay_whole():
    for name, section in (
        ("followbench", SMALL["followbench"]),
        ("complexbench", {"decomposition": True}),
    ):
        run = JudgedRun(name, section)
        for samples in run.samples.values():
            prompts = [sample.prompt for sample in samples]
            how = run.task.trial
            found = chosen_prompts(prompts, 1, how.together, how.spread, seed=1)
            groups = {one["context_id"] for one in found}
            assert (
                len(groups)
                == len({one["task"] for one in prompts})
                < len({one["context_id"] for one in prompts})
            )
            assert found == [one for one in prompts if one["context_id"] in groups], name
            known = {one["sample_id"] for one in found}
            assert all(one.get("follows") in {None, *known} for one in found), name


def test_the_data_s_table_counts_what_was_asked():
    run = JudgedRun("followbench", {"languages": ["en"]})
    samples = run.samples["en"]
    chosen = {sample.prompt["context_id"] for sample in samples if sample.prompt["task"] == "style"}
    scores = [
        Scored("m", "en", record)
        for record in score_records(
            run.task.scoring.make(),
            [sample for sample in samples if sample.prompt["context_id"] in chosen],
            {sample.id: Answer("error", "") for sample in samples},
            {},
        )
    ]
    frames = run.task.metrics.function.make(scores, run.data, None)
    assert set(frames["items"]["category"]) == {"style"}
    assert frames["items"]["n"].sum() == 5 * len(chosen)


# --- what it changes -----------------------------------------------------------------------------


def config(**changes):
    models = {"m": {"engine": "reference"}}
    return load_config({"benchmarks": ["lifbench"], "models": models, **changes})


def test_answers_of_a_trial_and_of_the_whole_run_have_other_input_digest_and_the_same_settings():
    runs = [InputDigests(Evaluation(config(**limit))) for limit in ({}, {"limit": 2}, {"limit": 3})]
    assert len({run.outputs("lifbench", "m", "4k").input_digest for run in runs}) == 3
    assert len({run.prompts("lifbench", "4k").input_digest for run in runs}) == 1
    assert len({run.export("lifbench").input_digest for run in runs}) == 1


def test_a_limit_is_one_or_more_and_of_no_released_scores():
    with pytest.raises(UserError, match="limit"):
        config(limit=0)
    scored = {"gpt-4o-2024-08-06": {"engine": "scored"}}
    assert "limit" not in settings.display(config(limit=2, models=scored))
    assert Display.of(settings.display(config(limit=2))).trial.startswith("Trial: at most 2 ")
    assert Display.of(settings.display(config())).trial == ""


def test_a_table_says_so_in_each_of_its_files(tmp_path):
    table = Table("t", "Scores.", (Column("Model"),), (Section(((Cell("m"),), (Cell("n"),))),))
    write_table(replace(table, remark="Trial: two."), tmp_path)
    assert r"\caption{Trial: two. Scores.}" in (tmp_path / "t.tex").read_text()
    assert (tmp_path / "t.md").read_text().startswith("Trial: two. Scores.\n")
    assert (tmp_path / "t.csv").read_text().splitlines() == [
        "group,Model,marks", ",m,Trial: two.", ",n,Trial: two."
    ]  # fmt: skip
    write_table(table, tmp_path)
    assert "Trial" not in "".join(path.read_text() for path in tmp_path.iterdir())
