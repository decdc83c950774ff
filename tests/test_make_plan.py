"""The plan: its sums by hand, and its rows against what jobs request."""

import csv

import pandas as pd
import pytest

from job_scheduling import Wildcards, scheduling
from prepared import Prepared
from steadfast.base.files import read_jsonl
from steadfast.config import settings
from steadfast.config.load import load_config
from steadfast.contract.components import Sample
from steadfast.contract.part_files import judge_items, read_judge_prompts
from steadfast.engines.cost.forecast import COUNTS, REMAINING
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.loads import Loads
from steadfast.plan import make
from steadfast.plan.inputs import PlanInputs
from steadfast.plan.make import (
    COLUMNS,
    PlannedBenchmark,
    make_plan,
    plan_frame,
    response_numbers,
)
from steadfast.plan.model import planned_jobs
from steadfast.plan.page import _misfit_lines, sums_over_parts, total_lines

EMPTY = {
    **dict.fromkeys(COLUMNS), **dict.fromkeys(COUNTS, 0), "judges": "",
    "requests": 10, "estimated": False,
}  # fmt: skip


def row(benchmark, role, model, remaining, tokens, **columns):
    job = {"benchmark": benchmark, "role": role, "model": model, "engine": "any"}
    counts = dict(zip(REMAINING, tokens, strict=True))
    return EMPTY | job | {"remaining": remaining} | counts | columns


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
    frame = plan_frame([row | {"part": number} for number, row in enumerate(ROWS)])
    sums = sums_over_parts(frame).set_index(["benchmark", "model", "role"])
    assert list(sums.index) == [
        ("first", "api", "models"),
        ("second", "gpu", "models"),
        ("second", "judge", "judges"),
        ("second", "api", "rewriters"),
    ]
    api = sums.loc["first", "api", "models"]
    assert list(api[["requests", "cached", "remaining", *REMAINING]]) == [20, 3, 17, 300, 140, 60]
    assert list(api[["cost", "cost_uncached"]]) == [2.5, 5.0]
    assert pd.isna(api["gpu_hours"])
    assert sums.loc["second", "gpu", "models"]["gpu_hours"] == 2.0


def test_judge_has_one_row_for_the_responses_of_all_models():
    (judge,) = plan_frame([ROWS[3] | {"part": "zh"}] * 2).to_dict("records")
    assert (judge["remaining"], judge["cost"], judge["judges"]) == (8, 1.0, JUDGED["judges"])


def test_equal_requests_have_one_response_unless_earlier_turns_differ():
    first, equal, other = [Sample("p", {"sample_id": name}, {}) for name in ("1/0", "2/0", "3/0")]
    turns = []
    for sample in (first, equal, other):
        prompt = {"sample_id": sample.id.replace("/0", "/1")}
        turns.append(Sample("p", prompt, {}, before=sample))
    hashes = ["same", "same", "other", "turn", "turn", "turn"]
    assert response_numbers([first, equal, other, *turns], hashes) == (0, 0, 1, 2, 2, 3)


