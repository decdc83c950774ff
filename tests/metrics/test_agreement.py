"""Agreement of raters, worked by hand, and label files that people write."""

import math
from fractions import Fraction
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.contract.components import Labels, Scored
from steadfast.stats import agreement
from steadfast.stats.raters import HUMAN, judge_verdicts, numbered_points, read_labels


def test_categorical_kappa_by_hand_and_of_nothing():
    # 4 of 6 agree; chance (2·3 + 2·2 + 2·1)/36 = 1/3; kappa = (2/3 − 1/3)/(2/3).
    first = ["a", "a", "b", "b", "c", "c"]
    second = ["a", "a", "b", "a", "c", "b"]
    found = agreement.verdict_agreement(first, second)
    assert found == pytest.approx({"n": 6, "raw": 2 / 3, "kappa": 0.5})
    found = agreement.verdict_agreement([], [])
    assert found["n"] == 0
    assert math.isnan(found["raw"])
    assert math.isnan(found["kappa"])
    with pytest.raises(ValueError, match="same items"):
        agreement.verdict_agreement([1], [1, 0])


def by_definition(pairs):
    """Raw agreement and kappa in fractions, straight from their definitions."""
    n = len(pairs)
    seen = Fraction(sum(a == b for a, b in pairs), n)
    chance = sum(
        Fraction(sum(a == c for a, _ in pairs), n) * Fraction(sum(b == c for _, b in pairs), n)
        for c in {category for pair in pairs for category in pair}
    )
    return float(seen), math.nan if chance == 1 else float((seen - chance) / (1 - chance))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_agreement_is_what_its_definition_says(pairs):
    found = agreement.verdict_agreement([a for a, _ in pairs], [b for _, b in pairs])
    raw, kappa = by_definition(pairs)
    assert found == pytest.approx({"n": len(pairs), "raw": raw, "kappa": kappa}, nan_ok=True)
    assert math.isnan(found["kappa"]) or -1 - 1e-9 <= found["kappa"] <= 1 + 1e-9


def agreement_rows(judges, people=None, by=lambda item: "", cluster=lambda item: "all"):
    return agreement.agreement_rows(judges, people or {}, by, cluster)


def rows_of(verdicts, **options) -> list[dict]:
    return agreement_rows(verdicts, **options).to_dict("records")


