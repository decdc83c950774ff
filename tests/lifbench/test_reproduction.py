"""The paper's printed cells beside those that the released per-sample scores give."""

import csv
import re
from collections import Counter
from collections.abc import Iterable

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
from steadfast.contract.components import Scored
from steadfast.stats.pairs import sampling_units

pytestmark = pytest.mark.wide

PRINTED = resource("lifbench/printed")
MODELS = {name: name for name, model in PAPER_MODELS.items() if not model.is_reference}
LABELS = [PAPER_MODELS[name].label for name in MODELS]
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


def frames_of(scores: Iterable[Scored]) -> dict[str, pd.DataFrame]:
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
def frames() -> dict[str, pd.DataFrame]:
    return frames_of(released())


@pytest.fixture(scope="module")
def cells(frames) -> list[PrintedCell]:
    return compare(frames, MODELS)


def counts(cells: list[PrintedCell]) -> dict[str, tuple[int, int]]:
    found = Counter(cell.table for cell in cells)
    matching = Counter(cell.table for cell in cells if cell.matches)
    return {table: (found[table], matching[table]) for table in found}


def printed(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((PRINTED / f"{name}.csv").read_text().splitlines()))


@needs_cases
def test_as_many_cells_match_as_can(cells):
    assert counts(cells) == COUNTS


@needs_cases
def test_every_difference_is_explained(cells):
    assert [cell for cell in cells if not cell.matches and not cell.note] == []
    assert [cell for cell in cells if cell.matches and cell.note] == []


@needs_cases
def test_exchanged_models_match_no_longer(cells):
    turned = {GPT: QWEN, QWEN: GPT}
    exchanged = (found._replace(model=turned.get(found.model, found.model)) for found in released())
    found = compare(frames_of(exchanged), MODELS)
    labels = {PAPER_MODELS[m].label for m in turned}
    for before, after in zip(cells, found, strict=True):
        if "ranks" not in after.table and after.model not in labels:
            assert before == after
    wrong = [c for c in found if c.model in labels and not c.matches and "ranks" not in c.table]
    assert len([c for c in wrong if c.table == "Table 3"]) == 24
    assert {c.note for c in wrong} == {""}  # no explanation that was written for another number
    values = {(c.model, c.column): c for c in found if c.table == "Table 3"}
    assert values["GPT-4o", "LSI"].scores == values["Qwen2.5-7B", "LSI"].printed


@needs_cases
def test_models_that_do_not_run_are_left_out():
    found = compare(frames_of(released(GPT, QWEN)), {GPT: GPT, QWEN: QWEN, "mine": "mine"})
    assert {cell.model for cell in found} == {"GPT-4o", "Qwen2.5-7B"}
    assert counts(found)["Table 3"] == (24, 24)


@needs_cases
def test_only_cells_that_the_run_has_are_compared():
    """One length: Tables 3, 4 and 8, which are over all six, have no cell to compare."""
    short = [found for found in released(GPT) if found.part == "4k"]
    cells = compare(frames_of(short), {GPT: GPT})
    assert counts(cells) == {
        "Table 7": (12, 12),
        "Table 9": (6, 6),
        "Table 10": (1, 1),
        "Table 11": (1, 1),
    }
    few = [found for found in released(GPT) if found.record["task"] in ("OR", "LSI")]
    columns = {(cell.table, cell.column) for cell in compare(frames_of(few), {GPT: GPT})}
    assert columns == {(table, task) for table in ("Table 3", "Table 7") for task in ("OR", "LSI")}
    weighed = compare(frames_of(released(GPT)), {GPT: GPT}, Rubric(weighting="mean"))
    assert not {"Overall", "ARS"} & {cell.column for cell in weighed}


@needs_cases
def test_ranks_are_compared_where_all_models_of_the_paper_run(cells):
    assert any(cell.table == "Table 4, ranks" for cell in cells)
    found = compare(frames_of(released(GPT, QWEN)), {GPT: GPT, QWEN: QWEN})
    assert not any(cell.table == "Table 4, ranks" for cell in found)


@needs_cases
def test_the_page_shows_counts_and_every_difference(cells):
    page = reproduction(cells)
    rows = list(csv.DictReader(page.csv.splitlines()))
    assert len(rows) == 2900
    assert Counter(row["matches"] for row in rows) == {"yes": 2831, "no": 69}
    assert all(bool(row["explanation"]) == (row["matches"] == "no") for row in rows)
    assert re.search(r"\| Table 9 +\| +720 \| +719 \| +1 \| +1 \| +0 \|", page.md)
    assert re.search(r"\| All +\| +2,900 \| +2,831 \| +69 \| +69 \| +0 \|", page.md)
    assert len(re.findall(r"\(\d\) +\|$", page.md, re.MULTILINE)) == 69
    assert "interchanges" in page.tex


@needs_cases
def test_the_documentation_has_the_counts(cells):
    page = (REPOSITORY / "docs/reproduction.md").read_text()
    for table, (number, matching) in counts(cells).items():
        assert re.search(rf"\| {table} \| {number:,} \| {matching:,} \|", page), table


def test_the_printed_tables_are_whole():
    names = [path.stem for path in sorted(PRINTED.glob("table*.csv"))]
    assert sum(len(printed(name)) for name in names) == 2800
    for name in names:
        rows = printed(name)
        assert {row["model"] for row in rows} == set(LABELS)
        assert all(re.fullmatch(r"\d\.\d{3}", row["value"]) for row in rows)
        places = [(row["model"], row.get("length"), row["column"]) for row in rows]
        assert len(set(places)) == len(places)


@needs_cases
@pytest.mark.workflow
@pytest.mark.xdist_group("workflow")
def test_the_workflow_makes_them_from_the_released_files(tmp_path):
    config = yaml.safe_load((REPOSITORY / "config/released.yaml").read_text())
    config["lifbench"]["released"] = {"directory": str(CASES.resolve() / "released")}
    project = Project.new(tmp_path, config)
    picture = "results/figures/lifbench_ars_by_length.png"
    project.snakemake("results/tables", picture)
    shown = REPOSITORY / "docs/paper_ars_by_length.png"  # the README's
    assert project.path(picture).read_bytes() == shown.read_bytes(), "make docs"
    with open(project.path("results/tables/lifbench_reproduction.csv"), newline="") as lines:
        assert Counter(row["matches"] for row in csv.DictReader(lines))["yes"] == 2831
    assert (
        r"\input{lifbench_reproduction.tex}"
        in project.path("results/tables/all_tables.tex").read_text()
    )
    assert (
        "Sampling units: 3 families"
        in project.path("results/tables/lifbench_table3_ars.md").read_text()
    )
    assert project.planned() == {}
