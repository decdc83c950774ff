"""The floor reader: as good as a reader can be who looks nothing up, and no better."""

import csv
import json
from functools import cache

import pandas as pd
import pytest

from lifbench_samples import DOCUMENTS, LIST, SENTENCES, as_sample, samples
from score_records import run
from steadfast.components import Frames, Sample, Scored, StandIn
from steadfast.config.load import load_config
from steadfast.errors import UserError
from steadfast.evaluation import Evaluation
from steadfast.lifbench.above_floor import above_floor
from steadfast.lifbench.frames import score_frame
from steadfast.lifbench.metrics import metrics
from steadfast.lifbench.readers import LifbenchReader
from steadfast.lifbench.tables import tables
from steadfast.lifbench.tasks import TASKS
from steadfast.show.display import Display, Shown
from steadfast.tables.render import printed

READER = LifbenchReader()


def answers(task: str) -> list[str]:
    """What the floor reader answers to a task's hand-made samples."""
    return [READER.floor(as_sample(*sample)) for sample in samples(task)]


@pytest.mark.parametrize("task", TASKS)
def test_it_sees_no_gold(task):
    for prompt, context, scenario_prompt in samples(task):
        blind = {**prompt, "gold": None}
        assert READER.floor(as_sample(blind, context, scenario_prompt)) == READER.floor(
            as_sample(prompt, context, scenario_prompt)
        )


@pytest.mark.parametrize("task", ["LSI", "LOI", "LOE"])
def test_whichever_element_is_asked_for_it_copies_the_middle_one(task):
    assert set(answers(task)) == {LIST[4]}


@pytest.mark.parametrize("task", ["LBI", "LBE"])
def test_what_stands_last_is_after_any_element_and_what_stands_first_before(task):
    for (prompt, *_), answer in zip(samples(task), answers(task), strict=True):
        assert answer == LIST[-1 if prompt["variables"]["bias"] > 0 else 0]


def test_it_copies_as_many_elements_as_are_asked_for():
    (answer,) = answers("LMI")
    assert json.loads(answer) == LIST[3:7]


def test_every_document_has_the_label_that_the_rules_name_first():
    for answer, label in zip(answers("MB"), ["apple", "dog", "über"], strict=True):
        assert json.loads(answer) == {f"doc{n}": label for n in range(1, 8)}


def test_documents_are_grouped_by_their_places_whatever_their_texts():
    ids = [[[document["id"]] for document in DOCUMENTS]]
    assert [json.loads(line) for line in answers("MF")[0].split("\n")] == ids


