"""Corrected rubric of the MultiDoc scenario, one behaviour at a time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifbench_samples import corrected_points as points
from lifbench_samples import samples
from steadfast.benchmarks.lifbench.answers import reference_answer

MB = samples("MB")[0]
MF = samples("MF")
LABELS = json.loads(reference_answer(*MB[:2]))
CANDIDATES = MB[0]["variables"]["candidates"]


@given(st.permutations(list(LABELS.items())))
def test_order_of_keys_does_not_matter(items):
    assert set(points(MB, json.dumps(dict(items))).values()) == {1}


@given(st.dictionaries(st.sampled_from(sorted(LABELS)), st.sampled_from([*CANDIDATES, "?"])))
def test_each_wrong_label_costs_its_share(wrong):
    mixed = LABELS | wrong
    errors = sum(mixed[name] != LABELS[name] for name in LABELS)
    unknown = list(mixed.values()).count("?")
    scored_points = points(MB, json.dumps(mixed))
    assert scored_points["logit_correct"] == pytest.approx(1 - errors / len(LABELS))
    assert scored_points["candi_ori"] == pytest.approx(1 - unknown / len(LABELS))


def test_label_of_no_document_costs_its_share():
    scored_points = points(MB, json.dumps(LABELS | {"doc8": "zebra"}))
    assert scored_points["logit_correct"] == scored_points["candi_ori"] == pytest.approx(7 / 8)
    assert scored_points["num_doc"] < 1


@pytest.mark.parametrize("label", ["pineapple", CANDIDATES], ids=["within a word", "all at once"])
def test_text_that_only_contains_labels_is_no_label(label):
    scored_points = points(MB, json.dumps(dict.fromkeys(LABELS, label)))
    assert scored_points["candi_ori"] == scored_points["logit_correct"] == 0


@pytest.mark.parametrize("missing", ["None", "null", '"None"', '"null"'])
def test_forms_of_a_missing_field_are_read(missing):
    answer = reference_answer(*MF[2][:2]).replace("null", missing)
    assert set(points(MF[2], answer).values()) == {1}


@pytest.mark.parametrize(
    "write",
    [
        lambda answer: f"Groups:\n{answer}",
        lambda answer: f"1. {answer}",
        lambda answer: answer.replace("\n", " "),
        lambda answer: f"[{answer}]".replace("\n", ",\n"),
        lambda answer: answer.replace('"', "'"),
        lambda answer: "\n".join(line[1:-1] for line in answer.split("\n")),
        lambda answer: json.dumps({n: json.loads(a) for n, a in enumerate(answer.split("\n"))}),
        lambda answer: "\n".join(json.dumps(json.loads(a), indent=1) for a in answer.split("\n")),
        lambda answer: answer.replace('", "', " | "),
        lambda answer: (
            answer.replace('["', '{"iD2": "').replace('", "', '", "date": "').replace('"]', '"}')
        ),
    ],
    ids=[
        *("text before", "numbered", "one line", "one list", "single quotes", "bare rows"),
        *("object", "indented", "joined", "records"),
    ],
)
def test_another_form_of_groups_costs_the_format_alone(write):
    scored_points = points(MF[1], write(reference_answer(*MF[1][:2])))
    assert scored_points.pop("format") < 1
    assert set(scored_points.values()) == {1}


@pytest.mark.parametrize(
    ("fields", "written"), [('["d-01", "2001"]', '["d-01"]'), ('"d-01"', '"iD2: d-01"')]
)
def test_malformed_document_costs_its_share_of_a_fifth_of_the_format(fields, written):
    answer = reference_answer(*MF[1][:2])
    assert points(MF[1], answer.replace(fields, written))["format"] == 0.96


def test_origin_is_the_share_of_values_of_documents():
    assert points(MF[0], '[["aQ1"], ["zzz"]]\n[["bQ2"], ["a"]]')["ori"] == 0.5
    assert points(MF[3], '[[null, "bQ2"], [null, "eQ5"]]')["ori"] == 1
    assert points(MF[0], "[[null], [null]]")["ori"] == 0


def test_values_that_begin_with_a_field_name_are_read():
    prompt, context, scenario_prompt = MF[3]  # title and id
    documents = [d | {"title": f"id: {n}"} for n, d in enumerate(context["documents"])]
    sample = (prompt, context | {"documents": documents}, scenario_prompt)
    assert set(points(sample, reference_answer(*sample[:2])).values()) == {1}


def test_further_documents_cost():
    rows = [["aQ1"], ["cQ3"], ["gQ7"], ["bQ2"], ["eQ5"], ["dQ4"], ["fQ6"]]
    scored_points = points(MF[0], json.dumps(rows))
    # Five documents of seven; pairs: 3² + 2² of 7².
    assert scored_points["correct"] == pytest.approx((3 * 5 / 7 + 13 / 49) / 4)
    assert (scored_points["ori"], scored_points["format"]) == (1, 1)


def test_repeated_group_costs():
    response = '[["aQ1"], ["cQ3"], ["gQ7"]]\n[["bQ2"], ["eQ5"]]\n[["bQ2"], ["eQ5"]]'
    assert points(MF[0], response)["correct"] == pytest.approx((3 * 5 / 7 + 13 / 17) / 4)


def test_truncated_response_costs_correct_and_format():
    scored_points = points(MF[0], reference_answer(*MF[0][:2])[:-5])
    assert scored_points["num_text"] == scored_points["ori"] == 1
    assert 0.5 < scored_points["correct"] < 1 and scored_points["format"] < 1


@given(st.data())
def test_further_correct_document_raises_correct(data):
    rows = [["aQ1"], ["cQ3"], ["gQ7"]]
    fewer = data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=2, unique_by=str))
    missing = [row for row in rows if row not in fewer]
    before = points(MF[0], json.dumps(fewer))
    after = points(MF[0], json.dumps([*fewer, missing[0]]))
    assert before["correct"] < after["correct"]
