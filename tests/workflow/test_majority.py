"""Several judges of whom most decide: verdict by verdict, ties and unread replies included."""

from collections import Counter

import pytest

from judge_server import lot, prose, worded
from judged_run import SMALL, JudgedRun, sent
from steadfast.config.load import load_config
from steadfast.config.settings import display, judge_names
from steadfast.contract.components import Reply
from steadfast.stages.score import score_records

JUDGES = ("ann", "bob", "cem")


def verdicts_of(judge: str, request) -> list[int] | None:
    """What a judge says, None where nothing can be read; often another thing than the others."""
    if lot(judge, request.id) < 0.2:
        return None
    return [int(lot(judge, request.id, n) < 0.6) for n in range(request.asked.count)]


def most(said: list[list[int] | None]) -> list[int]:
    """By hand: of two or three verdicts what two say, of a tie or a single one the first."""
    read = [verdicts for verdicts in said if verdicts is not None]
    return [
        column[0] if len(column) < 3 else int(sum(column) > 1) for column in zip(*read, strict=True)
    ]


@pytest.mark.parametrize("name", SMALL)
def test_what_most_judges_say_of_each_thing_counts(name):
    run = JudgedRun(name)
    seen = Counter()
    for part, samples in run.samples.items():
        answers = run.answers(part)
        requests = sent(part, run.judge_prompts(part, answers))
        said = {r.id: [verdicts_of(judge, r) for judge in JUDGES] for r in requests}
        replies = {
            judge: {
                r.id: Reply("ok", prose(r.asked) if of is None else worded(r.asked, of))
                for r in requests
                for of in [said[r.id][place]]
            }
            for place, judge in enumerate(JUDGES)
        }
        scoring = run.task.scoring.make()
        found = {
            record["sample_id"]: record
            for record in score_records(scoring, samples, answers, replies, majority=True)
        }
        assert {record["judge"] for record in found.values()} == {"majority"}
        assert all(list(record["other_raters"])[:3] == [*JUDGES] for record in found.values())
        for request in requests:
            if request.asked.kind != "segments":
                seen[sum(of is None for of in said[request.id])] += 1
                score = found[request.answer_id]
                assert request.verdicts(score) == most(said[request.id]), said[request.id]
                if name == "followbench" and score["points"]:
                    assert score["total"] == min(most(said[request.id]))
    assert {0, 1} <= seen.keys()


def test_two_judges_are_no_majority_and_the_first_counts():
    run = JudgedRun("cfbench")
    ((part, samples),) = run.samples.items()
    answers = run.answers(part)
    replies = {judge: run.replies(part, answers) for judge in JUDGES[:2]}
    scoring = run.task.scoring.make()
    records = list(score_records(scoring, samples, answers, replies, majority=True))
    assert {record["judge"] for record in records} == {"ann"}


def test_tables_name_those_of_whom_most_decide():
    config = load_config(
        {
            "benchmarks": ["cfbench"],
            "judging": {"count": "majority"},
            "judges": {
                "a": {"engine": "openai", "model": "a", "label": "Judge A"},
                "r": {"engine": "reference"},
                **{name: {"engine": "openai", "model": name} for name in "bc"},
            },
            "models": {"m": {"engine": "openai", "model": "m"}},
        }
    )
    assert judge_names(config) == ["a", "r", "b", "c", "majority"]
    shown = display(config)["judges"]
    assert shown["majority"] == {"label": "majority of Judge A, b, c", "engine": "openai"}
    assert next(iter(shown)) == "majority"
