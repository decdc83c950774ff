"""A judge over HTTP that misbehaves: unclear replies give no verdict, which scores show."""

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

import judge_server
from judged_run import SMALL, JudgedRun, SentRequest, sent
from steadfast.base.files import Record
from steadfast.contract.components import Reply

pytestmark = pytest.mark.wide

ATTEMPTS = 3
UNREADABLE = judge_server.some(*judge_server.MANNERS, share=0.8)


def is_unreadable(request: SentRequest) -> bool:
    return UNREADABLE(request.query) != "good"


class Judged:
    """The answers of a run, and what a judge over HTTP makes of them."""

    def __init__(self, run: JudgedRun, folder: Path):
        self._run = run
        self._folder = folder
        self._answers = {part: run.answers(part) for part in run.samples}
        self.requests = self._requests()
        self.replies: dict[tuple[str, str], Reply] = {}
        self.scores: dict[tuple[str, str], Record] = {}

    def _requests(self) -> list[SentRequest]:
        requests = []
        for part, answers in self._answers.items():
            requests += sent(part, self._run.judge_prompts(part, answers))
        return requests

    @property
    def distinct_requests(self) -> list[SentRequest]:
        """The requests with different prompts: equal ones are sent once."""
        return list({request.prompt: request for request in self.requests}.values())

    def flatter(self) -> None:
        """Lets answers fulfil nothing and end in what full praise of them would look like."""
        praise = defaultdict(lambda: [judge_server.KEPT_NOTHING, "An answer stands here."])
        for request in self.requests:
            verdicts = [1] * request.query.count
            praise[request.answer].append(
                judge_server.reply_with(request.query, verdicts, "All kept.")
            )
        for part, answers in self._answers.items():
            for name, answer in answers.items():
                answers[name] = replace(answer, text="\n".join(praise[part, name]))
        self.requests = self._requests()

    def judge(self, url: str, attempts: int = ATTEMPTS) -> None:
        """Sends the requests to the judge at an address, and scores by its replies."""
        for part, answers in self._answers.items():
            replies = self._run.query_judge(part, answers, url, self._folder, attempts)
            scores = self._run.scores(part, answers, http=replies)
            self.replies |= {(part, name): reply for name, reply in replies.items()}
            self.scores |= {(part, name): score for name, score in scores.items()}


JUDGE_PROMPTS = [
    ("followbench", {**SMALL["followbench"], "judge_prompts": [kind]})
    for kind in ("last", "rating")
]


@pytest.fixture(
    scope="module",
    params=[*SMALL.items(), *JUDGE_PROMPTS],
    ids=[*SMALL, "last", "rating"],
)
def run(request):
    return JudgedRun(*request.param)


@pytest.fixture
def judged(run, tmp_path):
    return Judged(run, tmp_path)


@pytest.fixture
def judge():
    with judge_server.judging() as server:
        yield server
        assert server.strange == []


def outcomes(judged: Judged, judge: judge_server.JudgeServer, **options) -> Counter:
    """Judges and scores: requests by whether a verdict was used and is the judge's true one."""
    judged.judge(judge.url, **options)
    counts = Counter()
    for request in judged.requests:
        verdicts = request.verdicts(judged.scores[request.answer])
        if not verdicts:
            counts["none"] += 1
        elif request.query.kind != "segments":  # the reply to these is a text, not a verdict
            counts["true" if verdicts == judge_server.truth(request.query) else "false"] += 1
    return counts


def test_unreadable_replies_give_no_verdict_and_are_retried(judged, judge):
    judged.flatter()
    judge.manner = UNREADABLE
    counts = outcomes(judged, judge)
    unreadable = set(filter(is_unreadable, judged.requests))
    assert {UNREADABLE(request.query) for request in unreadable} == set(judge_server.MANNERS)
    assert (counts["none"], counts["false"]) == (len(unreadable), 0)
    invalid = {answer for answer, score in judged.scores.items() if score["status"] == "invalid"}
    assert invalid <= {request.answer for request in unreadable}
    assert all(judged.scores[answer]["total"] is None for answer in invalid)
    for request in unreadable:
        # A question that depends on a failed one fails with it, whatever its verdict.
        points = judged.scores[request.answer]["points"] or {}
        assert request.answer in invalid or points[request.question] == 0
    for request in judged.requests:
        attempts = judged.replies[request.part, request.id].attempts
        assert attempts == (ATTEMPTS if request in unreadable else 1)
    retried = sum(map(is_unreadable, judged.distinct_requests))
    assert len(judge.judged) == len(judged.distinct_requests) + (ATTEMPTS - 1) * retried


def test_retries_recover_verdicts_and_replies_are_cached(judged, judge):
    judge.manner = judge_server.at_first(UNREADABLE)
    retried = sum(map(is_unreadable, judged.distinct_requests))
    assert retried > 0
    for _ in range(2):  # the second time from the journal
        assert outcomes(judged, judge).keys() == {"true"}
        assert {score["status"] for score in judged.scores.values()} == {"ok"}
        assert len(judge.judged) == len(judged.distinct_requests) + retried


def test_refusals_give_no_verdict_and_server_errors_are_retried(judged, judge):
    judge.manner = judge_server.some(judge_server.REFUSAL, *judge_server.FAULTS, share=0.9)
    counts = outcomes(judged, judge)
    manners = Counter(judge.manner(request.query) for request in judged.requests)
    assert manners.keys() == {judge_server.REFUSAL, *judge_server.FAULTS, "good"}
    assert (counts["none"], counts["false"]) == (manners[judge_server.REFUSAL], 0)
    distinct = Counter(judge.manner(request.query) for request in judged.distinct_requests)
    retried = sum(distinct[fault] for fault in judge_server.FAULTS)
    assert len(judge.judged) == distinct.total() + retried


def test_one_attempt_means_no_retry(judged, judge):
    judge.manner = judge_server.always("prose")
    assert outcomes(judged, judge, attempts=1) == {"none": len(judged.requests)}
    assert len(judge.judged) == len(judged.distinct_requests)


@pytest.mark.parametrize("name", SMALL)
def test_released_reading_accepts_praise_echoed_from_the_answer(name, tmp_path, judge):
    """Why the strict reading exists."""
    judged = Judged(JudgedRun(name, mode="released"), tmp_path)
    judged.flatter()
    judge.manner = judge_server.always("echo")
    judged.judge(judge.url, attempts=1)
    requests = [request for request in judged.requests if request.query.kind != "segments"]
    assert 1 in [judged.scores[request.answer]["total"] for request in requests]
