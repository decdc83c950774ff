"""What a run shows: a bar or a line a stage, and at the end what it has made."""

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

from steadfast.show.ending import ending
from steadfast.show.roster import Display
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stages.run_end import turned
from steadfast.stats.tidy import write_csv
from steadfast.workflow import terminal
from steadfast.workflow.insides import FINISHING
from steadfast.workflow.terminal import STOPPING, JobLines, Stopping, answered, counted, with_end

MODEL_A = Section(((Cell("a"), Cell(".5")),))
QUIET = {Quietness.RULES, Quietness.HOST}
LOG = "results/logs/lifbench/inference/m/4k.log"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def shown():
    return taken_over(io.StringIO())


def taken_over(stream, quiet=QUIET, each_job=False):
    """Snakemake's own handler, taken over: a logger, and what it has shown."""
    handler = ColorizingTextHandler(stream=stream)
    handler.name = "DefaultStreamHandler"
    handler.addFilter(DefaultFilter(quiet, False, False, False, False))
    handler.setFormatter(DefaultFormatter(quiet))
    logger = logging.Logger("terminal")
    logger.addHandler(handler)
    titles = {"lifbench": "LIFBench", "ifeval": "IFEval"}
    JobLines.install(logger, Path("results/logs"), bool, titles, each_job)
    return logger, stream


def begun(logger, **jobs):
    stats = {**jobs, "total": sum(jobs.values())}
    logger.info("Job stats:", extra={"event": LogEvent.RUN_INFO, "stats": stats})


def started(logger, jobid, log, output=(), rule="inference"):
    facts = {"event": LogEvent.JOB_INFO, "jobid": jobid, "rule_name": rule, "log": log}
    facts["output"] = output
    logger.info("Select jobs to execute...")
    logger.info("Execute 1 jobs...", extra={"event": LogEvent.JOB_STARTED, "jobs": [jobid]})
    logger.info(f"Rule: inference, Jobid: {jobid}", extra=facts)


def finished(logger, jobid, done):
    logger.info("Finished", extra={"event": LogEvent.JOB_FINISHED, "job_id": jobid})
    logger.info(None, extra={"event": LogEvent.PROGRESS, "done": done, "total": 9})


def test_a_finished_stage_is_one_line_with_its_jobs_by_benchmark(shown):
    logger, stream = shown
    begun(logger, inference=3)
    for number, benchmark in enumerate(("ifeval", "lifbench", "ifeval"), 1):
        started(logger, number, [f"results/logs/{benchmark}/inference/m/{number}.log"])
    finished(logger, 1, 1)
    finished(logger, 2, 2)
    assert stream.getvalue() == "3 jobs\n"
    finished(logger, 3, 3)
    assert stream.getvalue() == "3 jobs\ninference: 3 jobs done (LIFBench 1, IFEval 2)\n"


def test_rules_of_benchmarks_are_one_stage(shown):
    logger, stream = shown
    begun(logger, lifbench_tables=1, ifeval_tables=1, usage=1)
    for number, name in enumerate(("lifbench_tables", "ifeval_tables", "usage"), 1):
        log = name.replace("_", "/")
        started(logger, number, [f"results/logs/{log}.log"], rule=name)
        finished(logger, number, number)
    lines = ["3 jobs", "tables: 2 jobs done (LIFBench 1, IFEval 1)", "usage: 1 job done"]
    assert stream.getvalue().splitlines() == lines


def test_a_rule_that_makes_nothing_is_no_stage(shown):
    logger, stream = shown
    begun(logger, all=1)
    started(logger, 1, [], rule="all")
    finished(logger, 1, 1)
    assert stream.getvalue() == "1 job\n"


def test_a_stage_of_inference_has_the_counts_of_all_its_responses(shown, tmp_path):
    logger, stream = shown
    made = {"statuses": {"ok": 3}, "tokens": {"prompt": 1000, "completion": 234}}
    (tmp_path / "4k.provenance.json").write_text(json.dumps(made))
    begun(logger, inference=2)
    for number in (1, 2):
        started(logger, number, [LOG], [str(tmp_path / "4k.provenance.json")])
        finished(logger, number, number)
    line = "inference: 2 jobs done (LIFBench 2); responses: 6 done, 0 failed, 2,468 tokens"
    assert stream.getvalue().splitlines() == ["2 jobs", line]


