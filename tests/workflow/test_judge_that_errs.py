"""A whole run with a judge that errs at known rates: people's labels of a sample correct it."""

import pandas as pd
import pytest

from judge_server import ERRING, always, judging
from judged_project import HOW, config, http, new_project
from project import Project, command
from steadfast.base.files import read_json, write_json
from steadfast.base.resources import resource

pytestmark = [pytest.mark.wide, pytest.mark.workflow]


def label(project: Project, number: int) -> None:
    """Samples answers, and fills the sheet with the verdicts of the honest judge."""
    done = command("labels", "my.yaml", "--number", number, cwd=project.folder)
    assert done.returncode == 0, done.stderr
    points = {}
    for model in HOW:
        for record in project.records(f"cfbench/scores/{model}/zh.jsonl"):
            points[model, record["sample_id"]] = record["other_raters"]["honest"]["points"]
    sheet = pd.read_csv(project.path("results/labels/cfbench.csv"), dtype=str, na_filter=False)
    for row in sheet.itertuples():
        holds = points[row.model, row.sample_id][row.question]
        sheet.loc[row.Index, ["verdict", "rater"]] = ["yes" if holds else "no", "ann"]
    sheet.to_csv(project.path("people.csv"), index=False)


def test_150_labels_correct_the_values_of_an_erring_judge(tmp_path):
    sample = read_json(resource("cfbench/sample.json"))
    records = [sample[n % len(sample)] | {"idx": n} for n in range(200)]
    write_json(tmp_path / "cfbench_data.json", records)
    section = {"source": "local", "directory": str(tmp_path)}
    summary = "results/cfbench/metrics/summary.csv"
    with judging() as server, judging() as honest:
        server.manner = always(ERRING)
        judges = {"errs": http(server.url), "honest": http(honest.url, model="judge-2")}
        project = new_project(tmp_path, config(judges, {"cfbench": section}))
        project.snakemake(summary)
        label(project, 150)
        project.configure(config(judges, {"cfbench": {**section, "labels": "people.csv"}}))
        requests = len(server.judged) + len(honest.judged)
        project.snakemake("results/cfbench/metrics/corrected.csv")
        corrected = project.rows("cfbench/metrics/corrected.csv")
        project.configure(config(dict(reversed(judges.items())), {"cfbench": section}))
        project.snakemake(summary)
        assert len(server.judged) + len(honest.judged) == requests  # labels need no requests
    values = {}
    for row in project.rows("cfbench/metrics/summary.csv"):
        values[row["model"], row["measure"]] = float(row["value"])
    missed = set()
    for row in corrected:
        true = values[row["model"], row["measure"]]
        if row["other"]:
            true -= values[row["other"], row["measure"]]
        assert float(row["low"]) <= true <= float(row["high"]), row
        if not float(row["raw_low"]) <= true <= float(row["raw_high"]):
            missed.add((row["model"], row["measure"]))
    assert len(corrected) == 9  # three measures of two models and of their difference
    assert {("gold", measure) for measure in ("CSR", "ISR", "PSR")} <= missed
