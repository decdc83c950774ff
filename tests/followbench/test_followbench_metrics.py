"""Metrics: HSR, SSR and CSL by hand, missing and unreadable verdicts, and as released."""

import math

import pandas as pd
import pytest

from followbench_data import cases
from followbench_run import Run
from steadfast.errors import UserError
from steadfast.files import read_jsonl, write_jsonl
from steadfast.followbench import benchmark
from steadfast.followbench.facts import CATEGORIES, LEVELS
from steadfast.followbench.frames import read_records, sample_frame
from steadfast.followbench.metrics import Metrics, compute_metrics, items
from steadfast.metrics.headline import read_headline
from steadfast.metrics.tidy import OVERALL, read_csv


def record(group: str, level: int, points: list[float] | None, **changes) -> dict:
    """A score record; ``group`` names category and number, such as style/1."""
    numbered = {str(n): value for n, value in enumerate(points or [], start=1)}
    return {
        "sample_id": f"{group}/{level}",
        "task": group.split("/")[0],
        "context_id": group,
        "level": level,
        "scorer": "judge",
        "status": "ok" if points else "invalid",
        "points": numbered or None,
        "total": min(points) if points else None,
        "extracted": {"problem": None if points else "unreadable"},
        "also": {},
        **changes,
    }


def metrics(*records: dict, model: str = "m", language: str = "en") -> Metrics:
    frame = sample_frame([(model, language, one) for one in records])
    return Metrics(frame, [language])


def value(rows: pd.DataFrame, **keys: str) -> float:
    for column, key in keys.items():
        rows = rows[rows[column] == key]
    (found,) = rows["value"]
    return found


def five(group: str, *totals: float | None) -> list[dict]:
    """All levels of a group, each constraint like the total."""
    return [
        record(group, level, None if total is None else [total] * level)
        for level, total in zip(LEVELS, totals, strict=True)
    ]


def test_rates_by_hand():
    found = metrics(
        record("style/1", 2, [1, 1]), record("style/2", 2, [1, 0]), record("mixed/1", 2, [0, 0])
    )
    hsr, ssr = found.rates("hard"), found.rates("soft")
    assert value(hsr, category="style", level="2") == 50
    assert value(ssr, category="style", level="2") == 75
    # Categories count alike, however many groups they have.
    assert value(hsr, category=OVERALL, level="2") == 25
    assert value(ssr, category=OVERALL, level="") == 37.5


def test_levels_by_hand():
    groups = [*five("style/1", 1, 1, 0, 1, 1), *five("style/2", 0, 1, 1, 1, 1)]
    csl = metrics(*groups, *five("mixed/1", 1, 1, 1, 1, 1)).levels()
    assert value(csl, category="style") == 1
    assert value(csl, category=OVERALL) == 3


def test_a_missing_verdict_leaves_both_sides_of_the_fraction():
    found = metrics(*five("style/1", 1, None, 1, 1, 1), *five("style/2", 1, 0, 0, 0, 0))
    hsr = found.rates("hard").set_index(["category", "level"])
    assert tuple(hsr.loc[("style", "2"), ["value", "n", "expected"]]) == (0, 1, 2)
    assert tuple(hsr.loc[("style", ""), ["n", "expected"]]) == (9, 10)
    csl = found.levels().set_index("category")
    assert tuple(csl.loc["style", ["value", "n", "expected"]]) == (1, 1, 2)
    coverage = found.coverage().set_index(["category", "level"])
    counts = ["expected", "scored", "status_ok", "status_invalid", "unreadable"]
    assert list(coverage.loc[("style", ""), counts]) == [10, 9, 9, 1, 0]
    assert list(coverage.loc[(OVERALL, "2"), counts]) == [2, 1, 1, 1, 0]


def test_a_verdict_above_the_first_failure_does_not_matter_to_the_levels():
    csl = metrics(*five("style/1", 1, 0, None, 1, None)).levels().set_index("category")
    assert tuple(csl.loc["style", ["value", "n", "expected"]]) == (1, 1, 1)


def test_failure_consistency_over_all_groups_and_over_judged_ones():
    ruled = [r | {"scorer": "exact"} for r in five("content/1", 0, 0, 0, 0, 0)]
    judged = [*five("style/1", 1, 0, 1, 0, 0), *five("style/2", 1, 1, 1, 1, 0)]
    untold = five("style/3", 1, 0, None, 0, 0)
    rows = metrics(*ruled, *judged, *untold).consistency()
    rows = rows[rows["category"] == OVERALL].set_index("kind")
    assert tuple(rows.loc[OVERALL, ["value", "n", "missing"]]) == (50, 2, 1)
    assert tuple(rows.loc["judge", ["value", "n", "missing"]]) == (0, 1, 1)
    assert tuple(rows.loc["rule", ["value", "n", "missing"]]) == (100, 1, 0)


