"""IFEval's tables and figure, of answers of which it is known by hand what they are worth."""

import pytest
from ifeval_shared import asked, scored
from picture_checks import check, drawn
from test_ifeval_metrics import BAD, GOOD, LOOSE, PROMPTS, number

from steadfast.benchmarks.ifeval.figures import figures
from steadfast.benchmarks.ifeval.metrics import metrics
from steadfast.benchmarks.ifeval.tables import TABLES, IfevalResults, tables
from steadfast.show.effective_context_length import Effective
from steadfast.show.roster import Display, Shown

DISPLAY = Display(models={"m": Shown("M"), "n": Shown("N", "Readers")})
LENGTHS = ["0", "4k", "8k"]
COSTS = ("Length alone", "The text")
POSITIONS = ["after", "before", "filler"]


def first(part, sample):
    """At 4k two of six prompts are followed loosely only; beside 8k none but the first three.

    Before a text of 8k, all are.
    """
    at = number(sample)
    if part == "4k":
        return LOOSE if at < 2 else GOOD
    return BAD if part == "8k" and at > 2 and sample.prompt["position"] == "after" else GOOD


def second(part, sample):
    """Follows four prompts of five, none beside 8k; of prompt 4 there is no answer anywhere."""
    bad = BAD if part == "8k" or number(sample) == 5 else GOOD
    return None if number(sample) == 4 else bad


@pytest.fixture(scope="module")
def frames():
    samples = asked(PROMPTS, lengths=LENGTHS[1:], positions=POSITIONS, framing_sentences=2)
    rows = [*scored("m", samples, first), *scored("n", samples, second)]
    return metrics(rows, {}, None, LENGTHS, POSITIONS)


@pytest.fixture(scope="module")
def made(frames):
    return dict(
        zip(TABLES, tables(frames, DISPLAY, "released", "after", list(TABLES)), strict=True)
    )


def headings(table):
    return [column.full_heading for column in table.columns]


def rows(table):
    return {s.heading: [[cell.text for cell in row] for row in s.rows] for s in table.sections}


def by_model(table):
    """The cells of each model."""
    return {row[0]: row[1:] for of in rows(table).values() for row in of}


def test_accuracy_stands_at_each_length_and_as_its_mean_and_in_the_figure(made, frames):
    lengths = [f"Accuracy at length: {length}" for length in LENGTHS]
    assert headings(made["results"])[:5] == ["Model", *lengths, "Mean"]
    shown = by_model(made["results"])
    assert shown["M"][:4] == ["1.000", "0.667", "0.500", "0.722"]  # 13/18
    assert shown["N"][:4] == ["0.800", "0.800", "0.000", "0.533"]
    found = drawn(lambda: figures(frames, DISPLAY, "released", "after"))["by_length"]
    check(found.figure)
    panel = next(axes for axes in found.figure.axes if axes.axison)
    assert [text.get_text() for text in panel.get_xticklabels()] == LENGTHS
    lines = {line.get_label(): line.get_ydata().tolist() for line in panel.lines}
    assert lines == {"M": pytest.approx([1, 4 / 6, 3 / 6]), "N": pytest.approx([0.8, 0.8, 0])}


def test_the_four_measures_stand_by_length_with_how_many_answers_they_are_of(made):
    at = rows(made["accuracy"])
    assert list(at) == [f"Synthetic, length {length}" for length in LENGTHS]
    # Two prompts are loosely followed; of the two one's title holds strictly, too.
    assert at["Synthetic, length 4k"] == [
        ["By prompt, strict", "12", "0.667", "0.800"],
        ["By instruction, strict", "18", "0.778", "0.750"],
        ["By prompt, loose", "12", "1.000", "0.800"],
        ["By instruction, loose", "18", "1.000", "0.750"],
    ]


