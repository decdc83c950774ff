"""The majority of several judges: verdict by verdict, with ties and unread replies."""

from collections import Counter

import pytest

from judge_server import prose, pseudo_random, reply_with
from judged_run import SMALL, JudgedRun, sent
from steadfast.config.load import load_config
from steadfast.config.settings import display, judge_names
from steadfast.contract.components import Reply
from steadfast.stages.score import score_records

JUDGES = ("ann", "bob", "cem")


def verdicts_of(judge: str, request) -> list[int] | None:
    """A judge's verdicts, often different from the others'; None for an unreadable reply."""
    if pseudo_random(judge, request.id) < 0.2:
        return None
    return [int(pseudo_random(judge, request.id, n) < 0.6) for n in range(request.query.count)]


def reply(judge: str, request) -> Reply:
    verdicts = verdicts_of(judge, request)
    if verdicts is None:
        return Reply("ok", prose(request.query))
    return Reply("ok", reply_with(request.query, verdicts))


def majority(readings: list[list[int]]) -> list[int]:
    """By hand: the verdict of two of three; of fewer readings the first one's."""
    if len(readings) < 3:
        return readings[0] if readings else []
    return [int(sum(verdicts) > 1) for verdicts in zip(*readings, strict=True)]


@pytest.mark.parametrize("name", SMALL)
def test_majority_of_each_verdict_counts(name):
    run = JudgedRun(name)
    unread_counts = Counter()
    for part, samples in run.samples.items():
        answers = run.answers(part)
        requests = sent(part, run.judge_prompts(part, answers))
        replies = {}
        for judge in JUDGES:
            replies[judge] = {request.id: reply(judge, request) for request in requests}
        scoring = run.task.scoring.make()
        records = {}
        for record in score_records(scoring, samples, answers, replies, majority=True):
            assert record["judge"] == "majority"
            assert list(record["other_raters"])[:3] == [*JUDGES]
            records[record["sample_id"]] = record
        for request in requests:
            if request.query.kind == "segments":
                continue
            readings = [verdicts_of(judge, request) for judge in JUDGES]
            readings = [verdicts for verdicts in readings if verdicts is not None]
            unread_counts[len(JUDGES) - len(readings)] += 1
            score = records[request.answer_id]
            assert request.verdicts(score) == majority(readings), readings
            if name == "followbench" and score["points"]:
                assert score["total"] == min(majority(readings))
    assert {0, 1} <= unread_counts.keys()


def test_first_of_two_judges_counts():
    run = JudgedRun("cfbench")
    ((part, samples),) = run.samples.items()
    answers = run.answers(part)
    replies = {judge: run.replies(part, answers) for judge in JUDGES[:2]}
    scoring = run.task.scoring.make()
    records = score_records(scoring, samples, answers, replies, majority=True)
    assert {record["judge"] for record in records} == {"ann"}


def test_majority_is_displayed_with_its_judges():
    api = {"engine": "openai", "model": "m"}
    judges = {"a": {**api, "label": "Judge A"}, "r": {"engine": "reference"}, "b": api, "c": api}
    config = load_config(
        {
            "benchmarks": ["cfbench"],
            "judging": {"count": "majority"},
            "judges": judges,
            "models": {"m": api},
        }
    )
    assert judge_names(config) == ["a", "r", "b", "c", "majority"]
    displayed = display(config)["judges"]
    assert displayed["majority"] == {"label": "majority of Judge A, b, c", "engine": "openai"}
    assert next(iter(displayed)) == "majority"
