"""What stands behind the rules: the checked config, its files, and the scheduling of jobs.

The Snakefile makes one ``RunSetup``, in every process of Snakemake. No job imports this module.
"""

from collections.abc import Callable, Mapping, Sequence
from logging import Logger
from pathlib import Path
from types import MappingProxyType
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.config import settings, source
from steadfast.config.load import load_config
from steadfast.jobs import rounds
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests, Step
from steadfast.jobs.job_resources import Scheduling
from steadfast.jobs.loads import DeferredList, Loads, allocated_jobs
from steadfast.jobs.required_files import check_required_files
from steadfast.stages.session import Session, data_notes
from steadfast.workflow import insides, slurm


def default_config(workflow: Any) -> str | None:
    """The config file to read: the default one, or None where ``--configfile`` names others.

    Raises:
        SystemExit: one of these files is invalid; with the error message.
    """
    try:
        for file in _config_files(workflow):
            source.check_source(file)
    except UserError as error:
        raise insides.refusal(error) from None
    return None if insides.Snakemake(workflow).config_files else _config_files(workflow)[0]


class RunSetup:
    """The checked config of a run, and all that its rules need besides file names.

    Attributes:
        config: the checked config, with defaults.
        results: the results folder.
        run: models, judges, benchmarks and files of the run.
        steps: the code and input digest of each file.
        loads: which jobs share a model load.
        titles: the title of each benchmark, by name.
        display: the config's settings of tables and figures.
        is_main: whether the user started this process, and not Snakemake for a job.
    """

    def __init__(self, workflow: Any, config: dict[str, Any]):
        """Checks Snakemake's ``config``, and adds to it what jobs read from it.

        Raises:
            SystemExit: the config is invalid; with the error message.
        """
        snakemake = insides.Snakemake(workflow)
        config.setdefault("name", Path(_config_files(workflow)[-1]).stem[:80])
        try:
            self.config = load_config(source.typed(config, snakemake.config_words))
            self.run = Evaluation(self.config)
            self.run.check_judges()
            check_required_files(self.run)
            self.results = snakemake.path("results")
            rounds.follow_decisions(self.run, self.results)
        except UserError as error:
            raise insides.refusal(error) from None
        self.steps = InputDigests(self.run)
        self.loads = Loads(self.run, self.steps, self.results)
        self.titles = {name: benchmark.title for name, benchmark in self.run.benchmarks.items()}
        self.display = settings.display(self.config)
        self.is_main = snakemake.is_main
        self._snakemake = snakemake
        # Settings that are no params of a job, so that a change of them re-runs nothing.
        config.update(self.config.model_dump(include={"models", "judges", "rewriters"}))
        config["results"] = str(self.results)
        config["whole"] = self.config.model_dump(mode="json")  # for the HTML report
        # At once: the processes of a cluster's job inherit it.
        allocation = allocated_jobs(snakemake.target_jobs)

        def assignments() -> list[Record]:
            run_jobs = [(job.rule.name, job.wildcards) for job in snakemake.jobs_to_run]
            return self.loads.assignments(allocation or run_jobs)

        config["assignments"] = DeferredList(assignments)

    def session(self, log: Logger, check_bundle: Callable[[], None]) -> Session:
        """Checks, messages and files of a run; ``check_bundle`` raises if it cannot be bundled."""
        return Session(self._snakemake, self.run, self.results, log, check_bundle)

    def scheduling(self, session: Session) -> Scheduling:
        """Order, groups and resources of the jobs that query a model; begins the session."""
        scheduling = Scheduling(self.loads, self._snakemake, session.failures)
        # On a cluster each job is a Snakemake process of its own, without a session.
        if self.is_main:
            insides.run_here(scheduling.runs_here)
            session.begin()
        else:
            slurm.wait_before_steps()
        return scheduling

    @property
    def environment(self) -> str:
        """The conda environment (``envs/``) of jobs that query a model.

        The config decides, not the job: ``--containerize`` refuses an environment by function.
        """
        config = self.config
        models = [*config.models.values(), *config.judges.values(), *config.rewriters.values()]
        return "vllm" if "vllm" in [model.engine for model in models] else "base"

    def data_notes(self, *benchmarks: str) -> list[str]:
        """Notes below the tables of some benchmarks: on their data and an adaptive run's rounds."""
        return data_notes(self.run, self.results, benchmarks)

    def display_of(self, *benchmarks: str) -> Mapping[str, Any]:
        """The settings of tables and figures; without judges where no benchmark is judged.

        So a judge that is added to the config re-makes no tables of other benchmarks.
        """
        is_judged = not set(self.run.judged).isdisjoint(benchmarks)
        return self.display if is_judged else {**self.display, "judges": {}}


def provenance(
    step: Step | Callable[[Any], Step], measured: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> dict[str, Any]:
    """The params ``code``, ``input_digest`` and ``made_from`` of a job, by which it is made again.

    Snakemake re-runs a job whose params change: here its code, its settings or any of its inputs.

    Args:
        step: how its file is made, or a function of wildcards that says it.
        measured: further files that it reads (``InputDigests.measured_nondeterminism``).
    """
    if isinstance(step, Step):
        measured_from = {path: input_digest for path, (input_digest, _) in measured.items()}
        return step._replace(made_from={**step.made_from, **measured_from})._asdict()
    # Snakemake passes arguments by name.
    return {
        "code": lambda wildcards: step(wildcards).code,
        "input_digest": lambda wildcards: step(wildcards).input_digest,
        "made_from": lambda wildcards: step(wildcards).made_from,
    }


def _config_files(workflow: Any) -> list[str]:
    return insides.Snakemake(workflow).config_files or [str(source.default_config())]
