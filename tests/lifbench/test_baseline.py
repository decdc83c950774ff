"""The no-lookup baseline: as good as a model can be that looks nothing up, and no better."""

import json
from collections import Counter
from statistics import mean

import pandas as pd
import pytest

from lifbench_samples import DOCUMENTS, LIST, SENTENCES, as_sample, samples
from score_records import cells_of, printed_tables, record, run
from steadfast.base.errors import UserError
from steadfast.benchmarks.lifbench.analyses import above_baseline
from steadfast.benchmarks.lifbench.frames import score_frame
from steadfast.benchmarks.lifbench.metrics import metrics
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.rubric import score
from steadfast.benchmarks.lifbench.simulator import LifbenchSimulator
from steadfast.config.load import load_config
from steadfast.contract.components import Sample, Scored, Simulator
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.job import Job
from steadfast.show.roster import Display, DisplayedModel

SIMULATOR = LifbenchSimulator()


def answers(task: str, rubric: str = "released") -> list[str]:
    """The baseline's answers to a task's hand-made samples."""
    simulator = LifbenchSimulator(rubric=rubric)
    return [simulator.baseline(as_sample(*sample)) for sample in samples(task)]


def answer_to(task: str, **changes: object) -> str:
    """The baseline's answer to a task's first sample with another context."""
    prompt, context, _ = samples(task)[0]
    return SIMULATOR.baseline(as_sample(prompt, {**context, **changes}, ""))


def paraphrase_answers(task: str, **changes: object) -> list[str]:
    """Its answers to 200 paraphrases of that prompt."""
    prompt, context, _ = samples(task)[0]
    answers = []
    for number in range(200):
        paraphrase = {**prompt, "sample_id": f"{task}/x/e{number}/v0"}
        answers.append(SIMULATOR.baseline(as_sample(paraphrase, {**context, **changes}, "")))
    return answers


@pytest.mark.parametrize("task", TASKS)
def test_reference_answer_does_not_change_the_baseline(task):
    for prompt, *rest in samples(task):
        blind = as_sample({**prompt, "reference_answer": None}, *rest)
        assert SIMULATOR.baseline(blind) == SIMULATOR.baseline(as_sample(prompt, *rest))


@pytest.mark.parametrize("task", ["LSI", "LOI", "LOE"])
def test_answer_is_an_element_near_the_beginning_whatever_the_position(task):
    # Of nine positions those with an element on both sides in the first quarter are 1 and 2.
    near = {1, 2} if task == "LSI" else {0, 1, 2, 3}
    assert set(map(LIST.index, answers(task))) <= near


def test_answers_to_paraphrases_are_reproducible_samples():
    elements = [f"element {number}" for number in range(100)]
    responses = paraphrase_answers("LSI", elements=elements)
    assert set(responses) == set(elements[1:11])  # of the first quarter the first ten
    assert responses == paraphrase_answers("LSI", elements=elements)
    # The first quarter of 20 elements are 5; the first of all has none before it.
    assert set(paraphrase_answers("LSI", elements=elements[:20])) == set(elements[1:5])


def test_several_elements_are_in_reverse_order():
    (answer,) = answers("LMI")
    positions = [LIST.index(element) for element in json.loads(answer)]
    assert len(set(positions)) == 4
    assert positions == sorted(positions, reverse=True)


@pytest.mark.parametrize("task", ["LBI", "LBE"])
def test_last_element_is_after_any_other_and_first_before(task):
    for (prompt, *_), answer in zip(samples(task), answers(task), strict=True):
        assert answer == LIST[-1 if prompt["variables"]["bias"] > 0 else 0]


def test_all_documents_have_one_label_within_the_length_of_an_answer():
    for answer, label in zip(answers("MB"), ["apple", "dog", "über"], strict=True):
        assert json.loads(answer) == {f"doc{n}": label for n in range(1, 8)}
    assert len(json.loads(answer_to("MB", documents=DOCUMENTS * 100))) == 340


# One group begins with the first of the repeated quarter; half of the others begin one each.
@pytest.mark.parametrize(
    ("documents", "groups"), [(6, 1), (7, 1), (13, 2), (28, 4), (60, 5), (270, 5)]
)
def test_number_of_groups_grows_with_the_documents(documents, groups):
    answer = answer_to("MF", documents=(DOCUMENTS * 40)[:documents])
    assert answer.count("\n") == groups - 1
    assert answer.count('"') == 2 * min(documents, 80)


def test_group_of_a_few_documents_has_all_of_them():
    group = json.loads(answers("MF")[0])
    assert sorted(group) == sorted([document["id"]] for document in DOCUMENTS)


def test_sentences_are_sampled_with_fakes_among_them():
    rows = {f"{text} -12367- {name}" for name, *_, text in SENTENCES}
    lines = answers("OR")[3].split("\n")
    assert len(set(lines)) == 7 and set(lines) <= rows
    # Each of nine is sampled about as often as another: 200 answers of one, 22.2 each on average.
    counts = Counter(answer.partition(" ### ")[0] for answer in paraphrase_answers("OR"))
    assert len(counts) == 9 and min(counts.values()) > 5


def test_sentences_of_a_type_are_in_the_order_of_their_numbers():
    numbers = {text: number for _, number, *_, text in SENTENCES}
    for answer in paraphrase_answers("OE"):
        answer_numbers = list(map(numbers.get, json.loads(answer)))
        assert len(answer_numbers) == 3
        assert answer_numbers == sorted(answer_numbers)


