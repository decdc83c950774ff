"""The corrected rubric: right content in another common form loses the format alone, in every task,
and neither nonsense nor an echo gains by it."""

import json

import pytest

from lifbench_samples import DOCUMENTS, LIST, MULTIDOC_CONTEXT, SENTENCES, samples
from lifbench_samples import corrected_points as points

TASKS = ("LSI", "LMI", "MB", "MF", "OR", "OQ", "OE")


def costs_the_format_alone(sample, response: str) -> bool:
    got = points(sample, response)
    return got.pop("format") < 1 and set(got.values()) == {1}


# --- MF ------------------------------------------------------------------------------------------

IDS, PAIRS = samples("MF")[0], samples("MF")[3]  # of id; of title and id
GROUPS_OF_IDS = [
    "Group 1:\n- aQ1\n- cQ3\n- gQ7\nGroup 2:\n- bQ2\n- eQ5",
    "**Group 1**\n\n* `aQ1`\n* `cQ3`\n* `gQ7`\n\n**Group 2**\n\n* `bQ2`\n* `eQ5`",
    "1. Same text:\n   - aQ1\n   - cQ3\n   - gQ7\n2. Same text:\n   - bQ2\n   - eQ5",
    "- aQ1\n- cQ3\n- gQ7\n\n- bQ2\n- eQ5",
    "aQ1, cQ3, gQ7\nbQ2, eQ5",
    "1. aQ1, cQ3, gQ7\n2. bQ2, eQ5",
    "Group 1: aQ1, cQ3 and gQ7. Group 2: bQ2 and eQ5.",
    "id: aQ1, id: cQ3, id: gQ7\nid: bQ2, id: eQ5",
    '[["id: aQ1"], ["id: cQ3"], ["id: gQ7"]]\n[["id=bQ2"], ["id=eQ5"]]',
    '["aQ1"]\n["cQ3"]\n["gQ7"]\n\n["bQ2"]\n["eQ5"]',
    '[["aQ1, cQ3, gQ7"]]\n[["bQ2, eQ5"]]',
    '[["aQ1", "cQ3", "gQ7"]]\n[["bQ2", "eQ5"]]',
    "[[aQ1], [cQ3], [gQ7]]\n[[bQ2], [eQ5]]",
    "| Group | id |\n|---|---|\n| 1 | aQ1 |\n| 1 | cQ3 |\n| 1 | gQ7 |\n| 2 | bQ2 |\n| 2 | eQ5 |",
    "group,id\n1,aQ1\n1,cQ3\n1,gQ7\n2,bQ2\n2,eQ5",
    '[{"group": 1, "ids": ["aQ1", "cQ3", "gQ7"]}, {"group": 2, "ids": ["bQ2", "eQ5"]}]',
    '{"found": [[{"id": "aQ1"}, {"id": "cQ3"}, {"id": "gQ7"}], [{"id": "bQ2"}, {"id": "eQ5"}]]}',
    "<group><id>aQ1</id><id>cQ3</id><id>gQ7</id></group>\n<group><id>bQ2</id><id>eQ5</id></group>",
]
GROUPS_OF_PAIRS = [
    '[["title: The \\"grand\\" tour", "ID: aQ1"], ["title: None", "ID: cQ3"], '
    '["title: Last", "ID: gQ7"]]\n[["title: null", "ID: bQ2"], ["title: null", "ID: eQ5"]]',
    'Group 1:\n- The "grand" tour, aQ1\n- None, cQ3\n- Last, gQ7\n'
    "Group 2:\n- None, bQ2\n- None, eQ5",
    'Group 1:\n- id: aQ1, title: The "grand" tour\n- id: cQ3\n- id: gQ7, title: Last\n'
    "Group 2:\n- id: bQ2\n- id: eQ5",
    'Group 1:\n- title: The "grand" tour\n  id: aQ1\n- title: None\n  id: cQ3\n- title: Last\n'
    "  id: gQ7\nGroup 2:\n- title: None\n  id: bQ2\n- title: None\n  id: eQ5",
    '(The "grand" tour, aQ1), (None, cQ3), (Last, gQ7)\n(None, bQ2), (None, eQ5)',
    "| Group | title | id |\n|---|---|---|\n"
    '| 1 | The "grand" tour | aQ1 |\n| 1 | None | cQ3 |\n| 1 | Last | gQ7 |\n'
    "| 2 | None | bQ2 |\n| 2 | None | eQ5 |",
    '[{"group": 1, "documents": [{"id": "aQ1", "title": "The \\"grand\\" tour"}, {"id": "cQ3"}, '
    '{"id": "gQ7", "title": "Last"}]}, {"group": 2, "documents": [{"id": "bQ2"}, {"id": "eQ5"}]}]',
]


