"""A whole run with a judge that errs in a known way: people's labels of a part set it right."""

import csv

import pytest

from judge_server import ERRING, always, judging
from judged_project import HOW, config, http, new_project
from project import Project, command
from steadfast.base.files import read_json, write_json
from steadfast.base.resources import resource

pytestmark = [pytest.mark.wide, pytest.mark.workflow]


def label(project: Project, number: int) -> None:
    """Samples answers, and fills the sheet with what the honest judge says."""
    done = command("labels", "my.yaml", "--number", number, cwd=project.path("."))
    assert done.returncode == 0, done.stderr
    true = {
        (model, record["sample_id"]): record["other_raters"]["honest"]["points"]
        for model in HOW
        for record in project.records(f"cfbench/scores/{model}/zh.jsonl")
    }
    with project.path("results/labels/cfbench.csv").open(encoding="utf-8-sig", newline="") as lines:
        sheet = list(csv.DictReader(lines))
    for row in sheet:
        holds = true[row["model"], row["sample_id"]][row["question"]]
        row |= {"verdict": "yes" if holds else "no", "rater": "ann"}
    with project.path("people.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, sheet[0])
        writer.writeheader()
        writer.writerows(sheet)


def values(project: Project) -> dict[tuple[str, str], float]:
    found = project.rows("cfbench/metrics/summary.csv")
    return {(row["model"], row["measure"]): float(row["value"]) for row in found}


def test_labels_of_150_answers_set_right_what_a_judge_got_wrong(tmp_path):
    own = read_json(resource("cfbench/sample.json"))
    records = [own[n % len(own)] | {"idx": n} for n in range(200)]
    write_json(tmp_path / "cfbench_data.json", records)
    data = {"cfbench": {"source": "local", "directory": str(tmp_path)}}
    with judging() as server, judging() as honest:
        server.manner = always(ERRING)
        judges = {"errs": http(server.url), "honest": http(honest.url, model="judge-2")}
        project = new_project(tmp_path, config(judges, data))
        project.snakemake("results/cfbench/metrics/summary.csv")
        label(project, 150)
        labelled = {"cfbench": {**data["cfbench"], "labels": "people.csv"}}
        project.configure(config(judges, labelled))
        asked = len(server.judged) + len(honest.judged)
        project.snakemake("results/cfbench/metrics/corrected.csv")
        corrected = project.rows("cfbench/metrics/corrected.csv")
        project.configure(config(dict(reversed(judges.items())), data))
        project.snakemake("results/cfbench/metrics/summary.csv")
        assert len(server.judged) + len(honest.judged) == asked  # nothing is asked for labels
    truth = values(project)
    missed = set()
    for row in corrected:
        of = row["model"]
        other = row["other"]
        measure = row["measure"]
        true = truth[of, measure] - (truth[other, measure] if other else 0)
        assert float(row["low"]) <= true <= float(row["high"]), row
        if not float(row["raw_low"]) <= true <= float(row["raw_high"]):
            missed.add((of, measure))
    assert len(corrected) == 9  # three measures of two models and of their difference
    assert {("gold", measure) for measure in ("CSR", "ISR", "PSR")} <= missed
