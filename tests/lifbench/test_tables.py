"""LIFBench's tables and its figure from a small run's metrics."""

import csv
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from score_records import FEW, LENGTHS, frames_of, run, unscored
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS
from steadfast.benchmarks.lifbench.tables import BUILDERS, OPTIONAL, tables
from steadfast.benchmarks.lifbench.tables.results import STRINGS
from steadfast.contract.components import Frames, Scored
from steadfast.show.render import Printed, printed
from steadfast.show.roster import Display, Shown

LEVELS = {"good": 0.8, "fair": 0.6, "sim-long": 0.9, "reference": 1.0}
DISPLAY = Display(
    group_order=["API Models"],
    models={
        "good": Shown("Good_1", "API Models"),
        "fair": Shown("Fair"),
        "sim-long": Shown("sim-long", "Simulated models", "simulated"),
        "reference": Shown("reference", "reference", "reference"),
    },
)

Pages = dict[str, Printed]


def show(frames: Frames) -> Pages:
    """The printed tables by name."""
    made = tables(frames, DISPLAY, "rubric", "released")
    return {page.name: page for page in map(printed, made)}


def build(scores: Iterable[Scored], folder: Path) -> Pages:
    """The printed tables of a run."""
    return show(frames_of(scores, folder))


def changed(model: str, change: Callable[[Scored], Scored], **where: str) -> Iterable[Scored]:
    """The run with one model's scores changed, all or those of one task or length."""
    for scored in run(LEVELS):
        chosen = scored.model == model and all(scored.record[k] == v for k, v in where.items())
        yield change(scored) if chosen else scored


def rows_of(page: Printed) -> list[list[str]]:
    return list(csv.reader(page.csv.splitlines()))


@pytest.fixture(scope="module")
def frames(tmp_path_factory) -> Frames:
    return frames_of(run(LEVELS), tmp_path_factory.mktemp("metrics"))


@pytest.fixture(scope="module")
def pages(frames) -> Pages:
    return show(frames)


def test_tables_carry_the_benchmark_s_name_and_count_the_data(pages):
    assert list(pages) == [f"lifbench_{name}" for name in STRINGS["captions"]]
    assert {*STRINGS["captions"], *OPTIONAL} == {*BUILDERS}
    rows = pages["lifbench_table2_data"].csv.splitlines()
    assert rows[1] == ",List,Single-ID,LSI,2,3,12,"
    assert rows[-1] == ",All,,,,,132,"


def test_real_models_alone_are_highlighted(tmp_path):
    levels = {"good": 0.9, "fair": 0.3, "sim-long": 0.8, "reference": 1.0}
    text = build(run(levels, contexts=2, tasks=FEW), tmp_path)["lifbench_table3_ars"].tex
    lines = {line.split(" & ")[0]: line for line in text.splitlines() if " & " in line}
    assert lines[r"Good\_1"].count(r"\textbf") == 1  # overall has 12 contexts, a task four
    assert not any(r"\textbf" in lines[m] for m in ("sim-long", "reference"))


def test_ranks_and_bold_are_what_the_test_of_overall_ars_leaves(frames, pages):
    cells = {row[1]: row[2:-1] for row in rows_of(pages["lifbench_table4_ifs"])}
    (pair,) = frames["comparisons"].query(
        "task == 'overall' and length == '' and model == 'fair' and other == 'good'"
    )["p_model"]
    good, fair = ("(1)", "(2)") if pair < 0.05 else ("(1–2)", "(1–2)")
    assert cells["Good_1"][-1].endswith(f" {good}") and cells["Fair"][-1].endswith(f" {fair}")
    assert "(" not in "".join(cells["sim-long"] + cells["Good_1"][:-1])
    (pair,) = frames["comparisons"].query(
        "task == 'overall' and model == 'fair' and other == 'good'"
    )["p_model"]
    rows = {row[1]: row for row in rows_of(pages["lifbench_table3_ars"])}
    told = pair < 0.05
    assert [rows[model][14] for model in ("Good_1", "Fair")] == (
        ["1", "2"] if told else ["1–2"] * 2
    )
    assert "**" not in pages["lifbench_table3_ars"].md  # six contexts


