"""Requests of several parts in one pass: families of contexts, journals, run records."""

import re
import time
from itertools import chain, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts import Part
from servers import Server
from steadfast.base.files import read_json
from steadfast.contract.request import FAMILY_PREFIX, Item, Request, families
from steadfast.engines.base import Setup
from steadfast.engines.sending.joint import JointPart, answer_jointly
from steadfast.engines.sending.requests import record_path

LENGTHS = {"short": 3_000, "middle": 6_000, "long": 12_000}  # characters


def items(length: str) -> list[Item]:
    """Three questions about each of two families' contexts."""
    items = []
    for question, family in product(range(3), ("alpha", "beta")):
        context = (f"{family} and so on, " * 1_000)[: LENGTHS[length]]
        tail = f"\nQuestion {question} about {family}, {length}."
        sample_id = f"{length}/{family}/{question}"
        items.append(Item(sample_id, f"{length}-{family}", "Read.\n", context, tail, 20))
    return items


@pytest.fixture
def parts(tmp_path: Path, server: Server) -> dict[str, Part]:
    """A part for each length."""
    by_length = {}
    for length in LENGTHS:
        folder = tmp_path / length
        folder.mkdir()
        by_length[length] = Part(folder, server.url, max_concurrency=1)
    return by_length


def run_jointly(parts: dict[str, Part]) -> None:
    joint_parts = []
    for length, part in parts.items():
        setup = Setup(part.answers, part.operation, journal=part.journal)
        joint_parts.append(JointPart(f"m/{length}", items(length), setup, part.log))
    answer_jointly("m", joint_parts)


def test_families_are_sent_together_longest_first(server, parts):
    start = time.monotonic()
    run_jointly(parts)
    elapsed = time.monotonic() - start
    prompts = [prompt for prompt, *_ in server.log]
    assert len(prompts) == len(set(prompts)) == 18
    family_names = [re.search(r" about (\w+),", prompt)[1] for prompt in prompts]
    assert family_names == ["alpha"] * 9 + ["beta"] * 9
    sizes = [len(prompt) for prompt in prompts[:9]]
    assert sizes == sorted(sizes, reverse=True)

    recorded_seconds = 0.0
    for length, part in parts.items():
        (run,) = read_json(record_path(part.journal))["runs"]
        assert (run["answered"], run["failed"], run["load_seconds"]) == (6, 0, 0)
        assert bool(run["latencies"]) == (length == "short")  # once for all parts
        recorded_seconds += run["wall_seconds"]
        assert [record["status"] for record in part.run(items(length))] == ["ok"] * 6
    assert 0 < recorded_seconds <= elapsed
    assert server.requested.total() == 18


def test_single_uncached_part_is_left_to_its_own_run(server, parts):
    for length in ("short", "middle"):
        parts[length].run(items(length))
    run_jointly(parts)
    assert server.requested.total() == 12


def test_part_with_another_model_is_left_to_its_own_run(server, parts):
    parts["middle"].answers["model"] = "echo-2"
    run_jointly(parts)
    assert server.requested.total() == 12
    assert not parts["middle"].journal.exists()


def request(prefix: str) -> Request:
    return Request(prefix, prefix, (prefix, ""), prefix, "?", 1, None, 0, 1.0, None, prefix)


@given(st.lists(st.text("ab", max_size=6), unique=True))
def test_context_is_in_one_group_with_its_beginnings(endings):
    contexts = ["c" * FAMILY_PREFIX + ending for ending in endings]
    groups = families([[request(context)] for context in contexts])
    assert sorted(request.prefix for request in chain.from_iterable(groups)) == sorted(contexts)
    group_numbers = {}
    for number, group in enumerate(groups):
        group_numbers |= {request.prefix: number for request in group}
    for long in contexts:
        beginnings = [context for context in contexts if long.startswith(context)]
        shortest = min(beginnings, key=len)
        assert group_numbers[long] == group_numbers[shortest]


def test_short_prefixes_make_no_family():
    groups = [[request("Read.")], [request("Read.\nThe report.")]]
    assert families(groups) == groups
