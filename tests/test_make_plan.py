"""The plan: its sums by hand, and what it says of jobs beside what they ask for."""

import csv
import logging
from types import SimpleNamespace

import pandas as pd
import pytest

from prepared import Prepared
from steadfast.base.files import read_jsonl
from steadfast.config import settings
from steadfast.contract.part_files import judge_items, read_judge_prompts
from steadfast.engines.cost.forecast import COUNTS, REMAINING
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job_resources import Scheduling
from steadfast.jobs.loads import Loads
from steadfast.plan.make import COLUMNS, PlannedBenchmark, make_plan, plan_frame
from steadfast.plan.model import planned_jobs
from steadfast.plan.page import summed, total_lines
from steadfast.workflow.failures import FailedJobs
from steadfast.workflow.insides import Snakemake

EMPTY = {
    **dict.fromkeys(COLUMNS), **dict.fromkeys(COUNTS, 0), "judges": "",
    "requests": 10, "estimated": False,
}  # fmt: skip


def row(benchmark, role, model, remaining, tokens, **more):
    place = {"benchmark": benchmark, "role": role, "model": model, "engine": "any"}
    counts = dict(zip(REMAINING, tokens, strict=True))
    return EMPTY | place | {"remaining": remaining} | counts | more


API = {"cost": 1.25, "cost_uncached": 2.5}
GPU = {"hours": 0.5, "gpu_hours": 2.0, "load_gpu_hours": 0.1, "requested_gpu_hours": 6.0}
JUDGED = {"judges": "1 model's responses, at most", "cost": 0.5, "cost_uncached": 0.5}
ROWS = [
    row("first", "models", "api", 7, (100, 60, 30), cached=3, **API),
    row("first", "models", "api", 10, (200, 80, 30), **API),
    row("second", "models", "gpu", 10, (1000, 1000, 50), estimated=True, **GPU),
    row("second", "judges", "judge", 4, (40, 40, 8), **JUDGED),
    row("second", "rewriters", "api", 2, (6, 6, 4), **API),
]


def test_rows_are_summed_by_benchmark_model_and_role():
    frame = plan_frame([one | {"part": number} for number, one in enumerate(ROWS)])
    found = summed(frame).set_index(["benchmark", "model", "role"])
    assert list(found.index) == [
        ("first", "api", "models"),
        ("second", "gpu", "models"),
        ("second", "judge", "judges"),
        ("second", "api", "rewriters"),
    ]
    first = found.loc["first", "api", "models"]
    gpu = found.loc["second", "gpu", "models"]
    assert list(first[["requests", "cached", "remaining", *REMAINING]]) == [20, 3, 17, 300, 140, 60]
    assert list(first[["cost", "cost_uncached"]]) == [2.5, 5.0]
    assert pd.isna(first["gpu_hours"]) and gpu["gpu_hours"] == 2.0


def test_a_judge_s_jobs_about_all_models_are_one_row():
    (found,) = plan_frame([ROWS[3] | {"part": "zh"}] * 2).to_dict("records")
    assert (found["remaining"], found["cost"], found["judges"]) == (8, 1.0, ROWS[3]["judges"])


def test_the_totals_say_what_they_leave_out():
    assert list(total_lines(pd.DataFrame(ROWS))) == [
        "requests: at most 33 (27 for responses, at most 4 for verdicts, 2 for rewrites)",
        "cached in the journal: 3",
        "prompt tokens: 1,346, of which distinct 1,186 (estimated with o200k_base for gpu, "
        "whose tokenizer is not on this machine)",
        "output tokens: at most 122",
        "hours: 0.50 (without api, judge: no throughput in the config)",
        "GPU-hours: 2.00, plus 0.10 for loading models; 6.00 requested (without api, judge: no "
        "throughput in the config)",
        "cost: 4.25 USD expected, 8.00 USD without cache hits (without gpu: no price in the "
        "config)",
    ]
    assert "no time and no cost" in next(total_lines(pd.DataFrame()))


VLLM = {"engine": "vllm", "model": "a/b", "window": 32768, "tensor_parallel_size": 2}
BENCHMARKS = [("cfbench", {}, 2120), ("complexbench", {"languages": ["zh"]}, 4200)]


