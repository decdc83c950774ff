"""One inference job, as its rule starts it, where results/ lies.

vllm_job.py CONFIG MODEL PART [JUDGE]: the model answers, or the judge judges it.
vllm_job.py CONFIG MODEL PART --together: the model answers, and with its load all other parts.

FAIL_AT_STEP=n: the engine is out of memory at its n-th step.
"""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

from prepared import Prepared
from steadfast.base.files import read_json
from steadfast.jobs.job import Job
from steadfast.stages.one_load import run_with_siblings
from steadfast.workflow.script import run_rule


def run(config_file: str, model: str, part: str, judge: str = "") -> None:
    prepared = Prepared(read_json(config_file), Path("results"))
    asked = Job("inference", prepared.name, model, part)
    if judge and judge != "--together":
        asked = Job("verdicts", prepared.name, model, part, judge)
    log = prepared.results / asked.log
    log.parent.mkdir(parents=True, exist_ok=True)
    job = SimpleNamespace(log=[str(log)], params={}, wildcards={})
    if judge == "--together":
        jobs = (Job("inference", prepared.name, model, one) for one in prepared.task.parts)
        together = [prepared.assignment(one) for one in jobs]
        (own,) = (one for one in together if one.job == asked)
        operation = prepared.config.models[model].model_dump()
        given = {"assignment": own, "operation": operation, "together": together}
        run_rule(run_with_siblings, job, with_provenance=False, **given)
    elif judge:
        run_rule(prepared.judge, job, with_provenance=False, judge=judge, model=model, part=part)
    else:
        run_rule(prepared.answer, job, with_provenance=False, model=model, part=part)


def fail_at(number: int) -> None:
    import torch
    from vllm.v1.engine.llm_engine import LLMEngine

    step = LLMEngine.step
    steps = iter(range(1, number + 1))

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
