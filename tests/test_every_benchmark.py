"""Properties of all benchmarks, on small runs in memory."""

import random
import re
from collections.abc import Iterable
from functools import cache
from itertools import chain
from typing import NamedTuple

import pandas as pd
import pytest

from judged_run import SMALL, Changes, JudgedRun, Replies
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
REFUSED = {"status": "refused", "text": ""}
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

    def frames(self, scores: Iterable[Scored]) -> Frames:
        return self.task.metrics.function.make(iter(scores), self.data, None)


def scored(judged: JudgedRun, model: str, changes: Changes | None = None) -> list[Scored]:
    """A simulated model's scores, with some of its answers changed."""
    scores = []
    for part in judged.samples:
        answers = judged.answers(part, model, changes)
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


def refused_scores(name: str, model: str, count: int | None = None) -> list[Scored]:
    """A model's scores after it refused the first ``count`` samples, or all."""
    if name == "lifbench":
        scores = [score for score in small_run(name).scores if score.model == model]
        answered = [] if count is None else scores[count:]
        return [unscored(score, "refused") for score in scores[:count]] + answered
    judged = judged_run(name)
    samples = list(chain.from_iterable(judged.samples.values()))
    return scored(judged, model, {sample.id: REFUSED for sample in samples[:count]})


def main_measures(name: str) -> dict[str, dict]:
    """The measures in which models are compared, each with its rows of ``comparisons``."""
    measures = benchmarks()[name].measures.items()
    return {name: dict(measure.compared) for name, measure in measures if measure.compared}


