"""What tables and figures of all benchmarks share: models, their groups and colours, cells."""

from dataclasses import replace

from steadfast.show.cells import Values, rank_cells, share_cell, value_cells
from steadfast.show.figures import look
from steadfast.show.results import shared_notes
from steadfast.show.roster import Display, Roster, Shown
from steadfast.show.table import Cell
from steadfast.stages.collect import DOCUMENT, collect_tables
from steadfast.stats.ties import APART, BETTER, WORSE, Ties

DISPLAY = Display(
    group_order=["Gold", "API", "Large"],
    models={
        "m": Shown("m", "Large"),
        "n": Shown("n", "API"),
        "o": Shown("o", "Large"),
        "sim-a": Shown("sim-a", "Readers", "simulated"),
        "gold": Shown("gold", "Gold", "reference"),
    },
)


def test_groups_follow_the_config_and_no_real_model_stands_last():
    roster = Roster(DISPLAY.models, DISPLAY)
    found = roster.groups({"m": 0.1, "o": 0.2, "gold": 1.0})
    assert [(g.heading, g.models, g.unranked) for g in found] == [
        ("API", ("n",), False),
        ("Large", ("o", "m"), False),
        ("Readers", ("sim-a",), True),
        ("Gold", ("gold",), True),
    ]
    assert roster.contenders == ["m", "n", "o"]


def test_models_that_answered_other_prompts_or_have_released_scores_are_marked():
    prompts = {"m": "released", "n": "own", "gold": "released"}
    roster = Roster(prompts, DISPLAY, prompts)
    assert [roster.label(model) for model in roster.models] == [
        "gold (released)",
        "m (released)",
        "n",
    ]
    assert roster.figure_label("gold") == "gold (released) (no model)"
    assert "scored on other prompts" in shared_notes(roster, judged=False)[0][1]
    for alike in ({"m": "released", "o": "released"}, {"m": "own", "n": "own"}, None):
        roster = Roster(["m"], DISPLAY, alike)
        assert roster.label("m") == "m" and shared_notes(roster, judged=True) == []
    # released scores on the same prompts are marked and not apart
    shown = {"m": Shown("m"), "n": Shown("n", engine="scored")}
    display = replace(DISPLAY, models=shown)
    roster = Roster("mn", display, {"m": "own", "n": "own"})
    assert [roster.label(model) for model in roster.models] == ["m", "n (released)"]
    assert roster.apart == frozenset()
    ((_, note),) = shared_notes(roster, judged=False)
    assert "on the same prompts" in note
    alone = Roster("n", display, {"n": "own"})
    assert alone.label("n") == "n" and shared_notes(alone, judged=False) == []


REAL = Shown("GPT-4o", engine="openai")
SIMULATOR = Shown("Simulator", engine="reference")


def test_who_judged_is_said_of_models_and_of_simulated_ones():
    for models, judges, said in (
        ("m", {"a": REAL}, "Judge: GPT-4o."),
        ("m sim-a", {"b": SIMULATOR, "a": REAL}, "Judge: GPT-4o; for simulated models and"),
        ("m sim-a", {"b": SIMULATOR, "a": REAL}, "answers Simulator, a simulated judge"),
        ("m", {"b": SIMULATOR, "a": REAL}, "Judge: GPT-4o."),
        ("sim-a gold", {"a": REAL, "b": SIMULATOR}, "Judge: Simulator, a simulated judge"),
        ("m gold", {"a": REAL, "c": Shown("Qwen", engine="vllm")}, "Judge: GPT-4o."),
    ):
        note = Roster(models.split(), replace(DISPLAY, judges=judges)).judge_note
        assert said in note, models
        assert ("GPT-4o" in note) == ("GPT-4o" in said or "answers Simulator" in said), models
    assert Roster(["m"], DISPLAY).judge_note is None


def test_only_real_models_have_plain_names_and_each_keeps_its_colour():
    roster = Roster(DISPLAY.models, DISPLAY)
    plain = [model for model in DISPLAY.models if roster.figure_label(model) == model]
    assert plain == ["m", "n", "o"]
    alone = Roster(["o"], DISPLAY)
    together = Roster(DISPLAY.models, DISPLAY)
    assert look(alone, "o") == look(together, "o")
    assert look(together, "m")["color"] != look(together, "o")["color"]
    # Models of which the config says nothing follow those of the config.
    further = Roster([*DISPLAY.models, "x", "y"], DISPLAY)
    places = [further.place(model) for model in further.models]
    assert len(set(places)) == len(places) and max(places) >= len(DISPLAY.models)


def test_only_complete_coverage_prints_as_100():
    for scored, expected, text, marked in (
        (5306, 5306, "100", False),
        (5304, 5306, "99.9", True),  # 99.96 is not complete
        (1, 3, "33.3", True),
        (0, 3, "0.0", True),
        (0, 0, None, False),
    ):
        assert share_cell(scored, expected) == Cell(text, marks=("incomplete",) * marked), scored


TIED = Ties({"m": {"n": APART, "o": BETTER}, "n": {"m": APART, "o": APART}, "o": {"m": WORSE}})


def test_a_column_picks_out_all_that_may_be_first_and_ranks_are_ranges():
    roster = Roster(["m", "n", "gold"], DISPLAY)
    column = Values({"m": 0.9, "n": 0.9, "gold": 1.0}, incomplete=["n"], ties=TIED)
    assert value_cells(roster, [column], digits=3) == {
        "m": (Cell("0.900", "best"),),
        "n": (Cell("0.900", "best", marks=("incomplete",)),),
        "gold": (Cell("1.000"),),
    }
    tied = Ties({"m": {"n": APART, "o": BETTER}, "n": {"m": APART}, "o": {"m": WORSE}})
    cells = rank_cells(Roster(["m", "n", "o", "gold"], DISPLAY), tied, {"m": 3, "n": 2, "o": 1})
    assert {model: cell.text for model, (cell,) in cells.items()} == {
        "m": "1–2",
        "n": "1–3",
        "o": "2–3",
        "gold": None,
    }


def test_tables_are_copied_and_a_document_shows_them_in_order(tmp_path):
    files = [tmp_path / "a" / "t2.tex", tmp_path / "a" / "t2.csv", tmp_path / "b" / "t1.tex"]
    for path in files:
        path.parent.mkdir(exist_ok=True)
        path.write_text(path.name)
    collect_tables(files, tmp_path / "all")
    names = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert names == [DOCUMENT, "t1.tex", "t2.csv", "t2.tex"]
    text = (tmp_path / "all" / DOCUMENT).read_text()
    assert text.index(r"\input{t2.tex}") < text.index(r"\input{t1.tex}")
