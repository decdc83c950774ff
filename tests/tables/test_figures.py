"""What all figures share: panels, legends and files of equal bytes."""

from itertools import product
from math import pi

import matplotlib
import pandas as pd
import pytest
from matplotlib import style
from matplotlib.figure import Figure
from picture_checks import check, legend_texts

from steadfast.show import figures
from steadfast.show.panels import (
    by_category,
    grid,
    legend,
    legends,
    panel_models,
    pictured_groups,
    rows_of_panels,
)
from steadfast.show.roster import Display, DisplayedModel, Group, Roster

LONG = "An organisation's model with a name of several lines, $dollars_1$ and a date {}"


def plot_lines(axes, label: str, count: int) -> list[str]:
    """Plots so many lines, and returns their labels."""
    labels = [label.format(number) for number in range(count)]
    for number, text in enumerate(labels):
        axes.plot([0, 1], [number, 0], label=text)
    return labels


@pytest.mark.parametrize(
    ("count", "columns", "size", "geometry"),
    [
        (0, 2, (3.3, 2.3), (1, 1)),
        (1, 2, (3.3, 2.3), (1, 1)),
        (2, 2, (7.0, 2.3), (1, 2)),
        (3, 2, (7.0, 4.3), (2, 2)),
        (4, 3, (7.0, 4.3), (2, 2)),
    ],
)
def test_panels_fill_a_page_or_one_of_its_columns(count, columns, size, geometry):
    figure, panels = grid(count, 2.0, columns, "Length")
    assert tuple(figure.get_size_inches()) == pytest.approx(size)
    assert panels[0].get_gridspec().get_geometry() == geometry
    assert figure.axes == panels and len(panels) == max(count, 1)


@pytest.mark.parametrize(
    ("models", "categories", "height"),
    [(0, 0, 5 * 0.15), (2, 2, 5 * 0.2), (2, 7, 7 * 0.2), (20, 12, 8.0)],
)
def test_categories_are_lines_with_the_marks_of_the_models(models, categories, height):
    names = [f"m{n}" for n in range(models)]
    labels = {f"c{n}": f"C{n}" for n in range(categories)}
    rows = pd.DataFrame(product(names, labels), columns=["model", "category"])
    rows = rows.assign(value=[number / 1000 for number in range(len(rows))], low=None, high=None)
    figure = by_category(Roster(names, Display()), names, rows, labels, "Mean")
    (axes,) = figure.axes
    legend_height = sum(key.get_window_extent().height / figure.dpi + 0.1 for key in figure.legends)
    assert figure.get_figheight() == pytest.approx(0.6 + height + legend_height)
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 1.02), (max(1, categories) - 0.5, -0.5))
    assert [text.get_text() for text in axes.get_yticklabels()] == list(labels.values())
    for number, line in enumerate(axes.lines[:models]):
        place = (number - (models - 1) / 2) * 0.75 / models
        assert list(line.get_ydata()) == pytest.approx([n + place for n in range(categories)])
        values = rows["value"][number * categories : (number + 1) * categories]
        assert list(line.get_xdata()) == list(values)
    rules = [list(line.get_ydata()) for line in axes.lines[models:]]
    assert rules == [[n + 0.5, n + 0.5] for n in range(categories - 1)]


@pytest.mark.quick(2)
@pytest.mark.parametrize("label", ["m{}", LONG], ids=["short", "long"])
@pytest.mark.parametrize("count", [1, 8, 20])
def test_legend_has_all_names_and_covers_nothing(count, label):
    with style.context(["default", figures.STYLE]):
        figure, panels = grid(3, 2.0, 2, "Length")
        for axes in panels:
            labels = plot_lines(axes, label, count)
        legend(figure, panels[0])
        figure.draw_without_rendering()
    check(figure)
    assert legend_texts(figure) == labels
    (key,) = figure.legends
    columns = {round(text.get_window_extent().x0) for text in key.get_texts()}
    assert len(columns) == min(count, 6) or label == LONG


def test_lowest_panel_of_each_column_has_labels_of_its_axis():
    _, panels = grid(3, 2.0, 2, "Length", sharex=True)
    labelled = [axes.xaxis.get_tick_params()["labelbottom"] for axes in panels]
    assert labelled == [False, True, True]
    assert [axes.get_xlabel() for axes in panels] == ["", "", "Length"]


def test_each_row_of_panels_has_a_place_for_a_legend_below():
    figure, columns, keys = rows_of_panels(2, 1.5, 3)
    assert tuple(figure.get_size_inches()) == (7.0, 3.0)
    for number, panels in enumerate(columns):
        places = [panel.get_subplotspec() for panel in panels]
        assert [(place.rowspan.start, place.colspan.start) for place in places] == [
            (0, number), (2, number)
        ]  # fmt: skip
    assert [key.get_subplotspec().rowspan.start for key in keys] == [1, 3]
    assert {len(key.get_subplotspec().colspan) for key in keys} == {3}
    assert list(keys[0].get_gridspec().get_height_ratios()) == [1, 0.01, 1, 0.01]


def test_row_is_as_high_as_the_lines_of_its_label():
    heights = [figures.row_height(labels) for labels in (["a", "b\nc"], ["a"], [])]
    assert heights == pytest.approx([0.3, 0.18, 0.18])


def test_legends_below_panels_cover_nothing():
    with style.context(["default", figures.STYLE]):
        figure, [panels], keys = rows_of_panels(2, 2.0, 1)
        plot_lines(panels[0], "m{}", 6)
        plot_lines(panels[1], LONG, 6)
        legends(figure, panels, keys)
        figure.draw_without_rendering()
    check(figure)
    assert len(legend_texts(figure)) == 12


