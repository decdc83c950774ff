"""LIFBench's figures: what is drawn are the numbers of the metrics, and captions count them."""

import re
from functools import partial

import pandas as pd
import pytest
from matplotlib import rc_context, style
from picture_checks import check, drawn, legend_texts

from score_records import FEW, LENGTHS, frames_of, released, run
from small_contexts import needs_cases
from steadfast.benchmarks.lifbench.figures import BUILDERS, figures
from steadfast.show.figures import STYLE
from steadfast.show.roster import Display, Shown
from steadfast.stages.draw import draw
from steadfast.stats.tidy import write_csv

LEVELS = {"good": 0.8, "fair": 0.6, "sim-long": 0.9, "reference": 1.0}
SETTINGS = {"weighting": "rubric", "rubric": "released"}
DISPLAY = Display(
    models={
        "good": Shown("Good $1$", "Models", "openai"),
        "fair": Shown("Fair", "Models", "openai"),
        "reference": Shown("Reference", "", "reference"),
    }
)
SAMPLING = pd.DataFrame(
    [
        ("good", "expression", 0.02, 0.01, 0.03, 11),
        ("fair", "expression", -0.01, -0.02, 0.0, 11),
        ("good", "average", 0.03, None, None, 11),
        ("fair", "average", 0.01, None, None, 11),
    ],
    columns=["model", "perspective", "value", "low", "high", "n"],
)


def show(frames, display=DISPLAY):
    return drawn(partial(figures, frames, display, **SETTINGS))


def built(frames, display=DISPLAY):
    """The pictures without their layout, which takes most of the time."""
    with style.context(["default", STYLE]):
        return figures(frames, display, **SETTINGS)


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    """Two contexts a length, so that values have intervals."""
    scores = run(LEVELS, contexts=2)
    found = frames_of(scores, tmp_path_factory.mktemp("metrics"), effective_context_length=True)
    return {**found, "sampling": SAMPLING}


@pytest.fixture(scope="module")
def pictures(frames):
    return show(frames)


def panel_of(picture, title):
    (axes,) = [axes for axes in picture.figure.axes if axes.get_title("left").endswith(title)]
    return axes


def segments(axes, place):
    """The ends of each interval of a panel's lines, one after the other."""
    return [[tuple(end) for end in one] for one in axes.collections[place].get_segments()]


def test_every_figure_is_drawn_within_its_edges(pictures):
    assert list(pictures) == list(BUILDERS)
    for name, picture in pictures.items():
        check(picture.figure, name)
        assert picture.caption.startswith("LIFBench: ")
        assert not re.search(r"[{}]|nan", picture.caption)


@pytest.mark.wide
def test_many_models_with_long_names_lose_nothing(tmp_path):
    levels = {f"m{number:02d}": 0.4 + number / 30 for number in range(12)}
    frames = frames_of(run(levels, tasks=FEW), tmp_path)
    names = {m: f"An organisation's model, with a long name of its own, {m} $x$" for m in levels}
    shown = {m: Shown(name, f"Group {m[-1]}"[:7], "openai") for m, name in names.items()}
    pictures = show(frames, Display(models=shown))
    for name, picture in pictures.items():
        check(picture.figure, name)
    for name in ("figure3_capabilities", "figure4_by_length"):
        assert sorted(legend_texts(pictures[name].figure)) == sorted(names.values())


def test_weights_are_those_of_the_rubric(pictures):
    left, right = pictures["figure2_weights"].figure.axes
    # Table 6: the tasks' weights, and for Logic those of OR, OQ, MB and MF.
    assert sorted(bar.get_width() for bar in left.patches) == sorted(
        [4, 10, 4, 4, 5, 5, 14, 20, 14, 5, 14]
    )
    rows = [label.get_text() for label in right.get_yticklabels()]
    logic = [bar for bar in right.patches if round(bar.get_y() + 0.35) == rows.index("Logic")]
    assert sum(bar.get_width() for bar in logic) == 3 + 3 + 3 + 5
    assert "List 32, MultiDoc 34, OneDoc 33" in pictures["figure2_weights"].caption


