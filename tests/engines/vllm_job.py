"""One inference job, as its rule starts it, where results/ lies.

vllm_job.py CONFIG MODEL PART [BENCHMARK [JUDGE]]: the model answers, or the judge judges it.

FAIL_AT_STEP=n: the engine is out of memory at its n-th step.
"""

import os
import sys
from pathlib import Path

from steadfast.config import answer_settings, judge_settings, load_config, model_settings
from steadfast.files import read_json
from steadfast.inference import answer_part, judge_part
from steadfast.registry import benchmark, judge_attempts
from steadfast.workflow import run_rule


def run(config_file: str, model: str, part: str, name: str = "lifbench", judge: str = "") -> None:
    raw = read_json(config_file)
    config = load_config(raw)
    kind = f"verdicts/{judge}" if judge else "outputs"
    outputs = Path("results") / name / kind / model
    log = Path(f"results/logs/{judge or model}-{part}.log")
    same = {
        "benchmark_name": name,
        "model": model,
        "part": part,
        "raw_config": raw,
        "out": outputs / f"{part}.jsonl",
        "identity_out": outputs / f"{part}.identity.json",
        "log": log,
    }
    log.parent.mkdir(parents=True, exist_ok=True)
    if judge:
        run_rule(
            judge_part,
            [str(log)],
            judge=judge,
            answers=answer_settings(judge_settings(config, judge)),
            attempts=judge_attempts(config, name),
            judging=Path(f"results/{name}/judging/{model}/{part}.jsonl"),
            **same,
        )
    else:
        run_rule(
            answer_part,
            [str(log)],
            answers=answer_settings(model_settings(config, model)),
            prompts=Path(f"results/{name}/prompts/{part}.jsonl"),
            sources=benchmark(name).sources(config, part),
            **same,
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