def test_the_stability_by_chance_stands_behind_what_it_is_known_of(frames, pages):
    head, *rows = rows_of(pages["lifbench_table4_ifs"])
    # With one context of a length nothing tells what lengths differ by from chance.
    assert head[2:-1] == [
        "Expression", "Expression: chance level", "Variable", "Variable: chance level", "Length",
        "Average", "ARS",
    ]  # fmt: skip
    ifs = frames["ifs"].query("task == 'overall' and length == '' and perspective == 'expression'")
    (chance,) = ifs.loc[ifs["model"] == "fair", "chance"]
    assert {row[1]: row[3] for row in rows}["Fair"] == f"{chance:.3f}"


def test_one_context_or_one_rubric_is_told(pages, frames):
    page = pages["lifbench_table7_ars_by_length"]
    assert "**" not in page.md
    assert "Sampling units: 6 contexts (1 per scenario and length)." in page.md
    assert "One context per scenario and length" in page.md
    rows = frames["rubrics"]
    text = show({**frames, "rubrics": rows[rows["rubric"] == "released"]})["lifbench_rubrics"].md
    assert "scored by the released rubric only" in text
    assert "Corrected" not in text


@pytest.mark.wide
def test_with_several_contexts_each_length_has_its_own_best(tmp_path):
    page = build(run({"good": 0.9, "fair": 0.3}, contexts=4, tasks=FEW), tmp_path)
    page = page["lifbench_table7_ars_by_length"]  # twelve contexts of each length
    lines = [[cell.strip() for cell in line.split("|")] for line in page.md.splitlines()]
    bold = {(line[1], line[2]): "**" in line[-2] for line in lines[4:8]}
    assert bold == {
        ("Good\\_1", "4k"): True,
        ("Good\\_1", "8k"): True,
        ("Fair", "4k"): False,
        ("Fair", "8k"): False,
    }
    assert "24 contexts (4 per scenario and length)" in page.md
    assert "One context" not in page.md


def test_cells_that_lack_samples_are_marked(tmp_path):
    pages = build(changed("fair", unscored, task="OQ", length="4k"), tmp_path)
    marks = {row[1]: row[-1] for row in rows_of(pages["lifbench_table3_ars"])}
    assert marks["Fair"] == "OQ: incomplete; Overall: incomplete"
    assert marks["Good_1"] == ""
    assert "Fair (126 of 132)" in pages["lifbench_table3_ars"].tex
    rows = rows_of(pages["lifbench_table7_ars_by_length"])
    by_length = {(row[1], row[2]): row for row in rows}
    assert by_length["Fair", "4k"][4] == ""  # no value, rather than 0
    assert by_length["Fair", "8k"][4] != ""
    coverage = {row[1]: row for row in rows_of(pages["lifbench_coverage"])}
    assert coverage["Fair"][2:4] == ["90.9", "100"]


def test_truncated_models_carry_the_dagger_and_released_ones_no_counts(frames, six_lengths):
    coverage = frames["coverage"]
    cut = coverage.assign(prompt_truncated=(coverage["model"] == "fair") * 1)
    text = show({**frames, "coverage": cut})["lifbench_table3_ars"].md
    assert "| Fair† " in text
    assert "Good\\_1†" not in text
    display = Display(models={"good": Shown("Good", engine="scored")})
    made = {page.name: page for page in tables(six_lengths, display, "rubric", "released")}
    row = next(row for row in rows_of(printed(made["lifbench_coverage"])) if "Good" in row[1])
    assert row[-4:-1] == ["0", "", ""]  # errors; empty and cut answers


