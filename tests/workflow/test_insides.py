"""Snakemake's internals are still as ``workflow/insides.py`` and ``slurm.Plugin`` expect them.

If a new Snakemake fails a test here, adapt the item of these modules that bears the test's name.
One run of a Snakefile covers most; what only a cluster would show is read in Snakemake's source.
"""

import inspect
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest
import snakemake_executor_plugin_slurm as slurm_plugin
from snakemake.api import Workflow
from snakemake.dag import DAG
from snakemake.exceptions import MissingInputException
from snakemake.jobs import GroupJob, Job
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.script import PythonScript
from snakemake.settings.enums import Quietness
from snakemake_interface_executor_plugins.executors.base import AbstractExecutor

from project import ROOT, Project
from steadfast.jobs.digests import modules
from steadfast.workflow import insides
from steadfast.workflow.insides import Snakemake
from steadfast.workflow.slurm import PLUGIN, STEPS, Plugin

pytestmark = pytest.mark.workflow
SNAKEFILE = (
    f"""
import sys
sys.path.insert(0, {str(ROOT / "scripts")!r})
"""
    + """
import json, os, subprocess
from snakemake.logging import logger
from steadfast.jobs.loads import DeferredList
from steadfast.workflow import insides

pathvars:
    results="there"

RUN = insides.Snakemake(workflow)
config["deferred"] = DeferredList(lambda: sorted(map(str, RUN.jobs_to_run)))
SEEN = {"prepared": 0, "known": 0, "events": [], "records": {}}

def see(*names):
    SEEN.update({name: getattr(RUN, name) for name in names})

def write(name):
    with open(name, "w") as file:
        json.dump(SEEN, file, default=lambda value: str(getattr(value, "name", value)))

see("config_files", "config_words", "target_jobs", "is_main", "hides_rules", "is_verbose")
SEEN |= {"path": RUN.path("results"), "terminals": len(insides.terminal_handlers(logger))}
SEEN["basedir"] = str(workflow.current_basedir.get_path_or_uri(secret_free=True))
if not RUN.is_main:
    write("inner.json")

class Records:
    def filter(self, record):
        event = getattr(record, "event", None)
        if event is not None:
            SEEN["records"].setdefault(event.name, {}).update(vars(record))
        return True

def prepared():
    SEEN["prepared"] += 1
    SEEN["jobs when prepared"] = RUN.jobs

def known():
    SEEN["known"] += 1
    see("jobs", "is_dry", "holds_folder", "accepting_option", "arrays")
    SEEN["targets"] = sorted(RUN.targets)
    assert RUN.default_resource("nothing", {}) is None
    by_rule = {job.rule.name: job for job in RUN.jobs}
    RUN.force(by_rule["forced"])
    SEEN["wanted"] = sorted(name for name, job in by_rule.items() if RUN.is_wanted(job))
    job = by_rule["retried"]
    SEEN["job"] = {"params": dict(job.params.items()), "output": dict(job.output.items()),
                   "input": list(job.input), "single": insides.single_jobs(job) == [job]}

def run_script(script, file):
    SEEN["script"] = {"params": dict(script.params.items()), "file": file,
                      "tmpdir": script.resources.get("tmpdir"),
                      "environment": insides.has_environment(script)}
    subprocess.run([sys.executable, file], check=True)
    insides.record_usage(script, 2.0, {"cpu_time": 1.5, "max_rss": 70.0, "max_uss": None})
    return True

def resource(wildcards, **context):
    SEEN["default_resource"] = RUN.default_resource("mem_mb", wildcards, **context)
    return 1

def failed(info, msg=None, aux_logs=None, **_):
    SEEN["events"].append(f"failed {info.job.rule.name} {info.external_jobid}")
    job = info.job
    if job.rule.name == "given_up":
        insides.prevent_retry(job)
    if job.rule.name == "forgiven" and not os.path.exists("forgiven"):
        open("forgiven", "w").close()
        insides.uncount_attempt(job)
    SEEN["again " + job.rule.name] = insides.will_be_retried(job)

if RUN.is_main:
    logger.addFilter(Records())
    RUN.when_prepared(prepared)
    RUN.when_jobs_are_known(known)
    insides.replace_script_runner(run_script)

onstart:
    see("locks", "jobs_to_run", "executors")
    SEEN["locks"] = list(SEEN["locks"])
    for executor in RUN.executors:
        insides.watch_jobs(
            executor,
            lambda job: SEEN["events"].append(f"started {job.rule.name}"),
            lambda info: SEEN["events"].append(f"succeeded {info.job.rule.name}"),
            failed,
        )

onerror:
    see("jobs_not_started")
    write("seen.json")

rule last:
    input:
        "retried", "forced", "kept", "inner-a=1", "forgiven.txt", "given_up",

rule retried:
    resources: units=resource,
    output: first="retried", more=["retried-1", "retried-2"],
    params: answers={"engine": "simulated"},
    log: "retried.log",
    benchmark: "retried.tsv"
    script: "retried.py"

rule forced:
    output: "forced",
    shell: "touch {output}"

rule kept:
    output: "kept",
    shell: "touch {output}"

rule inner:
    output: "inner-{n}",
    run:
        open(output[0], "w").close()

rule forgiven:
    output: "forgiven.txt",
    shell: "false"

rule given_up:
    output: "given_up",
    retries: 3
    shell: "false"
"""
)
SCRIPT = """
import json, sys
from pathlib import Path
job = {"argv": sys.argv, "params": dict(snakemake.params.items()),
       "output": dict(snakemake.output.items()), "input": list(snakemake.input),
       "deferred": snakemake.config["deferred"]}
Path(snakemake.log[0]).write_text(json.dumps(job, default=list))
for file in snakemake.output:
    Path(file).touch()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The folder of a run with failing jobs, whose Snakefile recorded what it saw."""
    folder = tmp_path_factory.mktemp("insides")
    (folder / "Snakefile").write_text(SNAKEFILE)
    (folder / "retried.py").write_text(SCRIPT)
    (folder / "my.yaml").write_text("{}")
    for name in ("forced", "kept"):
        (folder / name).touch()
    options = ["--config", "word=1e3", "--default-resources", "mem_mb=7"]
    options += ["--cores", "1", "--keep-going", "--quiet", "rules"]
    terminal = Project(folder).snakemake(*options, ok=False)
    (folder / "terminal").write_text(terminal)
    assert (folder / "seen.json").is_file(), terminal
    return folder


