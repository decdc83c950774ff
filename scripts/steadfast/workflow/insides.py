"""All that this workflow takes of Snakemake beyond its documented interface, each named once.

A new Snakemake that changes one of these fails the test of its name in
``tests/workflow/test_insides.py``, and is adapted to here. What ``slurm`` takes of the SLURM plugin
stands there, in ``slurm.Plugin``; no job imports this module.
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
from steadfast.base.names import visible

NOTHING = NOTHING_TO_BE_DONE_MSG
"""What is said, without any hook being called, where no job is to run."""
SAYS = {
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
"""How messages begin that this workflow says in other words, or that say nothing, by the module
that makes them."""
FINISHING = "Will exit after finishing currently running jobs"
"""How the message begins that follows SIGTERM, one or more times."""
NO_RULE = r"No rule to produce (.+?)(?: \(if you use input functions|$)"
"""How the message of a ``MissingRuleException`` names the target that no rule makes."""
NO_INPUT = r"Missing input files.* for rule (\w+):.*\n    affected files:\n(.+)"
"""How that of a ``MissingInputException`` names the rule, and below it a file a line."""
REFUSED = "SLURM sbatch failed. The error message was '"
UNSUBMITTED = "submission failed with exception: "
"""What the SLURM plugin says of a job that it could not even hand over, before the reason."""
TARGETS = "--target-jobs"


class Snakemake:
    """A run of Snakemake, by the object that a Snakefile knows as ``workflow``."""

    def __init__(self, workflow: Any):
        self._workflow = workflow

    @property
    def config_files(self) -> list[Any]:
        """The files of ``--configfile``: ``overwrite_configfiles``, empty where there are none."""
        return list(self._workflow.overwrite_configfiles)

    @property
    def config_words(self) -> Any:
        """The words of ``--config`` as they were typed: ``config_settings.config_args``."""
        return self._workflow.config_settings.config_args

    @property
    def target_jobs(self) -> list[tuple[str, dict[str, str]]]:
        """Rule and wildcards of the jobs that a job's process is started for, in their order: the
        words after ``--target-jobs``, which is in no settings yet, read as Snakemake reads them."""
        words = sys.argv[sys.argv.index(TARGETS) + 1 :] if TARGETS in sys.argv else []
        named = list(takewhile(lambda word: not word.startswith("--"), words))
        return [(job.rulename, job.wildcards_dict) for job in parse_target_jobs_cli_args(named)]

    @property
    def is_main(self) -> bool:
        """Whether somebody started this process, which is none of a job: ``is_main_process``."""
        return bool(self._workflow.is_main_process)

    @property
    def is_dry(self) -> bool:
        """Whether it only shows what it would do (``dryrun``), known once the jobs are."""
        return bool(self._workflow.dryrun)

    @property
    def holds_folder(self) -> bool:
        """Whether it makes files (``executor_plugin``) and was not told ``--nolock``
        (``execution_settings.lock``)."""
        makes = self._workflow.executor_plugin is not None and not self.is_dry
        return makes and bool(self._workflow.execution_settings.lock)

    @property
    def taking_option(self) -> str | None:
        """The option that takes files for what is wanted, unmade: ``touch``, and ``--report`` among
        the words of the command, which nothing else tells."""
        if self._workflow.touch:
            return "--touch"
        return next((word for word in sys.argv[1:] if word.startswith("--report")), None)

    @property
    def hides_rules(self) -> bool:
        """Whether ``--quiet rules`` or ``--quiet all`` was told: ``output_settings.quiet``."""
        quiet = self._workflow.output_settings.quiet or ()
        return Quietness.RULES in quiet or Quietness.ALL in quiet

    @property
    def is_verbose(self) -> bool:
        """Whether ``--verbose`` was told: ``output_settings.verbose``."""
        return bool(self._workflow.output_settings.verbose)

    @property
    def targets(self) -> set[str]:
        """What may be named as a target: rules without wildcards, and files that these make
        (``rules``, with ``has_wildcards``, ``name`` and ``output``)."""
        plain = [rule for rule in self._workflow.rules if not rule.has_wildcards()]
        return {rule.name for rule in plain} | {
            str(file) for rule_node in plain for file in rule_node.output
        }

    @property
    def arrays(self) -> str:
        """The rules whose jobs go to SLURM in arrays: ``executor_settings.array_jobs``, known by
        the time at which jobs are made."""
        return getattr(self._workflow.executor_settings, "array_jobs", None) or ""

    @property
    def locks(self) -> Iterable[tuple[Path, list[str]]]:
        """The locks of other runs and the files that each is on: ``persistence._lockdir`` with a
        ``N.output.lock`` each, a path a line, and ``N.input.lock`` beside it."""
        for lock in Path(getattr(self._workflow.persistence, "_lockdir", "")).glob("*.output.lock"):
            yield lock, lock.read_text(encoding="utf-8").splitlines()

    @property
    def jobs(self) -> list[Any]:
        """All jobs, known once the DAG is: ``dag.jobs``."""
        return list(self._workflow.dag.jobs)

    @property
    def jobs_to_run(self) -> list[Any]:
        """Those that run or have still to run: ``dag.needrun_jobs``."""
        return list(self._workflow.dag.needrun_jobs())

    @property
    def jobs_not_started(self) -> list[Any]:
        """Those that wait and have not failed: ``scheduler.remaining_jobs``."""
        return list(self._workflow.scheduler.remaining_jobs)

    @property
    def executors(self) -> set[Any]:
        """What runs the jobs, on this machine and elsewhere: ``scheduler.get_executor``."""
        return {self._workflow.scheduler.get_executor(job) for job in self.jobs_to_run}

    def path(self, variable: str) -> Path:
        """A path variable's value: ``pathvars.items``, changed by ``modifier.path_modifier`` where
        another workflow has a prefix for this one."""
        value = self._workflow.pathvars.items[variable]
        return Path(str(self._workflow.modifier.path_modifier.modify(value)))

    def default_resource(self, name: str, wildcards: Any, **known: Any) -> Any:
        """Returns what a profile says of a resource of all jobs, and None where it says nothing:
        ``resource_settings.default_resources``, evaluated as ``Resources`` does with what Snakemake
        hands to a resource's function."""
        defaults = self._workflow.resource_settings.default_resources or {}
        default = Resources.from_mapping(defaults)
        return default[name].evaluate(wildcards, **known).value if name in default else None

    def group(self, name: str, kind: str) -> str:
        """A group of jobs, of a kind that ``--group-components`` names: ``parent_groupids``."""
        self._workflow.parent_groupids[name] = kind
        return name

    def is_wanted(self, job: Any) -> bool:
        """Whether the command itself has a job run again: ``dag.forcerules``, ``dag.forcefiles``.

        What ``force`` was told counts too.
        """
        dag = self._workflow.dag
        return job.rule in dag.forcerules or not dag.forcefiles.isdisjoint(job.output)

    def force(self, job: Any) -> None:
        """Has a job run again: ``dag.forcefiles``, before it is decided which jobs run."""
        self._workflow.dag.forcefiles.update(job.output)

    def leave_out(self, rules: Iterable[str]) -> None:
        """Has rules and all behind them not run, as ``--omit-from`` does: ``dag.omitrules``."""
        self._workflow.dag.omitrules.update(rules)

    def when_prepared(self, call: Callable[[], None]) -> None:
        """Calls a function when the DAG is made, which has no jobs yet: ``_prepare_dag``, which all
        of Snakemake's commands call before they build the DAG."""
        prepare = self._workflow._prepare_dag

        def prepare_dag(*args: Any, **options: Any) -> None:
            prepare(*args, **options)
            _told(call)

        self._workflow._prepare_dag = prepare_dag

    def when_jobs_are_known(self, call: Callable[[], None]) -> None:
        """Calls a function before it is decided which jobs run: ``dag.update_needrun``, which is
        called with ``create_inventory`` for the first time."""

        def watch() -> None:
            dag = self._workflow.dag
            update = dag.update_needrun

            async def update_needrun(create_inventory: bool = False) -> None:
                if create_inventory:
                    _told(call)
                await update(create_inventory=create_inventory)

            dag.update_needrun = update_needrun

        self.when_prepared(watch)

    def run_until_the_last(self) -> None:
        """Has ``--until`` take rules of which one needs another, once the jobs are known.

        ``DAG.finish`` starts nothing behind a job for which ``in_until`` holds, be it another job
        that ``--until`` names. So it no longer holds for jobs that are needed by such a one.
        """
        dag = self._workflow.dag
        is_named = dag.in_until
        named = [job for job in dag.jobs if is_named(job)]
        needed = [before for job in named for before in dag.dependencies[job]]
        earlier = set(dag.bfs(dag.dependencies, *needed))
        dag.in_until = lambda job: is_named(job) and job not in earlier