def test_neighbouring_marks_are_centred():
    assert [figures.dodge_offset(number, 3, 0.3) for number in range(3)] == pytest.approx(
        [-0.1, 0, 0.1]
    )
    assert figures.dodge_offset(0, 1, 0.3) == 0


def test_points_have_their_intervals():
    columns = {"value": [0.5, 0.7, 0.9], "low": [0.4, None, 0.8], "high": [0.6, None, 1.0]}
    axes = Figure().subplots()
    figures.draw_points(axes, [0, 1, 2], pd.DataFrame(columns), color="black")
    (intervals,) = axes.collections
    ends = [segment.tolist() for segment in intervals.get_segments()]
    assert ends == [[[0, 0.4], [0, 0.6]], [[2, 0.8], [2, 1.0]]]
    assert list(axes.lines[0].get_ydata()) == [0.5, 0.7, 0.9]


def test_large_group_is_split_into_panels():
    names = [f"m{n:02d}" for n in range(21)]
    panels = panel_models([Group("G", tuple(names), "model")])
    assert panels == [("G", names[:7]), ("G", names[7:14]), ("G", names[14:])]


def test_small_groups_share_a_panel():
    groups = [Group("G", tuple(names), "model") for names in ("abcd", "efghij", "k")]
    assert panel_models(groups[:2]) == [("", list("abcdefghij"))]
    assert panel_models(groups) == [("G; G", list("abcdefghij")), ("G", ["k"])]


@pytest.mark.parametrize(("simulated", "shown"), [(1, 1), (14, 12)])
def test_figure_shows_the_best_of_many_models_with_a_note(simulated, shown):
    names = [f"m{n:02d}" for n in range(30)]
    others = [f"sim-{n:02d}" for n in range(simulated)]
    roster = Roster([*names, *others], Display())
    groups, [(_, note)] = pictured_groups(roster, {name: float(name[1:]) for name in names})
    models = [model for group in groups for model in group.models]
    assert models == [*names[: 5 + shown : -1], *others[:shown]]
    assert note.startswith(f"24 of {30 + simulated} models are shown")
    assert pictured_groups(Roster(names[:24], Display()), {})[1] == []


def test_radar_has_each_value_on_its_spoke():
    rows = pd.DataFrame({"model": "m", "spoke": list("abc"), "value": [0.2, 0.4, 0.6]})
    rows = rows.assign(low=None, high=None)
    axes = Figure().subplots(subplot_kw={"projection": "polar"})
    roster = Roster(["m", "n"], Display(models={"m": DisplayedModel("M")}))
    spokes = {"a": "A", "b": "B", "c": "C"}
    figures.draw_radar(axes, rows, spokes, ["m"], roster, (0.5, 1.0))
    assert list(axes.lines[0].get_ydata()) == [0.2, 0.4, 0.6, 0.2]
    assert list(axes.lines[0].get_xdata()) == pytest.approx([0, 2 * pi / 3, 4 * pi / 3, 0])
    assert [text.get_text() for text in axes.get_xticklabels()] == list("ABC")
    # From the top on clockwise; a name stands outside of the circle.
    assert (axes.get_theta_offset(), axes.get_theta_direction()) == (pi / 2, -1)
    alignment = [text.get_horizontalalignment() for text in axes.get_xticklabels()]
    assert alignment == ["center", "left", "right"]
    assert (axes.get_ylim(), list(axes.get_yticks())) == ((0, 1), [0.5, 1])
    assert axes.get_rlabel_position() == pytest.approx(60)
    others = rows.assign(model="n", value=[0.3, 1.1, -0.1], low=[0.2, 1.0, -0.2], high=1.2)
    axes.clear()
    figures.draw_radar(axes, pd.concat([rows, others]), spokes, ["m", "n"], roster, (0.5, 1.0))
    assert [line.get_xdata()[0] for line in axes.lines] == pytest.approx([-0.03, 0.03])
    assert axes.get_ylim() == (-0.2, 1.2)


def write_line_picture(path) -> None:
    with style.context(["default", figures.STYLE]):
        figure = Figure(layout="constrained")
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], label="$m$", **figures.model_style(Roster(["m"], Display()), "m"))
        legend(figure, axes)
        notes = [(None, "That is all.")]
        axes.set_xlabel("x")
        figures.write_picture(figures.picture(figure, "A line\n  from 0 to 1.", notes), path)
    # A label is below the middle of its axis; an empty one is put aside.
    assert axes.xaxis.label.get_position()[0] == 0.5
    assert axes.yaxis.label.get_position() == (0, 0)


def test_picture_of_a_trial_says_so_in_figure_and_caption():
    made = figures.picture(Figure(), "A line.")
    assert figures.in_trial(made, Display()) == made and not made.figure.texts
    trial = figures.in_trial(made, Display(limit=2))
    (text,) = trial.figure.texts
    assert text.get_position() == (0.005, 0.005) and "2" in text.get_text()
    assert trial.caption == f"{Display(limit=2).trial} A line."


def test_equal_pictures_are_equal_files_without_dates_or_versions(tmp_path):
    write_line_picture(tmp_path / "first/a.b")
    write_line_picture(tmp_path / "second/a.b")
    for kind in ("pdf", "svg", "png", "txt"):
        content = (tmp_path / f"first/a.b.{kind}").read_bytes()
        assert content == (tmp_path / f"second/a.b.{kind}").read_bytes()
        for word in ("CreationDate", "<dc:date>", f"v{matplotlib.__version__}", "Software"):
            assert word.encode() not in content, (kind, word)
    assert int.from_bytes((tmp_path / "first/a.b.png").read_bytes()[16:20]) == 6.4 * 200
    assert (tmp_path / "first/a.b.txt").read_text() == "A line from 0 to 1. That is all.\n"