@pytest.fixture(scope="module")
def seen(folder) -> dict:
    return json.loads((folder / "seen.json").read_text())


@pytest.fixture(scope="module")
def script_job(folder) -> dict:
    """What the script of a job saw."""
    return json.loads((folder / "retried.log").read_text())


RULES = {"last", "retried", "forced", "kept", "inner", "forgiven", "given_up"}
TARGETS = "forced forgiven forgiven.txt given_up kept last retried retried-1 retried-2"


def test_properties_of_a_run(folder, seen):
    while_read = {
        "config_files": ["my.yaml"],
        "config_words": ["word=1e3"],
        "target_jobs": [],
        "is_main": True,
        "hides_rules": True,
        "is_verbose": False,
        "path": "there",
        "terminals": 1,
        "basedir": str(folder),
    }
    once_jobs_are_known = {
        "is_dry": False,
        "holds_folder": True,
        "accepting_option": None,
        "arrays": "",
        "targets": TARGETS.split(),
        "default_resource": 7,
        "jobs_not_started": ["last"],
    }
    expected = while_read | once_jobs_are_known
    assert {name: seen[name] for name in expected} == expected


def test_when_prepared_and_when_jobs_are_known(seen):
    assert (seen["prepared"], seen["jobs when prepared"]) == (1, [])
    assert (seen["known"], set(seen["jobs"])) == (1, RULES)


def test_force_and_is_wanted_and_jobs_to_run(seen):
    assert seen["wanted"] == ["forced"]
    assert set(seen["jobs_to_run"]) == RULES - {"kept"}


def test_locks(seen):
    ((lock, files),) = seen["locks"]
    assert lock == "0.output.lock"
    assert {"retried", "retried-1", "forced"} <= set(files)


