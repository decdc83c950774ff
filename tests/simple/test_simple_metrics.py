"""Metrics, tables and figures of a simple benchmark, from scores."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from steadfast.base.errors import UserError
from steadfast.contract.components import Scored
from steadfast.show.roster import Display
from steadfast.simple.figures import figures
from steadfast.simple.metrics import joined_clusters, metrics
from steadfast.simple.tables import SimpleResults, tables


def scored(id, total, context, by=None, model="m", part="all", **fields) -> Scored:
    record = {"sample_id": id, "repeat": 0, "context_id": context, "by": by or {}}
    record |= {"status": "ok", "total": total, "points": {"score": total}, "response": "x"}
    return Scored(model, part, record | fields)


def shown(title, *by):
    """How a benchmark describes itself to its tables and figures."""
    return {"name": title.lower(), "title": title, "by": by, "judged": False}


# --- metrics -----------------------------------------------------------------------------------


def wilson_interval(units):
    """Wilson's 95 % interval about 1/2; 3.841459 is the quantile of χ² with one degree."""
    half_width = math.sqrt(3.841459 / (units + 3.841459)) / 2
    return pytest.approx([0.5 - half_width, 0.5 + half_width])


def test_means_interval_and_coverage_of_four_responses():
    """Totals .3, .5 and .7: t of two degrees reaches further than Wilson's of three verdicts."""
    scores = [
        scored("a", 0.3, "a", {"topic": "sea"}),
        scored("b", 0.5, "b", {"topic": "sea"}),
        scored("c", 0.7, "c", {"topic": "sky"}),
        scored("d", None, "d", {"topic": "sky"}, status="error"),
    ]
    frames = metrics(scores, {}, None, by=["topic"])
    (summary,) = frames["summary"].to_dict("records")
    assert (summary["value"], summary["n"], summary["expected"]) == (pytest.approx(0.5), 3, 4)
    assert [summary["low"], summary["high"]] == wilson_interval(3)
    means = frames["scores"].set_index(["kind", "category"])["value"]
    assert means["topic", "sea"] == pytest.approx(0.4)
    assert means["topic", "sky"] == pytest.approx(0.7)
    (coverage,) = frames["coverage"].to_dict("records")
    assert (coverage["scored"], coverage["expected"], coverage["status_error"]) == (3, 4, 1)


def test_responses_of_a_group_are_one_sampling_unit():
    """Two groups with means .2 and .8 say no more than two verdicts do, one right and one wrong."""
    scores = [scored(str(n), (0.2, 0.8)[n % 2], str(n % 2)) for n in range(6)]
    (summary,) = metrics(scores, {}, None)["summary"].to_dict("records")
    assert summary["sampled"] == "2 groups of records"
    assert [summary["low"], summary["high"]] == wilson_interval(2)


def test_ids_that_share_a_context_at_each_length_are_one_sampling_unit():
    scores = []
    for length in ("4k", "8k", "16k"):
        for number in range(24):
            context = f"{length}-{number // 2}"
            scores.append(scored(f"{length}/{number}", number % 3 / 2, context, part=length))
    units = metrics(scores, {}, None)["sampling_units"]
    # Two ids share each context, at each length: 12 units, of 24 ids and 36 contexts.
    assert units[["clusters", "records"]].values.tolist() == [[12, 72]]


def test_ids_that_end_alike_are_of_different_clusters():
    clusters = pd.Series(["short a", "long a", "long b"])
    sample_ids = pd.Series(["4k/a/1", "8k/a/1", "8k/b/1"])  # ids a/1 and b/1
    joined = joined_clusters(clusters, sample_ids)
    assert joined.tolist() == ["short a", "short a", "long b"]


def test_paraphrases_of_a_record_are_one_sampling_unit():
    scores = []
    for number in range(6):
        for name in ("t1", "t2"):
            id = f"all/{number}/{name}"
            scores.append(scored(id, number % 2, str(number), {"template": name}))
    (summary,) = metrics(scores, {}, None, by=["template"])["summary"].to_dict("records")
    assert summary["sampled"] == "6 records"
    assert [summary["low"], summary["high"]] == wilson_interval(6)


