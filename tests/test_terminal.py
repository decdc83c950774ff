"""A run's output: a progress bar or a line for each stage, and the summary at the end."""

import io
import json
import logging
import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.common import LogEvent

from steadfast.show.roster import Display
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.show.terminal_summary import terminal_summary
from steadfast.stages.run_end import reversed_rankings
from steadfast.stats.tidy import write_csv
from steadfast.workflow import terminal
from steadfast.workflow.insides import FINISHING
from steadfast.workflow.terminal import (
    STOPPING,
    JobLines,
    StoppingFilter,
    add_closing_summary,
    counts_text,
    response_counts,
)

QUIET = {Quietness.RULES, Quietness.HOST}
LOG = "results/logs/lifbench/inference/m/4k.log"


class Terminal(io.StringIO):
    def isatty(self):
        return True


class RunLog(logging.Logger):
    """Snakemake's logger, whose handler shows what ``JobLines`` makes of its messages."""

    def __init__(self, stream=None, quiet=QUIET, each_job=False, is_dry=bool):
        super().__init__("terminal")
        self.stream = stream or io.StringIO()
        handler = ColorizingTextHandler(stream=self.stream)
        handler.name = "DefaultStreamHandler"
        handler.addFilter(DefaultFilter(quiet, False, False, False, False))
        handler.setFormatter(DefaultFormatter(quiet))
        self.addHandler(handler)
        titles = {"lifbench": "LIFBench", "ifeval": "IFEval"}
        JobLines.install(self, Path("results/logs"), is_dry, titles, each_job)

    def begin(self, **jobs):
        stats = {**jobs, "total": sum(jobs.values())}
        self.info("Job stats:", extra={"event": LogEvent.RUN_INFO, "stats": stats})

    def start(self, jobid, log, output=(), rule="inference"):
        facts = {"event": LogEvent.JOB_INFO, "jobid": jobid, "rule_name": rule, "log": log}
        facts["output"] = output
        self.info("Select jobs to execute...")
        self.info("Execute 1 jobs...", extra={"event": LogEvent.JOB_STARTED, "jobs": [jobid]})
        self.info(f"Rule: inference, Jobid: {jobid}", extra=facts)

    def finish(self, jobid, done):
        self.info("Finished", extra={"event": LogEvent.JOB_FINISHED, "job_id": jobid})
        self.info(None, extra={"event": LogEvent.PROGRESS, "done": done, "total": 9})

    @property
    def text(self):
        return self.stream.getvalue()

    @property
    def lines(self):
        return self.text.splitlines()


@pytest.fixture
def log():
    return RunLog()


@pytest.fixture
def write_provenance(tmp_path):
    def write(statuses, prompt=1000, completion=234, **fields):
        tokens = {"prompt": prompt, "completion": completion}
        path = tmp_path / "4k.provenance.json"
        path.write_text(json.dumps({"statuses": statuses, "tokens": tokens, **fields}))
        return str(path)

    return write


def test_finished_stage_is_one_line_with_jobs_by_benchmark(log):
    log.begin(inference=3)
    for jobid, benchmark in enumerate(("ifeval", "lifbench", "ifeval"), 1):
        log.start(jobid, [f"results/logs/{benchmark}/inference/m/{jobid}.log"])
    log.finish(1, 1)
    log.finish(2, 2)
    assert log.text == "3 jobs\n"
    log.finish(3, 3)
    assert log.text == "3 jobs\ninference: 3 jobs done (LIFBench 1, IFEval 2)\n"


def test_rules_of_benchmarks_are_one_stage(log):
    log.begin(lifbench_tables=1, ifeval_tables=1, usage=1)
    for jobid, rule in enumerate(("lifbench_tables", "ifeval_tables", "usage"), 1):
        log.start(jobid, [f"results/logs/{rule.replace('_', '/')}.log"], rule=rule)
        log.finish(jobid, jobid)
    lines = ["3 jobs", "tables: 2 jobs done (LIFBench 1, IFEval 1)", "usage: 1 job done"]
    assert log.lines == lines


def test_rule_without_log_and_output_is_no_stage(log):
    log.begin(all=1)
    log.start(1, [], rule="all")
    log.finish(1, 1)
    assert log.text == "1 job\n"


