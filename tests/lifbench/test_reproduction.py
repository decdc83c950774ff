"""The paper's printed cells beside those that the released per-sample scores give."""

import csv
import re
from collections import Counter
from collections.abc import Iterable
from io import StringIO

import pandas as pd
import pytest
import yaml

from project import Project
from score_records import released
from small_contexts import CASES, REPOSITORY, needs_cases
from steadfast.base.resources import resource
from steadfast.benchmarks.lifbench.analyses import above_baseline, comparisons
from steadfast.benchmarks.lifbench.frames import coverage, score_frame
from steadfast.benchmarks.lifbench.measures import ars, ifp, ifs
from steadfast.benchmarks.lifbench.released_scores import PAPER_MODELS
from steadfast.benchmarks.lifbench.scored_tasks import Rubric
from steadfast.benchmarks.lifbench.tables.reproduction import PrintedCell, compare, reproduction
from steadfast.contract.components import Frames, Scored
from steadfast.stats.pairs import sampling_units

PRINTED = resource("lifbench/printed")
MODELS = {name: name for name, model in PAPER_MODELS.items() if not model.is_reference}
COUNTS = {  # cells, matching
    "Table 3": (240, 240),
    "Table 4": (100, 55),
    "Table 4, ranks": (100, 89),
    "Table 7": (1380, 1380),
    "Table 8": (120, 108),
    "Table 9": (720, 719),
    "Table 10": (120, 120),
    "Table 11": (120, 120),
}
GPT = "gpt-4o-2024-08-06"
QWEN = "Qwen2.5-7B"


def frames_of(scores: Iterable[Scored]) -> Frames:
    """The metrics that the paper's tables rest on."""
    frame = score_frame(scores, "released")
    return {
        "ars": ars(frame),
        "ifp": ifp(frame),
        "ifs": ifs(frame),
        "coverage": coverage(frame),
        "comparisons": comparisons(frame[frame["model"] == GPT]),  # none: no printed cell needs one
        "sampling_units": sampling_units(frame, None, ["stratum", "length"]),
        "baseline": above_baseline(frame, None),
    }


@pytest.fixture(scope="module")
def cells() -> list[PrintedCell]:
    return compare(frames_of(released()), MODELS)


def table_of(cells: list[PrintedCell]) -> pd.DataFrame:
    return pd.DataFrame(cells, columns=PrintedCell._fields).assign(
        matches=[cell.matches for cell in cells]
    )


def counts(cells: list[PrintedCell]) -> dict[str, tuple[int, int]]:
    """Cells and matching ones of each table."""
    rows = table_of(cells).groupby("table")["matches"].agg(["size", "sum"])
    return dict(zip(rows.index, rows.itertuples(index=False, name=None), strict=True))


@needs_cases
def test_matching_cells_are_counted_and_all_differences_explained(cells):
    assert counts(cells) == COUNTS
    table = table_of(cells)
    assert (table["matches"] == (table["note"] == "")).all()


@needs_cases
@pytest.mark.wide
def test_exchanged_models_do_not_match(cells):
    exchange = {GPT: QWEN, QWEN: GPT}
    scores = (row._replace(model=exchange.get(row.model, row.model)) for row in released())
    before = table_of(cells)
    after = table_of(compare(frames_of(scores), MODELS))
    values = ~after["table"].str.contains("ranks")
    exchanged = after["model"].isin(["GPT-4o", "Qwen2.5-7B"])
    pd.testing.assert_frame_equal(before[values & ~exchanged], after[values & ~exchanged])
    wrong = after[values & exchanged & ~after["matches"]]
    assert sum(wrong["table"] == "Table 3") == 24
    assert set(wrong["note"]) == {""}  # no explanation that was written for another number
    lsi = after.query("table == 'Table 3' and column == 'LSI'").set_index("model")
    assert lsi.at["GPT-4o", "scores"] == lsi.at["Qwen2.5-7B", "printed"]