def plan(run: Prepared) -> tuple[dict, str]:
    """The rows of a plan by who is asked and whether it judges, and its page."""
    evaluation = Evaluation(run.config)
    who = {"models": run.config.models, "judges": run.config.judges}
    make_plan(
        benchmarks=[PlannedBenchmark(run.results, **evaluation.planned(run.name))],
        rounds={},
        jobs=planned_jobs(
            Loads(evaluation, InputDigests(evaluation), run.results).planned,
            {role: settings.planned(named) for role, named in who.items()},
            run.config.hardware.model_dump(),
            run.results,
        ),
        results=run.results,
    )
    with open(run.results / "plan/plan.csv", newline="") as lines:
        rows = {(row["model"], row["judges"]): row for row in csv.DictReader(lines)}
    return rows, (run.results / "plan/plan.md").read_text()


def prepared(tmp_path, benchmark, **raw) -> Prepared:
    run = Prepared({**raw, "benchmarks": [benchmark]}, tmp_path)
    run.make_data()
    run.write_prompts()
    return run


def test_the_plan_says_what_the_jobs_of_a_load_ask_for_within_the_most_hours(tmp_path):
    class Wildcards(dict):
        __getattr__ = dict.__getitem__

    throughput = {"prefill": 1000, "decode": 1}
    raw = {
        "models": {"large": {**VLLM, "throughput": throughput}},
        "judges": {"judge": {"engine": "openai", "model": "m"}},
        "hardware": {"max_hours": 3},
        "complexbench": {"languages": ["zh"]},
    }
    run = prepared(tmp_path, "complexbench", **raw)
    rows, page = plan(run)
    evaluation = Evaluation(run.config)
    loads = Loads(evaluation, InputDigests(evaluation), run.results)
    snakemake = Snakemake(SimpleNamespace(executor_settings=SimpleNamespace(array_jobs="")))
    failures = FailedJobs(tmp_path / "logs", logging.getLogger(__name__))
    scheduling = Scheduling(loads, snakemake, failures)
    minutes = scheduling.runtime(Wildcards(benchmark="complexbench", model="large", part="zh"), 1)
    assert minutes == 180
    requested = float(rows["large", ""]["requested_gpu_hours"])
    assert requested == minutes * settings.gpus(run.config.models["large"]) / 60
    assert "- large: the jobs of one model load need " in page


def test_the_configured_option_costs_what_the_rows_and_the_totals_say(tmp_path):
    price = {"input": 2.0, "output": 8.0, "batch": 0.5}
    api = {"engine": "openai", "model": "m", "price": price}
    models = {"live": api, "batched": {**api, "batch": True}}
    judges = {"judge": api}
    run = prepared(tmp_path, "cfbench", models=models, judges=judges)
    rows, page = plan(run)
    with open(run.results / "plan/options.csv", newline="") as lines:
        options = [row for row in csv.DictReader(lines) if row["configured"] == "True"]
    for name in ("live", "batched", "judge"):
        (planned,) = (float(row["cost"]) for (model, _), row in rows.items() if model == name)
        configured = sum(float(row["cost"]) for row in options if row["model"] == name)
        assert configured == pytest.approx(planned, rel=1e-4)
        assert f"(configured) | {planned:,.2f} |" in page
    whole = sum(float(row["cost"]) for row in rows.values())
    (line,) = (line for line in page.splitlines() if line.startswith("- cost: "))
    assert abs(float(line.split()[2].replace(",", "")) - whole) <= 0.005


SKIPPING = {"engine": "reference", "on_overflow": "skip"}


@pytest.mark.parametrize(("benchmark", "data", "window"), BENCHMARKS)
def test_what_has_no_answer_is_not_planned_to_be_judged(tmp_path, benchmark, data, window):
    models = {
        "all": {"engine": "reference"},
        "some": SKIPPING | {"window": window},
        "twice": SKIPPING | {"window": window, "repeats": 2},
    }
    judges = {"judge": {"engine": "reference"}}
    run = prepared(tmp_path, benchmark, models=models, judges=judges, **{benchmark: data})
    (part,) = run.task.parts
    rows, _ = plan(run)
    left_out = asked = 0
    for model in models:
        run.answer(model, part)
        run.ask_judge(model, part)
        outputs = list(read_jsonl(run.outputs(model, part)))
        left_out += sum(record["status"] == "overflow" for record in outputs)
        asked += len(judge_items(read_judge_prompts(run.judging(model, part))))
    assert 0 < left_out < asked
    # Of answers that are drawn twice, equal ones are judged once.
    row = rows["judge", "3 models' responses, at most"]
    assert int(row["remaining"]) == asked
