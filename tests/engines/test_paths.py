"""What the plan says of each path, against what a server with the provider's rules bills."""

import csv
from dataclasses import replace

import pytest

from caching_servers import (
    PRICE,
    TEMPLATE,
    ImplicitServer,
    MarkingServer,
    PrefixServer,
    in_batches,
    tokens,
)
from dialect_batch_servers import AnthropicBatchServer
from dialect_servers import AnthropicServer, GeminiServer, words
from parts import Part
from servers import running
from steadfast.base.files import write_rows
from steadfast.config.load import load_config
from steadfast.config.settings import plan_settings
from steadfast.engines.cost.paths import COSTS, SUMS, path_record, paths_of
from steadfast.engines.fit import fit
from steadfast.plan.paths import COLUMNS, advice, paths_section, summed_paths, taken_costs
from test_marks import long_items

OLDER = {"input": 4.0, "cached": 0.4, "output": 20.0, "flex": 0.5, "batch": 0.5}
NEWER = OLDER | {"written": 5.0}
LONG = {"tokens": 1800, "input": 8.0, "cached": 0.8, "written": 10.0, "output": 30.0}
BATCH = {"batch": True}
FLEX = {"service_tier": "flex"}
MARKED = {"cache": "30m"}


class Spilling(PrefixServer):
    spills = True


class SpillingMarks(MarkingServer):
    spills = True


class Forgetful(MarkingServer):
    lifetime = 2  # requests


class LongerIsDearer(MarkingServer):
    above = LONG


class LongerIsDearerAtGoogle(ImplicitServer):
    above = LONG | {"tokens": 8000}


class CachedInBatches(ImplicitServer):
    in_batches = True


CASES = {
    "live, before GPT-5.6": (PrefixServer, OLDER, {}, "live"),
    "flex, before GPT-5.6": (PrefixServer, OLDER, FLEX, "flex"),
    "as one string": (MarkingServer, NEWER, {}, "live"),
    "marked": (MarkingServer, NEWER, MARKED, "live, marked"),
    "marked, flex": (MarkingServer, NEWER, MARKED | FLEX, "flex, marked"),
    "in a batch": (in_batches(MarkingServer), NEWER, BATCH, "batch"),
    "marked, in a batch": (in_batches(MarkingServer), NEWER, MARKED | BATCH, "batch, marked"),
    "marked, in batches": (
        in_batches(MarkingServer),
        NEWER,
        MARKED | BATCH | {"batch_requests": 30},
        "batch, marked",
    ),
    "longer prompts": (LongerIsDearer, NEWER | {"above": [LONG]}, MARKED, "live, marked"),
    "Gemini": (ImplicitServer, OLDER, {}, "live"),
    "Gemini, flex": (ImplicitServer, OLDER, FLEX, "flex"),
    "Gemini, in a batch": (in_batches(CachedInBatches), OLDER, BATCH, "batch"),
    "Gemini, longer prompts": (
        LongerIsDearerAtGoogle, OLDER | {"above": [LongerIsDearerAtGoogle.above]}, {}, "live",
    ),
}  # fmt: skip


def count(text):
    return len(tokens(text))


def asked(times=1):
    """Forty prompts a context, one context longer than the other, and one prompt alone."""
    long = [replace(item, context=item.context * 2) for item in long_items(1, 40)]
    others = [item for item in long_items(2, 40) if item.context_id == "c1"]
    (alone,) = (item for item in long_items(3, 1) if item.context_id == "c2")
    return [replace(item, context=item.context * times) for item in (*long, *others, alone)]


def run(folder, server, engine, items, answers=None, **operation):
    """What an engine gets of a server for items."""
    part = Part(folder, server.url if engine == "openai" else server.url.removesuffix("/v1"))
    part.answers = {"engine": engine, "model": "echo-1", **(answers or {})}
    return part.run(items, **operation)


def engine_of(kind):
    """The engine that speaks a server's dialect."""
    return "gemini" if issubclass(kind, GeminiServer) else "openai"


def planned(price, operation, items, engine="openai", count=count, template=TEMPLATE, **answers):
    """What the plan has of each path, by name."""
    model = {"engine": engine, "model": "echo-1", "price": price, **operation, **answers}
    model = {key: value for key, value in model.items() if key != "batch_requests"}
    plan = plan_settings(load_config({"models": {"m": model}}).models["m"])
    requests = fit(items, None, "error", None, answers={})
    price = plan["price"]
    return {
        path.name: path_record(path, requests, (), count, template, price)
        for path in paths_of({"engine": engine, **answers}, price, plan["path"])
    }


