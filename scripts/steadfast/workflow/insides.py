"""All uses of Snakemake beyond its documented interface; each docstring names what it relies on.

If a new Snakemake changes one of these, the test of its name in ``tests/workflow/test_insides.py``
fails. Uses of the SLURM plugin are in ``slurm.Plugin``. No job imports this module.
"""

import os
import re
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping
from itertools import takewhile
from logging import Handler, Logger
from pathlib import Path
from typing import Any

from snakemake import cli, exceptions
from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.jobs import Job
from snakemake.resources import Resources
from snakemake.script import PythonScript
from snakemake.settings.enums import Quietness
from snakemake.target_jobs import parse_target_jobs_cli_args
from snakemake_interface_common.exceptions import ApiError

from steadfast.base.errors import UserError
from steadfast.base.names import escape_hidden

# The message where no job is to run; no hook is called then.
NOTHING = NOTHING_TO_BE_DONE_MSG
# Beginnings of messages that this workflow replaces, or that help no user, by their module.
MESSAGES = {
    "snakemake.scheduling.job_scheduler": (
        "Select jobs to execute",
        r"Trying to restart job \d+",
        "Terminating processes on user request",
        "Exiting because a job execution failed",
        "Shutting down, this might take some time",
    ),
    "snakemake.api": ("Assuming unrestricted shared filesystem usage",),
    "snakemake.workflow": (
        "Building DAG of jobs",
        "Using shell: ",
        "Provided cores: ",
        "Rules claiming more threads will be scaled down",
        "Provided remote nodes: ",
        "Provided resources: ",
        "Group jobs: inactive",
        "Conda environments: ignored",
        "Singularity containers: ignored",
    ),
    "snakemake.exceptions": (
        "RuleException:\nCalledProcessError in",
        "WorkflowError:\nAt least one job did not complete",
    ),
    "snakemake_executor_plugin_slurm": (
        r"Job \d+ has been submitted",
        "SLURM run ID",
        "Falling back to 'sacct'",
        "\n===== A Job preemption",
        "Exception in run_job for rule",
    ),
    "snakemake_executor_plugin_slurm.partitions": ("Auto-selected partition",),
}
# The beginning of the message that follows SIGTERM, one or more times.
FINISHING = "Will exit after finishing currently running jobs"
# The target that no rule makes, in the message of a ``MissingRuleException``.
NO_RULE = r"No rule to produce (.+?)(?: \(if you use input functions|$)"
# The rule, and a file in each line, in the message of a ``MissingInputException``.
NO_INPUT = r"Missing input files.* for rule (\w+):.*\n    affected files:\n(.+)"
REFUSED = "SLURM sbatch failed. The error message was '"
# The SLURM plugin's message on a job that it could not submit, before the reason.
UNSUBMITTED = "submission failed with exception: "
TARGETS = "--target-jobs"


