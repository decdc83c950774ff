"""What tables and figures of all benchmarks share: models, their groups and colours, cells."""

from dataclasses import replace

import pandas as pd
import pytest

from steadfast.show.cells import Values, rank_cells, share_cell, value_cells
from steadfast.show.figures import model_style
from steadfast.show.results import Results, range_note, shared_notes
from steadfast.show.roster import Display, DisplayedModel, Roster
from steadfast.show.table import Cell
from steadfast.stages.collect import DOCUMENT, collect_tables
from steadfast.stats.ties import BETTER, NOT_DISTINGUISHED, WORSE, Ties

DISPLAY = Display(
    group_order=["Gold", "API", "Large"],
    models={
        "m": DisplayedModel("m", "Large"),
        "n": DisplayedModel("n", "API"),
        "o": DisplayedModel("o", "Large"),
        "sim-a": DisplayedModel("sim-a", "Simulated", "simulated"),
        "gold": DisplayedModel("gold", "Gold", "reference"),
    },
)


def test_groups_follow_the_config_with_simulated_models_last():
    roster = Roster(DISPLAY.models, DISPLAY)
    groups = roster.groups({"m": 0.1, "o": 0.2, "gold": 1.0})
    assert [(group.heading, group.models, group.unranked) for group in groups] == [
        ("API", ("n",), False),
        ("Large", ("o", "m"), False),
        ("Simulated", ("sim-a",), True),
        ("Gold", ("gold",), True),
    ]
    assert roster.contenders == ["m", "n", "o"]


def labels(roster: Roster) -> list[str]:
    return [roster.label(model) for model in roster.models]


def test_models_with_other_prompts_are_marked():
    prompts = {"m": "released", "n": "own", "gold": "released"}
    roster = Roster(prompts, DISPLAY, prompts)
    assert labels(roster) == ["gold (released)", "m (released)", "n"]
    assert roster.figure_label("gold") == "gold (released) (no model)"
    assert "scored on other prompts" in shared_notes(roster, judged=False)[0][1]


def test_models_with_the_same_prompts_are_not_marked():
    for prompts in ({"m": "released", "o": "released"}, {"m": "own", "n": "own"}, None):
        roster = Roster(["m"], DISPLAY, prompts)
        assert roster.label("m") == "m", prompts
        assert shared_notes(roster, judged=True) == [], prompts


def test_released_scores_on_the_same_prompts_are_marked():
    display = replace(
        DISPLAY, models={"m": DisplayedModel("m"), "n": DisplayedModel("n", engine="scored")}
    )
    roster = Roster("mn", display, {"m": "own", "n": "own"})
    assert labels(roster) == ["m", "n (released)"]
    assert roster.apart == frozenset()
    ((_, note),) = shared_notes(roster, judged=False)
    assert "on the same prompts" in note
    released_only = Roster("n", display, {"n": "own"})
    assert released_only.label("n") == "n"
    assert shared_notes(released_only, judged=False) == []


REAL = DisplayedModel("GPT-4o", engine="openai")
SIMULATED = DisplayedModel("Simulator", engine="reference")
BOTH_JUDGES = {"b": SIMULATED, "a": REAL}


@pytest.mark.parametrize(
    ("models", "judges", "note", "has_real_judge"),
    [
        ("m", {"a": REAL}, "Judge: GPT-4o.", True),
        ("m sim-a", BOTH_JUDGES, "Judge: GPT-4o; for simulated models and", True),
        ("m sim-a", BOTH_JUDGES, "answers Simulator, a simulated judge", True),
        ("m", BOTH_JUDGES, "Judge: GPT-4o.", True),
        ("sim-a gold", BOTH_JUDGES, "Judge: Simulator, a simulated judge", False),
        ("m gold", {"a": REAL, "c": DisplayedModel("Qwen", engine="vllm")}, "Judge: GPT-4o.", True),
    ],
)
def test_note_names_the_judges_of_real_and_simulated_models(models, judges, note, has_real_judge):
    judge_note = Roster(models.split(), replace(DISPLAY, judges=judges)).judge_note
    assert note in judge_note
    assert ("GPT-4o" in judge_note) == has_real_judge
    assert Roster(["m"], DISPLAY).judge_note is None