def test_the_radar_has_the_capabilities_of_each_model(frames, pictures):
    axes = pictures["figure3_capabilities"].figure.axes[0]
    order = [label.get_text() for label in axes.get_xticklabels()]
    names = {"Format": "Fmt"}
    ifp = frames["ifp"].set_index(["model", "length", "capability"])["value"]
    (line,) = [line for line in axes.lines if line.get_label() == "Fair"]
    expected = [ifp["fair", "", names.get(name, name)] for name in order]
    assert list(line.get_ydata()) == [*expected, expected[0]]
    best = max(("good", "fair"), key=lambda model: ifp[model, "", "Spat"])
    label = DISPLAY.models[best].label
    assert f"Spat {ifp[best, '', 'Spat']:.3f} ({label})" in pictures["figure3_capabilities"].caption


def test_a_series_has_one_colour_in_figure_3_and_base_models_are_dashed(frames):
    shown = {
        "good": Shown("Tuned", "", "openai", "S"),
        "fair": Shown("Base", "", "vllm", "S", base=True),
        "sim-long": Shown("Long", "", "simulated"),
    }
    picture = built(frames, Display(models=shown))["figure3_capabilities"]
    lines = {line.get_label(): line for line in picture.figure.axes[0].lines}
    assert lines["Tuned"].get_color() == lines["Base"].get_color()
    assert lines["Tuned"].get_color() != lines["Long (simulated)"].get_color()
    assert [lines[name].get_linestyle() for name in ("Tuned", "Base")] == ["-", "--"]
    assert lines["Tuned"].get_marker() != lines["Base"].get_marker()
    assert "base models are dashed" in picture.caption


def test_ars_and_ifs_stand_at_their_lengths_with_their_intervals(frames, pictures):
    ars = frames["ars"].query("task == 'overall' and length != '' and model == 'good'")
    axes = panel_of(pictures["figure4_by_length"], "ARS by length")
    (line,) = [line for line in axes.lines if line.get_label() == "Good $1$"]
    assert list(line.get_ydata()) == ars["value"].tolist()
    assert axes.get_xticklabels()[1].get_text() == LENGTHS[1]
    number = list(axes.lines).index(line)
    ends = [(low, high) for (_, low), (_, high) in segments(axes, number)]
    assert ends == list(zip(ars["low"], ars["high"], strict=True))
    for drawn_line in axes.lines:  # beside the mark of its length, and nearest to it
        places = list(drawn_line.get_xdata())
        assert [round(place) for place in places] == list(range(len(places)))
    ifs = frames["ifs"].query("task == 'overall' and length != '' and model == 'fair'")
    for perspective in ("expression", "variable"):
        axes = panel_of(pictures["figure4_by_length"], f"IFS: {perspective}")
        (line,) = [line for line in axes.lines if line.get_label() == "Fair"]
        expected = ifs[ifs["perspective"] == perspective]["value"]
        assert list(line.get_ydata()) == expected.tolist()
    caption = pictures["figure4_by_length"].caption
    table = frames["ars"].query("task == 'overall'").set_index(["model", "length"])["value"]
    lower = sum(table[model, "8k"] < table[model, "4k"] for model in ("good", "fair"))
    assert f"ARS is lower at 8k than at 4k for {lower} of 2 models" in caption


def test_shares_that_are_kept_stand_at_their_lengths_with_the_line_to_keep(frames, pictures):
    (axes,) = pictures["effective_context_length"].figure.axes[:1]
    ars = frames["ars"].query("task == 'overall'").set_index(["model", "length"])["value"]
    (line,) = [line for line in axes.lines if line.get_label() == "Fair"]
    shares = [1, ars["fair", "8k"] / ars["fair", "4k"]]
    assert list(line.get_ydata()) == pytest.approx(shares)
    assert list(axes.lines[-1].get_ydata()) == [0.85, 0.85]
    assert "2 of 2 models retain 85 % up to 8k." in pictures["effective_context_length"].caption


def test_easy_tasks_weigh_10_at_most(frames, pictures):
    caption = pictures["figure6_complexity"].caption
    assert "OQ, LSI, LMI, LOI, LOE, LBI, LBE) and of the hard ones (OR, OE, MB, MF)" in caption
    # Equation 3 over the hard tasks, of weights 14, 14, 14 and 20 (Table 6).
    ars = frames["ars"].query("model == 'good' and length == '8k'").set_index("task")["value"]
    weights = {"OR": 14, "OE": 14, "MB": 14, "MF": 20}
    expected = sum(w * ars[task] for task, w in weights.items()) / 62
    axes = panel_of(pictures["figure6_complexity"], "Good $1$")
    easy, hard = axes.lines
    assert hard.get_ydata()[1] == pytest.approx(expected)
    rows = frames["complexity"].query("model == 'good' and split == 'easy' and length != ''")
    assert list(easy.get_ydata()) == rows["value"].tolist()