def test_the_rubric_s_table_has_every_score_point_and_sum(pages):
    rows = rows_of(pages["lifbench_table6_rubric"])[1:]
    points = [(row[1], row[2]) for row in rows]
    for task, found in RUBRICS["released"].items():
        label = "LBI, LBE" if task in ("LBI", "LBE") else task
        assert {(label, point) for point in (*found, "total")} <= set(points)
    totals = {row[1]: row[4:6] for row in rows if row[2] == "total"}
    assert totals["LSI"] == ["4", "4"]
    assert totals["MF"] == ["20", "20"]
    lsi = {row[2]: row[4:7] for row in rows if row[1] == "LSI"}
    assert lsi["correct"] == ["2", "1", "Recog"]
    assert lsi["ori"] == ["1", "2", "Ori"]


def test_capabilities_stand_in_the_paper_s_order(pages):
    head, *rows = rows_of(pages["lifbench_table8_ifp"])
    assert head[1:-1] == ["Model", "Format", "Logic", "Num", "Ori", "Recog", "Spat"]
    assert rows[-1][0] == "reference (no model)"
    assert all(0 < float(cell) <= 1 for row in rows for cell in row[2:-1])
    head, *rows = rows_of(pages["lifbench_table9_ifp_by_length"])
    assert head[2:4] == ["Length", "Format"]
    assert [row[2] for row in rows] == [*LENGTHS] * len(LEVELS)


@pytest.mark.parametrize("name", ["table8_ifp", "table10_ifs_expression", "table11_ifs_variable"])
def test_what_no_test_compares_has_no_bold_and_says_so(pages, name):
    text = pages[f"lifbench_{name}"].md
    assert "**" not in text and "No bold" in text


@pytest.mark.wide
def test_models_stand_by_their_mean_rank_of_stability(tmp_path):
    pages = build(run({"m1": 0.9, "m2": 0.8, "m3": 0.7, "m4": 0.6}, tasks=FEW), tmp_path)
    rows = rows_of(pages["lifbench_table4_ifs"])[1:]
    values = pd.DataFrame([[float(row[column]) for column in (2, 4, 6)] for row in rows])
    assert values.rank(method="min").sum(axis=1).is_monotonic_increasing


@pytest.mark.wide
def test_both_rubrics_stand_side_by_side(tmp_path):
    def turned(scored: Scored) -> Scored:
        total = 1 - scored.record["total"]
        return scored._replace(
            record=scored.record | {"other_raters": {"corrected": {"total": total}}}
        )

    page = build(map(turned, run(LEVELS, tasks=FEW)), tmp_path)["lifbench_rubrics"]
    assert "Released: ARS" in page.md
    assert "Corrected: Rank" in page.md
    assert "Ranks by the corrected rubric and by the released rubric over 3 models" in page.md
    assert "Spearman's rho -1.000, Kendall's tau -1.000" in page.md
    rows = {row[1]: row for row in rows_of(page)}
    places = [i for i, heading in enumerate(rows["Model"]) if heading.endswith(": Rank")]
    assert [rows["Good_1"][i] for i in places] == ["1", "2"]
    assert [rows["reference"][i] for i in places] == ["", ""]


def test_pairs_are_compared_with_the_better_model_first(pages, tmp_path):
    rows = rows_of(pages["lifbench_comparisons"])[1:]
    assert [(row[1], row[2]) for row in rows] == [
        ("sim-long", "Good_1"),
        ("sim-long", "Fair"),
        ("Good_1", "Fair"),
    ]
    for row in rows:
        low, high = (float(end) for end in row[4].split(" to "))
        assert 0 < low <= float(row[3]) <= high
    assert "No two models" in build(run({"m": 0.5}, tasks=FEW), tmp_path)["lifbench_comparisons"].md


# --- the paper's cells ------------------------------------------------------------------------

