"""The same requests again and again, against a server whose answers differ for some prompts."""

import itertools

import pytest

from parts import items
from servers import echo, error
from steadfast.base.errors import UserError
from steadfast.engines.asking.journal import Journal
from steadfast.engines.asking.repeats import COLD, WARM, ask_repeatedly, draw
from steadfast.engines.base import Setup
from steadfast.engines.fit import fit
from steadfast.engines.openai.batch_api import chat_engine

FICKLE = "Ask 1.0!"


@pytest.fixture
def fickle(server):
    """Answers anew each time to one prompt; reports a cached prefix where it saw it just before."""
    turns, seen, reply = itertools.count(), [], server.reply

    def answer(prompt, path, body):
        whole = reply(prompt, path, body)
        if prompt.endswith(FICKLE):
            whole["choices"][0]["message"]["content"] = f"answer {next(turns)}"
        warm = bool(seen) and seen[-1] == prompt
        whole["usage"]["prompt_tokens_details"]["cached_tokens"] = 50 * warm
        seen.append(prompt)
        return whole

    server.reply = answer
    server.seen = seen
    return server


@pytest.fixture
def engine(part):
    return chat_engine(Setup(part.answers, part.operation))


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


def test_each_is_asked_cold_after_another_prefix_and_at_once_again_warm(engine, fickle, tmp_path):
    sample = draw(requests(engine), 4, "1")
    with Journal(tmp_path / "noise.jsonl") as journal:
        passes = ask_repeatedly(engine, sample, 3, journal)
    assert set(passes) == set(itertools.product(range(3), (COLD, WARM)))
    assert len(fickle.seen) == 4 * 3 * 2
    assert fickle.seen[::2] == fickle.seen[1::2]
    for (_, state), responses in passes.items():
        assert {r.cached_tokens for r in responses.values()} == {50 if state == WARM else 0}


def test_only_the_fickle_prompt_differs(engine, fickle, tmp_path):
    sample = requests(engine)
    with Journal(tmp_path / "noise.jsonl") as journal:
        passes = ask_repeatedly(engine, sample, 2, journal)
    for request in sample:
        texts = {responses[request.hash].text for responses in passes.values()}
        if request.suffix.endswith(FICKLE):
            assert len(texts) == 4
        else:
            assert texts == {echo(request.prompt)}


def test_what_is_answered_is_not_asked_again(engine, fickle, tmp_path):
    sample = requests(engine)
    fickle.faults["Ask 3.0!"].extend([error(500)] * 4)
    with Journal(tmp_path / "noise.jsonl") as journal:
        with pytest.raises(UserError, match=r"q3/c0 failed \(HTTP 500\)"):
            ask_repeatedly(engine, sample, 2, journal)
        before = sum(fickle.answered.values())
        first = ask_repeatedly(engine, sample, 2, journal)
        assert sum(fickle.answered.values()) == 40
        assert before > 0
        assert ask_repeatedly(engine, sample, 2, journal) == first
    assert sum(fickle.answered.values()) == 40


def test_an_engine_that_can_empty_its_cache_does_so_before_each_cold_request(
    engine, fickle, tmp_path
):
    resets = []
    engine.reset_prefix_cache = lambda: resets.append(len(fickle.seen)) or True
    with Journal(tmp_path / "noise.jsonl") as journal:
        ask_repeatedly(engine, requests(engine)[:3], 2, journal)
    assert resets == [0, 2, 4, 6, 8, 10]