@pytest.mark.parametrize(
    ("shared", "factor", "freedom"), [(True, 0.15, 11), (False, math.hypot(1, 0.85), 22)]
)
def test_lengths_are_paired_where_they_share_records(shared, factor, freedom):
    totals = [number % 4 / 3 for number in range(12)]
    scores = []
    for length in ("4k", "8k"):
        for number, total in enumerate(totals):
            id = f"{length}/{number}" if shared else f"{length}/{length}-{number}"
            scores.append(scored(id, total, id, part=length))
    frames = metrics(scores, {}, None, lengths=["4k", "8k"])
    _, low = frames["effective_context_length"]["low"]
    # .5 − .85 · .5 is the middle between the limits −.85 and 1, with log odds of 0.
    error = factor * np.std(totals, ddof=1) / math.sqrt(12) * (2 / 0.925)
    odds = math.exp(-stats.t.ppf(0.975, freedom) * error)
    assert low == pytest.approx(0.85 + (1 - 1.85 / (1 + odds)) / 0.5)


def test_judges_are_compared_on_responses_that_both_scored():
    scores = []
    for number, (first, second) in enumerate([(1.0, 1.0), (1.0, 0.0), (0.0, 0.0), (0.0, None)]):
        id = str(number)
        scores.append(scored(id, first, id, judge="j", other_raters={"k": {"total": second}}))
    rows = metrics(scores, {}, None, judges=["j", "k"])["agreement"]
    (overall,) = rows[rows["model"] == ""].to_dict("records")
    assert (overall["n"], overall["raw"]) == (3, pytest.approx(2 / 3))


def test_measure_has_a_mean_over_the_responses_that_have_it():
    points = [{"Met": 1, "Long": 0.5}, {"Met": 0}, {"Met": 1, "Long": 1}, {}]
    scores = []
    for number, measures in enumerate(points):
        scores.append(scored(str(number), measures.get("Met"), str(number), points=measures))
    frames = metrics(scores, {}, None, measures=["Met", "Long"])
    means = frames["scores"][["measure", "value", "n"]]
    assert means.values.tolist() == [["Met", pytest.approx(2 / 3), 3], ["Long", 0.75, 2]]
    counts = frames["summary"][["measure", "n", "expected"]]
    assert counts.values.tolist() == [["Met", 3, 4], ["Long", 2, 4]]


@pytest.mark.parametrize(
    ("unread", "count"), [([None, None, None], None), ([False, True, None], 1)]
)
def test_coverage_counts_unreadable_responses(unread, count):
    scores = [scored(id, 0.0, id) for id in "abc"]
    for score, value in zip(scores, unread, strict=True):
        if value is not None:
            score.record["unread"] = value
    frames = metrics(scores, {}, None)
    assert frames["coverage"].get("unread", pd.Series([None])).tolist() == [count]
    by_name = {table.name: table for table in tables(frames, Display(), **shown("Mine"))}
    headings = [column.heading for column in by_name["mine_coverage"].columns]
    assert ("Unreadable" in headings) == (count is not None)


def test_models_are_compared_on_samples_that_both_have():
    totals = {"a": (1.0, 0.5), "b": (0.5, 0.0), "c": (1.0, None)}
    scores = []
    for id, (first, second) in totals.items():
        scores.append(scored(id, first, id, model="m"))
        scores.append(scored(id, second, id, model="n"))
        scores.append(scored(id, 1.0, id, model="reference"))
    frames = metrics(scores, {}, None, references=["reference"])
    comparisons = frames["comparisons"][["model", "other", "difference", "n"]]
    assert comparisons.values.tolist() == [["m", "n", 0.5, 2]]


def test_categories_are_in_order_of_occurrence():
    scores = [scored(topic, 1.0, topic, {"topic": topic}) for topic in ("z", "a", "m")]
    frame = metrics(scores, {}, None, by=["topic"])["scores"]
    assert frame["category"].tolist() == ["", "z", "a", "m"]


def missing_column(frame):
    return frame["errors"]


def test_unknown_measure_and_failing_metric_are_reported():
    scores = [scored(str(n), 1.0, str(n), points={"Met": 1.0, "Form": 1.0}) for n in range(3)]
    with pytest.raises(UserError, match=r"no response has the measure 'Warm'; .* Form, Met"):
        metrics(scores, {}, None, measures=["Met", "Warm"])
    sentence = r":missing_column: fails \(KeyError: 'errors'\); .*extracted"
    with pytest.raises(UserError, match=sentence):
        metrics(scores, {}, None, further={"errors": f"{__name__}:missing_column"})


