"""CFBench's tables and figures: what stands in them, what is marked, and that text stays text."""

import csv

import pytest

from cfbench_run import CAREFUL, READER, Run
from steadfast.cfbench.benchmark import FIGURES, METRICS
from steadfast.cfbench.figures import draw_figures
from steadfast.cfbench.metrics import compute_metrics
from steadfast.cfbench.tables import BUILDERS, build_tables
from steadfast.files import write_jsonl
from steadfast.metrics.tidy import read_csv

DISPLAY = {
    "digits": 3,
    "labels": {"model-a": "Model $A_1$ & co", "reference": "Reference"},
    "engines": {"reference": "reference", "model-a": "openai", "model-b": "openai"},
}
READERS = {"model-a": READER, "model-b": CAREFUL | {"slip": 0.1}, "sim-c": READER | {"slip": 0.5}}


def made(folder, mode="strict"):
    """The metrics files of a run with four models, two judges and labels."""
    run, scores = Run(folder, mode), {}
    run.reference()
    for model, reader in READERS.items():
        run.simulated(model, reader)
    for model in ("reference", *READERS):
        run.judge(model, "first", slip=0.4 if model == "model-b" else None)
        run.judge(model, "second", slip=0.2)
        scores[model, "zh"] = run.score(model, "first", "second")
    labels = [
        {"model": "model-a", "sample_id": r["sample_id"], "verdicts": [1] * len(r["checkpoints"])}
        for r in run.records[:12]
    ]
    write_jsonl(folder / "labels.jsonl", labels)
    found = {name: folder / "metrics" / f"{name}.csv" for name in METRICS}
    data = {record["sample_id"]: record for record in run.records}
    judges = ["first", "second"]
    compute_metrics(scores, data, mode, judges, folder / "labels.jsonl", found)
    return found


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return made(tmp_path_factory.mktemp("cfbench"))


def tables(found, out, mode="strict", display=DISPLAY):
    build_tables(found, display, mode, list(BUILDERS), out)
    texts = {name: (out / f"{name}.csv").read_text("utf-8") for name in BUILDERS}
    return {name: list(csv.reader(text.splitlines())) for name, text in texts.items()}


def test_the_results_are_those_of_the_metrics(found, tmp_path):
    _, *rows = tables(found, tmp_path)["cfbench_table2_results"]
    metrics = read_csv(found["results"]).set_index(["model", "split", "measure"])["value"]
    shown = {row[1]: row[2:-1] for row in rows}
    assert list(shown) == ["model-b", "Model $A_1$ & co", "sim-c", "Reference"]
    for label, model in (("model-b", "model-b"), ("sim-c", "sim-c"), ("Reference", "reference")):
        values = [metrics[model, s, m] for s in ("easy", "hard", "full") for m in METRIC_ORDER]
        assert [float(cell) for cell in shown[label]] == pytest.approx(values, abs=5.1e-4)


METRIC_ORDER = ("CSR", "ISR", "PSR")


def test_what_is_incomplete_is_marked_and_explained(found, tmp_path):
    rows = {row[1]: row for row in tables(found, tmp_path)["cfbench_table2_results"]}
    counts = read_csv(found["coverage"]).set_index(["model", "split"]).loc[("model-b", "full")]
    assert counts["status_invalid"] == counts["expected"] - counts["scored"] > 0
    assert "incomplete" in rows["model-b"][-1] and not rows["Reference"][-1]
    text = (tmp_path / "cfbench_table2_results.md").read_text("utf-8")
    assert f"model-b ({counts['scored']} of 24)" in text
    coverage = {row[1]: row for row in tables(found, tmp_path)["cfbench_coverage"]}
    assert coverage["Reference"][2:5] == ["100"] * 3
    assert coverage["model-b"][8] == str(counts["status_invalid"])


def test_names_are_escaped_and_types_are_named_in_english(found, tmp_path):
    tables(found, tmp_path)
    for path in tmp_path.glob("*.tex"):
        text = path.read_text("utf-8")
        assert "U+" not in text, path  # nothing that LaTeX cannot set
        assert "$A_1$" not in text
    types = (tmp_path / "cfbench_types.md").read_text("utf-8")
    for name in ("C10 Rule", "Word count", "Bespoke", "Complex context", "No type given"):
        assert name in types


def test_people_stand_in_table_6_and_in_the_agreement(found, tmp_path):
    made = tables(found, tmp_path)
    heads, *rows = made["cfbench_table6_humans"]
    assert [row[1] for row in rows] == ["first", "second"] and heads[1] == "Judge"
    assert {row[8] for row in rows} <= {str(n) for n in range(10, 13)}
    kinds = {row[0] for row in made["cfbench_agreement"][1:]}
    assert len(kinds) == 2


def test_mode_released_prints_two_decimals_and_its_fallback(tmp_path):
    found = made(tmp_path / "run", "released")
    made_tables = tables(found, tmp_path, "released")
    for row in made_tables["cfbench_table2_results"][1:]:
        assert all(len(cell) == 4 for cell in row[2:-1] if cell)
    assert "Fallback" in made_tables["cfbench_coverage"][0]
    assert "as the released code does" in (tmp_path / "cfbench_types.md").read_text("utf-8")
    assert "two decimals" in (tmp_path / "cfbench_table2_results.md").read_text("utf-8")


def test_with_many_models_a_table_with_a_column_each_shows_the_best_and_says_so(found, tmp_path):
    many = {}
    for name, path in found.items():
        rows = path.read_text("utf-8").splitlines()
        copies = [r.replace("sim-c", f"sim-{n}") for r in rows for n in range(9) if "sim-c" in r]
        many[name] = tmp_path / f"{name}.csv"
        many[name].write_text("\n".join([*rows, *copies, ""]), encoding="utf-8")
    made = tables(many, tmp_path)
    heads = made["cfbench_types"][0]
    assert len(heads) == 3 + 8 + 1
    assert {"model-b", "Model $A_1$ & co", "Reference"} <= set(heads)
    assert "Shown are 8 of 13 models" in (tmp_path / "cfbench_types.md").read_text("utf-8")
    assert len(made["cfbench_table2_results"]) == 1 + 13


def test_tables_and_figures_twice_are_the_same_bytes(found, tmp_path):
    files = []
    for turn in ("first", "second"):
        tables(found, tmp_path / turn)
        draw_figures(found, DISPLAY, {f: tmp_path / turn / f"{f}.png" for f in FIGURES})
        files.append({p.name: p.read_bytes() for p in sorted((tmp_path / turn).iterdir())})
    assert files[0] == files[1] and len(files[0]) == 3 * len(BUILDERS) + len(FIGURES)


def test_a_run_without_any_score_has_tables_and_figures(tmp_path):
    run = Run(tmp_path)
    run.answer("model-a", lambda name: None)
    run.reply("model-a", "first", {})
    found = {name: tmp_path / f"{name}.csv" for name in METRICS}
    data = {record["sample_id"]: record for record in run.records}
    scores = {("model-a", "zh"): run.score("model-a", "first")}
    compute_metrics(scores, data, "strict", ["first"], None, found)
    rows = tables(found, tmp_path)["cfbench_coverage"]
    assert rows[1][2:6] == ["0.0", "0.0", "0.0", "24"]
    draw_figures(found, DISPLAY, {name: tmp_path / f"{name}.png" for name in FIGURES})