@needs_cases
@pytest.mark.wide
def test_models_that_do_not_run_are_left_out():
    cells = compare(frames_of(released(GPT, QWEN)), {GPT: GPT, QWEN: QWEN, "mine": "mine"})
    assert {cell.model for cell in cells} == {"GPT-4o", "Qwen2.5-7B"}
    assert counts(cells)["Table 3"] == (24, 24)
    assert "Table 4, ranks" not in counts(cells)  # ranks are among all models of the paper


@needs_cases
def test_cells_over_six_lengths_are_left_out_of_a_run_of_one():
    scores = [scored for scored in released(GPT) if scored.part == "4k"]
    assert counts(compare(frames_of(scores), {GPT: GPT})) == {
        "Table 7": (12, 12),
        "Table 9": (6, 6),
        "Table 10": (1, 1),
        "Table 11": (1, 1),
    }


@needs_cases
def test_cells_over_all_tasks_are_left_out_of_a_run_of_two():
    scores = [scored for scored in released(GPT) if scored.record["task"] in ("OR", "LSI")]
    table = table_of(compare(frames_of(scores), {GPT: GPT}))
    columns = table.groupby("table")["column"].agg(set).to_dict()
    assert columns == {"Table 3": {"OR", "LSI"}, "Table 7": {"OR", "LSI"}}


@needs_cases
def test_overall_cells_are_left_out_by_another_weighting():
    frames = frames_of(released(GPT))
    columns = table_of(compare(frames, {GPT: GPT}, Rubric(weighting="mean")))["column"]
    assert not {"Overall", "ARS"} & set(columns)


@needs_cases
def test_table_has_counts_and_every_difference(cells):
    page = reproduction(cells)
    rows = pd.read_csv(StringIO(page.csv), dtype=str, keep_default_na=False)
    assert rows["matches"].value_counts().to_dict() == {"yes": 2831, "no": 69}
    assert ((rows["explanation"] != "") == (rows["matches"] == "no")).all()
    assert re.search(r"\| Table 9 +\| +720 \| +719 \| +1 \| +1 \| +0 \|", page.md)
    assert re.search(r"\| All +\| +2,900 \| +2,831 \| +69 \| +69 \| +0 \|", page.md)
    assert len(re.findall(r"\(\d\) +\|$", page.md, re.MULTILINE)) == 69
    assert "interchanges" in page.tex


@pytest.mark.parametrize("table", COUNTS)
def test_documentation_has_the_counts(table):
    cells, matching = COUNTS[table]
    page = (REPOSITORY / "docs/reproduction.md").read_text()
    assert re.search(rf"\| {table} \| {cells:,} \| {matching:,} \|", page)


def test_printed_tables_are_complete():
    total = 0
    labels = {PAPER_MODELS[name].label for name in MODELS}
    for path in PRINTED.glob("table*.csv"):
        rows = pd.read_csv(path, dtype=str, keep_default_na=False)
        total += len(rows)
        assert set(rows["model"]) == labels
        assert rows["value"].str.fullmatch(r"\d\.\d{3}").all()
        assert not rows.drop(columns="value").duplicated().any()
    assert total == 2800


@needs_cases
@pytest.mark.wide
@pytest.mark.workflow
def test_workflow_makes_table_and_figure_of_the_released_files(tmp_path):
    config = yaml.safe_load((REPOSITORY / "config/released.yaml").read_text())
    config["lifbench"]["released"] = {"directory": str(CASES.resolve() / "released")}
    project = Project.new(tmp_path, config)
    picture = "results/figures/lifbench_ars_by_length.png"
    project.snakemake("results/tables", picture)
    readme_picture = REPOSITORY / "docs/paper_ars_by_length.png"
    assert project.path(picture).read_bytes() == readme_picture.read_bytes(), "make docs"
    tables = project.path("results/tables")
    with open(tables / "lifbench_reproduction.csv", newline="") as lines:
        assert Counter(row["matches"] for row in csv.DictReader(lines))["yes"] == 2831
    assert r"\input{lifbench_reproduction.tex}" in (tables / "all_tables.tex").read_text()
    ars = (tables / "lifbench_table3_ars.md").read_text()
    assert "Sampling units: 3 families" in ars
    assert project.planned() == {}
