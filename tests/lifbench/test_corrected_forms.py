"""The corrected rubric: right content in another common form loses the format alone, in every task,
and neither nonsense nor an echo gains by it."""

import json
import re

import pytest

from lifbench_samples import LIST, MULTIDOC_CONTEXT, SENTENCES, samples
from lifbench_samples import corrected_points as points

# --- MF ------------------------------------------------------------------------------------------

IDS = samples("MF")[0]
PAIRS = samples("MF")[3]  # title and id
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

# --- MB ------------------------------------------------------------------------------------------

WORDS = ["apple", "banana", "cat", "dog"]
CODES = ["7041", "2286", "9530", "4817"]
LABELS = {
    "doc1": "banana", "doc2": "cat", "doc3": "cat", "doc4": "banana", "doc5": "dog",
    "doc6": "apple", "doc7": "banana",
}  # fmt: skip
"""The right labels: by title and source, by title alone, by source alone, by neither."""
NAMED = json.dumps(LABELS)
LINE = "1: banana, 2: cat, 3: cat, 4: banana, 5: dog, 6: apple, 7: banana"
PLAIN = "banana, cat, cat, banana, dog, apple, banana"
LABEL_FORMS = {
    "single quotes": str(LABELS),
    "cut off": NAMED[:-1],
    "fenced JSON": f"So:\n```json\n{json.dumps(LABELS, indent=2)}\n```\nDone.",
    "other keys": NAMED.replace("doc", "doc-"),
    "in a list": f"[{NAMED}]",
    "an object a line": NAMED.replace(", ", "}\n{"),
    "lists": re.sub(r': ("\w+")', r": [\1]", NAMED),
    "reasons": re.sub(r': "(\w+)"', r': "\1 (see its title)"', NAMED),
    "commas": PLAIN,
    "commas and a lead-in": f"The labels are: {PLAIN}.",
    "blanks": PLAIN.replace(",", ""),
    "code fence": f"```\n{PLAIN}\n```",
    "numbers in a line": LINE,
    "names in a line": re.sub(r"(\d)", r"doc\1", LINE),
    "label below its document": re.sub(r"(\d): (\w+)(, )?", r"### doc\1\n\2\n", LINE).strip(),
    "numbers behind labels": "banana: 1, 4, 7\ncat: 2, 3\ndog: 5\napple: 6",
    "numbers below labels": "apple:\n- 6\nbanana:\n- 1\n- 4\n- 7\ncat:\n- 2\n- 3\ndog:\n- 5",
    "XML": re.sub(r"(\d): (\w+)(, )?", r'<doc id="\1">\2</doc>\n', LINE).strip(),
    "pairs": json.dumps(list(LABELS.items())),
    "records": re.sub(
        r"(\d): (\w+)", r'{"id": \1, "label": "\2", "why": "by its fields"}', f"[{LINE}]"
    ),
    "by label": '{"banana": [1, 4, 7], "cat": [2, 3], "dog": [5], "apple": [6]}',
    "object in an object": json.dumps({"labels": LABELS}),
    "list in an object": json.dumps({"labels": list(LABELS.values())}),
}


def label_sample(candidates: list[str]):
    """A prompt of MB with these labels."""
    prompt, *rest = samples("MB")[0]
    key = "".join(name[0] for name in candidates)
    return {**prompt, "variables": {"rule_key": key, "candidates": candidates}}, *rest


def coded(answer: str) -> str:
    """The same with the codes in place of the words."""
    for word, code in zip(WORDS, CODES, strict=True):
        answer = answer.replace(word, code)
    return answer


# --- lists ---------------------------------------------------------------------------------------

