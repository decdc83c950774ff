"""Real vLLM on the CPU with a tiny model: all tasks, contexts computed once, kills."""

import random
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd
import pytest

from steadfast.base.files import read_jsonl, write_jsonl
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from vllm_jobs import Jobs, at_once
from vllm_venv import environment

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500)]

LENGTHS = {"2k": 2048, "3k": 3072}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory) -> Jobs:
    return Jobs(tmp_path_factory.mktemp("vllm"), LENGTHS)


@pytest.fixture(scope="module")
def jobs_with_tiny(jobs) -> Jobs:
    """The jobs after one has run without interruption: tiny at 2k."""
    jobs.add("tiny", **at_once(8))
    jobs.run("tiny", "2k")
    return jobs


def test_each_context_of_all_tasks_is_computed_once(jobs_with_tiny):
    jobs = jobs_with_tiny
    jobs.run("tiny", "3k")
    for length in LENGTHS:
        prompts = pd.DataFrame(read_jsonl(jobs.built.prompts(length)))
        outputs = pd.DataFrame(jobs.outputs("tiny", length))
        assert outputs.sample_id.tolist() == prompts.sample_id.tolist()
        assert set(prompts.task) == set(TASKS)
        assert set(outputs.status) <= {"ok", "length"}
        assert outputs.response.nunique() > len(outputs) / 2

        is_computed = outputs.cached_tokens < outputs.prompt_tokens / 2
        assert (is_computed.groupby(prompts.context_id).sum() == 1).all()
        cached_tokens = outputs.cached_tokens.sum()
        cached_share = cached_tokens / outputs.prompt_tokens.sum()
        assert cached_share > 0.85
        assert f"({cached_share:.1%})" in jobs.log("tiny", length)

        jobs.built.score("tiny", length)
        scores = pd.DataFrame(read_jsonl(jobs.built.scores("tiny", length)))
        assert scores.total.between(0, 1).all()

        provenance = jobs.provenance("tiny", length)
        assert {"torch", "transformers"} < set(provenance["packages"])
        assert len(provenance["answers"]["chat_template"]) == 64
        assert provenance["files"]["positions"]["max_position_embeddings"] == 16384
        assert provenance["served"][0]["responses"] == len(outputs)
        assert provenance["tokens"]["cached"] == cached_tokens


@contextmanager
def serving(jobs: Jobs, *options: str) -> Iterator[str]:
    """A vLLM server with the tiny model while the block runs; its address."""
    with socket.socket() as free_socket:
        free_socket.bind(("127.0.0.1", 0))
        port = free_socket.getsockname()[1]
    arguments = ["--model", jobs.model, "--served-model-name", "tiny", "--dtype", "float32"]
    arguments += ["--host", "127.0.0.1", "--port", str(port), "--max-model-len", "16384"]
    arguments += ["--enforce-eager", "--enable-prompt-tokens-details", *options]
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


def test_openai_engine_gets_answers_of_a_vllm_server(jobs_with_tiny):
    jobs = jobs_with_tiny
    with serving(jobs) as url:
        settings = {"engine": "openai", "model": "tiny", "window": 8192, "max_concurrency": 4}
        jobs.configure("served", {**settings, "base_url": url, "api_key_env": None})
        jobs.run("served", "2k")
    served = pd.DataFrame(jobs.outputs("served", "2k"))
    offline = pd.DataFrame(jobs.outputs("tiny", "2k"))
    assert set(served.status) <= {"ok", "length"}
    # The server and the offline engine put the same template around the same prompts.
    assert served.prompt_tokens.tolist() == offline.prompt_tokens.tolist()
    assert served.cached_tokens.sum() / served.prompt_tokens.sum() > 0.85
    assert jobs.journal("served", "2k").read_text().count("\n") == len(served)
    assert jobs.provenance("served", "2k")["served"][0]["model"] == "tiny"


def test_interrupted_job_answers_each_request_once_and_the_same(jobs_with_tiny):
    jobs = jobs_with_tiny
    jobs.add("killed", **at_once(8))
    journal = jobs.journal("killed", "2k")

    messages = jobs.run("killed", "2k", code=1, FAIL_AT_STEP="60")
    assert "out of memory with 8 concurrent requests" in messages
    assert "run again, which continues with 4 concurrent requests" in messages
    answer_count = journal.read_text().count("\n")
    assert answer_count > 0

    rng = random.Random("moments")
    for _ in range(2):
        answer_count += rng.randint(3, 8)
        job = jobs.start("killed", "2k")
        while job.poll() is None and journal.read_text().count("\n") < answer_count:
            time.sleep(0.002)
        job.send_signal(signal.SIGKILL)
        assert job.wait() == -signal.SIGKILL
        assert "4 concurrent requests" in jobs.log("killed", "2k")
    jobs.run("killed", "2k")
    hashes = [line["hash"] for line in read_jsonl(journal)]
    assert len(hashes) == len(set(hashes)) == len(jobs.outputs("killed", "2k"))
    assert not journal.with_suffix(".hint.json").exists()
    assert jobs.outputs_without_cache("killed", "2k") == jobs.outputs_without_cache("tiny", "2k")


