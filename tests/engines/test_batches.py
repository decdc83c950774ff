"""Batches of each provider against a server of its kind: nothing submitted twice, whatever
happens."""

import json
from itertools import product
from pathlib import Path

import pytest

from batch_servers import AnthropicBatchServer, BatchServer, Fate, GeminiBatchServer, refusals
from dialect_servers import SERVERS, words
from parts import Job, Part, items, prompts, same_bytes
from servers import Fault, echo, running
from steadfast.base.errors import UserError
from steadfast.base.files import canonical_json
from steadfast.contract.request import Response
from steadfast.engines.api import batch_files
from steadfast.engines.api.batches import ChatBatches
from steadfast.engines.api.engines import BATCHES, build
from steadfast.engines.api.replies import Retry
from steadfast.engines.asking.journal import final_tiers
from steadfast.engines.base import Setup

KINDS = {
    "openai": BatchServer,
    "anthropic": AnthropicBatchServer,
    "gemini": GeminiBatchServer,
}
CALLS = {
    "make": {
        "openai": "POST /v1/batches",
        "anthropic": "POST /v1/messages/batches",
        "gemini": "POST /v1/models/echo-1:batchGenerateContent",
    },
    "look": {
        "openai": "GET /v1/batches/batch_0",
        "anthropic": "GET /v1/messages/batches/msgbatch_0",
        "gemini": "GET /v1/batches/b0",
    },
    "upload": {"openai": "POST /v1/files", "gemini": "POST /upload/v1/files"},
    "fetch": {"openai": "/content", "anthropic": "/results", "gemini": ":download"},
}
"""How the calls of a batch API end, by what they do."""
MAKING = CALLS["make"]
LOOKING = CALLS["look"]
FETCHES = tuple(CALLS["fetch"].values())
PRICE = {"input": 2.0, "cached": None, "output": 8.0}
LOST = Fault(drop=True, body=b"")
LOSSES = [LOST, Fault(500, b"{}", done=True), Fault(503, b"{}", done=True)]
"""Replies to the making of a batch that do not say so."""
ODD = [
    Fault(body=body)
    for body in (b"", b"<html>", b"null", b"[]", b'{"id": 3}', b'{"id": "", "status": ""}', b"\xff")
]
PASSING = refusals(500, 429, 503)
TURNED_AWAY = refusals(None, 429, 429, None, 429, 429)
SCRIPTS = {
    "no fault": ("make", [], {}, [10]),
    "within the limit": ("make", [], {"batch_requests": 4}, [4, 4, 2]),
    "turned away, waits for those under way": (
        "make", TURNED_AWAY, {"batch_requests": 4, "attempts": 2, "price": PRICE, "max_spend": 1},
        [4, 4, 2]),
    **{f"{call}: a passing fault": (call, PASSING, {}, [10]) for call in CALLS},
    **{f"{call}: something else": (call, ODD, {"attempts": len(ODD) + 1}, [10])
       for call in ("make", "look", "upload")},
    "fetch: ends in the middle": ("fetch", [Fault(cut=True)], {}, [10]),
}  # fmt: skip
"""What goes wrong with a call, the operation, and the sizes of the batches that are made."""


def runs():
    """Each script with each provider: in the quick tier with one of them, which take turns."""
    for number, (name, (call, *_)) in enumerate(SCRIPTS.items()):
        engines = list(CALLS[call])
        for engine in engines:
            is_quick = engine == engines[number % len(engines)]
            yield pytest.param(engine, name, marks=() if is_quick else pytest.mark.wide)


@pytest.fixture(params=KINDS)
def engine(request):
    return request.param


@pytest.fixture
def server(engine):
    with running(kind=KINDS[engine]) as started:
        yield started


@pytest.fixture
def part(tmp_path, engine, server):
    return Part(tmp_path, server.url, engine, batch=True)


def only(*names):
    """Runs a test with these engines alone."""
    return pytest.mark.parametrize("engine", names, indirect=True)


