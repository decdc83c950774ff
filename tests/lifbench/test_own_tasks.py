"""Tasks of the user's own: prompts, scores, stand-ins and metrics."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from own_task_examples import CONTEXT, asked, own, reader, sample, scorer
from score_records import FEW, run
from steadfast.base.resources import resource
from steadfast.benchmarks.lifbench.metrics import metrics
from steadfast.benchmarks.lifbench.own_tasks.schema import KINDS
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.variables import DRAWS
from steadfast.contract.components import Answer, Scored


def test_the_kinds_of_drawing_are_those_that_there_are():
    assert KINDS.keys() == DRAWS.keys()


def test_every_packaged_file_is_a_task():
    files = resource("lifbench/tasks").glob("*.yaml")
    assert sorted(file.stem for file in files) == sorted(TASKS)


def test_packaged_tasks_fit_the_schemas_of_their_kinds():
    for task in TASKS.values():
        if "label_sets" not in task.variables.space:
            KINDS[task.variables.draw].space.model_validate(task.variables.space)


def test_expressions_are_crossed_with_what_is_drawn():
    found = asked(own())
    assert [p["task"] for p in found] == ["LNB"] * 3 * 6 + ["LCI"] * 2 * 4
    for prompt in found[:18]:
        place = prompt["variables"]["id"] - 1
        assert prompt["gold"] == {
            "element": CONTEXT["elements"][place],
            "pre_element": CONTEXT["elements"][place - 1],
            "post_element": CONTEXT["elements"][place + 1],
        }
    for prompt in found[18:]:
        first, last = prompt["variables"]["first"], prompt["variables"]["last"]
        assert prompt["gold"]["number"] == len(set(range(first, last + 1)) & set(range(11, 21)))


def test_the_reference_scores_1_by_both_rubrics():
    tasks = own()
    for prompt in asked(tasks):
        answer = reader(tasks).reference(sample(prompt))
        score = scorer(tasks).score(sample(prompt), Answer("ok", answer), {})
        assert score.total == score.other_raters["corrected"].total == 1


def test_points_are_weighted_as_the_file_says():
    tasks = own()
    prompt = asked(tasks)[0]
    upside_down = f"{prompt['gold']['pre_element']}\n{prompt['gold']['post_element']}"
    score = scorer(tasks).score(sample(prompt), Answer("ok", upside_down), {})
    assert score.points == {"format": 1, "correct": 1, "order": 0}
    assert score.total == (1 * 1 + 2 * 1 + 1 * 0) / 4


def test_what_is_no_answer_has_no_score_and_a_blank_one_has_0():
    tasks = own()
    prompt = sample(asked(tasks)[0])
    assert scorer(tasks).score(prompt, Answer("error", ""), {}).total is None
    assert scorer(tasks).score(prompt, Answer("ok", " \n"), {}).total == 0


@given(st.text() | st.text("0123456789\n ", max_size=20), st.integers(0, 25))
def test_any_answer_has_a_score(response, place):
    tasks = own()
    score = scorer(tasks).score(sample(asked(tasks)[place]), Answer("ok", response), {})
    assert 0 <= score.total <= 1


def test_depth_is_known_where_a_position_is_drawn():
    tasks = own()
    first, *_, last = asked(tasks)
    place = first["variables"]["id"] - 1
    assert scorer(tasks).facts(sample(first))["depth"] == place / 79
    assert scorer(tasks).facts(sample(last))["depth"] is None


def test_the_floor_says_what_the_file_says_or_is_unknown():
    tasks = own()
    first, *_, last = asked(tasks)
    assert reader(tasks).floor(sample(first)) is None
    assert reader(tasks).floor(sample(last)) == "20"  # half of a stretch of 40


def test_a_simulated_reader_recalls_less_of_what_is_long():
    tasks = own()
    right = {}
    for span in (10, 10**7):
        how = {"span": span, "position_bias": 0.0, "slip": 0.0, "seed": 1}
        answers = [
            (sample(prompt), reader(tasks).simulated(sample(prompt), how, 1.0, Random(str(k))))
            for k, prompt in enumerate(asked(tasks))
        ]
        totals = [scorer(tasks).score(s, Answer("ok", text), {}).total for s, text in answers]
        right[span] = totals.count(1.0) / len(totals)
    assert right[10] < right[10**7]


def own_scores(task="LNB", model="m", total=1.0):
    for place in range(6):
        yield Scored(
            model,
            "4k",
            {
                "sample_id": f"{task}/list-4k-s1/e{place % 2}/v{place // 2}",
                "draw": 0,
                "task": task,
                "context_id": "list-4k-s1",
                "expression_id": place % 2,
                "variable_id": place // 2,
                "rubric": "released",
                "depth": place / 5,
                "truncated": False,
                "status": "ok",
                "points": {"format": total, "correct": total, "order": total},
                "total": total,
                "other_raters": {"corrected": {"total": total}},
            },
        )


def measured(scores, tasks):
    shown = {name: task.shown for name, task in tasks.items()}
    return metrics(scores, {}, None, "rubric", "released", own=shown)


def test_a_task_apart_changes_no_value_of_the_papers_tasks():
    paper, tasks = list(run({"m": 0.8, "n": 0.4}, ["4k"], tasks=FEW)), own()
    alone = measured(paper, {})
    both = measured([*paper, *own_scores(total=0.25)], tasks)
    for name, rows in alone.items():
        part = both[name].iloc[: len(rows)].reset_index(drop=True)
        assert part.astype(str).equals(rows.reset_index(drop=True).astype(str)), name
    further = both["ars"].iloc[len(alone["ars"]) :]
    assert further[["model", "task", "length", "value"]].values.tolist() == [
        ["m", "LNB", "", 0.25],
        ["m", "LNB", "4k", 0.25],
    ]
    ifp = both["ifp"][both["ifp"]["task"] == "LNB"]
    assert set(ifp["capability"]) == {"Fmt", "Recog", "Spat"}


def test_a_task_whose_expressions_were_not_sampled_keeps_them_all():
    tasks = own()
    paper = [one for one in run({"m": 0.8}, ["4k"]) if one.record["task"] == "OQ"]
    sampling = {"sampling": {"nearest": [1], "random": []}, "statistics": {}}
    data = {"4k": {"expressions": {"OQ": sampling, "LNB": {}}}}
    shown = {name: task.shown for name, task in tasks.items()}
    scores = [*paper, *own_scores()]
    rows = metrics(scores, data, None, "rubric", "released", own=shown)["data"]
    assert dict(zip(rows["task"], rows["expressions"], strict=True)) == {"OQ": 1, "LNB": 2}


def test_a_task_that_counts_has_its_weight_in_overall_ars():
    # Of one task of weight 5 (OQ) with .5 and one of weight 4 (LNB) with 1.
    tasks = own(counts=True)
    paper = [
        one._replace(record={**one.record, "total": 0.5})
        for one in run({"m": 0.5}, ["4k"])
        if one.record["task"] == "OQ"
    ]
    rows = measured([*paper, *own_scores()], tasks)["ars"]
    (overall,) = rows.loc[(rows["task"] == "overall") & (rows["length"] == ""), "value"]
    assert overall == pytest.approx((5 * 0.5 + 4 * 1) / 9)
