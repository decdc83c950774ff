"""One realistic prompt of every task with its context, made by hand, for the scorer's tests."""

from itertools import product

import pytest

from small_contexts import numbered
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.rubric import score
from steadfast.contract.components import Sample

LIST = [
    "0f8e2b7c41d64a0a9c35d1e6b7a80f12",
    "Name three rivers that flow through Köln, and say why “Rhein” is one of them.",
    "c1d2e3f405162738495a6b7c8d9eafb0",
    'Write the word "naïve" backwards [with its diaeresis] and explain C:\\temp\\new.',
    "Suggest a menu: {starter}, {main course}, {dessert}…",
    "9a8b7c6d5e4f30211203f4e5d6c7b8a9",
    "请用一句话介绍长城。",
    "Explain in two sentences what a prime number is.",
    "Is 1999 older than 2001?",
]
MEETING = "Meeting.\nA: Où?"
DOCUMENTS = [
    {"id": "aQ1", "iD2": "d-01", "title": 'The "grand" tour', "text": "Ein Text.", "date": "2001"},
    {"iD2": "d-02", "id": "bQ2", "text": MEETING, "source": "news", "date": "May 2, 1999"},
    {"id": "cQ3", "iD2": "d-03", "text": "Ein Text.", "date": "2003-04-05", "source": "essay"},
    {"id": "dQ4", "iD2": "d-04", "title": "It's [draft] no. 4", "text": "x ]] y", "date": "2004"},
    {"id": "eQ5", "iD2": "d-05", "date": "2005", "text": MEETING},
    {"id": "fQ6", "title": "2016", "iD2": "d-06", "date": "2006", "text": "…", "source": "report"},
    {"id": "gQ7", "title": "Last", "iD2": "d-07", "date": "2007", "text": "Ein Text."},
]
SENTENCES = [
    ("#Topic#", 0, 4, False, "Essays — the real kind — begin with a question."),
    ("#Topic#", 1, 1, False, 'She called it "an honest guess", nothing more.'),
    ("#Topic#", 2, 9, True, "Every garden is a kind of argument."),
    ("@argument@", 0, 2, False, "Führerschein or not, he drove [badly] \\ slowly."),
    ("!Transition!", 0, 7, False, "But that was only half of the story…"),
    ("!Transition!", 1, 3, False, "长城很长，但故事更长。"),
    ("*Evidence*", 0, 6, False, "In 1898, {twelve} of them were counted."),
    ("-Concession-", 0, 8, True, "It may be that nobody noticed at all."),
    ("-Concession-", 1, 5, False, "Granted, the winters were mild."),
]


def _context(scenario: str, tokens: int, text: str, **fields) -> dict:
    ids = {"context_id": f"{scenario}-4k-s1", "scenario": scenario, "length": "4k", "seed": 1}
    return {**ids, "tokens": tokens, "text": text, **fields}


def _documents_text() -> str:
    blocks = []
    for number, document in enumerate(DOCUMENTS, start=1):
        lines = [f"{field}: {value}" for field, value in document.items()]
        blocks.append("\n".join([f"{'*' * 20} doc-{number} {'*' * 20}", *lines]))
    return "\n\n".join(blocks)


def _tagged_text() -> str:
    pieces = []
    for name, number, _, fake, text in sorted(SENTENCES, key=lambda sentence: sentence[2]):
        pieces.append(f"<{name}-{number}>{text}<{'~none~' if fake else name}>")
    return "A plain opening. " + " and then, an ordinary remark. ".join(pieces)


LIST_CONTEXT = _context("list", 3070, numbered(LIST), elements=LIST)
MULTIDOC_CONTEXT = _context(
    "multidoc", 3000, _documents_text(), documents=DOCUMENTS, duplicate_groups=[[0, 2, 6], [1, 4]]
)
_KEYS = ("type", "id", "index", "fake", "text")
ONEDOC_CONTEXT = _context(
    "onedoc",
    3050,
    _tagged_text(),
    key_sentences=[dict(zip(_KEYS, sentence, strict=True)) for sentence in SENTENCES],
    absent_type="|Summary|",
    ordinary=["A plain opening."],
)

