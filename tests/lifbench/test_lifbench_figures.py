"""LIFBench's figures: what is plotted are the numbers of the metrics, and captions count them."""

import re
from functools import partial

import pandas as pd
import pytest
from matplotlib import rc_context, style
from matplotlib.figure import Figure
from picture_checks import check, legend_texts, with_layout

from score_records import FEW, LENGTHS, frames_of, released, run
from small_contexts import needs_cases
from steadfast.benchmarks.lifbench.figures import BUILDERS, figures
from steadfast.benchmarks.lifbench.figures.by_length import _top
from steadfast.benchmarks.lifbench.figures.shared import captioned
from steadfast.benchmarks.lifbench.scored_tasks import Rubric
from steadfast.benchmarks.lifbench.tables.results import LifbenchResults
from steadfast.show.figures import STYLE
from steadfast.show.roster import Display, DisplayedModel
from steadfast.stages.draw import draw
from steadfast.stats.tidy import rows_of, write_csv

LEVELS = {"good": 0.8, "fair": 0.6, "sim-long": 0.9, "reference": 1.0}
SETTINGS = {"weighting": "rubric", "rubric": "released"}
DISPLAY = Display(
    models={
        "good": DisplayedModel("Good $1$", "Models", "openai"),
        "fair": DisplayedModel("Fair", "Models", "openai"),
        "reference": DisplayedModel("Reference", "", "reference"),
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
    return with_layout(partial(figures, frames, display, **SETTINGS))


def built(frames, display=DISPLAY):
    """The pictures without their layout, which takes most of the time."""
    with style.context(["default", STYLE]):
        return figures(frames, display, **SETTINGS)


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    """Two contexts a length, so that values have intervals."""
    folder = tmp_path_factory.mktemp("metrics")
    frames = frames_of(run(LEVELS, contexts=2), folder, effective_context_length=True)
    by_judge = SAMPLING.assign(rubric="judge")
    return frames | {"sampling": SAMPLING, "rubric_stability": by_judge}


@pytest.fixture(scope="module")
def pictures(frames):
    return show(frames)


def panel_of(picture, title):
    (axes,) = [axes for axes in picture.figure.axes if axes.get_title("left").endswith(title)]
    return axes


def lines_of(axes):
    """The lines of a panel by their labels."""
    return {line.get_label(): line for line in axes.lines}


def segments(axes, number):
    """The ends of each interval of a panel's lines, one after the other."""
    segments = axes.collections[number].get_segments()
    return [list(map(tuple, ends)) for ends in segments]


def texts(labels):
    return [label.get_text() for label in labels]


def check_all(pictures):
    for name, picture in pictures.items():
        check(picture.figure, name)


def test_figures_are_within_their_edges_with_a_caption(pictures):
    assert list(pictures) == list(BUILDERS)
    check_all(pictures)
    for picture in pictures.values():
        assert picture.caption.startswith("LIFBench: ")
        assert not re.search(r"[{}]|nan", picture.caption)


def test_figures_of_four_models_take_a_fifth_of_a_page_or_a_quarter(pictures):
    larger = {"ars_by_length", "effective_context_length"}
    larger |= {"figure2_weights", "figure3_capabilities"}
    for name, picture in pictures.items():
        assert picture.figure.get_figheight() < 11 * (1 / 4 if name in larger else 1 / 5), name


@pytest.mark.wide
def test_many_models_with_long_names_fit(tmp_path):
    levels = {f"m{number:02d}": 0.4 + number / 30 for number in range(12)}
    frames = frames_of(run(levels, tasks=FEW), tmp_path)
    models = {}
    for model in levels:
        name = f"An organisation's model, with a long name of its own, {model} $x$"
        models[model] = DisplayedModel(name, f"Group {model[-1]}"[:7], "openai")
    pictures = show(frames, Display(models=models))
    check_all(pictures)
    names = sorted(shown.label for shown in models.values())
    for name in ("figure3_capabilities", "figure4_by_length"):
        assert sorted(legend_texts(pictures[name].figure)) == names


def test_weights_are_those_of_the_rubric(pictures):
    figure, caption = pictures["figure2_weights"]
    left, right = figure.axes
    # Table 6: the tasks' weights, and for Logic those of OR, OQ, MB and MF.
    widths = sorted(bar.get_width() for bar in left.patches)
    assert widths == [4, 4, 4, 5, 5, 5, 10, 14, 14, 14, 20]
    row = texts(right.get_yticklabels()).index("Logic")
    logic = [bar.get_width() for bar in right.patches if round(bar.get_y() + 0.35) == row]
    assert sum(logic) == 3 + 3 + 3 + 5
    assert "List 32, MultiDoc 34, OneDoc 33" in caption
    # LSI, LMI, LOI, LOE weigh 4, 10, 4, 4: names in the middle of their parts, sums at the ends.
    names = {text.get_text(): text.get_position() for text in left.texts}
    assert [names[name] for name in ("LSI", "LOE", " 32", " 34")] == [
        *((2, 0), (20, 0), (32, 0)),
        (34, 1),
    ]
    # Parts below a twentieth of the weights, 99 in all, have upright names.
    upright = {text.get_text() for text in left.texts if text.get_rotation() == 90}
    assert upright == {"LSI", "LOI", "LOE"}
    assert {text.get_rotation() for text in left.texts} == {0, 90}
    assert (left.get_ylim(), right.get_ylim()) == ((2.6, -0.6), (5.6, -0.6))
    assert (" 14", (14, row)) in [(text.get_text(), text.get_position()) for text in right.texts]


def test_radar_has_the_capabilities_of_each_model(frames, pictures):
    figure, caption = pictures["figure3_capabilities"]
    axes = figure.axes[0]
    capabilities = [name.replace("Format", "Fmt") for name in texts(axes.get_xticklabels())]
    ifp = frames["ifp"].query("length == ''")
    ifp = ifp.pivot(index="model", columns="capability", values="value")
    expected = ifp.loc["fair", capabilities].tolist()
    assert list(lines_of(axes)["Fair"].get_ydata()) == [*expected, expected[0]]
    spatial = ifp.loc[["good", "fair"], "Spat"]
    label = DISPLAY.models[spatial.idxmax()].label
    assert f"Spat {spatial.max():.3f} ({label})" in caption


def test_series_share_a_colour_and_base_models_are_dashed(frames):
    models = {
        "good": DisplayedModel("Tuned", "", "openai", "S"),
        "fair": DisplayedModel("Base", "", "vllm", "S", base=True),
        "sim-long": DisplayedModel("Long", "", "simulated"),
    }
    figure, caption = built(frames, Display(models=models))["figure3_capabilities"]
    lines = lines_of(figure.axes[0])
    tuned = lines["Tuned"]
    base = lines["Base"]
    assert tuned.get_color() == base.get_color() != lines["Long (simulated)"].get_color()
    assert (tuned.get_linestyle(), base.get_linestyle()) == ("-", "--")
    assert tuned.get_marker() != base.get_marker()
    assert "base models are dashed" in caption


def test_ars_by_length_has_its_intervals(frames, pictures):
    picture = pictures["figure4_by_length"]
    overall = frames["ars"].query("task == 'overall' and length != ''")
    good = overall[overall["model"] == "good"]
    axes = panel_of(picture, "ARS by length")
    line = lines_of(axes)["Good $1$"]
    assert list(line.get_ydata()) == good["value"].tolist()
    assert axes.get_xticklabels()[1].get_text() == LENGTHS[1]
    expected = list(zip(good["low"], good["high"], strict=True))
    intervals = segments(axes, list(axes.lines).index(line))
    assert [(low, high) for (_, low), (_, high) in intervals] == expected
    for line in axes.lines:  # beside the mark of its length, and nearest to it
        positions = line.get_xdata()
        assert [*map(round, positions)] == [*range(len(positions))]
    titles = ["(a) ARS by length", "(b) IFS: expression", "(c) IFS: variable"]
    assert [panel.get_title("left") for panel in picture.figure.axes[:3]] == titles
    assert axes.get_ylim() == (0, 1.02)  # no interval ends above 1
    table = overall.pivot(index="model", columns="length", values="value")
    lower = (table["8k"] < table["4k"])[["good", "fair"]].sum()
    assert f"ARS is lower at 8k than at 4k for {lower} of 2 models" in picture.caption


@pytest.mark.parametrize("perspective", ["expression", "variable"])
def test_ifs_by_length_has_a_panel_for_each_perspective(frames, pictures, perspective):
    ifs = frames["ifs"].query("task == 'overall' and length != '' and model == 'fair'")
    axes = panel_of(pictures["figure4_by_length"], f"IFS: {perspective}")
    expected = ifs[ifs["perspective"] == perspective]["value"]
    assert list(lines_of(axes)["Fair"].get_ydata()) == expected.tolist()
    of_all = rows_of(frames["ifs"].query("length != ''"), task="overall", perspective=perspective)
    assert axes.get_ylim() == pytest.approx((0, 1.03 * of_all["value"].max()))


def test_ifs_over_all_lengths_has_a_row_for_each_model(frames, pictures):
    left, right = pictures["ars_by_length"].figure.axes
    assert texts(right.get_yticklabels())[:2] == ["Good $1$", "Fair"]
    ifs = frames["ifs"].query("task == 'overall' and length == ''")
    for perspective, offset in (("Expression", -1 / 6), ("Variable", 0), ("Length", 1 / 6)):
        values = rows_of(ifs, perspective=perspective.lower()).set_index("model")["value"]
        line = lines_of(right)[perspective]
        assert list(line.get_xdata()[:2]) == values[["good", "fair"]].tolist()
        assert list(line.get_ydata()) == pytest.approx([row + offset for row in range(4)])
    assert right.get_ylim() == (3.5, -0.5) and right.get_xlim()[0] == 0
    assert left.get_ylim() == (0, 1.02)  # no value is above 1


def test_captions_have_the_mean_drops_of_both_contenders(frames, pictures):
    def drops(rows, kind):
        rows = rows[rows["model"].isin(["good", "fair"]) & (rows["length"] != "")]
        table = rows.pivot(index="model", columns=["length", kind], values="value")
        return table["4k"] - table["8k"]

    caption = pictures["figure5_capabilities_by_length"].caption
    for capability, drop in drops(frames["ifp"], "capability").mean().items():
        assert f"{capability.replace('Fmt', 'Format')} {drop:.3f}" in caption
    splits = drops(frames["complexity"], "split")
    number = sum(splits["hard"] > splits["easy"])
    easy, hard = splits["easy"].mean(), splits["hard"].mean()
    caption = pictures["figure6_complexity"].caption
    assert f"for {number} of 2 models; mean drop: easy {easy:.3f}, hard {hard:.3f}" in caption
    ifs = rows_of(frames["ifs"].query("length != ''"), task="overall", perspective="variable")
    number = sum(drops(ifs, "perspective")["variable"] < 0)
    caption = pictures["figure4_by_length"].caption
    assert f"settings of the variables is largest at 8k for {number} of 2 models" in caption


def test_caption_has_the_notes_on_models_but_not_on_marks_of_their_names(frames, monkeypatch):
    coverage = frames["coverage"]
    truncated = (coverage["model"] == "fair") * 1
    coverage = coverage.assign(scored=coverage["expected"] - truncated, prompt_truncated=truncated)
    results = LifbenchResults({**frames, "coverage": coverage}, DISPLAY, Rubric())
    monkeypatch.setattr("steadfast.show.panels.MOST_MODELS", 1)
    captions = [
        captioned(results, "figure2_weights", Figure(), []).caption,
        captioned(results, "figure2_weights", Figure(), [], of_models=False).caption,
    ]
    assert all("Fair (263 of 264)" in caption and "†" not in caption for caption in captions)
    assert ["1 of 4 models are shown" in caption for caption in captions] == [True, False]


@pytest.mark.parametrize(("high", "top"), [(0.0, 1.0), (None, 1.0), (0.5, 0.515)])
def test_axis_ends_a_little_above_the_highest_value(high, top):
    rows = pd.DataFrame({"value": [0.0], "high": [high]}, dtype=float)
    assert _top(rows if high is not None else rows[:0]) == pytest.approx(top)


def test_retention_by_length_has_the_line_of_its_threshold(frames, pictures):
    figure, caption = pictures["effective_context_length"]
    axes = figure.axes[0]
    ars = frames["ars"].query("task == 'overall'").set_index(["model", "length"])["value"]
    retention = [1, ars["fair", "8k"] / ars["fair", "4k"]]
    assert list(lines_of(axes)["Fair"].get_ydata()) == pytest.approx(retention)
    assert list(axes.lines[-1].get_ydata()) == [0.85, 0.85]
    assert "2 of 2 models retain 85 % up to 8k." in caption


def test_easy_tasks_are_those_of_weight_10_at_most(frames, pictures):
    caption = pictures["figure6_complexity"].caption
    assert "OQ, LSI, LMI, LOI, LOE, LBI, LBE) and of the hard ones (OR, OE, MB, MF)" in caption
    # Equation 3 over the hard tasks, of weights 14, 14, 14 and 20 (Table 6).
    ars = frames["ars"].query("model == 'good' and length == '8k'").set_index("task")["value"]
    expected = (14 * ars["OR"] + 14 * ars["OE"] + 14 * ars["MB"] + 20 * ars["MF"]) / 62
    axes = panel_of(pictures["figure6_complexity"], "Good $1$")
    easy, hard = axes.lines
    assert hard.get_ydata()[1] == pytest.approx(expected)
    rows = frames["complexity"].query("model == 'good' and split == 'easy' and length != ''")
    assert list(easy.get_ydata()) == rows["value"].tolist()
    assert [*easy.get_xdata(), *hard.get_xdata()] == pytest.approx([-0.05, 0.95, 0.05, 1.05])
    assert axes.get_ylim() == (0, 1.02)


@pytest.mark.parametrize("name", ["figure4_by_length", "figure6_complexity"])
def test_points_without_intervals_stand_at_their_lengths(frames, name):
    plain = {name: frames[name].assign(low=None, high=None) for name in ("ars", "complexity")}
    results = LifbenchResults({**frames, **plain}, DISPLAY, Rubric())
    first, *_ = BUILDERS[name](results, name).figure.axes
    assert {tuple(line.get_xdata()) for line in first.lines} == {(0, 1)}


def test_heat_map_has_a_cell_for_each_length_and_tenth(frames, pictures):
    rows = frames["depth"].query("task == 'list' and model == 'fair' and length != ''")
    axes = panel_of(pictures["success_by_position"], "Fair")
    (mesh,) = [mesh for mesh in axes.collections if mesh.get_array() is not None]
    table = rows.pivot(index="length", columns="bin", values="value").loc[list(LENGTHS)]
    assert mesh.get_array().filled(-1).tolist() == table.fillna(-1).to_numpy().tolist()
    for text, row in zip(axes.texts, rows.dropna(subset="value").itertuples(), strict=True):
        place = (row.bin / 10 - 0.05, LENGTHS.index(row.length))
        assert text.get_position() == pytest.approx(place)
        assert text.get_text() == f"{row.value:.2f}".removeprefix("0")
        assert text.get_color() == ("white" if row.value < 0.55 else "black")
    edges = mesh.get_coordinates()
    assert list(edges[0, :, 0]) == pytest.approx([tenth / 10 for tenth in range(11)])
    assert list(edges[:, 0, 1]) == [-0.5, 0.5, 1.5]
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 1), (1.5, -0.5))
    assert list(zip(axes.get_xticks(), texts(axes.get_xticklabels()), strict=True)) == [
        *((0, "0"), (0.5, "0.5"), (1, "1")),
    ]
    means = frames["depth"].query("task == 'list' and length == ''").groupby("model")["value"]
    gaps = (means.max() - means.min()).map("{:.3f}".format)
    caption = pictures["success_by_position"].caption
    assert "Best and worst tenth" in caption
    assert f"differ by {gaps['good']} (Good $1$) to {gaps['fair']} (Fair)" in caption
    assert "120 responses per model" in caption  # of 5 tasks, 2 lengths and contexts, 6 prompts