class Snakemake:
    """A run of Snakemake: the object ``workflow`` of a Snakefile."""

    def __init__(self, workflow: Any):
        self._workflow = workflow

    @property
    def config_files(self) -> list[Any]:
        """The files of ``--configfile``: ``overwrite_configfiles``."""
        return list(self._workflow.overwrite_configfiles)

    @property
    def config_words(self) -> Any:
        """The arguments of ``--config`` as typed: ``config_settings.config_args``."""
        return self._workflow.config_settings.config_args

    @property
    def target_jobs(self) -> list[tuple[str, dict[str, str]]]:
        """Rule and wildcards of the jobs of a job's process, in their order: the arguments of
        ``--target-jobs``, which is in no settings yet, parsed as Snakemake does."""
        words = sys.argv[sys.argv.index(TARGETS) + 1 :] if TARGETS in sys.argv else []
        targets = list(takewhile(lambda word: not word.startswith("--"), words))
        return [(job.rulename, job.wildcards_dict) for job in parse_target_jobs_cli_args(targets)]

    @property
    def is_main(self) -> bool:
        """Whether a user started this process, and not Snakemake for a job: ``is_main_process``."""
        return bool(self._workflow.is_main_process)

    @property
    def is_dry(self) -> bool:
        """Whether it is a dry run (``dryrun``); known once the jobs are."""
        return bool(self._workflow.dryrun)

    @property
    def holds_folder(self) -> bool:
        """Whether it makes files (``executor_plugin``) and locks (``execution_settings.lock``)."""
        makes = self._workflow.executor_plugin is not None and not self.is_dry
        return makes and bool(self._workflow.execution_settings.lock)

    @property
    def accepting_option(self) -> str | None:
        """The option that accepts existing files as they are: ``touch``, or ``--report``."""
        if self._workflow.touch:
            return "--touch"
        return next((word for word in sys.argv[1:] if word.startswith("--report")), None)

    @property
    def hides_rules(self) -> bool:
        """Whether ``--quiet rules`` or ``--quiet all`` is set: ``output_settings.quiet``."""
        quiet = self._workflow.output_settings.quiet or ()
        return Quietness.RULES in quiet or Quietness.ALL in quiet

    @property
    def is_verbose(self) -> bool:
        """Whether ``--verbose`` is set: ``output_settings.verbose``."""
        return bool(self._workflow.output_settings.verbose)

    @property
    def targets(self) -> set[str]:
        """All possible targets: rules without wildcards, and their files
        (``rules``, with ``has_wildcards``, ``name`` and ``output``)."""
        targets: set[str] = set()
        for rule in self._workflow.rules:
            if not rule.has_wildcards():
                targets.update([rule.name, *map(str, rule.output)])
        return targets

    @property
    def arrays(self) -> str:
        """The rules with SLURM arrays: ``executor_settings.array_jobs``, known once jobs are."""
        return getattr(self._workflow.executor_settings, "array_jobs", None) or ""

    @property
    def locks(self) -> Iterable[tuple[Path, list[str]]]:
        """The locks of other runs and the files that each locks: in ``persistence._lockdir`` a
        ``N.output.lock`` with a path in each line, and a ``N.input.lock`` beside it."""
        for lock in Path(getattr(self._workflow.persistence, "_lockdir", "")).glob("*.output.lock"):
            yield lock, lock.read_text(encoding="utf-8").splitlines()

    @property
    def jobs(self) -> list[Any]:
        """All jobs, known once the DAG is: ``dag.jobs``."""
        return list(self._workflow.dag.jobs)

    @property
    def jobs_to_run(self) -> list[Any]:
        """The jobs that are running or have yet to run: ``dag.needrun_jobs``."""
        return list(self._workflow.dag.needrun_jobs())

    @property
    def jobs_not_started(self) -> list[Any]:
        """The pending jobs that have not failed: ``scheduler.remaining_jobs``."""
        return list(self._workflow.scheduler.remaining_jobs)

    @property
    def executors(self) -> set[Any]:
        """The executors of the jobs, local and remote: ``scheduler.get_executor``."""
        return {self._workflow.scheduler.get_executor(job) for job in self.jobs_to_run}

    def path(self, variable: str) -> Path:
        """A path variable's value: ``pathvars.items``, prefixed by ``modifier.path_modifier``."""
        value = self._workflow.pathvars.items[variable]
        return Path(str(self._workflow.modifier.path_modifier.modify(value)))

    def default_resource(self, name: str, wildcards: Any, **context: Any) -> Any:
        """A default resource of a profile, None without one: ``default_resources`` of
        ``resource_settings``, evaluated as ``Resources`` does with the arguments of a resource's
        function."""
        defaults = self._workflow.resource_settings.default_resources or {}
        default = Resources.from_mapping(defaults)
        return default[name].evaluate(wildcards, **context).value if name in default else None

    def group(self, name: str, kind: str) -> str:
        """A group of jobs, of a kind for ``--group-components``: ``parent_groupids``."""
        self._workflow.parent_groupids[name] = kind
        return name

    def is_wanted(self, job: Any) -> bool:
        """Whether the command or ``force`` forces a job: ``dag.forcerules``, ``dag.forcefiles``."""
        dag = self._workflow.dag
        return job.rule in dag.forcerules or not dag.forcefiles.isdisjoint(job.output)

    def force(self, job: Any) -> None:
        """Makes a job run again: ``dag.forcefiles``, before Snakemake decides which jobs run."""
        self._workflow.dag.forcefiles.update(job.output)

    def omit_rules(self, rules: Iterable[str]) -> None:
        """Omits rules and all that depend on them, as ``--omit-from`` does: ``dag.omitrules``."""
        self._workflow.dag.omitrules.update(rules)

    def when_prepared(self, call: Callable[[], None]) -> None:
        """Calls a function once the DAG exists, without jobs: after ``_prepare_dag``, which all of
        Snakemake's commands call before they build the DAG."""
        prepare = self._workflow._prepare_dag

        def prepare_dag(*args: Any, **options: Any) -> None:
            prepare(*args, **options)
            _call(call)

        self._workflow._prepare_dag = prepare_dag

    def when_jobs_are_known(self, call: Callable[[], None]) -> None:
        """Calls a function before Snakemake decides which jobs run: before ``dag.update_needrun``,
        which is first called with ``create_inventory``."""

        def watch() -> None:
            dag = self._workflow.dag
            update = dag.update_needrun

            async def update_needrun(create_inventory: bool = False) -> None:
                if create_inventory:
                    _call(call)
                await update(create_inventory=create_inventory)

            dag.update_needrun = update_needrun

        self.when_prepared(watch)

    def run_until_the_last(self) -> None:
        """Lets ``--until`` name rules of which one needs another, once the jobs are known.

        ``DAG.finish`` starts nothing behind a job for which ``in_until`` holds, not even another
        job that ``--until`` names. So it no longer holds for jobs that such a one needs.
        """
        dag = self._workflow.dag
        is_until = dag.in_until
        needed: list[Any] = []
        for job in filter(is_until, dag.jobs):
            needed += dag.dependencies[job]
        earlier = set(dag.bfs(dag.dependencies, *needed))
        dag.in_until = lambda job: is_until(job) and job not in earlier


