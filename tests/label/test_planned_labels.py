"""What the plan says of labels: a width for each number of answers that the design allows."""

from types import SimpleNamespace

import pytest

from steadfast.plan.labels import labels_page

ASKED = ("steadfast.benchmarks.cfbench.agreement:questions", {})


def page(clusters, size, models=1):
    point = {"text": "calm"}
    samples = [
        SimpleNamespace(
            prompt={"context_id": f"c{number // size}"},
            source={"checkpoints": [point]},
            id=str(number),
        )
        for number in range(clusters * size)
    ]
    return labels_page(ASKED, samples, models)


def table(lines):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[-1].splitlines()]


def test_answers_of_all_models_count_and_clusters_are_whole():
    head, _, *rows = table(page(clusters=100, size=5, models=2))
    assert head[:4] == ["answers", "clusters", "judge of no use, alike 0", "80% right, alike 0"]
    assert [row[:2] for row in rows] == [["150", "15"], ["300", "30"], ["600", "60"]]


def test_clusters_of_one_answer_have_no_likeness():
    head, _, first, *_ = table(page(clusters=1000, size=1))
    assert head[2:] == ["judge of no use", "80% right", "90% right", "95% right"]
    # 1.993 × √(.25 ÷ 75), t with 73 degrees of freedom.
    assert first[:3] == ["75", "75", "± 0.115"]


@pytest.mark.parametrize(("clusters", "models"), [(9, 1), (100, 0)])
def test_where_nothing_can_be_corrected_nothing_is_said(clusters, models):
    assert page(clusters, 1, models) == []
