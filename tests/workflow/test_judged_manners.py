"""A judge over HTTP that misbehaves: what it does not clearly say is no verdict, and is shown."""

from collections import Counter, defaultdict

import pytest

from judge_server import (
    FAULTS,
    KEPT_NOTHING,
    MANNERS,
    REFUSAL,
    JudgeServer,
    always,
    at_first,
    judging,
    said,
    some,
    truth,
)
from judged_run import SMALL, JudgedRun

ATTEMPTS = 3
UNREADABLE = some(*MANNERS, share=0.8)


@pytest.fixture(scope="module", params=SMALL)
def prepared(request, tmp_path_factory):
    """A run of each benchmark up to judge prompts about the reference's answers."""
    run = JudgedRun(tmp_path_factory.mktemp(request.param), request.param)
    run.answer()
    return run


@pytest.fixture
def run(prepared, tmp_path):
    return prepared.fork(tmp_path)


@pytest.fixture
def judge():
    with judging() as server:
        yield server
        assert server.strange == []


def flatter(run: JudgedRun) -> None:
    """Answers that keep nothing and end in what full praise of them would look like."""
    praise = defaultdict(lambda: [KEPT_NOTHING, "An answer stands here."])
    for request in run.requests():
        praise[request.answer].append(said(request.asked, [1] * request.asked.count, "All kept."))
    run.answer(lambda part, sample_id: "\n".join(praise[part, sample_id]))


def outcomes(run: JudgedRun, judge: JudgeServer, **options) -> Counter:
    """Judges and scores: requests by whether a verdict was taken, and is what the judge thinks."""
    run.judge(judge.url, **options)
    scores, found = run.score(), Counter()
    for request in run.requests():
        verdicts = request.verdicts(scores[request.answer])
        if not verdicts:
            found["none"] += 1
        elif request.asked.kind != "segments":  # there the judge gives no verdict, but a text
            found["true" if verdicts == truth(request.asked) else "false"] += 1
    return found


def test_a_well_behaved_judge_is_taken_at_its_word_and_asked_once(run, judge):
    assert outcomes(run, judge).keys() == {"true"}
    assert {score["status"] for score in run.records("scores").values()} == {"ok"}
    assert len(judge.judged) == len(run.requests())


def test_no_bad_manner_yields_a_verdict_and_each_is_asked_to_the_limit(run, judge):
    flatter(run)
    judge.manner = UNREADABLE
    found = outcomes(run, judge)
    requests = run.requests()
    bad = {request for request in requests if UNREADABLE(request.asked) != "good"}
    assert {UNREADABLE(request.asked) for request in bad} == set(MANNERS)
    assert (found["none"], found["false"]) == (len(bad), 0)
    scores = run.records("scores")
    invalid = {name for name, score in scores.items() if score["status"] == "invalid"}
    assert invalid <= {request.answer for request in bad}
    for request in bad:
        # A question that depends on one that fails fails with it, whatever the judge thinks.
        points = scores[request.answer]["points"] or {}
        assert request.answer in invalid or points[request.question] == 0
    assert all(scores[name]["total"] is None for name in invalid)
    assert len(judge.judged) == len(requests) + (ATTEMPTS - 1) * len(bad)
    replies = run.records("verdicts")
    for request in requests:
        asked = replies[request.part, request.sample_id]["attempts"]
        assert asked == (ATTEMPTS if request in bad else 1)


def test_asking_again_heals(run, judge):
    judge.manner = at_first(UNREADABLE)
    assert outcomes(run, judge).keys() == {"true"}
    bad = sum(UNREADABLE(request.asked) != "good" for request in run.requests())
    assert len(judge.judged) == len(run.requests()) + bad
    assert bad > 0


def test_a_refusal_is_no_verdict_and_an_overloaded_server_is_asked_until_it_answers(run, judge):
    judge.manner = some(REFUSAL, *FAULTS, share=0.9)
    found = outcomes(run, judge)
    manners = Counter(judge.manner(request.asked) for request in run.requests())
    assert manners.keys() == {REFUSAL, *FAULTS, "good"}
    assert (found["none"], found["false"]) == (manners[REFUSAL], 0)
    assert len(judge.judged) == manners.total() + sum(manners[name] for name in FAULTS)


def test_a_judge_that_is_asked_once_only(run, judge):
    judge.manner = always("prose")
    assert outcomes(run, judge, attempts=1) == {"none": len(run.requests())}
    assert len(judge.judged) == len(run.requests())


def test_replies_are_never_paid_for_twice(run, judge):
    judge.manner = at_first(UNREADABLE)
    first, count = outcomes(run, judge), len(judge.judged)
    assert outcomes(run, judge) == first
    assert len(judge.judged) == count


@pytest.mark.parametrize("name", SMALL)
def test_the_released_reading_takes_the_answers_own_praise_for_the_judges(name, tmp_path, judge):
    """What the strict reading is there for: an echo, read as the released code reads it."""
    run = JudgedRun(tmp_path, name, mode="released")
    run.answer()
    flatter(run)
    judge.manner = always("echo")
    run.judge(judge.url, attempts=1)
    scores = run.score()
    assert 1 in [scores[r.answer]["total"] for r in run.requests() if r.asked.kind != "segments"]
