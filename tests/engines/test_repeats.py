"""Repeated requests, which measure run-to-run variation, to a server with one varying answer."""

import itertools
import math

import pytest

from parts import items
from servers import echo, error
from steadfast.base.errors import UserError
from steadfast.contract.request import Response
from steadfast.engines.api.engines import build
from steadfast.engines.base import Engine, Setup
from steadfast.engines.fit import fit
from steadfast.engines.sending.journal import Journal
from steadfast.engines.sending.repeats import sample_requests, send_repeatedly
from steadfast.stages.measure_nondeterminism import _live

VARYING = "Ask 1.0!"


@pytest.fixture
def varying_server(server):
    """Gives a new answer each time to one prompt, and lists all prompts in ``prompts``."""
    numbers = itertools.count()
    usual_reply = server.reply
    server.prompts = []

    def reply(prompt, path, body):
        reply = usual_reply(prompt, path, body)
        if prompt.endswith(VARYING):
            reply["choices"][0]["message"]["content"] = f"answer {next(numbers)}"
        server.prompts.append(prompt)
        return reply

    server.reply = reply
    return server


@pytest.fixture
def engine(part, monkeypatch):
    monkeypatch.setattr("steadfast.engines.api.engine.ATTEMPTS", 4)
    monkeypatch.setattr("steadfast.engines.api.pace.BACKOFF", 0.02)
    return build(Setup(part.answers, part.operation))


@pytest.fixture
def requests(engine):
    return fit(items(), None, "error", None, answers=engine.answers)


def test_sample_depends_on_its_seed_and_alternates_contexts(requests):
    sample = sample_requests(requests, 6, "1/noise")
    assert sample == sample_requests(requests, 6, "1/noise")
    assert len({request.hash for request in sample}) == 6
    groups = [request.group for request in sample_requests(requests, 99, "1/noise")]
    assert len(groups) == 10
    assert all(group != following for group, following in itertools.pairwise(groups))


def repeat(engine, requests, folder, passes=3):
    with Journal(folder / "nondeterminism.jsonl") as journal:
        return send_repeatedly(engine, requests, passes, journal, "7")


def test_requests_are_sent_alone_and_together_in_another_order(
    engine, requests, varying_server, tmp_path
):
    sample = sample_requests(requests, 4, "1")
    passes = repeat(engine, sample, tmp_path)
    assert set(passes) == set(itertools.product(range(3), ("alone", "together")))
    prompts = [request.prompt for request in sample]
    sent_prompts = varying_server.prompts
    assert len(sent_prompts) == 3 * 4 * 2
    assert sent_prompts[:4] == sent_prompts[8:12] == prompts
    assert sorted(sent_prompts[4:8]) == sorted(prompts)


def test_only_the_varying_answer_differs_and_answers_are_cached(
    engine, requests, varying_server, tmp_path
):
    varying_server.faults["Ask 3.0!"].extend([error(500)] * 4)
    with pytest.raises(UserError, match=r"q3/c0 failed \(HTTP 500\)"):
        repeat(engine, requests, tmp_path, 2)
    passes = repeat(engine, requests, tmp_path, 2)
    for request in requests:
        texts = {responses[request.hash].text for responses in passes.values()}
        if request.suffix.endswith(VARYING):
            assert len(texts) == 4
        else:
            assert texts == {echo(request.prompt)}
    assert repeat(engine, requests, tmp_path, 2) == passes
    assert sum(varying_server.answered.values()) == 40


class BatchDependentEngine(Engine):
    """Answers with the first sample of a batch.

    Args:
        count: is interrupted after so many answers.
        failing_sample: gets an error where it is not alone.
    """

    def __init__(self, count=math.inf, failing_sample=None):
        self.count = count
        self.failing_sample = failing_sample
        self.batches = []

    def answer(self, groups):
        batch = [request.sample_id for (request,) in groups]
        self.batches.append(batch)
        for (request,) in groups:
            if not self.count:
                raise KeyboardInterrupt
            self.count -= 1
            if request.sample_id == self.failing_sample and len(batch) > 1:
                yield request, Response("error", error="lost")
            else:
                yield request, Response("ok", batch[0])


def test_only_the_interrupted_pass_is_repeated(requests, tmp_path):
    interrupted = BatchDependentEngine(count=10 + 10 + 10 + 4)
    with pytest.raises(KeyboardInterrupt):
        repeat(interrupted, requests, tmp_path)
    resumed = BatchDependentEngine()
    passes = repeat(resumed, requests, tmp_path)
    assert resumed.batches[0] == interrupted.batches[-1]
    assert [len(batch) for batch in resumed.batches] == [10] + [1] * 10 + [10]
    third = BatchDependentEngine()
    assert repeat(third, requests, tmp_path) == passes
    assert third.batches == []


def test_failure_in_a_batch_is_reported_and_other_answers_are_cached(requests, tmp_path):
    engine = BatchDependentEngine(failing_sample="q3/c0")
    with pytest.raises(UserError, match=r"q3/c0 failed \(lost\); responses so far are cached"):
        repeat(engine, requests, tmp_path)
    assert (tmp_path / "nondeterminism.jsonl").read_text().count("/0/together") == 10


def test_requests_are_live_with_the_models_concurrency():
    operation = {"max_concurrency": 32, "batch": True}
    assert _live(operation, 50) == {"max_concurrency": 32, "at_once": 32}
    assert _live({}, 50) == {"at_once": 50}
