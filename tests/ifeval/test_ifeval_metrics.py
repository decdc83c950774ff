"""Metrics of responses whose verdicts are known by hand."""

import math

import pytest
from frame_values import value
from ifeval_shared import BAD, COMMA, GOOD, LOOSE, PROMPTS, TITLE, number, samples_of, scored

from steadfast.benchmarks.ifeval.metrics import metrics
from steadfast.stats.tidy import SUMMARY, rows_of


def frames_of(response, *, lengths=("4k",), positions=("after",), **settings):
    """The metrics of model m by its responses, a function of part and sample."""
    samples = samples_of(lengths=lengths, positions=positions, **settings)
    return metrics(scored("m", samples, response), {}, None, ["0", *lengths], positions)


def good_below(limit):
    """Responses that are good for the prompts up to this number."""
    return lambda part, sample: GOOD if number(sample) < limit else BAD


def bad_second_framing(limit, response=BAD):
    """Responses that are bad, or absent, to the second framing of the prompts below the limit."""
    return lambda part, s: response if s.prompt["expression_id"] and number(s) < limit else GOOD


def test_published_measures():
    by_number = [GOOD, GOOD, GOOD, LOOSE, BAD, BAD]
    frames = frames_of(lambda part, sample: by_number[number(sample)])
    rows = rows_of(frames["accuracy"], length="0", task="synthetic").set_index("measure")
    # Prompts 0, 1, 2 strictly; 3 loosely, too. Of nine instructions, 1 + 2 + 1 and one of 3.
    expected = {"Score": 3 / 6, "prompt_strict": 3 / 6, "prompt_loose": 4 / 6}
    expected |= {"instruction_strict": 5 / 9, "instruction_loose": 6 / 9}
    assert rows.loc[[*expected], "value"].to_dict() == pytest.approx(expected)
    # Strictly, as the set's score is.
    assert value(frames["kinds"], length="0", category=COMMA["kind"]) == 3 / 6


def test_drop_of_equal_responses_has_an_interval_around_0():
    (row,) = frames_of(good_below(3))["drops"].to_dict("records")
    half = 1 - 0.05 ** (1 / 6)  # six clusters without a difference, one-sided
    assert (row["value"], row["n"]) == (0, 12)
    assert (row["low"], row["high"]) == pytest.approx((-half, half))


def test_rise_is_a_negative_drop():
    response = {"0": good_below(2), "4k": good_below(6)}
    frames = frames_of(lambda part, sample: response[part](part, sample))
    (row,) = frames["drops"].to_dict("records")
    assert row["value"] == pytest.approx(-4 / 6)
    assert row["low"] < row["value"] < row["high"]


def test_drop_is_the_sum_of_the_costs_of_length_and_of_the_text():
    # Of six prompts five hold alone, four after the filler, two after the text.
    limits = {"": 5, "filler": 4, "after": 2}
    frames = frames_of(
        lambda part, s: good_below(limits[s.prompt.get("position", "")])(part, s),
        positions=("after", "filler"),
    )
    at = {"length": "4k", "task": "synthetic"}
    assert value(frames["filler"], measure="length", **at) == pytest.approx(1 / 6)
    assert value(frames["filler"], measure="text", **at) == pytest.approx(2 / 6)
    assert value(frames["drops"], **at) == pytest.approx(3 / 6)
    assert value(frames["accuracy"], measure="Score", length="4k") == pytest.approx(2 / 6)


def test_prompt_is_reliable_if_all_its_responses_hold():
    # At length 0 there is one framing, so no row.
    (row,) = frames_of(bad_second_framing(4))["reliable"].to_dict("records")
    assert (row["length"], row["k"], row["value"]) == ("4k", 2, pytest.approx(2 / 6))


def test_prompt_without_all_responses_is_excluded_from_reliability():
    rows = frames_of(bad_second_framing(1, response=None))["reliable"]
    (row,) = rows_of(rows, length="4k").to_dict("records")
    assert (row["value"], row["n"]) == (1, 5)


def test_stability_over_framing_sentences_and_lengths():
    stability = frames_of(bad_second_framing(3))["stability"].set_index("perspective")["value"]
    # Framing sentences: 1 and .5, whose standard deviation is .3536, over .75. Lengths: 1 and .75.
    expected = {"framing": math.sqrt(0.125) / 0.75, "length": math.sqrt(0.03125) / 0.875}
    assert stability.to_dict() == pytest.approx(expected)