def test_executors_and_watch_jobs(seen):
    assert seen["events"].count("started retried") == 1
    assert seen["events"].index("started inner") + 1 == seen["events"].index("succeeded inner")
    assert "failed given_up None" in seen["events"]


def test_prevent_retry(seen):
    assert seen["events"].count("started given_up") == 1
    assert seen["again given_up"] is False


def test_uncount_attempt_grants_one_more_try(seen):
    assert seen["events"].count("started forgiven") == 2


def test_replace_script_runner_and_has_environment(seen):
    params = {"answers": {"engine": "simulated"}}
    script = seen["script"]
    assert script["file"].endswith(".retried.py") and Path(script["tmpdir"]).is_absolute()
    assert script["params"] == params and script["environment"] is False
    for name in ("conda_env", "container_img", "env_modules"):
        assert f"self.{name} = " in inspect.getsource(PythonScript.__mro__[1]), name


def test_record_usage(folder):
    names, values = (folder / "retried.tsv").read_text().splitlines()
    assert dict(zip(names.split("\t"), values.split("\t"), strict=True)) == {
        "s": "2.00", "h:m:s": "0:00:02", "cpu_time": "1.50", "mean_load": "75.00",
        "max_rss": "70.00", "max_vms": "-", "max_uss": "-", "max_pss": "-", "io_in": "-",
        "io_out": "-",
    }  # fmt: skip


def test_argv_of_a_script_is_its_file(script_job, seen):
    """``workflow.interpreter`` starts it once more, with another interpreter."""
    assert script_job["argv"] == [seen["script"]["file"]]


def test_params_and_files_of_a_script_are_those_of_its_job(script_job, seen):
    """``base.provenance`` compares the job's with what the script made."""
    for name in ("params", "output", "input"):
        assert script_job[name] == seen["job"][name], name


def test_single_jobs(seen):
    assert seen["job"]["single"]
    assert not Job.is_group(None) and GroupJob.is_group(None)
    assert hasattr(GroupJob, "__iter__")


def test_deferred_list_in_the_config_is_that_of_the_job_start(script_job):
    """``jobs.loads.DeferredList``."""
    assert set(script_job["deferred"]) <= RULES - {"kept"}


def test_target_jobs_of_a_job_process(folder):
    inner = json.loads((folder / "inner.json").read_text())
    assert inner["target_jobs"] == [["inner", {"n": "a=1"}]]
    assert not inner["is_main"]


RECORDS = {
    "JOB_INFO": {"jobid", "rule_name", "log", "output"},
    "JOB_FINISHED": {"job_id"},
    "RUN_INFO": {"stats"},
    "PROGRESS": {"done", "total"},
    "JOB_STARTED": set(),
    "JOB_ERROR": set(),
}


def test_records_of_terminal_handlers(seen):
    for event, names in RECORDS.items():
        assert names <= set(seen["records"][event]), event


@pytest.mark.parametrize("module", insides.MESSAGES)
def test_what_snakemake_says(folder, module):
    """An f-string's field stands for each number of a message."""
    for message in insides.MESSAGES[module]:
        if module == "snakemake.exceptions":  # which puts sentences together
            assert re.search(message, (folder / "terminal").read_text())
            continue
        pattern = re.escape(message).replace(r"\\d\+", r"\{[^}]+\}").replace("\\\n", "\n")
        source = inspect.getsource(import_module(module))
        assert re.search(rf"[\"\n]{pattern.lstrip(chr(10))}", source), message


def test_nothing_and_no_rule(tmp_path):
    (tmp_path / "Snakefile").write_text("rule all:\n    output: 'all'\n    shell: 'false'\n")
    (tmp_path / "all").touch()
    project = Project(tmp_path)
    project.configure({})
    assert insides.NOTHING in project.snakemake("all")
    terminal = project.snakemake("results/tables", ok=False)
    assert re.search(insides.NO_RULE, terminal)[1] == "results/tables"


def test_finishing_after_sigterm():
    assert insides.FINISHING in inspect.getsource(JobScheduler.schedule)