@pytest.mark.parametrize(("documents", "groups"), [(6, 1), (13, 2), (28, 3), (60, 4), (270, 6)])
def test_the_more_documents_the_more_groups(documents, groups):
    prompt, context, _ = samples("MF")[0]
    many = {**context, "documents": DOCUMENTS * (documents // 7) + DOCUMENTS[: documents % 7]}
    answer = READER.floor(as_sample(prompt, many, ""))
    assert answer.count("\n") == groups - 1
    assert answer.count('"') == 2 * min(documents, 80)


def test_tagged_sentences_are_copied_as_they_come_with_fakes_among_them():
    answer = answers("OR")[3]
    by_place = sorted(SENTENCES, key=lambda sentence: sentence[2])
    assert answer.split("\n") == [f"{text} -12367- {name}" for name, *_, text in by_place[:7]]
    assert json.loads(answers("OE")[0]) == [sentence[4] for sentence in by_place[:3]]


def test_it_takes_the_first_option():
    for (prompt, *_), answer in zip(samples("OQ"), answers("OQ"), strict=True):
        assert answer == prompt["variables"]["options"][0]


def record(task: str, total: float | None, place: int = 0) -> dict:
    """A score's record of one prompt."""
    return {
        "sample_id": f"{task}/c/e0/v{place}",
        "draw": 0,
        "task": task,
        "context_id": "c",
        "rubric": "released",
        "expression_id": 0,
        "variable_id": place,
        "status": "error" if total is None else "ok",
        "depth": None,
        "points": {},
        "total": total,
        "truncated": False,
        "other_raters": {},
    }


def gained(scores: dict[str, list[dict]]) -> pd.DataFrame:
    """Rows of ``above_floor`` by model, task and length."""
    scored = [Scored(model, "4k", found) for model, all_ in scores.items() for found in all_]
    rows = above_floor(score_frame(scored, "released"), "rubric", "released", "floor")
    return rows.set_index(["model", "task", "length"])


def test_above_floor_is_the_share_of_what_the_floor_leaves_open():
    rows = gained(
        {
            "floor": [record("LMI", 0.6), record("OQ", 0.2)],
            "m": [record("LMI", 0.9), record("OQ", 0.1)],
        }
    )
    assert rows.at[("m", "LMI", "4k"), "value"] == pytest.approx(0.75)  # 0.3 of 0.4
    assert rows.at[("m", "OQ", "4k"), "value"] == pytest.approx(-0.125)  # -0.1 of 0.8
    # Weights 10 and 5: (9.5 - 7) of (15 - 7).
    assert rows.at[("m", "overall", ""), "value"] == pytest.approx(2.5 / 8)
    assert rows.at[("floor", "overall", ""), "value"] == 0


def test_the_floor_is_taken_on_the_answers_that_have_a_score():
    floor = [record("LMI", 0.2), record("LMI", 0.8, place=1)]
    rows = gained({"floor": floor, "m": [record("LMI", 0.6), record("LMI", None, place=1)]})
    row = rows.loc[("m", "LMI", "")]
    assert (row["floor"], row["n"]) == (0.2, 1)
    assert row["value"] == pytest.approx(0.5)  # 0.4 of 0.8


def test_where_the_floor_is_1_nothing_is_left_to_gain():
    rows = gained({"floor": [record("LBI", 1.0)], "m": [record("LBI", 1.0)]})
    assert rows["value"].isna().all()


def test_without_a_floor_there_is_no_row():
    assert gained({"m": [record("LBI", 1.0)]}).empty


@cache
def frames(floor: str | None) -> Frames:
    """Metrics of a run whose floor reader has 0.5 in all tasks."""
    under = [one._replace(model="floor") for one in run({"good": 0.8})]
    for one in under:
        one.record["total"] = 0.5
    scores = [*run({"good": 0.8, "reference": 1.0}), *under]
    unranked = ["floor", "reference"]
    return metrics(scores, {}, None, "rubric", "released", unranked, floor)


def shown(page: str, floor: str | None = "floor") -> list[list[str]]:
    """The rows of a printed table of that run."""
    display = Display(
        models={
            "good": Shown("Good", "API"),
            "floor": Shown("Floor reader", "Floor", "floor"),
            "reference": Shown("Gold", "Gold", "reference"),
        }
    )
    (made,) = (t for t in tables(frames(floor), display, "rubric", "released") if t.name == page)
    return list(csv.reader(printed(made).csv.splitlines()))


def test_tables_have_the_floor_as_an_unranked_line_of_its_own_and_what_is_above_it():
    heading, *rows = shown("lifbench_table3_ars")
    good, floor, gold = (dict(zip(heading, row, strict=True)) for row in rows)
    assert [line["Model"] for line in (good, floor, gold)] == ["Good", "Floor reader", "Gold"]
    assert (floor["group"], floor["Overall"]) == ("Floor (looks nothing up)", "0.500")
    assert float(good["Above floor"]) == pytest.approx(2 * float(good["Overall"]) - 1, abs=0.0015)


def test_each_task_has_its_share_above_the_floor_at_each_length():
    above, ars = (
        {row[2]: row[3:15] for row in shown(page) if row[1] == "Good"}
        for page in ("lifbench_above_floor", "lifbench_table7_ars_by_length")
    )
    for length in ("4k", "8k"):
        for share, value in zip(above[length], ars[length], strict=True):
            assert float(share) == pytest.approx(2 * float(value) - 1, abs=0.0015)


def test_without_a_floor_no_column_is_above_it():
    assert "Above floor" not in shown("lifbench_table3_ars", floor=None)[0]


def test_only_benchmarks_with_a_floor_ask_for_it():
    models = {"floor": {"engine": "floor"}, "gold": {"engine": "reference"}}
    config = {"models": models, "judges": {"gold": {"engine": "reference"}}}
    run = Evaluation(load_config({**config, "benchmarks": ["lifbench", "cfbench"]}))
    assert run.models_of("lifbench") == ["floor", "gold"]
    assert run.models_of("cfbench") == ["gold"]
    assert {job[0] for job in run.inference_jobs if job[1] == "floor"} == {"lifbench"}


def test_the_floor_judges_nothing():
    raw = {"models": {"m": {"engine": "reference"}}, "judges": {"j": {"engine": "floor"}}}
    with pytest.raises(UserError, match="judge 'j': engine floor judges nothing; name another"):
        load_config(raw)


class WithoutFloor(StandIn):
    def reference(self, sample):
        return ""

    def simulated(self, sample, reader, seen, rng):
        return ""


def test_a_task_that_claims_a_floor_which_its_stand_in_has_not_is_one_sentence():
    with pytest.raises(UserError, match="WithoutFloor has no method floor, and its task says"):
        WithoutFloor().floor(Sample("2k", {}, {}))
