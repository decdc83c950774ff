"""IFEval's metrics, on answers of which it is known by hand what they are worth."""

import math

import pytest
from frame_values import value
from ifeval_shared import asked, scored

from steadfast.benchmarks.ifeval.metrics import metrics
from steadfast.stats.tidy import SUMMARY, rows_of

COMMA = {"kind": "punctuation:no_comma", "kwargs": {}}
TITLE = {"kind": "detectable_format:title", "kwargs": {}}
GOOD = "<<One>>\nyes"
BAD = "a, b"
LOOSE = "a, b\n<<One>>"
"""Follows both kinds, none; and loosely each of them, in different variants."""
PROMPTS = [
    {
        "prompt_id": f"synthetic/{n}",
        "set": "synthetic",
        "prompt": "Say it.",
        "instructions": [COMMA, TITLE] if n % 2 else [COMMA],
    }
    for n in range(6)
]


def number(sample):
    return int(sample.prompt["context_id"].rpartition("/")[2])


def found(answer, *, records=PROMPTS, lengths=("4k",), positions=("after",), **more):
    """The metrics of one model, m, by its answers, a function of part and sample."""
    samples = asked(records, lengths=lengths, positions=positions, **more)
    rows = list(scored("m", samples, answer))
    return metrics(rows, {}, None, ["0", *lengths], positions)


def test_the_four_published_measures():
    frames = found(lambda part, s: GOOD if number(s) < 3 else LOOSE if number(s) == 3 else BAD)
    at = {"length": "0", "task": "synthetic"}
    measured = {
        measure: value(frames["accuracy"], measure=measure, **at)
        for measure in ("Score", "prompt_strict", "prompt_loose", "instruction_strict")
    }
    # Prompts 0, 1, 2 strictly; 3 loosely, too. Of nine instructions, 1 + 2 + 1 and one of 3.
    assert measured == pytest.approx(
        {"Score": 3 / 6, "prompt_strict": 3 / 6, "prompt_loose": 4 / 6, "instruction_strict": 5 / 9}
    )
    assert value(frames["accuracy"], measure="instruction_loose", **at) == pytest.approx(6 / 9)


def test_a_drop_is_paired_by_prompt_and_a_rise_is_a_drop_below_0():
    """Where every prompt answers alike at both lengths, all differences agree, whatever it is."""
    frames = found(lambda part, s: GOOD if number(s) < 3 else BAD)
    (row,) = frames["drops"].to_dict("records")
    agreed = 1 - 0.05 ** (1 / 6)  # of six clusters, one-sided
    assert (row["value"], row["n"]) == (0, 12)
    assert (row["low"], row["high"]) == pytest.approx((-agreed, agreed))
    # a rise
    frames = found(lambda part, s: GOOD if part != "0" or number(s) < 2 else BAD)
    (row,) = frames["drops"].to_dict("records")
    assert row["value"] == pytest.approx(-4 / 6)
    assert row["low"] < row["value"] < row["high"]


def test_what_length_costs_and_what_the_text_adds_make_up_the_drop():
    # Of six prompts five hold alone, four after the filler, two after the text.
    hold = {"": 5, "filler": 4, "after": 2}
    frames = found(
        lambda part, s: GOOD if number(s) < hold[s.prompt.get("position", "")] else BAD,
        positions=("after", "filler"),
    )
    costs = {
        cost: value(frames["filler"], length="4k", task="synthetic", measure=cost)
        for cost in ("length", "text")
    }
    assert costs == pytest.approx({"length": 1 / 6, "text": 2 / 6})
    assert value(frames["drops"], length="4k", task="synthetic") == pytest.approx(3 / 6)
    assert value(frames["accuracy"], measure="Score", length="4k") == pytest.approx(2 / 6)


def test_a_prompt_is_reliable_where_all_its_wordings_are_answered_and_hold():
    frames = found(
        lambda part, s: BAD if s.prompt["expression_id"] and number(s) < 4 else GOOD,
        framing_sentences=2,
    )
    # At length 0 there is one framing: one answer holds more easily than two.
    (row,) = frames["reliable"].to_dict("records")
    assert (row["length"], row["k"], row["value"]) == ("4k", 2, pytest.approx(2 / 6))
    # a prompt that lacks an answer is reliable for nobody
    frames = found(
        lambda part, s: None if s.prompt["expression_id"] and number(s) == 0 else GOOD,
        framing_sentences=2,
    )
    (row,) = rows_of(frames["reliable"], length="4k").to_dict("records")
    assert (row["value"], row["n"]) == (1, 5)