def test_every_two_raters_on_what_both_judged():
    rows = rows_of(
        {
            "a": {1: "yes", 2: "no", 3: "yes", 4: "no"},
            "b": {1: "yes", 2: "no", 3: "no", 5: "no"},
            "c": {1: "yes"},
        }
    )
    assert [(row["first"], row["second"]) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    one = rows[0]
    # 2 of 3 agree; chance (2·1 + 1·2)/9; kappa = (2/3 − 4/9)/(5/9).
    assert (one["n"], one["raw"], one["kappa"]) == pytest.approx((3, 2 / 3, 0.4))
    assert (one["only_first"], one["only_second"]) == (1, 1)
    assert (rows[1]["only_first"], rows[1]["only_second"]) == (3, 0)
    assert math.isnan(one["raw_low"])


def test_a_judge_with_itself_by_hand():
    # Verdicts yyy, yyn, nnn and nnn: 3 of 4 items are the same throughout. Fleiss: of the pairs
    # (1 + 1/3 + 1 + 1)/4 = 5/6 agree, by chance (5² + 7²)/12² do.
    repeats = {"j": "1100 ", "j#1": "11000", "j#2": "10000"}
    judges = {
        name: {n: int(v) for n, v in enumerate(of) if v != " "} for name, of in repeats.items()
    }
    other, itself = rows_of({**judges, "k": judges["j"]}, cluster=lambda item: item)
    assert (other["first"], other["second"], other["n"]) == ("j", "k", 4)
    assert itself["kind"] == agreement.ITSELF
    assert (itself["first"], itself["second"]) == ("j", "3 repeats")
    assert (itself["n"], itself["raw"], itself["only_first"]) == (4, 0.75, 1)
    chance = 74 / 144
    assert itself["kappa"] == pytest.approx((5 / 6 - chance) / (1 - chance))
    assert itself["raw_low"] < 0.75 < itself["raw_high"]
    assert itself["kappa_low"] < itself["kappa"] < itself["kappa_high"]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_two_draws_agree_as_often_as_two_raters_do(pairs):
    sides = [dict(enumerate(side)) for side in zip(*pairs, strict=True)]
    (row,) = rows_of(dict(zip(("j", "j#1"), sides, strict=True)), cluster=lambda item: item // 3)
    (two,) = rows_of(dict(zip("jk", sides, strict=True)), cluster=lambda item: item // 3)
    for name in ("n", "raw", "raw_low", "raw_high"):
        assert row[name] == pytest.approx(two[name], nan_ok=True)


def test_people_are_told_from_judges_and_nobody_takes_the_name_of_another():
    people = {"judge": {1: 1}, "ann": {1: 0}}
    rows = rows_of({"judge": {1: 0}, "other": {1: 1}}, people=people)
    kinds = {(row["first"], row["second"]): row["kind"] for row in rows}
    named_alike = "judge (human)"
    assert kinds == {
        ("judge", "other"): agreement.JUDGES,
        **{
            (judge, rater): agreement.MIXED
            for judge in ("judge", "other")
            for rater in (named_alike, "ann", agreement.MAJORITY)
        },
        (named_alike, "ann"): agreement.HUMANS,
    }
    names = ["a (human)", "a", "human majority"]
    rows = agreement_rows({"a": {1: "yes"}}, {name: {1: "no"} for name in names})
    pairs = set(zip(rows["first"], rows["second"], strict=True))
    alone = ["a (human)", "a (human) (human)", "human majority (human)"]
    assert pairs == {("a", name) for name in [*alone, "human majority"]} | set(
        combinations(alone, 2)
    )


def test_sensitivity_and_specificity_are_of_verdicts_of_two_kinds():
    ann = dict(enumerate([1, 1, 1, 0, 0]))
    judge = dict(enumerate([1, 1, 0, 1, 0, 1]))  # nobody knows of the last one
    (row,) = rows_of({"judge": judge}, people={"ann": ann})
    assert (row["sensitivity"], row["specificity"]) == (2 / 3, 1 / 2)
    found = agreement_rows({"judge": {1: "good"}}, {"ann": {1: "fair"}})
    assert [*found] == [*agreement.COLUMNS]


def test_each_model_has_its_row_and_all_have_one():
    first = {("m", 1): 1, ("m", 2): 0, ("n", 1): 1}
    second = {("m", 1): 1, ("m", 2): 1, ("o", 1): 1}
    rows = rows_of({"a": first, "b": second}, by=lambda item: item[0])
    assert [(row["model"], row["n"], row["only_first"], row["only_second"]) for row in rows] == [
        ("m", 2, 0, 0),
        ("n", 0, 1, 0),
        ("o", 0, 0, 1),
        ("", 2, 1, 1),
    ]


def agreed(*clusters: tuple[int, int]) -> dict:
    """Two raters of ten items in each cluster, half of them yes, some of each half disputed."""
    first = {}
    second = {}
    for name, (yes, no) in enumerate(clusters):
        for i in range(10):
            first[name, i] = i % 2
            second[name, i] = (i % 2) ^ (i // 2 < (yes if i % 2 else no))
    (row,) = rows_of({"a": first, "b": second}, cluster=lambda item: item[0])
    return row


def test_intervals_of_agreement_and_kappa_by_hand():
    # Shares .8, .6, .6 and .4: log odds of .6 less 3.182 · .0816 ÷ .24, not skewed.
    row = agreed((1, 1), (2, 2), (2, 2), (3, 3))
    low = math.log(0.6 / 0.4) - 3.182446 * math.sqrt(0.08 / 3 / 4) / 0.24
    assert row["raw"] == pytest.approx(0.6)
    assert row["raw_low"] == pytest.approx(1 / (1 + math.exp(-low)), rel=1e-4)
    # where chance is a half, kappa's interval is twice raw agreement's
    row = agreed((1, 1), (2, 2), (3, 3))
    assert row["kappa"] == pytest.approx(2 * 0.6 - 1)
    assert row["kappa_low"] == pytest.approx(2 * row["raw_low"] - 1)
    # raters that always agree
    row = agreed(*[(0, 0)] * 5)
    q = 0.05 ** (1 / 5)  # Clopper and Pearson: 5 of 5 clusters
    assert [row["raw_low"], row["raw_high"]] == pytest.approx([q, 1])
    assert [row["kappa_low"], row["kappa_high"]] == pytest.approx([2 * q - 1, 1])
    (row,) = rows_of({"a": {1: 1, 2: 0}, "b": {1: 1, 2: 1}}, cluster=lambda item: "all")
    assert math.isnan(row["raw_low"])


def test_a_rater_that_says_the_same_throughout_leaves_kappa_open():
    first = {(name, i): 1 for name in "abcd" for i in range(25)}
    second = first | {("a", 0): 0}
    (row,) = rows_of({"a": first, "b": second}, cluster=lambda item: item[0])
    assert (row["raw"], row["kappa"]) == (0.99, 0)
    assert row["kappa_low"] == -1
    assert row["kappa_high"] > 0.5


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "c"]),
        st.dictionaries(st.integers(0, 8), st.sampled_from([None, 0, 1, "x"])),
    )
)
def test_any_verdicts_give_rows(verdicts):
    how = {"by": lambda item: str(item % 2), "cluster": lambda item: item % 3}
    rows = agreement_rows(verdicts, **how)
    assert len(rows[rows["model"] == ""]) == math.comb(len(verdicts), 2)
    for values in (rows["raw"], rows["raw_low"], rows["raw_high"]):
        assert values.dropna().between(0, 1).all()
    assert (rows["kappa_low"].fillna(-1) <= rows["kappa_high"].fillna(1)).all()
    pd.testing.assert_frame_equal(rows, agreement_rows(verdicts, **how))