def test_replace_error_messages_keeps_the_error_of_an_input_function(tmp_path):
    """Snakemake raises it again while it handles another exception."""
    (tmp_path / "Snakefile").write_text(
        f"""
import sys
sys.path.insert(0, {str(ROOT / "scripts")!r})
from steadfast.workflow import insides

def fail(wildcards):
    raise ValueError("of mine")

insides.replace_error_messages(lambda error: repr(error.__cause__))
rule last:
    input: "needed"
rule needed:
    output: "needed"
    params: fail
"""
    )
    project = Project(tmp_path)
    project.configure({})
    quiet = project.snakemake("last", "--quiet", "all", ok=False)
    assert quiet == "" or quiet.endswith("ValueError('of mine')\n")
    assert project.snakemake("last", ok=False).endswith("ValueError('of mine')\n")


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")},
        capture_output=True,
        text=True,
    )


@pytest.mark.wide
def test_shorten_messages():
    done = run_python("-m", "steadfast.workflow.launch", "--kores")
    assert done.returncode == 2
    assert done.stdout + done.stderr == "snakemake: error: unrecognized arguments: --kores\n"


def test_taking_option(monkeypatch):
    assert isinstance(Workflow.touch, property)
    assert Snakemake(SimpleNamespace(touch=True)).accepting_option == "--touch"
    for words in (["--report", "r.html"], ["--report=r.html"]):
        monkeypatch.setattr(sys, "argv", ["snakemake", *words])
        assert Snakemake(SimpleNamespace(touch=False)).accepting_option == words[0]


@pytest.mark.parametrize(
    ("plugin", "dryrun", "lock", "holds"),
    [
        ("local", False, True, True),
        (None, False, True, False),
        ("local", True, True, False),
        ("local", False, False, False),
    ],
)
def test_holds_folder(plugin, dryrun, lock, holds):
    settings = SimpleNamespace(lock=lock)
    workflow = SimpleNamespace(executor_plugin=plugin, dryrun=dryrun, execution_settings=settings)
    assert Snakemake(workflow).holds_folder is holds


@pytest.mark.parametrize(
    ("quiet", "hides"), [(None, False), ({Quietness.RULES}, True), ({Quietness.ALL}, True)]
)
def test_hides_rules(quiet, hides):
    workflow = SimpleNamespace(output_settings=SimpleNamespace(quiet=quiet))
    assert Snakemake(workflow).hides_rules is hides


def test_other_errors_name_no_missing_inputs():
    text = "Missing input files for rule all:\n    affected files:\n        a\n        b"
    error = MissingInputException.__new__(MissingInputException, text)
    assert insides.missing_inputs(error) == ("all", ["a", "b"])
    for other in (
        ValueError(text),
        MissingInputException.__new__(MissingInputException, "of files"),
    ):
        assert insides.missing_inputs(other) is None


def test_group():
    lookup = "self.workflow.parent_groupids.get(groupid, groupid)"
    assert lookup in inspect.getsource(DAG._update_group_components)


def test_run_here(monkeypatch):
    """The scheduler reads ``is_local`` of each job that it starts."""
    scheduler = inspect.getsource(JobScheduler)
    assert "local_runjobs = [job for job in run if job.is_local]" in scheduler
    monkeypatch.setattr(Job, "is_local", property(lambda job: job.rule == "local"))
    insides.run_here(lambda job: job.rule == "here")
    monkeypatch.setattr(Job, "group", property(lambda job: job.groups.get(job.rule)))
    jobs = []
    for rule in ("here", "local", "away", "here"):
        job = Job.__new__(Job)
        job.rule = rule
        job.groups = {}
        jobs.append(job)
    jobs[-1].groups = {"here": "of the command line"}
    assert [job.is_local for job in jobs] == [True, True, False, False]
    assert "any(job.is_local for job in self.jobs)" in inspect.getsource(GroupJob)


def test_path_of_a_module():
    assert "def modify(self, path" in inspect.getsource(import_module("snakemake.path_modifier"))


def test_arrays_is_a_setting_of_the_slurm_plugin():
    assert "array_jobs" in {field.name for field in fields(slurm_plugin.ExecutorSettings)}