def test_only_real_models_have_plain_names_in_figures():
    roster = Roster(DISPLAY.models, DISPLAY)
    plain_names = [model for model in DISPLAY.models if roster.figure_label(model) == model]
    assert plain_names == ["m", "n", "o"]


def test_models_keep_their_colours():
    roster = Roster(DISPLAY.models, DISPLAY)
    assert model_style(Roster(["o"], DISPLAY), "o") == model_style(roster, "o")
    assert model_style(roster, "m")["color"] != model_style(roster, "o")["color"]
    # Models that the config does not name follow those of the config.
    larger = Roster([*DISPLAY.models, "x", "y"], DISPLAY)
    positions = [larger.place(model) for model in larger.models]
    assert len(set(positions)) == len(positions)
    assert max(positions) >= len(DISPLAY.models)


@pytest.mark.parametrize(
    ("scored", "expected", "text", "is_marked"),
    [
        (5306, 5306, "100", False),
        (5304, 5306, "99.9", True),  # 99.96 is not complete
        (1, 3, "33.3", True),
        (0, 3, "0.0", True),
        (0, 0, None, False),
    ],
)
def test_only_complete_coverage_prints_as_100(scored, expected, text, is_marked):
    assert share_cell(scored, expected) == Cell(text, marks=("incomplete",) * is_marked)


def test_note_names_the_lowest_and_the_highest_or_the_one_value():
    named = [("a", 0.25), ("b", 0.5), ("c", 0.75)]
    note = (None, "The mean: from 0.25 (a) to 0.75 (c).")
    assert range_note("the mean", named, 2) == [note]
    assert range_note("the mean", named[:1], 2) == [(None, "The mean: 0.25 (a).")]
    assert range_note("the mean", [], 2) == []


@pytest.mark.parametrize(
    ("stratum", "clusters", "counts"),
    [
        ("length", [3, 4], "7 texts (3 to 4 per length)"),
        ("length", [3], "3 texts"),
        ("", [3, 4], "7 texts"),
    ],
)
def test_sampling_units_are_counted_by_stratum_where_there_are_several(stratum, clusters, counts):
    units = pd.DataFrame({"part": "", "clusters": clusters})
    frames = {"coverage": pd.DataFrame({"model": ["m"]}), "sampling_units": units}
    words = {"sampling_unit": {"unit": "texts", "stratum": stratum}}
    note = ("sampling", f"Sampling units: {counts}.")
    assert Results(frames, Display(), words).sampling_notes() == [note]


TIES = Ties(
    {
        "m": {"n": NOT_DISTINGUISHED, "o": BETTER},
        "n": {"m": NOT_DISTINGUISHED, "o": NOT_DISTINGUISHED},
        "o": {"m": WORSE},
    }
)


def test_values_that_may_be_best_are_bold():
    roster = Roster(["m", "n", "gold"], DISPLAY)
    column = Values({"m": 0.9, "n": 0.9, "gold": 1.0}, incomplete=["n"], ties=TIES)
    assert value_cells(roster, [column], digits=3) == {
        "m": (Cell("0.900", "best"),),
        "n": (Cell("0.900", "best", marks=("incomplete",)),),
        "gold": (Cell("1.000"),),
    }


def test_ranks_are_printed_as_ranges():
    ties = Ties(
        {
            "m": {"n": NOT_DISTINGUISHED, "o": BETTER},
            "n": {"m": NOT_DISTINGUISHED},
            "o": {"m": WORSE},
        }
    )
    cells = rank_cells(Roster(["m", "n", "o", "gold"], DISPLAY), ties, {"m": 3, "n": 2, "o": 1})
    expected = {"m": "1–2", "n": "1–3", "o": "2–3", "gold": None}
    assert {model: cell.text for model, (cell,) in cells.items()} == expected


def test_tables_are_copied_with_a_document_that_inputs_them(tmp_path):
    files = [tmp_path / "a/t2.tex", tmp_path / "a/t2.csv", tmp_path / "b/t1.tex"]
    for path in files:
        path.parent.mkdir(exist_ok=True)
        path.write_text(path.name)
    collect_tables(files, tmp_path / "all")
    names = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert names == [DOCUMENT, "t1.tex", "t2.csv", "t2.tex"]
    text = (tmp_path / "all" / DOCUMENT).read_text()
    assert text.index(r"\input{t2.tex}") < text.index(r"\input{t1.tex}")