@pytest.mark.parametrize("answer", GROUPS_OF_IDS)
def test_groups_of_one_field_in_another_form(answer):
    assert costs_the_format_alone(IDS, answer)


@pytest.mark.parametrize("answer", GROUPS_OF_PAIRS)
def test_groups_of_two_fields_in_another_form(answer):
    assert costs_the_format_alone(PAIRS, answer)


def test_an_identifier_that_no_document_has_costs_in_lines_too():
    got = points(IDS, "aQ1, cQ3, zz99-zz99\nbQ2, eQ5")
    # Four of five documents, and pairs: 2² + 2² of 3² + 2².
    assert got["correct"] == pytest.approx((3 * 4 / 5 + 8 / 13) / 4)
    assert (got["ori"], got["num_text"]) == (pytest.approx(4 / 5), 1)


def test_what_is_no_answer_in_any_form_has_no_points():
    start = "\n\n".join(MULTIDOC_CONTEXT["text"].split("\n\n")[:5])
    assert points(IDS, start)["num_text"] == points(IDS, start)["ori"] == 0
    assert set(points(IDS, "Group 1:\n- aQ1\n\nGroup 2:\n- bQ2").values()) == {0}
    by_source = samples("MF")[2]  # id, source and title
    assert set(points(by_source, "The news report and the essay: news, essay.").values()) == {0}
    sample, _ = labelled(CODES)
    assert set(points(sample, ", ".join(CODES)).values()) == {0}
    got = points(TWO, "#Topic#\n*Evidence*")
    assert got["hit"] == got["correct"] == got["ori"] == 0


# --- MB ------------------------------------------------------------------------------------------

CODES = ["7041", "2286", "9530", "4817"]


def labelled(candidates: list[str]):
    """A prompt with these labels, and the right ones of the documents."""
    prompt, *rest = samples("MB")[0]
    key = "".join(name[0] for name in candidates)
    sample = ({**prompt, "variables": {"rule_key": key, "candidates": candidates}}, *rest)
    lacks = (2 * ("title" not in d) + ("source" not in d) for d in DOCUMENTS)
    return sample, [candidates[place] for place in lacks]


def named(labels: list[str], name: str = "doc") -> dict[str, str]:
    return {f"{name}{n}": label for n, label in enumerate(labels, 1)}


