"""LIFBench's tables from a small run's metrics."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from score_records import (
    FEW,
    LENGTHS,
    PAPER_LENGTHS,
    cells_of,
    frames_of,
    printed_tables,
    run,
    unscored,
)
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS, Rubric
from steadfast.benchmarks.lifbench.tables import BUILDERS, OPTIONAL
from steadfast.benchmarks.lifbench.tables.further import recs_table, sign_notes
from steadfast.benchmarks.lifbench.tables.reproduction import (
    NOTES,
    PrintedCell,
    compare,
    reproduction,
)
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults
from steadfast.contract.components import Frames, Scored
from steadfast.show.render import Printed
from steadfast.show.roster import Display, DisplayedModel

LEVELS = {"good": 0.8, "fair": 0.6, "sim-long": 0.9, "reference": 1.0}
DISPLAY = Display(
    group_order=["API Models"],
    models={
        "good": DisplayedModel("Good_1", "API Models"),
        "fair": DisplayedModel("Fair"),
        "sim-long": DisplayedModel("sim-long", "Simulated models", "simulated"),
        "reference": DisplayedModel("reference", "reference", "reference"),
    },
)

AT_LENGTH = ("Table 7", "Overall")
RELEASED = Rubric("released", "rubric")

Pages = dict[str, Printed]


def build(scores: Iterable[Scored], folder: Path) -> Pages:
    """The printed tables of a run."""
    return printed_tables(frames_of(scores, folder), DISPLAY)


@pytest.fixture(scope="module")
def frames(tmp_path_factory) -> Frames:
    return frames_of(run(LEVELS), tmp_path_factory.mktemp("metrics"))


@pytest.fixture(scope="module")
def six_lengths(tmp_path_factory) -> Frames:
    return frames_of(run({"good": 0.8}, PAPER_LENGTHS), tmp_path_factory.mktemp("six"))


@pytest.fixture(scope="module")
def pages(frames) -> Pages:
    return printed_tables(frames, DISPLAY)


def test_table_names_and_sample_counts(pages):
    names = list(STRINGS["captions"])
    assert [page.name for page in pages.values()] == [f"lifbench_{name}" for name in names]
    assert {*names, *OPTIONAL} == {*BUILDERS}
    rows = pages["table2_data"].csv.splitlines()
    assert rows[1] == ",List,Single-ID,LSI,2,3,12,"
    assert rows[-1] == ",All,,,,,132,"


def test_only_real_models_are_bold(tmp_path):
    levels = {"good": 0.9, "fair": 0.3, "sim-long": 0.8, "reference": 1.0}
    latex = build(run(levels, contexts=2, tasks=FEW), tmp_path)["table3_ars"].tex
    lines = dict(line.split(" & ", 1) for line in latex.splitlines() if " & " in line)
    assert lines[r"Good\_1"].count(r"\textbf") == 1  # overall has 12 contexts, a task four
    assert r"\textbf" not in lines["sim-long"] + lines["reference"]


def test_ranks_follow_the_test_of_overall_ars(frames, pages):
    (comparison,) = frames["comparisons"].query(
        "task == 'overall' and length == '' and model == 'fair' and other == 'good'"
    )["p_model"]
    ranks = ["1", "2"] if comparison < 0.05 else ["1–2", "1–2"]
    ars = cells_of(pages["table3_ars"])
    assert ars.loc[["Good_1", "Fair"], "Ranks"].tolist() == ranks
    assert "**" not in pages["table3_ars"].md  # six contexts
    stability = cells_of(pages["table4_ifs"])
    for model, rank in zip(("Good_1", "Fair"), ranks, strict=True):
        assert stability.at[model, "ARS"].endswith(f" ({rank})")
    assert "(" not in "".join(stability.loc["sim-long", "Expression":"ARS"])
    assert "(" not in "".join(stability.loc["Good_1", "Expression":"Average"])


def test_chance_level_is_beside_the_perspectives_that_have_one(frames, pages):
    cells = cells_of(pages["table4_ifs"])
    # With one context of a length, chance cannot be distinguished from an effect of length.
    assert [*cells.columns[1:-1]] == [
        "Expression", "Expression: chance level", "Variable", "Variable: chance level", "Length",
        "Average", "ARS",
    ]  # fmt: skip
    (ifs,) = (
        frames["ifs"]
        .query(
            "task == 'overall' and length == '' and perspective == 'expression' and model == 'fair'"
        )[["value", "chance"]]
        .itertuples(index=False)
    )
    assert cells.at["Fair", "Expression"] == f"{ifs.value:.3f}"
    assert cells.at["Fair", "Expression: chance level"] == f"{ifs.chance:.3f}"


def test_note_says_that_there_is_one_context_per_length(pages):
    text = pages["table7_ars_by_length"].md
    assert "**" not in text
    assert "Sampling units: 6 contexts (1 per scenario and length)." in text
    assert "One context per scenario and length" in text


def test_rubrics_table_of_one_rubric_says_so(frames, pages):
    assert re.search("Released: ARS .*Corrected: ARS ", pages["rubrics"].md)
    rows = frames["rubrics"].query("rubric == 'released'")
    text = printed_tables({**frames, "rubrics": rows}, DISPLAY)["rubrics"].md
    assert "scored by the released rubric only" in text
    assert "Corrected" not in text


@pytest.mark.wide
def test_each_length_has_its_own_bold_with_several_contexts(tmp_path):
    page = build(run({"good": 0.9, "fair": 0.3}, contexts=4, tasks=FEW), tmp_path)
    text = page["table7_ars_by_length"].md  # twelve contexts of each length
    bold = []
    for line in text.splitlines()[4:8]:
        _, model, length, *_, overall, _ = line.split("|")
        bold.append((model.strip(), length.strip(), "**" in overall))
    assert bold == [
        ("Good\\_1", "4k", True),
        ("Good\\_1", "8k", True),
        ("Fair", "4k", False),
        ("Fair", "8k", False),
    ]
    assert "24 contexts (4 per scenario and length)" in text
    assert "One context" not in text


def test_cells_with_missing_samples_are_marked(tmp_path):
    scores = []
    for scored in run(LEVELS):
        record = scored.record
        missing = (scored.model, record["task"], record["length"]) == ("fair", "OQ", "4k")
        scores.append(unscored(scored) if missing else scored)
    pages = build(scores, tmp_path)
    marks = cells_of(pages["table3_ars"])["marks"]
    assert marks["Fair"] == "OQ: incomplete; Overall: incomplete"
    assert marks["Good_1"] == ""
    assert "Fair (126 of 132)" in pages["table3_ars"].tex
    by_length = cells_of(pages["table7_ars_by_length"], "Model", "Length")["OQ"]
    assert by_length["Fair", "4k"] == ""  # no value, rather than 0
    assert by_length["Fair", "8k"] != ""
    assert cells_of(pages["coverage"]).loc["Fair", ["4k", "8k"]].tolist() == ["90.9", "100"]


def test_truncated_models_have_a_dagger_and_released_ones_no_counts(frames, six_lengths):
    coverage = frames["coverage"]
    coverage = coverage.assign(prompt_truncated=(coverage["model"] == "fair") * 1)
    text = printed_tables({**frames, "coverage": coverage}, DISPLAY)["table3_ars"].md
    assert "| Fair† " in text
    assert "Good\\_1†" not in text
    display = Display(models={"good": DisplayedModel("Good", engine="scored")})
    cells = cells_of(printed_tables(six_lengths, display)["coverage"])
    (row,) = cells[cells.index.str.contains("Good")].to_dict("records")
    assert (row["Error"], row["Empty"], row["Truncated"]) == ("0", "", "")


def test_rubric_table_has_every_score_point_and_sum(pages):
    cells = cells_of(pages["table6_rubric"], "Tasks", "Score point")
    for task, points in RUBRICS["released"].items():
        label = "LBI, LBE" if task in ("LBI", "LBE") else task
        assert {*points, "total"} <= set(cells.loc[label].index)
    cells = cells[["Released", "Corrected", "Capabilities"]]
    assert cells.loc["LSI", "total"].tolist() == ["4", "4", ""]
    assert cells.loc["MF", "total"].tolist() == ["20", "20", ""]
    assert cells.loc["LSI", "correct"].tolist() == ["2", "1", "Recog"]
    assert cells.loc["LSI", "ori"].tolist() == ["1", "2", "Ori"]


def test_capabilities_are_in_the_papers_order(pages):
    cells = cells_of(pages["table8_ifp"], "group", "Model").drop(columns="marks")
    assert [*cells.columns] == ["Format", "Logic", "Num", "Ori", "Recog", "Spat"]
    assert cells.index[-1][0] == "reference (no model)"
    assert cells.astype(float).stack().between(0, 1, inclusive="right").all()
    cells = cells_of(pages["table9_ifp_by_length"])
    assert [*cells.columns[1:3]] == ["Length", "Format"]
    assert cells["Length"].tolist() == [*LENGTHS] * len(LEVELS)


@pytest.mark.parametrize("name", ["table8_ifp", "table10_ifs_expression", "table11_ifs_variable"])
def test_tables_without_a_test_have_no_bold_and_say_so(pages, name):
    assert "**" not in pages[name].md and "No bold" in pages[name].md


@pytest.mark.wide
def test_models_are_sorted_by_their_mean_rank_of_stability(tmp_path):
    pages = build(run({"m1": 0.9, "m2": 0.8, "m3": 0.7, "m4": 0.6}, tasks=FEW), tmp_path)
    values = cells_of(pages["table4_ifs"])[["Expression", "Variable", "Length"]].astype(float)
    assert values.rank(method="min").sum(axis=1).is_monotonic_increasing


@pytest.mark.wide
def test_both_rubrics_are_side_by_side(tmp_path):
    def reverse_corrected(scored: Scored) -> Scored:
        raters = {"corrected": {"total": 1 - scored.record["total"]}}
        return scored._replace(record=scored.record | {"other_raters": raters})

    page = build(map(reverse_corrected, run(LEVELS, tasks=FEW)), tmp_path)["rubrics"]
    assert "Released: ARS" in page.md and "Corrected: Rank" in page.md
    assert "Ranks by the corrected rubric and by the released rubric over 3 models" in page.md
    assert "Spearman's rho -1.000, Kendall's tau -1.000" in page.md
    ranks = cells_of(page)[["Released: Rank", "Corrected: Rank"]]
    assert ranks.loc["Good_1"].tolist() == ["1", "2"]
    assert ranks.loc["reference"].tolist() == ["", ""]


def test_first_model_of_a_group_has_its_heading_above_its_lengths(pages):
    cells = cells_of(pages["success_by_position"])["group"]
    assert {*cells["Good_1"]} == {"API Models"} and {*cells["Fair"]} == {""}


@pytest.mark.parametrize("name", ["sampling", "rubric_stability"])
@pytest.mark.parametrize("lacking", [0, 2])
def test_tables_of_differences_explain_incomplete_values_by_their_own_counts(frames, name, lacking):
    coverage = frames["coverage"]
    coverage = coverage.assign(scored=coverage["expected"] - (coverage["model"] == "fair"))
    row = {"model": "fair", "perspective": "average", "rubric": "judge", "value": 0.5, "ifs": 0.5}
    row |= {"n": 9, "low": None, "high": None, "scored": 9 - lacking, "expected": 9}
    rows = pd.DataFrame([row]).astype({"low": float, "high": float})
    results = LifbenchResults({**frames, "coverage": coverage, name: rows}, DISPLAY, RELEASED)
    notes = [text for mark, text in BUILDERS[name](results, name).notes if mark == "incomplete"]
    assert len(notes) == (lacking > 0) and all("Fair (7 of 9)" in note for note in notes)


def test_sign_note_is_on_the_models_that_differ(frames):
    values = {"model": ["good", "fair"], "perspective": "expression", "value": [0.02, 1e-13]}
    rows = pd.DataFrame(values)
    results = LifbenchResults(frames, DISPLAY, RELEASED)
    ((_, note),) = sign_notes(rows, results, "sampling")
    assert "Expression 1 of 1 models (two-sided sign test: p = 1.000)" in note
    assert sign_notes(rows[1:], results, "sampling") == []


def test_better_model_of_a_pair_is_first(pages):
    cells = cells_of(pages["comparisons"], "Model", "Other")
    assert [*cells.index] == [("sim-long", "Good_1"), ("sim-long", "Fair"), ("Good_1", "Fair")]
    ends = cells["95 % interval"].str.split(" to ", expand=True).astype(float)
    assert (ends[0] > 0).all()
    assert cells["Value"].astype(float).between(ends[0], ends[1]).all()


def test_comparisons_of_a_single_model_say_so(tmp_path):
    assert "No two models" in build(run({"m": 0.5}, tasks=FEW), tmp_path)["comparisons"].md


# --- the paper's cells ------------------------------------------------------------------------


def with_paper(frames: Frames, **settings) -> Pages:
    return printed_tables(frames, replace(DISPLAY, published=True), **settings)


def paper_rows(page: Printed, label: str) -> pd.DataFrame:
    """The paper's cells of a model."""
    cells = cells_of(page, "group")
    return cells[(cells.index == "As printed in the paper (released)") & (cells["Model"] == label)]


