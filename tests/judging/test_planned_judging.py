"""What a plan says of a judge: no more than is asked once the answers are there."""

import csv

import pytest

from prepared import Prepared
from steadfast.base.files import read_jsonl
from steadfast.config import settings
from steadfast.contract.part_files import judge_items, read_judge_prompts
from steadfast.plan.requests import plan_requests

SKIPPING = {"engine": "reference", "on_overflow": "skip"}
RAW = {
    "models": {"all": {"engine": "reference"}, "some": SKIPPING, "twice": SKIPPING | {"draws": 2}},
    "judges": {"judge": {"engine": "reference"}},
}


@pytest.mark.parametrize(
    ("benchmark", "data", "window"),
    [
        ("cfbench", {"records": 16}, 2120),
        ("complexbench", {"instances": 12, "languages": ["zh"]}, 4200),
    ],
)
def test_answers_that_are_left_out_are_not_planned_to_be_judged(tmp_path, benchmark, data, window):
    models = RAW["models"] | {n: RAW["models"][n] | {"window": window} for n in ("some", "twice")}
    run = Prepared(RAW | {"models": models, "benchmarks": [benchmark], benchmark: data}, tmp_path)
    run.make_data()
    run.write_prompts()
    judging = run.task.judging
    plan_requests(
        benchmark,
        settings.planned(run.config.models),
        settings.planned(run.config.judges),
        {name: ["judge"] for name in models},
        [run.part(part) for part in run.task.parts],
        judging.prompts.plain,
        judging.templates,
        100,
        tmp_path,
        tmp_path / "plan.md",
        tmp_path / "plan.csv",
        tmp_path / "plan.prompts.csv",
        run.config.hardware.model_dump(),
        {},
    )
    with open(tmp_path / "plan.csv", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["judges"]]
    left_out = asked = 0
    for part in run.task.parts:
        for model in models:
            run.answer(model, part, tmp_path / "log")
            run.ask_judge(model, part)
            outputs = list(read_jsonl(run.outputs(model, part)))
            left_out += sum(record["status"] == "overflow" for record in outputs)
            asked += len(judge_items(read_judge_prompts(run.judging(model, part))))
    assert 0 < left_out < asked
    assert sum(int(row["to_ask"]) for row in rows) == asked > 0
