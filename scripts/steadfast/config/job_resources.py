"""What an inference job asks of a machine or cluster; a change of it re-runs nothing."""

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

from steadfast.benchmark import Task
from steadfast.config.settings import judge_settings, model_settings, rewriter_settings
from steadfast.schema.config import Config
from steadfast.schema.models import BaseModelSettings

FULL_SPEED = 32_768  # tokens of context up to which `hours` holds
GB = 1000  # Snakemake's mem_mb a GB
MEM_GB = 4  # of the host: an engine without a model in the job
MEM_GB_PER_GPU = 48  # of the host: weights on their way to a GPU, and what vLLM keeps beside it
CORES_PER_GPU = 4
REWRITE_TOKENS = 8192  # of a request to a rewriter and its reply, which are short
MORE = 0.5  # of time and memory with each further attempt

Resources = dict[str, int]


def resources(model: BaseModelSettings, tokens: int, attempt: int = 1) -> Resources:
    """What one job asks for, under the names that Snakemake's SLURM plugin knows.

    Time grows with the context beyond 32k tokens, since the KV cache then holds fewer requests at
    once; time and memory grow by half with each further attempt.

    Args:
        model: the model's settings.
        tokens: budget of the job's longest context.
        attempt: 1 for the first.

    Returns:
        ``gpu`` (count), ``mem_mb`` (of the host), ``runtime`` (minutes), ``cpus_per_task``.
    """
    gpus = model.gpus if model.gpus is not None else getattr(model, "tensor_parallel_size", 0)
    mem_gb = model.mem_gb or max(MEM_GB, MEM_GB_PER_GPU * gpus)
    grown = 1 + MORE * (attempt - 1)
    return {
        "gpu": gpus,
        "mem_mb": math.ceil(GB * mem_gb * grown),
        "runtime": math.ceil(60 * model.hours * max(1, tokens / FULL_SPEED) * grown),
        "cpus_per_task": max(1, CORES_PER_GPU * gpus),
    }


def pooled_resources(jobs: Iterable[tuple[BaseModelSettings, int]], attempt: int = 1) -> Resources:
    """What each of some jobs asks for when all must ask for the same: the most of each.

    The tasks of a SLURM array share one request; a job by itself is alone in ``jobs``.

    Args:
        jobs: settings of the model, and tokens of the job's longest context.
        attempt: 1 for the first.
    """
    requests = [resources(model, tokens, attempt) for model, tokens in jobs]
    return {name: max(request[name] for request in requests) for name in requests[0]}


def resource(
    name: str, config: Config, tasks: Mapping[str, Task], workflow: Any
) -> Callable[[Any, int], int]:
    """One resource of the rules inference, verdicts and rewrites, by wildcards and attempt.

    Args:
        name: a key of what ``resources`` returns.
        config: the config.
        tasks: by benchmark.
        workflow: Snakemake's; it knows by the time of the call whether jobs go in arrays.
    """

    def ask(wildcards: Any, attempt: int) -> int:
        task = tasks[wildcards.benchmark]
        tokens = {name: part.tokens for name, part in task.parts.items()}
        judge, rewriter = wildcards.get("judge"), wildcards.get("rewriter")
        rule, names, settings = "inference", config.running, model_settings
        if judge:
            rule, names, settings = "verdicts", list(config.judges), judge_settings
        elif rewriter and task.rewriting:
            rule, names, settings = "rewrites", list(config.rewriters), rewriter_settings
            tokens = dict.fromkeys(task.rewriting.requests, REWRITE_TOKENS)
        arrays = getattr(workflow.executor_settings, "array_jobs", None) or ""
        together = rule in arrays or "all" in arrays
        alone = [(judge or rewriter or wildcards.model, wildcards.part)]
        jobs = product(names, tokens) if together else alone
        found = ((settings(config, model), tokens[part]) for model, part in jobs)
        return pooled_resources(found, attempt)[name]

    return ask