@pytest.mark.parametrize(("kind", "price", "operation", "name"), CASES.values(), ids=CASES)
def test_a_server_bills_what_the_plan_says_of_the_path(tmp_path, kind, price, operation, name):
    engine = engine_of(kind)
    items = asked(3 if engine == "gemini" else 1)  # 5,000 and 10,000 tokens
    found = planned(price, operation, items, engine)
    with running(kind=kind) as server:
        run(tmp_path, server, engine, items, **operation)
    assert [path for path, row in found.items() if row["taken"]] == [name]
    row = found[name]
    assert row["cost_by_order"] == pytest.approx(sum(server.bill), rel=0.02)
    read = sum(one[1] for one in server.usage)
    assert row["read_tokens"] == pytest.approx(read, rel=0.03)
    written = sum(one[2] for one in server.usage)
    assert row["written_tokens"] == pytest.approx(written, rel=0.01)  # of one string, the template
    assert row["whole_cost_by_order"] == row["cost_by_order"]


def test_the_order_keeps_what_is_soon_forgotten(tmp_path):
    items = long_items(6, 4)  # question by question, as tasks have them
    with running(kind=Forgetful) as server:
        Part(tmp_path, server.url).run(items, **MARKED, max_concurrency=1)
    row = planned(NEWER, MARKED, items)["live, marked"]
    assert row["cost_by_order"] == pytest.approx(sum(server.bill), rel=0.02)
    assert sum(written > 0 for _, _, written in server.usage) == 6


CLAUDE = {"input": 3.0, "cached": 0.3, "written": 3.75, "output": 15.0, "batch": 0.5}
CLAUDES = {
    "live": (AnthropicServer, {"cache": None}),
    "live, marked": (AnthropicServer, {"cache": "5m"}),
    "batch": (AnthropicBatchServer, {"cache": None, **BATCH}),
    "batch, marked": (AnthropicBatchServer, {"cache": "5m", **BATCH}),
}


@pytest.mark.parametrize(("name", "kind", "operation"), [(n, *of) for n, of in CLAUDES.items()])
def test_claudes_own_dialect_is_billed_as_planned(tmp_path, name, kind, operation):
    found = planned(CLAUDE, operation, asked(), "anthropic", words, 0)
    with running(kind=kind) as server:
        run(tmp_path, server, "anthropic", asked(), **operation)
    row = found[name]
    assert row["taken"]
    assert row["written_tokens"] == server.written
    billed = server.plain * 3 + server.read * 0.3 + server.written * 3.75
    share = 0.5 if "batch" in name else 1
    prompts = row["cost_by_order"] - row["cost_of_answers"]
    assert prompts == pytest.approx(billed * share / 1e6, rel=0.02)


@pytest.mark.parametrize("kind", [PrefixServer, ImplicitServer])
def test_a_batch_without_a_cache_is_the_plan_without_hits(tmp_path, kind):
    with running(kind=in_batches(kind)) as server:
        run(tmp_path, server, engine_of(kind), asked(), **BATCH)
    row = planned(OLDER, BATCH, asked(), engine_of(kind))["batch"]
    assert row["cost_no_hits"] == pytest.approx(sum(server.bill), rel=0.001)
    assert row["cost_expected"] == row["cost_no_hits"]  # none are reported before GPT-5


def test_what_spills_costs_between_no_hits_and_all(tmp_path):
    with running(kind=Spilling) as server:
        Part(tmp_path, server.url).run(asked())
    row = planned(OLDER, {}, asked())["live"]
    billed = sum(server.bill)
    assert row["cost_by_order"] * 1.2 < billed < row["cost_no_hits"]
    # 60 % of the hits, as was reported without keys.
    expected = 0.6 * row["cost_by_order"] + 0.4 * row["cost_no_hits"]
    assert row["cost_expected"] == pytest.approx(expected)


def test_a_path_by_hand():
    (first, second, third) = long_items(1, 3)
    alone = replace(first, sample_id="alone", context_id="short", context="Short.")
    row = planned(NEWER, MARKED, [first, second, third, alone])["live, marked"]
    prefix = count(first.head + first.context)
    tails = sum(count(item.tail) for item in (first, second, third))
    other = count(alone.head + "Short.") + count(alone.tail)
    plain = tails + other + 4 * 7
    assert [row[name] for name in ("plain_tokens", "read_tokens", "written_tokens")] == [
        plain, 2 * prefix, prefix,
    ]  # fmt: skip
    answers = 4 * 50 * 20
    assert row["cost_by_order"] == pytest.approx(
        (plain * 4 + 2 * prefix * 0.4 + prefix * 5 + answers) / 1e6
    )
    assert row["cost_no_hits"] == pytest.approx((plain * 4 + 3 * prefix * 5 + answers) / 1e6)
    assert row["cost_of_answers"] == pytest.approx(answers / 1e6)


