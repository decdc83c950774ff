"""Mode released gives every recorded case, and every released judged record, what is stored."""

import numpy as np
import pandas as pd
import pytest

from released_files import cases
from steadfast.benchmarks.cfbench.facts import FULL, MEASURES, RATES
from steadfast.benchmarks.cfbench.metrics import results
from steadfast.benchmarks.cfbench.satisfaction import Outcome, hundredths, outcome


def of(criteria: list, reply: str | None) -> Outcome:
    return outcome([c[0] for c in criteria], [c[1] for c in criteria], reply)


def test_every_recorded_reply_gives_the_recorded_metrics():
    found = cases("cfbench", "metrics")
    wrong = []
    for case in found:
        got = of(case["criteria"], case["judge_response"])
        want = Outcome(
            case["judge_parsing"],
            tuple(case["judge_score"] or ()),
            None if case["error"] else tuple(case[name] for name in MEASURES),
            case["error"],
        )
        if got != want:
            wrong.append((case["id"], want, got))
    assert not wrong, f"{len(wrong)} of {len(found)} differ, first: {wrong[:3]}"


def test_every_recorded_set_gives_the_recorded_scores():
    found = cases("cfbench", "scores")
    wrong = []
    for case in found:
        samples = pd.DataFrame(case["items"], columns=["split", *RATES]).astype(
            dict.fromkeys(RATES, float)
        )
        rows = results(samples.assign(model="m", cluster=range(len(samples))), "released")
        names = rows["measure"] + ("_" + rows["split"]).where(rows["split"] != FULL, "")
        got = dict.fromkeys(case["scores"]) | dict(zip(names, rows["value"], strict=True))
        if got != case["scores"]:
            wrong.append((case["id"], case["scores"], got))
    assert not wrong, f"{len(wrong)} of {len(found)} differ, first: {wrong[:3]}"


@pytest.mark.parametrize(
    ("value", "rounded"), [(0.885, 0.88), (0.615, 0.62), (0.125, 0.12), (0.375, 0.38), (1.0, 1.0)]
)
def test_rounding_is_numpys(value, rounded):
    assert hundredths(value) == np.round(value, 2) == rounded