def test_the_majority_needs_two_and_no_tie_and_none_is_no_verdict():
    raters = {"ann": {1: 1, 2: 1, 3: 1, 4: 1}, "bob": {1: 1, 2: 0, 4: None}, "cid": {1: 0, 3: 1}}
    assert agreement.majority(raters) == {1: 1, 3: 1}
    (row,) = rows_of({"a": {1: 1, 2: None, 3: 0}, "b": {1: 1, 2: 1, 3: None}})
    assert (row["n"], row["only_first"], row["only_second"]) == (1, 1, 1)


def parse(verdicts, score):
    if not isinstance(verdicts, list) or any(verdict not in (0, 1) for verdict in verdicts):
        raise ValueError("verdicts must be a list of 0 and 1")
    return dict(enumerate(verdicts))


def labels(*records):
    known = [Scored("m", "en", {"sample_id": sample, "repeat": 0}) for sample in ("s1", "other")]
    return read_labels(Labels("labels.jsonl", records), known, parse)


def label(**changes):
    return {"model": "m", "sample_id": "s1", "verdicts": [1, 0]} | changes


def test_labels_are_read_by_rater_and_of_models_that_run():
    found = labels(label(), label(sample_id="other"), label(rater="ann", verdicts=[0]))
    assert found == {
        HUMAN: {("m", "s1", 0): 1, ("m", "s1", 1): 0, ("m", "other", 0): 1, ("m", "other", 1): 0},
        "ann": {("m", "s1", 0): 0},
    }
    found = labels(label(model="n", sample_id="?"), label())
    assert found == {HUMAN: {("m", "s1", 0): 1, ("m", "s1", 1): 0}}


def test_where_a_part_is_asked_labels_may_be_of_more():
    records = [label(sample_id="s9"), label(verdicts=[1])]
    known = [Scored("m", "en", {"sample_id": "s1", "repeat": 0})]
    found = read_labels(Labels("labels.jsonl", records, of_more=True), known, parse)
    assert found == {HUMAN: {("m", "s1", 0): 1}}
    records.append(label(rater="ann", verdicts="yes"))
    with pytest.raises(UserError, match="record 3, sample 's1'"):
        read_labels(Labels("labels.jsonl", records, of_more=True), known, parse)


def test_a_bad_label_file_is_told_in_one_sentence():
    for records, words in (
        ([label(sample_id="s9")], ["record 1", "'s9'", "did you mean 's1'"]),
        ([label(), label()], ["record 2", "duplicate", "'s1'"]),
        ([label(verdicts="yes")], ["record 1", "'s1'", "list of 0 and 1"]),
        ([{"model": "m", "sample_id": "s1"}], ["record 1", "'verdicts' is missing"]),
        ([label(model="")], ["record 1", "'model'"]),
        ([label(sample_id=3)], ["record 1", "'sample_id'"]),
        ([label(rater=None)], ["record 1", "'rater'"]),
        ([label(model="x"), label(model="n")], ["no label", "'n'", "models of this run: m"]),
    ):
        with pytest.raises(UserError) as error:
            labels(*records)
        assert "labels.jsonl" in str(error.value), records
        assert [word for word in words if word not in str(error.value)] == [], records


def test_judges_verdicts_stand_on_top_of_a_score_or_beside():
    beside = {"b": {"points": {"1": -1, "2": 1.0}}, "c": {"points": None}}
    score = judged("s", "a", {"1": 0.0}, beside)
    found = judge_verdicts([score], ["a", "b", "c"], numbered_points)
    assert found == {"a": {("m", "s", 1): 0}, "b": {("m", "s", 2): 1}, "c": {}}


def test_each_draw_is_an_answer_of_its_own_and_people_label_the_first():
    scores = [judged("s", "a", {"1": float(repeat == 2)}, repeat=repeat) for repeat in range(3)]
    of_judges = judge_verdicts(scores, ["a"], numbered_points)
    assert of_judges == {"a": {("m", "s", 1): 0, ("m", "s#1", 1): 0, ("m", "s#2", 1): 1}}
    labelled = Labels("labels.jsonl", [label(sample_id="s", verdicts=[0])])
    of_people = read_labels(labelled, scores, by)
    (together, *_) = agreement.answer_agreement(of_judges, of_people, scores).to_dict("records")
    assert (together["n"], together["raw"], together["only_first"]) == (1, 1, 2)
    with pytest.raises(UserError, match="unknown sample_id 's#1'"):
        read_labels(Labels("labels.jsonl", [label(sample_id="s#1")]), scores, by)


def by(verdicts, score):
    return dict(enumerate(verdicts, start=1))


def judged(sample, judge, points, beside=None, model="m", repeat=0) -> Scored:
    """A score's record whose judge gave those points."""
    asked = {"sample_id": sample, "repeat": repeat, "context_id": "c"}
    rated = {"judge": judge, "points": points, "other_raters": beside or {}}
    return Scored(model, "en", asked | rated)
