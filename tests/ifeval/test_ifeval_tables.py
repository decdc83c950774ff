"""Tables and figure of responses whose verdicts are known by hand."""

from itertools import chain

import pandas as pd
import pytest
from ifeval_shared import BAD, GOOD, LOOSE, number, samples_of, scored
from picture_checks import check, with_layout

from steadfast.benchmarks.ifeval.figures import figures
from steadfast.benchmarks.ifeval.metrics import metrics
from steadfast.benchmarks.ifeval.tables import TABLES, IfevalResults, tables
from steadfast.show.effective_context_length import Effective
from steadfast.show.roster import Display, DisplayedModel

DISPLAY = Display(models={"m": DisplayedModel("M"), "n": DisplayedModel("N", "Readers")})
LENGTHS = ["0", "4k", "16k"]
POSITIONS = ["after", "filler", "before"]


def response_of_m(part, sample):
    """Loose for two of six prompts at 4k; after 16k good for three; good elsewhere."""
    if part == "4k":
        return LOOSE if number(sample) < 2 else GOOD
    after_16k = part == "16k" and sample.prompt["position"] == "after"
    return BAD if after_16k and number(sample) > 2 else GOOD


def response_of_n(part, sample):
    """Good for four of five prompts but at 16k; none to prompt 4."""
    if number(sample) == 4:
        return None
    return BAD if part == "16k" or number(sample) == 5 else GOOD


@pytest.fixture(scope="module")
def frames():
    samples = samples_of(lengths=LENGTHS[1:], positions=POSITIONS)
    scores = scored("m", samples, response_of_m) + scored("n", samples, response_of_n)
    return metrics(scores, {}, None, LENGTHS, POSITIONS)


@pytest.fixture(scope="module")
def by_name(frames):
    built = tables(frames, DISPLAY, "released", "after", list(TABLES))
    return dict(zip(TABLES, built, strict=True))


def headings(table):
    return [column.full_heading for column in table.columns]


def rows(table):
    """The rows' texts by heading of their section."""
    by_heading = {section.heading: [] for section in table.sections}
    for section in table.sections:
        for row in section.rows:
            by_heading[section.heading].append([cell.text for cell in row])
    return by_heading


def by_model(table):
    """The cells of each model."""
    all_rows = chain.from_iterable(rows(table).values())
    return {model: cells for model, *cells in all_rows}


def notes(table):
    return [text for _, text in table.notes]


def test_accuracy_is_shown_by_length_with_its_mean(by_name):
    expected = [f"Accuracy at length: {length}" for length in LENGTHS]
    assert headings(by_name["results"])[:5] == ["Model", *expected, "Mean"]
    cells = by_model(by_name["results"])
    assert cells["M"][:4] == ["1.000", "0.667", "0.500", "0.722"]  # 13/18
    assert cells["N"][:4] == ["0.800", "0.800", "0.000", "0.533"]


def test_figure_shows_accuracy_by_length(frames):
    figure = with_layout(lambda: figures(frames, DISPLAY, "released", "after"))["by_length"].figure
    check(figure)
    panel = next(axes for axes in figure.axes if axes.axison)
    assert [text.get_text() for text in panel.get_xticklabels()] == LENGTHS
    assert panel.get_ylim() == (0, 1.02)
    lines = {line.get_label(): line.get_ydata().tolist() for line in panel.lines}
    assert lines == {"M": pytest.approx([1, 4 / 6, 3 / 6]), "N": pytest.approx([0.8, 0.8, 0])}


def test_published_measures_are_shown_by_length_with_counts(by_name):
    sections = rows(by_name["accuracy"])
    assert list(sections) == [f"Synthetic, length {length}" for length in LENGTHS]
    # Two prompts are followed loosely; one of their titles holds strictly, too.
    assert sections["Synthetic, length 4k"] == [
        ["By prompt, strict", "12", "0.667", "0.800"],
        ["By instruction, strict", "18", "0.778", "0.750"],
        ["By prompt, loose", "12", "1.000", "0.800"],
        ["By instruction, loose", "18", "1.000", "0.750"],
    ]


