"""The plan's certificate from a pilot run, from released scores, and from neither."""

import json
from pathlib import Path

import pytest

from steadfast.contract.components import Sample
from steadfast.plan.certificate import certificate, comparisons

RECORDS = ("steadfast.stats.certificate:Compared", {"unit": "records"})
GROUPS = (RECORDS[0], {"unit": "groups", "weights": {"style": 1.0, "mixed": 1.0}})
LIFBENCH = (
    "steadfast.benchmarks.lifbench.analyses:compared",
    {"weighting": "mean", "rubric": "released"},
)


def samples(count: int, task: str = "any") -> list[Sample]:
    return [
        Sample("zh", {"sample_id": f"{task}{i}", "task": task, "context_id": f"{task}{i}"}, {})
        for i in range(count)
    ]


def scored(folder: Path, model: str, totals: list[float], task: str = "any") -> Path:
    lines = [
        {
            "sample_id": f"{task}{i}", "draw": 0, "task": task, "context_id": f"{task}{i}",
            "status": "ok", "truncated": False, "judge": None, "points": {}, "total": total,
            "extracted": None, "other_raters": {},
        }
        for i, total in enumerate(totals)
    ]  # fmt: skip
    path = folder / f"{model}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def planned(compared, asked, scores=None, differences=(0.05,), models=("a", "b"), tokens=3072):
    settings = {
        "differences": differences,
        "compared": compared,
        "models": models,
        "tokens": dict.fromkeys(asked, tokens),
    }
    rows, lines = certificate(settings, asked, scores or {})
    return rows, "\n".join(lines)


@pytest.mark.parametrize("tokens", [3072, 0], ids=["with a text", "without"])
def test_a_run_says_how_many_records_are_needed(tmp_path, tokens):
    totals = {"a": [0.4, 0.6] * 10, "b": [0.5] * 20}
    scores = {(m, "zh"): scored(tmp_path, m, values) for m, values in totals.items()}
    rows, page = planned(RECORDS, {"zh": samples(20)}, scores, (0.01, 0.05), tokens=tokens)
    # Differences of ±.1 have the variance .2/19: (1.960 + .842)² · .2/19 ÷ .01² = 826 normal
    # records; skewed ones take more (tests/metrics/test_certificate.py).
    assert rows[0]["clusters"] == rows[0]["clusters_all"] == pytest.approx(927, abs=1)
    assert 33 < rows[1]["clusters"] < 66
    assert rows[0]["factor"] == rows[0]["clusters_all"] / 20
    assert rows[0]["unseen"] == pytest.approx(1 - 0.05 ** (1 / rows[0]["clusters_all"]))
    assert f"| {rows[0]['clusters']} | {rows[0]['factor']:.1f} | rarer than 0.3% |" in page
    assert "the run in the results folder (pairs of its models: 1)" in page
    assert "Configured: 20." in page


def test_without_variances_the_page_asks_for_a_run():
    rows, page = planned(RECORDS, {"zh": samples(20)})
    assert rows == []
    assert "Run two models or more" in page


def test_a_run_of_too_few_clusters_gives_no_variances(tmp_path):
    scores = {(m, "zh"): scored(tmp_path, m, [0.1, 0.5, 0.9]) for m in ("a", "b")}
    assert planned(RECORDS, {"zh": samples(3)}, scores)[0] == []


def test_of_several_pairs_the_one_that_needs_most_counts(tmp_path):
    totals = {"a": [0.5] * 20, "b": [0.4, 0.6] * 10, "c": [0.3, 0.7] * 10}
    scores = {(m, "zh"): scored(tmp_path, m, values) for m, values in totals.items()}
    (row,), _ = planned(RECORDS, {"zh": samples(20)}, scores, models=("a", "b", "c"))
    del scores["b", "zh"]
    (alone,), _ = planned(RECORDS, {"zh": samples(20)}, scores)
    assert row["clusters"] == alone["clusters"] < row["clusters_all"]


def test_groups_of_unequal_size_are_weighed_and_drawn_as_configured(tmp_path):
    asked = {"en": samples(10, "style") + samples(30, "mixed")}
    paths = {}
    for model, gap in (("a", 0.1), ("b", 0.0)):
        lines = ""
        for task, count in (("style", 10), ("mixed", 30)):
            totals = [0.5 + gap * (-1) ** number for number in range(count)]
            lines += scored(tmp_path, model, totals, task).read_text()
        paths[model, "en"] = tmp_path / f"{model}.jsonl"
        paths[model, "en"].write_text(lines)
    (found,) = comparisons(GROUPS, {"en": 0}, asked, paths)
    groups = found.groups(found.variances[0])
    assert (found.part, found.now, [group.share for group in groups]) == ("en", 40, [0.25, 0.75])
    assert [float(group.weights[0]) for group in groups] == [0.5, 0.5]


def lifbench_samples(length: str) -> list[Sample]:
    return [
        Sample(
            length,
            {
                "sample_id": f"{task}/{context}/{expression}/{variable}", "task": task,
                "context_id": context, "expression_id": expression, "variable_id": variable,
            },
            {},
        )
        for task in ("OR", "MF", "LSI")
        for context in ("c1", "c2")
        for expression in range(3)
        for variable in range(2)
    ]  # fmt: skip


def test_released_scores_stand_in_for_a_run():
    asked = {length: lifbench_samples(length) for length in ("4k", "8k")}
    (row,), page = planned(LIFBENCH, asked, models=["a", "b", "c"])
    assert row["clusters_all"] > row["clusters"] > 2
    assert "all 3 pairs" in page and "Configured: 2." in page
    assert "mean of all 190 pairs" in page
