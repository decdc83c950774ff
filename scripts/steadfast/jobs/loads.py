"""Shared model loads: which jobs share one load, and in which order they run.

- Jobs that make prompts come first, then rewriters, models and judges, which wait for each other's
  replies; of each load one job first, as the others would only wait for its load.
- This first job also runs its siblings (``stages.one_load``), so that it gets their assignments:
  of all jobs of the run that load a model or, on a cluster, of those of its own cluster job.
- A sibling is run once its inputs are made by this config, unless its outputs are made already.

All of this is scheduling, and follows from the config: a change of it re-runs nothing.
"""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from steadfast.base.files import Record, canonical_json
from steadfast.contract.engine_names import LOADS
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job import MODELS, ROLES, Assignment, Job, queries_model

# Environment variable by which the first process of a cluster's job informs the others.
VARIABLE = "STEADFAST_ALLOCATION"


class DeferredList:
    """A list in Snakemake's config that is made late, when the first job gets the config.

    The jobs that run are determined only after the Snakefile is read. Snakemake pickles the config
    for each job, and then this becomes a plain list. (A hook, such as ``onstart``, would not be
    called where another workflow uses this one as a module.)
    """

    def __init__(self, find: Callable[[], list[Record]]):
        self._find = cache(find)
        self._lock = Lock()

    def __reduce__(self) -> tuple[type, tuple[list[Record]]]:
        with self._lock:  # jobs are started concurrently
            return list, (self._find(),)


def allocated_jobs(jobs: Sequence[tuple[str, Mapping[str, str]]]) -> Sequence[Any]:
    """The jobs (rule and wildcards) of the cluster job of this process; none on a single machine.

    A cluster job is a Snakemake process of its own, which is started with all ``jobs`` of a group.
    It passes them on to the processes that it starts, one for each.
    """
    if jobs and VARIABLE not in os.environ:
        os.environ[VARIABLE] = canonical_json(jobs)
    return list(json.loads(os.environ.get(VARIABLE, "[]")))


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
        is_first = job in self.missing(job)[:1]
        return -2 * list(ROLES).index(job.rule) - (1 if is_first else 2)

    def missing(self, job: Job) -> list[Job]:
        """The jobs of a job's load without current outputs when this process began."""
        return self._missing[self.of(job) or ""]

    @property
    def planned(self) -> list[tuple[tuple[str, ...], str | None]]:
        """All jobs as plain values: fields, and the load that still has to run it.

        A job without a shared load counts as a load of its own, named after its outputs.
        """
        planned = []
        for job in self.run.jobs:
            done = self._steps.has_replies(job, self.results)
            load = None if done else self._names.get(job, job.outputs)
            planned.append((astuple(job), load))
        return planned

    def assignments(self, jobs: Iterable[tuple[str, Mapping[str, str]]]) -> list[Record]:
        """The assignments of those jobs (rule and wildcards) that load a model.

        The jobs are to run on the same machine: those of a run, or of one cluster job.
        """
        run_jobs = {Job.of(wildcards) for rule, wildcards in jobs if queries_model(rule)}
        return [asdict(self._assignment(job)) for job in self._names if job in run_jobs]

    def _assignment(self, job: Job) -> Assignment:
        """A job as its rule passes it to its script, and what its inputs are made from."""
        prompts = str(self.results / self.run.prompts(job))
        made_from = {prompts: self._steps.requests(job).input_digest}
        sources = []
        if job.role == MODELS:
            for path in self.run.tasks[job.benchmark].parts[job.part].sources.values():
                source = str(self.results / path)
                sources.append(source)
                made_from[source] = self._steps.data(path).input_digest
        return Assignment(
            job,
            self.run.params(job),
            self._steps.replies(job).input_digest,
            prompts,
            sources,
            str(self.results),
            load=self._names[job],
            made_from=made_from,
        )

    @cached_property
    def _names(self) -> dict[Job, str]:
        """The load of each job that loads a model, in the order of the config."""
        names: dict[Job, str] = {}
        jobs_of_model: dict[str, int] = defaultdict(int)
        for job in self.run.jobs:
            settings = self.run.settings(job)
            is_served = bool(getattr(settings, "serve", None))  # the job starts a server
            if settings.engine not in LOADS and not is_served:
                continue
            model = f"{job.role}.{job.name}"
            size = getattr(settings, "parts_per_load", None)
            names[job] = f"{model}+{jobs_of_model[model] // size}" if size else model
            jobs_of_model[model] += 1
        return names

    @cached_property
    def _missing(self) -> dict[str, list[Job]]:
        """The jobs of each load without current outputs, in the order of the config."""
        missing = defaultdict(list)
        for job, load in self._names.items():
            if not self._steps.has_replies(job, self.results):
                missing[load].append(job)
        return missing
