"""What all figures share: panels, legends and files of equal bytes."""

import matplotlib
import pandas as pd
import pytest
from matplotlib import style
from matplotlib.figure import Figure
from picture_checks import check, legend_texts

from steadfast.show import figures
from steadfast.show.panels import (
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


def test_lowest_panel_of_each_column_has_labels_of_its_axis():
    _, panels = grid(3, 2.0, 2, "Length", sharex=True)
    labelled = [axes.xaxis.get_tick_params()["labelbottom"] for axes in panels]
    assert labelled == [False, True, True]
    assert [axes.get_xlabel() for axes in panels] == ["", "", "Length"]


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


def test_figure_shows_the_best_of_many_models_with_a_note():
    names = [f"m{n:02d}" for n in range(30)]
    roster = Roster([*names, "sim-a"], Display())
    groups, [(_, note)] = pictured_groups(roster, {name: float(name[1:]) for name in names})
    assert [model for group in groups for model in group.models] == [*names[:6:-1], "sim-a"]
    assert note.startswith("24 of 31 models are shown")
    assert pictured_groups(Roster(names[:24], Display()), {})[1] == []


def test_radar_has_each_value_on_its_spoke():
    rows = pd.DataFrame({"model": "m", "spoke": list("abc"), "value": [0.2, 0.4, 0.6]})
    rows = rows.assign(low=None, high=None)
    axes = Figure().subplots(subplot_kw={"projection": "polar"})
    roster = Roster(["m"], Display(models={"m": DisplayedModel("M")}))
    figures.draw_radar(axes, rows, {"a": "A", "b": "B", "c": "C"}, ["m"], roster, (0.5, 1.0))
    assert list(axes.lines[0].get_ydata()) == [0.2, 0.4, 0.6, 0.2]
    assert [text.get_text() for text in axes.get_xticklabels()] == list("ABC")
    assert axes.get_ylim() == (0, 1)


def write_line_picture(path) -> None:
    with style.context(["default", figures.STYLE]):
        figure = Figure(layout="constrained")
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], label="$m$", **figures.model_style(Roster(["m"], Display()), "m"))
        legend(figure, axes)
        notes = [(None, "That is all.")]
        figures.write_picture(figures.picture(figure, "A line\n  from 0 to 1.", notes), path)


def test_equal_pictures_are_equal_files_without_dates_or_versions(tmp_path):
    write_line_picture(tmp_path / "first/a.b")
    write_line_picture(tmp_path / "second/a.b")
    for kind in ("pdf", "svg", "png", "txt"):
        content = (tmp_path / f"first/a.b.{kind}").read_bytes()
        assert content == (tmp_path / f"second/a.b.{kind}").read_bytes()
        for word in ("CreationDate", "<dc:date>", f"v{matplotlib.__version__}", "Software"):
            assert word.encode() not in content, (kind, word)
    assert (tmp_path / "first/a.b.txt").read_text() == "A line from 0 to 1. That is all.\n"