def test_chance_between_framings_rests_on_each_prompt_at_each_length():
    bad_at_8k = bad_second_framing(3)
    frames = frames_of(
        lambda part, s: bad_at_8k(part, s) if part == "8k" else GOOD, lengths=("4k", "8k")
    )
    chance = frames["stability"].set_index("perspective")["chance"]
    # In 3 of 12 pairs the framings differ by 1: Σ d² = 3 · 2 · ¼, between them 2 · 1.5² ÷ 12.
    error = math.sqrt((1.5 - 4.5 / 12) / 11 / 12)
    c4 = {1: 0.7978846, 11: 0.9775594}  # by degrees of freedom
    assert chance["framing"] == pytest.approx(error * c4[1] / c4[11] / (21 / 24))


def test_accuracy_by_kind():
    frames = frames_of(lambda part, sample: "yes" if part == "0" else GOOD)
    rows = rows_of(frames["kinds"], length="0").set_index("category")
    assert rows["value"].to_dict() == {COMMA["kind"]: 1, TITLE["kind"]: 0}
    assert rows["n"].to_dict() == {COMMA["kind"]: 6, TITLE["kind"]: 3}


def test_kinds_are_ordered_by_name():
    end = {"kind": "startend:end_checker", "kwargs": {"end_phrase": "yes"}}
    quotation = {"kind": "startend:quotation", "kwargs": {}}
    record = {**PROMPTS[0], "instructions": [quotation, end, TITLE, COMMA]}
    frames = frames_of(good_below(1), records=[record], lengths=())
    kinds = [TITLE["kind"], COMMA["kind"], end["kind"], quotation["kind"]]
    assert frames["kinds"]["category"].tolist() == kinds


def test_only_the_first_position_counts_in_other_metrics():
    limits = {"before": 0, "after": 6, None: 6}
    frames = frames_of(
        lambda part, s: good_below(limits[s.prompt.get("position")])(part, s),
        positions=("after", "before"),
    )
    assert frames["positions"].set_index("group")["value"].to_dict() == {"after": 1, "before": 0}
    assert value(frames["accuracy"], length="4k", measure="Score") == 1
    (row,) = frames["summary"].to_dict("records")
    assert (row["n"], row["expected"]) == (18, 18)


def test_summary_is_the_mean_over_lengths():
    frames = frames_of(lambda part, s: GOOD if part == "0" else BAD, framing_sentences=4)
    (row,) = frames["summary"].to_dict("records")
    assert {*SUMMARY} <= row.keys()
    assert (row["value"], row["n"], row["expected"]) == (0.5, 30, 30)
    assert row["effective_context_length"] == "0"


def test_summary_is_the_mean_over_sets():
    scores = scored("m", samples_of(), lambda part, s: BAD)
    change = {"task": "ifeval", "context_id": "ifeval/1", "sample_id": "ifeval/1", "total": 1.0}
    scores.append(scores[0]._replace(record={**scores[0].record, **change}))
    frames = metrics(scores, {}, None, ["0", "4k"], ["after"])
    by_set = rows_of(frames["accuracy"], length="0", measure="Score").set_index("task")["value"]
    assert by_set.to_dict() == {"synthetic": 0, "ifeval": 1, "overall": 0.5}
    assert frames["summary"]["value"].tolist() == [0.5]


def test_length_0_alone_has_no_drops_and_no_effective_length():
    frames = frames_of(good_below(6), lengths=())
    assert frames["drops"].empty and frames["stability"].empty
    assert frames["summary"]["effective_context_length"].tolist() == [""]


def test_models_but_references_are_compared_by_the_score():
    samples = samples_of()
    responses = {"m": good_below(6), "gold": good_below(6)}
    responses["n"] = lambda part, s: GOOD if part == "0" else BAD
    scores = []
    for model in ("m", "n", "gold"):
        scores += scored(model, samples, responses[model])
    frames = metrics(scores, {}, None, ["0", "4k"], ["after"], ["gold"])
    (row,) = frames["comparisons"].to_dict("records")
    assert (row["model"], row["other"], row["difference"], row["n"]) == ("m", "n", 0.5, 12)


@pytest.mark.parametrize(
    ("reading", "other"), [("released", "corrected"), ("corrected", "released")]
)
def test_score_has_both_readings(reading, other):
    record = {**PROMPTS[0], "corrected": [TITLE]}
    score = scored("m", samples_of([record]), lambda part, s: "yes", reading)[0].record
    totals = {reading: score["total"], other: score["other_raters"][other]["total"]}
    assert totals == {"released": 1, "corrected": 0}
