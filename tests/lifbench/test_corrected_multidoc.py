"""Corrected rubric of the MultiDoc scenario, one behaviour at a time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifbench_samples import check_points, samples
from lifbench_samples import corrected_points as points
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


MB_CASES = {
    "no document": (LABELS | {"doc8": "zebra"}, {"logit_correct": 7 / 8, "candi_ori": 7 / 8}),
    "pairs": (
        [*map(list, reversed(LABELS.items()))],
        {"logit_correct": 1, "candi_ori": 1, "format": 0.4},
    ),
    "within a word": (dict.fromkeys(LABELS, "pineapple"), {"logit_correct": 0, "candi_ori": 0}),
    "all at once": (dict.fromkeys(LABELS, CANDIDATES), {"logit_correct": 0, "candi_ori": 0}),
}


@pytest.mark.parametrize(("labels", "expected"), MB_CASES.values(), ids=MB_CASES)
def test_points_of_labels(labels, expected):
    check_points(MB, json.dumps(labels), expected)


def test_label_of_no_document_costs_the_number():
    scored_points = points(MB, json.dumps(LABELS | {"doc8": "zebra"}))
    assert scored_points["num_doc"] == pytest.approx(2.5 * (1 - 1 / 7) / 3)


@pytest.mark.parametrize("missing", ["None", "null", '"None"', '"null"'])
def test_forms_of_a_missing_field_are_read(missing):
    answer = reference_answer(*MF[2][:2]).replace("null", missing)
    assert set(points(MF[2], answer).values()) == {1}


# Of five points of format, a half each for brackets and for nothing around them, and one each for a
# list a line, for JSON at all, for nothing else, and for inner lists with a value for each field.
ANOTHER_FORM = {
    "text before": (lambda answer: f"Groups:\n{answer}", 0.7),
    "numbered": (lambda answer: f"1. {answer}", 0.9),
    "one line": (lambda answer: answer.replace("\n", " "), 0.8),
    "one list": (lambda answer: f"[{answer}]".replace("\n", ",\n"), 0.8),
    "single quotes": (lambda answer: answer.replace('"', "'"), 0.4),
    "bare rows": (lambda answer: "\n".join(line[1:-1] for line in answer.split("\n")), 0.6),
    "object": (
        lambda answer: json.dumps(dict(enumerate(map(json.loads, answer.split("\n"))))),
        0.7,
    ),
    "indented": (
        lambda answer: "\n".join(json.dumps(json.loads(a), indent=1) for a in answer.split("\n")),
        0.2,
    ),
    "joined": (lambda answer: answer.replace('", "', " | "), 0.8),
    "records": (
        lambda answer: (
            answer.replace('["', '{"iD2": "').replace('", "', '", "date": "').replace('"]', '"}')
        ),
        0.8,
    ),
}


@pytest.mark.parametrize(("write", "form"), ANOTHER_FORM.values(), ids=ANOTHER_FORM)
def test_another_form_of_groups_costs_the_format_alone(write, form):
    scored_points = points(MF[1], write(reference_answer(*MF[1][:2])))
    assert scored_points.pop("format") == form
    assert set(scored_points.values()) == {1}


OF_DATES = reference_answer(*MF[1][:2])
MF_CASES = {
    # Each malformed document costs its share of a fifth of the format.
    "a field missing": (1, OF_DATES.replace('["d-01", "2001"]', '["d-01"]'), {"format": 0.96}),
    "a field named": (1, OF_DATES.replace('"d-01"', '"iD2: d-01"'), {"format": 0.96}),
    "half from documents": (0, '[["aQ1"], ["zzz"]]\n[["bQ2"], ["a"]]', {"ori": 0.5}),
    "no titles": (3, '[[null, "bQ2"], [null, "eQ5"]]', {"ori": 1}),
    "never closed": (0, '[["aQ1"', {"format": 0}),
    "no values": (0, "[[null], [null]]", {"ori": 0}),
    "all documents": (
        0,
        '[["aQ1"], ["cQ3"], ["gQ7"], ["bQ2"], ["eQ5"], ["dQ4"], ["fQ6"]]',
        # Five documents of seven; pairs: 3² + 2² of 7².
        {"correct": (3 * 5 / 7 + 13 / 49) / 4, "ori": 1, "format": 1},
    ),
    "text beside the groups": (
        0,
        '{"note": "Two groups.", "a": ["aQ1", "cQ3", "gQ7"], "b": ["bQ2", "eQ5"]}',
        {"correct": 1, "num_text": 1, "ori": 1},
    ),
    "a group twice": (
        0,
        '[["aQ1"], ["cQ3"], ["gQ7"]]\n[["bQ2"], ["eQ5"]]\n[["bQ2"], ["eQ5"]]',
        {"correct": (3 * 5 / 7 + 13 / 17) / 4, "num_text": 4 * (1 - 1 / 4) / 5},
    ),
}


@pytest.mark.parametrize(("variables", "response", "expected"), MF_CASES.values(), ids=MF_CASES)
def test_points_of_groups(variables, response, expected):
    check_points(MF[variables], response, expected)


def test_values_that_begin_with_a_field_name_are_read():
    prompt, context, scenario_prompt = MF[3]  # title and id
    documents = [d | {"title": f"id: {n}"} for n, d in enumerate(context["documents"])]
    sample = (prompt, context | {"documents": documents}, scenario_prompt)
    assert set(points(sample, reference_answer(*sample[:2])).values()) == {1}


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