def test_stability_between_wordings_and_lengths():
    frames = found(
        lambda part, s: BAD if s.prompt["expression_id"] and number(s) < 3 else GOOD,
        framing_sentences=2,
    )
    # Framing sentences: 1 and .5, whose standard deviation is .3536, over .75. Lengths: 1 and .75.
    spread = frames["stability"].set_index("perspective")["value"].to_dict()
    assert spread == pytest.approx(
        {"framing": math.sqrt(0.125) / 0.75, "length": math.sqrt(0.03125) / 0.875}
    )


def test_accuracy_by_kind_in_order_of_their_names():
    frames = found(lambda part, s: "yes" if part == "0" else GOOD)
    at = rows_of(frames["kinds"], length="0").set_index("category")
    assert at["value"].to_dict() == {COMMA["kind"]: 1, TITLE["kind"]: 0}
    assert at["n"].to_dict() == {COMMA["kind"]: 6, TITLE["kind"]: 3}
    ends = {"kind": "startend:end_checker", "kwargs": {"end_phrase": "yes"}}
    asks = [{"kind": "startend:quotation", "kwargs": {}}, ends, TITLE, COMMA]
    record = {**PROMPTS[0], "instructions": asks}
    frames = found(lambda part, s: GOOD, records=[record], lengths=())
    assert frames["kinds"]["category"].tolist() == [
        "detectable_format:title",
        "punctuation:no_comma",
        "startend:end_checker",
        "startend:quotation",
    ]


def test_places_are_apart_and_all_else_is_of_the_first():
    frames = found(
        lambda part, s: BAD if s.prompt.get("position") == "before" else GOOD,
        positions=("after", "before"),
    )
    assert frames["positions"].set_index("group")["value"].to_dict() == {"after": 1, "before": 0}
    assert value(frames["accuracy"], length="4k", measure="Score") == 1
    (row,) = frames["summary"].to_dict("records")
    assert (row["n"], row["expected"]) == (18, 18)


def test_the_summary_is_the_mean_over_sets_and_lengths():
    frames = found(lambda part, s: GOOD if part == "0" else BAD, framing_sentences=4)
    (row,) = frames["summary"].to_dict("records")
    assert {*SUMMARY} <= row.keys()
    assert (row["value"], row["n"], row["expected"]) == (0.5, 30, 30)
    assert row["effective_context_length"] == "0"
    first, *rest = scored("m", asked(PROMPTS), lambda part, s: BAD)
    other = {"task": "ifeval", "context_id": "ifeval/1", "sample_id": "ifeval/1", "total": 1.0}
    row = first._replace(record={**first.record, **other})
    frames = metrics([first, *rest, row], {}, None, ["0", "4k"], ["after"])
    at = rows_of(frames["accuracy"], length="0", measure="Score").set_index("task")["value"]
    assert at.to_dict() == {"synthetic": 0, "ifeval": 1, "overall": 0.5}
    assert frames["summary"]["value"].tolist() == [0.5]
    frames = found(lambda part, s: GOOD, lengths=())
    assert frames["drops"].empty and frames["stability"].empty
    assert frames["summary"]["effective_context_length"].tolist() == [""]


def test_models_are_compared_by_the_headline():
    samples = asked(PROMPTS)
    rows = [
        *scored("m", samples, lambda part, s: GOOD),
        *scored("n", samples, lambda part, s: GOOD if part == "0" else BAD),
        *scored("gold", samples, lambda part, s: GOOD),
    ]
    frames = metrics(rows, {}, None, ["0", "4k"], ["after"], ["gold"])
    (row,) = frames["comparisons"].to_dict("records")
    assert (row["model"], row["other"], row["difference"], row["n"]) == ("m", "n", 0.5, 12)


@pytest.mark.parametrize("reading", ["released", "corrected"])
def test_both_readings_stand_in_the_scores(reading):
    record = {**PROMPTS[0], "corrected": [TITLE]}
    (row, *_) = scored("m", asked([record]), lambda part, s: "yes", reading)
    other = {"released": "corrected", "corrected": "released"}[reading]
    totals = {reading: row.record["total"], other: row.record["other_raters"][other]["total"]}
    assert totals == {"released": 1, "corrected": 0}
