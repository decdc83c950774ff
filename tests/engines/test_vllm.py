"""Real vLLM on the CPU with a tiny model: all tasks, one computation a context, any death."""

import json
import random
import signal
import socket
import subprocess
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from steadfast.base.files import read_jsonl
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from vllm_jobs import Jobs, at_once
from vllm_venv import environment

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500)]

LENGTHS = {"2k": 2048, "3k": 3072}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory) -> Jobs:
    return Jobs(tmp_path_factory.mktemp("vllm"), LENGTHS)


@pytest.fixture(scope="module")
def undisturbed(jobs) -> Jobs:
    """The jobs, of which one has run without a disturbance: tiny at 2k."""
    jobs.add("tiny", **at_once(8))
    jobs.run("tiny", "2k")
    return jobs


def test_all_tasks_at_two_lengths_compute_each_context_once(undisturbed):
    jobs = undisturbed
    jobs.run("tiny", "3k")
    for length in LENGTHS:
        prompts = list(read_jsonl(jobs.built.prompts(length)))
        outputs = jobs.outputs("tiny", length)
        assert [o["sample_id"] for o in outputs] == [p["sample_id"] for p in prompts]
        assert {p["task"] for p in prompts} == set(TASKS)
        assert {o["status"] for o in outputs} <= {"ok", "length"}
        assert len({o["response"] for o in outputs}) > len(outputs) / 2

        contexts = defaultdict(list)
        for prompt, output in zip(prompts, outputs, strict=True):
            contexts[prompt["context_id"]].append(output)
        for context in contexts.values():
            cold = [o for o in context if o["cached_tokens"] < o["prompt_tokens"] / 2]
            assert len(cold) == 1
        logical = sum(o["prompt_tokens"] for o in outputs)
        cached = sum(o["cached_tokens"] for o in outputs)
        assert cached / logical > 0.85
        assert f"({cached / logical:.1%})" in jobs.log("tiny", length)

        jobs.built.score("tiny", length)
        assert all(0 <= s["total"] <= 1 for s in read_jsonl(jobs.built.scores("tiny", length)))

        found = jobs.provenance("tiny", length)
        assert {"torch", "transformers"} < set(found["packages"])
        assert len(found["answers"]["chat_template"]) == 64
        assert found["files"]["positions"]["max_position_embeddings"] == 16384
        assert found["served"][0]["responses"] == len(outputs)
        assert found["tokens"]["cached"] == cached


