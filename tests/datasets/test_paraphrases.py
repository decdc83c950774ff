"""A data set whose records are evaluated with several templates."""

import json
import math

import pandas as pd
import pytest

from project import Project
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.contract.components import Scored
from steadfast.show.roster import Display
from steadfast.simple.datasets import DataSet
from steadfast.simple.metrics import metrics
from steadfast.simple.paraphrases import measures
from steadfast.simple.records import located_instances
from steadfast.simple.tables import tables

TEMPLATES = ["{{prompt}}", "Please: {{prompt}}"]
TOTALS = {"t1": [1.0, 1.0, 0.0, 1.0], "t2": [1.0, 0.0, 0.0, None]}
"""Totals of four records by template; the last has no score with the second template."""


def frame() -> pd.DataFrame:
    frame = pd.DataFrame(TOTALS).melt(var_name="template", value_name="total", ignore_index=False)
    frame["cluster"] = frame.index.astype(str)
    frame["sample_id"] = "all/" + frame["cluster"] + "/" + frame["template"]
    frame["by"] = [{"template": template[1]} for template in frame["template"]]
    return frame.assign(model="m").reset_index(drop=True)


def test_record_has_an_instance_per_template_and_is_one_sampling_unit(tmp_path):
    lines = [{"prompt": "One?", "answer": "1", "id": "a"}, {"prompt": "Two?", "answer": "2"}]
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    section = DataSet(path=str(path), scorer="exact", template=TEMPLATES)
    instances = [instance for _, instance in located_instances(**section.reading)]
    assert [instance.id for instance in instances] == ["a/t1", "a/t2", "2/t1", "2/t2"]
    assert [instance.prompt for instance in instances[:2]] == ["One?", "Please: One?"]
    assert [instance.cluster for instance in instances] == ["a", "a", "2", "2"]
    section = DataSet(path=str(path), scorer="exact", template=TEMPLATES[:1])
    first, _ = [instance for _, instance in located_instances(**section.reading)]
    assert first.id == "a" and not first.by


def test_measures_of_paraphrases():
    rows = measures(frame()).set_index("measure")
    # Means .75 and 1/3: standard deviation |.75 − 1/3| ÷ √2 over their mean 13/24.
    assert rows.loc["stability", "value"] == pytest.approx(5 / 12 / math.sqrt(2) / (13 / 24))
    assert rows.loc[["lowest", "highest"], "value"].tolist() == pytest.approx([1 / 3, 3 / 4])
    # Of three records whose responses decide, one has full marks in both; the last does not count.
    assert rows.loc["reliable", ["value", "n"]].tolist() == pytest.approx([1 / 3, 3])
    # Records that both templates score: residuals of (1, 1), (1, 0), (0, 0) about record and
    # template are ∓1/6, ±1/3, ∓1/6: squares sum to 1/3, over 2 degrees of freedom and 3 records.
    chance = math.sqrt(1 / 3 / 2 / 3) / 0.5
    assert 0.7 * chance < rows.loc["chance", "value"] <= chance


def test_table_of_paraphrases_has_intervals_but_of_extremes_and_chance():
    scores = []
    for name, totals in TOTALS.items():
        for number, total in enumerate(totals):
            record = {"sample_id": f"all/{number}/{name}", "repeat": 0, "context_id": str(number)}
            record |= {"by": {"template": name[1]}, "status": "ok", "response": "x"}
            points = None if total is None else {"score": total}
            scores.append(Scored("m", "all", record | {"total": total, "points": points}))
    further = {"paraphrases": "steadfast.simple.paraphrases:measures"}
    frames = metrics(scores, {}, None, by=["template"], further=further)
    own = {"paraphrases": "steadfast.simple.tables:paraphrases"}
    settings = {"name": "d", "title": "D", "by": ["template"], "judged": False, "own": own}
    _, _, table, _ = tables(frames, Display(), **settings)
    assert "over 2 paraphrases" in table.caption
    interval = "95 % interval"
    assert [column.heading for column in table.columns] == [
        "Model", "IFS", interval, "IFS by chance", "Reliable", interval, "Lowest", "Highest"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("template", "by", "sentence"),
    [
        (["a", "a"], [], "template: name at least one, each once"),
        ([], [], "template: name at least one, each once"),
        (["{{context}}{{context}}", "b"], [], "may occur once"),
        (["a", "b"], ["template"], "by: template is that of paraphrases"),
        (["a"], ["template"], "no such file"),
    ],
)
def test_bad_templates_are_reported(template, by, sentence):
    data = {"path": "data.jsonl", "scorer": "exact", "template": template, "by": by}
    with pytest.raises(UserError, match=sentence):
        load_config({"datasets": {"d": data}, "models": {"r": {"engine": "reference"}}})


@pytest.mark.wide
@pytest.mark.workflow
def test_run_has_a_table_of_paraphrases(tmp_path):
    lines = [{"prompt": f"{n} + 1?", "answer": n + 1} for n in range(12)]
    sums = {"path": "data.jsonl", "scorer": "number", "template": TEMPLATES}
    models = {"reference": {"engine": "reference"}, "sim-a": {"engine": "simulated", "slip": 0.4}}
    project = Project.new(tmp_path, {"datasets": {"sums": sums}, "models": models})
    project.path("data.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    project.snakemake()
    table = project.path("results/tables/sums_paraphrases.md").read_text()
    assert "over 2 paraphrases" in table and "Sampling units: 12 records." in table
    assert "| reference" in table and "| sim-a" in table
