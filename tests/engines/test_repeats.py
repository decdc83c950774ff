"""The same requests again and again, against a server whose answers differ for some prompts."""

import itertools
import math

import pytest

from parts import items
from servers import echo, error
from steadfast.base.errors import UserError
from steadfast.contract.request import Response
from steadfast.engines.api.engines import build
from steadfast.engines.asking.journal import Journal
from steadfast.engines.asking.repeats import ask_repeatedly, draw
from steadfast.engines.base import Engine, Setup
from steadfast.engines.fit import fit
from steadfast.stages.measure_nondeterminism import _live

FICKLE = "Ask 1.0!"


@pytest.fixture
def fickle(server):
    """Answers anew each time to one prompt."""
    turns = itertools.count()
    seen = []
    reply = server.reply

    def answer(prompt, path, body):
        whole = reply(prompt, path, body)
        if prompt.endswith(FICKLE):
            whole["choices"][0]["message"]["content"] = f"answer {next(turns)}"
        seen.append(prompt)
        return whole

    server.reply = answer
    server.seen = seen
    return server


@pytest.fixture
def engine(part, monkeypatch):
    monkeypatch.setattr("steadfast.engines.api.engine.ATTEMPTS", 4)
    monkeypatch.setattr("steadfast.engines.api.pace.BACKOFF", 0.02)
    return build(Setup(part.answers, part.operation))


def requests(engine):
    return fit(items(), None, "error", None, answers=engine.answers)


def test_a_sample_follows_from_its_seed_alone_and_alternates_contexts(engine):
    asked = requests(engine)
    sample = draw(asked, 6, "1/noise")
    assert sample == draw(asked, 6, "1/noise")
    assert len({request.hash for request in sample}) == 6
    assert len(draw(asked, 99, "1/noise")) == 10
    everything = [request.group for request in draw(asked, 99, "1/noise")]
    assert all(one != other for one, other in itertools.pairwise(everything))


def repeated(engine, asked, path, passes=3):
    with Journal(path / "nondeterminism.jsonl") as journal:
        return ask_repeatedly(engine, asked, passes, journal, "7")


def test_each_is_sent_alone_and_all_together_in_another_order(engine, fickle, tmp_path):
    sample = draw(requests(engine), 4, "1")
    passes = repeated(engine, sample, tmp_path)
    assert set(passes) == set(itertools.product(range(3), ("alone", "together")))
    assert len(fickle.seen) == 3 * 4 * 2
    prompts = [request.prompt for request in sample]
    assert fickle.seen[:4] == fickle.seen[8:12] == prompts
    assert sorted(fickle.seen[4:8]) == sorted(prompts)


def test_only_the_fickle_prompt_differs_and_no_answer_is_requested_again(engine, fickle, tmp_path):
    sample = requests(engine)
    fickle.faults["Ask 3.0!"].extend([error(500)] * 4)
    with pytest.raises(UserError, match=r"q3/c0 failed \(HTTP 500\)"):
        repeated(engine, sample, tmp_path, 2)
    passes = repeated(engine, sample, tmp_path, 2)
    for request in sample:
        texts = {responses[request.hash].text for responses in passes.values()}
        if request.suffix.endswith(FICKLE):
            assert len(texts) == 4
        else:
            assert texts == {echo(request.prompt)}
    assert repeated(engine, sample, tmp_path, 2) == passes
    assert sum(fickle.answered.values()) == 40


class Crowded(Engine):
    """Its answers tell who was asked first of those together; it may stop, or fail at a sample."""

    def __init__(self):
        self.asked = []
        self.left = math.inf
        self.fails_at = None

    def answer(self, groups):
        names = [request.sample_id for group in groups for request in group]
        self.asked.append(names)
        for (request,) in groups:
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            failed = request.sample_id == self.fails_at and len(names) > 1
            yield request, Response("error", error="lost") if failed else Response("ok", names[0])


def test_a_pass_that_a_kill_cut_short_is_asked_again_whole_and_no_other(engine, tmp_path):
    asked = requests(engine)
    crowd = Crowded()
    crowd.left = 10 + 10 + 10 + 4
    with pytest.raises(KeyboardInterrupt):
        repeated(crowd, asked, tmp_path)
    again = Crowded()
    passes = repeated(again, asked, tmp_path)
    assert again.asked[0] == crowd.asked[-1]
    assert [len(names) for names in again.asked] == [10] + [1] * 10 + [10]
    last = Crowded()
    assert repeated(last, asked, tmp_path) == passes
    assert last.asked == []


def test_one_that_fails_together_is_named_and_the_others_are_kept(engine, tmp_path):
    crowd = Crowded()
    crowd.fails_at = "q3/c0"
    with pytest.raises(UserError, match=r"q3/c0 failed \(lost\); responses so far are cached"):
        repeated(crowd, requests(engine), tmp_path)
    lines = (tmp_path / "nondeterminism.jsonl").read_text().splitlines()
    assert sum("/0/together" in line for line in lines) == 10


def test_so_many_are_sent_at_once_as_the_model_takes_and_in_no_batch():
    own = {"max_concurrency": 32, "batch": True}
    assert _live(own, 50) == {"max_concurrency": 32, "at_once": 32}
    assert _live({}, 50) == {"at_once": 50}
