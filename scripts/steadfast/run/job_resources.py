"""What an inference job asks of a machine or cluster; a change of it re-runs nothing."""

import math
import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.paths import REWRITES, VERDICTS, JournalFolders
from steadfast.config.settings import (
    answer_settings,
    judge_settings,
    model_settings,
    plan_settings,
    rewriter_settings,
)
from steadfast.contract.task import Task
from steadfast.engines.cost.expected import (
    escalated,
    job_minutes,
    past_runs,
    size_of,
    speed,
    within_most,
)
from steadfast.engines.cost.roofline import BILLION, Work
from steadfast.engines.cost.work import asked_work
from steadfast.run.loads import Loads
from steadfast.run.request_of_job import JUDGES, MODELS, REWRITERS
from steadfast.schema.config import Config
from steadfast.schema.hardware import Hardware
from steadfast.schema.model_base import BaseModelSettings
from steadfast.workflow.insides import Snakemake

GB = 1000  # Snakemake's mem_mb a GB
MEM_GB = 4  # of the host: an engine without a model in the job
MEM_GB_START, MEM_GB_PROCESS = 16, 8  # of the host: beside the weights, and with each GPU
MEM_GB_PER_GPU = 48  # of the host, where the size of the weights is not known
CORES_PER_GPU = 4
SLURM_OPTIONS = {
    "slurm_partition": "partition",
    "slurm_account": "account",
    "qos": "qos",
    "constraint": "constraint",
    "slurm_extra": "extra",
}
"""The plugin's resources that a model may set, and its keys for them."""


def gpu(model: BaseModelSettings) -> int:
    """GPUs of a job."""
    return int(plan_settings(model)["gpus"])


def cpus_per_task(model: BaseModelSettings) -> int:
    """Cores of a job."""
    return max(1, CORES_PER_GPU * gpu(model))


def mem_mb(model: BaseModelSettings, attempt: int = 1) -> int:
    """Memory of a job's host in MB: for the weights on their way to the GPUs, and the processes."""
    gpus, size = gpu(model), size_of(answer_settings(model), plan_settings(model))
    mem_gb = max(MEM_GB, MEM_GB_PER_GPU * gpus)
    if gpus and size:
        mem_gb = MEM_GB_START + MEM_GB_PROCESS * gpus + math.ceil(size.weight_bytes / BILLION)
    return escalated(GB * (model.mem_gb or mem_gb), attempt)