def test_a_job_with_failed_responses_is_a_line_of_its_own(shown, tmp_path):
    logger, stream = shown
    made = {"statuses": {"ok": 3, "error": 1}, "tokens": {"prompt": 1000, "completion": 234}}
    (tmp_path / "4k.provenance.json").write_text(json.dumps(made))
    begun(logger, inference=2)
    started(logger, 7, [LOG], [str(tmp_path / "4k.jsonl"), str(tmp_path / "4k.provenance.json")])
    finished(logger, 7, 1)
    line = "1 of 9 done: lifbench/inference/m/4k: 4 done, 1 failed, 1,234 tokens"
    assert stream.getvalue().splitlines() == ["2 jobs", line]


def test_a_stage_that_takes_long_says_how_far_it_is(shown, monkeypatch):
    logger, stream = shown
    begun(logger, inference=3)
    now = terminal.monotonic()
    for number, later in ((1, 70), (2, 80)):
        monkeypatch.setattr(terminal, "monotonic", lambda later=later: now + later)
        started(logger, number, [LOG])
        finished(logger, number, number)
    line = "inference: 1 of 3 jobs done (LIFBench 1)"
    assert stream.getvalue().splitlines() == ["3 jobs", line]


def test_a_verbose_run_has_a_line_for_each_job_and_what_snakemake_says():
    logger, stream = taken_over(io.StringIO(), each_job=True)
    logger.info("Building DAG of jobs...")
    started(logger, 7, [LOG])
    finished(logger, 7, 1)
    said = stream.getvalue().splitlines()
    assert (said[0], said[-1]) == (
        "Building DAG of jobs...",
        "1 of 9 done: lifbench/inference/m/4k",
    )


def test_quiet_runs_and_terminals_say_only_what_fails():
    logger, stream = taken_over(io.StringIO(), {Quietness.ALL})
    logger.info("Building DAG of jobs...")
    logger.error("failed: lifbench/inference/m/4k")
    assert stream.getvalue() == "failed: lifbench/inference/m/4k\n"
    logger, stream = taken_over(Terminal(), {*QUIET, Quietness.PROGRESS})
    started(logger, 3, [LOG])
    finished(logger, 3, 9)
    assert stream.getvalue() == ""


def test_a_run_that_ends_after_its_jobs_says_so_once(shown):
    logger, stream = shown
    logger.addFilter(Stopping())
    for _ in range(2):
        logger.info(f"{FINISHING} (scheduler).")
    assert stream.getvalue() == f"{STOPPING}\n"


def test_a_job_s_line_names_answers_that_are_empty_or_cut(tmp_path):
    statuses = {"ok": 3, "length": 2, "unfinished": 1, "refused": 4}
    made = {"statuses": statuses, "empty": 2, "tokens": {"prompt": 5, "completion": None}}
    path = tmp_path / "4k.provenance.json"
    path.write_text(json.dumps(made))
    line = "10 done, 0 failed, 2 empty, 2 truncated, 1 unfinished, 4 refused, 5 tokens"
    assert counted(answered([str(path)])) == line


def test_on_a_terminal_a_bar_names_what_runs_and_a_line_what_failed(tmp_path):
    logger, stream = taken_over(Terminal())
    made = {"statuses": {"ok": 3, "error": 1}, "tokens": {"prompt": 1000, "completion": 234}}
    (tmp_path / "4k.provenance.json").write_text(json.dumps(made))
    started(logger, 3, [LOG.replace("4k", "8k")])
    started(logger, 7, [LOG], [str(tmp_path / "4k.provenance.json")])
    finished(logger, 7, 1)
    finished(logger, 3, 9)
    plain = re.sub(r"\x1b\[[0-9;]*[mA-Z]", "", stream.getvalue())
    said = re.split(r"[\r\n]+", plain)
    assert "1 of 9 done: lifbench/inference/m/4k: 4 done, 1 failed, 1,234 tokens" in said
    (bar,) = (line for line in said if "1 of 9 jobs" in line)
    assert bar.startswith(" 11 % |") and bar.rstrip().endswith(", lifbench/inference/m/8k")
    assert "9 of 9 done" not in plain and "100 % |" in plain


def test_the_end_names_models_that_judge_and_people_order_differently(tmp_path):
    rows = [("a_1", "b", "PSR", 1, -2), ("a_1", "c", "PSR", 1, 2), ("a_1", "", "PSR", -1, 1)]
    (tmp_path / "cfbench/metrics").mkdir(parents=True)
    columns = ["model", "other", "measure", "raw", "value"]
    write_csv(tmp_path / "cfbench/metrics/corrected.csv", pd.DataFrame(rows, columns=columns))
    run = SimpleNamespace(running=["cfbench"], benchmarks={"cfbench": SimpleNamespace(title="CF")})
    made = {str(tmp_path / "cfbench/tables/cfbench_corrected.md")}
    assert list(turned(run, tmp_path, Display(), made)) == [
        "CF: Judge and people order these models differently: a_1 and b (PSR)."
    ]
    assert not list(turned(run, tmp_path, Display(), set()))


