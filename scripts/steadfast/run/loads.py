"""Which inference jobs one load of a model answers: their group, their order, what they ask.

All of it is scheduling, and comes from the config: a change of it re-runs nothing.
"""

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from steadfast.base.files import Record, canonical_json
from steadfast.base.seal import Seal
from steadfast.config.settings import (
    answer_settings,
    judge_settings,
    model_settings,
    rewriter_settings,
)
from steadfast.contract.engine_names import LOADS
from steadfast.contract.task import rewrites_file
from steadfast.run.evaluation import Evaluation, InferenceJob
from steadfast.run.lineage import Lineage
from steadfast.run.request_of_job import JUDGES, MODELS, REWRITERS, Asked
from steadfast.schema.model_base import BaseModelSettings

RULES = {"rewrites": REWRITERS, "inference": MODELS, "verdicts": JUDGES}
"""Whose replies each rule makes, in the order in which they are needed."""
VARIABLE = "STEADFAST_ALLOCATION"
SETTINGS = {MODELS: model_settings, JUDGES: judge_settings, REWRITERS: rewriter_settings}


class HandedOver:
    """A value of the config that is known only when a first job is handed the config.

    Each process of Snakemake runs some of the jobs, and knows which when it has read the Snakefile.

    Args:
        find: gives the value, a mapping of plain values.
    """

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
    """Jobs that run one after the other where one load can answer all of them.

    Attributes:
        jobs: rule and wildcards of each.
        name: a word for this run of them.
        started: when, in nanoseconds; of a run that has just begun, never yet.
    """

    jobs: Sequence[tuple[str, Mapping[str, str]]]
    name: str = field(default_factory=lambda: uuid4().hex)
    started: int = sys.maxsize

    @classmethod
    def of_cluster(cls, jobs: Sequence[tuple[str, Mapping[str, str]]]) -> "Allocation | None":
        """The job of a cluster that this process is part of; None elsewhere.

        Snakemake is started there for all the jobs, and starts itself once more for each of them:
        these inherit what the first one was told.

        Args:
            jobs: rule and wildcards of those that this process was started for.
        """
        if jobs and VARIABLE not in os.environ:
            os.environ[VARIABLE] = canonical_json(asdict(cls(jobs, started=time.time_ns())))
        given = os.environ.get(VARIABLE)
        return cls(**json.loads(given)) if given else None

    def before(self, file: Path) -> int:
        """When a file was changed that was there before (nanoseconds); 0 where there was none."""
        changed = file.stat().st_mtime_ns if file.exists() else 0
        return changed if changed < self.started else 0


