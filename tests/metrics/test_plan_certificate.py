"""The plan's certificate from a pilot run, from released scores, and from neither."""

import json
from pathlib import Path

import pytest

from steadfast.contract.components import Sample
from steadfast.plan.certificate import PartCertificate, PilotCertificate, costs
from steadfast.plan.page import certificate_page

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


def certificate(compared, asked, scores=None, tokens=3072, **settings) -> PartCertificate:
    settings = {"difference": 0.05, "power": 0.8, "models": ["a", "b"], **settings}
    whole = PilotCertificate(
        compared, **settings, tokens=dict.fromkeys(asked, tokens), scores=scores or {}
    )
    return whole.of(asked)[0]


@pytest.mark.parametrize("tokens", [3072, 0], ids=["with a text", "without"])
def test_a_pilot_run_says_how_many_records_are_needed(tmp_path, tokens):
    totals = {"a": [0.4, 0.6] * 10, "b": [0.5] * 20}
    scores = {(m, "zh"): scored(tmp_path, m, values) for m, values in totals.items()}
    found = certificate(RECORDS, {"zh": samples(20)}, scores, tokens, difference=0.01)
    (row,) = found.rows
    # Differences of ±.1 have the variance .2/19, and the normal distribution asks for
    # (1.960 + .842)² · .2/19 ÷ .01² = 826 records. Skewed against the better model (γ = −2/√n) it
    # takes more: t of 1.963 where its cubic is, and √(1 + t · 2/√n + t² · 2/n) times as spread.
    n = 927
    reach = 3 * ((1 - 2 / n**0.5 * (1.963 + 2 / n**0.5 / 6)) ** (1 / 3) - 1) / (-2 / n**0.5)
    spread = (1 + reach * 2 / n**0.5 + reach**2 * 2 / n) ** 0.5
    assert (reach + 0.8416 * spread) ** 2 * 0.2 / 19 / 0.01**2 == pytest.approx(n, abs=2)
    assert row["clusters"] == pytest.approx(n, abs=1)
    assert (row["model"], row["other"], row["clusters_now"]) == ("a", "b", 20)
    page = "\n".join(certificate_page(found, []))
    assert "the pilot run in the results folder (pairs of its models: 1)" in page
    assert f"| overall |  |  | {row['clusters']} | {row['clusters']} | 20 |" in page


def test_without_variances_the_page_asks_for_a_pilot():
    found = certificate(RECORDS, {"zh": samples(20)})
    assert found.rows == []
    assert "Run two models or more as a pilot" in "\n".join(certificate_page(found, []))


def test_a_pilot_of_too_few_clusters_is_none(tmp_path):
    scores = {(m, "zh"): scored(tmp_path, m, [0.1, 0.5, 0.9]) for m in ("a", "b")}
    assert certificate(RECORDS, {"zh": samples(3)}, scores).known == {}


def test_tasks_that_are_groups_have_rows_of_their_own(tmp_path):
    asked = {"en": samples(10, "style") + samples(30, "mixed")}
    paths = {}
    for model, gap in (("a", 0.1), ("b", 0.0)):
        lines = ""
        for task, count in (("style", 10), ("mixed", 30)):
            totals = [0.5 + gap * (-1) ** number for number in range(count)]
            lines += scored(tmp_path, model, totals, task).read_text()
        paths[model, "en"] = tmp_path / f"{model}.jsonl"
        paths[model, "en"].write_text(lines)
    found = certificate(GROUPS, asked, paths).rows
    assert [(row["task"], row["clusters_now"]) for row in found] == [
        ("overall", 40), ("style", 10), ("mixed", 30)
    ]  # fmt: skip


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


def test_released_scores_stand_in_for_a_pilot():
    asked = {length: lifbench_samples(length) for length in ("4k", "8k")}
    found = certificate(LIFBENCH, asked, models=["a", "b", "c"])
    assert [row["task"] for row in found.rows] == ["overall", "OR", "MF", "LSI"]
    overall = found.rows[0]
    assert overall["clusters_now"] == 2
    assert overall["clusters_all"] > overall["clusters"] > 2
    page = "\n".join(certificate_page(found, []))
    assert "each of the 3 pairs" in page
    assert "mean of all 190 pairs" in page
    designs = list(found.designs())
    assert designs[0][2] == overall["clusters_all"]
    # Three tasks, of each 3, 2 and 1 expressions with 2, 1 and 1 variables.
    assert [prompts for _, prompts, _ in designs] == [18, 9, 9, 12, 6, 6, 6, 3, 3]
    assert designs[-1][2] > overall["clusters_all"]


def test_costs_grow_with_the_clusters():
    row = {
        "model": "api", "judges": "", "part": "4k", "requests": 10, "prompt_tokens": 100,
        "distinct_tokens": 50, "output_budget": 20, "whole_gpu_hours": None, "whole_cost": 1.5,
        "whole_cost_uncached": 2.0,
        "currency": "USD",
    }  # fmt: skip
    (found,) = costs([row, row | {"part": "8k"}], "", 3.0)
    assert (found["requests"], found["gpu_hours"]) == (60, None)
    assert (found["cost"], found["cost_uncached"]) == (9.0, 12.0)
    judged = row | {"judges": "j", "requests": 4, "whole_cost": None}
    first, second = costs([row, judged, judged | {"part": "8k"}], "4k", 2.0)
    assert (first["model"], first["requests"], first["cost"]) == ("api", 20, 3.0)
    assert (second["model"], second["requests"], second["cost"]) == ("api (judges)", 8, None)