def test_paper_cells_are_below_the_models(six_lengths):
    pages = with_paper(six_lengths)
    (row,) = paper_rows(pages["table3_ars"], "GPT-4o").to_dict("records")
    # Table 3: GPT-4o has .797 in OR and .758 overall; ranks are none of its columns.
    assert (row["OR"], row["Overall"]) == ("0.797", "0.758")
    assert paper_rows(pages["table4_ifs"], "GPT-4o")["Expression"].tolist() == ["0.087"]
    rows = paper_rows(pages["table7_ars_by_length"], "GPT-4o")
    assert rows["Length"].tolist() == list(PAPER_LENGTHS)
    assert rows["OR"].iloc[0] == "0.770"
    assert paper_rows(pages["coverage"], "GPT-4o").empty


def test_paper_cells_depend_on_prompts_weighting_and_rubric(six_lengths):
    assert "on other prompts" in with_paper(six_lengths)["table3_ars"].md
    page = with_paper(six_lengths, same_prompts=True)["table3_ars"]
    assert "on the same prompts" in page.md
    page = with_paper(six_lengths, weighting="mean")["table3_ars"]
    (row,) = paper_rows(page, "GPT-4o").to_dict("records")
    assert "0.758" not in row.values() and row["OR"] == "0.797"
    page = with_paper(six_lengths, rubric="corrected")["table3_ars"]
    assert paper_rows(page, "GPT-4o").empty
    assert "they are by the released rubric" in page.md


