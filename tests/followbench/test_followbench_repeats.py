"""FollowBench's metrics of models that were asked each prompt several times."""

import pandas as pd
import pytest

from followbench_run import JUDGES, LANGUAGES, scored
from steadfast.benchmarks.followbench.frames import sample_frame
from steadfast.benchmarks.followbench.metrics import LevelMetrics, metrics
from steadfast.contract.components import Scored
from steadfast.contract.records import OVERALL
from test_followbench_metrics import five, value

REPEATS = 3
COUNTS = ["n", "expected", "missing", "only_first", "only_second"]


def repeats(*of_group: list[dict]) -> LevelMetrics:
    """The metrics of a model, of the levels of each repeat."""
    rows = [row | {"repeat": repeat} for repeat, levels in enumerate(of_group) for row in levels]
    return LevelMetrics(sample_frame(Scored("m", "en", row) for row in rows), ["en"])


@pytest.mark.wide
def test_equal_draws_change_no_value_and_no_interval():
    scores, data = scored()
    thrice = [
        one._replace(record=one.record | {"repeat": repeat})
        for one in scores
        for repeat in range(REPEATS if one.model == "sim-c" else 1)
    ]
    once, several = (metrics(iter(s), data, None, LANGUAGES, JUDGES) for s in (scores, thrice))
    for found in (once, several):  # of all models together a model with repeats has more answers
        found["agreement"] = found["agreement"].query("model != ''").reset_index(drop=True)
    for name in ("hsr", "ssr", "csl", "scorers", "consistency", "agreement", "summary", "items"):
        values = once[name].columns.difference(COUNTS)
        pd.testing.assert_frame_equal(once[name][values], several[name][values], rtol=1e-9)
    for name, counts in {"hsr": ["n", "expected"], "csl": ["n", "expected"]}.items():
        times = once[name]["model"].map(lambda model: REPEATS if model == "sim-c" else 1)
        for count in counts:
            assert (several[name][count] == once[name][count] * times).all()


def test_the_levels_of_one_draw_belong_together():
    found = repeats(five("style/1", 1, 0, 1, 1, 1), five("style/1", 0, 1, 1, 1, 1))
    csl = found.levels().set_index("category").loc["style"]
    # One level and none; the levels of both repeats together would keep all five somewhere.
    assert tuple(csl[["value", "n", "expected"]]) == (0.5, 2, 2)
    assert value(found.rates("hard"), category="style", level="1") == 50
    assert value(found.rates("hard"), category="style", level="") == 80
    rows = found.consistency()
    rows = rows[rows["category"] == OVERALL].set_index("kind")
    assert tuple(rows.loc["judge", ["value", "n"]]) == (0, 2)