ELEMENTS_SAMPLE = samples("LMI")[0]
ELEMENTS = ELEMENTS_SAMPLE[0]["variables"]["elements"]
ELEMENT_FORMS = {
    "list in a list": json.dumps([ELEMENTS]),
    "each in a list": json.dumps([[element] for element in ELEMENTS]),
    "list in a string": json.dumps(json.dumps(ELEMENTS)),
    "records a line": "\n".join(json.dumps({"element": element}) for element in ELEMENTS),
    "quoted lines": "\n".join(json.dumps(element, ensure_ascii=False) for element in ELEMENTS),
    "object": json.dumps({"count": 4, "elements": ELEMENTS}),
    "numbers": json.dumps([f"{n}: {element}" for n, element in enumerate(ELEMENTS, 1)]),
    "names": json.dumps([f"element: {element}" for element in ELEMENTS]),
    "lines": "\n".join(ELEMENTS),
    "Python": str(ELEMENTS),
    "comma at the end": json.dumps(ELEMENTS)[:-1] + ",]",
}

# --- OR, OE --------------------------------------------------------------------------------------

ROWS_SAMPLE = samples("OR")[1]  # two key sentences, ||||| between
TOPIC = SENTENCES[0][4]
EVIDENCE = SENTENCES[6][4]


def rows(template: str, separator: str = "\n") -> str:
    """Both sentences with their types, each in a template."""
    topic = template.format(text=TOPIC, name="#Topic#", word="Topic")
    evidence = template.format(text=EVIDENCE, name="*Evidence*", word="Evidence")
    return f"{topic}{separator}{evidence}"


ROW_FORMS = {
    "records": json.dumps(
        [{"sentence": TOPIC, "type": "#Topic#"}, {"sentence": EVIDENCE, "type": "*Evidence*"}],
        indent=1,
    ),
    "records, type first": json.dumps(
        [{"type": "#Topic#", "text": TOPIC}, {"type": "*Evidence*", "text": EVIDENCE}]
    ),
    "by type": json.dumps({"#Topic#": [TOPIC], "*Evidence*": [EVIDENCE]}),
    "by sentence": json.dumps({TOPIC: "#Topic#", EVIDENCE: "*Evidence*"}),
    "pairs": json.dumps([[TOPIC, "#Topic#"], [EVIDENCE, "*Evidence*"]]),
    "type below": rows("Sentence: {text}\nType: {name}", "\n\n"),
    "three lines": rows("{text}\n|||||\n{name}"),
    "headings": rows("**{name}**\n- {text}", "\n\n"),
    "bare type before": rows("{word}: {text}"),
    "bare type in brackets": rows("{text} ({word})"),
    "XML": rows('<sentence type="{name}">{text}</sentence>'),
    "one line": rows("{text} ||||| {name}", " "),
    "another separator": rows("{text} ; {name}"),
    "separators after": rows("{text} ||||| {name} |||||"),
    "remarks": f"Here:\n{rows('{text} ||||| {name}')}\nThat is all.",
    "lower case": rows("{text} ||||| {name}").lower(),
    "tags": rows("<{name}-3>{text} ||||| {name}"),
    "bare type": rows("{text} ||||| {word}"),
}
TYPE_SAMPLE = samples("OE")[0]  # #Topic#, of which two are true
ABSENT_SAMPLE = samples("OE")[3]
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

# --- tests ---------------------------------------------------------------------------------------

FORMS = {
    "ids": (IDS, dict(enumerate(GROUPS_OF_IDS))),
    "pairs": (PAIRS, dict(enumerate(GROUPS_OF_PAIRS))),
    "labels": (label_sample(WORDS), LABEL_FORMS),
    "codes": (label_sample(CODES), {name: coded(form) for name, form in LABEL_FORMS.items()}),
    "elements": (ELEMENTS_SAMPLE, ELEMENT_FORMS),
    "element": (samples("LSI")[0], {"hyphens": "0f8e2b7c-41d6-4a0a-9c35-d1e6b7a80f12"}),
    "option": (samples("OQ")[0], {"ticked": "[x] Yes\n[ ] No"}),  # a true key sentence
    "rows": (ROWS_SAMPLE, ROW_FORMS),
    "sentences": (TYPE_SAMPLE, SENTENCE_FORMS),
    "no sentences": (ABSENT_SAMPLE, dict(enumerate(NO_SENTENCES))),
}
ANSWERS = [
    pytest.param(sample, answer, id=f"{content}-{form}")
    for content, (sample, answers) in FORMS.items()
    for form, answer in answers.items()
]