def test_paper_cells_over_other_lengths_are_left_out(frames):
    pages = with_paper(frames)
    assert paper_rows(pages["table3_ars"], "GPT-4o").empty
    assert "lengths or tasks are not those of this run" in pages["table3_ars"].md
    rows = paper_rows(pages["table7_ars_by_length"], "GPT-4o")
    assert rows["Length"].tolist() == list(LENGTHS)


def test_reproduced_cells_are_the_tables_values_by_length_and_column(six_lengths):
    cells = compare(six_lengths, {"good": "gpt-4o-2024-08-06"})
    ars = six_lengths["ars"].set_index(["task", "length"])["value"]
    overall = {cell.length: cell.scores for cell in cells if (cell.table, cell.column) == AT_LENGTH}
    assert overall == {length: f"{ars['overall', length]:.3f}" for length in PAPER_LENGTHS}
    assert {cell.model for cell in cells} == {"GPT-4o"}
    assert not [cell for cell in cells if "ranks" in cell.table]  # of a part of the paper's models


def test_reproduction_has_each_difference_with_its_explanation():
    explained = PrintedCell("Table 4", "GPT-4o", "", "Average", "0.1", "0.2", next(iter(NOTES)))
    cells = [
        PrintedCell("Table 3", "GPT-4o", "", "LSI", "0.5", "0.5"),
        PrintedCell("Table 3", "GPT-4o", "", "LMI", "0.5", "0.6"),
        explained,
        explained._replace(model="C4AI"),
    ]
    page = reproduction(cells)
    assert re.search(r"\| Table 4 +\| +2 \| +0 \| +2 \| +2 \| +0 \|", page.md)
    assert re.search(r"\| All +\| +4 \| +1 \| +3 \| +2 \| +1 \|", page.md)
    assert re.findall(r"(\S+) +\|$", page.md, re.MULTILINE)[-3:] == ["unexplained", "(1)", "(1)"]
    assert page.md.count(NOTES[explained.note]["explanation"]) == 1