def test_inference_stage_counts_responses_and_tokens(log, write_provenance):
    provenance = write_provenance({"ok": 3})
    log.begin(inference=2)
    for jobid in (1, 2):
        log.start(jobid, [LOG], [provenance])
        log.finish(jobid, jobid)
    line = "inference: 2 jobs done (LIFBench 2); responses: 6 done, 0 failed, 2,468 tokens"
    assert log.lines == ["2 jobs", line]


def test_job_with_failed_responses_has_a_line(log, write_provenance, tmp_path):
    log.begin(inference=2)
    log.start(7, [LOG], [str(tmp_path / "4k.jsonl"), write_provenance({"ok": 3, "error": 1})])
    log.finish(7, 1)
    line = "1 of 9 done: lifbench/inference/m/4k: 4 done, 1 failed, 1,234 tokens"
    assert log.lines == ["2 jobs", line]


def test_unfinished_stage_gets_a_line_after_a_minute(log, monkeypatch):
    log.begin(inference=3)
    start = terminal.monotonic()
    for jobid, seconds in ((1, 70), (2, 80)):
        monkeypatch.setattr(terminal, "monotonic", lambda time=start + seconds: time)
        log.start(jobid, [LOG])
        log.finish(jobid, jobid)
    assert log.lines == ["3 jobs", "inference: 1 of 3 jobs done (LIFBench 1)"]


def test_verbose_run_shows_each_job_and_snakemake_messages():
    log = RunLog(each_job=True)
    log.info("Building DAG of jobs...")
    log.start(7, [LOG])
    log.finish(7, 1)
    assert log.lines[0] == "Building DAG of jobs..."
    assert log.lines[-1] == "1 of 9 done: lifbench/inference/m/4k"


def test_quiet_run_shows_only_errors():
    log = RunLog(quiet={Quietness.ALL})
    log.info("Building DAG of jobs...")
    log.error("failed: lifbench/inference/m/4k")
    assert log.text == "failed: lifbench/inference/m/4k\n"


def test_quiet_progress_hides_the_bar():
    log = RunLog(Terminal(), {*QUIET, Quietness.PROGRESS})
    log.start(3, [LOG])
    log.finish(3, 9)
    assert log.text == ""


def test_stopping_run_is_announced_once(log):
    log.addFilter(StoppingFilter())
    for _ in range(2):
        log.info(f"{FINISHING} (scheduler).")
        assert log.text == f"{STOPPING}\n"


def test_empty_truncated_and_refused_responses_are_counted(write_provenance):
    statuses = {"ok": 3, "length": 2, "unfinished": 1, "refused": 4}
    path = write_provenance(statuses, prompt=5, completion=None, empty=2)
    line = "10 done, 0 failed, 2 empty, 2 truncated, 1 unfinished, 4 refused, 5 tokens"
    assert counts_text(response_counts([path])) == line


def test_terminal_has_a_bar_of_running_jobs_and_lines_of_failures(write_provenance):
    log = RunLog(Terminal())
    log.start(3, [LOG.replace("4k", "8k")])
    log.start(7, [LOG], [write_provenance({"ok": 3, "error": 1})])
    log.finish(7, 1)
    log.finish(3, 9)
    text = re.sub(r"\x1b\[[0-9;]*[mA-Z]", "", log.text)
    lines = re.split(r"[\r\n]+", text)
    assert "1 of 9 done: lifbench/inference/m/4k: 4 done, 1 failed, 1,234 tokens" in lines
    (bar,) = (line for line in lines if "1 of 9 jobs" in line)
    assert bar.startswith(" 11 % |") and bar.rstrip().endswith(", lifbench/inference/m/8k")
    assert "9 of 9 done" not in text and "100 % |" in text


def test_summary_names_models_that_labels_reorder(tmp_path):
    rows = [("a_1", "b", "PSR", 1, -2), ("a_1", "c", "PSR", 1, 2), ("a_1", "", "PSR", -1, 1)]
    (tmp_path / "cfbench/metrics").mkdir(parents=True)
    columns = ["model", "other", "measure", "raw", "value"]
    write_csv(tmp_path / "cfbench/metrics/corrected.csv", pd.DataFrame(rows, columns=columns))
    run = SimpleNamespace(running=["cfbench"], benchmarks={"cfbench": SimpleNamespace(title="CF")})
    tables = {str(tmp_path / "cfbench/tables/cfbench_corrected.md")}
    assert list(reversed_rankings(run, tmp_path, Display(), tables)) == [
        "CF: Judge and people order these models differently: a_1 and b (PSR)."
    ]
    assert not list(reversed_rankings(run, tmp_path, Display(), set()))


