"""One inference job, as its rule starts it: vllm_job.py CONFIG MODEL LENGTH, where results/ lies.

FAIL_AT_STEP=n: the engine is out of memory at its n-th step.
"""

import os
import sys
from pathlib import Path

from steadfast.config import answer_settings, load_config, model_settings
from steadfast.files import read_json
from steadfast.inference import answer_part
from steadfast.registry import benchmark
from steadfast.workflow import run_rule


def run(config_file: str, model: str, length: str) -> None:
    raw = read_json(config_file)
    config = load_config(raw)
    outputs = Path("results/lifbench/outputs") / model
    log = Path(f"results/logs/{model}-{length}.log")
    run_rule(
        answer_part,
        [str(log)],
        benchmark_name="lifbench",
        model=model,
        part=length,
        answers=answer_settings(model_settings(config, model)),
        raw_config=raw,
        prompts=Path(f"results/lifbench/prompts/{length}.jsonl"),
        sources=benchmark("lifbench").sources(config, length),
        out=outputs / f"{length}.jsonl",
        identity_out=outputs / f"{length}.identity.json",
        log=log,
    )


def fail_at(number: int) -> None:
    import torch
    from vllm.v1.engine.llm_engine import LLMEngine

    step, steps = LLMEngine.step, iter(range(1, number + 1))

    def failing(engine):
        if next(steps) == number:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return step(engine)

    LLMEngine.step = failing


if __name__ == "__main__":
    if failing_step := os.environ.get("FAIL_AT_STEP"):
        os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
        fail_at(int(failing_step))
    run(*sys.argv[1:])
