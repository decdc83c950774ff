"""``path: cheapest``: the path that the plan names is the one on which a job asks, and goes on."""

import json
from dataclasses import replace

import pytest

from batch_server import BatchServer
from caching_servers import MarkingServer, PrefixServer, in_batches
from dialect_batch_servers import AnthropicBatchServer
from parts import Job, Part, items, prompts, same_bytes
from servers import Fault, handler_of, running
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.config.settings import answer_settings, plan_settings
from steadfast.engines.asking.journal import final_tiers
from steadfast.engines.asking.requests import record_path
from steadfast.plan.model import PlannedModel
from test_marks import long_items

OLDER = {"input": 4.0, "cached": 0.4, "output": 20.0, "batch": 0.5}
NEWER = OLDER | {"written": 5.0}
FLEX = {"flex": 0.5}
CLAUDE = {"input": 3.0, "cached": 0.3, "written": 3.75, "output": 15.0, "batch": 0.5}


def asked_of(contexts, questions):
    """Items of some contexts of about 4,700 tokens."""
    return [replace(one, context=one.context * 3) for one in long_items(contexts, questions)]


def both_ways(kind):
    """A server of batches that answers live too."""

    class Both(kind):
        ending = False

        def end(self, batch):
            self.ending = True
            super().end(batch)
            self.ending = False

        def is_batched(self, path):
            return self.ending

        def handler(self):
            batched, live = super().handler(), handler_of(self)

            class Handler(batched):
                def do_POST(self):
                    of = batched if "files" in self.path or "batches" in self.path else live
                    of.do_POST(self)

            return Handler

    return Both


def live_and_batched(kind):
    return both_ways(in_batches(kind))


def configured(price, engine="openai", **settings):
    """A model's settings, with their defaults."""
    how = {"engine": engine, "model": "echo-1", "price": price, "path": "cheapest", **settings}
    return load_config({"models": {"m": how}}).models["m"]


def paths(model, asked, known=()):
    """What the plan has of each path."""
    planned = PlannedModel("m", answer_settings(model), plan_settings(model))
    return planned.of_part(asked, known, {})[0]["paths"]


def taken(model, asked, known=()):
    (row,) = (row for row in paths(model, asked, known) if row["taken"])
    return row


def part_of(folder, server, model):
    """A part of a model at a server, with all that the job of a run is given."""
    part = Part(folder, server.url.removesuffix("/v1" * (model.engine != "openai")))
    part.answers = answer_settings(model)
    part.operation = {**model.model_dump(), **part.operation}
    return part


def way(part):
    """How a part was asked: by the log, and in all its runs."""
    (line,) = {line for line in part.log.read_text("utf-8").splitlines() if "path: " in line}
    runs = json.loads(record_path(part.journal).read_text("utf-8"))["runs"]
    return line, {run["path"] for run in runs}


