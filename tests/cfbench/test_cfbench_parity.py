"""Mode released gives every recorded case, and every released judged record, what is stored."""

import json
import math

import pytest

import cfbench_shared
from steadfast.cfbench.released import Outcome, hundredths, outcome, set_scores
from steadfast.files import read_jsonl


def of(criteria: list, reply: str | None) -> Outcome:
    return outcome([c[0] for c in criteria], [c[1] for c in criteria], reply)


def test_every_recorded_reply_gives_the_recorded_metrics():
    found = list(read_jsonl(cfbench_shared.cases("metrics.jsonl")))
    assert found, "metrics.jsonl holds no case"
    wrong = []
    for case in found:
        got = of(case["criteria"], case["judge_response"])
        want = Outcome(
            case["judge_parsing"],
            tuple(case["judge_score"] or ()),
            case["CSR"],
            case["ISR"],
            case["PSR"],
            case["error"],
        )
        if got != want:
            wrong.append((case["id"], want, got))
    assert not wrong, f"{len(wrong)} of {len(found)} differ, first: {wrong[:3]}"


def test_every_recorded_set_gives_the_recorded_scores():
    found = list(read_jsonl(cfbench_shared.cases("scores.jsonl")))
    assert found, "scores.jsonl holds no case"
    wrong = []
    for case in found:
        got = {k: None if math.isnan(v) else v for k, v in set_scores(case["items"]).items()}
        if got != case["scores"]:
            wrong.append((case["id"], case["scores"], got))
    assert not wrong, f"{len(wrong)} of {len(found)} differ, first: {wrong[:3]}"


def test_the_released_judged_records_have_the_stored_fields():
    files = sorted((cfbench_shared.data() / "released" / "judge").glob("*_eval.json"))
    records = [record for path in files for record in json.loads(path.read_text("utf-8"))]
    assert len(records) == 60
    for record in records:
        got = of(record["criteria"], record["judge_response"])
        assert got.parsing == record["judge_parsing"]
        assert list(got.scores) == record["judge_score"]
        assert {"CSR": got.csr, "ISR": got.isr, "PSR": got.psr} == record["judge_metric"]


@pytest.mark.parametrize(
    ("value", "rounded"), [(0.885, 0.88), (0.615, 0.62), (0.125, 0.12), (0.375, 0.38), (1.0, 1.0)]
)
def test_rounding_is_numpys(value, rounded):
    np = pytest.importorskip("numpy")
    assert hundredths(value) == np.round(value, 2) == rounded
