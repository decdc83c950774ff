"""The requests of several parts in one pass: families of contexts, journals, run records."""

import time
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from parts import Part
from servers import running
from steadfast.base.files import read_json
from steadfast.contract.request import FAMILY_PREFIX, Item, Request, families
from steadfast.engines.asking.joint import JointPart, answer_jointly
from steadfast.engines.asking.requests import record_path
from steadfast.engines.base import Setup

LENGTHS = {"short": 3_000, "middle": 6_000, "long": 12_000}


def items(length: str) -> list[Item]:
    """Three questions about each of two families' contexts."""
    return [
        Item(
            f"{length}/{family}/{question}",
            f"{length}-{family}",
            "Read.\n",
            (f"{family} and so on, " * 1_000)[: LENGTHS[length]],
            f"\nQuestion {question} about {family}, {length}.",
            20,
        )
        for question in range(3)
        for family in ("alpha", "beta")
    ]


def parts(folder: Path, url: str) -> dict[str, Part]:
    by_length = {}
    for length in LENGTHS:
        directory = folder / length
        directory.mkdir(parents=True)
        by_length[length] = Part(directory, url)
        by_length[length].operation["max_concurrency"] = 1
    return by_length


def joint(length: str, part: Part) -> JointPart:
    setup = Setup(part.answers, part.operation, journal=part.journal)
    return JointPart(f"m/{length}", items(length), setup, part.log)


def test_a_family_goes_together_longest_first_and_each_part_finds_its_responses(tmp_path):
    with running() as server:
        by_length = parts(tmp_path, server.url)
        started = time.monotonic()
        answer_jointly("m", [joint(length, part) for length, part in by_length.items()])
        elapsed = time.monotonic() - started
        sent = [prompt for prompt, *_ in server.log]
        assert len(sent) == len(set(sent)) == 18
        families_sent = [prompt.partition(" about ")[2].partition(",")[0] for prompt in sent]
        assert families_sent == ["alpha"] * 9 + ["beta"] * 9
        sizes = [len(prompt) for prompt in sent[:9]]
        assert sizes == sorted(sizes, reverse=True)

        spent = 0.0
        for length, part in by_length.items():
            (run,) = read_json(record_path(part.journal))["runs"]
            assert (run["answered"], run["failed"]) == (6, 0)
            assert bool(run["latencies"]) == (length == "short")  # once for all parts
            spent += run["wall_seconds"]
            part.run(items(length))
            assert [record["status"] for record in part.records()] == ["ok"] * 6
        assert 0 < spent <= elapsed
        assert server.asked.total() == 18


def test_with_one_part_to_send_its_own_run_sends_it(tmp_path):
    with running() as server:
        by_length = parts(tmp_path, server.url)
        for length in ("short", "middle"):
            by_length[length].run(items(length))
        answer_jointly("m", [joint(length, part) for length, part in by_length.items()])
        assert server.asked.total() == 12


def test_a_part_with_another_model_is_left_to_its_own_run(tmp_path):
    with running() as server:
        by_length = parts(tmp_path, server.url)
        by_length["middle"].answers["model"] = "echo-2"
        answer_jointly("m", [joint(length, part) for length, part in by_length.items()])
        assert server.asked.total() == 12
        assert not by_length["middle"].journal.exists()


def request(prefix: str) -> Request:
    return Request(prefix, prefix, (prefix, ""), prefix, "?", 1, None, 0, 1.0, None, prefix)


@given(st.lists(st.text("ab", max_size=6), unique=True))
def test_beginnings_of_a_context_are_in_its_group(endings):
    contexts = ["c" * FAMILY_PREFIX + ending for ending in endings]
    groups = families([[request(context)] for context in contexts])
    assert sorted(request.prefix for group in groups for request in group) == sorted(contexts)
    numbers = {}
    for number, group in enumerate(groups):
        numbers |= {request.prefix: number for request in group}
    for short in contexts:
        for long in contexts:
            if long.startswith(short):
                shorter = [c for c in contexts if short.startswith(c)]
                assert numbers[long] == numbers[min(shorter, key=len)]


def test_short_prefixes_make_no_family():
    groups = [[request("Read.")], [request("Read.\nThe report.")]]
    assert families(groups) == groups