def runtime(
    model: BaseModelSettings,
    hardware: Hardware,
    work: Work,
    others: Iterable[Work] = (),
    sharing: int = 1,
    folders: Iterable[Path] = (),
    attempt: int = 1,
) -> int:
    """Minutes of a job, for its work and its share of the load, within ``max_hours``.

    The jobs of a load may run one after the other in one allocation, which asks for their sum.

    Args:
        model: its settings.
        hardware: the config's.
        work: what the job asks.
        others: what the jobs ask that share its load, as far as it is known.
        sharing: jobs that share the load, this one among them.
        folders: where what past runs of the model took is recorded.
        attempt: 1 for the first.
    """
    given, answers, plan = hardware.model_dump(), answer_settings(model), dict(plan_settings(model))
    if not plan["gpus"]:  # no part of the plan, which a change of it does not re-run
        plan["at_once"] = getattr(model, "concurrency", plan["at_once"])
    found = speed(answers, plan, given, past_runs(folders, given, plan["gpus"] // plan["copies"]))
    minutes = [
        job_minutes(one, found, sharing, given, model.hours, attempt) for one in (work, *others)
    ]
    return within_most(minutes, given)[0]


@dataclass(frozen=True)
class Jobs:
    """The jobs of one of the rules inference, verdicts and rewrites, by benchmark.

    Args:
        config: the config.
        task: of the benchmark.
        benchmark: its name.
        results: folder of all results.
        model: whose answers are asked for or judged; None in the rule rewrites.
        judge: in the rule verdicts, who judges; else None.
        rewriter: in the rule rewrites, who rewords; else None.
    """

    config: Config
    task: Task
    benchmark: str
    results: Path
    model: str | None
    judge: str | None = None
    rewriter: str | None = None

    @property
    def settings(self) -> BaseModelSettings:
        """Of who answers."""
        if self.judge:
            return judge_settings(self.config, self.judge)
        if self.rewriter:
            return rewriter_settings(self.config, self.rewriter)
        return model_settings(self.config, str(self.model))

    @property
    def parts(self) -> Sequence[str]:
        """Of the benchmark, or the rounds of its rewriting."""
        if self.rewriter and self.task.rewriting:
            return list(self.task.rewriting.requests)
        return list(self.task.parts)

    def runtime(self, part: str, attempt: int, others: Sequence[tuple["Jobs", str]] = ()) -> int:
        """Minutes of one job.

        Args:
            part: that it asks.
            attempt: 1 for the first.
            others: those that share its load, with their parts; none where it loads its model for
                itself, as each job of an array does, or loads none.

        Raises:
            FileNotFoundError: its prompts are not made yet.
        """
        limited = others if self.config.hardware.max_hours is not None else ()
        name = self.judge or self.rewriter or str(self.model)
        kind = VERDICTS if self.judge else REWRITES if self.rewriter else None
        return runtime(
            self.settings,
            self.config.hardware,
            self._work(part),
            [of._work(one) for of, one in limited if of._prompts(one).exists()],
            1 + len(others),
            JournalFolders(self.results, name, kind),
            attempt,
        )

    def _work(self, part: str) -> Work:
        tokens = 0 if self.judge or self.rewriter else self.task.parts[part].tokens
        return asked_work(self._prompts(part), tokens, answer_settings(self.settings))

    def _prompts(self, part: str) -> Path:
        if self.judge:
            return self.results / f"{self.benchmark}/judging/{self.model}/{part}.jsonl"
        if self.rewriter and self.task.rewriting:
            return self.results / self.task.rewriting.requests[part]
        kind = "prompts" if self.config.limit is None else "trial"
        return self.results / f"{self.benchmark}/{kind}/{part}.jsonl"


def _jobs_of(loads: Loads, benchmark: str, *who: str | None) -> Jobs:
    run = loads.run
    return Jobs(run.config, run.tasks[benchmark], benchmark, loads.results, *who)


def _submitted_together(
    wildcards: Any, loads: Loads, snakemake: Snakemake
) -> tuple[Jobs, list[Jobs]]:
    """The jobs of a rule that one is of, and all whose request to the cluster is the same."""
    config = loads.run.config
    judge, rewriter = wildcards.get("judge"), wildcards.get("rewriter")
    rule = "verdicts" if judge else "rewrites" if rewriter else "inference"
    arrays = snakemake.arrays
    of = partial(_jobs_of, loads, wildcards.benchmark)
    own = of(wildcards.get("model"), judge, rewriter)
    if rule not in arrays and "all" not in arrays:
        return own, [own]
    if judge:
        return own, [of(*pair) for pair in product(config.running, config.judges)]
    if rewriter:
        return own, [of(None, None, one) for one in config.rewriters]
    return own, [of(one) for one in config.running]


def resource(name: str, loads: Loads, snakemake: Snakemake) -> Callable[[Any, int], int]:
    """One resource of the rules inference, verdicts and rewrites, by wildcards and attempt.

    Where jobs go in arrays, all of an array share one request: the most of each.

    Args:
        name: ``gpu``, ``cpus_per_task``, ``mem_mb`` or ``runtime``.
        loads: of the config's models.
        snakemake: the run; it knows by the time of the call whether jobs go in arrays.
    """

    def others(wildcards: Any) -> list[tuple[Jobs, str]]:
        own = (wildcards.get("rewriter") or wildcards.get("model"), wildcards.get("judge") or "")
        found = []
        for job in loads.missing(wildcards):
            place = ((job.model, job.judge), job.benchmark, job.part)
            if place != (own, wildcards.benchmark, wildcards.part):
                who = {
                    MODELS: (job.model,),
                    JUDGES: (job.model, job.judge),
                    REWRITERS: (None, None, job.model),
                }[loads.role(job)]
                found.append((_jobs_of(loads, job.benchmark, *who), job.part))
        return found

    def ask(wildcards: Any, attempt: int) -> int:
        own, jobs = _submitted_together(wildcards, loads, snakemake)
        if name == "runtime":
            if jobs == [own]:
                return own.runtime(wildcards.part, attempt, others(wildcards))
            asked = [own.runtime(wildcards.part, attempt)]
            for one, part in product(jobs, own.parts):
                with suppress(FileNotFoundError):  # its prompts will be of an array to come
                    asked.append(one.runtime(part, attempt))
            return max(asked)
        if name == "mem_mb":
            return max(mem_mb(one.settings, attempt) for one in jobs)
        return max({"gpu": gpu, "cpus_per_task": cpus_per_task}[name](one.settings) for one in jobs)

    return ask


def slurm_option(name: str, loads: Loads, snakemake: Snakemake) -> Callable[..., str | int | None]:
    """What SLURM is told of the jobs of rules inference, verdicts and rewrites, by their model.

    Args:
        name: the plugin's resource, one of ``SLURM_OPTIONS``.
        loads: of the config's models.
        snakemake: the run; what its profile says of all jobs stands in for what a model lacks.
    """

    def ask(wildcards: Any, **known: Any) -> Any:
        own, jobs = _submitted_together(wildcards, loads, snakemake)
        options = {_slurm_option(one.settings, name) for one in jobs}
        if len(options) > 1:
            raise UserError(
                f"slurm.{SLURM_OPTIONS[name]} differs among the models, and the jobs of an array "
                "have one; choose models that agree with --config only, or submit no array"
            )
        if option := _slurm_option(own.settings, name):
            return option
        return snakemake.default_resource(name, wildcards, **known)

    return ask


def _slurm_option(model: BaseModelSettings, name: str) -> str | None:
    stated = getattr(model.slurm, SLURM_OPTIONS[name]) if model.slurm else None
    return shlex.join(stated) if isinstance(stated, list) else stated