def test_by_scorer():
    rows = metrics(
        record("content/1", 1, [1], scorer="exact"), record("content/2", 1, [0])
    ).scorers()
    assert value(rows, kind="rule", measure="HSR", level="1") == 100
    assert value(rows, kind="judge", measure="SSR", level="1") == 0


def test_a_model_without_some_samples_shows_it():
    frame = sample_frame(
        [("a", "en", one) for one in five("style/1", 1, 1, 1, 1, 1)]
        + [("b", "en", one) for one in five("style/1", 1, 1, 1, 1, 1)[:2]]
    )
    rows = Metrics(frame, ["en"]).coverage()
    whole = rows[(rows["category"] == OVERALL) & (rows["level"] == "")].set_index("model")
    assert list(whole["expected"]) == [5, 5] and list(whole["scored"]) == [5, 2]


def test_nothing_scored_is_no_error(tmp_path):
    found = metrics(*five("style/1", None, None, None, None, None))
    assert found.rates("hard").empty and found.levels().empty and found.scorers().empty
    headline = found.headline()
    assert list(headline["measure"]) == ["HSR", "SSR", "CSL"]
    assert headline["value"].isna().all() and list(headline["n"]) == [0, 0, 0]
    assert list(headline["expected"]) == [5, 5, 1]


def case_records(case: dict) -> list[dict]:
    """Score records in mode released of a recorded case."""
    found = []
    for row in case["judged"]:
        level, kept = row["level"], round(row["soft"] * row["level"])
        points = [-1.0] * level if row["hard"] < 0 else [1.0] * kept + [0.0] * (level - kept)
        group = f"{case['category']}/{row['example_id']}"
        found.append(record(group, level, points))
    for row in case["ruled"]:
        group = f"{case['category']}/r{row['example_id']}"
        found.append(record(group, row["level"], [float(row["satisfied"])], scorer="exact"))
    return found


