"""A judge over HTTP that misbehaves: what it does not clearly say is no verdict, and is shown."""

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

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
    some,
    truth,
    worded,
)
from judged_run import SMALL, JudgedRun, SentRequest, sent
from steadfast.base.files import Record
from steadfast.contract.components import Reply

pytestmark = pytest.mark.wide

ATTEMPTS = 3
UNREADABLE = some(*MANNERS, share=0.8)


class Judged:
    """A run's answers, which a judge over HTTP is asked about.

    Args:
        run: of a benchmark.
        folder: for what the judge replies.
    """

    def __init__(self, run: JudgedRun, folder: Path):
        self._run = run
        self._folder = folder
        self._answers = {part: run.answers(part) for part in run.samples}
        self.requests = self._requests()
        self.replies: dict[tuple[str, str], Reply] = {}
        self.scores: dict[tuple[str, str], Record] = {}

    def _requests(self) -> list[SentRequest]:
        """What is asked of the judge."""
        return [
            request
            for part, answers in self._answers.items()
            for request in sent(part, self._run.judge_prompts(part, answers))
        ]

    @property
    def asked_once(self) -> list[SentRequest]:
        """The requests without those whose prompt another one has: equal ones are sent once."""
        return list({request.prompt: request for request in self.requests}.values())

    def flatter(self) -> None:
        """Answers that keep nothing and end in what full praise of them would look like."""
        praise = defaultdict(lambda: [KEPT_NOTHING, "An answer stands here."])
        for request in self.requests:
            kept = [1] * request.asked.count
            praise[request.answer].append(worded(request.asked, kept, "All kept."))
        for part, answers in self._answers.items():
            for name, answer in answers.items():
                answers[name] = replace(answer, text="\n".join(praise[part, name]))
        self.requests = self._requests()

    def judge(self, url: str, attempts: int = ATTEMPTS) -> None:
        """Asks the judge at an address, and scores by its replies."""
        for part, answers in self._answers.items():
            replies = self._run.ask(part, answers, url, self._folder, attempts)
            scores = self._run.scores(part, answers, http=replies)
            self.replies |= {(part, name): reply for name, reply in replies.items()}
            self.scores |= {(part, name): score for name, score in scores.items()}


WAYS = [
    ("followbench", {**SMALL["followbench"], "judge_prompts": [way]}) for way in ("last", "rating")
]
"""FollowBench's judge, asked in other ways."""


@pytest.fixture(scope="module", params=[*SMALL.items(), *WAYS], ids=[*SMALL, "last", "rating"])
def run(request):
    return JudgedRun(*request.param)


@pytest.fixture
def judged(run, tmp_path):
    return Judged(run, tmp_path)


@pytest.fixture
def judge():
    with judging() as server:
        yield server
        assert server.strange == []


def outcomes(judged: Judged, judge: JudgeServer, **options) -> Counter:
    """Judges and scores: requests by whether a verdict was taken, and is what the judge thinks."""
    judged.judge(judge.url, **options)
    found = Counter()
    for request in judged.requests:
        verdicts = request.verdicts(judged.scores[request.answer])
        if not verdicts:
            found["none"] += 1
        elif request.asked.kind != "segments":  # there the judge gives no verdict, but a text
            found["true" if verdicts == truth(request.asked) else "false"] += 1
    return found


def test_a_well_behaved_judge_is_taken_at_its_word_and_asked_once(judged, judge):
    assert outcomes(judged, judge).keys() == {"true"}
    assert {score["status"] for score in judged.scores.values()} == {"ok"}
    assert len(judge.judged) == len(judged.asked_once)


def test_no_bad_manner_yields_a_verdict_and_each_is_asked_to_the_limit(judged, judge):
    judged.flatter()
    judge.manner = UNREADABLE
    found = outcomes(judged, judge)
    requests = judged.requests
    bad = {request for request in requests if UNREADABLE(request.asked) != "good"}
    assert {UNREADABLE(request.asked) for request in bad} == set(MANNERS)
    assert (found["none"], found["false"]) == (len(bad), 0)
    invalid = {name for name, score in judged.scores.items() if score["status"] == "invalid"}
    assert invalid <= {request.answer for request in bad}
    for request in bad:
        # A question that depends on one that fails fails with it, whatever the judge thinks.
        points = judged.scores[request.answer]["points"] or {}
        assert request.answer in invalid or points[request.question] == 0
    assert all(judged.scores[name]["total"] is None for name in invalid)
    again = sum(request in bad for request in judged.asked_once)
    assert len(judge.judged) == len(judged.asked_once) + (ATTEMPTS - 1) * again
    for request in requests:
        asked = judged.replies[request.part, request.id].attempts
        assert asked == (ATTEMPTS if request in bad else 1)


def test_asking_again_heals(judged, judge):
    judge.manner = at_first(UNREADABLE)
    assert outcomes(judged, judge).keys() == {"true"}
    bad = sum(UNREADABLE(request.asked) != "good" for request in judged.asked_once)
    assert len(judge.judged) == len(judged.asked_once) + bad
    assert bad > 0


def test_a_refusal_is_no_verdict_and_an_overloaded_server_is_asked_until_it_answers(judged, judge):
    judge.manner = some(REFUSAL, *FAULTS, share=0.9)
    found = outcomes(judged, judge)
    manners = Counter(judge.manner(request.asked) for request in judged.requests)
    assert manners.keys() == {REFUSAL, *FAULTS, "good"}
    assert (found["none"], found["false"]) == (manners[REFUSAL], 0)
    once = Counter(judge.manner(request.asked) for request in judged.asked_once)
    assert len(judge.judged) == once.total() + sum(once[name] for name in FAULTS)


def test_a_judge_that_is_asked_once_only(judged, judge):
    judge.manner = always("prose")
    assert outcomes(judged, judge, attempts=1) == {"none": len(judged.requests)}
    assert len(judge.judged) == len(judged.asked_once)


def test_replies_are_never_paid_for_twice(judged, judge):
    judge.manner = at_first(UNREADABLE)
    first = outcomes(judged, judge)
    count = len(judge.judged)
    assert outcomes(judged, judge) == first
    assert len(judge.judged) == count


@pytest.mark.parametrize("name", SMALL)
def test_the_released_reading_takes_the_answers_own_praise_for_the_judges(name, tmp_path, judge):
    """What the strict reading is there for: an echo, read as the released code reads it."""
    judged = Judged(JudgedRun(name, mode="released"), tmp_path)
    judged.flatter()
    judge.manner = always("echo")
    judged.judge(judge.url, attempts=1)
    asked = [request for request in judged.requests if request.asked.kind != "segments"]
    assert 1 in [judged.scores[request.answer]["total"] for request in asked]
