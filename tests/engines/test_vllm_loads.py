"""Real vLLM on the CPU: one load for six lengths, killed or not; the schedule of one generate."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from prepared import Prepared
from steadfast.base.files import read_json, read_jsonl, write_jsonl
from vllm_jobs import Jobs, at_once
from vllm_venv import environment

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500)]

LENGTHS = {f"l{number}": 2048 + 64 * number for number in range(6)}
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def jobs(tmp_path_factory) -> Jobs:
    return Jobs(tmp_path_factory.mktemp("loads"), LENGTHS)


def loads(jobs: Jobs, name: str) -> int:
    logs = jobs.folder.glob(f"results/logs/lifbench/inference/{name}/*.log")
    return sum(path.read_text().count("loaded in") for path in logs)


def answered(jobs: Jobs, name: str) -> int:
    journals = jobs.folder.glob(f"results/journal/lifbench/{name}/*.jsonl")
    return sum(path.read_bytes().count(b"\n") for path in journals)


def test_one_load_for_six_lengths_also_when_it_is_killed_half_way(jobs):
    jobs.add("whole", **at_once(16))
    jobs.add("killed", **at_once(16))
    jobs.run("whole", "l3", "--together")
    assert loads(jobs, "whole") == 1
    records = jobs.folder.glob("results/journal/lifbench/whole/*.run.json")
    loading = [read_json(path)["runs"][0]["load_seconds"] for path in records]
    assert (len(loading), sum(seconds > 0 for seconds in loading)) == (6, 1)
    assert [path.name for path in jobs.built.outputs("whole", "l3").parent.glob("*.jsonl")] == [
        "l3.jsonl"
    ]
    started = time.monotonic()
    for length in LENGTHS:
        jobs.run("whole", length, "--together")
    took = (time.monotonic() - started) / len(LENGTHS)
    print(f"a job that finds its answers: {took:.1f} s")
    assert loads(jobs, "whole") == 1

    total = answered(jobs, "whole")
    job = jobs.start("killed", "l0", "--together")
    while job.poll() is None and answered(jobs, "killed") < total / 2:
        time.sleep(0.002)
    job.send_signal(signal.SIGKILL)
    assert job.wait() == -signal.SIGKILL
    kept = answered(jobs, "killed")
    for length in LENGTHS:
        jobs.run("killed", length, "--together")
    assert loads(jobs, "killed") == 2
    assert answered(jobs, "killed") == total > kept >= total / 2

    for length in LENGTHS:
        runs = (jobs.outputs(name, length) for name in ("killed", "whole"))
        # What was cached tells what happened: a context is computed once more after a kill.
        killed, whole = ([one | {"cached_tokens": 0} for one in run] for run in runs)
        assert killed == whole


def test_shorter_lengths_of_a_family_compute_no_context(tmp_path):
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
        responses = [
            [record["response"] for record in jobs.outputs(name, length)]
            for name in ("joint", "apart")
        ]
        assert responses[0] == responses[1]
    for length in ("1k", "2k"):
        cached = {
            name: min(record["cached_tokens"] for record in jobs.outputs(name, length))
            for name in ("joint", "apart")
        }
        assert cached["apart"] < 0.1 * lengths[length] < 0.8 * lengths[length] < cached["joint"]

    parts = [jobs.built.part(length) for length in lengths]
    items = [part.joined.item(sample) for part in parts for sample in part.read()]
    names = ("context_id", "head", "context", "tail", "max_tokens")
    found = schedule(jobs, [{name: getattr(item, name) for name in names} for item in items])
    assert found["asked"] == len(items)
    assert_as_one_generate(found)


def test_two_copies_of_the_model_give_the_answers_of_one(jobs):
    for name, settings in (("alone", {}), ("both", {"data_parallel_size": 2})):
        jobs.add(name, **at_once(16), **settings)
        jobs.run(name, "l0")
    assert (loads(jobs, "alone"), loads(jobs, "both")) == (1, 2)
    # Each copy computes what its own contexts begin with alike.
    runs = (jobs.outputs(name, "l0") for name in ("alone", "both"))
    alone, both = ([one | {"cached_tokens": 0} for one in run] for run in runs)
    assert alone == both


def test_ours_takes_the_steps_and_tokens_of_one_generate(jobs):
    contexts = [f"{name}: " + f"words of context {name} " * 250 for name in "abcdef"]
    records = [
        {
            "context_id": context[0],
            "head": "Read. ",
            "context": context,
            "tail": f"\nSay {question} of it.",
            "max_tokens": 4 + 7 * question % 29,
        }
        for question in range(40)
        for context in contexts
    ]
    found = schedule(jobs, records)
    assert found["asked"] == 240
    assert_as_one_generate(found)


def test_ifevals_prompts_take_those_of_one_generate_and_compute_their_text_once(jobs):
    asked = {"lengths": {"4k": 3072}, "contexts_per_length": 1, "framing_sentences": 1}
    raw = {
        "benchmarks": ["ifeval"],
        "ifeval": {**asked, "max_tokens": 16},
        "models": {"reference": {"engine": "reference"}},
    }
    built = Prepared(raw, jobs.folder / "ifeval")
    built.make_data()
    data = built.folder / "data/prompts.jsonl"
    own = list(read_jsonl(data))
    repeated = [own[n % 24] | {"prompt_id": f"synthetic/{n}"} for n in range(841)]
    for number, record in enumerate(repeated):  # equal prompts would be sent once
        record["prompt"] += f" ({number})"
    write_jsonl(data, repeated)
    built.write_prompts()
    part = built.part("4k")
    items = map(part.joined.item, part.read())
    names = ("context_id", "head", "context", "tail", "max_tokens")
    found = schedule(jobs, [{name: getattr(item, name) for name in names} for item in items])
    assert found["asked"] == 841
    assert_as_one_generate(found)
    assert found["ours"][1] <= 0.03 * found["logical"]


def schedule(jobs: Jobs, records: list[dict]) -> dict:
    write_jsonl(jobs.folder / "prompts.jsonl", records)
    done = subprocess.run(
        [jobs.warm, HERE / "vllm_schedule.py", jobs.model, jobs.folder / "prompts.jsonl"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    print(found)
    return found


def assert_as_one_generate(found: dict) -> None:
    assert found["same"] == found["asked"]
    (steps, computed) = found["ours"]
    (plain_steps, plain_computed) = found["generate"]
    assert computed == plain_computed
    assert steps <= 1.05 * plain_steps