def test_recorded_verdicts_give_the_released_numbers():
    for case in cases("metrics"):
        found = metrics(*case_records(case), language=case["lang"])
        sign = "%" if case["lang"] == "zh" else ""
        for column, printed in (("hard", case["HSR"]), ("soft", case["SSR"])):
            rates = found.rates(column)
            for level, text in zip(LEVELS, printed or [], strict=False):
                number = value(rates, category=case["category"], level=str(level))
                assert f"{number:.2f}{sign}" == text, case["id"]
        assert str(round(value(found.levels(), category=case["category"]), 1)) == case["CSL"]
        if counts := case["failure_consistency_judged_only"]:
            rows = found.consistency()
            (row,) = rows[
                (rows["kind"] == "judge") & (rows["category"] == case["category"])
            ].itertuples()
            assert row.n == counts["n_groups_with_early_failure"]
            share = counts["n_consistent"] / row.n if row.n else math.nan
            assert row.value == pytest.approx(100 * share, nan_ok=True)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Two models in both languages, two judges and labels, through all metrics."""
    folder = tmp_path_factory.mktemp("followbench")
    scores, sources = {}, {}
    for language in ("en", "zh"):
        run = Run(folder, language=language)
        sources[language] = run.sources
        for model, how in (("reference", "reference"), ("sim-a", "simulated")):
            run.answer(model, how)
            run.judge(model, "first", how)
            run.judge(model, "second", "simulated")
            run.score(model, "first", "second")
            scores[model, language] = run.path("scores", model)
    given = {"ann": ["YES", "NO"], "ben": ["YES", "YES"], "cy": ["YES", "NO"]}
    labels = [
        {"model": "sim-a", "sample_id": f"en/style/{n}/2", "rater": rater, "verdicts": verdicts}
        for n in (1, 2, 3)
        for rater, verdicts in given.items()
    ]
    write_jsonl(folder / "labels.jsonl", labels)
    outs = {name: folder / f"metrics/{name}.csv" for name in benchmark.METRICS}
    settings = {"languages": ["en", "zh"], "judges": ["first", "second"]}
    compute_metrics(scores, sources, settings, {"labels": folder / "labels.jsonl"}, outs)
    return folder, scores, sources, settings, outs


def test_every_metrics_file_is_written_and_twice_the_same(ran, tmp_path):
    _, scores, sources, settings, outs = ran
    again = {name: tmp_path / f"{name}.csv" for name in outs}
    compute_metrics(scores, sources, settings, {"labels": ran[0] / "labels.jsonl"}, again)
    for name, path in outs.items():
        assert path.read_bytes() == again[name].read_bytes(), name


def test_the_headline_is_of_the_first_language(ran):
    *_, outs = ran
    rows = read_headline(outs["headline"]).set_index(["model", "measure"])
    hsr = read_csv(outs["hsr"]).set_index(["model", "language", "category", "level"])
    for model in ("reference", "sim-a"):
        whole = hsr.loc[(model, "en", OVERALL, "")]
        assert rows.loc[(model, "HSR"), "value"] == whole["value"]
        assert rows.loc[(model, "HSR"), ["n", "expected"]].tolist() == [whole["n"], 145]
    assert rows.loc[("reference", "CSL"), "expected"] == 29
    # Two items of one format group cannot be passed: 8 of 10 levels' worth of a sixth.
    assert rows.loc[("reference", "HSR"), "value"] == pytest.approx(100 - 10 / 6)
    assert rows.loc[("sim-a", "HSR"), "low"] < rows.loc[("sim-a", "HSR"), "value"]


def test_overall_is_the_plain_mean_of_categories_and_levels(ran):
    *_, outs = ran
    for name in ("hsr", "ssr"):
        rows = read_csv(outs[name])
        rows = rows[(rows["model"] == "sim-a") & (rows["language"] == "zh")]
        cells = rows[rows["category"].isin(CATEGORIES) & (rows["level"] != "")]
        assert len(cells) == 30
        mean = cells["value"].mean()
        assert value(rows, category=OVERALL, level="") == pytest.approx(mean)


def test_intervals_hold_their_value(ran):
    *_, outs = ran
    for name in ("hsr", "ssr", "csl"):
        rows = read_csv(outs[name])
        told = rows[rows["low"].notna()]
        assert len(told) > 20
        assert (told["low"] <= told["value"] + 1e-9).all()
        assert (told["high"] >= told["value"] - 1e-9).all()


def test_raters_are_compared_on_constraints_and_on_items(ran):
    *_, outs = ran
    rows = read_csv(outs["agreement"])
    whole = rows[rows["model"] == ""].set_index(["measure", "first", "second"])
    judged = whole.loc[("constraint", "first", "second")]
    items_judged = whole.loc[("item", "first", "second")]
    assert judged["n"] > items_judged["n"] > 100
    assert items_judged["raw"] <= judged["raw"] < 1
    people = whole[whole["kind"] == "judge and human"]
    raters = {"ann", "ben", "cy", "human majority"}
    assert set(people.index.get_level_values("second")) == raters
    assert whole.loc[("constraint", "ann", "ben"), ["n", "raw"]].tolist() == [6, 0.5]
    assert whole.loc[("item", "ann", "cy"), ["n", "raw"]].tolist() == [3, 1.0]


@pytest.mark.parametrize(
    ("label", "sentence"),
    [
        ({"verdicts": ["YES"]}, "a list of 2 verdicts was expected"),
        ({"verdicts": "YES"}, "a list of 2 verdicts was expected"),
        ({"verdicts": ["YES", "yes"]}, "verdict 2 is 'yes', neither 'YES' nor 'NO'"),
        ({"sample_id": "en/style/1/9"}, "unknown sample_id 'en/style/1/9'.*nearest"),
        ({"sample_id": "en/content/3/2"}, "unknown sample_id 'en/content/3/2'"),
        ({"model": "other"}, "no label is of a model that runs"),
    ],
)
def test_labels_are_checked(ran, tmp_path, label, sentence):
    _, scores, sources, settings, _ = ran
    good = {"model": "sim-a", "sample_id": "en/style/1/2", "verdicts": ["YES", "NO"]}
    write_jsonl(tmp_path / "labels.jsonl", [good | label])
    with pytest.raises(UserError, match=sentence):
        compute_metrics(
            scores,
            sources,
            settings,
            {"labels": tmp_path / "labels.jsonl"},
            {"agreement": tmp_path / "agreement.csv"},
        )


def test_items_count_what_is_asked(ran):
    _, _, sources, _, _ = ran
    rows = items({language: of["data"][language] for language, of in sources.items()})
    assert rows.groupby("language")["n"].sum().to_dict() == {"en": 145, "zh": 140}
    assert rows.groupby("language")["impossible"].sum().to_dict() == {"en": 2, "zh": 0}
    groups = [g for g in read_jsonl(sources["zh"]["data"]["zh"]) if g["category"] == "example"]
    sizes = [len(level["instruction"]) for group in groups for level in group["levels"]]
    (row,) = rows[(rows["language"] == "zh") & (rows["category"] == "example")].itertuples()
    assert (row.groups, row.size) == (len(groups), pytest.approx(sum(sizes) / len(sizes)))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"status": "lost"}, "unknown status 'lost'"),
        ({"task": "tone"}, "unknown task 'tone'"),
        ({"level": 0}, "unknown level 0"),
    ],
)
def test_damaged_scores_are_named(tmp_path, change, sentence):
    path = tmp_path / "scores.jsonl"
    write_jsonl(path, [record("style/1", 2, [1, 1]) | change])
    with pytest.raises(UserError, match=sentence):
        list(read_records({("m", "en"): path}))
    write_jsonl(path, [record("style/1", 2, [1, 1])] * 2)
    with pytest.raises(UserError, match="there twice"):
        list(read_records({("m", "en"): path}))
    lacking = record("style/1", 2, [1, 1])
    del lacking["scorer"]
    write_jsonl(path, [lacking])
    with pytest.raises(UserError, match="lacks 'scorer'"):
        list(read_records({("m", "en"): path}))
