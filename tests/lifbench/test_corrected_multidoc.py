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
def test_the_order_of_the_keys_does_not_matter(items):
    assert set(points(MB, json.dumps(dict(items))).values()) == {1}


@given(st.dictionaries(st.sampled_from(sorted(LABELS)), st.sampled_from([*CANDIDATES, "?"])))
def test_a_wrong_label_lowers_what_a_right_one_gave(wrong):
    mixed = LABELS | wrong
    errors = sum(mixed[name] != LABELS[name] for name in LABELS)
    strangers = list(mixed.values()).count("?")
    got = points(MB, json.dumps(mixed))
    assert got["logit_correct"] == pytest.approx(1 - errors / len(LABELS))
    assert got["candi_ori"] == pytest.approx(1 - strangers / len(LABELS))


def test_labels_of_no_document_within_words_or_all_at_once_are_none():
    got = points(MB, json.dumps(LABELS | {"doc8": "zebra"}))
    assert got["logit_correct"] == got["candi_ori"] == pytest.approx(7 / 8)
    assert got["num_doc"] < 1
    got = points(MB, json.dumps(dict.fromkeys(LABELS, "pineapple")))
    assert got["candi_ori"] == got["logit_correct"] == 0
    got = points(MB, json.dumps(dict.fromkeys(LABELS, CANDIDATES)))
    assert got["candi_ori"] == got["logit_correct"] == 0


@pytest.mark.parametrize("missing", ["None", "null", '"None"', '"null"'])
def test_whatever_stands_for_a_missing_field_is_read(missing):
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
def test_groups_are_read_however_they_are_written(write):
    got = points(MF[1], write(reference_answer(*MF[1][:2])))
    assert got.pop("format") < 1
    assert set(got.values()) == {1}


def test_each_list_that_is_no_document_as_asked_for_costs_its_share_of_a_fifth_of_the_format():
    of_two = reference_answer(*MF[1][:2])
    assert points(MF[1], of_two.replace('["d-01", "2001"]', '["d-01"]'))["format"] == 0.96
    assert points(MF[1], of_two.replace('"d-01"', '"iD2: d-01"'))["format"] == 0.96


def test_values_are_from_the_context_only_where_a_document_has_them():
    got = points(MF[0], '[["aQ1"], ["zzz"]]\n[["bQ2"], ["a"]]')
    assert got["ori"] == 0.5
    assert points(MF[3], '[[null, "bQ2"], [null, "eQ5"]]')["ori"] == 1
    assert points(MF[0], "[[null], [null]]")["ori"] == 0
    prompt, context, scenario_prompt = MF[3]  # title and id
    documents = [d | {"title": f"id: {n}"} for n, d in enumerate(context["documents"])]
    sample = (prompt, context | {"documents": documents}, scenario_prompt)
    assert set(points(sample, reference_answer(*sample[:2])).values()) == {1}


def test_what_is_added_or_given_twice_costs_as_much_as_what_is_missing():
    rows = [["aQ1"], ["cQ3"], ["gQ7"], ["bQ2"], ["eQ5"], ["dQ4"], ["fQ6"]]
    everything = points(MF[0], json.dumps(rows))
    # Five documents of seven; pairs: 3² + 2² of 7².
    assert everything["correct"] == pytest.approx((3 * 5 / 7 + 13 / 49) / 4)
    assert (everything["ori"], everything["format"]) == (1, 1)
    twice = points(MF[0], '[["aQ1"], ["cQ3"], ["gQ7"]]\n[["bQ2"], ["eQ5"]]\n[["bQ2"], ["eQ5"]]')
    assert twice["correct"] == pytest.approx((3 * 5 / 7 + 13 / 17) / 4)
    whole = reference_answer(*MF[0][:2])
    got = points(MF[0], whole[:-5])
    assert got["num_text"] == got["ori"] == 1
    assert 0.5 < got["correct"] < 1 and got["format"] < 1


@given(st.data())
def test_a_document_more_is_never_less_correct(data):
    rows = [["aQ1"], ["cQ3"], ["gQ7"]]
    fewer = data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=2, unique_by=str))
    more = [*fewer, next(row for row in rows if row not in fewer)]
    of = [points(MF[0], json.dumps(group))["correct"] for group in (fewer, more)]
    assert of[0] < of[1]