def by_key(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows in the order of their keys, not in that of the scores."""
    keys = list(frame.select_dtypes(exclude="float"))
    return frame.astype(dict.fromkeys(keys, str)).sort_values(keys, ignore_index=True)


@pytest.fixture(params=NAMES)
def name(request) -> str:
    return request.param


@pytest.fixture
def small(name) -> SmallRun:
    return small_run(name)


def test_order_of_scores_changes_no_metric(name, small):
    parts = list(dict.fromkeys(score.part for score in small.scores))
    shuffled = random.Random(1).sample(small.scores, len(small.scores))
    frames = small.frames(sorted(shuffled, key=lambda score: parts.index(score.part)))
    for metric, expected in all_frames(name).items():
        rows = by_key(frames[metric])
        pd.testing.assert_frame_equal(rows, by_key(expected), rtol=1e-9, obj=metric)


def test_equal_repeats_change_no_value_and_no_interval(name, small):
    repeated = []
    for score in small.scores:
        for repeat in range(REPEATS if score.model == "b" else 1):
            repeated.append(score._replace(record=score.record | {"repeat": repeat}))
    single = all_frames(name)
    frames = small.frames(repeated)
    for metric in set(single) - {"variance", "agreement", "coverage", "distribution"}:
        values = [column for column in single[metric] if column not in COUNTS]
        pd.testing.assert_frame_equal(single[metric][values], frames[metric][values], rtol=1e-9)
    ratios = frames["summary"]["expected"] / single["summary"]["expected"]
    assert (
        ratios.tolist() == single["summary"]["model"].map({"a": 1, "b": REPEATS, "c": 1}).tolist()
    )


def test_model_that_refused_everything_has_rows_without_values(name, small):
    answered = [score for score in small.scores if score.model != "c"]
    summary = small.frames([*answered, *refused_scores(name, "c")])["summary"]
    refused = summary["model"] == "c"
    assert summary[refused]["value"].isna().all()
    assert set(summary[refused]["n"]) == {0}
    assert (summary["expected"] > 0).all() and (summary[~refused]["n"] > 0).all()


def test_run_without_scores_has_all_tables_and_figures(name, small):
    frames = small.frames(refused_scores(name, "a"))
    tables = small.task.tables.function.make(frames, Display())
    assert [table.name for table in tables] == list(small.task.tables.names)
    assert all(map(markdown, tables))
    pictures = small.task.figures.function.make(frames, Display())
    assert set(pictures) >= set(small.task.figures.names)
    assert all(picture.figure.axes for picture in pictures.values())


def test_refused_sample_is_in_no_mean_and_marked_incomplete(name, small):
    answered = [score for score in small.scores if score.model != "c"]
    frames = small.frames([*answered, *refused_scores(name, "c", 1)])
    rows = frames["summary"].set_index("model")
    assert (rows.loc["c", "n"] < rows.loc["c", "expected"]).all()
    assert (rows.loc["a", "n"] == rows.loc["a", "expected"]).all()
    tables = small.task.tables.function.make(frames, Display())
    lines = "\n".join(map(comma_separated, tables)).splitlines()
    incomplete = [line for line in lines if "incomplete" in line]
    assert incomplete and all(re.search(",c,|c: incomplete", line) for line in incomplete)


def test_comparisons_have_the_differences_of_summary_values(name):
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
            difference = values[measure, row.model] - values[measure, row.other]
            assert row.difference == pytest.approx(difference, abs=1e-9), measure


def test_tables_and_summary_name_the_sampling_units(name, small):
    frames = all_frames(name)
    optional = set(FURTHER) - {HIGHEST, ABOVE_BASELINE}
    if name in SMALL:  # the other benchmarks have lengths
        optional -= set(EFFECTIVE)
    assert set(frames["summary"]) == {*SUMMARY, *optional}
    assert set(frames["summary"]["sampled"]) == {SAMPLED[name]}
    tables = small.task.tables.function.make(frames, Display())
    assert any(f"Sampling units: {SAMPLED[name]}" in markdown(table) for table in tables)


def label(name: str, record: dict) -> dict:
    """A person's label with the verdicts of a score."""
    sample = record["sample_id"]
    if name == "complexbench":
        verdicts = {point: "yes" if holds else "no" for point, holds in record["raw"].items()}
        return {"model": "a", "sample_id": f"zh/{sample}", "verdicts": verdicts}
    words = ("NO", "YES") if name == "followbench" else (0, 1)
    verdicts = [words[int(point)] for point in record["points"].values()]
    return {"model": "a", "sample_id": sample, "verdicts": verdicts}


@pytest.mark.parametrize("name", SMALL)
def test_labels_of_all_samples_correct_a_lenient_judge(name):
    section = {"languages": ["zh"]} if name != "cfbench" else {}
    section |= {"judging": "plain"} if name == "complexbench" else {}
    judged = JudgedRun(name, section)
    answers = judged.answers("zh", "a")

    def scores(replies: Replies) -> list[Scored]:
        records = judged.scores("zh", answers, first=replies).values()
        return [Scored("a", "zh", record) for record in records]

    exact = scores(judged.replies("zh", answers))
    lenient = scores(judged.replies("zh", judged.answers("zh")))  # verdicts on reference answers
    judged_records = [
        score.record for score in exact if score.record.get("scorer", "judge") == "judge"
    ]
    labels = [label(name, record) for record in judged_records]
    make = judged.task.metrics.function.make
    exact_values = make(exact, judged.data, None)["summary"].set_index("measure")["value"]
    lenient_values = make(lenient, judged.data, None)["summary"].set_index("measure")["value"]
    rows = make(lenient, judged.data, Labels("labels.jsonl", labels))["corrected"]
    rows = rows.set_index("measure")
    assert rows["value"].to_dict() == pytest.approx(exact_values[rows.index].to_dict())
    assert rows["raw"].to_dict() == pytest.approx(lenient_values[rows.index].to_dict())
    assert (rows["raw"] > rows["value"]).all()
    rows = make(lenient, judged.data, Labels("labels.jsonl", labels[:5]))["corrected"]
    assert rows["value"].isna().all() and (rows["clusters"] > 0).all()


@pytest.mark.parametrize("name", SMALL)
def test_first_judge_counts_and_the_second_is_recorded(name):
    judged = judged_run(name)
    answers = judged.answers("zh", "a")
    first = judged.replies("zh", answers, "reference")
    second = judged.replies("zh", answers, "second")
    by_both = judged.scores("zh", answers, first=first, second=second)
    by_first = judged.scores("zh", answers, first=first)
    by_second = judged.scores("zh", answers, first=second)
    assert any(by_first[sample]["points"] != by_second[sample]["points"] for sample in by_first)
    for sample, record in by_both.items():
        rating = record["other_raters"].get("second", {})
        assert record | {"other_raters": {}} == by_first[sample]
        is_judged = record.get("scorer", "judge") == "judge"
        assert rating.items() <= by_second[sample].items() or not is_judged


@pytest.mark.parametrize("name", SMALL)
def test_refused_sample_is_not_judged_and_keeps_its_status(name):
    judged = judged_run(name)
    refused, *answered = [sample.id for sample in judged.samples["zh"]]
    answers = judged.answers("zh", changes={refused: REFUSED})
    judged_ids = {prompt.answer_id for prompt in judged.judge_prompts("zh", answers)}
    assert judged_ids and judged_ids <= set(answered)
    record = judged.scores("zh", answers, first=judged.replies("zh", answers))[refused]
    assert (record["status"], record["points"], record["total"]) == ("refused", None, None)


@pytest.mark.parametrize("mode", ["strict", "released"])
@pytest.mark.parametrize(
    ("name", "section"),
    [*SMALL.items(), ("complexbench", {"judging": "plain", "decomposition": True})],
)
def test_reference_answers_get_full_marks_of_the_simulated_judge(name, section, mode):
    judged = JudgedRun(name, section, mode)
    for part in judged.samples:
        answers = judged.answers(part)
        records = judged.scores(part, answers, first=judged.replies(part, answers)).values()
        assert records
        for record in records:
            assert (record["status"], record["total"]) == ("ok", 1)
            assert set(record["points"].values()) == {1}
