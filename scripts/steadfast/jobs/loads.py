"""Which inference jobs share one load of a model: their group, their order, and what each is told.

The first of them answers for its siblings too (``stages.one_load``), so it has to know what these
are to ask. All of it is scheduling, and comes from the config: a change of it re-runs nothing.
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
from steadfast.jobs.job import MODELS, ROLES, Assignment, Job

VARIABLE = "STEADFAST_ALLOCATION"
"""Of the environment, with what the first process of a cluster's job tells the others."""


class HandedOver:
    """A value of Snakemake's config that is known late, when the first job is handed the config.

    Which jobs run is known after the Snakefile was read. Snakemake pickles the config for each job,
    which is when this one becomes a plain dictionary.
    """

    def __init__(self, find: Callable[[], Record]):
        self._find, self._lock = find, Lock()

    @cached_property
    def _value(self) -> Record:
        return self._find()

    def __reduce__(self) -> tuple[type, tuple[Record]]:
        with self._lock:  # jobs are started side by side
            return dict, (self._value,)


@dataclass(frozen=True)
class Allocation:
    """Jobs, by rule and wildcards, that run one after the other where they share a load.

    That is all jobs of a run on one machine, and on a cluster those of one of its jobs, each of
    which is a process of Snakemake that knows of no other. ``started`` is the time in nanoseconds.
    """

    jobs: Sequence[tuple[str, Mapping[str, str]]]
    name: str = field(default_factory=lambda: uuid4().hex)
    started: int = sys.maxsize

    @classmethod
    def of_cluster(cls, jobs: Sequence[tuple[str, Mapping[str, str]]]) -> "Allocation | None":
        """Returns the cluster's job that this process is part of; None on one machine.

        Its first process is given all ``jobs`` and starts others, which inherit them.
        """
        if jobs and VARIABLE not in os.environ:
            os.environ[VARIABLE] = canonical_json(asdict(cls(jobs, started=time.time_ns())))
        inherited = os.environ.get(VARIABLE)
        return cls(**json.loads(inherited)) if inherited else None

    def before(self, file: Path) -> int:
        """When a file was changed that was there before (nanoseconds); 0 where there was none."""
        changed = file.stat().st_mtime_ns if file.exists() else 0
        return changed if changed < self.started else 0


class Loads:
    """The jobs of a config whose models are loaded, by load."""

    def __init__(self, run: Evaluation, steps: InputDigests, results: Path):
        self.run, self._steps, self.results = run, steps, results

    def of(self, job: Job) -> str | None:
        """The name of the load that answers a job; None where nothing is loaded for it."""
        return self._names.get(job)

    def priority(self, job: Job) -> int:
        """A job's priority: behind what makes prompts, the first job of a load before others."""
        load = self.of(job)
        if load is None:
            return 0
        first = (self.missing(job) or self._jobs[load])[0]
        return -2 * list(ROLES).index(job.rule) - (1 if job == first else 2)

    def missing(self, job: Job) -> list[Job]:
        """The jobs of all benchmarks that the load of a job has still to answer; none without."""
        siblings = self._jobs.get(self.of(job) or "", [])
        return [sibling for sibling in siblings if not self._is_answered(sibling)]

    @property
    def planned(self) -> list[tuple[tuple[str, ...], str | None, str | None]]:
        """All jobs as plain values, each with the load that has still to answer it."""
        return [
            (
                astuple(job),
                self.run.replayed(job),
                None if self._is_answered(job) else self._names.get(job, job.outputs),
            )
            for job in self.run.jobs
        ]

    def _is_answered(self, job: Job) -> bool:
        """Whether a job's outputs are what the config wants of it; else they are made again."""
        provenance = Provenance.beside(
            self.results / job.outputs, self._steps.replies(job).input_digest
        )
        there = provenance.path.exists() and provenance.files[0].exists()
        return there and _has_input_digest(provenance, provenance.path.stat().st_mtime_ns)

    def asked(self, jobs: Iterable[Any], allocation: Allocation | None = None) -> Record:
        """Returns what each job of a run is told: the assignments of those that share a load.

        Args:
            jobs: of Snakemake, all that this process makes.
            allocation: the cluster's job that the process is part of.
        """
        jobs = list(jobs)
        run = allocation or Allocation([(job.rule.name, job.wildcards) for job in jobs])
        making = {str(file) for job in jobs for file in job.output}
        # In another workflow the rules' names end with these.
        rules = tuple(ROLES)
        wanted = {Job.of(wildcards) for rule, wildcards in run.jobs if rule.endswith(rules)}
        assignments = defaultdict(list)
        for job, load in self._names.items():
            if job in wanted:
                assignments[load].append(asdict(self.assignment(job, run, making)))
        shared = [siblings for siblings in assignments.values() if len(siblings) > 1]
        return {"run": run.name, "asked": shared}

    def assignment(self, job: Job, run: Allocation, making: Set[str] = frozenset()) -> Assignment:
        """A job as its rule hands it to its script, in a run that makes some files anew."""
        sources = self.run.sources(job.benchmark, job.part) if job.role == MODELS else []
        prompts = str(self.results / self.run.prompts(job))
        data = [str(self.results / source.removeprefix("<results>/")) for source in sources]
        outputs = str(self.results / job.outputs)
        made_anew = {outputs} | (making & {prompts, *data})
        return Assignment(
            job,
            self.run.params(job),
            self._steps.replies(job).input_digest,
            prompts,
            data,
            str(self.results),
            load=self._names.get(job, ""),
            run=run.name,
            before={path: run.before(Path(path)) for path in sorted(made_anew)},
        )

    @cached_property
    def _jobs(self) -> dict[str, list[Job]]:
        """The jobs that each load answers, in the order of the config."""
        jobs_of_model: dict[str, int] = defaultdict(int)
        loads = defaultdict(list)
        for job in self.run.jobs:
            settings = self.run.settings(job)
            is_served = bool(getattr(settings, "serve", None))  # into a server that the job starts
            if settings.engine in LOADS or is_served:
                model, size = f"{job.role}.{job.name}", getattr(settings, "parts_per_load", None)
                load = f"{model}+{jobs_of_model[model] // size}" if size else model
                loads[load].append(job)
                jobs_of_model[model] += 1
        return loads

    @cached_property
    def _names(self) -> dict[Job, str]:
        return {job: load for load, jobs in self._jobs.items() for job in jobs}


@cache  # a job looks at all others of its load
def _has_input_digest(provenance: Provenance, changed: int) -> bool:
    """Whether files have an input digest, by provenance that was changed then (nanoseconds)."""
    return provenance.has_input_digest