def test_the_end_is_shown_where_nothing_is_to_be_done(shown):
    logger, stream = shown
    logger.addFilter(partial(with_end, lambda: "Tables: results/tables/"))
    logger.info(NOTHING_TO_BE_DONE_MSG)
    assert stream.getvalue().splitlines()[-1] == "Tables: results/tables/"
    assert len(stream.getvalue().splitlines()) == 2


def test_what_snakemake_says_of_failed_jobs_is_left_to_those_who_know_why(shown):
    logger, stream = shown
    started(logger, 7, [LOG])
    facts = {"event": LogEvent.JOB_ERROR, "jobid": 7, "rule_name": "inference", "log": [LOG]}
    logger.error("Error in rule inference, jobid: 7", extra=facts)
    logger.error("RuleException:\nCalledProcessError in file Snakefile, line 40:\nCommand '…'")
    logger.info("Trying to restart job 7.")
    logger.error("RuleException:\nKeyError in file Snakefile, line 3:\n'nosuch'")
    assert stream.getvalue() == "RuleException:\nKeyError in file Snakefile, line 3:\n'nosuch'\n"


def test_errors_and_what_else_is_said_are_shown_as_they_were(shown):
    logger, stream = shown
    logger.error("At least one job failed.", extra={"event": LogEvent.ERROR})
    logger.warning("A disk is slow.")
    assert stream.getvalue() == "At least one job failed.\nA disk is slow.\n"


def test_of_the_jobs_there_is_the_number_and_in_a_dry_run_the_table():
    for dry, line in ((False, "162 jobs\n"), (True, "Job stats:\n")):
        stream = io.StringIO()
        handler = ColorizingTextHandler(stream=stream)
        handler.name = "DefaultStreamHandler"
        handler.setFormatter(DefaultFormatter(QUIET))
        logger = logging.Logger("terminal")
        logger.addHandler(handler)
        JobLines.install(logger, Path("results/logs"), lambda dry=dry: dry)
        logger.info("Job stats:", extra={"event": LogEvent.RUN_INFO, "stats": {"total": 162}})
        assert stream.getvalue() == line


def test_the_end_names_what_was_made_and_shows_the_report(tmp_path):
    report = Table("summary", "Caption.", (Column("Model"), Column("ARS")), (MODEL_A,))
    files = [
        "lifbench/tables/x.md",
        "summary/summary.md",
        "tables",
        "figures/x.png",
        "corpora/a.jsonl",
        "report.html",
    ]
    made = [str(tmp_path / name) for name in files]
    assert ending(tmp_path, made, report, ["Found."], ["Turned."], ["Synthetic."]).splitlines() == [
        "Model  ARS", "-----  ---", "a      .5", "", "Found.", "", "Synthetic.", "", "Turned.", "",
        f"HTML report: {tmp_path}/report.html",
        f"Tables (docs/reading.md explains them): {tmp_path}/tables/",
        f"Figures: {tmp_path}/figures/",
    ]  # fmt: skip


def test_one_benchmark_s_tables_are_named_where_there_are_no_others():
    files = ["results/cfbench/tables/x.md", "results/plan/x.md", "elsewhere/x"]
    assert ending(Path("results"), files).splitlines() == [
        "Plan: results/plan/",
        "Tables: results/cfbench/tables/",
    ]


def test_the_end_names_what_a_server_took(tmp_path):
    columns = [
        "model",
        "judge",
        "requests",
        "refused",
        "response_truncated",
        "empty",
        "wall_seconds",
    ]
    columns += ["answers_per_second", "latency_median", "latency_95", "retries", "rejected"]
    usage = tmp_path / "metrics/inference.csv"
    usage.parent.mkdir()
    usage.write_text(f"{','.join(columns)}\nm,,10,0,0,2,5,2,0.4,0.9,3,1\n")
    said = ending(tmp_path, [str(usage)]).splitlines()
    assert said[0] == (
        "m: 10 requests, 2 responses/s; latency 0.4 s (median), 0.9 s (95 %); "
        "3 retries, 1 rejected by the server; 2 empty"
    )
