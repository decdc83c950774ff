"""The resources that an inference job requests; a change of them re-runs nothing."""

import shlex
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from steadfast.config.settings import gpus, plan_settings, response_settings
from steadfast.contract.engine_names import WITHOUT_MODEL
from steadfast.engines.cost import expected
from steadfast.engines.cost.forecast import Work, evaluation_work
from steadfast.jobs.job import MODELS, Job, Journals, queries_model
from steadfast.jobs.loads import Loads
from steadfast.schema.config import Hardware
from steadfast.schema.model_base import BaseModelSettings
from steadfast.workflow.failures import FailedJobs
from steadfast.workflow.insides import Snakemake

GB = 1000  # Snakemake's mem_mb per GB
MEM_GB = 4  # of the host: an engine without a model in the job
MEM_GB_PER_GPU = 48  # of the host, for the weights on their way to the GPUs, and the processes
CORES_PER_GPU = 4
# Options of sbatch for which Snakemake's plugin has a resource, and that resource.
SLURM_RESOURCES = {
    "partition": "slurm_partition",
    "account": "slurm_account",
    "qos": "qos",
    "constraint": "constraint",
}
# The plugin's resource for all other options, as words of a shell.
SLURM_EXTRA = "slurm_extra"


def cpus_per_task(model: BaseModelSettings) -> int:
    """Cores of a job."""
    return max(1, CORES_PER_GPU * gpus(model))


def mem_mb(model: BaseModelSettings, attempt: int = 1) -> int:
    """Memory of a job's host in MB."""
    mem_gb = model.mem_gb or max(MEM_GB, MEM_GB_PER_GPU * gpus(model))
    return expected.with_increase(GB * mem_gb, attempt)


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

    The jobs of a load may run one after the other in one allocation, which requests their sum.
    """
    plan = plan_settings(model)
    speed = expected.speed(plan, expected.past_runs(folders, plan["gpus"] // plan["copies"]))
    minutes = []
    for job_work in (work, *others):
        minutes.append(expected.job_minutes(job_work, speed, sharing, model.hours, attempt))
    return expected.limited_minutes(minutes, hardware.max_hours)[0]


def slurm_resources(model: BaseModelSettings) -> dict[str, str]:
    """Resources of Snakemake's SLURM plugin, by the options of sbatch that a model states."""
    resources: dict[str, str] = {}
    further: list[str] = []
    for option, value in model.slurm.items():
        if option in SLURM_RESOURCES:
            resources[SLURM_RESOURCES[option]] = str(value)
        elif value is True:
            further.append(f"--{option}")
        elif value is not False:
            further.append(f"--{option}={value}")
    if further:
        resources[SLURM_EXTRA] = shlex.join(further)
    return resources


class Scheduling:
    """Order, group and resources of the jobs of the rules inference, verdicts and rewrites.

    Each method is a function of wildcards, as a rule takes it.
    """

    def __init__(self, loads: Loads, snakemake: Snakemake, failures: FailedJobs):
        self._loads = loads
        self._run = loads.run
        self._snakemake = snakemake
        # A retry gets more of what the last try was short of, and of nothing else.
        self.mem_mb = failures.by_shortage("mem_mb", self._mem_mb)
        self.runtime = failures.by_shortage("runtime", self._runtime)

    def priority(self, wildcards: Any) -> int:
        """A job's priority: the models before judges, the first job of a load before others."""
        return self._loads.priority(Job.of(wildcards))

    def group(self, wildcards: Any) -> str | None:
        """The jobs of one shared load, which a cluster runs together (group-components: load)."""
        load = self._loads.of(Job.of(wildcards))
        return None if load is None else self._snakemake.group(load, "load")

    def load(self, wildcards: Any) -> int:
        """1 for a job that loads a model, else 0: a profile limits how many run at a time."""
        return int(self._loads.of(Job.of(wildcards)) is not None)

    def gpu(self, wildcards: Any) -> int:
        """GPUs of a job."""
        return gpus(self._run.settings(Job.of(wildcards)))

    def cpus_per_task(self, wildcards: Any) -> int:
        """Cores of a job."""
        return cpus_per_task(self._run.settings(Job.of(wildcards)))

    def _mem_mb(self, wildcards: Any, attempt: int) -> int:
        return mem_mb(self._run.settings(Job.of(wildcards)), attempt)

    def _runtime(self, wildcards: Any, attempt: int) -> int:
        """Minutes of a job among those that share its load; raises without prompts."""
        job = Job.of(wildcards)
        hardware = self._run.config.hardware
        siblings = [sibling for sibling in self._loads.missing(job) if sibling != job]
        # Without a limit on their sum, the siblings' own work makes no difference.
        limited = siblings if hardware.max_hours is not None else ()
        return runtime(
            self._run.settings(job),
            hardware,
            self._work(job),
            [self._work(sibling) for sibling in limited if self._prompts(sibling).exists()],
            1 + len(siblings),
            Journals(self._loads.results, job.role, job.name),
            attempt,
        )

    @property
    def slurm(self) -> dict[str, Callable[..., Any]]:
        """A job's SLURM resources, from its model's settings, else from the profile."""
        names = [*SLURM_RESOURCES.values(), SLURM_EXTRA]
        return {name: partial(self._slurm_resource, name) for name in names}

    def _slurm_resource(self, name: str, wildcards: Any, **context: Any) -> Any:
        stated = slurm_resources(self._run.settings(Job.of(wildcards)))
        return stated.get(name) or self._snakemake.default_resource(name, wildcards, **context)

    def runs_here(self, job: Any) -> bool:
        """Whether a Snakemake job runs no model, and so is not submitted to SLURM."""
        if not queries_model(job.rule.name):
            return False
        # It takes seconds on one core, and might wait forever in the partition or QoS that a
        # profile sets for models.
        model = self._run.settings(Job.of(job.wildcards))
        return model.engine in WITHOUT_MODEL and not model.slurm and not gpus(model)

    def _work(self, job: Job) -> Work:
        parts = self._run.tasks[job.benchmark].parts
        tokens = parts[job.part].tokens if job.role == MODELS else 0
        return evaluation_work(
            self._prompts(job), tokens, response_settings(self._run.settings(job))
        )

    def _prompts(self, job: Job) -> Path:
        return self._loads.results / self._run.prompts(job)
