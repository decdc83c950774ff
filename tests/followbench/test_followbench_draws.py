"""FollowBench's metrics of models that were asked each prompt several times."""

import pandas as pd
import pytest

from followbench_run import JUDGES, LANGUAGES, run, scored
from steadfast.benchmarks.followbench.frames import sample_frame
from steadfast.benchmarks.followbench.metrics import LevelMetrics, metrics
from steadfast.benchmarks.followbench.tables import tables
from steadfast.contract.components import Answer, Frames, Scored
from steadfast.contract.records import OVERALL
from steadfast.show.render import comma_separated
from steadfast.show.roster import Display
from test_followbench_metrics import five, value

DRAWS = 3
COUNTS = ["n", "expected", "missing", "only_first", "only_second"]


def draws(*of_group: list[dict]) -> LevelMetrics:
    """The metrics of a model, of the levels of each draw."""
    rows = [row | {"draw": draw} for draw, levels in enumerate(of_group) for row in levels]
    return LevelMetrics(sample_frame(Scored("m", "en", row) for row in rows), ["en"])


def test_equal_draws_change_no_value_and_no_interval():
    scores, data = scored()
    thrice = [
        one._replace(record=one.record | {"draw": draw})
        for one in scores
        for draw in range(DRAWS if one.model == "sim-c" else 1)
    ]
    once, several = (metrics(iter(s), data, None, LANGUAGES, JUDGES) for s in (scores, thrice))
    for found in (once, several):  # of all models together a model with draws has more answers
        found["agreement"] = found["agreement"].query("model != ''").reset_index(drop=True)
    for name in ("hsr", "ssr", "csl", "scorers", "consistency", "agreement", "headline", "items"):
        values = once[name].columns.difference(COUNTS)
        pd.testing.assert_frame_equal(once[name][values], several[name][values], rtol=1e-9)
    for name, counts in {"hsr": ["n", "expected"], "csl": ["n", "expected"]}.items():
        times = once[name]["model"].map(lambda model: DRAWS if model == "sim-c" else 1)
        for count in counts:
            assert (several[name][count] == once[name][count] * times).all()


def test_the_levels_of_one_draw_belong_together():
    found = draws(five("style/1", 1, 0, 1, 1, 1), five("style/1", 0, 1, 1, 1, 1))
    csl = found.levels().set_index("category").loc["style"]
    # One level and none; the levels of both draws together would keep all five somewhere.
    assert tuple(csl[["value", "n", "expected"]]) == (0.5, 2, 2)
    assert value(found.rates("hard"), category="style", level="1") == 50
    assert value(found.rates("hard"), category="style", level="") == 80
    rows = found.consistency()
    rows = rows[rows["category"] == OVERALL].set_index("kind")
    assert tuple(rows.loc["judge", ["value", "n"]]) == (0, 2)


def test_draws_are_expected_and_counted():
    found = draws(five("style/1", 1, 1, 1, 1, 1), five("style/1", 1, None, 1, 1, 1))
    whole = found.coverage().set_index(["category", "level"]).loc[(OVERALL, "")]
    assert whole[["expected", "scored", "status_invalid"]].tolist() == [10, 9, 1]
    rates = {"hsr": found.rates("hard"), "ssr": found.rates("soft"), "csl": found.levels()}
    headline = found.headline(rates, found.comparisons()).set_index("measure")
    assert headline.loc["HSR", ["n", "expected"]].tolist() == [9, 10]
    assert headline.loc["CSL", ["n", "expected"]].tolist() == [1, 2]


def of_unfinished() -> Frames:
    """The metrics of a model whose answers to two items, a ruled and a judged one, have no end."""
    judged = run()
    cut = {"status": "unfinished", "text": ""}
    lost = {"en/content/1/1": cut, "en/style/1/2": cut}
    answers = judged.answers("en", "reference", lost)
    replies = judged.replies("en", answers)
    scores = judged.scores("en", answers, first=replies).values()
    return metrics((Scored("m", "en", one) for one in scores), judged.data, None, ["en"], ["first"])


def test_an_unfinished_answer_has_no_score_and_a_column_of_its_own():
    assert not Answer("unfinished", "").answered
    frames = of_unfinished()
    counts = frames["coverage"].set_index(["category", "level"])
    assert counts.loc[(OVERALL, ""), ["expected", "scored"]].tolist() == [145, 143]
    assert counts.loc[("style", "2"), "status_unfinished"] == 1
    assert value(frames["hsr"], category="style", level="2") == 100
    (table,) = tables(frames, Display(), "strict", ["en"], ["coverage"])
    head, row = (line.split(",") for line in comma_separated(table).splitlines())
    assert row[head.index("Unfinished")] == "2"
    assert float(row[head.index("All")]) == pytest.approx(100 * 143 / 145, abs=0.1)
