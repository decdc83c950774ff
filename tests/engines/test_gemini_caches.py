"""Gemini's explicit caches: one a context while it is asked about, none left behind, none lost."""

import asyncio
import signal
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from caching_servers import StoringServer
from parts import Job, Part, items, prompts
from servers import Fault, echo, running
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.engines.api import gemini_caches
from steadfast.engines.cost.bill import Bill, dearest, read_caches
from test_marks import long_items

STORED = {"cache": "1h"}
APART = {"engine": "gemini", "model": "echo-1", "parts": "apart"}
PRICE = {"input": 4.0, "cached": 0.4, "output": 20.0, "storage": 500.0, "currency": "USD"}


@pytest.fixture
def server(monkeypatch):
    with running(kind=StoringServer) as started:
        monkeypatch.setattr(gemini_caches, "now", started.now)
        yield started


@pytest.fixture
def part(tmp_path, server):
    found = Part(tmp_path / "part", server.url.removesuffix("/v1"))
    found.journal = found.directory / "journals" / "4k.jsonl"
    found.answers = dict(APART)
    return found


def bill(part):
    return Bill(PRICE, 1e9, [part.journal.parent]).spent()


def questions(asked):
    """What the server answers where it is told the question alone, by sample."""
    return [echo(item.tail) for item in asked]


def test_a_context_is_stored_once_and_deleted_after_its_last_request(part, server):
    asked = long_items(2, 5)
    part.answers |= {"system": "Be brief.", "extra_body": {"tools": [{"googleSearch": {}}]}}
    records = part.run(asked, **STORED, max_concurrency=1)
    assert [record["text"] for record in records] == questions(asked)
    assert len(server.made) == 2
    assert not server.live()
    contexts = [item.head + item.context for item in long_items(2, 1)]
    assert [of["text"] for of in server.made] == contexts
    for held in server.held:
        assert held["systemInstruction"]["parts"] == [{"text": "Be brief."}]
        assert held["tools"] == [{"googleSearch": {}}]
        assert held["ttl"] == "3600s"
    names = [body["cachedContent"] for body in server.bodies]
    assert names == ["cachedContents/c0"] * 5 + ["cachedContents/c1"] * 5
    assert {record["cached_tokens"] for record in records} == {of["tokens"] for of in server.made}
    assert [method for method, _ in server.calls].count("GET") == 1  # what a killed job left
    deleted = [n for n, call in enumerate(server.calls) if call[0] == "DELETE"]
    assert deleted[0] < server.calls.index(("POST", "/v1/cachedContents"), 5)  # of the second


def test_what_it_costs_is_what_the_server_bills(part, server):
    part.run(long_items(2, 6), **STORED, max_concurrency=1)
    assert server.storage() > 0.1 * sum(server.bill)
    assert bill(part) == pytest.approx(sum(server.bill) + server.storage())


def test_with_or_without_a_cache_the_model_is_asked_the_same(part, server):
    first = part.run(long_items(1, 3))
    assert not server.made
    entries = [[one["role"] for one in body["contents"]] for body in server.bodies]
    assert entries == [["user", "user"]] * 3
    part.out.unlink()
    again = part.run(long_items(1, 3), **STORED)
    assert [one["request_hash"] for one in again] == [one["request_hash"] for one in first]
    assert len(server.bodies) == 3
    assert part.identity()["prompts"]["parts read as"] == "another text"
    del part.answers["parts"]
    plain = part.run(long_items(1, 3))
    assert not {one["request_hash"] for one in plain} & {one["request_hash"] for one in first}


def test_a_context_of_one_prompt_is_not_stored(part, server):
    part.run(long_items(3, 1), **STORED)
    assert not server.made


def test_a_context_of_too_few_tokens_is_asked_plainly(part, server):
    server.least = 4096
    asked = long_items(4, 2)
    records = part.run(asked, **STORED, max_concurrency=1)
    assert {record["status"] for record in records} == {"ok"}
    assert server.calls.count(("POST", "/v1/cachedContents")) == 1  # the others are no longer
    assert all(len(body["contents"]) == 2 for body in server.bodies)
    assert bill(part) == pytest.approx(sum(server.bill))


