"""What the readers of the corrected rubric take from an answer, each by itself."""

import json

import pytest

from lifbench_samples import LIST, MULTIDOC_CONTEXT, ONEDOC_CONTEXT, SENTENCES, samples
from lifbench_samples import corrected_points as points
from steadfast.benchmarks.lifbench.rubric.corrected import groups, reading
from steadfast.benchmarks.lifbench.rubric.corrected.choices import chosen_option, says_none
from steadfast.benchmarks.lifbench.rubric.corrected.groups import GroupPart
from steadfast.benchmarks.lifbench.rubric.corrected.labels import labels_of
from steadfast.benchmarks.lifbench.rubric.corrected.repeating import Line, lines_of
from steadfast.benchmarks.lifbench.rubric.facts import FieldValues, facts_of

DOCUMENTS = facts_of(MULTIDOC_CONTEXT)
TOPIC = SENTENCES[0][4]
EVIDENCE = SENTENCES[6][4]


# Words that deny or weigh an option stand within 48 characters of it.
@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("Uno", None),
        ("Bruno", None),
        ("Perhaps Yes", "Yes"),
        ("Yes, unlike some other No", "Yes"),
        ("Yes and Yes!", "Yes"),
        ("No tag differs, Yes", "Yes"),
        ("Yes, though the reader may have wanted No, too.", "Yes"),
        ("A Yes, though the reader may have wanted No, too.", None),
        (f"Yes or {'(' * 43}No", None),
        (f"Yes or {'(' * 44}No", "No"),
        (f"not{'(' * 45}No", None),
        (f"not{'(' * 46}No", "No"),
        (f"No{')' * 39} is wrong", None),
        (f"No{')' * 40} is wrong", "No"),
    ],
)
def test_option_on_which_a_text_settles(text, option):
    assert chosen_option(text, ["Yes", "No"]) == option


def test_longest_option_that_stands_in_a_text_is_read():
    assert chosen_option("It is ab.", ["a", "ab"]) == "ab"


def test_statement_of_absence_is_in_the_first_768_characters():
    assert says_none("-" * 763 + "empty")
    assert not says_none("-" * 764 + "empty")


# --- JSON ----------------------------------------------------------------------------------------


def test_value_is_read_from_the_first_bracket_to_the_last():
    assert reading.values_in("So: ['a', None,].", "[") == (False, [["a", None]])
    assert reading.values_in('["a"] or ["b"].', "[") == (False, [["a"], ["b"]])
    assert reading.values_in('[["a"] x', "[") == (False, [["a"]])
    # Of brackets that begin no JSON 31 are passed over.
    assert reading.found_list("[x " * 31 + '["a"]') == (False, ["a"])
    assert reading.found_list("[x " * 32 + '["a"]') == (False, None)
    assert reading.read_value('["a, ]", ]') == (True, ["a, ]"])
    assert reading.read_value('["it\'s", null]') == (True, ["it's", None])


def test_lists_of_one_entry_are_one_list_and_of_others_the_last_counts():
    assert reading.found_list('["a"]\n["b"]') == (False, ["a", "b"])
    assert reading.found_list('["a", "b"]\n["c", "d"]') == (False, ["c", "d"])


def test_list_with_a_list_and_a_text_is_what_it_is():
    assert reading.listed([["a"], "b"]) == [["a"], "b"]


def test_json_strings_are_unescaped_and_others_left():
    assert reading.unescaped(r'"\x4" and "caf\u00e9"') == r'"\x4" and café'


# --- groups of documents -------------------------------------------------------------------------


def test_cut_list_is_read_as_far_as_its_last_inner_list():
    assert groups.parts_of('[["a"], ["b') == [GroupPart(False, [["a"]], is_cut=True)]
    assert groups.parts_of('[["a"], [["b"], ["c') == [GroupPart(False, [["a"]], is_cut=True)]
    assert groups.parts_of('[["a') == []


def nested(objects: int) -> str:
    """Two groups of records, in so many objects."""
    found = (
        '[{"n": 1, "ids": [{"id": "aQ1"}, {"id": "cQ3"}]}, '
        '{"n": 2, "ids": [{"id": "bQ2"}, {"id": "eQ5"}]}]'
    )
    return '{"found": ' * objects + found + "}" * objects


