"""A run apart from its jobs: checks before them, output on the terminal, and files it keeps."""

import atexit
from collections.abc import Callable, Collection
from functools import partial
from itertools import chain
from logging import Logger
from pathlib import Path

from steadfast.base import files
from steadfast.base.errors import UserError
from steadfast.base.loading import load
from steadfast.base.names import escape_hidden
from steadfast.config import portable, settings
from steadfast.contract.engine_names import WITHOUT_MODEL
from steadfast.jobs import rounds
from steadfast.jobs.code_history import explain_changes
from steadfast.jobs.evaluation import Evaluation
from steadfast.show.roster import Display, adaptive_remark
from steadfast.workflow import audit, forking, insides, slurm, terminal
from steadfast.workflow.failures import FailedJobs
from steadfast.workflow.mistakes import error_sentence

TABLES = "tables"
EXPORT = "export"
BUNDLE = "bundle.zip"
SUMMARY_PAGE = "summary/summary.md"
# Loaded only at the end of a run, since it loads pandas.
END = "steadfast.stages.run_end"


def data_notes(run: Evaluation, results: Path, benchmarks: Collection[str]) -> list[str]:
    """Notes on the data of some benchmarks and, in an adaptive run, on the rounds so far."""
    notes = [run.tasks[name].data_note for name in benchmarks]
    decisions = rounds.last_decisions(run, results, *benchmarks)
    return notes + adaptive_remark(decisions, Display.of(settings.display(run.config)))


