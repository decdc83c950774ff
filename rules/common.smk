"""What a run shows (failures, its end, its report), and which of its jobs go together.

There are no rules here: what happens at the start and at the end of a run, and functions that rules
use.
"""

from contextlib import contextmanager

from snakemake.logging import logger
from snakemake.settings.enums import Quietness

from snakemake_interface_common.exceptions import ApiError

from steadfast.share import contents
from steadfast.config.portable import CONFIG_FILE, as_yaml, outside_paths, portable
from steadfast.contract.engine_names import WITHOUT_MODEL
from steadfast.workflow.failures import Failures
from steadfast.base.files import PARTIAL, check_regular, read_text, remove_partials, write_text
from steadfast.workflow.forking import WORTH, fork_scripts
from steadfast.workflow.hooks import when_jobs_are_known, when_prepared
from steadfast.workflow.one_run import OneRun
from steadfast.workflow.report_items import ALL, heading, label
from steadfast.show.display import trial_remark
from steadfast.show.ending import ending
from steadfast.workflow.slurm import Watch, wait_before_steps
from steadfast.workflow.terminal import JobLines, NothingToDo, TargetElsewhere

AUDIT = Audit(RESULTS)
FAILURES = Failures(RESULTS / "logs", logger)
SLURM = Watch(logger, FAILURES)


@contextmanager
def as_snakemake_says():
    """Snakemake prints its own errors as a sentence."""
    try:
        yield
    except UserError as error:
        raise ApiError(str(error)) from None


def refuse_what_is_no_file(_):
    """What somebody else has put into the results is not read where that may never end."""
    with as_snakemake_says():
        check_regular(RESULTS)


def refuse_targets(dag):
    """Targets that this config has nothing for, or not all of, before anything is asked."""
    with as_snakemake_says():
        if any(job.name == "export" and not job.input for job in dag.jobs):
            raise UserError("; ".join(RUN.unexported))
        if any(str(RESULTS / "bundle.zip") in job.output for job in dag.jobs):
            contents.check_inside(contents.own_files(RUN))


if workflow.is_main_process:
    when_prepared(workflow, OneRun(RESULTS).hold)
    when_prepared(workflow, lambda made: when_jobs_are_known(made.dag, refuse_targets))
    when_prepared(workflow, refuse_what_is_no_file)
    when_prepared(workflow, AUDIT.watch)
    FAILURES.watch_interrupts()
else:
    wait_before_steps()


onstart:
    if workflow.is_main_process:
        remove_partials(RESULTS.rglob(f".*{PARTIAL}"))
        jobs = list(workflow.dag.needrun_jobs())
        for executor in {workflow.scheduler.get_executor(job) for job in jobs}:
            FAILURES.watch(executor)
            SLURM.watch(executor)
        if len(workflow.dag) >= WORTH:
            fork_scripts(CONFIG.tokenizer, WITHOUT_MODEL)


onerror:
    if workflow.is_main_process:
        keep_config()
        logger.error(FAILURES.summary(len(workflow.scheduler.remaining_jobs)))


report: "../resources/report/workflow.rst"


def made():
    return [file for job in workflow.dag.jobs for file in job.output]


def keep_config():
    """Beside tables stands the config that they are of, whatever else failed."""
    left = set(workflow.dag.needrun_jobs())
    done = [job for job in workflow.dag.jobs if job not in left]
    tables = RESULTS / "tables"
    there = any(str(tables) in job.output for job in done) and not AUDIT.leaves(tables)
    if workflow.dryrun or not there:
        return
    path, text = RESULTS / CONFIG_FILE, as_yaml(portable(CONFIG))
    if not path.is_file() or read_text(path) != text:
        write_text(path, text)


def last_words():
    keep_config()
    if AUDIT.left:
        return AUDIT.left
    trial = trial_remark(settings.display(CONFIG).get("limit"))
    notes = [trial, *(TASKS[name].asked for name in RUN.running)]
    exported = any(Path(file).is_relative_to(RESULTS / "export") for file in made())
    lines = [ending(RESULTS, made(), filter(None, notes)), *(RUN.unexported if exported else ())]
    return "\n".join(lines)


onsuccess:
    if workflow.is_main_process:
        print(visible(last_words()))


# Jobs on a cluster are runs of their own, which show what Snakemake shows.
if workflow.is_main_process:
    LOGGER = workflow.logger_manager.logger
    LOGGER.addFilter(NothingToDo(lambda: visible(last_words())))
    LOGGER.addFilter(TargetElsewhere(RESULTS))
    if Quietness.RULES in (workflow.output_settings.quiet or ()):
        JobLines.install(LOGGER, RESULTS / "logs", lambda: workflow.dryrun)


def shown(path):
    """A figure's file; as SVG it stands in Snakemake's report, above its caption."""
    name = Path(path).stem
    if not path.endswith(".svg"):
        return path
    return report(
        path,
        caption=str(RESULTS.absolute() / "figures" / f"{name}.txt"),
        category="Figures",
        subcategory=heading(name, TITLES),
        labels={"figure": label(name, TITLES)},
    )


def load_group(wildcards):
    """On a cluster, the jobs that one load answers go to one allocation (group-components: load)."""
    arrays = getattr(workflow.executor_settings, "array_jobs", None)
    if (load := LOADS.of(wildcards)) is None or arrays:
        return None
    workflow.parent_groupids[load] = "load"
    return load
