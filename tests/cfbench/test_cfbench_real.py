"""CFBench on the released files: all records through to tables, and the judged samples."""

import json
from collections import defaultdict

import numpy as np
import pytest

from cfbench_run import READER, Run
from released_files import released_folder
from steadfast.benchmarks.cfbench.data import checked, normalised
from steadfast.benchmarks.cfbench.facts import MEASURES
from steadfast.benchmarks.cfbench.figures import figures
from steadfast.benchmarks.cfbench.frames import record_frame, sample_frame
from steadfast.benchmarks.cfbench.metrics import results
from steadfast.benchmarks.cfbench.scoring import CfbenchScoring, read_reply
from steadfast.benchmarks.cfbench.tables import TABLES, tables
from steadfast.contract.components import Answer, Reply, Sample, Scored
from steadfast.show.roster import Display
from steadfast.stages.score import score_records

pytestmark = pytest.mark.wide

PRINTED = {  # Table 1
    "easy": [500, 413, 1.69, 3.59, 2.83, 613, 214, 180, 170, 134, 92, 82, 95, 90, 79],
    "hard": [500, 605, 1.98, 4.89, 3.58, 772, 345, 233, 241, 168, 122, 115, 145, 137, 81],
    "full": [1000, 509, 1.84, 4.24, 3.20, 1385, 559, 413, 411, 302, 214, 197, 240, 227, 160],
}


@pytest.fixture(scope="module")
def released():
    return json.loads((released_folder("cfbench", "data") / "cfbench_data.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def records(released):
    return {r["sample_id"]: r for r in map(normalised, checked(released, "released"))}


@pytest.fixture(scope="module")
def judged():
    """The released judged records, by the file's name, each with its sample's id."""
    found = defaultdict(dict)
    for path in sorted((released_folder("cfbench", "data") / "released/judge").glob("*_eval.json")):
        for record in json.loads(path.read_text("utf-8")):
            found[path.stem][f"zh/{record['idx']:04d}"] = record
    assert sum(map(len, found.values())) == 60
    return found


def test_the_released_judged_samples_give_their_metrics(records, judged):
    """Every released reply, replayed as a judge's, through scoring to the scores of the set."""
    for model, of_model in judged.items():
        samples = [
            Sample("zh", {"sample_id": n, "task": "", "context_id": n}, records[n])
            for n in of_model
        ]
        answers = {name: Answer("ok", record["response"]) for name, record in of_model.items()}
        replies = {n: Reply("ok", record["judge_response"]) for n, record in of_model.items()}
        scoring = CfbenchScoring("released")
        scores = list(score_records(scoring, samples, answers, {"gpt-4o": replies}))
        for score in scores:
            record = of_model[score["sample_id"]]
            rates = {name: score[name.lower()] for name in MEASURES}
            assert rates == record["judge_metric"]
            assert score["extracted"]["parsing"] == record["judge_parsing"]
            assert score["extracted"]["scores"] == record["judge_score"]
        frame = sample_frame(
            [Scored(model, "zh", score) for score in scores], record_frame(records)
        )
        found = results(frame, "released")
        full = found[found["split"] == "full"].set_index("measure")["value"]
        for name in MEASURES:
            stored = [record["judge_metric"][name] for record in of_model.values()]
            assert full[name] == np.round(np.mean(stored), 2)


def test_the_released_replies_are_read_strictly_as_far_as_they_can(records, judged):
    unreadable = []
    mended = []
    for name, record in ((n, r) for of_model in judged.values() for n, r in of_model.items()):
        checkpoints = records[name]["checkpoints"]
        texts, priorities = ([c[key] for c in checkpoints] for key in ("text", "priority"))
        reply = record["judge_response"]
        answer = record["response"]
        reading = read_reply("strict", texts, priorities, reply, answer)
        if record["judge_parsing"] == "1":
            assert reading.verdicts == [int(score) for score in record["judge_score"]]
            assert reading.rates.psr == record["judge_metric"]["PSR"]
        else:
            assert record["judge_metric"]["PSR"] == 1 and reply.count("\t0")  # the lost zeros
            (unreadable if reading.verdicts is None else mended).append(reading)
    # In three the judge reworded a checkpoint; the fourth differs by what changes no meaning.
    assert len(unreadable) == 3
    assert [(r.verdicts.count(0), r.rates.isr, r.rates.psr) for r in mended] == [(2, 0, 1)]


def test_all_released_records_run_through_to_tables_and_figures(released):
    run = Run(records=released)
    for model, answers in (("reference", run.answers("zh")), ("sim-a", run.read(READER))):
        second = run.judged(answers, slip=0.3)
        run.score(model, answers, first=run.judged(answers), second=second)
    asked = run.judge_prompts("zh", run.answers("zh"))
    assert len(asked) == len(run.samples["zh"]) == 1000
    assert sum(len(prompt.requests[0].expected["checkpoints"]) for prompt in asked) == 4237
    for score in run.by_model["reference"]:
        assert (score["status"], score["csr"], score["isr"], score["psr"]) == ("ok", 1, 1, 1)
    frames = run.metrics(["first", "second"])
    summary = frames["summary"].set_index(["model", "measure"])["value"]
    assert summary["reference", "PSR"] == 1 > summary["sim-a", "CSR"] > summary["sim-a", "PSR"]
    first, *_ = tables(frames, Display(), "strict", [name for name in TABLES if name != "direct"])
    for row, printed in zip(first.sections[0].rows, PRINTED.values(), strict=True):
        shown = [float(cell.text.replace(",", "")) for cell in row[1:-1]]
        assert shown == printed
    for picture in figures(frames, Display()).values():
        picture.figure.draw_without_rendering()