def test_a_cache_that_has_ended_is_made_anew(part, server):
    server.step = 1900.0  # a second answer is the last within the hour
    records = part.run(long_items(1, 6), **STORED, max_concurrency=1)
    assert {record["status"] for record in records} == {"ok"}
    assert len(server.made) == 3
    assert not server.live()
    # The second answer of each comes after the hour has ended, which is when storage ends.
    assert bill(part) == pytest.approx(sum(server.bill) + server.storage())


def test_a_server_that_keeps_nothing_is_no_fault_of_the_key(part, server):
    server.evicts = 3
    records = part.run(long_items(1, 2), **STORED, max_concurrency=1)
    assert {record["status"] for record in records} == {"ok"}
    assert len(server.made) == 4
    assert "503" in part.log.read_text("utf-8")  # after the second in a row it waits


def killed(tmp_path, server, number=signal.SIGKILL):
    """A part of two contexts whose job was killed after the fourth answer about the second."""
    how = {"engine": "gemini", "answers": {"parts": "apart"}, "times": 50, **STORED}
    how |= {"base_url": server.url.removesuffix("/v1"), "max_concurrency": 2, "concurrency": 2}
    server.faults[""].extend([*[Fault()] * 14, *[Fault(delay=60)] * 2])  # whatever the load is
    job = Job(tmp_path, server, questions=10, python=sys.executable, **how)
    job.kill(lambda: sum(server.answered.values()) == 14 and not server.faults[""], number)
    part = Part(tmp_path, server.url.removesuffix("/v1"))
    part.answers = dict(APART)
    asked = [replace(item, context=item.context * 50) for item in items(2, 10)]
    kept = part.journal.read_text("utf-8").count("\n")
    return part, asked, kept


def test_a_killed_job_finds_its_cache_again_and_asks_nothing_twice(tmp_path, server):
    part, asked, kept = killed(tmp_path, server)
    assert len(server.live()) == 1
    part.run(asked, **STORED)
    assert len(server.made) == 2
    assert not server.live()
    assert kept == 14
    assert sum(server.answered.values()) == 20


def test_a_job_that_is_ended_deletes_its_caches(tmp_path, server):
    killed(tmp_path, server, signal.SIGTERM)
    assert server.made
    assert not server.live()


def test_what_a_killed_job_does_not_need_any_more_is_deleted(tmp_path, server):
    part, asked, _ = killed(tmp_path, server)
    stored = next(iter(server.live().values()))
    other = dict(stored, shown={**stored["shown"], "name": "cachedContents/x", "displayName": "x"})
    server.stored["cachedContents/x"] = other  # somebody else's
    part.run(asked[-1:], **STORED)  # one prompt alone
    assert list(server.live()) == ["cachedContents/x"]
    assert ("DELETE", "/v1/cachedContents/x") not in server.calls


def test_a_cache_whose_making_was_not_heard_of_is_found(part, server):
    server.lost = 1
    part.run(long_items(1, 3), **STORED)
    assert len(server.made) == 1
    assert not server.live()
    assert bill(part) == pytest.approx(sum(server.bill) + server.storage())


def test_a_refusal_to_make_one_is_like_that_of_a_request(part, server):
    server.refused = {"POST": [429, 503]}
    records = part.run(long_items(1, 3), **STORED)
    assert {record["status"] for record in records} == {"ok"}
    assert len(server.made) == 1


def test_a_cache_that_could_not_be_deleted_is_tried_again_at_the_end(part, server):
    server.refused = {"DELETE": [500]}
    part.run(long_items(2, 3), **STORED)
    assert not server.live()
    server.refused = {"DELETE": [500, 500]}
    part.run(long_items(1, 8), **STORED)
    assert len(server.live()) == 1
    assert "could not be deleted" in part.log.read_text("utf-8")