def state(part):
    return json.loads(part.journal.with_suffix(".batches.json").read_text("utf-8"))


@pytest.mark.parametrize(("engine", "name"), [*runs()], indirect=["engine"])
def test_each_item_is_submitted_once_and_answered_in_order(part, server, engine, name):
    call, faults, operation, sizes = SCRIPTS[name]
    server.faults[CALLS[call][engine]].extend(faults)
    records = part.run(**operation)
    assert [r["response"] for r in records] == [echo(p) for p in prompts()]
    assert set(final_tiers(part.journal).values()) == {"batch"}
    assert [len(batch["asked"]) for batch in server.batches] == sizes
    assert server.submitted() == server.answered == dict.fromkeys(prompts(), 1)


def test_requests_and_outputs_are_those_of_the_live_engine(part, server, engine, tmp_path):
    part.answers["system"] = "Be brief."
    records = part.run()
    with running(kind=SERVERS[engine]) as live:
        other = Part(tmp_path / "live", live.url, engine)
        other.answers["system"] = "Be brief."
        live_records = other.run()
    asked = [body for _, body in server.batches[0]["asked"]]
    assert set(map(canonical_json, asked)) == set(map(canonical_json, live.bodies))
    names = ("sample_id", "request_hash", "response", "prompt_tokens")
    assert [[r[n] for n in names] for r in records] == [[r[n] for n in names] for r in live_records]


@only("openai")
@pytest.mark.parametrize("template", ["chat", "base"])
def test_a_file_has_the_fields_of_openai_s_format(part, server, template):
    part.answers["template"] = template
    (record,) = part.run(items(1, 1))
    (batch,) = server.batches
    content = server.files[batch["wanted"]["input_file_id"]]
    assert content.endswith(b"\n")
    line = json.loads(content)
    url = "/v1/completions" if template == "base" else "/v1/chat/completions"
    del line["body"]
    assert line == {"custom_id": record["request_hash"], "method": "POST", "url": url}
    assert (batch["wanted"]["endpoint"], batch["wanted"]["completion_window"]) == (url, "24h")


@pytest.mark.quick(1)
def test_requests_are_split_within_the_bytes(part, server, engine, monkeypatch):
    monkeypatch.setitem(BATCHES[engine].facts, "bytes", 2000)
    part.run()
    assert len(server.batches) > 2
    assert server.submitted() == dict.fromkeys(prompts(), 1)


@pytest.mark.quick(3)
@pytest.mark.parametrize("status", ["completed", "expired", "cancelled"])
def test_what_a_batch_left_goes_into_a_further_one(part, server, engine, status):
    server.fates.append(Fate(status, lose=("Ask 1.0!", "Ask 3.1!")))
    records = part.run()
    assert {r["status"] for r in records} == {"ok"}
    none_kept = (engine, status) == ("gemini", "cancelled")
    assert [len(batch["asked"]) for batch in server.batches] == [10, 10 if none_kept else 2]


@pytest.mark.quick(1)
def test_of_results_that_end_in_the_middle_twice_the_first_half_is_kept(part, server, engine):
    server.faults[CALLS["fetch"][engine]].extend([Fault(cut=True)] * 2)
    records = part.run()
    assert [r["response"] for r in records] == [echo(p) for p in prompts()]
    first, second = (len(batch["asked"]) for batch in server.batches)
    assert first - second >= 4  # of ten: the lines of the first half


def test_a_request_that_is_refused_is_an_error_of_its_own(part, server):
    server.fates.append(Fate(fail=("Ask 2.0!",)))
    records = part.run(allowed_failures=0.1)
    (failed,) = [r for r in records if r["status"] == "error"]
    assert (failed["sample_id"], failed["error"]) == ("q2/c0", "HTTP 400: bad request")
    assert len(server.batches) == 1