PUBLISHED = replace(DISPLAY, published=True)
PAPER_LENGTHS = ("4k", "8k", "16k", "32k", "64k", "128k")


def published(frames: Frames, same: bool = False, **settings) -> Pages:
    chosen = {"weighting": "rubric", "rubric": "released"} | settings
    made = tables(frames, PUBLISHED, **chosen, same_prompts=same)
    return {page.name.removeprefix("lifbench_"): page for page in map(printed, made)}


@pytest.fixture(scope="module")
def six_lengths(tmp_path_factory) -> Frames:
    scores = run({"good": 0.8}, PAPER_LENGTHS)
    return frames_of(scores, tmp_path_factory.mktemp("six"))


def of_paper(page: Printed, label: str) -> list[list[str]]:
    heading = "As printed in the paper (released)"
    return [row[1:] for row in rows_of(page) if row[0] == heading and row[1] == label]


def test_the_paper_s_cells_stand_below_the_models_and_say_of_which_prompts(six_lengths):
    pages = published(six_lengths)
    (row,) = of_paper(pages["table3_ars"], "GPT-4o")
    # Table 3: GPT-4o has .797 in OR and .758 overall; ranks are none of its columns.
    assert row[1] == "0.797" and "0.758" in row
    (row,) = of_paper(pages["table4_ifs"], "GPT-4o")
    assert row[1] == "0.087"
    rows = of_paper(pages["table7_ars_by_length"], "GPT-4o")
    assert [row[1] for row in rows] == list(PAPER_LENGTHS) and rows[0][2] == "0.770"
    assert of_paper(pages["coverage"], "GPT-4o") == []
    assert "on other prompts" in pages["table3_ars"].md
    page = published(six_lengths, same=True)["table3_ars"]
    assert "on the same prompts" in page.md
    (row,) = of_paper(published(six_lengths, weighting="mean")["table3_ars"], "GPT-4o")
    assert "0.758" not in row and row[1] == "0.797"
    page = published(six_lengths, rubric="corrected")["table3_ars"]
    assert of_paper(page, "GPT-4o") == []
    assert "they are by the released rubric" in page.md


def test_cells_over_other_lengths_are_not_shown(frames):
    pages = published(frames)
    assert of_paper(pages["table3_ars"], "GPT-4o") == []
    assert "lengths or tasks are not those of this run" in pages["table3_ars"].md
    rows = of_paper(pages["table7_ars_by_length"], "GPT-4o")
    assert [row[1] for row in rows] == list(LENGTHS)


def test_the_effective_length_stands_with_its_range_and_what_is_kept(tmp_path):
    levels = {"good": 0.8, "reference": 1.0}
    scores = [
        *run({**levels, "fair": 0.6}, ["4k"], 3, FEW),
        *run({**levels, "fair": 0.3}, ["8k"], 3, FEW),
    ]
    found = frames_of(scores, tmp_path, effective_context_length=True)
    page = show(found)["lifbench_effective_context_length"]
    rows = {row[1]: row[2:] for row in rows_of(page)}
    assert rows["Model"][:4] == [
        "Overall ARS at 4k",
        "Effective context length",
        "95 % interval",
        "8k",
    ]
    ars = found["ars"].query("task == 'overall'").set_index(["model", "length"])["value"]
    kept = {m: ars[m, "8k"] / ars[m, "4k"] for m in ("good", "fair")}
    assert rows["Good_1"][1:4] == ["≥ 8k", "≥ 8k", f"{kept['good']:.3f}"]
    assert rows["Fair"][1:4] == ["4k", "4k", f"{kept['fair']:.3f}"]
    assert "at least 85 % of that at 4k, and retention" in page.md
    summary = found["summary"].set_index(["model", "measure"])["effective_context_length"]
    assert (summary["good", "ARS"], summary["fair", "ARS"]) == ("≥ 8k", "4k")
    assert summary["good", "IFS"] == summary["reference", "ARS"] == ""
