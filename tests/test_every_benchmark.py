"""What holds for all benchmarks alike, on small runs in memory."""

import random
import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import pandas as pd
import pytest

from judged_run import SMALL, Changes, JudgedRun
from score_records import FEW, run, unscored
from steadfast.config.load import load_config
from steadfast.contract.components import Data, Frames, Labels, Scored
from steadfast.contract.registry import benchmarks
from steadfast.contract.task import Task
from steadfast.show.render import comma_separated, markdown
from steadfast.show.roster import Display
from steadfast.stats.tidy import ABOVE_BASELINE, EFFECTIVE, FURTHER, HIGHEST, SUMMARY

SECTIONS = {**SMALL, "ifeval": {"lengths": {}}}
NAMES = ("lifbench", *SECTIONS)
MODELS = ("a", "b", "c")
REPEATS = 3
COUNTS = {"n", "expected", "missing", "unread", "open", "only_first", "only_second", "scored"}
COUNTS |= {"status_ok", "status_invalid", "samples", "impossible", "fallback", "nothing", "k"}
"""Columns that count responses, of which a model with repeats has more."""
UNANSWERED = {"status": "refused", "text": ""}


SAMPLED = {
    "lifbench": "18 contexts",  # three of each scenario and length
    "followbench": "29 groups",
    "cfbench": "24 records",
    "complexbench": "32 groups of instances",
    "ifeval": "24 prompts",
}
"""Sampling units of a small run, as counted in the data files."""


class SmallRun(NamedTuple):
    """A benchmark, and the scores of three simulated models."""

    task: Task
    data: dict[str, Data]
    scores: list[Scored]

    def frames(self, scores: Iterable[Scored], labels: Labels | None = None) -> Frames:
        return self.task.metrics.function.make(iter(scores), self.data, labels)


def scored(judged: JudgedRun, model: str, lost: Changes | None = None) -> list[Scored]:
    """A simulated model's scores; of the samples in ``lost`` it has other answers."""
    scores = []
    for part in judged.samples:
        answers = judged.answers(part, model, lost)
        replies = {}
        if judged.task.judging:
            replies = {"first": judged.replies(part, answers, "reference")}
            replies["second"] = judged.replies(part, answers, "second")
        records = judged.scores(part, answers, **replies).values()
        scores += [Scored(model, part, record) for record in records]
    return scores


@cache
def judged_run(name: str) -> JudgedRun:
    return JudgedRun(name, SECTIONS[name])


@cache
def small_run(name: str) -> SmallRun:
    if name == "lifbench":
        config = load_config({"models": {"m": {"engine": "reference"}}})
        scores = list(run({"a": 0.6, "b": 0.7, "c": 0.8}, contexts=3, tasks=FEW))
        return SmallRun(benchmarks()[name].of(config), {}, scores)
    judged = judged_run(name)
    scores = [score for model in MODELS for score in scored(judged, model)]
    return SmallRun(judged.task, judged.data, scores)


@cache
def all_frames(name: str) -> Frames:
    """The frames of all scores, which no test changes."""
    small = small_run(name)
    return small.frames(small.scores)


def unanswered(name: str, model: str, samples: int | None = None) -> list[Scored]:
    """A model's scores where it refused so many samples of a task or part, or all."""
    if name == "lifbench":
        own = [score for score in small_run(name).scores if score.model == model]
        return [unscored(score, "refused") for score in own[:samples]] + own[len(own[:samples]) :]
    judged = judged_run(name)
    first, *_ = judged.samples.values()
    every = [sample.id for part in judged.samples.values() for sample in part]
    names = every if samples is None else [sample.id for sample in first[:samples]]
    return scored(judged, model, dict.fromkeys(names, UNANSWERED))


def main_measures(name: str) -> dict[str, dict]:
    """The measures in which models are compared, each with its rows of ``comparisons``."""
    measures = benchmarks()[name].measures
    return {measure: dict(how.compared) for measure, how in measures.items() if how.compared}