@only("anthropic")
def test_replies_that_are_no_answer_are_in_the_bill(part, server):
    server.stop = "pause_turn"
    with pytest.raises(UserError, match=r"2 of 2 .*finish_reason 'pause_turn'"):
        part.run(items(1, 2), attempts=1)
    paid = 2 * sum(map(words, prompts(items(1, 2)))) + 8 * 2 * 7
    assert part.spent(PRICE) == pytest.approx(paid / 1e6)


@only("anthropic")
def test_the_last_attempt_is_no_retry(part, server):
    server.stop = "pause_turn"
    part.run(items(1, 2), attempts=1, allowed_failures=1)
    assert "retried" not in part.log.read_text()


@pytest.mark.quick(1)
@only("openai", "gemini")
def test_a_failed_batch_is_tried_again_up_to_attempts(part, server, engine):
    server.fates.extend([Fate("failed")] * 4)
    # The failed ones have the same requests, and are not taken for new ones.
    server.faults[MAKING[engine]].extend([LOST] * 4)
    with pytest.raises(UserError, match=r"10 of 10 .*10 × batch failed: bad line"):
        part.run()
    assert len(server.batches) == 4
    part.run()  # a later run begins anew
    assert len(server.batches) == 5


@only("openai")
def test_what_there_is_no_room_for_waits_for_other_batches_and_is_no_attempt(part, server):
    said = "Enqueued token limit reached for gpt-x. Limit: 90,000 enqueued tokens."
    full = Fate("failed", message=said)
    server.fates.extend([Fate(), full, full, Fate(), full, Fate()])
    part.run(batch_requests=4, attempts=1)
    ended = [(batch["status"], batch["answered"]) for batch in state(part)["ended"]]
    assert ended == [("failed", 0), ("failed", 0), ("completed", 4), ("failed", 0),
                     ("completed", 4), ("completed", 2)]  # fmt: skip
    assert set(server.answered.values()) == {1}


@only("openai")
def test_what_there_is_never_room_for_is_an_error(part, server):
    server.fates.extend([Fate("failed", message="Enqueued token limit reached for x.")] * 2)
    with pytest.raises(UserError, match="10 × batch failed: Enqueued token limit reached"):
        part.run(attempts=2)
    assert len(server.batches) == 2


UNHEARD = [("anthropic", LOST, True), *product(KINDS, LOSSES, [False])]
"""Providers, replies, and whether each page of the list of batches is the first."""


@pytest.mark.timeout(60)
@pytest.mark.quick(4)
@pytest.mark.parametrize(("engine", "fault", "stuck"), UNHEARD, indirect=["engine"])
def test_a_batch_whose_making_was_not_heard_of_is_not_made_again(
    part, server, engine, fault, stuck
):
    part.run(items(1, 2))  # an older batch, of as many requests as one to come
    server.faults[MAKING[engine]].append(fault)
    server.page = 1
    server.stuck = stuck
    part.run(items(2, 2))
    assert [len(batch["asked"]) for batch in server.batches] == [2, 2]


@pytest.mark.quick(1)
def test_of_jobs_with_the_same_requests_each_finds_its_own_batch(tmp_path, engine, server):
    options = {"batch": True, "cache": None}  # what a cache gave depends on the batches
    first, second = (
        Part(tmp_path / name, server.url, engine, **options) for name in ("first", "second")
    )
    server.refuse(LOOKING[engine], *[500] * 4)
    with pytest.raises(UserError, match=r"failed 4 times in a row .* submits none twice"):
        first.run()
    assert len(state(first)["open"]) == 1
    server.faults[MAKING[engine]].append(LOST)
    second.run()
    assert len(server.batches) == 2
    first.run()
    assert same_bytes(first.directory, second.directory)
    ended = [batch["batch_id"] for part in (first, second) for batch in state(part)["ended"]]
    assert len(set(ended)) == 2