def test_a_heat_map_cell_is_a_length_and_a_tenth_where_scores_have_places(frames, pictures):
    rows = frames["depth"].query("task == 'list' and model == 'good' and length != ''")
    axes = panel_of(pictures["success_by_position"], "Good $1$")
    (mesh,) = [one for one in axes.collections if one.get_array() is not None]
    table = rows.pivot(index="length", columns="bin", values="value").loc[list(LENGTHS)]
    assert mesh.get_array().filled(-1).tolist() == table.fillna(-1).to_numpy().tolist()
    assert len(axes.texts) == table.notna().sum().sum()
    picture = built({**frames, "depth": frames["depth"].iloc[:0]})["success_by_position"]
    (axes,) = picture.figure.axes
    assert "No scored sample has" in " ".join(axes.texts[0].get_text().split())
    assert "No scored sample has" in picture.caption


def test_the_gap_between_two_ways_to_sample_has_a_panel_a_perspective(pictures):
    figure, caption = pictures["figure7_sampling"]
    expression, average = figure.axes
    assert [axes.get_title("left") for axes in figure.axes] == ["Expression", "Average"]
    names = [label.get_text() for label in expression.get_yticklabels()]
    assert names == ["Good $1$", "Fair"]
    zero, good, fair = expression.lines
    assert list(zero.get_xdata()) == [0, 0]
    assert [*good.get_xdata(), *fair.get_xdata()] == [0.02, -0.01]
    assert segments(expression, 0) == [[(0.01, 0), (0.03, 0)]]
    assert not average.collections
    assert "Expression 1 of 2 models" in caption and "Average 2 of 2 models" in caption
    assert "Expression 0.005, Average 0.020" in caption


@pytest.mark.wide
def test_one_length_and_one_task_have_figures_too(tmp_path):
    scores = [one for one in run({"m": 0.6}, ["4k"]) if one.record["task"] == "OQ"]
    pictures = show(frames_of(scores, tmp_path))
    for name, picture in pictures.items():
        check(picture.figure, name)
    assert "No hard tasks in this run" in pictures["figure6_complexity"].caption
    assert " lose more " not in pictures["figure6_complexity"].caption


@pytest.mark.wide
def test_equal_metrics_give_equal_files_whatever_the_user_s_own_settings(frames, tmp_path):
    paths = {}
    for name, rows in frames.items():
        paths[name] = tmp_path / f"{name}.csv"
        write_csv(paths[name], rows)
    chosen = ("figure4_by_length", "success_by_position")
    for folder, own in (("first", {}), ("second", {"font.size": 20, "svg.hashsalt": "x"})):
        with rc_context(own):
            outs = {name: tmp_path / folder / name for name in chosen}
            draw(("steadfast.benchmarks.lifbench.figures:figures", SETTINGS), paths, {}, outs)
    for name in chosen:
        for kind in ("pdf", "svg", "png", "txt"):
            first, second = (tmp_path / f / f"{name}.{kind}" for f in ("first", "second"))
            assert first.read_bytes() == second.read_bytes(), (name, kind)


@pytest.mark.wide
@needs_cases
def test_the_paper_s_findings_stand_in_the_captions_of_its_released_scores(tmp_path):
    pictures = built(frames_of(released(), tmp_path), Display())
    # Section 5.3: most models decline; Format is steadiest, Recog falls most. Section 5.4: hard
    # tasks degrade more.
    assert "ARS is lower at 128k than at 4k for 20 of 20" in pictures["figure4_by_length"].caption
    caption = pictures["figure5_capabilities_by_length"].caption
    falls = re.findall(r"(\w+) (0\.\d+)", caption.partition("4k to 128k: ")[2])
    by_name = {name: float(value) for name, value in falls}
    assert len(by_name) == 6
    assert min(by_name, key=by_name.get) == "Format"
    assert max(by_name, key=by_name.get) == "Recog"
    complexity = pictures["figure6_complexity"].caption
    easy, hard = re.search(r"easy (0\.\d+), hard (0\.\d+)", complexity).groups()
    assert float(hard) > float(easy)
