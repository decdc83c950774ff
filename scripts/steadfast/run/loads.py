"""Which inference jobs one load of a model answers: their group, their order, what they ask.

All of it is scheduling, and comes from the config: a change of it re-runs nothing.
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
from steadfast.base.seal import Seal
from steadfast.contract.engine_names import LOADS
from steadfast.run.evaluation import Evaluation
from steadfast.run.job import MODELS, ROLES, Assignment, Job
from steadfast.run.lineage import Lineage

VARIABLE = "STEADFAST_ALLOCATION"


class HandedOver:
    """A mapping of plain values for the config that is found when a first job is handed it."""

    def __init__(self, find: Callable[[], Record]):
        self._find, self._lock = find, Lock()

    @cached_property
    def _found(self) -> Record:
        return self._find()

    def __reduce__(self) -> tuple[type, tuple[Record]]:
        with self._lock:  # jobs are started side by side
            return dict, (self._found,)


@dataclass(frozen=True)
class Allocation:
    """Jobs, by rule and wildcards, that run one after the other where one load can answer all."""

    jobs: Sequence[tuple[str, Mapping[str, str]]]
    name: str = field(default_factory=lambda: uuid4().hex)
    started: int = sys.maxsize

    @classmethod
    def of_cluster(cls, jobs: Sequence[tuple[str, Mapping[str, str]]]) -> "Allocation | None":
        """Returns the cluster's job that this process is part of, also of its children."""
        if jobs and VARIABLE not in os.environ:
            os.environ[VARIABLE] = canonical_json(asdict(cls(jobs, started=time.time_ns())))
        given = os.environ.get(VARIABLE)
        return cls(**json.loads(given)) if given else None

    def before(self, file: Path) -> int:
        """When a file was changed that was there before (nanoseconds); 0 where there was none."""
        changed = file.stat().st_mtime_ns if file.exists() else 0
        return changed if changed < self.started else 0


class Loads:
    """The jobs of a config whose models are loaded, by load."""

    def __init__(self, run: Evaluation, steps: Lineage, results: Path):
        self.run, self._steps, self.results = run, steps, results

    def of(self, job: Job) -> str | None:
        """The name of the load that answers a job; None where nothing is loaded for it."""
        return self._names.get(job)

    def priority(self, job: Job) -> int:
        """A job's priority: behind what makes prompts, the first job of a load before others."""
        if (load := self.of(job)) is None:
            return 0
        first = (self.missing(job) or self._loads[load])[0] == job
        return -2 * list(ROLES).index(job.rule) - (1 if first else 2)

    def missing(self, job: Job) -> list[Job]:
        """The jobs of all benchmarks that the load of a job has still to answer; none without."""
        alike = self._loads.get(self.of(job) or "", [])
        return [one for one in alike if not self._answered(one)]

    @property
    def planned(self) -> list[tuple[tuple[str, ...], str | None, str | None]]:
        """All jobs as plain values, each with the load that has still to answer it."""
        return [
            (
                astuple(job),
                self.run.replayed(job),
                None if self._answered(job) else self._names.get(job, job.outputs),
            )
            for job in self.run.jobs
        ]

    def _answered(self, job: Job) -> bool:
        """Whether a job's outputs are what the config wants of it; else they are made again."""
        seal = Seal.beside(self.results / job.outputs, self._steps.replies(job).lineage)
        there = seal.identity.exists() and seal.files[0].exists()
        return there and _names_lineage(seal, seal.identity.stat().st_mtime_ns)

    def asked(self, jobs: Iterable[Any], allocation: "Allocation | None" = None) -> Record:
        """Returns what the jobs of a run ask, those of a load together, for its config."""
        jobs = list(jobs)
        run = allocation or Allocation([(job.rule.name, job.wildcards) for job in jobs])
        making = {str(file) for job in jobs for file in job.output}
        # In another workflow the rules' names end with these.
        ends, asked = tuple(ROLES), defaultdict(list)
        wanted = {Job.of(wildcards) for rule, wildcards in run.jobs if rule.endswith(ends)}
        for job, load in self._names.items():
            if job in wanted:
                asked[load].append(asdict(self.assignment(job, run, making)))
        return {"run": run.name, "asked": [load for load in asked.values() if len(load) > 1]}

    def assignment(self, job: Job, run: "Allocation", making: Set[str] = frozenset()) -> Assignment:
        """A job as its rule hands it to its script, in a run that makes some files anew."""
        sources = [] if job.role != MODELS else self.run.sources(job.benchmark, job.part)
        inputs = [self.run.prompts(job), *(one.removeprefix("<results>/") for one in sources)]
        prompts, *data = (str(self.results / one) for one in inputs)
        outputs = str(self.results / job.outputs)
        return Assignment(
            job,
            self.run.params(job),
            self._steps.replies(job).lineage,
            prompts,
            data,
            str(self.results),
            load=self._names.get(job, ""),
            run=run.name,
            before={
                path: run.before(Path(path))
                for path in sorted({outputs} | (making & {prompts, *data}))
            },
        )

    @cached_property
    def _loads(self) -> dict[str, list[Job]]:
        """The jobs that each load answers, in the order of the config."""
        places: dict[str, int] = defaultdict(int)
        loads = defaultdict(list)
        for job in self.run.jobs:
            how = self.run.settings(job)
            if how.engine in LOADS or getattr(how, "serve", None):  # into a server of its own
                model, size = f"{job.role}.{job.name}", getattr(how, "parts_per_load", None)
                loads[f"{model}+{places[model] // size}" if size else model].append(job)
                places[model] += 1
        return loads

    @cached_property
    def _names(self) -> dict[Job, str]:
        return {job: load for load, jobs in self._loads.items() for job in jobs}


@cache  # a job looks at all others of its load
def _names_lineage(seal: Seal, changed: int) -> bool:
    """Whether files have a lineage, by an identity that was changed then (nanoseconds)."""
    return seal.names_lineage