def test_summary_is_shown_where_nothing_is_to_be_done(log):
    log.addFilter(partial(add_closing_summary, lambda: "Tables: results/tables/"))
    log.info(NOTHING_TO_BE_DONE_MSG)
    assert log.lines[-1] == "Tables: results/tables/"
    assert len(log.lines) == 2


def test_snakemake_messages_on_failed_jobs_are_hidden(log):
    log.start(7, [LOG])
    facts = {"event": LogEvent.JOB_ERROR, "jobid": 7, "rule_name": "inference", "log": [LOG]}
    log.error("Error in rule inference, jobid: 7", extra=facts)
    log.error("RuleException:\nCalledProcessError in file Snakefile, line 40:\nCommand '…'")
    log.info("Trying to restart job 7.")
    log.error("RuleException:\nKeyError in file Snakefile, line 3:\n'nosuch'")
    assert log.text == "RuleException:\nKeyError in file Snakefile, line 3:\n'nosuch'\n"


def test_other_errors_and_warnings_are_shown_unchanged(log):
    log.error("At least one job failed.", extra={"event": LogEvent.ERROR})
    log.warning("A disk is slow.")
    assert log.text == "At least one job failed.\nA disk is slow.\n"


@pytest.mark.parametrize(("is_dry", "line"), [(False, "162 jobs\n"), (True, "Job stats:\n")])
def test_table_of_jobs_is_shown_in_a_dry_run_only(is_dry, line):
    log = RunLog(is_dry=lambda: is_dry)
    log.info("Job stats:", extra={"event": LogEvent.RUN_INFO, "stats": {"total": 162}})
    assert log.text == line


def test_summary_has_the_table_and_the_folders_of_results(tmp_path):
    row = Section(((Cell("a"), Cell(".5")),))
    summary = Table("summary", "Caption.", (Column("Model"), Column("ARS")), (row,))
    names = "lifbench/tables/x.md summary/summary.md tables figures/x.png corpora/a.jsonl"
    files = [str(tmp_path / name) for name in [*names.split(), "report.html"]]
    text = terminal_summary(tmp_path, files, summary, ["Found."], ["Turned."], ["Synthetic."])
    assert text.splitlines() == [
        "Model  ARS", "-----  ---", "a      .5", "", "Found.", "", "Synthetic.", "", "Turned.", "",
        f"HTML report: {tmp_path}/report.html",
        f"Tables (docs/reading.md explains them): {tmp_path}/tables/",
        f"Figures: {tmp_path}/figures/",
    ]  # fmt: skip


def test_summary_names_a_single_benchmark_s_tables():
    files = ["results/cfbench/tables/x.md", "results/plan/x.md", "elsewhere/x"]
    assert terminal_summary(Path("results"), files).splitlines() == [
        "Plan: results/plan/",
        "Tables: results/cfbench/tables/",
    ]


@pytest.mark.parametrize(
    ("made", "lines"), [("plan/plan.md", ["- cost: 1", "", "Plan: "]), ("tables/x.md", ["Tables"])]
)
def test_summary_has_the_totals_of_a_plan_that_the_run_made(tmp_path, made, lines):
    plan = tmp_path / "plan/plan.md"
    plan.parent.mkdir()
    plan.write_text("# Plan\n\n## Totals\n\n- cost: 1\n\n## Options\n\n- none\n")
    shown = terminal_summary(tmp_path, [str(tmp_path / made)]).splitlines()
    assert [line[: len(start)] for line, start in zip(shown, lines, strict=True)] == lines


def test_summary_has_the_requests_and_latency_of_a_server(tmp_path):
    usage = tmp_path / "metrics/inference.csv"
    usage.parent.mkdir()
    usage.write_text(
        "model,judge,requests,refused,response_truncated,empty,wall_seconds,"
        "answers_per_second,latency_median,latency_95,retries,rejected\n"
        "m,,10,0,0,2,5,2,0.4,0.9,3,1\n"
    )
    assert terminal_summary(tmp_path, [str(usage)]).splitlines()[0] == (
        "m: 10 requests, 2 responses/s; latency 0.4 s (median), 0.9 s (95 %); "
        "3 retries, 1 rejected by the server; 2 empty"
    )
