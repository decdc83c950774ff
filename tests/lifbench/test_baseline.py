"""The baseline reader: as good as a reader can be who looks nothing up, and no better."""

import csv
import json
from collections import Counter
from functools import cache
from statistics import mean

import pandas as pd
import pytest

from lifbench_samples import DOCUMENTS, LIST, SENTENCES, as_sample, samples
from score_records import run
from steadfast.base.errors import UserError
from steadfast.benchmarks.lifbench.analyses import above_baseline
from steadfast.benchmarks.lifbench.frames import score_frame
from steadfast.benchmarks.lifbench.metrics import metrics
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.rubric import score
from steadfast.benchmarks.lifbench.simulator import LifbenchSimulator
from steadfast.benchmarks.lifbench.tables import tables
from steadfast.config.load import load_config
from steadfast.contract.components import Frames, Sample, Scored, Simulator
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.job import Job
from steadfast.show.render import printed
from steadfast.show.roster import Display, Shown

READER = LifbenchSimulator()


def answers(task: str, rubric: str = "released") -> list[str]:
    """What the baseline reader answers to a task's hand-made samples."""
    reader = LifbenchSimulator(rubric=rubric)
    return [reader.baseline(as_sample(*sample)) for sample in samples(task)]


def drawn(task: str, times: int = 200, **changes: object) -> list[str]:
    """What it answers to one prompt of a task, were it asked in so many wordings."""
    prompt, context, _ = samples(task)[0]
    ids = (f"{task}/x/e{number}/v0" for number in range(times))
    return [
        READER.baseline(as_sample({**prompt, "sample_id": id}, {**context, **changes}, ""))
        for id in ids
    ]


@pytest.mark.parametrize("task", TASKS)
def test_it_sees_no_gold(task):
    for prompt, context, scenario_prompt in samples(task):
        blind = {**prompt, "reference_answer": None}
        assert READER.baseline(as_sample(blind, context, scenario_prompt)) == READER.baseline(
            as_sample(prompt, context, scenario_prompt)
        )


@pytest.mark.parametrize("task", ["LSI", "LOI", "LOE"])
def test_whichever_element_is_asked_for_it_copies_one_near_the_beginning(task):
    # Of nine places those with an element on both sides in the first quarter are 1 and 2.
    near = {1, 2} if task == "LSI" else {0, 1, 2, 3}
    assert {LIST.index(answer) for answer in answers(task)} <= near


def test_samples_are_the_same_for_the_same_prompt_and_lists_are_turned():
    long = [f"element {number}" for number in range(100)]
    found = drawn("LSI", elements=long)
    assert set(found) == set(long[1:11])  # of the first quarter the first ten
    assert found == drawn("LSI", elements=long)
    (answer,) = answers("LMI")
    places = [LIST.index(element) for element in json.loads(answer)]
    assert len(set(places)) == 4 and places == sorted(places, reverse=True)


@pytest.mark.parametrize("task", ["LBI", "LBE"])
def test_what_stands_last_is_after_any_element_and_what_stands_first_before(task):
    for (prompt, *_), answer in zip(samples(task), answers(task), strict=True):
        assert answer == LIST[-1 if prompt["variables"]["bias"] > 0 else 0]


def test_labels_and_groups_are_the_same_for_all_documents_within_an_answer_s_length():
    for answer, label in zip(answers("MB"), ["apple", "dog", "über"], strict=True):
        assert json.loads(answer) == {f"doc{n}": label for n in range(1, 8)}
    prompt, context, _ = samples("MB")[0]
    many = {**context, "documents": DOCUMENTS * 100}
    assert len(json.loads(READER.baseline(as_sample(prompt, many, "")))) == 340
    (group,) = [json.loads(line) for line in answers("MF")[0].split("\n")]
    assert sorted(group) == sorted([document["id"]] for document in DOCUMENTS)


