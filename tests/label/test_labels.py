"""What people are to label: sampled by names and a seed, written as a sheet that comes back."""

import csv
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project import ROOT
from steadfast.base.errors import UserError
from steadfast.command.main import main
from steadfast.contract.components import Question, Sample
from steadfast.label.sheet import ToLabel, clusters_in_order, sampled, write_sheet
from steadfast.stats.raters import listed_verdicts, read_label_file

QUESTIONS = [Question("1", "Is it calm?"), Question("2", "=1+1")]
ANSWERS = [
    ToLabel("m", "a/1", "Write.\nCalmly.", "</script><b>é", QUESTIONS),
    ToLabel("n", "a/1", "Write.\nCalmly.", 'Sea, "wide"', QUESTIONS),
]


@given(st.dictionaries(st.text(min_size=1, max_size=4), st.sampled_from("abc"), max_size=30))
def test_first_clusters_are_spread_over_the_strata(strata):
    order = clusters_in_order(strata, 1)
    assert sorted(order) == sorted(strata)
    for count in range(len(order) + 1):
        for stratum in set(strata.values()):
            size = sum(of == stratum for of in strata.values())
            got = sum(strata[name] == stratum for name in order[:count])
            assert abs(got - count * size / len(strata)) < 2


def test_the_draw_depends_on_seed_and_names_alone():
    strata = {f"c{n}": "ab"[n % 2] for n in range(20)}
    assert clusters_in_order(strata, 1) == clusters_in_order(dict(reversed(strata.items())), 1)
    assert clusters_in_order(strata, 1) != clusters_in_order(strata, 2)


def test_a_judged_data_set_takes_no_labels_and_the_sentence_says_so(monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit, match=r"nothing to label: .* the judge of Why gives scores"):
        main(["labels", "config/datasets.yaml"])
    with pytest.raises(
        SystemExit, match="nothing to label: no benchmark of this config has a judge"
    ):
        main(["labels", "config/ifeval.yaml"])


def part_with_answers(statuses):
    """A part of two contexts of two samples each, of which one is about nothing, and answers."""
    samples = [
        Sample(
            "p",
            {"sample_id": f"{c}{n}", "context_id": c, "task": "T", "instruction": f"Do {n}."},
            {},
        )
        for c in "ab"
        for n in range(2)
    ]
    questions = SimpleNamespace(make=lambda sample: [] if sample.id == "b1" else QUESTIONS)
    judging = SimpleNamespace(questions=questions, label_id="{part}/{sample_id}")

    def outputs(model):
        return {
            one.id: {
                "status": statuses.get((model, one.id), "ok"),
                "response": f"{model} of {one.id}",
            }
            for one in samples
            if (model, one.id) not in statuses or statuses[model, one.id]
        }

    return SimpleNamespace(task=SimpleNamespace(judging=judging), samples=samples, outputs=outputs)


def test_answers_are_drawn_by_cluster_until_there_are_enough():
    part = part_with_answers({("m", "a1"): "error", ("n", "a1"): None})
    whole = sampled(part, ["m", "n"], 99, 1)
    # Of a the first sample alone was answered, of b the first alone is asked about.
    names = [sorted((one.model, one.sample_id) for one in of) for of in whole]
    assert sorted(names) == [[("m", "p/a0"), ("n", "p/a0")], [("m", "p/b0"), ("n", "p/b0")]]
    (first,) = sampled(part, ["m", "n"], 2, 1)
    assert first == whole[0]
    assert len(sampled(part, ["m", "n"], 3, 1)) == 2
    one = next(one for one in first if one.model == "m")
    assert (one.instruction, one.answer) == ("Do 0.", f"m of {one.sample_id[2:]}")
    assert one.questions == QUESTIONS


@pytest.fixture
def sheet(tmp_path):
    path, _ = write_sheet(ANSWERS, "Title", tmp_path, "bench")
    return path


def filled(path, *verdicts):
    """The sheet as somebody sends it back."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row, verdict in zip(rows, verdicts, strict=True):
        row |= {"verdict": verdict, "rater": "ann"}
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_sheet_that_is_filled_is_a_file_of_labels(sheet):
    found = read_label_file(filled(sheet, "Yes", " no ", "1", ""))
    assert found.records == [
        {"rater": "ann", "model": "m", "sample_id": "a/1", "verdicts": {"1": "yes", "2": "no"}},
        {"rater": "ann", "model": "n", "sample_id": "a/1", "verdicts": {"1": "yes"}},
    ]
    assert listed_verdicts(found.records[0]["verdicts"], 2, "constraint") == {1: 1, 2: 0}


def test_a_verdict_that_is_none_is_named_with_its_line(sheet):
    # The first two rows' instruction has a line break, as every row's.
    with pytest.raises(UserError, match=r"bench\.csv:5: verdict 'maybe' is neither yes nor no"):
        read_label_file(filled(sheet, "yes", "maybe", "", ""))


def test_a_sheet_without_a_column_is_refused(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("verdict,question,model\nyes,1,m\n")
    with pytest.raises(UserError, match="column 'sample_id' is missing"):
        read_label_file(path)


@pytest.mark.parametrize("verdicts", [{"3": "yes"}, {"1": "maybe"}, {"1": True}])
def test_verdicts_by_number_are_yes_or_no_of_known_ones(verdicts):
    with pytest.raises(ValueError, match="yes or no for a number from 1 to 2"):
        listed_verdicts(verdicts, 2, "constraint")


def test_an_answer_is_text_in_the_page_and_no_formula_in_the_sheet(sheet):
    html = sheet.with_suffix(".html").read_text()
    assert html.count("</script>") == 2 and "\\u003c/script>" in html
    assert "'=1+1" in sheet.read_text(encoding="utf-8-sig")
