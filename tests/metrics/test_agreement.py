"""Agreement of raters, calculated by hand, and label files that people write."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.contract.components import Labels, Scored
from steadfast.stats import agreement
from steadfast.stats.raters import HUMAN, judge_verdicts, numbered_points, read_labels


def test_verdict_agreement_needs_common_items():
    undefined = {"n": 0, "raw": math.nan, "kappa": math.nan}
    assert agreement.verdict_agreement([], []) == pytest.approx(undefined, nan_ok=True)
    with pytest.raises(ValueError, match="same items"):
        agreement.verdict_agreement([1], [1, 0])


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_verdict_agreement_follows_its_definition(pairs):
    first, second = zip(*pairs, strict=True)
    n = len(pairs)
    raw = Fraction(sum(a == b for a, b in pairs), n)
    chance = Fraction(0)
    for category in "abc":
        chance += Fraction(first.count(category), n) * Fraction(second.count(category), n)
    kappa = math.nan if chance == 1 else float((raw - chance) / (1 - chance))
    computed = agreement.verdict_agreement(first, second)
    assert computed == pytest.approx({"n": n, "raw": float(raw), "kappa": kappa}, nan_ok=True)
    assert math.isnan(computed["kappa"]) or -1 - 1e-9 <= computed["kappa"] <= 1 + 1e-9


def pair_rows(judges, people=None, model=lambda item: "", cluster=lambda item: "all"):
    """The agreement of every two raters, by default of one model in one cluster."""
    return agreement.agreement_rows(judges, people or {}, model, cluster)


def only_row(judges, **options) -> dict:
    (row,) = pair_rows(judges, **options).to_dict("records")
    return row


def test_pairs_of_raters_are_compared_on_common_items():
    judges = {
        "a": {1: "yes", 2: "no", 3: "yes", 4: "no"},
        "b": {1: "yes", 2: "no", 3: "no", 5: "no"},
        "c": {1: "yes"},
    }
    rows = pair_rows(judges)
    pairs = rows[["first", "second"]].values.tolist()
    assert pairs == [["a", "b"], ["a", "c"], ["b", "c"]]
    # 2 of 3 agree; chance (2·1 + 1·2)/9; kappa = (2/3 − 4/9)/(5/9).
    assert rows.loc[0, ["n", "raw", "kappa"]].tolist() == pytest.approx([3, 2 / 3, 0.4])
    assert rows.loc[:1, ["only_first", "only_second"]].values.tolist() == [[1, 1], [3, 0]]
    assert math.isnan(rows.loc[0, "raw_low"])


def test_repeats_of_a_judge_have_fleiss_kappa():
    # Verdicts yyy, yyn, nnn and nnn: 3 of 4 items are the same throughout. Fleiss: of the pairs
    # (1 + 1/3 + 1 + 1)/4 = 5/6 agree, by chance (5² + 7²)/12² do.
    judges = {
        "j": dict(enumerate([1, 1, 0, 0])),
        "j#1": dict(enumerate([1, 1, 0, 0, 0])),
        "j#2": dict(enumerate([1, 0, 0, 0, 0])),
        "k": dict(enumerate([1, 1, 0, 0])),
    }
    rows = pair_rows(judges, cluster=lambda item: item)
    two_judges, repeats = rows.to_dict("records")
    assert (two_judges["first"], two_judges["second"], two_judges["n"]) == ("j", "k", 4)
    assert repeats["kind"] == agreement.ITSELF
    assert (repeats["first"], repeats["second"]) == ("j", "3 repeats")
    assert (repeats["n"], repeats["raw"]) == (4, 0.75)
    assert (repeats["only_first"], repeats["only_second"]) == (1, 0)
    chance = 74 / 144
    assert repeats["kappa"] == pytest.approx((5 / 6 - chance) / (1 - chance))
    assert repeats["raw_low"] < 0.75 < repeats["raw_high"]
    assert repeats["kappa_low"] < repeats["kappa"] < repeats["kappa_high"]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_two_repeats_agree_like_two_judges(pairs):
    verdicts = pd.DataFrame(pairs)
    first = verdicts[0].to_dict()
    second = verdicts[1].to_dict()
    repeats = only_row({"j": first, "j#1": second}, cluster=lambda item: item // 3)
    judges = only_row({"j": first, "k": second}, cluster=lambda item: item // 3)
    for name in ("n", "raw", "raw_low", "raw_high"):
        assert repeats[name] == pytest.approx(judges[name], nan_ok=True)


def kinds_of_pairs(judges, people) -> set[tuple]:
    rows = pair_rows(judges, people)[["first", "second", "kind"]]
    return set(rows.itertuples(index=False, name=None))


def test_people_are_separate_from_judges_of_the_same_name():
    judges = {"judge": {1: 0}, "other": {1: 1}}
    assert kinds_of_pairs(judges, {"judge": {1: 1}, "ann": {1: 0}}) == {
        ("judge", "other", agreement.JUDGES),
        ("judge", "judge (human)", agreement.MIXED),
        ("judge", "ann", agreement.MIXED),
        ("judge", agreement.MAJORITY, agreement.MIXED),
        ("other", "judge (human)", agreement.MIXED),
        ("other", "ann", agreement.MIXED),
        ("other", agreement.MAJORITY, agreement.MIXED),
        ("judge (human)", "ann", agreement.HUMANS),
    }
    people = {name: {1: "no"} for name in ("a (human)", "a", "human majority")}
    assert kinds_of_pairs({"a": {1: "yes"}}, people) == {
        ("a", "a (human)", agreement.MIXED),
        ("a", "a (human) (human)", agreement.MIXED),
        ("a", "human majority (human)", agreement.MIXED),
        ("a", "human majority", agreement.MIXED),
        ("a (human)", "a (human) (human)", agreement.HUMANS),
        ("a (human)", "human majority (human)", agreement.HUMANS),
        ("a (human) (human)", "human majority (human)", agreement.HUMANS),
    }


def test_sensitivity_and_specificity_need_binary_verdicts():
    person = dict(enumerate([1, 1, 1, 0, 0]))
    judge = dict(enumerate([1, 1, 0, 1, 0, 1]))  # the last item has no label
    row = only_row({"judge": judge}, people={"ann": person})
    assert (row["sensitivity"], row["specificity"]) == (2 / 3, 1 / 2)
    other_verdicts = pair_rows({"judge": {1: "good"}}, {"ann": {1: "fair"}})
    assert [*other_verdicts] == [*agreement.COLUMNS]


def test_agreement_has_a_row_for_each_model_and_for_all():
    first = {("m", 1): 1, ("m", 2): 0, ("n", 1): 1}
    second = {("m", 1): 1, ("m", 2): 1, ("o", 1): 1}
    rows = pair_rows({"a": first, "b": second}, model=lambda item: item[0])
    assert rows[["model", "n", "only_first", "only_second"]].values.tolist() == [
        ["m", 2, 0, 0],
        ["n", 0, 1, 0],
        ["o", 0, 0, 1],
        ["", 2, 1, 1],
    ]


def disputed(*clusters: tuple[int, int]) -> dict:
    """Two raters of ten items in each cluster, half of them yes, some of each half disputed."""
    first = {}
    second = {}
    for cluster, (disputed_yes, disputed_no) in enumerate(clusters):
        for i in range(10):
            first[cluster, i] = i % 2
            second[cluster, i] = (i % 2) ^ (i // 2 < (disputed_yes if i % 2 else disputed_no))
    return only_row({"a": first, "b": second}, cluster=lambda item: item[0])


def test_intervals_of_agreement_and_kappa_by_hand():
    # Shares .8, .6, .6 and .4: log odds of .6 less 3.182 · .0816 ÷ .24, not skewed.
    row = disputed((1, 1), (2, 2), (2, 2), (3, 3))
    low = math.log(0.6 / 0.4) - 3.182446 * math.sqrt(0.08 / 3 / 4) / 0.24
    assert row["raw"] == pytest.approx(0.6)
    assert row["raw_low"] == pytest.approx(1 / (1 + math.exp(-low)), rel=1e-4)
    # where chance is a half, kappa's interval is twice raw agreement's
    row = disputed((1, 1), (2, 2), (3, 3))
    assert row["kappa"] == pytest.approx(2 * 0.6 - 1)
    assert row["kappa_low"] == pytest.approx(2 * row["raw_low"] - 1)
    # raters that always agree
    row = disputed(*[(0, 0)] * 5)
    q = 0.05 ** (1 / 5)  # Clopper and Pearson: 5 of 5 clusters
    assert [row["raw_low"], row["raw_high"]] == pytest.approx([q, 1])
    assert [row["kappa_low"], row["kappa_high"]] == pytest.approx([2 * q - 1, 1])
    one_cluster = only_row({"a": {1: 1, 2: 0}, "b": {1: 1, 2: 1}})
    assert math.isnan(one_cluster["raw_low"])


def test_cluster_adds_the_derivative_of_kappa_at_its_counts(monkeypatch):
    tables = np.array([[[5, 1], [2, 2]], [[1, 3], [0, 6]], [[4, 0], [1, 5]], [[2, 2], [7, 4]]])
    made = []
    estimates = agreement.Estimates
    monkeypatch.setattr(agreement, "Estimates", lambda *f: made.append(f) or estimates(*f))
    agreement._intervals(tables)

    def kappa(table: np.ndarray) -> float:
        shares = table / table.sum()
        chance = shares.sum(axis=0) @ shares.sum(axis=1)
        return (np.trace(shares) - chance) / (1 - chance)

    derivatives = []
    for table in 1e-6 * tables:
        derivatives.append(kappa(tables.sum(axis=0) + table) - kappa(tables.sum(axis=0) - table))
    ((_, (_, parts), _, _),) = made
    assert parts == pytest.approx(np.array(derivatives) / 2e-6, abs=1e-7)


def test_kappa_has_a_wide_interval_when_a_rater_never_varies():
    first = {(cluster, i): 1 for cluster in "abcd" for i in range(25)}
    second = first | {("a", 0): 0}
    row = only_row({"a": first, "b": second}, cluster=lambda item: item[0])
    assert (row["raw"], row["kappa"]) == (0.99, 0)
    assert row["kappa_low"] == -1
    assert row["kappa_high"] > 0.5


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "c"]),
        st.dictionaries(st.integers(0, 8), st.sampled_from([None, 0, 1, "x"])),
    )
)
def test_any_verdicts_have_valid_agreement(verdicts):
    options = {"model": lambda item: str(item % 2), "cluster": lambda item: item % 3}
    rows = pair_rows(verdicts, **options)
    assert len(rows[rows["model"] == ""]) == math.comb(len(verdicts), 2)
    for name in ("raw", "raw_low", "raw_high"):
        assert rows[name].dropna().between(0, 1).all()
    assert (rows["kappa_low"].fillna(-1) <= rows["kappa_high"].fillna(1)).all()
    pd.testing.assert_frame_equal(rows, pair_rows(verdicts, **options))


def test_majority_needs_two_raters_and_no_tie():
    raters = {"ann": {1: 1, 2: 1, 3: 1, 4: 1}, "bob": {1: 1, 2: 0, 4: None}, "cid": {1: 0, 3: 1}}
    assert agreement.majority(raters) == {1: 1, 3: 1}


def test_verdict_of_none_counts_as_missing():
    row = only_row({"a": {1: 1, 2: None, 3: 0}, "b": {1: 1, 2: 1, 3: None}})
    assert (row["n"], row["only_first"], row["only_second"]) == (1, 1, 1)


SCORED = [Scored("m", "en", {"sample_id": name, "repeat": 0}) for name in ("s1", "other")]


def parse(verdicts, score):
    if not isinstance(verdicts, list) or not set(verdicts) <= {0, 1}:
        raise ValueError("verdicts must be a list of 0 and 1")
    return dict(enumerate(verdicts, start=1))


def labels(*records, scored=SCORED, **options):
    return read_labels(Labels("labels.jsonl", records, **options), scored, parse)


def label(**changes):
    return {"model": "m", "sample_id": "s1", "verdicts": [1, 0]} | changes


def test_labels_are_grouped_by_rater_without_models_of_other_runs():
    by_rater = labels(label(), label(sample_id="other"), label(rater="ann", verdicts=[0]))
    assert by_rater == {
        HUMAN: {("m", "s1", 1): 1, ("m", "s1", 2): 0, ("m", "other", 1): 1, ("m", "other", 2): 0},
        "ann": {("m", "s1", 1): 0},
    }
    by_rater = labels(label(model="n", sample_id="?"), label())
    assert by_rater == {HUMAN: {("m", "s1", 1): 1, ("m", "s1", 2): 0}}


def test_trial_accepts_labels_of_other_samples():
    records = [label(sample_id="s9"), label(verdicts=[1])]
    assert labels(*records, of_more=True) == {HUMAN: {("m", "s1", 1): 1}}
    with pytest.raises(UserError, match="record 3, sample 's1'"):
        labels(*records, label(rater="ann", verdicts="yes"), of_more=True)


def test_labels_are_read_beside_the_score_of_the_first_repeat():
    scores = [Scored("m", "en", {"sample_id": "s1", "repeat": repeat}) for repeat in (0, 1)]
    file = Labels("labels.jsonl", [label()])
    by_rater = read_labels(file, scores, lambda verdicts, score: {1: score["repeat"]})
    assert by_rater == {HUMAN: {("m", "s1", 1): 0}}


@pytest.mark.parametrize(
    ("sample", "message"),
    [("s1", "'s1' is scored by a rule"), ("s2", "unknown sample_id 's2'.* mean 'other'")],
)
def test_label_on_a_sample_scored_by_a_rule_is_refused(sample, message):
    file = Labels("labels.jsonl", [label(sample_id=sample)])
    with pytest.raises(UserError, match=message):
        read_labels(file, SCORED, parse, lambda score: score["sample_id"] == "other")


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([label(sample_id="s9")], "record 1.*'s9'.*did you mean 's1'"),
        ([label(), label()], "record 2.*duplicate.*'s1'"),
        ([label(verdicts="yes")], "record 1.*'s1'.*list of 0 and 1"),
        ([{"model": "m", "sample_id": "s1"}], "record 1.*'verdicts' is missing"),
        ([label(model="")], "record 1.*'model'"),
        ([label(sample_id=3)], "record 1.*'sample_id'"),
        ([label(rater=None)], "record 1.*'rater'"),
        ([label(model="x"), label(model="n")], "no label.*'n'.*models of this run: m"),
    ],
)
def test_invalid_labels_are_reported_with_their_record(records, message):
    with pytest.raises(UserError, match=rf"labels\.jsonl.*{message}"):
        labels(*records)


def judged(points, other_raters=None, repeat=0) -> Scored:
    """A score's record whose judge gave those points."""
    record = {"sample_id": "s", "repeat": repeat, "context_id": "c", "judge": "a"}
    return Scored("m", "en", record | {"points": points, "other_raters": other_raters or {}})


def test_judge_verdicts_come_from_the_score_and_other_raters():
    other_raters = {"b": {"points": {"1": -1, "2": 1.0}}, "c": {"points": None}}
    verdicts = judge_verdicts([judged({"1": 0.0}, other_raters)], ["a", "b", "c"], numbered_points)
    assert verdicts == {"a": {("m", "s", 1): 0}, "b": {("m", "s", 2): 1}, "c": {}}


def test_each_repeat_has_verdicts_and_labels_are_of_the_first():
    scores = [judged({"1": float(repeat == 2)}, repeat=repeat) for repeat in range(3)]
    verdicts = judge_verdicts(scores, ["a"], numbered_points)
    assert verdicts == {"a": {("m", "s", 1): 0, ("m", "s#1", 1): 0, ("m", "s#2", 1): 1}}
    people = labels(label(sample_id="s", verdicts=[0]), scored=scores)
    row = agreement.answer_agreement(verdicts, people, scores).iloc[0]
    assert (row["n"], row["raw"], row["only_first"]) == (1, 1, 2)
    with pytest.raises(UserError, match="unknown sample_id 's#1'"):
        labels(label(sample_id="s#1"), scored=scores)