@only("openai", "gemini")
def test_a_file_that_is_in_no_batch_when_the_job_ends_is_in_one_later(part, server, engine):
    server.refuse(MAKING[engine], *[500] * 4)
    with pytest.raises(UserError, match="in a row"):
        part.run()
    assert (len(server.files), len(server.batches)) == (1, 0)
    part.run()
    assert server.submitted() == dict.fromkeys(prompts(), 1)


@only("anthropic")
def test_a_batch_that_was_turned_away_is_not_looked_for_among_others(part, server, engine):
    server.refuse(MAKING[engine], 429, 529)
    part.run()
    assert server.calls["GET /v1/messages/batches"] == 1  # the newest, before ours


@pytest.mark.parametrize(
    "said",
    [
        {"errors": "x", "metadata": 3},
        {"errors": {"data": [3]}, "output_file_id": 5, "error_file_id": [1]},
        {"errors": {"data": [{"message": ["x"]}]}, "output_file_id": None},
    ],
)
def test_odd_words_about_a_batch_are_none(said):
    remote = ChatBatches.remote(None, {"id": "b", "status": "failed", **said})
    assert (remote.key, remote.files, remote.why) == (None, (), "batch failed")


@only("openai", "gemini")
def test_what_may_be_made_all_the_same_is_not_forgotten(part, server, engine):
    server.refuse(MAKING[engine], None, 500, 429)
    with pytest.raises(UserError, match="2 times in a row"):
        part.run(batch_requests=4, attempts=2)
    assert [bool(batch["batch_id"]) for batch in state(part)["open"]] == [True, False]


@pytest.mark.quick(1)
def test_what_a_batch_has_is_not_asked_live_too(part, server, engine):
    server.refuse(LOOKING[engine], *[500] * 4)
    with pytest.raises(UserError, match="in a row"):
        part.run(items(2, 3))
    with pytest.raises(UserError, match=r"batches.json: 6 of the requests are in running batches"):
        part.run(batch=False)
    part.run()
    assert server.submitted() == dict.fromkeys(prompts(), 1)


def test_a_key_that_is_not_accepted_is_said(part, server, engine):
    server.refuse(MAKING[engine], 401)
    with pytest.raises(UserError, match="rejects the API key"):
        part.run()


@pytest.mark.quick(1)
def test_a_batch_that_was_deleted_there_is_said_and_forgotten_with_its_file(part, server, engine):
    server.refuse(LOOKING[engine], 404)
    sentence = r"batch, file or model not found.* remove .*\.batches\.json"
    with pytest.raises(UserError, match=sentence):
        part.run()
    part.journal.with_suffix(".batches.json").unlink()
    assert [record["response"] for record in part.run()] == [echo(p) for p in prompts()]
    assert len(server.batches) == 2


def test_the_key_goes_to_the_provider_alone(part, server, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-ant-api03-Q7wEr5TyUi9OpAs2DfGh")
    part.run(api_key_env="MY_KEY")  # results and uploads that are said to be elsewhere
    (key,) = server.keys
    assert key.removeprefix("Bearer ") == "sk-ant-api03-Q7wEr5TyUi9OpAs2DfGh"
    for path in part.directory.rglob("*.*"):
        assert "Q7wEr5TyUi9OpAs2DfGh" not in path.read_text()


@only("openai")
def test_the_cap_holds_back_batches_and_keeps_those_under_way(part, server):
    part.run(items(1, 2))
    spending = {"price": PRICE, "max_spend": 1e-6}
    with pytest.raises(UserError, match="max_spend"):
        part.run(**spending)
    assert len(server.batches) == 1
    server.refuse("GET /v1/batches/batch_1", *[500] * 4)
    with pytest.raises(UserError, match="in a row"):
        part.run()
    with pytest.raises(UserError, match="max_spend"):
        part.run(items(2, 6), **spending)
    assert len(server.batches) == 2
    assert len(part.replies()) == 10


@only("anthropic")
def test_a_batch_of_anthropic_s_writes_a_context_once(part):
    asked = items(contexts=2, questions=4)
    records = part.run(asked, cache="1h")
    shared = sum(words(item.head + item.context) for item in asked[:2])
    assert sum(record["written_tokens"] for record in records) == shared
    assert sum(record["cached_tokens"] for record in records) == 3 * shared


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "moment",
    [
        lambda server: server.calls,  # something was asked, perhaps nothing is made
        lambda server: server.batches,  # made, perhaps not yet kept
        lambda server: any(call.endswith(FETCHES) for call in server.calls),
    ],
    ids=["begun", "made", "importing"],
)
def test_a_killed_job_re_attaches_and_submits_nothing_twice(tmp_path, engine, server, moment):
    server.looks = 5

    def job():
        options = {"batch": True, "batch_requests": 4, "cache": None}
        return Job(tmp_path / "killed", server, engine=engine, **options)

    assert job().kill(when=lambda: moment(server)) == -9
    code, errors = job().finish()
    assert code == 0, errors
    assert server.submitted() == dict.fromkeys(prompts(), 1)

    with running(kind=KINDS[engine]) as other:
        Part(tmp_path / "undisturbed", other.url, engine, batch=True, cache=None).run()
    assert same_bytes(tmp_path / "killed", tmp_path / "undisturbed")


