"""A data set whose records several templates ask."""

import json
import math

import pandas as pd
import pytest

from project import Project
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.simple.datasets import DataSet
from steadfast.simple.paraphrases import measures
from steadfast.simple.records import placed

TEMPLATES = ["{{prompt}}", "Please: {{prompt}}"]
TOTALS = {"t1": [1.0, 1.0, 0.0, 1.0], "t2": [1.0, 0.0, 0.0, None]}
"""By template, of four records; the last one has no score in the second."""


def frame() -> pd.DataFrame:
    rows = [
        {
            "model": "m",
            "sample_id": f"all/{record}/{template}",
            "cluster": str(record),
            "by": {"template": template[1]},
            "total": total,
        }
        for template, totals in TOTALS.items()
        for record, total in enumerate(totals)
    ]
    return pd.DataFrame(rows).astype({"total": float})


def test_each_record_is_asked_in_each_template_and_is_one_sampling_unit(tmp_path):
    lines = [{"prompt": "One?", "answer": "1", "id": "a"}, {"prompt": "Two?", "answer": "2"}]
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    section = DataSet(path=str(path), scorer="exact", template=TEMPLATES)
    instances = [instance for _, instance in placed(**section.reading)]
    assert [instance.id for instance in instances] == ["a/t1", "a/t2", "2/t1", "2/t2"]
    assert [instance.prompt for instance in instances[:2]] == ["One?", "Please: One?"]
    assert [instance.cluster for instance in instances] == ["a", "a", "2", "2"]
    (alone, _) = placed(**section.model_copy(update={"template": TEMPLATES[:1]}).reading)
    assert alone[1].id == "a" and not alone[1].by


def test_what_templates_differ_by():
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


@pytest.mark.parametrize(
    ("template", "by", "said"),
    [
        (["a", "a"], [], "template: name at least one, each once"),
        ([], [], "template: name at least one, each once"),
        (["{{context}}{{context}}", "b"], [], "may occur once"),
        (["a", "b"], ["template"], "by: template is that of paraphrases"),
    ],
)
def test_mistakes_are_told(template, by, said):
    data = {"path": "data.jsonl", "scorer": "exact", "template": template, "by": by}
    with pytest.raises(UserError, match=said):
        load_config({"datasets": {"d": data}, "models": {"r": {"engine": "reference"}}})


@pytest.mark.wide
@pytest.mark.workflow
def test_a_run_has_a_table_of_paraphrases(tmp_path):
    lines = ({"prompt": f"{n} + 1?", "answer": n + 1} for n in range(12))
    sums = {"path": "data.jsonl", "scorer": "number", "template": TEMPLATES}
    models = {"reference": {"engine": "reference"}, "sim-a": {"engine": "simulated", "slip": 0.4}}
    project = Project.new(tmp_path, {"datasets": {"sums": sums}, "models": models})
    project.path("data.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    project.snakemake()
    table = project.path("results/tables/sums_paraphrases.md").read_text()
    assert "over 2 paraphrases" in table and "Sampling units: 12 records." in table
    assert "| reference" in table and "| sim-a" in table