LABEL_FORMS = {
    "single quotes": lambda labels: str(named(labels)),
    "cut off": lambda labels: json.dumps(named(labels))[:-1],
    "fenced JSON": lambda labels: (
        f"So:\n```json\n{json.dumps(named(labels), indent=2)}\n```\nDone."
    ),
    "other keys": lambda labels: json.dumps(named(labels, "doc-")),
    "in a list": lambda labels: json.dumps([named(labels)]),
    "an object a line": lambda labels: "\n".join(
        json.dumps({name: label}) for name, label in named(labels).items()
    ),
    "lists": lambda labels: json.dumps({name: [x] for name, x in named(labels).items()}),
    "reasons": lambda labels: json.dumps(
        {name: f"{x} (see its title)" for name, x in named(labels).items()}
    ),
    "commas": lambda labels: ", ".join(labels),
    "commas and a lead-in": lambda labels: f"The labels are: {', '.join(labels)}.",
    "blanks": lambda labels: " ".join(labels),
    "code fence": lambda labels: f"```\n{', '.join(labels)}\n```",
    "numbers in a line": lambda labels: ", ".join(f"{n}: {x}" for n, x in enumerate(labels, 1)),
    "names in a line": lambda labels: ", ".join(f"doc{n}: {x}" for n, x in enumerate(labels, 1)),
    "label below its document": lambda labels: "\n".join(
        f"### doc{n}\n{x}" for n, x in enumerate(labels, 1)
    ),
    "numbers behind labels": lambda labels: "\n".join(
        f"{x}: {', '.join(str(n) for n, y in enumerate(labels, 1) if x == y)}" for x in set(labels)
    ),
    "numbers below labels": lambda labels: "\n".join(
        "\n- ".join([f"{x}:", *(str(n) for n, y in enumerate(labels, 1) if x == y)])
        for x in sorted(set(labels))
    ),
    "XML": lambda labels: "\n".join(f'<doc id="{n}">{x}</doc>' for n, x in enumerate(labels, 1)),
    "pairs": lambda labels: json.dumps([[f"doc{n}", x] for n, x in enumerate(labels, 1)]),
    "records": lambda labels: json.dumps(
        [{"id": n, "label": x, "why": "by its fields"} for n, x in enumerate(labels, 1)]
    ),
    "by label": lambda labels: json.dumps(
        {x: [n for n, y in enumerate(labels, 1) if x == y] for x in labels}
    ),
    "object in an object": lambda labels: json.dumps(
        {"labels": {f"doc{n}": x for n, x in enumerate(labels, 1)}}
    ),
    "list in an object": lambda labels: json.dumps({"labels": labels}),
}


@pytest.mark.parametrize("candidates", [["apple", "banana", "cat", "dog"], CODES])
@pytest.mark.parametrize("write", LABEL_FORMS.values(), ids=LABEL_FORMS)
def test_labels_in_another_form(write, candidates):
    sample, labels = labelled(candidates)
    assert costs_the_format_alone(sample, write(labels))


# --- lists ---------------------------------------------------------------------------------------

MANY = samples("LMI")[0]
ASKED = MANY[0]["variables"]["elements"]
ELEMENT_FORMS = {
    "list in a list": json.dumps([ASKED]),
    "each in a list": json.dumps([[element] for element in ASKED]),
    "list in a string": json.dumps(json.dumps(ASKED)),
    "records a line": "\n".join(json.dumps({"element": element}) for element in ASKED),
    "quoted lines": "\n".join(json.dumps(element, ensure_ascii=False) for element in ASKED),
    "object": json.dumps({"count": 4, "elements": ASKED}),
    "numbers": json.dumps([f"{n}: {element}" for n, element in enumerate(ASKED, 1)]),
    "names": json.dumps([f"element: {element}" for element in ASKED]),
    "lines": "\n".join(ASKED),
    "Python": str(ASKED),
    "comma at the end": json.dumps(ASKED)[:-1] + ",]",
}


@pytest.mark.parametrize("answer", ELEMENT_FORMS.values(), ids=ELEMENT_FORMS)
def test_elements_in_another_form(answer):
    assert costs_the_format_alone(MANY, answer)


def test_hashes_with_hyphens_and_ticked_options_are_read():
    sample = samples("LSI")[0]
    assert LIST[0] == "0f8e2b7c41d64a0a9c35d1e6b7a80f12"
    assert costs_the_format_alone(sample, "0f8e2b7c-41d6-4a0a-9c35-d1e6b7a80f12")
    sample = samples("OQ")[0]  # Yes or No, of a true key sentence
    assert costs_the_format_alone(sample, "[x] Yes\n[ ] No")
    assert set(points(sample, "[x] No\n[ ] Yes").values()) == {0}


# --- OR, OQ, OE ----------------------------------------------------------------------------------