def when_terminated(call: Callable[[], None]) -> None:
    """Calls a function at SIGTERM, before the handler ``exit_gracefully`` of Snakemake's scheduler,
    which is set once a run has started."""
    exit_gracefully = signal.getsignal(signal.SIGTERM)

    def terminate(number: int, frame: Any) -> None:
        call()
        if callable(exit_gracefully):
            exit_gracefully(number, frame)

    signal.signal(signal.SIGTERM, terminate)


def restart() -> None:
    """Replaces this process by the same command: ``python -m snakemake`` and ``sys.argv``."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *sys.argv[1:]])


def _call(call: Callable[[], None]) -> None:
    """Calls a function; only the message of a user's error is printed, as of an ``ApiError``."""
    try:
        call()
    except UserError as error:
        raise ApiError(str(error)) from None


def refusal(error: UserError) -> SystemExit:
    """The exception of a Snakefile for a user's error: for any other, Snakemake prints the
    Snakefile's line around the message (``format_error``)."""
    return SystemExit(f"Error: {escape_hidden(str(error))}")


def replace_error_messages(sentence: Callable[[BaseException], str | None]) -> None:
    """Replaces the error message of a run (``format_exception_to_string``) where ``sentence`` gives
    one; under ``--verbose`` Snakemake adds the traceback.

    An ``InputFunctionException``, which Snakemake keeps and raises later, gets the original
    exception as its cause.
    """
    formatter = exceptions.format_exception_to_string
    make = exceptions.InputFunctionException.__init__

    def keep_cause(self: BaseException, cause: object, *args: Any, **options: Any) -> None:
        make(self, cause, *args, **options)
        if isinstance(cause, BaseException):
            self.__cause__ = cause

    def format_exception(error: BaseException, linemaps: Any = None) -> str:
        return sentence(error) or str(formatter(error, linemaps))

    exceptions.InputFunctionException.__init__ = keep_cause
    exceptions.format_exception_to_string = format_exception


def shorten_messages() -> None:
    """Hides the line of ``snakemake.cli`` on the profile, and the list of all options
    (``print_usage``) before an error message on one."""

    def print_others(*words: Any, **options: Any) -> None:
        if not str(words[0]).endswith("for setting default command line arguments."):
            print(*words, **options)

    vars(cli)["print"] = print_others
    setattr(ArgumentParser, "print_usage", lambda self, file=None: None)  # noqa: B010


def missing_target(error: BaseException) -> str | None:
    """The target that no rule makes, in a ``MissingRuleException``; None for other errors."""
    no_rule = re.match(NO_RULE, str(error))
    return no_rule[1] if isinstance(error, exceptions.MissingRuleException) and no_rule else None