SCENARIO_PROMPTS = {
    "list": "Look things up in this list.\n{input}\nTo do: {instruction}\n",
    "multidoc": "Documents follow.\n{input}\nTo do: {instruction}",
    "onedoc": "Tagged sentences are key sentences.\n{input}\nTo do: {instruction}",
}

_CONTEXTS = {"list": LIST_CONTEXT, "multidoc": MULTIDOC_CONTEXT, "onedoc": ONEDOC_CONTEXT}


def _position(index: int, **fields) -> dict:
    return {
        "id": index + 1,
        "ordid": f"{index + 1}th",
        "element": LIST[index],
        "pre_element": LIST[index - 1],
        "post_element": LIST[index + 1],
    } | fields


_IDS = [4, 2, 7, 1]
_FRUIT = ["apple", "banana", "cat", "dog"]
_DIRECTED = [_position(index, bias=bias) for index in (1, 3, 6) for bias in (1, -1)]
_EVIDENCE = (SENTENCES[3][4], SENTENCES[7][4], "A plain opening.")
_OPTIONS = (["Yes", "No"], ["False", "True"], ["apple", "APPLE"], ["12345", "12346"])
_VARIABLES = {
    "LSI": list(map(_position, range(len(LIST) - 1))),
    "LMI": [{"id_arr": _IDS, "elements": [LIST[number - 1] for number in _IDS]}],
    **dict.fromkeys(("LOI", "LOE", "LBI", "LBE"), _DIRECTED),
    "MB": [
        {"rule_key": "abcd", "candidates": _FRUIT, "rules": "…"},
        {"rule_key": "dcab", "candidates": _FRUIT, "rules": "…"},
        {"rule_key": "üoéx", "candidates": ["über", "ohne", "école", "x"], "rules": "…"},
    ],
    "MF": [
        {"info_text": keys, "info_keys": keys, "example": '[["a"], ["b"]]'}
        for keys in ("id", "iD2 date", "id source title", "title id")
    ],
    "OR": [
        {"num": 1, "sep": "###"},
        {"num": 2, "sep": "|||||"},
        {"num": 4, "sep": "[sep]"},
        {"num": 7, "sep": "-12367-"},
    ],
    "OQ": [
        {"evidence": evidence, "options": options, "kind": "…"}
        for evidence, options in product(_EVIDENCE, _OPTIONS)
    ],
    "OE": [
        {"type": f"<{name}>"}
        for name in ("#Topic#", "@argument@", "!Transition!", "|Summary|", "*Evidence*")
    ],
}


def samples(task: str) -> list[tuple[dict, dict, str]]:
    """Prompt, context and scenario prompt of a task's hand-made samples."""
    scenario = TASKS[task].scenario
    context = _CONTEXTS[scenario]
    task_samples = []
    for number, variables in enumerate(_VARIABLES[task]):
        prompt = {
            "sample_id": f"{task}/{context['context_id']}/e0/v{number}",
            "task": task,
            "context_id": context["context_id"],
            "expression_id": 0,
            "variable_id": number,
            "instruction": "Do it; write None where a field is missing.",
            "variables": variables,
            "reference_answer": {},
        }
        task_samples.append((prompt, context, SCENARIO_PROMPTS[scenario]))
    return task_samples


def corrected_points(sample: tuple[dict, dict, str], response: str) -> dict[str, float]:
    """The points of a response by the corrected rubric."""
    return score(*sample, response, "corrected").points


def check_points(
    sample: tuple[dict, dict, str], response: str, expected: dict, tolerance: float = 0
) -> None:
    """That a response has these points, among others, by the corrected rubric."""
    points = corrected_points(sample, response)
    points = {name: points[name] for name in expected}
    assert points == pytest.approx(expected, rel=0, abs=tolerance)


def as_sample(prompt: dict, context: dict, scenario_prompt: str) -> Sample:
    """The same as stages pass it to components."""
    return Sample("4k", prompt, {"context": context, "scenario_prompt": scenario_prompt})
