"""Shared model loads: which inference jobs share one load, in which order, and their assignments.

The first job of a load also runs its siblings (``stages.one_load``), so that it needs their
assignments. All of this is scheduling, and follows from the config: a change of it re-runs nothing.
"""

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import asdict, astuple, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from steadfast.base.files import Record, canonical_json
from steadfast.base.provenance import Provenance
from steadfast.contract.engine_names import LOADS
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job import MODELS, ROLES, Assignment, Job, queries_model

# Environment variable by which the first process of a cluster's job informs the others.
VARIABLE = "STEADFAST_ALLOCATION"


class HandedOver:
    """A value of Snakemake's config that is computed late, when the first job gets the config.

    The jobs that run are determined only after the Snakefile is read. Snakemake pickles the config
    for each job, and then this value becomes a plain dictionary.
    """

    def __init__(self, find: Callable[[], Record]):
        self._find = find
        self._lock = Lock()

    @cached_property
    def _value(self) -> Record:
        return self._find()

    def __reduce__(self) -> tuple[type, tuple[Record]]:
        with self._lock:  # jobs are started concurrently
            return dict, (self._value,)


@dataclass(frozen=True)
class Allocation:
    """Jobs (rule and wildcards) that may share model loads, since they run on the same machine.

    These are all jobs of a run on one machine; on a cluster those of one cluster job, which is a
    Snakemake process of its own. ``started`` is the time in nanoseconds.
    """

    jobs: Sequence[tuple[str, Mapping[str, str]]]
    name: str = field(default_factory=lambda: uuid4().hex)
    started: int = sys.maxsize

    @classmethod
    def of_cluster(cls, jobs: Sequence[tuple[str, Mapping[str, str]]]) -> "Allocation | None":
        """The cluster's job of this process; None on a single machine.

        Its first process gets all ``jobs``, and passes them on to the processes that it starts.
        """
        if jobs and VARIABLE not in os.environ:
            os.environ[VARIABLE] = canonical_json(asdict(cls(jobs, started=time.time_ns())))
        inherited = os.environ.get(VARIABLE)
        return cls(**json.loads(inherited)) if inherited else None

    def before(self, file: Path) -> int:
        """Modification time (nanoseconds) of a file from before the start; 0 without one."""
        changed = file.stat().st_mtime_ns if file.exists() else 0
        return changed if changed < self.started else 0


class Loads:
    """The jobs of a config whose models are loaded, grouped by shared load."""

    def __init__(self, run: Evaluation, steps: InputDigests, results: Path):
        self.run = run
        self._steps = steps
        self.results = results

    def of(self, job: Job) -> str | None:
        """The name of a job's load; None where no model is loaded for it."""
        return self._names.get(job)

    def priority(self, job: Job) -> int:
        """A job's priority: after jobs that make prompts; the first job of a load before others."""
        load = self.of(job)
        if load is None:
            return 0
        first = (self.missing(job) or self._jobs[load])[0]
        return -2 * list(ROLES).index(job.rule) - (1 if job == first else 2)

    def missing(self, job: Job) -> list[Job]:
        """The jobs of a job's load without current outputs; none without a load."""
        siblings = self._jobs.get(self.of(job) or "", [])
        return [sibling for sibling in siblings if not self._has_outputs(sibling)]

    @property
    def planned(self) -> list[tuple[tuple[str, ...], str | None]]:
        """All jobs as plain values: fields, and the load that still has to run it.

        A job without a shared load counts as a load of its own, named after its outputs.
        """
        planned = []
        for job in self.run.jobs:
            load = None if self._has_outputs(job) else self._names.get(job, job.outputs)
            planned.append((astuple(job), load))
        return planned

    def _has_outputs(self, job: Job) -> bool:
        """Whether a job's outputs are those of the current config; else they are made again."""
        provenance = Provenance.beside(
            self.results / job.outputs, self._steps.replies(job).input_digest
        )
        exists = provenance.path.exists() and provenance.files[0].exists()
        return exists and _has_input_digest(provenance, provenance.path.stat().st_mtime_ns)

    def assignments(self, jobs: Iterable[Any], allocation: Allocation | None = None) -> Record:
        """The run's name, and under ``assignments`` the assignments of all jobs that share a load.

        Args:
            jobs: all Snakemake jobs of this process.
            allocation: the cluster's job of this process.
        """
        jobs = list(jobs)
        run = allocation or Allocation([(job.rule.name, job.wildcards) for job in jobs])
        new_files: set[str] = set()
        for job in jobs:
            new_files.update(map(str, job.output))
        run_jobs = {Job.of(wildcards) for rule, wildcards in run.jobs if queries_model(rule)}
        shared = []
        for siblings in self._jobs.values():
            siblings = [job for job in siblings if job in run_jobs]
            if len(siblings) > 1:
                shared.append([asdict(self.assignment(job, run, new_files)) for job in siblings])
        return {"run": run.name, "assignments": shared}

    def assignment(
        self, job: Job, run: Allocation, new_files: Set[str] = frozenset()
    ) -> Assignment:
        """A job as its rule passes it to its script, in a run that makes ``new_files``."""
        prompts = str(self.results / self.run.prompts(job))
        sources = []
        if job.role == MODELS:
            paths = self.run.tasks[job.benchmark].parts[job.part].sources.values()
            sources = [str(self.results / path) for path in paths]
        outputs = str(self.results / job.outputs)
        made_again = {outputs} | (new_files & {prompts, *sources})
        return Assignment(
            job,
            self.run.params(job),
            self._steps.replies(job).input_digest,
            prompts,
            sources,
            str(self.results),
            load=self._names.get(job, ""),
            run=run.name,
            before={path: run.before(Path(path)) for path in sorted(made_again)},
        )

    @cached_property
    def _jobs(self) -> dict[str, list[Job]]:
        """The jobs of each load, in the order of the config."""
        jobs_of_model: dict[str, int] = defaultdict(int)
        loads = defaultdict(list)
        for job in self.run.jobs:
            settings = self.run.settings(job)
            is_served = bool(getattr(settings, "serve", None))  # the job starts a server
            if settings.engine not in LOADS and not is_served:
                continue
            model = f"{job.role}.{job.name}"
            size = getattr(settings, "parts_per_load", None)
            load = f"{model}+{jobs_of_model[model] // size}" if size else model
            loads[load].append(job)
            jobs_of_model[model] += 1
        return loads

    @cached_property
    def _names(self) -> dict[Job, str]:
        """The load of each job that loads a model."""
        names: dict[Job, str] = {}
        for load, jobs in self._jobs.items():
            names |= dict.fromkeys(jobs, load)
        return names


@cache  # each job checks all others of its load
def _has_input_digest(provenance: Provenance, changed: int) -> bool:
    """Whether files have the input digest; ``changed`` is the provenance's modification time."""
    return provenance.has_input_digest