def by_key(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows in the order of their keys: models stand as they come first."""
    keys = list(frame.select_dtypes(exclude="float"))
    return frame.astype(dict.fromkeys(keys, str)).sort_values(keys, ignore_index=True)


@pytest.fixture(params=NAMES)
def name(request) -> str:
    return request.param


def test_the_order_of_scores_changes_no_metric(name):
    small = small_run(name)
    parts = list(dict.fromkeys(score.part for score in small.scores))
    shuffled = random.Random(1).sample(small.scores, len(small.scores))
    frames = small.frames(sorted(shuffled, key=lambda score: parts.index(score.part)))
    for metric, rows in all_frames(name).items():
        other, expected = (by_key(frame) for frame in (frames[metric], rows))
        pd.testing.assert_frame_equal(other, expected, rtol=1e-9, obj=metric)


def test_equal_repeats_change_no_value_and_no_interval(name):
    small = small_run(name)
    thrice = [
        score._replace(record=score.record | {"repeat": repeat})
        for score in small.scores
        for repeat in range(REPEATS if score.model == "b" else 1)
    ]
    once = all_frames(name)
    several = small.frames(thrice)
    for metric in set(once) - {"variance", "agreement", "coverage", "distribution"}:
        values = [column for column in once[metric] if column not in COUNTS]
        pd.testing.assert_frame_equal(once[metric][values], several[metric][values], rtol=1e-9)
    counts = several["summary"]["expected"] / once["summary"]["expected"]
    assert counts.tolist() == [REPEATS if m == "b" else 1 for m in once["summary"]["model"]]


def test_a_model_that_answered_nothing_is_there_without_values(name):
    small = small_run(name)
    others = [score for score in small.scores if score.model != "c"]
    rows = small.frames([*others, *unanswered(name, "c")])["summary"]
    assert rows[rows["model"] == "c"]["value"].isna().all()
    assert set(rows[rows["model"] == "c"]["n"]) == {0}
    assert (rows["expected"] > 0).all() and (rows[rows["model"] != "c"]["n"] > 0).all()


def test_a_run_without_any_score_has_all_tables_and_figures(name):
    small = small_run(name)
    frames = small.frames(unanswered(name, "a"))
    tables = small.task.tables.function.make(frames, Display())
    assert [table.name for table in tables] == list(small.task.tables.names)
    assert all(map(markdown, tables))
    pictures = small.task.figures.function.make(frames, Display())
    assert set(pictures) >= set(small.task.figures.names)
    assert all(picture.figure.axes for picture in pictures.values())


def test_what_is_unanswered_is_in_no_mean_and_marked(name):
    small = small_run(name)
    others = [score for score in small.scores if score.model != "c"]
    frames = small.frames([*others, *unanswered(name, "c", 1)])
    rows = frames["summary"].set_index("model")
    assert (rows.loc["c", "n"] < rows.loc["c", "expected"]).all()
    assert (rows.loc["a", "n"] == rows.loc["a", "expected"]).all()
    pages = map(comma_separated, small.task.tables.function.make(frames, Display()))
    marked = [line for page in pages for line in page.splitlines() if "incomplete" in line]
    assert marked and all(re.search(",c,|c: incomplete", line) for line in marked)


def test_models_are_compared_by_the_difference_of_their_values(name):
    frames = all_frames(name)
    values = frames["summary"].set_index(["measure", "model"])["value"]
    measures = main_measures(name)
    assert measures
    for measure, keys in measures.items():
        rows = frames["comparisons"]
        for column, key in keys.items():
            rows = rows[rows[column] == key]
        for column in {"length", "language"} & set(rows):
            rows = rows[rows[column] == rows[column].iloc[0]]
        assert len(rows) == 3
        for row in rows.itertuples():
            apart = values[measure, row.model] - values[measure, row.other]
            assert row.difference == pytest.approx(apart, abs=1e-9), measure


def test_tables_and_summary_say_how_much_was_sampled(name):
    small = small_run(name)
    frames = all_frames(name)
    further = set(FURTHER) - {HIGHEST, ABOVE_BASELINE}
    if name in SMALL:  # the others have lengths
        further -= set(EFFECTIVE)
    assert set(frames["summary"]) == {*SUMMARY, *further}
    assert set(frames["summary"]["sampled"]) == {SAMPLED[name]}
    tables = small.task.tables.function.make(frames, Display())
    assert any(f"Sampling units: {SAMPLED[name]}" in markdown(table) for table in tables)


def verdicts(name: str, record: dict) -> object:
    """A score's verdicts as people write them."""
    if name == "complexbench":
        return {point: "yes" if holds else "no" for point, holds in record["raw"].items()}
    words = ("NO", "YES") if name == "followbench" else (0, 1)
    return [words[int(point)] for point in record["points"].values()]


@pytest.mark.parametrize("name", SMALL)
def test_people_who_label_all_replace_the_judge(name):
    """Of a judge that says yes to all, corrected by labels: what a judge without fault says."""
    section = {"languages": ["zh"]} if name != "cfbench" else {}
    section |= {"judging": "plain"} if name == "complexbench" else {}
    judged = JudgedRun(name, section)
    answers = judged.answers("zh", "a")
    praise = judged.replies("zh", judged.answers("zh"))  # about reference answers, which keep all
    by_judge = {"true": judged.replies("zh", answers), "lenient": praise}
    scores = {
        judge: [Scored("a", "zh", one) for one in judged.scores("zh", answers, first=of).values()]
        for judge, of in by_judge.items()
    }
    labels = []
    for score in scores["true"]:
        if score.record.get("scorer", "judge") == "judge":
            sample = score.record["sample_id"]
            place = f"zh/{sample}" if name == "complexbench" else sample
            given = verdicts(name, score.record)
            labels.append({"model": "a", "sample_id": place, "verdicts": given})
    make = judged.task.metrics.function.make
    true = make(scores["true"], judged.data, None)["summary"].set_index("measure")["value"]
    said = make(scores["lenient"], judged.data, None)["summary"].set_index("measure")["value"]
    people = Labels("labels.jsonl", labels)
    rows = make(scores["lenient"], judged.data, people)["corrected"].set_index("measure")
    assert rows["value"].to_dict() == pytest.approx({m: true[m] for m in rows.index})
    assert rows["raw"].to_dict() == pytest.approx({m: said[m] for m in rows.index})
    assert (rows["raw"] > rows["value"]).all()
    few = make(scores["lenient"], judged.data, Labels("labels.jsonl", labels[:5]))["corrected"]
    assert few["value"].isna().all() and (few["clusters"] > 0).all()


@pytest.mark.parametrize("name", SMALL)
def test_of_several_judges_the_first_counts_and_the_others_stand_beside(name):
    judged = judged_run(name)
    answers = judged.answers("zh", "a")
    first, second = (judged.replies("zh", answers, how) for how in ("reference", "second"))
    together = judged.scores("zh", answers, first=first, second=second)
    alone = judged.scores("zh", answers, first=first)
    other = judged.scores("zh", answers, first=second)
    assert any(alone[sample]["points"] != other[sample]["points"] for sample in alone)
    for sample, record in together.items():
        beside = record["other_raters"].get("second", {})
        assert record | {"other_raters": {}} == alone[sample]
        assert beside.items() <= other[sample].items() or record.get("scorer", "judge") != "judge"


@pytest.mark.parametrize("name", SMALL)
def test_what_is_unanswered_is_not_judged_and_keeps_its_status(name):
    judged = judged_run(name)
    lost, *others = (sample.id for sample in judged.samples["zh"])
    answers = judged.answers("zh", changes={lost: UNANSWERED})
    asked = {prompt.answer_id for prompt in judged.judge_prompts("zh", answers)}
    assert lost not in asked and asked <= set(others) and asked
    record = judged.scores("zh", answers, first=judged.replies("zh", answers))[lost]
    assert (record["status"], record["points"], record["total"]) == ("refused", None, None)


@pytest.mark.parametrize("mode", ["strict", "released"])
@pytest.mark.parametrize(
    ("name", "section"),
    [*SMALL.items(), ("complexbench", {"judging": "plain", "decomposition": True})],
)
def test_reference_answers_have_full_marks_by_a_judge_without_fault(name, section, mode):
    judged = JudgedRun(name, section, mode)
    for part in judged.samples:
        answers = judged.answers(part)
        records = judged.scores(part, answers, first=judged.replies(part, answers)).values()
        assert {(record["status"], record["total"]) for record in records} == {("ok", 1)}
        assert {value for record in records for value in record["points"].values()} == {1}