AC = [("aq1",), ("cq3",)]
BE = [("bq2",), ("eq5",)]
LISTED = {
    "a document in a line": ('["aQ1", "2001"]', ["id", "date"], [[("aq1", "2001")]]),
    "single quotes": ("[['aQ1'], ['cQ3']]", ["id"], [AC]),
    "a list over two lines": ('[["aQ1"],\n["cQ3"]]\n[["bQ2"], ["eQ5"]]', ["id"], [AC, BE]),
    "the last line cut": ('["aQ1"], ["cQ3"]\n["bQ2"], ["eQ5"', ["id"], [AC, BE[:1]]),
    "several ids in each list": ('[["aQ1", "cQ3"], ["bQ2", "eQ5"]]', ["id"], [AC, BE]),
    "text around an object": ('So: {"a": {"id": "aQ1"}, "b": {"id": "cQ3"}}.', ["id"], [AC]),
    "in three objects": (nested(3), ["id"], [AC, BE]),
}


@pytest.mark.parametrize(("response", "keys", "expected"), LISTED.values(), ids=LISTED)
def test_groups_in_lists(response, keys, expected):
    lines = list(map(groups.parts_of, response.split("\n")))
    assert groups.groups_of(response, lines, keys) == expected


def test_groups_deeper_than_six_lists_and_objects_are_not_read():
    assert groups.groups_of(nested(4), [], ["id"]) != [AC, BE]


def test_names_of_fields_and_no_others_are_taken_off():
    named = [[("note: aq1",), ("id: aq1",)]]
    assert groups.without_names(named, ["id"], set()) == [[("note: aq1",), ("aq1",)]]


WRITTEN = {
    "two documents a line": (("id",), "aQ1, cQ3\nbQ2, eQ5", [AC, BE]),
    "numbered lines": (("id",), "1 - aQ1\n2 - cQ3\n\n3 - bQ2\n4 - eQ5", [AC, BE]),
    "numbers of groups": (("id",), "| 1 | aQ1 |\n| | cQ3 |\n| 2 | bQ2 |\n| | eQ5 |", [AC, BE]),
    "an unknown id": (("id",), "zz99-zz99, aQ1, cQ3", [[("zz99-zz99",), *AC]]),
    "an unknown id behind a title": (
        ("title", "id"),
        "Last, zz99-zz99; Last, gQ7; 2016, fQ6",
        [[("last", "zz99-zz99"), ("last", "gq7"), ("2016", "fq6")]],
    ),
}


@pytest.mark.parametrize(("keys", "response", "expected"), WRITTEN.values(), ids=WRITTEN)
def test_groups_in_lines(keys, response, expected):
    assert groups.written_groups(response, DOCUMENTS.values_of(keys)) == expected


@pytest.mark.parametrize("order", [1, -1])
def test_value_of_several_fields_is_of_the_next_one_and_else_of_the_first(order):
    documents = [
        {"title": "Report"},
        {"title": "news", "id": "bQ2", "source": "essay"},
        {"id": "aQ1", "source": "news"},
    ]
    known = FieldValues(documents[::order], ("title", "id", "source"))
    rows = [("report", None, None), ("news", "bq2", "essay"), (None, "aq1", "news")]
    assert groups.written_groups("(Report), (news, bQ2, essay), (aQ1, news)", known) == [rows]


# --- labels of documents -------------------------------------------------------------------------

EACH = ["cat", "dog", "apple", "banana"]
LABELS = {
    # Labels by the documents' numbers, and the points for JSON.
    "bare": ('{"doc1": "banana (so)", "doc2": "cat"}', {1: "banana", 2: "cat"}, 2.5),
    "text around": ('So: {"doc1": "banana"}', {1: "banana"}, 2),
    "in an object": ('{"labels": {"1": "banana"}}', {1: "banana"}, 2),
    "in a list": ('[{"doc1": "banana"}]', {1: "banana"}, 2),
    "lists of one": ('[["banana"], ["cat"]]', {1: "banana", 2: "cat"}, 2),
    "JSON text": ('"banana"', {1: "banana"}, 0),
    "no labels": ('["x", "y"]', {1: "", 2: ""}, 2),
    "two numbers in a record": ('[{"id": 1, "page": 7, "label": "cat"}]', {1: ""}, 2),
    "two in a line": ("1: banana, 2: cat", {1: "banana", 2: "cat"}, 0),
    "before names": ("banana: doc1, doc4", {1: "banana", 4: "banana"}, 0),
    "a label without number": ("banana, 2: cat", {}, 0),
    "a word before": ("See 1: banana", {}, 0),
    "a word before a label": ("See banana: 1, 4", {}, 0),
    "a word before several": ("x banana, cat", {}, 0),
    "each label": ("cat, dog, apple, banana", dict(enumerate(EACH, start=1)), 0),
}