# One group begins with the first of the repeated quarter; half of the others begin one each.
@pytest.mark.parametrize(("documents", "groups"), [(6, 1), (13, 2), (28, 4), (60, 5), (270, 5)])
def test_the_more_documents_the_more_groups(documents, groups):
    prompt, context, _ = samples("MF")[0]
    many = {**context, "documents": DOCUMENTS * (documents // 7) + DOCUMENTS[: documents % 7]}
    answer = READER.baseline(as_sample(prompt, many, ""))
    assert answer.count("\n") == groups - 1
    assert answer.count('"') == 2 * min(documents, 80)


def test_sentences_are_sampled_with_fakes_among_them_and_extracted_by_their_numbers():
    rows = {f"{text} -12367- {name}" for name, *_, text in SENTENCES}
    found = answers("OR")[3].split("\n")
    assert len(set(found)) == 7 and set(found) <= rows
    # Each of nine is named about as often as another: 200 repeats of one, 22.2 each on average.
    often = Counter(answer.partition(" ### ")[0] for answer in drawn("OR"))
    assert len(often) == 9 and min(often.values()) > 5
    numbers = {text: number for _, number, *_, text in SENTENCES}
    for answer in drawn("OE"):
        found = [numbers[text] for text in json.loads(answer)]
        assert len(found) == 3 and found == sorted(found)


@pytest.mark.parametrize("rubric", ["released", "corrected"])
def test_no_option_beats_the_one_that_it_takes(rubric):
    # A third of the evidence is a true key sentence, a third fake, a third ordinary.
    means = [
        mean(
            score(*sample, sample[0]["variables"]["options"][place], rubric).total
            for sample in samples("OQ")
        )
        for place in (0, 1)
    ]
    baseline = zip(samples("OQ"), answers("OQ", rubric), strict=True)
    assert mean(score(*one, answer, rubric).total for one, answer in baseline) == max(means)


def test_only_the_baseline_is_asked_again_for_another_rubric():
    models = {"baseline": {"engine": "baseline"}, "gold": {"engine": "reference"}}
    by_rubric = [
        load_config({"models": models, "benchmarks": ["lifbench"], "lifbench": {"rubric": rubric}})
        for rubric in ("released", "corrected")
    ]
    runs = [Evaluation(config) for config in by_rubric]
    baseline, gold = (
        [run.simulator(Job("inference", "lifbench", name, "4k")) for run in runs] for name in models
    )
    assert gold[0] == gold[1] and baseline[0] != baseline[1]


def record(task: str, total: float | None, place: int = 0) -> dict:
    """A score's record of one prompt."""
    return {
        "sample_id": f"{task}/c/e0/v{place}",
        "repeat": 0,
        "task": task,
        "context_id": "c",
        "rubric": "released",
        "expression_id": 0,
        "variable_id": place,
        "status": "error" if total is None else "ok",
        "depth": None,
        "points": {},
        "total": total,
        "prompt_truncated": False,
        "other_raters": {},
    }


def gained(scores: dict[str, list[dict]]) -> pd.DataFrame:
    """Rows of ``above_baseline`` by model, task and length."""
    scored = [Scored(model, "4k", found) for model, all_ in scores.items() for found in all_]
    rows = above_baseline(score_frame(scored, "released"), "baseline")
    return rows.set_index(["model", "task", "length"])


def test_above_baseline_is_the_share_of_what_the_baseline_leaves_open():
    rows = gained(
        {
            "baseline": [record("LMI", 0.6), record("OQ", 0.2)],
            "m": [record("LMI", 0.9), record("OQ", 0.1)],
        }
    )
    assert rows.at[("m", "LMI", "4k"), "value"] == pytest.approx(0.75)  # 0.3 of 0.4
    assert rows.at[("m", "OQ", "4k"), "value"] == pytest.approx(-0.125)  # -0.1 of 0.8
    # Weights 10 and 5: (9.5 - 7) of (15 - 7).
    assert rows.at[("m", "overall", ""), "value"] == pytest.approx(2.5 / 8)
    assert rows.at[("baseline", "overall", ""), "value"] == 0
    # it is taken on the answers that have a score
    baseline = [record("LMI", 0.2), record("LMI", 0.8, place=1)]
    rows = gained({"baseline": baseline, "m": [record("LMI", 0.6), record("LMI", None, place=1)]})
    row = rows.loc[("m", "LMI", "")]
    assert (row["baseline"], row["n"]) == (0.2, 1)
    assert row["value"] == pytest.approx(0.5)  # 0.4 of 0.8
    # where the baseline is 1, nothing is left to gain
    rows = gained({"baseline": [record("LBI", 1.0)], "m": [record("LBI", 1.0)]})
    assert rows["value"].isna().all()
    assert gained({"m": [record("LBI", 1.0)]}).empty


@cache
def frames(baseline: str | None) -> Frames:
    """Metrics of a run whose baseline reader has 0.5 in all tasks."""
    under = [one._replace(model="baseline") for one in run({"good": 0.8})]
    for one in under:
        one.record["total"] = 0.5
    scores = [*run({"good": 0.8, "reference": 1.0}), *under]
    unranked = ["baseline", "reference"]
    return metrics(scores, {}, None, "rubric", "released", unranked, baseline)


def shown(page: str, baseline: str | None = "baseline") -> list[list[str]]:
    """The rows of a printed table of that run."""
    display = Display(
        models={
            "good": Shown("Good", "API"),
            "baseline": Shown("No-lookup baseline", "Baseline", "baseline"),
            "reference": Shown("Gold", "Gold", "reference"),
        }
    )
    (made,) = (t for t in tables(frames(baseline), display, "rubric", "released") if t.name == page)
    return list(csv.reader(printed(made).csv.splitlines()))


def test_tables_have_the_baseline_as_an_unranked_line_of_its_own_and_what_is_above_it():
    heading, *rows = shown("lifbench_table3_ars")
    good, baseline, gold = (dict(zip(heading, row, strict=True)) for row in rows)
    assert [line["Model"] for line in (good, baseline, gold)] == [
        "Good",
        "No-lookup baseline",
        "Gold",
    ]
    assert (baseline["group"], baseline["Overall"]) == ("Baseline (no model)", "0.500")
    assert float(good["Above baseline"]) == pytest.approx(
        2 * float(good["Overall"]) - 1, abs=0.0015
    )


def test_only_benchmarks_with_a_baseline_ask_for_it():
    models = {"baseline": {"engine": "baseline"}, "gold": {"engine": "reference"}}
    config = {"models": models, "judges": {"gold": {"engine": "reference"}}}
    run = Evaluation(load_config({**config, "benchmarks": ["lifbench", "cfbench"]}))
    assert run.models_of("lifbench") == ["baseline", "gold"]
    assert run.models_of("cfbench") == ["gold"]
    assert {job.benchmark for job in run.jobs if job.model == "baseline"} == {"lifbench"}


class WithoutBaseline(Simulator):
    def reference(self, sample):
        return ""

    def simulated(self, sample, reader, seen, rng):
        return ""


def test_a_task_that_claims_a_baseline_which_its_stand_in_has_not_is_one_sentence():
    with pytest.raises(
        UserError, match="WithoutBaseline is its task's baseline and has no method baseline"
    ):
        WithoutBaseline().baseline(Sample("2k", {}, {}))