def test_reliability_drops_and_stability_have_intervals(by_name):
    interval = "95 % interval"
    for name, heading in (("reliable", "Reliable"), ("drops", "Drop")):
        at_4k = [f"Length 4k: {heading}", f"Length 4k: {interval}"]
        at_16k = [f"Length 16k: {heading}", f"Length 16k: {interval}"]
        assert headings(by_name[name]) == ["Model", *at_4k, *at_16k]
    assert "prompts all of whose 2 responses follow" in by_name["reliable"].caption
    assert by_model(by_name["drops"])["N"][::2] == ["0.000", "0.800"]
    columns = ("IFS", interval, "Chance level")
    by_framing = [f"Framing sentence: {column}" for column in columns]
    by_length = [f"Length: {column}" for column in columns]
    assert headings(by_name["stability"]) == ["Model", *by_framing, *by_length]
    # Of 1, 2/3 and 1/2 the standard deviation is .2546, over 13/18.
    assert by_model(by_name["stability"])["M"][::3] == ["0.000", "0.353"]


def test_effective_length_is_shown_with_retention(by_name):
    table = by_name["effective_context_length"]
    assert headings(table) == [
        "Model",
        "Accuracy by prompt at 0",
        "Effective context length",
        "95 % interval",
        "Retention relative to 0: 4k",
        "Retention relative to 0: 16k",
    ]
    assert by_model(table) == {
        "M": ["1.000", "0", "≥ 0", "0.667", "0.500"],
        "N": ["0.800", "4k", "≥ 0", "1.000", "0.000"],
    }
    text = " ".join(notes(table))
    assert "≥: at least this length" in text and "Intervals: from tests" in text


def test_kinds_are_shown_without_context_and_at_the_longest(by_name):
    assert rows(by_name["kinds"]) == {
        "Synthetic": [
            ["detectable_format:title, 0", "3", "1.000", "0.667"],
            ["detectable_format:title, 16k", "6", "0.333", "0.000"],
            ["punctuation:no_comma, 0", "6", "1.000", "0.800"],
            ["punctuation:no_comma, 16k", "12", "0.500", "0.000"],
        ]
    }


def test_positions_are_shown_by_length_and_other_tables_note_theirs(by_name):
    assert rows(by_name["positions"]) == {
        "Length 4k": [
            ["After the context", "12", "0.667", "0.800"],
            ["After a neutral filler", "12", "0.667", "0.800"],
            ["Before the context", "12", "0.667", "0.800"],
        ],
        "Length 16k": [
            ["After the context", "12", "0.500", "0.000"],
            ["After a neutral filler", "12", "1.000", "0.000"],
            ["Before the context", "12", "1.000", "0.000"],
        ],
    }
    position = "Prompts after the context only."
    assert position in notes(by_name["kinds"])
    assert position not in notes(by_name["positions"])


def test_costs_of_length_and_of_the_text_are_shown(by_name):
    table = by_name["filler"]
    rows = pd.DataFrame(by_model(table), index=[column.heading for column in table.columns[1:]])
    # M: 1 alone; after a filler 2/3 and 1, after a text 2/3 and 1/2. N: .8 but for .0 at 16k.
    assert rows.loc["Length alone"].to_dict("list") == {
        "M": ["0.333", "0.000"],
        "N": ["0.000", "0.800"],
    }
    assert rows.loc["The text"].to_dict("list") == {
        "M": ["0.000", "0.500"],
        "N": ["0.000", "0.000"],
    }


def test_models_with_retention_are_counted_at_the_longest_length(frames):
    rows = frames["effective_context_length"]
    up_to_4k = rows[rows["length"] != "16k"]
    for lengths, expected in (
        (rows, ["0 of 2 models retain 85 % up to 16k."]),
        (up_to_4k, ["1 of 2 models retain 85 % up to 4k."]),
        (up_to_4k.assign(value=float("nan")), []),
    ):
        metric_frames = {**frames, "effective_context_length": lengths}
        results = IfevalResults(metric_frames, DISPLAY, "released", "after")
        assert Effective(results, "accuracy").retention_notes() == expected
