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
from steadfast.engines.asking.repeats import COLD, WARM, ask_repeatedly, companies, draw
from steadfast.engines.base import Engine, Setup
from steadfast.engines.cost.bill import Bill
from steadfast.engines.fit import fit
from steadfast.stages.measure_noise import live

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


class Crowded(Engine):
    """Its answers tell how many were asked together; it may stop, or fail at a sample."""

    def __init__(self):
        self.asked, self.resets = [], 0
        self.left, self.fails_at = math.inf, None

    def answer(self, groups):
        names = [request.sample_id for group in groups for request in group]
        self.asked.append(names)
        for (request,) in groups:
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            failed = request.sample_id == self.fails_at and len(names) > 1
            yield request, Response("error", error="lost") if failed else Response("ok", names[0])

    def reset_prefix_cache(self):
        self.resets += 1
        return True


def in_company(engine, asked, path, beside=(1, 5)):
    with Journal(path) as journal:
        return ask_repeatedly(engine, asked, 3, journal, beside, "7")


def test_in_company_each_is_asked_in_every_repeat_beside_others_than_before(engine, tmp_path):
    asked, crowd = requests(engine), Crowded()
    passes = in_company(crowd, asked, tmp_path / "noise.jsonl")
    together = [names for names in crowd.asked if len(names) > 1]
    assert [len(names) for names in together] == [5] * 6
    repeats = [together[:2], together[2:4], together[4:]]
    for first, second in repeats:
        assert {*first, *second} == {request.sample_id for request in asked}
    assert len({frozenset(map(frozenset, repeat)) for repeat in repeats}) == 3
    assert crowd.resets == 30 + 6
    for number, (first, second) in enumerate(repeats):
        said = {request.sample_id: passes[number, 5][request.hash].text for request in asked}
        assert said == dict.fromkeys(first, first[0]) | dict.fromkeys(second, second[0])


def test_companies_are_as_equal_as_can_be_and_follow_from_their_seed(engine):
    asked = requests(engine)
    groups = companies(asked, 4, "1/0")
    assert sorted(map(len, companies(asked, 3, "1/0"))) == [3, 3, 4]
    assert groups == companies(asked, 4, "1/0") != companies(asked, 4, "1/1")
    assert [len(group) for group in companies(asked, 64, "1/0")] == [10]


def test_a_group_that_a_kill_cut_short_is_asked_again_whole_and_no_other(engine, tmp_path):
    asked, crowd = requests(engine), Crowded()
    crowd.left = 60 + 5 + 2
    with pytest.raises(KeyboardInterrupt):
        in_company(crowd, asked, tmp_path / "noise.jsonl")
    again = Crowded()
    passes = in_company(again, asked, tmp_path / "noise.jsonl")
    assert again.asked[0] == crowd.asked[-1]
    assert [len(names) for names in again.asked] == [5] * 5
    last = Crowded()
    assert in_company(last, asked, tmp_path / "noise.jsonl") == passes
    assert last.asked == []


def test_the_journal_names_company_and_repeat(engine, tmp_path):
    asked = requests(engine)[:2]
    in_company(Crowded(), asked, tmp_path / "noise.jsonl", (1, 2))
    with Journal(tmp_path / "noise.jsonl") as journal:
        for request, number in itertools.product(asked, range(3)):
            assert journal.get(f"{request.hash}/{number}/among-2")


def test_one_that_fails_in_company_is_named_and_the_others_are_kept(engine, tmp_path):
    crowd = Crowded()
    crowd.fails_at = "q3/c0"
    with pytest.raises(UserError, match=r"q3/c0 failed \(lost\); what is answered is kept"):
        in_company(crowd, requests(engine), tmp_path / "noise.jsonl", (1, 10))
    lines = (tmp_path / "noise.jsonl").read_text().splitlines()
    assert sum("/among-10" in line for line in lines) == 10


class Caching(Engine):
    """Counts characters for tokens, and as cached those that an earlier prompt begins with too."""

    def __init__(self):
        self.cache, self.asked = [], []

    def answer(self, groups):
        ((request,),) = groups
        prompt = request.prompt
        pairs = (zip(prompt, one, strict=False) for one in self.cache)
        same = (itertools.takewhile(lambda both: both[0] == both[1], pair) for pair in pairs)
        hit = max((len(list(one)) for one in same), default=0)
        self.cache.append(prompt)
        self.asked.append((prompt, request.max_tokens))
        yield request, Response("ok", "a", None, len(prompt), hit, 1)

    def reset_prefix_cache(self):
        self.cache = []
        return True


HITS = [0, 0.25, 0.5, 1]


def test_before_a_hit_so_much_of_the_prompt_is_asked_with_one_token_of_answer(engine, tmp_path):
    asked, cache = requests(engine)[:3], Caching()
    with Journal(tmp_path / "noise.jsonl") as journal:
        passes = ask_repeatedly(cache, asked, 2, journal, hits=HITS)
    assert set(passes) == set(itertools.product(range(2), [COLD, WARM, "hit 0.25", "hit 0.5"]))
    for (_, state), responses in passes.items():
        share = {COLD: 0, WARM: 1, "hit 0.25": 0.25, "hit 0.5": 0.5}[state]
        for request in asked:
            size = len(request.prompt)
            assert abs(responses[request.hash].cached_tokens - share * size) <= 0.5
    before = [(prompt, most) for prompt, most in cache.asked if most == 1]
    assert len(before) == 2 * 2 * 3 and len(cache.asked) == 2 * (2 + 2 * 2) * 3
    for request in asked:
        for share in (4, 2):
            assert (request.prompt[: round(len(request.prompt) / share)], 1) in before


def test_what_is_asked_before_a_hit_is_billed_and_no_answer(engine, tmp_path):
    asked, cache = requests(engine)[:3], Caching()
    with Journal(tmp_path / "noise.jsonl") as journal:
        passes = ask_repeatedly(cache, asked, 2, journal, hits=HITS)
    price = {"currency": "USD", "input": 1_000_000, "output": 0}
    sent = sum(len(prompt) for prompt, _ in cache.asked)
    assert Bill(price, 1, [tmp_path]).spent() == pytest.approx(sent)
    again = Caching()
    with Journal(tmp_path / "noise.jsonl") as journal:
        assert not any(journal.get(request.hash) for request in asked)
        assert ask_repeatedly(again, asked, 2, journal, hits=HITS) == passes
    assert again.asked == []


def test_so_many_are_sent_at_once_where_the_model_takes_them():
    own = {"max_concurrency": 32, "batch": True}
    assert live("m", own, 1) == {"max_concurrency": 32}
    assert live("m", own, 32) == {"max_concurrency": 32, "at_once": 32}
    with pytest.raises(UserError, match="model m takes 32 requests at once, not 64"):
        live("m", own, 64)
