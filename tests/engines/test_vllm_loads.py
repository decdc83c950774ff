"""Real vLLM on the CPU: one load for six lengths, and as fast as one call of ``generate``."""

import json
import signal
import time
from collections.abc import Iterable

import pandas as pd
import pytest

from prepared import Prepared
from steadfast.base.files import read_json, read_jsonl, write_jsonl
from steadfast.contract.part_files import PartFiles
from vllm_jobs import HERE, Jobs, at_once

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500)]

LENGTHS = {f"l{number}": 2048 + 64 * number for number in range(6)}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory) -> Jobs:
    return Jobs(tmp_path_factory.mktemp("loads"), LENGTHS)


def load_count(jobs: Jobs, name: str) -> int:
    logs = jobs.folder.glob(f"results/logs/lifbench/inference/{name}/*.log")
    return sum(path.read_text().count("loaded in") for path in logs)


def answer_count(jobs: Jobs, name: str) -> int:
    journals = jobs.folder.glob(f"results/journal/lifbench/{name}/*.jsonl")
    return sum(path.read_bytes().count(b"\n") for path in journals)


def test_six_lengths_need_one_load_and_one_more_after_a_kill(jobs):
    jobs.add("complete", **at_once(16))
    jobs.add("killed", **at_once(16))
    jobs.run("complete", "l3", "--together")
    assert load_count(jobs, "complete") == 1
    run_records = jobs.folder.glob("results/journal/lifbench/complete/*.run.json")
    seconds = sorted(read_json(path)["runs"][0]["load_seconds"] for path in run_records)
    assert seconds[:-1] == [0] * 5 and seconds[-1] > 0
    output_files = jobs.built.outputs("complete", "l3").parent.glob("*.jsonl")
    assert [path.name for path in output_files] == ["l3.jsonl"]
    for length in LENGTHS:
        jobs.run("complete", length, "--together")
    assert load_count(jobs, "complete") == 1

    total = answer_count(jobs, "complete")
    job = jobs.start("killed", "l0", "--together")
    while job.poll() is None and answer_count(jobs, "killed") < total / 2:
        time.sleep(0.002)
    job.send_signal(signal.SIGKILL)
    assert job.wait() == -signal.SIGKILL
    count_after_kill = answer_count(jobs, "killed")
    for length in LENGTHS:
        jobs.run("killed", length, "--together")
    assert load_count(jobs, "killed") == 2
    assert answer_count(jobs, "killed") == total > count_after_kill >= total / 2
    for length in LENGTHS:
        outputs = jobs.outputs_without_cache("killed", length)
        assert outputs == jobs.outputs_without_cache("complete", length)


ITEM_FIELDS = ("context_id", "head", "context", "tail", "max_tokens")


def item_records(parts: Iterable[PartFiles]) -> list[dict]:
    """All items of parts, as the schedule's program reads them."""
    records = []
    for part in parts:
        for sample in part.read():
            item = part.joined.item(sample)
            records.append({name: getattr(item, name) for name in ITEM_FIELDS})
    return records


def test_shorter_contexts_of_a_family_are_not_computed(tmp_path):
    """Lists and documents: a shorter context is the beginning of a longer one."""
    lengths = {"1k": 1024, "2k": 2048, "4k": 4096}
    tasks = ["LSI", "LMI", "LOI", "LOE", "LBI", "LBE", "MB", "MF"]
    jobs = Jobs(tmp_path, lengths, tasks=tasks, contexts_per_length=2)
    for name in ("joint", "apart"):
        jobs.add(name, **at_once(8))
    jobs.run("joint", "1k", "--together")
    for length in lengths:
        jobs.run("joint", length, "--together")
        jobs.run("apart", length)
        joint = pd.DataFrame(jobs.outputs("joint", length))
        apart = pd.DataFrame(jobs.outputs("apart", length))
        assert joint.response.tolist() == apart.response.tolist()
        if length != "4k":
            assert apart.cached_tokens.min() < 0.1 * lengths[length]
            assert joint.cached_tokens.min() > 0.8 * lengths[length]

    records = item_records(jobs.built.part(length) for length in lengths)
    assert_as_fast_as_generate(jobs, records)


def test_two_copies_of_the_model_give_the_answers_of_one(jobs):
    jobs.add("one_copy", **at_once(16))
    jobs.add("two_copies", **at_once(16), data_parallel_size=2)
    for name in ("one_copy", "two_copies"):
        jobs.run(name, "l0")
    assert (load_count(jobs, "one_copy"), load_count(jobs, "two_copies")) == (1, 2)
    # Each copy computes the common beginning of its own contexts.
    outputs = jobs.outputs_without_cache("two_copies", "l0")
    assert outputs == jobs.outputs_without_cache("one_copy", "l0")


def test_engine_is_as_fast_as_one_generate(jobs):
    records = []
    for question in range(40):
        for context in "abcdef":
            record = {
                "context_id": context,
                "head": "Read. ",
                "context": f"{context}: " + f"words of context {context} " * 250,
                "tail": f"\nSay {question} of it.",
                "max_tokens": 4 + 7 * question % 29,
            }
            records.append(record)
    assert_as_fast_as_generate(jobs, records)


def test_ifeval_is_as_fast_as_one_generate_and_computes_its_text_once(jobs):
    section = {"lengths": {"4k": 3072}, "contexts_per_length": 1, "framing_sentences": 1}
    raw = {
        "benchmarks": ["ifeval"],
        "ifeval": {**section, "max_tokens": 16},
        "models": {"reference": {"engine": "reference"}},
    }
    built = Prepared(raw, jobs.folder / "ifeval")
    built.make_data()
    data = built.folder / "data/prompts.jsonl"
    prompts = list(read_jsonl(data))[:24]
    repeated_prompts = []
    for number in range(841):
        prompt = prompts[number % 24]
        text = f"{prompt['prompt']} ({number})"  # equal prompts would be sent once
        repeated_prompts.append(prompt | {"prompt_id": f"synthetic/{number}", "prompt": text})
    write_jsonl(data, repeated_prompts)
    built.write_prompts()
    records = item_records([built.part("4k")])
    assert len(records) == 841
    result = assert_as_fast_as_generate(jobs, records)
    assert result["ours"][1] <= 0.03 * result["logical"]


def assert_as_fast_as_generate(jobs: Jobs, records: list[dict]) -> dict:
    """The engine gives the answers of one ``generate``, with as many tokens and hardly more steps.

    Returns:
        Counts of both, by ``vllm_schedule.py``.
    """
    write_jsonl(jobs.folder / "prompts.jsonl", records)
    program = HERE / "vllm_schedule.py"
    output = jobs.run_python(program, jobs.model, jobs.folder / "prompts.jsonl")
    result = json.loads(output.splitlines()[-1])
    assert result["same"] == result["requests"] == len(records)
    steps, computed_tokens = result["ours"]
    generate_steps, generate_tokens = result["generate"]
    assert computed_tokens == generate_tokens
    assert steps <= 1.05 * generate_steps
    return result
