"""A job that serves its model by real vLLM, on the CPU, and counts with the model's tokenizer."""

import pandas as pd
import pytest

from steadfast.base.files import read_json
from steadfast.engines.sending.requests import record_path
from vllm_jobs import Jobs

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500)]

WINDOW = 1200


def test_server_is_shared_and_prompts_are_truncated_by_the_models_tokens(tmp_path):
    jobs = Jobs(tmp_path, {"2k": 2048, "3k": 3072})
    program = [str(jobs.python), "-m", "vllm.entrypoints.openai.api_server"]
    model = ["--model", str(jobs.model), "--served-model-name", "tiny", "--dtype", "float32"]
    settings = {
        "engine": "openai",
        "model": "tiny",
        "serve": [*program, *model, "--host", "127.0.0.1", "--port", "{port}"],
        "serve_operation_args": ["--enforce-eager", "--max-model-len", str(WINDOW)],
        "tokenizer": str(jobs.model),
        "window": WINDOW,
        "on_overflow": "truncate",
        "max_concurrency": 4,
    }
    jobs.configure("served", settings)
    is_loaded = {}
    for part in ("2k", "3k"):
        jobs.run("served", part, "--together")
        runs = read_json(record_path(jobs.journal("served", part)))["runs"]
        is_loaded[part] = [run["load_seconds"] > 0 for run in runs]
    assert is_loaded["2k"] == [True] and not any(is_loaded["3k"])
    outputs = pd.DataFrame(jobs.outputs("served", "2k") + jobs.outputs("served", "3k"))
    # The server rejects a prompt that is one token too long: none was, and many were truncated.
    assert set(outputs.status) <= {"ok", "length"}
    assert (outputs.prompt_truncated_tokens > 0).mean() > 0.5
    assert 0.97 * WINDOW < outputs.prompt_tokens.max() <= WINDOW - 1