TWO = samples("OR")[1]  # two key sentences, ||||| between
CHOSEN = [SENTENCES[0], SENTENCES[6]]
ROWS = [(text, name) for name, *_, text in CHOSEN]
ROW_FORMS = {
    "records": json.dumps([{"sentence": text, "type": name} for text, name in ROWS], indent=1),
    "records, type first": json.dumps([{"type": name, "text": text} for text, name in ROWS]),
    "by type": json.dumps({name: [text] for text, name in ROWS}),
    "by sentence": json.dumps(dict(ROWS)),
    "pairs": json.dumps(ROWS),
    "type below": "\n\n".join(f"Sentence: {text}\nType: {name}" for text, name in ROWS),
    "three lines": "\n".join(f"{text}\n|||||\n{name}" for text, name in ROWS),
    "headings": "\n\n".join(f"**{name}**\n- {text}" for text, name in ROWS),
    "bare type before": "\n".join(f"{name[1:-1]}: {text}" for text, name in ROWS),
    "bare type in brackets": "\n".join(f"{text} ({name[1:-1]})" for text, name in ROWS),
    "XML": "\n".join(f'<sentence type="{name}">{text}</sentence>' for text, name in ROWS),
    "one line": " ".join(f"{text} ||||| {name}" for text, name in ROWS),
    "another separator": "\n".join(f"{text} ; {name}" for text, name in ROWS),
    "separators after": "\n".join(f"{text} ||||| {name} |||||" for text, name in ROWS),
    "remarks": "\n".join(
        ["Here:", *(f"{text} ||||| {name}" for text, name in ROWS), "That is all."]
    ),
    "lower case": "\n".join(f"{text} ||||| {name}".lower() for text, name in ROWS),
    "tags": "\n".join(f"<{name}-3>{text} ||||| {name}" for text, name in ROWS),
}


@pytest.mark.parametrize("answer", ROW_FORMS.values(), ids=ROW_FORMS)
def test_rows_in_another_form(answer):
    assert costs_the_format_alone(TWO, answer)


OF_TYPE = samples("OE")[0]  # #Topic#, of which two are true
ABSENT = samples("OE")[3]
TEXTS = [SENTENCES[0][4], SENTENCES[1][4]]
SENTENCE_FORMS = {
    "records": json.dumps([{"id": n, "type": "#Topic#", "text": t} for n, t in enumerate(TEXTS)]),
    "pairs": json.dumps(list(enumerate(TEXTS))),
    "object": json.dumps({"type": "#Topic#", "count": 2, "sentences": TEXTS}),
    "list in a list": json.dumps([TEXTS]),
    "list in a string": json.dumps(json.dumps(TEXTS)),
    "ids": json.dumps([f"{n}: {text}" for n, text in enumerate(TEXTS)]),
    "types": json.dumps([f"#Topic#: {text}" for text in TEXTS]),
    "one string": json.dumps([" ".join(TEXTS)]),
}
NO_SENTENCES = [
    '{"sentences": []}',
    '{"#Topic#": []}',
    '{"type": "|Summary|", "count": 0, "sentences": []}',
    '{"sentences": [], "ids": []}',
    '[{"type": "|Summary|", "sentences": []}]',
    '{"result": {"sentences": [], "note": "none found"}}',
    '["There are no such sentences."]',
    '["None"]',
    '"[]"',
]


@pytest.mark.parametrize("answer", SENTENCE_FORMS.values(), ids=SENTENCE_FORMS)
def test_sentences_in_another_form(answer):
    assert costs_the_format_alone(OF_TYPE, answer)


@pytest.mark.parametrize("answer", NO_SENTENCES)
def test_no_sentences_in_another_form(answer):
    assert costs_the_format_alone(ABSENT, answer)
    assert points(OF_TYPE, answer)["correct"] == 0


@pytest.mark.parametrize("answer", ['{"type": "|Summary|"}', '["|Summary|"]', "I cannot say."])
def test_what_does_not_say_that_there_are_none_is_no_answer(answer):
    assert points(ABSENT, answer)["correct"] == 0


# --- echoes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("write", [str, lambda asked: f"> {asked}\n> {asked}", json.dumps])
def test_the_instruction_repeated_has_no_points(task, write):
    prompt, *rest = samples(task)[0]
    asked = f'Answer as in [["aQ1"], ["cQ3"]] or {{"doc1": "apple"}}: {LIST[0]}; if none, []. Yes'
    assert set(points(({**prompt, "instruction": asked}, *rest), write(asked)).values()) == {0}