def test_base_model_with_yarn_and_short_window_gets_truncated_contexts(jobs):
    yarn = {"rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": 16384}
    jobs.add(
        "base",
        template="base",
        window=1024,
        on_overflow="truncate",
        hf_overrides={"rope_parameters": {"rope_theta": 10000.0, **yarn}},
    )
    jobs.run("base", "2k")
    outputs = pd.DataFrame(jobs.outputs("base", "2k"))
    assert (outputs.prompt_truncated_tokens > 0).all()
    assert set(outputs.status) <= {"ok", "length"}
    assert outputs.prompt_tokens.between(1024 - 32 - 16, 1024 - 16).all()
    provenance = jobs.provenance("base", "2k")
    assert provenance["answers"]["suffix"] == "Output: "
    assert provenance["files"]["positions"]["rope_parameters"]["rope_type"] == "yarn"
    assert provenance["tokens"]["cached"] / provenance["tokens"]["prompt"] > 0.6


def test_examples_of_a_base_model_are_computed_once_a_context(jobs):
    examples = []
    for word in ("one", "two", "three"):
        examples.append({"instruction": f"Say {word} and no more. " * 20, "output": word})
    write_jsonl(jobs.folder / "examples.jsonl", examples)
    jobs.add("zero_shot", template="base")
    jobs.add("few_shot", template="base", examples="examples.jsonl")
    jobs.run("zero_shot", "2k")
    jobs.run("few_shot", "2k")
    zero_shot = pd.DataFrame(jobs.outputs("zero_shot", "2k"))
    few_shot = pd.DataFrame(jobs.outputs("few_shot", "2k"))
    example_tokens = few_shot.prompt_tokens - zero_shot.prompt_tokens
    assert example_tokens.nunique(dropna=False) == 1
    assert example_tokens[0] > 3 * 20 * 4
    assert set(few_shot.request_hash).isdisjoint(zero_shot.request_hash)
    provenance = jobs.provenance("few_shot", "2k")
    assert provenance["fitting"]["examples"]["number"] == 3
    assert provenance["tokens"]["cached"] / provenance["tokens"]["prompt"] > 0.9


LOCAL_TEXT_PROGRAM = """
import sys
from dataclasses import replace
from steadfast.engines.sending.local_text import LocalText
from steadfast.contract.request import Request

def request(prefix, suffix):
    return Request("s", "c", ("c", ""), prefix, suffix, 16, None, 0, 1.0, None, "h")

for template in ("chat", "base"):
    text = LocalText(sys.argv[1], template=template)
    context = "Read this. " + "words of a long text, né? " * 200
    requests = []
    for prefix in (context, context[:2000], "short ", ""):
        requests += [request(prefix, f"\\nAsk {n}: what?") for n in range(3)]
    for encoded_request, ids in text.encode_prompts(requests):
        prompt = encoded_request.prompt
        rendered = text.render(prompt)
        assert ids == text._tokenizer.encode(rendered, add_special_tokens=template == "base")
        assert len(ids) <= text.count(prompt) + text.template_tokens()
        assert prompt in rendered

    turns = (("First?", "One."), ("Second?", "Two."))
    (_, ids), = text.encode_prompts([replace(request("Third", "?"), turns=turns)])
    conversation = text._tokenizer.decode(ids)
    messages = ("First?", "One.", "Second?", "Two.", "Third?")
    positions = [conversation.index(message) for message in messages]
    assert positions == sorted(positions)
    assert len(ids) <= sum(text.count(message) + text.template_tokens() for message in messages)
"""


def test_encoding_with_shared_prefixes_changes_no_token(jobs):
    jobs.run_python("-c", LOCAL_TEXT_PROGRAM, jobs.model)


def test_missing_model_is_reported(jobs):
    jobs.add("missing", model=str(jobs.folder / "nowhere"))
    messages = jobs.run("missing", "2k", code=1)
    assert "nowhere cannot be loaded" in messages
    assert "Traceback" not in messages