def test_heat_map_without_positions_says_so(frames):
    picture = built({**frames, "depth": frames["depth"].iloc[:0]})["success_by_position"]
    (axes,) = picture.figure.axes
    assert "No scored sample has" in " ".join(axes.texts[0].get_text().split())
    assert "No scored sample has" in picture.caption


def test_effect_of_sampling_has_a_panel_for_each_perspective(pictures):
    figure, caption = pictures["figure7_sampling"]
    expression, average = figure.axes
    assert expression.get_title("left") == "Expression"
    assert average.get_title("left") == "Average"
    assert texts(expression.get_yticklabels()) == ["Good $1$", "Fair"]
    zero, good, fair = expression.lines
    assert list(zero.get_xdata()) == [0, 0]
    assert [*good.get_xdata(), *fair.get_xdata()] == [0.02, -0.01]
    assert [*good.get_ydata(), *fair.get_ydata()] == [0, 1]
    assert expression.get_ylim() == (1.5, -0.5)
    assert segments(expression, 0) == [[(0.01, 0), (0.03, 0)]]
    assert not average.collections
    assert "Expression 1 of 2 models" in caption and "Average 2 of 2 models" in caption
    assert "Expression 0.005, Average 0.020" in caption


@pytest.mark.wide
def test_run_of_one_length_and_task_has_figures(tmp_path):
    pictures = show(frames_of(run({"m": 0.6}, ["4k"], tasks=["OQ"]), tmp_path))
    check_all(pictures)
    assert "No hard tasks in this run" in pictures["figure6_complexity"].caption
    assert " lose more " not in pictures["figure6_complexity"].caption