@pytest.mark.parametrize(("response", "by_number", "form"), LABELS.values(), ids=LABELS)
def test_labels_of_four_documents(response, by_number, form):
    read = labels_of(response, EACH, 4)
    assert (read.by_number, read.form) == (by_number, form)


def test_names_of_documents_are_as_written():
    assert labels_of("doc1: banana\nDocument 2: cat", EACH, 2).names == {"doc1", "Document 2"}


# --- lines of sentences with types ---------------------------------------------------------------

TOPIC_ROW = f"{TOPIC} ||||| #Topic#"
EVIDENCE_ROW = f"{EVIDENCE} ||||| *Evidence*"
BOTH = [Line(TOPIC_ROW, False), Line(EVIDENCE_ROW, False)]
LINES = {
    "types below": (
        f"Two:\n{TOPIC}\n#Topic#\n{EVIDENCE}\n|||||\n*Evidence*\nDone.",
        [Line("Two:"), *BOTH, Line("Done.")],
    ),
    "a type below a row": (
        f"{TOPIC_ROW}\n#Topic#\n|||||",
        [Line(TOPIC_ROW), Line("#Topic#"), Line("|||||")],
    ),
    "headings": (
        f"Two:\n#Topic#\n{TOPIC}\n{EVIDENCE_ROW}\n*Evidence*",
        [Line("Two:"), BOTH[0], Line(EVIDENCE_ROW), Line("*Evidence*")],
    ),
    "no key sentence": ("#Topic#\nSo it is.", [Line("#Topic#"), Line("So it is.")]),
    "JSON by type": (
        f'{{"Topic": "{TOPIC}", "note": "So."}}',
        [BOTH[0], Line("So. ||||| note", False)],
    ),
    "JSON": (f'Two:\n[["{TOPIC}", "#Topic#"],\n["{EVIDENCE}", "*Evidence*"]]\nDone.', BOTH),
}


@pytest.mark.parametrize(("response", "lines"), LINES.values(), ids=LINES)
def test_lines_of_sentences_with_their_types(response, lines):
    assert lines_of(response, "|||||", facts_of(ONEDOC_CONTEXT)) == lines


def test_part_of_a_document_is_as_long_as_the_shortest_sentence():
    assert facts_of(ONEDOC_CONTEXT).holds("A plain op")  # 10 characters, as in Chinese
    assert not facts_of(ONEDOC_CONTEXT).holds("A plain o")


# --- limits --------------------------------------------------------------------------------------

TYPED = samples("OE")[0]
ABSENT = samples("OE")[3]
MISSPELT = TOPIC.replace("real", "rea1")
LIMITS = {
    "misspelt row": (samples("OR")[1], 64, " ||||| #Topic#\n".join, f"{MISSPELT} |||||", "hit"),
    "misspelt sentence": (TYPED, 64, json.dumps, MISSPELT, "correct"),
    "misspelt line": (TYPED, 64, "\n".join, MISSPELT, "correct"),
    "sentence of the document": (TYPED, 64, json.dumps, TOPIC, "ori"),
    "misspelt element": (samples("LSI")[0], 8, "\n".join, LIST[0].replace("f", "e"), "correct"),
}


@pytest.mark.parametrize(("sample", "most", "write", "text", "point"), LIMITS.values(), ids=LIMITS)
def test_last_text_that_is_looked_for(sample, most, write, text, point):
    others = [f"({number}) {number} [{number}]" for number in range(most)]
    assert points(sample, write([*others[1:], text]))[point] > 0
    assert points(sample, write([*others, text]))[point] == 0


@pytest.mark.parametrize("write", [json.dumps, "\n".join], ids=["list", "lines"])
def test_absent_type_with_a_sentence_among_the_first_64_texts(write):
    for number, correct in ((63, 0), (64, 1)):
        answer = write(["None."] * number + [f"None: {TOPIC}"])
        assert points(ABSENT, answer)["correct"] == correct


def test_facts_of_the_last_128_contexts_are_kept():
    contexts = [dict(MULTIDOC_CONTEXT) for _ in range(129)]
    first, *_ = map(facts_of, contexts[:128])
    assert facts_of(contexts[0]) is first
    facts_of(contexts[128])
    assert facts_of(contexts[0]) is not first