# --- lines and files --------------------------------------------------------------------------


ODD_LINES = {
    "torn": b'{"custom_id": "a", "resp',
    "no id": b'{"response": {"status_code": 200}}',
    "no object": b"[1]",
    "deep": b"[" * 100_000,
    "not utf-8": b'{"custom_id": "\xff"}',
}


def replies(content: bytes) -> list:
    """The outcomes in a file of OpenAI's format."""
    operation = {"api_key_env": None, "batch": True}
    setup = Setup({"engine": "openai", "model": "m"}, operation, journal=Path("journal"))
    return list(build(setup)._batches.replies(content))


@pytest.mark.parametrize("line", ODD_LINES.values(), ids=ODD_LINES)
def test_a_line_that_is_no_reply_is_passed_over(line):
    assert replies(line + b"\n") == []


@pytest.mark.parametrize(
    ("record", "outcome"),
    [
        ({"response": None, "error": {"code": "batch_expired"}}, Retry("batch: batch_expired")),
        ({"error": {"message": "Request timeout", "code": "timeout"}}, Retry("batch: timeout")),
        ({"response": None, "error": None}, Retry("batch: no response")),
        ({"response": {"status_code": 200, "body": None}}, Retry("invalid reply: no choices")),
        ({"response": {"status_code": 500, "body": {}}}, Retry("HTTP 500", broken=True)),
        (
            {"response": {"status_code": 400, "body": None}, "error": "no such url"},
            Response("error", error="HTTP 400: no such url"),
        ),
        (
            {"response": {"status_code": 400, "body": {"error": {"code": "content_filter"}}}},
            Response("refused", finish_reason="content_filter"),
        ),
    ],
)
def test_a_line_says_what_became_of_its_request(record, outcome):
    content = json.dumps({"custom_id": "a", **record}).encode()
    assert replies(content) == [("a", outcome)]


def test_files_keep_to_the_limits_and_the_order():
    lines = [
        (item, b"x" * size) for item, size in zip(items(), (3, 4, 5, 1, 1, 1, 1), strict=False)
    ]
    files = [[len(line) for _, line in file] for file in batch_files.split(lines, 3, 8)]
    assert files == [[3, 4], [5, 1, 1], [1, 1]]
    with pytest.raises(UserError, match="has 5 bytes, more than the 4"):
        list(batch_files.split(lines, 3, 4))


def test_the_providers_limits_are_facts():
    limits = {name: (kind.facts["requests"], kind.facts["bytes"]) for name, kind in BATCHES.items()}
    assert limits["openai"] == (50_000, 200_000_000)
    assert limits["anthropic"][0] == 100_000 and limits["anthropic"][1] < 256_000_000
    assert limits["gemini"][1] <= 2_000_000_000