@pytest.mark.parametrize("rubric", ["released", "corrected"])
def test_no_constant_option_scores_above_the_baselines(rubric):
    # A third of the evidence is a true key sentence, a third fake, a third ordinary.
    totals = {"first": [], "second": [], "baseline": []}
    for sample, answer in zip(samples("OQ"), answers("OQ", rubric), strict=True):
        first, second = sample[0]["variables"]["options"]
        totals["first"].append(score(*sample, first, rubric).total)
        totals["second"].append(score(*sample, second, rubric).total)
        totals["baseline"].append(score(*sample, answer, rubric).total)
    assert mean(totals["baseline"]) == max(mean(totals["first"]), mean(totals["second"]))


MODELS = {"baseline": {"engine": "baseline"}, "reference": {"engine": "reference"}}


def test_another_rubric_changes_the_baselines_requests_alone():
    simulators = []
    for rubric in ("released", "corrected"):
        config = {"models": MODELS, "benchmarks": ["lifbench"], "lifbench": {"rubric": rubric}}
        evaluation = Evaluation(load_config(config))
        jobs = [Job("inference", "lifbench", name, "4k") for name in MODELS]
        simulators.append(list(map(evaluation.simulator, jobs)))
    (released_baseline, released_reference), (corrected_baseline, corrected_reference) = simulators
    assert released_reference == corrected_reference
    assert released_baseline != corrected_baseline


def test_only_benchmarks_with_a_baseline_evaluate_it():
    config = {"models": MODELS, "judges": {"reference": {"engine": "reference"}}}
    run = Evaluation(load_config({**config, "benchmarks": ["lifbench", "cfbench"]}))
    assert run.models_of("lifbench") == ["baseline", "reference"]
    assert run.models_of("cfbench") == ["reference"]
    assert {job.benchmark for job in run.jobs if job.model == "baseline"} == {"lifbench"}


class WithoutBaseline(Simulator):
    def reference(self, sample):
        return ""

    def simulated(self, sample, reader, seen, rng):
        return ""


def test_simulator_without_a_baseline_method_is_reported():
    message = "WithoutBaseline is its task's baseline and has no method baseline"
    with pytest.raises(UserError, match=message):
        WithoutBaseline().baseline(Sample("2k", {}, {}))


# --- above baseline ------------------------------------------------------------------------------


def score_of(model: str, task: str, total: float | None, variable: int = 0) -> Scored:
    """A model's score of one prompt."""
    status = "error" if total is None else "ok"
    fields = record(task, None, ids=(1, 0, variable), status=status)
    return Scored(model, "4k", fields | {"points": {}, "total": total})


def above(*scores: Scored) -> pd.DataFrame:
    """Rows of ``above_baseline`` by model, task and length."""
    rows = above_baseline(score_frame(scores, "released"), "baseline")
    return rows.set_index(["model", "task", "length"])


def test_above_baseline_is_a_share_of_what_the_baseline_leaves_open():
    rows = above(
        score_of("baseline", "LMI", 0.6),
        score_of("baseline", "OQ", 0.2),
        score_of("m", "LMI", 0.9),
        score_of("m", "OQ", 0.1),
    )
    assert rows.at[("m", "LMI", "4k"), "value"] == pytest.approx(0.75)  # 0.3 of 0.4
    assert rows.at[("m", "OQ", "4k"), "value"] == pytest.approx(-0.125)  # -0.1 of 0.8
    # Weights 10 and 5: (9.5 - 7) of (15 - 7).
    assert rows.at[("m", "overall", ""), "value"] == pytest.approx(2.5 / 8)
    assert rows.at[("baseline", "overall", ""), "value"] == 0


def test_above_baseline_is_over_the_scored_responses():
    rows = above(
        score_of("baseline", "LMI", 0.2),
        score_of("baseline", "LMI", 0.8, variable=1),
        score_of("m", "LMI", 0.6),
        score_of("m", "LMI", None, variable=1),
    )
    row = rows.loc[("m", "LMI", "")]
    assert (row["baseline"], row["n"]) == (0.2, 1)
    assert row["value"] == pytest.approx(0.5)  # 0.4 of 0.8


def test_above_baseline_has_no_value_without_room_or_baseline():
    model = score_of("m", "LBI", 1.0)
    for level in (1.0, 31 / 32):
        assert above(score_of("baseline", "LBI", level), model)["value"].isna().all()
    rows = above(score_of("baseline", "LBI", 15 / 16), model)  # 1/16 is above 0.05
    assert rows.at[("m", "LBI", ""), "value"] == 1
    assert above(model).empty


def test_table_has_the_baseline_unranked_and_what_is_above_it():
    scores = [*run({"good": 0.8, "reference": 1.0})]
    for scored in run({"good": 0.8}):
        scores.append(scored._replace(model="baseline", record=scored.record | {"total": 0.5}))
    models = {
        "good": DisplayedModel("Good", "API"),
        "baseline": DisplayedModel("No-lookup baseline", "Baseline", "baseline"),
        "reference": DisplayedModel("Reference", "Reference", "reference"),
    }
    frames = metrics(scores, {}, None, "rubric", "released", ["baseline", "reference"], "baseline")
    cells = cells_of(printed_tables(frames, Display(models=models))["table3_ars"])
    assert cells.index.tolist() == ["Good", "No-lookup baseline", "Reference"]
    baseline = cells.loc["No-lookup baseline"]
    assert (baseline["group"], baseline["Overall"]) == ("Baseline (no model)", "0.500")
    good = cells.loc["Good", ["Overall", "Above baseline"]].astype(float)
    assert good["Above baseline"] == pytest.approx(2 * good["Overall"] - 1, abs=0.0015)