def test_gemini_keeps_no_prefix_below_4096_tokens():
    short, long = (planned(OLDER, {}, asked(n), "gemini")["live"] for n in (1, 3))
    assert short["read_tokens"] == 0  # of 1,560 and 3,120 tokens
    assert long["read_tokens"] > 39 * (4_600 + 9_300)


def test_later_turns_are_not_marked():
    items = [replace(item, turns=(("Hi.", "Hello."),)) for item in long_items(1, 3)]
    row = planned(NEWER, MARKED, items)["live, marked"]
    assert (row["read_tokens"], row["written_tokens"]) == (0, 0)


def test_only_what_is_still_to_be_asked_counts_beside_the_whole():
    items = long_items(1, 3)
    requests = fit(items, None, "error", None, answers={})
    price = {**PRICE, "above": [], "flex": 1, "batch": 1}
    how = {"cache": "30m", "service_tier": None, "batch": False}
    (path,) = (one for one in paths_of({"engine": "openai"}, price, how) if one.taken)
    row = path_record(path, requests, {requests[0].hash}, count, 7, price)
    assert row["requests"] == 2
    assert row["whole_cost_by_order"] > row["cost_by_order"]


def test_the_paths_that_there_are():
    assert list(planned(OLDER, {}, [])) == ["live", "flex", "batch"]
    marked = ["live", "live, marked", "flex", "flex, marked", "batch", "batch, marked"]
    assert list(planned(NEWER, {}, [])) == marked
    assert list(planned({"input": 1.0, "output": 2.0}, {}, [])) == ["live"]
    assert list(planned({"input": 1.0, "output": 2.0}, BATCH, [])) == ["live", "batch"]


def test_the_page_has_a_row_a_path_and_names_the_cheapest():
    job = {"benchmark": "b", "role": "models", "model": "m", "part": "4k", "currency": "USD"}
    job["hours"] = 0.25
    paths = planned(NEWER, {}, asked()).values()
    rows = summed_paths([(job, list(paths)), (job | {"part": "8k"}, list(paths))])
    assert len(rows) == 12
    page = "\n".join(paths_section(rows))
    assert page.count("| m | answers |") == 6
    assert "| live (taken) |" in page
    hours = [line.split(" | ")[-2] for line in page.splitlines()[-6:]]
    assert hours == ["0.50", "0.50", "", "", "", ""]
    (line,) = advice(rows)
    assert line.startswith(
        "answers of m: cheapest is flex, marked (cache: 30m, service_tier: flex), "
    )
    sums = {name: 2 * paths_of_taken(paths)[name] for name in COSTS}
    assert line.endswith(
        f"as configured (live) {sums['cost_expected']:,.2f}; path: cheapest takes it"
    )
    assert not [*advice([])] and not [*paths_section([])]


def paths_of_taken(paths):
    (row,) = (row for row in paths if row["taken"])
    return row


def test_costs_of_the_plan_are_those_of_the_path_where_sums_of_tokens_cannot_tell():
    older, newer = (list(planned(price, {}, asked()).values()) for price in (OLDER, NEWER))
    plain = {**OLDER, "written": None, "above": [], "flex": 1, "batch": 1}
    assert taken_costs(older, plain, asked=True) == {}
    row, found = paths_of_taken(newer), taken_costs(newer, {**plain, "written": 5.0}, asked=True)
    assert (found["cost"], found["whole_cost_uncached"]) == (
        row["cost_by_order"], row["whole_cost_no_hits"],
    )  # fmt: skip
    answered = taken_costs(newer, {**plain, "written": 5.0}, asked=False)
    assert (answered["cost"], answered["whole_cost"]) == (0, row["whole_cost_by_order"])
    assert set(SUMS) <= row.keys()


def test_the_file_is_a_table(tmp_path):
    job = {
        "benchmark": "b",
        "role": "models",
        "model": "m",
        "part": "4k",
        "currency": "USD",
        "hours": None,
    }
    rows = summed_paths([(job, list(planned(OLDER, {}, asked()).values()))])
    write_rows(tmp_path / "paths.csv", COLUMNS, rows)
    found = list(csv.DictReader((tmp_path / "paths.csv").read_text("utf-8").splitlines()))
    assert [(row["path"], row["taken"]) for row in found] == [
        ("live", "True"), ("flex", "False"), ("batch", "False"),
    ]  # fmt: skip