def test_slurm_plugin_runs():
    assert slurm_plugin.Executor.__module__ == PLUGIN
    assert Plugin.runs(slurm_plugin.Executor.__new__(slurm_plugin.Executor))


def test_slurm_plugin_report_failed():
    method = slurm_plugin.Executor._report_job_error_threadsafe
    assert list(inspect.signature(method).parameters) == ["self", "job_info", "msg"]


def test_slurm_plugin_replace_query():
    parameters = inspect.signature(slurm_plugin.query_job_status).parameters
    assert list(parameters) == ["command", "logger"]
    assert "await query_job_status(" in inspect.getsource(slurm_plugin.Executor)
    for command in (slurm_plugin.query_job_status_squeue, slurm_plugin.query_job_status_sacct):
        assert re.search(r"--name[ =]the-run\b", command("the-run")), command


def test_slurm_plugin_before_steps():
    executor = import_module(STEPS).Executor
    assert list(inspect.signature(executor.run_job).parameters) == ["self", "job"]
    assert "srun" in inspect.getsource(executor.run_job)


def test_slurm_plugin_calls_the_watched_methods():
    source = inspect.getsource(slurm_plugin.Executor)
    assert "self.report_job_error(j, msg=msg, aux_logs=[" in source
    for name in ("run_job_pre", "run_job"):
        assert f"self.{name}(job)" in inspect.getsource(AbstractExecutor.run_jobs)


def test_slurm_plugin_messages_on_rejected_jobs():
    source = re.sub(r'"\s+f?"', "", inspect.getsource(slurm_plugin.Executor))
    assert insides.REFUSED in source and insides.UNSUBMITTED in source


def test_no_job_imports_the_insides():
    stages = {path.stem for path in (ROOT / "scripts/steadfast/stages").glob("[!_]*.py")}
    stages -= {"session", "setup"}  # of the run itself: no rule has them as its script
    assert stages
    names = [f"steadfast.stages.{stage}" for stage in sorted(stages)]
    assert "steadfast.workflow.insides" not in modules(*names)


CHAIN = f"""
import sys
sys.path.insert(0, {str(ROOT / "scripts")!r})
from steadfast.workflow import insides

RUN = insides.Snakemake(workflow)
RUN.when_prepared(lambda: RUN.omit_rules(config.get("left_out", [])))
RUN.when_jobs_are_known(RUN.run_until_the_last)

rule all:
    input: "page"

rule html_report:
    input: "table"
    output: touch("page")

rule table:
    input: "number"
    output: touch("table")

rule number:
    output: touch("number")
"""


@pytest.fixture
def chain(tmp_path):
    """Runs a chain of three rules; returns which of their files exist then."""
    (tmp_path / "Snakefile").write_text(CHAIN)
    (tmp_path / "my.yaml").write_text("{}")

    def run(*arguments: str) -> list[str]:
        Project(tmp_path).snakemake(*arguments)
        return [name for name in ("number", "table", "page") if (tmp_path / name).exists()]

    return run


def test_leave_out(chain):
    assert chain("all", "--config", "left_out=[table]") == ["number"]


@pytest.mark.wide
def test_run_until_the_last(chain, tmp_path):
    """Without it this run ends with Snakemake's "BUG: Out of jobs ready to be started"."""
    assert chain("all", "--until", "number", "table") == ["number", "table"]
    chain("all")
    (tmp_path / "number").unlink()
    assert "number" in chain("all", "--until", "number", "table")


def test_when_terminated():
    """A scheduler sets its handler when it is created, which is before ``onstart``."""
    scheduler = inspect.getsource(JobScheduler)
    assert "signal.signal(signal.SIGTERM, self.exit_gracefully)" in scheduler
    calls = []
    before = signal.signal(signal.SIGTERM, lambda *_: calls.append("Snakemake's"))
    try:
        insides.when_terminated(lambda: calls.append("ours"))
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert calls == ["ours", "Snakemake's"]


@pytest.mark.wide
def test_restart():
    argv = "import sys; sys.argv = ['snakemake', '--version']; "
    start = "from steadfast.workflow.insides import restart; print('x'); restart()"
    done = run_python("-c", argv + start)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"x\n{version('snakemake')}\n"