CASES = {
    "batch": (PrefixServer, OLDER, {}, "batch (batch: true)"),
    "live, marked": (MarkingServer, NEWER, {}, "live, marked (cache: 30m)"),
    "flex, marked": (
        MarkingServer, NEWER | FLEX, {}, "flex, marked (cache: 30m, service_tier: flex)",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind", "price", "keys", "shown"),
    [(name, *of) for name, of in CASES.items()],
    ids=CASES,
)
def test_the_cheapest_path_is_taken_and_billed_as_planned(tmp_path, name, kind, price, keys, shown):
    model, asked = configured(price, **keys), asked_of(2, 30)
    with running(kind=live_and_batched(kind)) as server:
        part = part_of(tmp_path, server, model)
        part.run(asked)
    row = taken(model, asked)
    assert row["path"] == name
    assert row["cost_expected"] == min(row["cost_expected"] for row in paths(model, asked))
    assert row["cost_by_order"] == pytest.approx(sum(server.bill), rel=0.02)
    assert way(part) == (f"path: {shown}, cheapest of {len(asked)} requests", {name})
    tier = name.partition(",")[0]
    assert set(final_tiers(part.journal).values()) - {None} == {tier} - {"live"}


def test_claudes_marks_are_taken_where_questions_share_a_context(tmp_path):
    shared, alone = asked_of(1, 8), asked_of(3, 1)
    for asked, name in ((shared, "live, marked"), (alone, "batch")):
        folder = tmp_path / name
        folder.mkdir()
        with running(kind=both_ways(AnthropicBatchServer)) as server:
            model = configured(CLAUDE, "anthropic")
            part = part_of(folder, server, model)
            part.run(asked)
        assert (taken(model, asked)["path"], way(part)[1]) == (name, {name})
        assert server.written > 0 if "marked" in name else server.written == 0


def test_batches_are_kept_out(tmp_path):
    model, asked = configured(OLDER, path="cheapest_live"), asked_of(6, 1)
    with running(kind=live_and_batched(PrefixServer)) as server:
        part = part_of(tmp_path, server, model)
        part.run(asked)
    assert taken(model, asked)["path"] == "live"
    assert not server.batches


def test_the_path_is_operation(tmp_path):
    for folder, how in (("keys", {"path": None, "cache": "30m"}), ("path", {})):
        (tmp_path / folder).mkdir()
        with running(kind=MarkingServer) as server:
            part = part_of(tmp_path / folder, server, configured(NEWER, **how))
            part.run(asked_of(1, 8), max_concurrency=1)
    assert same_bytes(tmp_path / "keys", tmp_path / "path")


def test_a_killed_job_goes_on_by_flex(tmp_path):
    price = configured(OLDER | FLEX).price.model_dump()
    how = {"path": "cheapest", "price": price}
    with running(0.02) as server:
        Job(tmp_path, server, questions=20, **how).kill(lambda: sum(server.answered.values()) >= 8)
        kept = len((tmp_path / "journal.jsonl").read_text("utf-8").splitlines())
        answered = sum(server.answered.values())
        part = Part(tmp_path, server.url)
        part.run(items(2, 20), **how)
    assert answered - kept <= 8  # those in flight
    assert sum(server.answered.values()) == answered + 40 - kept
    assert {body["service_tier"] for body in server.bodies} == {"flex"}
    assert way(part)[1] == {"flex"}


def test_a_killed_job_goes_on_in_its_batch(tmp_path):
    with running(kind=BatchServer) as server:
        server.looks = 40
        price = configured(OLDER).price.model_dump()
        how = {"path": "cheapest", "price": price}
        job = Job(tmp_path, server, questions=20, **how)
        job.kill(lambda: server.calls["GET /v1/batches/batch_0"] >= 3)
        assert not (tmp_path / "out.jsonl").exists()
        part = Part(tmp_path, server.url)
        records = part.run(items(2, 20), **how)
    assert server.submitted() == dict.fromkeys(prompts(items(2, 20)), 1)
    assert {record["status"] for record in records} == {"ok"}
    assert way(part)[1] == {"batch"}


def test_a_batch_under_way_is_paid_for_whatever_the_price_is_now(tmp_path):
    with running(kind=BatchServer) as server:
        server.looks = 40
        how = {"path": "cheapest"}
        cheap, dear = (configured(OLDER | {"batch": n}).price.model_dump() for n in (0.5, 2.0))
        job = Job(tmp_path, server, **how, price=cheap)
        job.kill(lambda: server.calls["GET /v1/batches/batch_0"] >= 3)
        Part(tmp_path, server.url).run(**how, price=dear)
    assert server.submitted() == dict.fromkeys(prompts(), 1)


def test_the_cap_reckons_with_the_path(tmp_path):
    asked, live = asked_of(3, 1), 3 * (4700 * 4 + 50 * 20) / 1e6
    enough, less = (configured(OLDER, max_spend=share * live) for share in (0.9, 0.4))
    with running(kind=live_and_batched(PrefixServer)) as server:
        records = part_of(tmp_path, server, enough).run(asked)
    assert {record["status"] for record in records} == {"ok"}
    (tmp_path / "less").mkdir()
    with running(kind=live_and_batched(PrefixServer)) as server:
        part = part_of(tmp_path / "less", server, less)
        with pytest.raises(UserError, match="max_spend"):
            part.run(asked)
    assert 0 < sum(server.bill) <= less.max_spend


def test_flex_is_waited_for_longer_than_the_config_says(tmp_path):
    with running(0.3, PrefixServer) as server:
        part = part_of(tmp_path, server, configured(OLDER | FLEX))
        part.run(asked_of(1, 2), timeout=0.1)
    assert {body["service_tier"] for body in server.bodies} == {"flex"}
    assert set(server.asked.values()) == {1}


def test_a_model_that_is_not_served_by_flex_stops_the_job_at_once(tmp_path):
    refusal = Fault(400, body=b'{"error": {"message": "Unsupported service_tier: flex"}}')
    with running(kind=PrefixServer) as server:
        part = part_of(tmp_path, server, configured(OLDER | FLEX))
        server.faults["!"].extend([refusal] * 9)
        with pytest.raises(UserError, match="Unsupported service_tier: flex"):
            part.run(asked_of(1, 6))
    assert sum(server.asked.values()) < 6


def test_a_base_models_contexts_are_not_marked():
    rows = paths(configured(NEWER, template="base"), asked_of(1, 4))
    assert [row["path"] for row in rows] == ["live", "batch"]


WRONG = {
    "path: cheapest needs price": {"price": None},
    "path: cheapest chooses service_tier; leave one of the two out": {"service_tier": "flex"},
    "path: cheapest chooses cache": {"cache": "30m"},
    "path: cheapest chooses batch": {"batch": "files"},
    "leave path out, or serve": {"serve": ["server", "{port}"]},
    "extra_body and path both set service_tier": {"extra_body": {"service_tier": "default"}},
}


@pytest.mark.parametrize(("message", "settings"), WRONG.items(), ids=WRONG)
def test_what_contradicts_the_path_is_refused(message, settings):
    with pytest.raises(UserError, match=message):
        configured(**{"price": OLDER, **settings})


def test_what_a_run_writes_back_is_no_contradiction():
    for model in (configured(CLAUDE, "anthropic"), configured(OLDER)):
        again = load_config({"models": {"m": model.model_dump()}}).models["m"]
        assert again == model