@pytest.mark.wide
def test_files_do_not_depend_on_user_settings(frames, tmp_path):
    paths = {}
    for name, rows in frames.items():
        paths[name] = tmp_path / f"{name}.csv"
        write_csv(paths[name], rows)
    names = ("figure4_by_length", "success_by_position")
    user_settings = {"font.size": 20, "svg.hashsalt": "x"}
    for folder, settings in (("first", {}), ("second", user_settings)):
        with rc_context(settings):
            outs = {name: tmp_path / folder / name for name in names}
            draw(("steadfast.benchmarks.lifbench.figures:figures", SETTINGS), paths, {}, outs)
    for name in names:
        for kind in ("pdf", "svg", "png", "txt"):
            first = tmp_path / "first" / f"{name}.{kind}"
            second = tmp_path / "second" / first.name
            assert first.read_bytes() == second.read_bytes(), first.name


@pytest.mark.wide
@needs_cases
def test_captions_of_released_scores_have_the_papers_findings(tmp_path):
    pictures = built(frames_of(released(), tmp_path), Display())
    # Section 5.3: most models decline; Format is steadiest, Recog falls most. Section 5.4: hard
    # tasks degrade more.
    assert "ARS is lower at 128k than at 4k for 20 of 20" in pictures["figure4_by_length"].caption
    caption = pictures["figure5_capabilities_by_length"].caption
    declines = dict(re.findall(r"(\w+) (0\.\d+)", caption.partition("4k to 128k: ")[2]))
    declines = pd.Series(declines).astype(float)
    assert len(declines) == 6
    assert declines.idxmin() == "Format"
    assert declines.idxmax() == "Recog"
    complexity = pictures["figure6_complexity"].caption
    easy, hard = re.search(r"easy (0\.\d+), hard (0\.\d+)", complexity).groups()
    assert float(hard) > float(easy)
