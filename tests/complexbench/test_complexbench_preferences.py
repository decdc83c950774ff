"""Preferences between models: from scores of whole instructions to metric and table."""

import csv

import pytest

from complexbench_instances import asked
from complexbench_run import Run, record, saying, turned, verdict
from steadfast.base.errors import UserError
from steadfast.benchmarks.complexbench.tables import tables
from steadfast.show.render import printed
from steadfast.show.roster import Display, Shown

DISPLAY = Display(models={name: Shown(name, engine="openai") for name in ("first", "second")})
GIVEN = {"first": [(1, 1), (1, 0), (0, 0)], "second": [(1, 0), (0, 1), (0, 1)]}


def label(number: int, word: str, **more) -> dict:
    names = {"model": "first", "other": "second", "sample_id": f"zh/{number}"}
    return names | {"preference": word} | more


@pytest.fixture(scope="module")
def run():
    """Three instructions of two questions: the first model wins one, ties one and loses one."""
    made = Run([record(number, [asked("一"), asked("二")]) for number in range(3)])
    for model, by_instance in GIVEN.items():
        answers = made.given({str(n): f"{model}{n}" for n in range(3)})
        replies = {f"{model}{n}": holds for n, holds in enumerate(by_instance)}

        def judge(prompt, request, replies=replies):
            return verdict(bool(replies[prompt.answer][request.expected["point"]]))

        made.score(answers, model, j=judge)
    return made


def table(run: Run, labels: list[dict] | None = None):
    frames = run.metrics(labels)
    (built,) = tables(frames, DISPLAY, "strict", ["zh"], ["preferences"])
    return built, list(csv.reader(printed(built).csv.splitlines()))


def test_scores_make_wins_ties_and_losses(run):
    (row, whole) = run.metrics()["preferences"].to_dict("records")
    assert [row[name] for name in ("model", "other", "win", "tie", "lose", "n")] == [
        *("first", "second"),
        *(1, 1, 1, 3),
    ]
    assert (whole["model"], whole["other"], whole["n"]) == ("", "", 3)
    built, rows = table(run)
    assert [cell for cell in rows[1] if cell] == ["first", "second", "1", "1", "1", "3"]
    assert "By people" not in built.caption


def test_peoples_preferences_stand_beside_them_and_verdicts_are_read_as_before(run):
    verdicts = {"model": "first", "sample_id": "zh/0", "verdicts": {"0": "yes", "1": "no"}}
    labels = [label(0, "win"), label(1, "lose"), verdicts]
    built, rows = table(run, labels)
    assert "By people" in built.caption
    assert [cell for cell in rows[1] if cell][2:10] == ["1", "1", "1", "3", "1", "0", "1", "50.0"]
    agreement = run.metrics(labels)["agreement"].set_index(["second", "model"])
    assert agreement.loc[("human", ""), "n"] == 2


def test_an_instruction_without_a_verdict_marks_the_pair(run):
    torn = Run(run.data["zh"]["data"]["zh"])
    torn.scored = list(run.scored)
    torn.scored = [one for one in torn.scored if one.model == "first"]
    torn.score(torn.given("答"), "second", j=saying({0: verdict(True), 1: None}))
    built, _ = table(torn)
    assert [cell.text for cell in built.sections[0].rows[0]][2:] == ["0", "0", "0", "0"]
    assert built.sections[0].rows[0][-1].marks == ("incomplete",)


def test_turns_are_no_instructions_to_compare():
    made = Run([turned(asked("一"), asked("二"))])
    for model in ("first", "second"):
        made.score(made.read(part="zh-decomposed"), model, "zh-decomposed")
    assert made.metrics()["preferences"].empty
    built, _ = table(made)
    assert any("Fewer than two models" in text for _, text in built.notes)


def test_people_s_preference_on_a_turn_is_refused_with_the_reason(run):
    made = Run([turned(asked("一"), asked("二"))])
    for model in ("first", "second"):
        made.score(made.read(part="zh-decomposed"), model, "zh-decomposed")
        made.score(made.read(), model)
    turn = made.scored[0].record["sample_id"]
    record = label(0, "win") | {"sample_id": f"zh-decomposed/{turn}"}
    with pytest.raises(UserError, match=r"record 1: sample 'zh-decomposed/.*' is a turn, and"):
        made.metrics([record])


def test_a_preference_that_is_none_ends_the_job(run):
    with pytest.raises(UserError, match=r"people\.jsonl: record 1: the preference is 'good'"):
        run.metrics([label(0, "good")])
