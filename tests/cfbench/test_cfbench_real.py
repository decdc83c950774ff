"""CFBench on the released files: all records through the stages, and the judged samples."""

import json

import numpy as np
import pytest

import cfbench_shared
from cfbench_run import READER, Run, output
from steadfast.cfbench import metrics
from steadfast.cfbench.benchmark import FIGURES, METRICS
from steadfast.cfbench.data import checked, normalised
from steadfast.cfbench.figures import draw_figures
from steadfast.cfbench.frames import sample_frame
from steadfast.cfbench.reading import read_reply
from steadfast.cfbench.tables import BUILDERS, build_tables
from steadfast.files import read_jsonl, write_jsonl
from steadfast.metrics.headline import read_headline


@pytest.fixture(scope="module")
def released_data():
    records = json.loads((cfbench_shared.data() / "cfbench_data.json").read_text("utf-8"))
    return {r["sample_id"]: r for r in map(normalised, checked(records, "released"))}


def test_the_released_data_has_the_papers_statistics(released_data):
    rows = metrics.statistics(released_data)
    found = {(row.split, row.measure): row.value for row in rows.itertuples()}
    for split, printed in {
        "easy": [500, 413, 1.69, 3.59, 2.83, 613, 214, 180, 170, 134, 92, 82, 95, 90, 79],
        "hard": [500, 605, 1.98, 4.89, 3.58, 772, 345, 233, 241, 168, 122, 115, 145, 137, 81],
        "full": [1000, 509, 1.84, 4.24, 3.20, 1385, 559, 413, 411, 302, 214, 197, 240, 227, 160],
    }.items():
        values = [value for (of_split, _), value in found.items() if of_split == split][:-1]
        digits = [0, 0, 2, 2, 2] + [0] * 10
        for got, want, places in zip(values, printed, digits, strict=True):
            assert abs(got - want) <= 0.5 * 10**-places + 1e-9


def test_the_released_judged_samples_give_their_metrics(released_data, tmp_path):
    """Every released reply, replayed as a judge's, through scoring to the scores of the set."""
    run = Run(tmp_path, "released", {"source": "local", "directory": str(cfbench_shared.data())})
    judged = 0
    for path in sorted((cfbench_shared.data() / "released/judge").glob("*_eval.json")):
        records = sorted(json.loads(path.read_text("utf-8")), key=lambda record: record["idx"])
        ids = [f"zh/{record['idx']:04d}" for record in records]
        model = path.stem
        prompts = {p["sample_id"]: p for p in read_jsonl(run.prompts)}
        whole, run.prompts = run.prompts, tmp_path / f"{model}.prompts.jsonl"
        write_jsonl(run.prompts, [prompts[name] for name in ids])
        pairs = list(zip(ids, records, strict=True))
        write_jsonl(
            tmp_path / f"{model}.outputs.jsonl", [output(n, r["response"]) for n, r in pairs]
        )
        run.reply(model, "gpt-4o", {n: r["judge_response"] for n, r in pairs})
        scores = run.scores(model, "gpt-4o")
        for score, record in zip(scores, records, strict=True):
            stored = record["judge_metric"]
            assert (score["csr"], score["isr"], score["psr"]) == tuple(
                stored[name] for name in ("CSR", "ISR", "PSR")
            )
            assert score["extracted"]["parsing"] == record["judge_parsing"]
            assert score["extracted"]["scores"] == record["judge_score"]
        frame = metrics.results(
            sample_frame([(model, score) for score in scores], released_data), "released"
        )
        stored = [record["judge_metric"] for record in records]
        full = frame[frame["split"] == "full"].set_index("measure")["value"]
        for name in ("CSR", "ISR", "PSR"):
            assert full[name] == np.round(np.mean([metric[name] for metric in stored]), 2)
        judged += len(records)
        run.prompts = whole
    assert judged == 60


def test_the_released_replies_are_read_strictly_as_far_as_they_can(released_data):
    files = sorted((cfbench_shared.data() / "released/judge").glob("*_eval.json"))
    records = [record for path in files for record in json.loads(path.read_text("utf-8"))]
    unreadable, mended = [], []
    for record in records:
        checkpoints = released_data[f"zh/{record['idx']:04d}"]["checkpoints"]
        texts, priorities = ([c[key] for c in checkpoints] for key in ("text", "priority"))
        reply, answer = record["judge_response"], record["response"]
        reading = read_reply("strict", texts, priorities, reply, answer)
        if record["judge_parsing"] == "1":
            assert reading.verdicts == [int(score) for score in record["judge_score"]]
            assert reading.psr == record["judge_metric"]["PSR"]
        else:
            assert record["judge_metric"]["PSR"] == 1 and reply.count("\t0")  # the lost zeros
            (unreadable if reading.verdicts is None else mended).append(reading)
    # In three the judge reworded a checkpoint; the fourth differs by what changes no meaning.
    assert len(unreadable) == 3
    assert [(r.verdicts.count(0), r.isr, r.psr) for r in mended] == [(2, 0, 1)]


def test_all_released_records_run_through_to_tables(released_data, tmp_path):
    settings = {"source": "local", "directory": str(cfbench_shared.data())}
    run, scores = Run(tmp_path, settings=settings), {}
    assert len(run.ids) == 1000
    for model in ("reference", "sim-a"):
        run.reference() if model == "reference" else run.simulated(model, READER)
        run.judge(model, "first")
        run.judge(model, "second", slip=0.3)
        scores[model, "zh"] = run.score(model, "first", "second")
    asked = list(read_jsonl(run.judging("reference")))
    assert len(asked) == 1000
    assert sum(len(a["requests"][0]["expected"]["checkpoints"]) for a in asked) == 4237
    for score in read_jsonl(scores["reference", "zh"]):
        assert (score["status"], score["csr"], score["isr"], score["psr"]) == ("ok", 1, 1, 1)
    found = {name: tmp_path / f"{name}.csv" for name in METRICS}
    metrics.compute_metrics(scores, released_data, "strict", ["first", "second"], None, found)
    headline = read_headline(found["headline"]).set_index(["model", "measure"])["value"]
    assert headline["reference", "PSR"] == 1 > headline["sim-a", "CSR"] > headline["sim-a", "PSR"]
    names = [name for name in BUILDERS if name != "cfbench_table6_humans"]
    build_tables(found, {}, "strict", names, tmp_path / "tables")
    table = (tmp_path / "tables/cfbench_table1_statistics.csv").read_text("utf-8").splitlines()
    assert table[1].startswith(",Easy,500,413,1.69,3.59,2.83,613,214,180,170,134,92,82,95,90,79")
    assert table[2].startswith(
        ",Hard,500,605,1.98,4.89,3.58,772,345,233,241,168,122,115,145,137,81"
    )
    draw_figures(found, {}, {name: tmp_path / f"{name}.png" for name in FIGURES})
    assert all((tmp_path / f"{name}.png").stat().st_size > 10_000 for name in FIGURES)
