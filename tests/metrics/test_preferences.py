"""Which of two answers is better: by totals, by people, and how well the two agree."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.contract.components import Labels, Scored
from steadfast.stats.agreement import verdict_agreement
from steadfast.stats.preferences import preferences, read_preferences

TOTALS = {
    "a": [1.0, 0.5, 0.5, 0.0, None, 1.0],
    "b": [0.5, 0.5, 1.0, 0.0, 1.0, 0.0],
    "c": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
}


def scored(model, place, total, judge="j", **more) -> Scored:
    record = {"sample_id": f"s{place}", "draw": 0, "context_id": f"c{place}", "judge": judge}
    return Scored(model, "zh", record | {"total": total, "other_raters": {}} | more)


def scores(totals=TOTALS) -> list[Scored]:
    return [
        scored(model, place, total)
        for model, its in totals.items()
        for place, total in enumerate(its)
    ]


def label(model, other, place, word, **more) -> dict:
    return {"model": model, "other": other, "sample_id": f"s{place}", "preference": word} | more


def labels(*records) -> Labels:
    return Labels("people.jsonl", records)


def row(found: pd.DataFrame, model="", other="", judge="j") -> dict:
    keys = (found["judge"] == judge) & (found["model"] == model) & (found["other"] == other)
    (only,) = found[keys].to_dict("records")
    return only


def test_each_pair_is_counted_once_and_a_sample_without_a_total_in_no_count():
    found = preferences(scores(), ["j"], None)
    assert list(zip(found["model"], found["other"], strict=True)) == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
        ("", ""),
    ]
    counts = ["win", "tie", "lose", "n", "expected", "labelled"]
    assert [row(found, "a", "b")[name] for name in counts] == [2, 2, 1, 5, 6, 0]
    assert [row(found, "a", "c")[name] for name in counts] == [0, 2, 3, 5, 6, 0]
    assert [row(found)[name] for name in counts] == [2, 6, 8, 16, 18, 0]
    assert math.isnan(row(found, "a", "b")["raw"]) and math.isnan(row(found)["kappa"])


def test_the_gold_answer_is_no_model_to_compare():
    found = preferences(scores(), ["j"], labels(label("a", "c", 0, "tie")), references=["c"])
    assert set(found["model"]) == {"a", ""} and row(found)["labelled"] == 0


def test_later_draws_do_not_count():
    more = [scored("a", 0, 0.0, draw=1), scored("b", 0, 1.0, draw=1)]
    pd.testing.assert_frame_equal(
        preferences(scores() + more, ["j"], None), preferences(scores(), ["j"], None)
    )


def test_each_judge_compares_by_its_own_totals():
    other = {"k": {"total": 0.0}}
    given = [scored("a", 0, 1.0, other_raters=other), scored("b", 0, 0.5, other_raters=other)]
    found = preferences(given, ["j", "k"], None)
    assert row(found, "a", "b")["win"] == 1
    assert row(found, "a", "b", "k")["tie"] == 1


def test_agreement_with_people_is_that_of_the_words():
    """By totals a against b: win, tie, lose, tie, none, win."""
    said = ["win", "lose", "lose", "tie", "win", "tie"]
    people = labels(*(label("a", "b", place, word) for place, word in enumerate(said)))
    found = row(preferences(scores(), ["j"], people), "a", "b")
    assert (found["labelled"], found["human_win"], found["human_tie"], found["human_lose"]) == (
        5,
        1,
        2,
        2,
    )
    want = verdict_agreement(["win", "tie", "lose", "tie", "win"], [*said[:4], said[5]])
    assert found["raw"] == pytest.approx(3 / 5)
    assert found["kappa"] == pytest.approx(want["kappa"])
    assert found["kappa_low"] <= found["kappa"] <= found["kappa_high"]


def test_who_is_named_first_makes_no_difference():
    one = preferences(scores(), ["j"], labels(label("a", "b", 0, "win"), label("b", "c", 1, "tie")))
    two = preferences(
        scores(), ["j"], labels(label("b", "a", 0, "lose"), label("c", "b", 1, "tie"))
    )
    pd.testing.assert_frame_equal(one, two)


def test_of_several_people_counts_what_more_of_them_prefer():
    people = [
        *(
            label("a", "b", 0, word, rater=rater)
            for rater, word in zip("xyz", ("win", "win", "tie"), strict=True)
        ),
        *(
            label("a", "b", 1, word, rater=rater)
            for rater, word in zip("xy", ("win", "lose"), strict=True)
        ),
        label("a", "b", 2, "win", rater="x"),
    ]
    found = row(preferences(scores(), ["j"], labels(*people)), "a", "b")
    assert (found["labelled"], found["human_win"], found["raw"]) == (1, 1, 1.0)


@given(
    st.lists(st.tuples(*[st.none() | st.sampled_from([0.0, 0.5, 1.0])] * 2), min_size=1),
    st.data(),
)
def test_whatever_the_totals_wins_ties_and_losses_are_all(totals, data):
    words = st.sampled_from(["win", "tie", "lose"])
    people = [label("a", "b", place, data.draw(words)) for place in range(len(totals))]
    columns = dict(zip("ab", zip(*totals, strict=True), strict=True))
    found = row(preferences(scores(columns), ["j"], labels(*people)), "a", "b")
    both = [pair for pair in totals if None not in pair]
    assert found["win"] + found["tie"] + found["lose"] == found["n"] == len(both)
    assert found["labelled"] == found["n"] and found["expected"] == len(totals)
    assert found["win"] == sum(first > second for first, second in both)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (label("a", "b", 0, "better"), r"record 1: the preference is 'better'; write one of win"),
        (label("a", "a", 0, "tie"), "are both 'a'"),
        (label("a", "b", 9, "tie"), "unknown sample_id 's9'"),
        (label("a", "b", 0, "tie", verdicts=["yes"]), "make two records of it"),
        (label("a", 3, 0, "tie"), "'other' must be a text"),
        (label("a", "b", 0, "tie", rater=""), "'rater' must be a text"),
        (label("a", "b", 0, ["win"]), r"the preference is \['win'\]"),
        (label("a", "z", 0, "tie"), "no preference is between models that run, as 'z' does not"),
    ],
)
def test_what_is_wrong_with_a_preference_is_named(record, message):
    with pytest.raises(UserError, match=f"people.jsonl.*{message}"):
        read_preferences(labels(record), scores())


def test_where_a_part_is_asked_preferences_may_be_of_more():
    records = [label("a", "b", 9, "tie"), label("a", "b", 1, "tie")]
    (found,) = read_preferences(labels(*records)._replace(of_more=True), scores()).values()
    assert len(found) == 1


def test_a_comparison_stands_once_whichever_model_is_named_first():
    with pytest.raises(UserError, match="record 2 is the second of rater 'human'"):
        read_preferences(labels(label("a", "b", 0, "win"), label("b", "a", 0, "lose")), scores())


def test_preferences_between_absent_models_are_passed_over_beside_verdicts():
    verdicts = {"model": "a", "sample_id": "s0", "verdicts": ["yes"]}
    assert read_preferences(labels(verdicts, label("x", "y", 0, "win")), scores()) == {}