@pytest.mark.parametrize(("sample", "answer"), ANSWERS)
def test_another_form_costs_the_format_alone(sample, answer):
    scored_points = points(sample, answer)
    assert scored_points.pop("format") < 1
    assert set(scored_points.values()) == {1}


FORMATS = {
    # A sixth each for one row a line and for the separator; two thirds for rows as requested.
    "rows": [*[0] * 6, 1 / 6, 0, *[1 / 6] * 5, 1 / 3, 5 / 6, *[1 / 3] * 3],
    # A quarter for an object, three for a list that is not all, or not of texts; a half of what
    # it is if no entry is a sentence or element alone.
    "sentences": [0.75, 0.75, 0.25, 0.75, 0.75, 0.5, 0.5, 0.5],
    "no sentences": [0.25, 0.25, 0.25, 0.25, 0.75, 0.25, 0.5, 0.5, 0.75],
    "elements": [0.75, 0.75, 0.75, 0, 0, 0.25, 0.5, 0.5, 0, 0.75, 0.75],
}


@pytest.mark.parametrize(("content", "formats"), FORMATS.items(), ids=FORMATS)
def test_points_of_format_in_other_forms(content, formats):
    sample, answers = FORMS[content]
    scored_points = [points(sample, answer)["format"] for answer in answers.values()]
    assert scored_points == pytest.approx(formats)


def test_unknown_identifier_costs_in_lines_too():
    scored_points = points(IDS, "aQ1, cQ3, zz99-zz99\nbQ2, eQ5")
    # Four of five documents, and pairs: 2² + 2² of 3² + 2².
    assert scored_points["correct"] == pytest.approx((3 * 4 / 5 + 8 / 13) / 4)
    assert scored_points["ori"] == pytest.approx(4 / 5)
    assert scored_points["num_text"] == 1


@pytest.mark.parametrize(
    ("sample", "response"),
    [
        (IDS, "Group 1:\n- aQ1\n\nGroup 2:\n- bQ2"),
        (samples("MF")[2], "The news report and the essay: news, essay."),  # id, source, title
        (label_sample(CODES), ", ".join(CODES)),
        (samples("OQ")[0], "[x] No\n[ ] Yes"),
        (ROWS_SAMPLE, "I cannot say."),
    ],
    ids=[
        *("lone identifiers", "sources in prose", "the candidates", "the other option ticked"),
        "no rows",
    ],
)
def test_wrong_content_in_another_form_has_no_points(sample, response):
    assert set(points(sample, response).values()) == {0}


def test_context_or_types_alone_earn_nothing_for_content():
    documents = "\n\n".join(MULTIDOC_CONTEXT["text"].split("\n\n")[:5])
    scored_points = points(IDS, documents)
    assert scored_points["num_text"] == scored_points["ori"] == 0
    scored_points = points(ROWS_SAMPLE, "#Topic#\n*Evidence*")
    assert scored_points["hit"] == scored_points["correct"] == scored_points["ori"] == 0


@pytest.mark.parametrize("answer", NO_SENTENCES)
def test_empty_answer_is_wrong_where_there_are_sentences(answer):
    assert points(TYPE_SAMPLE, answer)["correct"] == 0


@pytest.mark.parametrize("answer", ['{"type": "|Summary|"}', '["|Summary|"]', "I cannot say."])
def test_absent_type_needs_a_statement_that_there_are_none(answer):
    assert points(ABSENT_SAMPLE, answer)["correct"] == 0


@pytest.mark.parametrize("task", ["LSI", "LMI", "MB", "MF", "OR", "OQ", "OE"])
@pytest.mark.parametrize(
    "echo",
    [str, lambda text: f"> {text}\n> {text}", json.dumps],
    ids=["plain", "quoted twice", "JSON"],
)
def test_repeated_instruction_has_no_points(task, echo):
    prompt, *rest = samples(task)[0]
    text = f'Answer as in [["aQ1"], ["cQ3"]] or {{"doc1": "apple"}}: {LIST[0]}; if none, []. Yes'
    assert set(points(({**prompt, "instruction": text}, *rest), echo(text)).values()) == {0}
