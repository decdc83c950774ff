"""Responses to label are sampled by a seed; the sheet is read again once it is filled."""

from collections import Counter
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from project import ROOT
from steadfast.base.errors import UserError
from steadfast.command.main import main
from steadfast.contract.components import Question, Sample
from steadfast.label.sheet import ResponseToLabel, clusters_in_order, sample_responses, write_sheet
from steadfast.stats.raters import listed_verdicts, read_label_file

QUESTIONS = [Question("1", "Is it calm?"), Question("2", "=1+1")]
RESPONSES = [
    ResponseToLabel("m", "a/1", "Write.\nCalmly.", "</script><b>é", QUESTIONS),
    ResponseToLabel("n", "a/1", "Write.\nCalmly.", 'Sea, "wide"', QUESTIONS),
]


@given(st.dictionaries(st.text(min_size=1, max_size=4), st.sampled_from("abc"), max_size=30))
def test_first_clusters_are_spread_over_the_strata(strata):
    order = clusters_in_order(strata, 1)
    assert sorted(order) == sorted(strata)
    sizes = Counter(strata.values())
    for count in range(len(order) + 1):
        counts = Counter(strata[name] for name in order[:count])
        for stratum, size in sizes.items():
            assert abs(counts[stratum] - count * size / len(strata)) < 2


def test_order_of_clusters_depends_on_seed_and_names_only():
    strata = {f"c{n}": "ab"[n % 2] for n in range(20)}
    assert clusters_in_order(strata, 1) == clusters_in_order(dict(reversed(strata.items())), 1)
    assert clusters_in_order(strata, 1) != clusters_in_order(strata, 2)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("datasets", r"nothing to label: .* the judge of Why gives scores"),
        ("ifeval", "nothing to label: no benchmark of this config has a judge"),
    ],
)
def test_config_without_verdicts_has_nothing_to_label(monkeypatch, config, message):
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit, match=message):
        main(["labels", f"config/{config}.yaml"])


def finished_part(statuses):
    """A part of two contexts with two samples each, one without questions, and its outputs."""
    samples = []
    for name in ("a0", "a1", "b0", "b1"):
        instruction = f"Do {name[1]}."
        fields = {"context_id": name[0], "task": "T", "instruction": instruction}
        samples.append(Sample("p", {"sample_id": name, **fields}, {}))
    questions = SimpleNamespace(make=lambda sample: [] if sample.id == "b1" else QUESTIONS)
    judging = SimpleNamespace(questions=questions, label_id="{part}/{sample_id}")

    def outputs(model):
        records = {}
        for sample in samples:
            if status := statuses.get((model, sample.id), "ok"):
                records[sample.id] = {"status": status, "response": f"{model} of {sample.id}"}
        return records

    return SimpleNamespace(task=SimpleNamespace(judging=judging), samples=samples, outputs=outputs)


def test_responses_are_sampled_by_cluster_up_to_the_number():
    part = finished_part({("m", "a1"): "error", ("n", "a1"): None})
    clusters = sample_responses(part, ["m", "n"], 99, 1)
    names = sorted(sorted(response[:2] for response in cluster) for cluster in clusters)
    # a1 has no response, and b1 no question.
    assert names == [[("m", "p/a0"), ("n", "p/a0")], [("m", "p/b0"), ("n", "p/b0")]]
    assert sample_responses(part, ["m", "n"], 2, 1) == clusters[:1]
    assert sample_responses(part, ["m", "n"], 3, 1) == clusters
    for response in clusters[0]:
        sample_id = response.sample_id.removeprefix("p/")
        assert response.instruction == "Do 0."
        assert response.answer == f"{response.model} of {sample_id}"
        assert response.questions == QUESTIONS


@pytest.fixture
def sheet(tmp_path):
    path, _ = write_sheet(RESPONSES, "Title", tmp_path, "bench")
    return path


def filled(path, *verdicts):
    """The sheet with a rater's verdicts."""
    rows = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    rows.assign(verdict=verdicts, rater="ann").to_csv(path, index=False)
    return path


def test_filled_sheet_is_a_label_file(sheet):
    records = read_label_file(filled(sheet, "Yes", " no ", "1", "")).records
    assert records == [
        {"rater": "ann", "model": "m", "sample_id": "a/1", "verdicts": {"1": "yes", "2": "no"}},
        {"rater": "ann", "model": "n", "sample_id": "a/1", "verdicts": {"1": "yes"}},
    ]
    assert listed_verdicts(records[0]["verdicts"], 2, "constraint") == {1: 1, 2: 0}
    for yes, no in ("yn", "10", "是否"):
        for record in read_label_file(filled(sheet, yes, no, yes, no)).records:
            assert record["verdicts"] == {"1": "yes", "2": "no"}


def test_invalid_verdict_is_reported_with_its_line(sheet):
    # Each row takes two lines, since its instruction has a line break.
    with pytest.raises(UserError, match=r"bench\.csv:5: verdict 'maybe' is neither yes nor no"):
        read_label_file(filled(sheet, "yes", "maybe", "", ""))


def test_sheet_without_a_column_is_refused(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("verdict,question,model\nyes,1,m\n")
    with pytest.raises(UserError, match="column 'sample_id' is missing"):
        read_label_file(path)


@pytest.mark.parametrize("verdicts", [{"3": "yes"}, {"1": "maybe"}, {"1": True}])
def test_invalid_verdicts_by_number_are_refused(verdicts):
    with pytest.raises(ValueError, match="yes or no for a number from 1 to 2"):
        listed_verdicts(verdicts, 2, "constraint")


@pytest.mark.parametrize(
    ("verdicts", "message"),
    [
        ([1, 0, 1], "a list of 2 verdicts, one per constraint"),
        ([1], "a list of 2 verdicts"),
        ([1, True], "verdict 2 is True, neither 1 nor 0"),
    ],
)
def test_invalid_list_of_verdicts_is_refused(verdicts, message):
    with pytest.raises(ValueError, match=message):
        listed_verdicts(verdicts, 2, "constraint")


def test_response_is_text_in_the_page_and_no_formula_in_the_sheet(sheet):
    html = sheet.with_suffix(".html").read_text()
    assert html.count("</script>") == 2 and "\\u003c/script>" in html and "é" in html
    text = sheet.read_text(encoding="utf-8-sig")
    assert text.startswith("instruction,answer,asked,verdict,rater,question,sample_id,model\n")
    assert "'=1+1" in text