class Loads:
    """The jobs of a config whose models are loaded, by load.

    Args:
        run: what the config runs.
        steps: lineage of each file.
        results: folder of all results.
    """

    def __init__(self, run: Evaluation, steps: Lineage, results: Path):
        self.run, self._steps, self.results = run, steps, results

    def of(self, wildcards: Mapping[str, str]) -> str | None:
        """The name of the load that answers a job; None where nothing is loaded for it."""
        return self._names.get(_outputs(wildcards))

    def priority(self, wildcards: Mapping[str, str]) -> int:
        """A job's priority: behind all that makes prompts, and the first job of each load before
        the others, which need not wait when that one is done."""
        if (load := self.of(wildcards)) is None:
            return 0
        role = list(RULES.values()).index(load.partition(".")[0])
        missing = [job.outputs for job in self.missing(wildcards)]
        first = (missing or self._loads[load])[0] == _outputs(wildcards)
        return -2 * role - (1 if first else 2)

    def missing(self, wildcards: Mapping[str, str]) -> list[InferenceJob]:
        """The jobs of all benchmarks that the load of a job has still to answer; none without."""
        load = self._loads.get(self.of(wildcards) or "", [])
        return [job for job in map(self._jobs.__getitem__, load) if not self._answered(job)]

    @property
    def waiting(self) -> list[list[str]]:
        """The jobs that have still to be answered, with what is loaded for them or not.

        Returns:
            Of each its load (its outputs where it loads nothing), role, who answers, benchmark,
            part, and the model whose answers are judged.
        """
        return [
            [
                self._names.get(job.outputs, job.outputs), self.role(job), job.judge or job.model,
                job.benchmark, job.part, job.model if job.judge else "",
            ]
            for job in self.run.inference_jobs
            if not self._answered(job)
        ]  # fmt: skip

    def _answered(self, job: InferenceJob) -> bool:
        """Whether a job's outputs are what the config wants of it; else they are made again."""
        seal = Seal.beside(self.results / job.outputs, self._steps.replies(job).lineage)
        there = seal.identity.exists() and seal.files[0].exists()
        return there and _names_lineage(seal, seal.identity.stat().st_mtime_ns)

    def asked(self, jobs: Iterable[Any], allocation: "Allocation | None" = None) -> Record:
        """What the jobs of a run ask, those of a load together, for the config of the run.

        Args:
            jobs: all jobs that this process of Snakemake is to do.
            allocation: the job of a cluster that this process is part of.
        """
        jobs = list(jobs)
        run = allocation or Allocation([(job.rule.name, job.wildcards) for job in jobs])
        making = {str(file) for job in jobs for file in job.output}
        # In another workflow the rules' names end with these.
        ends, asked = tuple(RULES), defaultdict(list)
        wanted = {_outputs(wildcards) for rule, wildcards in run.jobs if rule.endswith(ends)}
        for outputs, load in self._names.items():
            if outputs in wanted:
                files = making | {str(self.results / outputs)}
                asked[load].append(asdict(self._asked(self._jobs[outputs], run, files)))
        return {"run": run.name, "asked": [load for load in asked.values() if len(load) > 1]}

    def _asked(self, job: InferenceJob, run: "Allocation", making: Set[str]) -> Asked:
        """What a job asks, as its rule's params and inputs have it."""
        role, task = self.role(job), self.run.tasks[job.benchmark]
        params: Record = {"answers": answer_settings(self._settings(job)), "stand_in": None}
        inputs = []
        if role == MODELS:
            inputs.append(self.run.asked_prompts(job.benchmark, job.part))
            inputs += self.run.sources(job.benchmark, job.part)
            params["samples"] = task.samples.plain
            params["sources"] = self.run.source_keys(job.benchmark, job.part)
        elif role == JUDGES:
            inputs.append(f"<results>/{job.benchmark}/judging/{job.model}/{job.part}.jsonl")
            judging = self.run.judging(job.benchmark)
            params |= {"readable": judging.readable.plain, "attempts": judging.attempts}
        else:
            rewriting = self.run.rewriting(job.benchmark)
            inputs.append(f"<results>/{rewriting.requests[job.part]}")
            params |= {"readable": rewriting.readable.plain, "attempts": rewriting.attempts}
        prompts, *sources = (one.replace("<results>", str(self.results), 1) for one in inputs)
        outputs, rule = Path(job.outputs), next(name for name in RULES if RULES[name] == role)
        log = Path("logs", job.benchmark, rule, *outputs.parts[2:]).with_suffix(".log")
        anew = making & {prompts, *sources, str(self.results / outputs)}
        return Asked(
            role=role,
            name=job.judge or job.model,
            benchmark=job.benchmark,
            model=job.model,
            part=job.part,
            params=params | {"lineage": self._steps.replies(job).lineage},
            prompts=prompts,
            sources=sources,
            replay="",
            outputs=str(self.results / outputs),
            identity=str(self.results / outputs.with_suffix(".identity.json")),
            log=str(self.results / log),
            load=self._names[job.outputs],
            run=run.name,
            before={path: run.before(Path(path)) for path in sorted(anew)},
        )

    def role(self, job: InferenceJob) -> str:
        """Whether a job asks models, judges or rewriters."""
        if job.judge:
            return JUDGES
        return REWRITERS if job.outputs in self.run.rewrites else MODELS

    def _settings(self, job: InferenceJob) -> BaseModelSettings:
        return SETTINGS[self.role(job)](self.run.config, job.judge or job.model)

    @cached_property
    def _jobs(self) -> dict[str, InferenceJob]:
        """The jobs that load a model, by their outputs."""
        jobs = self.run.inference_jobs
        return {job.outputs: job for job in jobs if is_loaded(self._settings(job))}

    @cached_property
    def _loads(self) -> dict[str, list[str]]:
        """The outputs that each load makes, in the order of the config."""
        places: dict[str, int] = defaultdict(int)
        loads = defaultdict(list)
        for outputs, job in self._jobs.items():
            model = f"{self.role(job)}.{job.judge or job.model}"
            size = getattr(self._settings(job), "parts_per_load", None)
            loads[f"{model}+{places[model] // size}" if size else model].append(outputs)
            places[model] += 1
        return loads

    @cached_property
    def _names(self) -> dict[str, str]:
        return {outputs: load for load, made in self._loads.items() for outputs in made}


def is_loaded(model: BaseModelSettings) -> bool:
    """Whether a model's jobs load it, themselves or into a server that they start.

    The first of them then asks for all.
    """
    return model.engine in LOADS or bool(getattr(model, "serve", None))


@cache  # a job looks at all others of its load
def _names_lineage(seal: Seal, changed: int) -> bool:
    """Whether files have a lineage, by an identity that was changed then (nanoseconds)."""
    return seal.names_lineage


def _outputs(wildcards: Mapping[str, str]) -> str:
    """The path of a job's replies below the results folder."""
    names = ("benchmark", "part", "model", "judge", "rewriter")
    benchmark, part, model, judge, rewriter = (wildcards.get(name) or "" for name in names)
    if rewriter:
        return rewrites_file(benchmark, rewriter, part)
    if judge:
        return f"{benchmark}/verdicts/{judge}/{model}/{part}.jsonl"
    return f"{benchmark}/outputs/{model}/{part}.jsonl"
