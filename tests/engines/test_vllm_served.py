"""A job that serves its model by real vLLM, on the CPU, and counts with the model's tokenizer."""

import pytest

from steadfast.base.files import read_json
from steadfast.engines.asking.requests import record_path
from vllm_jobs import Jobs

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500)]

WINDOW = 1200


def test_one_server_asks_all_parts_and_prompts_are_cut_by_the_model_s_own_tokens(tmp_path):
    jobs = Jobs(tmp_path, {"2k": 2048, "3k": 3072})
    module = [str(jobs.python), "-m", "vllm.entrypoints.openai.api_server"]
    named = ["--model", str(jobs.model), "--served-model-name", "tiny", "--dtype", "float32"]
    settings = {
        "engine": "openai",
        "model": "tiny",
        "serve": [*module, *named, "--host", "127.0.0.1", "--port", "{port}"],
        "serve_operation_args": ["--enforce-eager", "--max-model-len", str(WINDOW)],
        "tokenizer": str(jobs.model),
        "window": WINDOW,
        "on_overflow": "truncate",
        "max_concurrency": 4,
    }
    jobs.configure("served", settings)
    jobs.run("served", "2k", "--together")
    jobs.run("served", "3k", "--together")
    runs = [read_json(record_path(jobs.journal("served", part)))["runs"] for part in ("2k", "3k")]
    loading = [[run["load_seconds"] > 0 for run in part] for part in runs]
    assert loading[0] == [True] and not any(loading[1])
    served = jobs.outputs("served", "2k") + jobs.outputs("served", "3k")
    # The server refuses a prompt that is one token too long: none was, and many were cut.
    assert {output["status"] for output in served} <= {"ok", "length"}
    assert sum(output["prompt_truncated_tokens"] > 0 for output in served) > len(served) / 2
    longest = max(output["prompt_tokens"] for output in served)
    assert 0.97 * WINDOW < longest <= WINDOW - 1