class Session:
    """A run of the user, from reading the config to the last line on the terminal."""

    def __init__(
        self,
        snakemake: insides.Snakemake,
        run: Evaluation,
        results: Path,
        log: Logger,
        check_bundle: Callable[[], None],
    ):
        self._snakemake = snakemake
        self._run = run
        self._results = results
        self._log = log
        self._check_bundle = check_bundle
        self._audit = audit.Audit(results)
        self.failures = FailedJobs(results / "logs", log)
        self._slurm = slurm.Watch(log, self.failures)
        # Rounds are decided one after the other; tables are made after the last one.
        self._undecided = rounds.undecided(run, results)
        self._starts_next_round = False

    def begin(self) -> None:
        """Registers its hooks in Snakemake, once the config is read."""
        snakemake = self._snakemake
        if self._undecided:
            # At the very end, when all locks are released.
            atexit.register(lambda: insides.restart() if self._starts_next_round else None)
            omitted = ["summary"]
            for name in self._undecided:
                omitted += [f"{name}_tables", f"{name}_figures"]
            snakemake.when_prepared(lambda: snakemake.omit_rules(omitted))
        snakemake.when_prepared(lambda: audit.lock_results(self._results, snakemake))
        snakemake.when_jobs_are_known(snakemake.run_until_the_last)
        snakemake.when_jobs_are_known(self.refuse_targets)
        # Refuses special files (such as pipes) in the results, which may block reading forever.
        snakemake.when_prepared(lambda: files.check_regular(self._results))
        snakemake.when_jobs_are_known(lambda: self._audit.compare(snakemake))
        self.failures.watch_interrupts()
        self._log.addFilter(partial(terminal.add_closing_summary, self.closing_summary))
        self._log.addFilter(terminal.StoppingFilter())
        insides.replace_error_messages(
            lambda error: error_sentence(error, self._results, lambda: snakemake.targets)
        )
        if snakemake.hides_rules:
            titles = {name: benchmark.title for name, benchmark in self._run.benchmarks.items()}
            logs = self._results / "logs"
            verbose = snakemake.is_verbose
            terminal.JobLines.install(self._log, logs, lambda: snakemake.is_dry, titles, verbose)

    def refuse_targets(self) -> None:
        """Refuses job arrays, and targets that this config cannot make."""
        jobs = self._snakemake.jobs
        if self._snakemake.arrays:
            raise UserError(
                "--slurm-array-jobs: all tasks of a SLURM array have the same resources, but each "
                "job here requests those of its model; remove this option"
            )
        if any(job.name == EXPORT and not job.input for job in jobs):
            raise UserError("; ".join(self._run.unexported))
        if any(str(self._results / BUNDLE) in job.output for job in jobs):
            self._check_bundle()

    def start(self) -> None:
        """Prepares for the jobs, before the first one starts."""
        files.remove_partials(self._results.rglob(f".*{files.PARTIAL}"))
        self._explain_code()
        insides.when_terminated(self.failures.note_termination)
        for executor in self._snakemake.executors:
            self.failures.watch(executor)
            self._slurm.watch(executor)
        if len(self._snakemake.jobs_to_run) >= forking.WORTH:
            forking.fork_scripts(self._run.config.tokenizer, WITHOUT_MODEL)

    def _explain_code(self) -> None:
        """Reports the changed modules for each rule whose files are made again."""
        outdated = []
        for job, provenance in self._audit.outdated:
            code = str(dict(job.params.items()).get("code", ""))
            outdated.append((job.rule.name, provenance.recorded_input_digest, code))
        steps = []
        for job in self._snakemake.jobs:
            params = dict(job.params.items())
            if isinstance(params.get("input_digest"), str):
                steps.append((params["input_digest"], params["code"]))
        for line in explain_changes(self._results, outdated, steps):
            self._log.warning(line)

    def fail(self) -> None:
        """Reports the failed jobs with their error messages."""
        self.keep_config()
        self._log.error(self.failures.summary(len(self._snakemake.jobs_not_started)))

    def succeed(self) -> str:
        """The last output of a successful run; an adaptive run starts its next round by itself."""
        outputs = self._outputs()
        lines = []
        for name in self._undecided:
            number = rounds.last_round(self._run, name)
            decision = self._results / rounds.decision_file(name, number)
            models = rounds.continuing_models(self._run, self._results, name)
            if str(decision) in outputs and models is not None:
                after = f"{len(models)} models continue" if models else "no model continues"
                lines.append(f"{name}: round {number} is decided, {after}")
        self._starts_next_round = bool(lines)
        return escape_hidden("\n".join(lines)) if lines else self.closing_summary()

    def closing_summary(self) -> str:
        """The summary on the terminal, of a run that made all its files or had nothing to do."""
        self.keep_config()
        if self._audit.outdated_error:
            return escape_hidden(self._audit.outdated_error)
        run = self._run
        results = self._results
        outputs = self._outputs()
        display = Display.of(settings.display(run.config))
        notes = [display.trial, *data_notes(run, results, run.running)]
        table = None
        findings: list[str] = []
        if str(results / SUMMARY_PAGE) in outputs:
            table, findings = load(f"{END}:run_summary")(run, results, display)
        orders = list(load(f"{END}:reversed_rankings")(run, results, display, outputs))
        summary_text = load("steadfast.show.terminal_summary:terminal_summary")
        lines = [summary_text(results, outputs, table, findings, orders, [*filter(None, notes)])]
        if any(Path(file).is_relative_to(results / EXPORT) for file in outputs):
            lines += run.unexported
        return escape_hidden("\n".join(lines))

    def _outputs(self) -> list[str]:
        """The outputs of all jobs of the run."""
        return list(chain.from_iterable(job.output for job in self._snakemake.jobs))

    def keep_config(self) -> None:
        """Writes the config of the tables next to them, whatever else failed."""
        pending = set(self._snakemake.jobs_to_run)
        done = [job for job in self._snakemake.jobs if job not in pending]
        tables = self._results / TABLES
        are_tables_made = any(str(tables) in job.output for job in done)
        if self._snakemake.is_dry or not are_tables_made or self._audit.is_outdated(tables):
            return
        text = portable.as_yaml(portable.portable(self._run.config))
        files.write_text(self._results / portable.CONFIG_FILE, text)
        portable.config_provenance(self._results, self._run.running).write()
