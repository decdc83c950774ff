"""One inference job, as its rule starts it, in the folder of results/.

vllm_job.py CONFIG MODEL PART: the model answers.
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


def run(config_file: str, model: str, part: str, *options: str) -> None:
    prepared = Prepared(read_json(config_file), Path("results"))
    assignments = {}
    for name in prepared.task.parts:
        assignments[name] = prepared.assignment(Job("inference", prepared.name, model, name))
    log = prepared.results / assignments[part].job.log
    log.parent.mkdir(parents=True, exist_ok=True)
    rule = SimpleNamespace(log=[str(log)], params={}, wildcards={})
    if options == ("--together",):
        run_rule(
            run_with_siblings,
            rule,
            with_provenance=False,
            assignment=assignments[part],
            operation=prepared.config.models[model].model_dump(),
            together=list(assignments.values()),
        )
    else:
        run_rule(prepared.answer, rule, with_provenance=False, model=model, part=part)


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