@contextmanager
def serving(jobs: Jobs, *further: str) -> Iterator[str]:
    """A vLLM server with the tiny model while the block runs; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ["--model", jobs.model, "--served-model-name", "tiny", "--dtype", "float32"]
    arguments += ["--host", "127.0.0.1", "--port", str(port), "--max-model-len", "16384"]
    arguments += ["--enforce-eager", "--enable-prompt-tokens-details", *further]
    with open(jobs.folder / "server.log", "w") as messages:
        server = subprocess.Popen(
            [jobs.python, "-m", "vllm.entrypoints.openai.api_server", *arguments],
            cwd=jobs.folder,
            env=environment(VLLM_NO_USAGE_STATS="1"),
            stdout=messages,
            stderr=subprocess.STDOUT,
        )
    try:
        end = time.monotonic() + 300
        while not healthy(f"http://127.0.0.1:{port}/health"):
            assert server.poll() is None, (jobs.folder / "server.log").read_text()
            assert time.monotonic() < end
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait()


def healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as reply:
            return reply.status == 200
    except OSError:
        return False


def test_the_openai_engine_asks_a_vllm_server(undisturbed):
    jobs = undisturbed
    with serving(jobs) as url:
        settings = {"engine": "openai", "model": "tiny", "window": 8192, "max_concurrency": 4}
        jobs.configure("served", {**settings, "base_url": url, "api_key_env": None})
        jobs.run("served", "2k")
    served = jobs.outputs("served", "2k")
    offline = jobs.outputs("tiny", "2k")
    assert {o["status"] for o in served} <= {"ok", "length"}
    # The server and the offline engine put the same template around the same prompts.
    assert [o["prompt_tokens"] for o in served] == [o["prompt_tokens"] for o in offline]
    cached = sum(o["cached_tokens"] for o in served)
    assert cached / sum(o["prompt_tokens"] for o in served) > 0.85
    assert jobs.journal("served", "2k").read_text().count("\n") == len(served)
    assert jobs.provenance("served", "2k")["served"][0]["model"] == "tiny"


def test_after_any_death_each_request_is_answered_once_and_the_same(undisturbed):
    jobs = undisturbed
    jobs.add("killed", **at_once(8))
    journal = jobs.journal("killed", "2k")

    messages = jobs.run("killed", "2k", code=1, FAIL_AT_STEP="60")
    assert "out of memory with 8 concurrent requests" in messages
    assert "run again, which continues with 4 concurrent requests" in messages
    answered = journal.read_text().count("\n")
    assert answered > 0

    moments = random.Random("moments")
    for _ in range(2):
        answered += moments.randint(3, 8)
        job = jobs.start("killed", "2k")
        while job.poll() is None and journal.read_text().count("\n") < answered:
            time.sleep(0.002)
        job.send_signal(signal.SIGKILL)
        assert job.wait() == -signal.SIGKILL
        assert "4 concurrent requests" in jobs.log("killed", "2k")
    jobs.run("killed", "2k")
    hashes = [json.loads(line)["hash"] for line in journal.read_text().splitlines()]
    assert len(hashes) == len(set(hashes)) == len(jobs.outputs("killed", "2k"))
    assert not journal.with_suffix(".hint.json").exists()

    runs = (jobs.outputs(name, "2k") for name in ("killed", "tiny"))
    # What was cached tells what happened: a context is computed once more after a restart.
    killed, whole = ([o | {"cached_tokens": 0} for o in run] for run in runs)
    assert killed == whole


def test_a_base_model_with_yarn_and_a_short_window_reads_cut_contexts(jobs):
    yarn = {"rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": 16384}
    jobs.add(
        "base",
        template="base",
        window=1024,
        on_overflow="truncate",
        hf_overrides={"rope_parameters": {"rope_theta": 10000.0, **yarn}},
    )
    jobs.run("base", "2k")
    outputs = jobs.outputs("base", "2k")
    assert all(o["prompt_truncated_tokens"] > 0 for o in outputs)
    assert {o["status"] for o in outputs} <= {"ok", "length"}
    assert all(1024 - 32 <= o["prompt_tokens"] + 16 <= 1024 for o in outputs)
    found = jobs.provenance("base", "2k")
    assert found["answers"]["suffix"] == "Output: "
    assert found["files"]["positions"]["rope_parameters"]["rope_type"] == "yarn"
    assert found["tokens"]["cached"] / found["tokens"]["prompt"] > 0.6


def test_examples_stand_before_a_base_models_prompts_and_are_computed_once_a_context(jobs):
    with open(jobs.folder / "examples.jsonl", "w") as lines:
        for word in ("one", "two", "three"):
            example = {"instruction": f"Say {word} and no more. " * 20, "output": word}
            lines.write(json.dumps(example) + "\n")
    jobs.add("zero", template="base")
    jobs.add("shots", template="base", examples="examples.jsonl")
    for name in ("zero", "shots"):
        jobs.run(name, "2k")
    zero, shots = (jobs.outputs(name, "2k") for name in ("zero", "shots"))
    more = {b["prompt_tokens"] - a["prompt_tokens"] for a, b in zip(zero, shots, strict=True)}
    assert len(more) == 1 and more.pop() > 3 * 20 * 4
    assert not {a["request_hash"] for a in zero} & {b["request_hash"] for b in shots}
    found = jobs.provenance("shots", "2k")
    assert found["fitting"]["examples"]["number"] == 3
    assert found["tokens"]["cached"] / found["tokens"]["prompt"] > 0.9


TEXT = """
import sys
from dataclasses import replace
from steadfast.engines.asking.local_text import LocalText
from steadfast.contract.request import Request

def request(prefix, suffix):
    return Request("s", "c", ("c", ""), prefix, suffix, 16, None, 0, 1.0, None, "h")

for template in ("chat", "base"):
    text = LocalText(sys.argv[1], template=template)
    context = "Read this. " + "words of a long text, né? " * 200
    prefixes = (context, context[:2000], "short ", "")
    asked = [request(p, f"\\nAsk {n}: what?") for p in prefixes for n in range(3)]
    for found, ids in text.encode_prompts(asked):
        rendered = text.render(found.prompt)
        assert ids == text._tokenizer.encode(rendered, add_special_tokens=template == "base")
        assert len(ids) <= text.count(found.prompt) + text.template_tokens()
        assert found.prompt in rendered

    turns = (("First?", "One."), ("Second?", "Two."))
    (_, ids), = text.encode_prompts([replace(request("Third", "?"), turns=turns)])
    whole = text._tokenizer.decode(ids)
    places = [whole.index(part) for pair in (*turns, ("Third?",)) for part in pair]
    assert places == sorted(places)
    counted = sum(text.count(part) + text.template_tokens() for pair in turns for part in pair)
    assert len(ids) <= counted + text.count("Third?") + text.template_tokens()
print(text.template_tokens())
"""


def test_sharing_the_work_on_a_prefix_changes_no_token(jobs):
    done = subprocess.run(
        [jobs.warm, "-c", TEXT, str(jobs.model)],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_model_that_is_not_there_is_one_sentence(jobs):
    jobs.add("missing", model=str(jobs.folder / "nowhere"))
    messages = jobs.run("missing", "2k", code=1)
    assert "nowhere cannot be loaded" in messages
    assert "Traceback" not in messages