def test_effective_length_has_its_interval_and_retention(tmp_path):
    scores = [
        *run({"good": 0.8, "reference": 1.0, "fair": 0.6}, ["4k"], 3, FEW),
        *run({"good": 0.8, "reference": 1.0, "fair": 0.3}, ["8k"], 3, FEW),
    ]
    frames = frames_of(scores, tmp_path, effective_context_length=True)
    page = printed_tables(frames, DISPLAY)["effective_context_length"]
    columns = ["Overall ARS at 4k", "Effective context length", "95 % interval", "8k"]
    cells = cells_of(page)
    assert [*cells.columns[1:5]] == columns
    ars = (
        frames["ars"]
        .query("task == 'overall'")
        .pivot(index="model", columns="length", values="value")
    )
    retention = (ars["8k"] / ars["4k"]).map("{:.3f}".format)
    assert cells.loc["Good_1", columns[1:]].tolist() == ["≥ 8k", "≥ 8k", retention["good"]]
    assert cells.loc["Fair", columns[1:]].tolist() == ["4k", "4k", retention["fair"]]
    assert "at least 85 % of that at 4k, and retention" in page.md
    summary = frames["summary"].set_index(["model", "measure"])["effective_context_length"]
    assert (summary["good", "ARS"], summary["fair", "ARS"]) == ("≥ 8k", "4k")
    assert summary["good", "IFS"] == summary["reference", "ARS"] == ""


def test_recs_table_names_the_checks_that_texts_fail():
    failing = {
        "task": "OQ",
        "direction": math.nan,
        **dict.fromkeys(("texts", "usable", "mended", "edited"), 1),
        "fails_terms": 2.0,
        "fails_length": 0.0,
        "sizes": "3 2",
        "pick_distances": "0.128 0.5",
        **dict.fromkeys(("inertia", "spread", "random_spread", "percentile"), 1.5),
    }
    passing = failing | {"task": "LOI", "direction": -1, "fails_terms": 0.0}
    results = SimpleNamespace(
        frames={"recs": pd.DataFrame([failing, passing])},
        digits=2,
        notes=(),
        table=lambda name, headings, sections, notes: sections,
    )
    (section,) = recs_table(results, "recs")
    texts = [[str(cell.text) for cell in line] for line in section.rows]
    assert [line[0] for line in texts] == ["OQ", "LOI (-1)"]
    assert [line[5] for line in texts] == ["terms 2", "–"]
    assert texts[0][6:9] == ["3 2", "1.50", "0.13 0.50"]