def test_what_has_an_interval_stands_by_length_or_by_what_it_is_stable_over(made):
    interval = "95 % interval"
    longer = [f"Length {length}: {of}" for length in LENGTHS[1:] for of in ("Reliable", interval)]
    assert headings(made["reliable"]) == ["Model", *longer]
    assert "prompts all of whose 2 responses follow" in made["reliable"].caption
    by_length = [f"Length {length}: {of}" for length in LENGTHS[1:] for of in ("Drop", interval)]
    assert headings(made["drops"]) == ["Model", *by_length]
    assert by_model(made["drops"])["N"][::2] == ["0.000", "0.800"]
    parts = ("IFS", interval, "Chance level")
    perspectives = [f"{name}: {of}" for name in ("Framing sentence", "Length") for of in parts]
    assert headings(made["stability"]) == ["Model", *perspectives]
    # Of 1, 2/3 and 1/2 the standard deviation is .2546, over 13/18.
    assert by_model(made["stability"])["M"][::3] == ["0.000", "0.353"]


def test_the_effective_length_stands_between_the_start_and_what_is_kept_of_it(made):
    assert headings(made["effective_context_length"]) == [
        "Model",
        "Accuracy by prompt at 0",
        "Effective context length",
        "95 % interval",
        "Retention relative to 0: 4k",
        "Retention relative to 0: 8k",
    ]
    assert by_model(made["effective_context_length"]) == {
        "M": ["1.000", "0", "≥ 0", "0.667", "0.500"],
        "N": ["0.800", "4k", "≥ 0", "1.000", "0.000"],
    }
    told = " ".join(text for _, text in made["effective_context_length"].notes)
    assert "≥: at least this length" in told and "Intervals: from tests" in told


def test_kinds_stand_alone_and_beside_the_longest_text(made):
    title = "detectable_format:title"
    comma = "punctuation:no_comma"
    assert rows(made["kinds"]) == {
        "Synthetic": [
            [f"{title}, 0", "3", "1.000", "0.667"],
            [f"{title}, 8k", "6", "0.333", "0.000"],
            [f"{comma}, 0", "6", "1.000", "0.800"],
            [f"{comma}, 8k", "12", "0.500", "0.000"],
        ]
    }


def test_places_stand_by_length_and_the_notes_name_the_one_of_all_else(made):
    assert rows(made["positions"]) == {
        "Length 4k": [
            ["After the context", "12", "0.667", "0.800"],
            ["Before the context", "12", "0.667", "0.800"],
            ["After a neutral filler", "12", "0.667", "0.800"],
        ],
        "Length 8k": [
            ["After the context", "12", "0.500", "0.000"],
            ["Before the context", "12", "1.000", "0.000"],
            ["After a neutral filler", "12", "1.000", "0.000"],
        ],
    }
    position = "Prompts after the context only."
    assert position in [text for _, text in made["kinds"].notes]
    assert position not in [text for _, text in made["positions"].notes]


def test_what_length_alone_costs_stands_beside_what_the_text_adds(made):
    table = made["filler"]
    headings = [column.heading for column in table.columns]
    values = {
        row[0].text: [
            cell.text for cell, heading in zip(row, headings, strict=True) if heading in COSTS
        ]
        for section in table.sections
        for row in section.rows
    }
    # M: 1 alone; after a filler 2/3 and 1, beside a text 2/3 and 1/2. N: .8 but for .0 at 8k.
    assert values == {
        "M": ["0.333", "0.000", "0.000", "0.500"],
        "N": ["0.000", "0.000", "0.800", "0.000"],
    }


def test_how_many_models_keep_their_score_is_said_of_the_longest_length(frames):
    def said(rows):
        results = IfevalResults(
            {**frames, "effective_context_length": rows}, DISPLAY, "released", "after"
        )
        return Effective(results, "accuracy").kept_by()

    rows = frames["effective_context_length"]
    assert said(rows) == ["0 of 2 models retain 85 % up to 8k."]
    shorter = rows[rows["length"] != "8k"]
    assert said(shorter) == ["1 of 2 models retain 85 % up to 4k."]
    assert said(shorter.assign(value=float("nan"))) == []