def missing_inputs(error: BaseException) -> tuple[str, list[str]] | None:
    """The rule and its missing input files, in a ``MissingInputException``; else None."""
    no_input = re.match(NO_INPUT, str(error), re.DOTALL)
    if not isinstance(error, exceptions.MissingInputException) or not no_input:
        return None
    return no_input[1], [line.strip() for line in no_input[2].splitlines()]


def is_locked(error: BaseException) -> bool:
    """Whether another run of Snakemake has locked files of this one: ``LockException``."""
    return isinstance(error, exceptions.LockException)


def watch_jobs(
    executor: Any,
    started: Callable[[Any], None],
    succeeded: Callable[[Any], None],
    failed: Callable[..., None],
) -> None:
    """Calls functions before an executor starts a job and before it reports the end of one.

    They have the arguments of its ``run_job_pre`` (a job), ``report_job_success`` (an object with
    ``job`` and ``external_jobid``) and ``report_job_error`` (also ``msg`` and ``aux_logs``).
    """

    def before(name: str, call: Callable[..., None]) -> None:
        method = getattr(executor, name)

        def both(*args: Any, **further: Any) -> None:
            call(*args, **further)
            method(*args, **further)

        setattr(executor, name, both)

    before("run_job_pre", started)
    before("report_job_success", succeeded)
    before("report_job_error", failed)


def single_jobs(job: Any) -> list[Any]:
    """The jobs of a group, or the job itself: ``is_group``."""
    return list(job) if job.is_group() else [job]


def will_be_retried(job: Any) -> bool:
    """Whether a failed job is retried: ``attempt``, from 1 on, and ``restart_times``."""
    return bool(job.attempt <= job.restart_times)


def prevent_retry(job: Any) -> None:
    """Lets Snakemake not retry a failed job."""
    job.attempt = job.restart_times + 1


def uncount_attempt(job: Any) -> None:
    """Lets a failed attempt of a job not count."""
    job.attempt -= 1


def run_here(is_here: Callable[[Any], bool]) -> None:
    """Runs jobs on this machine instead of a cluster, as ``localrules`` does for all jobs of a
    rule: ``Job.is_local``. Jobs of a ``group`` stay in it, or the whole group would run here."""
    is_local: Any = Job.is_local

    def runs_here(job: Any) -> bool:
        return is_local.fget(job) or (is_here(job) and job.group is None)

    Job.is_local = property(runs_here)


def replace_script_runner(run: Callable[[PythonScript, str], bool]) -> None:
    """Lets a function run the scripts of jobs: ``PythonScript.execute_script``.

    It takes Snakemake's object of a script, with ``params`` and ``resources``, and the file to run.
    Where it returns False, Snakemake runs the script.
    """
    start = PythonScript.execute_script

    def execute_script(self: PythonScript, fname: str, edit: bool = False) -> None:
        if not run(self, fname):
            start(self, fname, edit=edit)

    PythonScript.execute_script = execute_script


def has_environment(script: PythonScript) -> bool:
    """Whether a script has an environment: ``conda_env``, ``container_img``, ``env_modules``."""
    return bool(script.conda_env or script.container_img or script.env_modules)


def record_usage(script: PythonScript, seconds: float, usage: Mapping[str, float | None]) -> None:
    """Sets the resource usage in a script's benchmark file: fields of ``bench_record``, s and MB.

    Snakemake itself would search all processes of the machine for it, again and again.
    """
    if record := script.bench_record:
        vars(record).update(usage, running_time=seconds, data_collected=True)
        record.cpu_usage = 100 * (record.cpu_time or 0)  # per cent of a core, times seconds


def terminal_handlers(logger: Logger) -> list[Handler]:
    """The handlers that show a run on the terminal, by their name.

    Their records have an ``event``, and with it ``jobid``, ``rule_name``, ``log`` and ``output``
    (JOB_INFO), ``job_id`` (JOB_FINISHED), ``stats`` (RUN_INFO), ``done`` and ``total`` (PROGRESS).
    """
    return [handler for handler in logger.handlers if handler.name == "DefaultStreamHandler"]