# --- tables and figures ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("records", "contexts", "is_noted"), [(6, 1, True), (2, 1, True), (1, 1, False), (6, 2, False)]
)
def test_table_notes_that_all_records_share_one_context(records, contexts, is_noted):
    scores = [scored(str(n), n % 2, str(n % contexts)) for n in range(records)]
    results, *_ = tables(metrics(scores, {}, None), Display(), **shown("T"))
    notes = " ".join(text for _, text in results.notes)
    assert ("All records share one context" in notes) == is_noted
    unit = "records" if records == contexts else "groups of records"
    assert f"Sampling units: {contexts} {unit}." in notes


@pytest.mark.parametrize(
    ("measures", "headings", "sections"),
    [
        (["Score"], ["Mean score"], ["Topic"]),
        (["Met", "Long"], ["Met", "Long"], ["Met, by topic", "Long, by topic"]),
    ],
)
def test_tables_are_headed_by_their_measures(measures, headings, sections):
    points = {"Met": 1.0, "Long": 0.5}
    scores = [scored(id, 1.0, id, {"topic": "sea"}, points=points) for id in "abc"]
    frames = metrics(scores, {}, None, by=["topic"], measures=measures)
    settings = shown("T", "topic") | {"measures": measures}
    results, by, _ = tables(frames, Display(), **settings)
    columns = [column.heading for column in results.columns if not column.group]
    assert [heading for heading in columns if heading in ("Mean score", *points)] == headings
    assert [section.heading for section in by.sections] == sections
    rows = pd.DataFrame({"model": ["m"], "value": [0.25], "low": [0.2], "high": [0.3]})
    own = SimpleResults(frames, Display(), **settings).values_table("own", "Mine.", {"A": rows})
    assert (own.caption, len(own.columns)) == ("Mine.", 2)  # without intervals
    caption = figures(frames, Display(), **settings)["scores"].caption
    assert measures[0].lower() in caption.lower() and "Long" not in caption


@pytest.mark.parametrize(("values", "note"), [(39, ""), (40, "The first 40 of 41 values")])
def test_figure_notes_values_that_do_not_fit(values, note):
    scores = [scored(str(n), 0.5, str(n), {"topic": f"topic {n}"}) for n in range(values)]
    frames = metrics(scores, {}, None, by=["topic"])
    caption = figures(frames, Display(), **shown("Mine", "topic"))["scores"].caption
    assert note in caption and ("values are shown" in caption) == bool(note)


def test_figure_has_a_mark_for_each_mean():
    scores = [scored(str(n), n % 2, str(n), {"thing": "lamp"}) for n in range(12)]
    frames = metrics(scores, {}, None, by=["thing"])
    figure = figures(frames, Display(), **shown("T", "thing"))["scores"].figure
    values = []
    for axes in figure.axes:
        for line in axes.lines:
            values += [*np.ravel(line.get_xdata()), *np.ravel(line.get_ydata())]
    assert values.count(0.5) >= 2  # the mean of all, and of the one thing


def test_figure_has_the_share_that_models_keep_at_each_length():
    scores = []
    for model, length in product("mn", ("4k", "8k")):
        for number in range(12):
            total = number % 4 / 3 / (1 if length == "4k" else 2)
            id = f"{length}/{number}"
            scores.append(scored(id, total, str(number), model=model, part=length))
    frames = metrics(scores, {}, None, lengths=["4k", "8k"])
    figure = figures(frames, Display(), **shown("T"))["effective_context_length"].figure
    axes = figure.axes[0]
    first, second, share = axes.lines
    assert figure.get_figwidth() == 3.3
    assert list(first.get_ydata()) == list(second.get_ydata()) == pytest.approx([1, 0.5])
    assert list(first.get_xdata()) == pytest.approx([-0.05, 0.95])  # within .2 of each place
    assert list(second.get_xdata()) == pytest.approx([0.05, 1.05])
    assert list(share.get_ydata()) == [0.85, 0.85]
    assert axes.get_ylim() == (0, 1.05)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["4k", "8k"]