def test_totals_name_the_models_that_they_leave_out():
    cached = row("first", "models", "cached", 0, (0, 0, 0))
    assert list(total_lines(pd.DataFrame([*ROWS, cached]))) == [
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


@pytest.mark.parametrize(
    ("row", "cost"),
    [(ROWS[3], "0.50 USD"), (ROWS[2], "unknown (without gpu: no price in the config)")],
)
def test_cost_that_no_cache_hit_can_change_is_one_number(row, cost):
    *_, line = total_lines(pd.DataFrame([row]))
    assert line == f"cost: {cost}"


def test_five_misfits_of_each_part_and_model_are_named():
    misfit = {"benchmark": "b", "part": "4k", "model": "m", "what": "left_out"}
    samples = [misfit | {"sample_id": f"s{number}"} for number in range(6)]
    assert [*_misfit_lines(samples)] == ["- b 4k, m: 6 left out (s0, s1, s2, s3, s4, …)"]
    assert [*_misfit_lines(samples[:5])] == ["- b 4k, m: 5 left out (s0, s1, s2, s3, s4)"]


def read_csv(path) -> list[dict[str, str]]:
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


def write_plan(run: Prepared) -> tuple[dict, str]:
    """The rows of a plan by model and judged models, and its page."""
    evaluation = Evaluation(run.config)
    settings_by_role = {
        "models": settings.planned_models(run.config.models),
        "judges": settings.planned_models(run.config.judges),
    }
    loads = Loads(evaluation, InputDigests(evaluation), run.results)
    hardware = run.config.hardware.model_dump()
    make_plan(
        benchmarks=[PlannedBenchmark(run.results, **evaluation.planned(run.name))],
        rounds={},
        jobs=planned_jobs(loads.planned, settings_by_role, hardware, run.results),
        results=run.results,
    )
    rows = {(row["model"], row["judges"]): row for row in read_csv(run.results / "plan/plan.csv")}
    return rows, (run.results / "plan/plan.md").read_text()


def prepared(tmp_path, benchmark, **raw) -> Prepared:
    run = Prepared({**raw, "benchmarks": [benchmark]}, tmp_path)
    run.make_data()
    run.write_prompts()
    return run


VLLM = {"engine": "vllm", "model": "a/b", "window": 32768, "tensor_parallel_size": 2}


def test_plan_has_the_gpu_hours_that_jobs_request_within_max_hours(tmp_path):
    raw = {
        "models": {"large": {**VLLM, "throughput": {"prefill": 1000, "decode": 1}}},
        "judges": {"judge": {"engine": "openai", "model": "m"}},
        "hardware": {"max_hours": 3},
        "complexbench": {"languages": ["zh"]},
    }
    run = prepared(tmp_path, "complexbench", **raw)
    rows, page = write_plan(run)
    job = Wildcards(benchmark="complexbench", model="large", part="zh")
    minutes = scheduling(run.config, run.results).runtime(job, 1)
    assert minutes == 180
    requested = float(rows["large", ""]["requested_gpu_hours"])
    assert requested == minutes * settings.gpus(run.config.models["large"]) / 60
    assert "- large: the jobs of one model load need " in page
    row = rows["large", ""]
    seconds = int(row["remaining_distinct_tokens"]) / 1000 + int(row["remaining_output_budget"])
    assert [row["estimated"] for row in rows.values()] == ["True", "False"]
    assert list(rows) == [("large", ""), ("judge", "1 model's responses")]
    assert float(row["hours"]) == pytest.approx(seconds / 3600, rel=1e-5)
    assert float(row["gpu_hours"]) == pytest.approx(2 * seconds / 3600, rel=1e-5)


def test_configured_pricing_option_costs_what_rows_and_totals_have(tmp_path):
    price = {"input": 2.0, "output": 8.0, "batch": 0.5}
    api = {"engine": "openai", "model": "m", "price": price}
    models = {"live": api, "batched": {**api, "batch": True}}
    run = prepared(tmp_path, "cfbench", models=models, judges={"judge": api})
    rows, page = write_plan(run)
    options = pd.read_csv(run.results / "plan/options.csv")
    costs = options[options["configured"]].groupby("model")["cost"].sum()
    planned_costs = {model: float(row["cost"]) for (model, _), row in rows.items()}
    assert len(planned_costs) == len(rows) and set(planned_costs) == {"live", "batched", "judge"}
    assert costs.to_dict() == pytest.approx(planned_costs, rel=1e-4)
    for cost in planned_costs.values():
        assert f"(configured) | {cost:,.2f} |" in page
    (line,) = [line for line in page.splitlines() if line.startswith("- cost: ")]
    total = float(line.split()[2].replace(",", ""))
    assert abs(total - sum(planned_costs.values())) <= 0.005


def test_judges_are_planned_with_responses_of_500_words(monkeypatch, tmp_path):
    inputs = []
    monkeypatch.setattr(make, "judge_prompts_of", lambda *given: inputs.append(given) or ())
    reference = {"r": {"engine": "reference"}}
    run = prepared(tmp_path, "cfbench", models=reference, judges=reference)
    write_plan(run)
    ((_, _, samples, answers),) = inputs
    assert {len(answers[sample.id].text.split()) for sample in samples} == {500}


def test_prompts_that_wait_for_rewrites_are_not_planned(tmp_path):
    reference = {"r": {"engine": "reference"}}
    raw = {
        "benchmarks": ["lifbench", "cfbench"],
        "lifbench": {"expressions": "recs"},
        **dict.fromkeys(("models", "judges", "rewriters"), reference),
    }
    run = Evaluation(load_config(raw))
    inputs = PlanInputs(run, InputDigests(run), tmp_path)
    assert (inputs.benchmarks, inputs.unplanned) == (["cfbench"], ["lifbench"])
    assert list(inputs.first_rounds) == ["lifbench"]
    assert all(planned.keys() == {"r"} for planned in inputs.models.values())
    run = Evaluation(load_config(raw | {"benchmarks": ["lifbench"], "lifbench": {}}))
    models = PlanInputs(run, InputDigests(run), tmp_path).models
    assert {role: list(planned) for role, planned in models.items()} == {
        "models": ["r"], "judges": [], "rewriters": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("benchmark", "section", "window"),
    [("cfbench", {}, 2120), ("complexbench", {"languages": ["zh"]}, 4200)],
)
def test_skipped_prompts_are_not_planned_to_be_judged(tmp_path, benchmark, section, window):
    skipping = {"engine": "reference", "on_overflow": "skip", "window": window}
    models = {
        "all": {"engine": "reference"},
        "some": skipping,
        "twice": skipping | {"repeats": 2},
    }
    judges = {"judge": {"engine": "reference"}}
    run = prepared(tmp_path, benchmark, models=models, judges=judges, **{benchmark: section})
    (part,) = run.task.parts
    rows, _ = write_plan(run)
    skipped = 0
    judged = 0  # equal responses of a model are judged once
    for model in models:
        run.answer(model, part)
        run.write_judge_prompts(model, part)
        outputs = list(read_jsonl(run.outputs(model, part)))
        skipped += sum(record["status"] == "overflow" for record in outputs)
        judged += len(judge_items(read_judge_prompts(run.judging(model, part))))
    assert 0 < skipped < judged
    row = rows["judge", "3 models' responses, at most"]
    assert int(row["remaining"]) == judged
