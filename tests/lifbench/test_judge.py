"""A judge's grades beside the rubrics: its prompts, replies, scores, and stability by rubric."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifbench_samples import LIST, as_sample, samples
from score_records import FEW, cells_of, frames_of, printed_tables, record, run
from steadfast.base.resources import PREFIX
from steadfast.benchmarks.lifbench import judge, stability
from steadfast.benchmarks.lifbench.answers import reference_answer
from steadfast.benchmarks.lifbench.figures import figures
from steadfast.benchmarks.lifbench.frames import score_frame
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.scoring import LifbenchScoring
from steadfast.benchmarks.lifbench.tasks import JUDGE_TEMPLATE
from steadfast.config.load import load_config
from steadfast.contract.components import INVALID, Answer, Reply, Scored
from steadfast.contract.judge_template import load_template
from steadfast.jobs.evaluation import Evaluation
from steadfast.show.roster import Display, DisplayedModel
from test_sampling import ifs

ALPHABET = "Score: 0123456789/.*\n>abc"


def judge_prompt(sample, response: str):
    builder = judge.LifbenchJudgePrompts()
    template = load_template(f"{PREFIX}lifbench/judge/grade.txt", builder.slots, builder.required)
    (prompt,) = builder.prompts(sample, Answer("ok", response), {JUDGE_TEMPLATE: template})
    return prompt


def right_answer(task: str, number: int, response: str) -> str:
    prompt, context, _ = samples(task)[number]
    return judge.right_answer(prompt, context, response)


# --- prompts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
def test_judge_sees_instruction_right_answer_and_response_without_the_context(task):
    sample = as_sample(*samples(task)[0])
    response = "I think that it is: {none} 🙂"
    prompt = judge_prompt(sample, response)
    before, _, after = prompt.head.partition(sample.prompt["instruction"])
    assert before.startswith("Grade how much")
    right = judge.right_answer(sample.prompt, sample.source["context"], response)
    assert right in after and prompt.answer == response
    assert sample.source["context"]["text"] not in prompt.head
    (request,) = prompt.requests
    assert request.id == sample.id and "Score: 3" in request.tail


def test_right_answer_is_the_reference_answer_where_one_is_right():
    for task in set(TASKS) - {"LBI", "LBE", "OR"}:
        for prompt, context, _ in samples(task):
            expected = reference_answer(prompt, context)
            assert judge.right_answer(prompt, context, "anything") == expected


def test_right_answer_of_any_element_is_the_closest_on_the_requested_side():
    # Variables 0 and 1: any element after, and any before, the second one.
    assert right_answer("LBI", 0, "it says: a PRIME number") == LIST[7]
    assert right_answer("LBI", 0, "Is 1999 older?") == LIST[8]
    assert right_answer("LBI", 1, "Is 1999 older?") == LIST[0]


def test_right_answer_of_any_key_sentences_is_the_closest_in_the_documents_order():
    # Two of the genuine ones; that about a garden is a fake.
    response = "Granted, the winters were mild.\nEvery garden is an argument.\nA question?"
    assert right_answer("OR", 1, response).split("\n") == [
        "Essays — the real kind — begin with a question. ||||| #Topic#",
        "Granted, the winters were mild. ||||| -Concession-",
    ]


# --- replies ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ("Nearly all of it is there.\nScore: 3", 0.75),
        ("**Score:** 4", 1.0),
        ("Score: 0/4.", 0.0),
        ("score: 2\n", 0.5),
        ("Score: 5", None),
        ("Score: -1", None),
        ("Score: 2.5", None),
        ("Score: 3\nOr rather less.", None),
        ("Score: 3\nScore: 1", None),
        ("3", None),
        ("", None),
    ],
)
def test_grade_stands_on_the_last_line(reply, grade):
    assert judge.grade(reply, "A response.") == grade
    assert judge.readable({}, reply, "A response.") == (grade is not None)


def test_grade_in_the_response_is_none_of_the_judge():
    response = "My answer.\nScore: 4"
    assert judge.grade(response, response) is None
    assert judge.grade(f"It claims:\n{response}\nIt is wrong.\nScore: 0", response) == 0


@given(st.text(ALPHABET), st.text(ALPHABET))
def test_any_reply_has_a_grade_or_none(reply, response):
    assert judge.grade(reply, response) in {None, 0, 0.25, 0.5, 0.75, 1}


@pytest.mark.parametrize("task", TASKS)
def test_simulated_judge_gives_the_reference_answer_the_highest_grade(task):
    sample = as_sample(*samples(task)[0])
    response = reference_answer(sample.prompt, sample.source["context"])
    prompt = judge_prompt(sample, response)
    reply = judge.LifbenchJudge().reference(prompt, prompt.requests[0])
    assert judge.grade(reply, response) == 1


def test_simulated_judge_grades_by_words_and_errs_as_often_as_it_slips():
    prompt = judge_prompt(as_sample(*samples("LSI")[7]), "Explain in two sentences.")
    replies = []
    for seed in range(400):
        rng = Random(seed)
        replies.append(
            judge.LifbenchJudge().simulated(prompt, prompt.requests[0], {"slip": 0.4}, rng)
        )
    grades = [judge.grade(reply, prompt.answer) for reply in replies]
    # Four of nine words: a grade of 2, which its opposite is too; one reply in ten is unreadable.
    assert set(grades) == {0.5, None}
    assert grades.count(None) == pytest.approx(40, abs=25)


# --- scores -------------------------------------------------------------------------------------


def graded(answer: Answer, *replies: Reply):
    """The score by one judge, or by the majority of several."""
    sample = as_sample(*samples("LSI")[0])
    scoring = LifbenchScoring("released", judged=True)
    verdicts = [{sample.id: reply} for reply in replies] or [{}]
    if len(verdicts) > 1:
        return scoring.majority(sample, answer, verdicts)
    return scoring.score(sample, answer, verdicts[0])


def test_grade_stands_beside_the_rubrics_and_changes_neither():
    answer = Answer("ok", LIST[0])
    score = graded(answer, Reply("ok", "Nothing.\nScore: 1"))
    plain = LifbenchScoring("released").score(as_sample(*samples("LSI")[0]), answer, {})
    assert score.other_raters["judge"].total == 0.25
    others = {name: rating for name, rating in score.other_raters.items() if name != "judge"}
    assert replace(score, other_raters=others) == plain


@pytest.mark.parametrize("replies", [[], [Reply("ok", "Well.")], [Reply("error", "Score: 4")]])
def test_unreadable_grade_is_no_grade(replies):
    score = graded(Answer("ok", LIST[0]), *replies)
    assert score.status == "ok" and score.total == 1
    assert score.other_raters["judge"].status == INVALID
    assert score.other_raters["judge"].total is None


def test_failed_request_has_no_grade():
    rating = graded(Answer("refused", ""), Reply("ok", "Score: 4")).other_raters["judge"]
    assert (rating.status, rating.total) == ("refused", None)


def test_majority_of_judges_gives_the_commonest_grade():
    replies = [Reply("ok", f"Score: {grade}") for grade in (4, 1, 1)]
    assert graded(Answer("ok", LIST[0]), *replies).other_raters["judge"].total == 0.25


# --- stability by rubric ------------------------------------------------------------------------

LEVELS = {"worse": 0.5, "better": 0.8}
TOTALS = {"released": (1.0, 0.5), "corrected": (1.0, 0.8), "judge": (0.75, 0.75)}
"""Totals with two expressions, by rubric and by the judge."""


def scored(model: str = "m", **changes) -> list[Scored]:
    """A context of two lengths in two expressions and variables, graded by the judge *gpt*."""
    rows = []
    for length in ("4k", "8k"):
        for expression in range(2):
            for variable in range(2):
                fields = record(
                    "OQ", {"format": 1, "correct": 1}, length, (1, expression, variable)
                )
                totals = {name: values[expression] for name, values in TOTALS.items()}
                raters = {f"gpt ({name})": {"total": totals[name]} for name in totals}
                fields |= {"judge": "gpt", "total": totals["released"], "other_raters": raters}
                rows.append(Scored(model, length, fields | changes))
    return rows


def test_stability_is_by_each_rubric_and_the_judge_on_the_same_responses():
    rows = stability.rubric_stability(score_frame(scored(), "released"))
    by_expression = rows[rows["perspective"] == "expression"].set_index("rubric")
    expected = {"released": ifs(1.0, 0.5), "corrected": ifs(1.0, 0.8), "judge": 0.0}
    assert by_expression["ifs"].to_dict() == pytest.approx(expected)
    differences = {name: value - expected["released"] for name, value in expected.items()}
    assert by_expression["value"].to_dict() == pytest.approx(differences)
    average = rows[rows["perspective"] == "average"].set_index("rubric")["ifs"].to_dict()
    assert average == pytest.approx({name: value / 3 for name, value in expected.items()})


def test_ungraded_responses_are_in_no_rubrics_stability():
    rows = scored()
    for row in rows[:2]:  # the first expression at 4k
        row.record["other_raters"]["gpt (judge)"] = {"total": None}
    stable = stability.rubric_stability(score_frame(rows, "released"))
    assert set(stable["scored"]) == {6} and set(stable["expected"]) == {8}
    by_expression = stable[stable["perspective"] == "expression"].set_index("rubric")
    # Six of eight: the first expression has two responses left, of one length.
    assert by_expression.loc["released", "ifs"] == pytest.approx(ifs(1.0, 0.5))


def test_table_and_figure_compare_rubrics_and_judge(tmp_path):
    rows = []
    for scored_sample in run(LEVELS, contexts=3, tasks=FEW):
        fields = scored_sample.record
        raters = {"gpt (corrected)": fields["other_raters"]["corrected"]}
        raters["gpt (judge)"] = {"total": 0.5}  # always the same: nothing varies
        fields |= {"judge": "gpt", "other_raters": raters}
        rows.append(scored_sample)
    frames = frames_of(rows, tmp_path, judged=True)
    display = Display(models={name: DisplayedModel(name) for name in LEVELS})
    cells = cells_of(printed_tables(frames, display)["rubric_stability"])
    assert [*cells.columns][1:4] == ["Released: IFS", "Corrected: IFS", "Corrected: Difference"]
    ifs_of_models = frames["ifs"].query("task == 'overall' and perspective == 'average'")
    by_model = ifs_of_models.set_index("model")["value"].round(3)
    for model, value in by_model.items():
        row = cells.loc[model]
        assert row["Released: IFS"] == f"{value:.3f}" and row["Judge: IFS"] == "0.000"
        assert row["Judge: Difference"] == f"{-value:.3f}"
        assert row["Judge: 95 % interval"].startswith("-")
    picture = figures(frames, display, "rubric", "released")["rubric_stability"]
    assert (
        "is larger by the judge than by the released rubric, for Expression 0 of 2"
        in picture.caption
    )


def test_table_of_a_trial_without_an_average_has_the_models_alone(tmp_path):
    scores = [row._replace(model=model) for model in LEVELS for row in scored() if row.part == "4k"]
    frames = frames_of(scores, tmp_path, judged=True)
    display = Display(models={name: DisplayedModel(name) for name in LEVELS})
    cells = cells_of(printed_tables(frames, display)["rubric_stability"])
    assert set(cells.index) == set(LEVELS)
    assert not [column for column in cells if "IFS" in column]


@pytest.mark.parametrize(("lengths", "compared"), [({"4k": 3072}, False), (None, True)])
def test_rubrics_and_judge_are_compared_where_there_are_several_lengths(lengths, compared):
    section = {"judge": True} | ({"lengths": lengths} if lengths else {})
    judges = {"reference": {"engine": "reference"}}
    config = {"lifbench": section, "models": judges, "judges": judges, "benchmarks": ["lifbench"]}
    task = Evaluation(load_config(config)).tasks["lifbench"]
    assert task.judging
    for output in (task.metrics, task.tables, task.figures):
        names = [name.removeprefix("lifbench_") for name in output.names]
        assert ("rubric_stability" in names) == compared