def when_terminated(call: Callable[[], None]) -> None:
    """Calls a function at SIGTERM, before the handler of Snakemake's scheduler, which is there once
    a run has started (``exit_gracefully``)."""
    exit_gracefully = signal.getsignal(signal.SIGTERM)

    def terminate(number: int, frame: Any) -> None:
        call()
        if callable(exit_gracefully):
            exit_gracefully(number, frame)

    signal.signal(signal.SIGTERM, terminate)


def start_again() -> None:
    """Starts the command that this process is anew, in its place: ``python -m snakemake`` with the
    words of ``sys.argv``. Nothing of this process is done thereafter.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *sys.argv[1:]])


def _told(call: Callable[[], None]) -> None:
    """A user's error is printed as its sentence alone, as an ``ApiError`` is."""
    try:
        call()
    except UserError as error:
        raise ApiError(str(error)) from None


def refusal(error: UserError) -> SystemExit:
    """What a Snakefile raises for a user's error: of any other exception there Snakemake prints the
    Snakefile's line before and behind the sentence (``format_error``)."""
    return SystemExit(f"Error: {visible(str(error))}")


def say_errors(sentence: Callable[[BaseException], str | None]) -> None:
    """Has a function say what ended a run, in place of ``format_exception_to_string``; Snakemake
    says what it has no sentence for, and the traceback under ``--verbose``.

    An ``InputFunctionException``, which is kept and raised again later, has what it was made of as
    its cause.
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


def speak_briefly() -> None:
    """Leaves out what ``snakemake.cli`` prints of the profile, and all options (``print_usage``)
    before what is wrong with one."""

    def say(*words: Any, **options: Any) -> None:
        if not str(words[0]).endswith("for setting default command line arguments."):
            print(*words, **options)

    vars(cli)["print"] = say
    setattr(ArgumentParser, "print_usage", lambda self, file=None: None)  # noqa: B010


def missing_target(error: BaseException) -> str | None:
    """The target that no rule makes, where this is the error: ``MissingRuleException``."""
    no_rule = re.match(NO_RULE, str(error))
    return no_rule[1] if isinstance(error, exceptions.MissingRuleException) and no_rule else None


def missing_inputs(error: BaseException) -> tuple[str, list[str]] | None:
    """The rule that lacks files which no rule makes, and these: ``MissingInputException``."""
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

    They take what its ``run_job_pre``, ``report_job_success`` and ``report_job_error`` take: a job;
    an information with ``job`` and ``external_jobid``; and with it ``msg`` and ``aux_logs``.
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


def singles(job: Any) -> list[Any]:
    """The jobs of a group, or the one that a job is: ``is_group``."""
    return list(job) if job.is_group() else [job]


def is_tried_again(job: Any) -> bool:
    """Whether a job that fails has another try: ``attempt``, from 1 on, and ``restart_times``."""
    return bool(job.attempt <= job.restart_times)


def give_up(job: Any) -> None:
    """Leaves a job that fails no other try."""
    job.attempt = job.restart_times + 1


def forgive(job: Any) -> None:
    """Has the try of a job that fails not count, as Snakemake counts each."""
    job.attempt -= 1


def run_here(is_here: Callable[[Any], bool]) -> None:
    """Has jobs run on this machine that a cluster would get, as ``localrules`` has all jobs of a
    rule: ``Job.is_local``. One that is in a ``group`` stays with it, which would run here else."""
    is_local: Any = Job.is_local

    def runs_here(job: Any) -> bool:
        return is_local.fget(job) or (is_here(job) and job.group is None)

    Job.is_local = property(runs_here)


def take_scripts(run: Callable[[PythonScript, str], bool]) -> None:
    """Has a function run the scripts of jobs: ``PythonScript.execute_script``.

    It takes Snakemake's object of a script, with ``params`` and ``resources``, and the file that is
    to be run, and says whether it was run; else Snakemake runs it.
    """
    start = PythonScript.execute_script

    def execute_script(self: PythonScript, fname: str, edit: bool = False) -> None:
        if not run(self, fname):
            start(self, fname, edit=edit)

    PythonScript.execute_script = execute_script


def has_environment(script: PythonScript) -> bool:
    """Whether a script runs elsewhere: ``conda_env``, ``container_img``, ``env_modules``."""
    return bool(script.conda_env or script.container_img or script.env_modules)


def keep_usage(script: PythonScript, seconds: float, usage: Mapping[str, float | None]) -> None:
    """Has a script's benchmark file say what it took: fields of ``bench_record``, in s and MB.

    Snakemake itself looks through all processes of the machine for it, again and again.
    """
    if record := script.bench_record:
        vars(record).update(usage, running_time=seconds, data_collected=True)
        record.cpu_usage = 100 * (record.cpu_time or 0)  # per cent of a core, times seconds


def terminals(logger: Logger) -> list[Handler]:
    """The handlers that show a run on the terminal, where it has some, by their name.

    Their records have an ``event``, and with it ``jobid``, ``rule_name``, ``log`` and ``output``
    (JOB_INFO), ``job_id`` (JOB_FINISHED), ``stats`` (RUN_INFO), ``done`` and ``total`` (PROGRESS).
    """
    return [handler for handler in logger.handlers if handler.name == "DefaultStreamHandler"]