def test_a_cap_has_room_for_making_a_cache_and_storing_it(part, server):
    (prompt, *_) = prompts(long_items(1, 2))
    tokens = -(-len(prompt.encode()) // 3)
    room = (tokens * (4 + 4 + 500) + 50 * 20) / 1e6
    assert dearest(PRICE, tokens, 50, hours=1.0) == pytest.approx(room)
    with pytest.raises(UserError, match="max_spend"):
        part.run(long_items(1, 2), **STORED, price=PRICE, max_spend=room * 0.99)
    assert not server.made
    part.run(long_items(1, 2), **STORED, price=PRICE, max_spend=room * 1.01)
    assert len(server.made) == 1


def test_a_job_that_its_cap_stops_leaves_no_cache(part, server):
    dear = PRICE | {"output": 2000.0}  # of an answer a tenth, of a stored context .8
    with pytest.raises(UserError, match="max_spend"):
        part.run(long_items(1, 40), **STORED, price=dear, max_spend=3.0)
    assert 5 < len(server.bodies) < 40
    assert len(server.made) == 1
    assert not server.live()


@pytest.mark.parametrize(("answers", "stored"), [(APART, 1), ({"engine": "gemini"}, 0)])
def test_the_cheapest_path_stores_contexts_only_where_they_go_apart(part, server, answers, stored):
    part.answers = {"model": "echo-1", **answers}
    price = PRICE | {"above": [], "written": None, "storage": 1.0, "flex": 1, "batch": 1}
    asked = [replace(item, context=item.context * 3) for item in long_items(1, 4)]
    part.run(asked, price=price, path="cheapest")
    assert len(server.made) == stored


def test_a_dropped_reply_asks_again_of_the_same_cache(part, server):
    server.faults["\nAsk 1.0!"].append(Fault(drop=True))
    part.run(long_items(1, 3), **STORED)
    assert len(server.made) == 1


WRONG = {
    "set parts: apart": {"cache": "1h"},
    "of live requests": {"cache": "1h", "parts": "apart", "batch": True},
    "add storage": {"cache": "1h", "parts": "apart", "price": {"input": 1, "output": 2}},
}


@pytest.mark.parametrize(("message", "settings"), WRONG.items(), ids=WRONG)
def test_settings_that_contradict_each_other_are_refused(message, settings):
    model = {"engine": "gemini", "model": "m", **settings}
    with pytest.raises(UserError, match=message):
        load_config({"models": {"m": model}})


@pytest.mark.parametrize(("model", "storage"), [("gemini-2.5-pro", 4.5), ("gemini-2.5-flash", 1.0)])
def test_prices_by_name_have_that_of_storage(model, storage):
    how = {"engine": "gemini", "model": model, "price": "auto", "parts": "apart", **STORED}
    assert load_config({"models": {"m": how}}).models["m"].price.storage == storage


def test_a_cache_that_is_deleted_after_its_end_has_saved_nothing(tmp_path):
    engine = object.__new__(gemini_caches.StoringGemini)
    engine.facts, engine._journal = {"path": "v1beta"}, tmp_path / "4k.jsonl"
    engine._held = {"a": gemini_caches.Kept(1000, 0.0), "b": gemini_caches.Kept(1000, 1e12)}
    calls = []

    async def call(method, path):
        calls.append((method, path))
        return gemini_caches.ServerReply(200 if path.endswith("a") else 404, b"", {})

    engine._call = call
    for name in ("a", "b"):  # the one has ended; the other is said to be none any more
        asyncio.run(engine._delete(name))
    assert calls == [("DELETE", "v1beta/a"), ("DELETE", "v1beta/b")]
    assert [line["token_hours"] for line in read_caches(engine._journal)] == [0, 0]
    assert not engine._held


def test_caches_of_others_are_left_alone_with_a_title_or_without(tmp_path):
    engine = object.__new__(gemini_caches.StoringGemini)
    engine._rules, engine._journal = {"path": "v1beta/cachedContents"}, tmp_path / "4k.jsonl"
    engine._job, engine._seconds, engine._held, engine._orphans = "job/", 3600.0, {}, {}
    own = {"displayName": "job/a", "name": "cachedContents/a"}
    listed = [{"name": "cachedContents/b"}, own, own | {"displayName": "b/a"}]

    async def call(*_):
        return gemini_caches.ServerReply(200, b"", {})

    engine._call, engine._value = call, lambda reply: {"cachedContents": listed}
    asyncio.run(engine._look())
    assert (engine._orphans, [*engine._held]) == ({"job/a": own["name"]}, [own["name"]])


def test_a_cache_whose_making_was_cut_off_is_looked_for_before_it_is_made_again():
    engine = object.__new__(gemini_caches.StoringGemini)
    engine._rules, engine._seconds, engine._least = {"path": "v1beta/cachedContents"}, 3600, 0
    engine._orphans, engine.stored = {}, lambda body: {}
    context = gemini_caches.Context("job/a", size=9, waiting=2)

    async def call(*_):
        raise ConnectionResetError

    engine._client = SimpleNamespace(call=call)
    with pytest.raises(ConnectionResetError):
        asyncio.run(engine._cache(context, None, {}))
    assert context.unheard
