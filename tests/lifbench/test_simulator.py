"""Simulated models: seeded, worse with length, without what was truncated."""

import json
import random
from operator import itemgetter
from statistics import mean
from types import SimpleNamespace

import pytest

from lifbench_samples import DOCUMENTS, LIST, SENTENCES, as_sample, samples
from steadfast.base.files import Settings
from steadfast.benchmarks.lifbench import simulator
from steadfast.benchmarks.lifbench.answers import reference_answer, requested_sentences
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.rubric import score
from steadfast.benchmarks.lifbench.simulator import LifbenchSimulator

SIMULATOR = LifbenchSimulator()
CAREFUL = {"span": 200_000, "position_bias": 0.2, "slip": 0.05, "seed": 0}
HASTY = {"span": 20_000, "position_bias": 0.6, "slip": 0.3, "seed": 0}
PERFECT = {"span": 1e12, "position_bias": 0, "slip": 0, "seed": 0}


def respond(prompt: dict, context: dict, model: Settings, seed: object, visible=1.0) -> str:
    """The response of a simulated model that sees this share of the context."""
    sample = as_sample(prompt, context, "")
    return SIMULATOR.simulated(sample, model, visible, random.Random(str(seed)))


def mean_score(model: Settings, task: str, tokens: int, expression: int = 0) -> float:
    totals = []
    for prompt, context, scenario_prompt in samples(task):
        prompt = prompt | {"expression_id": expression}
        for number in range(60):
            seed = f"{prompt['sample_id']}/{number}"
            response = respond(prompt, context | {"tokens": tokens}, model, seed)
            totals.append(score(prompt, context, scenario_prompt, response).total)
    return mean(totals)


@pytest.mark.parametrize("task", TASKS)
def test_equal_seeds_give_equal_responses(task):
    prompt, context, _ = samples(task)[0]
    response = respond(prompt, context, HASTY, "seed")
    assert response != ""
    assert response == respond(prompt, context, HASTY, "seed")


@pytest.mark.parametrize("task", TASKS)
def test_scores_are_lower_in_longer_contexts(task):
    assert mean_score(CAREFUL, task, 3_000) > mean_score(CAREFUL, task, 1_000_000)


@pytest.mark.parametrize("task", TASKS)
def test_careful_model_scores_higher(task):
    assert mean_score(CAREFUL, task, 28_000) > mean_score(HASTY, task, 28_000)


def test_truncated_context_has_no_answer():
    prompt, context, _ = samples("LSI")[-1]
    for seed in range(50):
        response = respond(prompt, context, PERFECT, seed, visible=0.5)
        assert response != prompt["variables"]["element"]


def test_middle_of_the_context_is_recalled_less():
    biased = {**CAREFUL, "span": 10_000, "position_bias": 1, "slip": 0}
    recalled = []
    for prompt, context, _ in samples("LSI"):
        long = context | {"tokens": 60_000}
        responses = [respond(prompt, long, biased, seed) for seed in range(300)]
        recalled.append(responses.count(prompt["variables"]["element"]))
    assert recalled[0] > 1.3 * recalled[4]


def test_perfect_recall_confuses_no_sentences_or_elements():
    perfect = {**PERFECT, "position_bias": 1}
    for prompt, context, _ in samples("OE"):
        response = json.loads(respond(prompt, context, perfect, "seed"))
        sentences = [sentence["text"] for sentence in requested_sentences(prompt, context)]
        assert response == sentences
    for prompt, context, _ in samples("LSI"):
        responses = {respond(prompt, context, perfect, seed) for seed in range(20)}
        assert responses == {prompt["variables"]["element"]}


@pytest.mark.parametrize("task", ["LOI", "LOE"])
def test_element_beside_another_is_recalled(task):
    for prompt, context, _ in samples(task):
        response = respond(prompt, context, PERFECT, "seed")
        assert response == reference_answer(prompt, context)


def test_blurred_position_within_the_seen_part_is_recalled():
    prompt, context, _ = samples("LBI")[0]
    prompt = prompt | {"variables": {"id": 5, "bias": -1}}  # four of nine elements precede it
    for seed in range(20):
        assert respond(prompt, context, PERFECT, seed, visible=0.5) in LIST[:4]


def test_scores_depend_on_the_expression():
    scores = {round(mean_score(HASTY, "LSI", 28_000, expression), 6) for expression in range(4)}
    assert len(scores) == 4


# --- parts of responses, with given random numbers ------------------------------------------------


def given(*shares: float) -> SimpleNamespace:
    """Random numbers that are given; the last of alternatives, the middle of a range."""
    return SimpleNamespace(
        random=iter(shares).__next__,
        choice=itemgetter(-1),
        choices=lambda letters, k: [letters[0]] * k,
        randrange=lambda stop: stop - 1,
        randint=lambda low, high: (low + high) // 2,
        uniform=lambda low, high: (low + high) / 2,
        sample=lambda alternatives, count: [*alternatives][:count],
        shuffle=list.reverse,
    )


class Recall(simulator._Recall):
    """Recalls (y) or not (n) as given, and notes where things stand; marks garbled text."""

    def __init__(self, sample, recalled="", shares=(), seen=1.0, settings=PERFECT):
        super().__init__(*sample[:2], settings, seen, given(*shares))
        self.clarity = 0.5
        self.recalled = iter(recalled)
        self.depths = []

    def recalls(self, depth: float) -> bool:
        self.depths.append(depth)
        return next(self.recalled) == "y"

    def garbled(self, text: str) -> str:
        return f"~{text}"


def test_recall_falls_with_length_and_towards_the_middle():
    prompt, context, _ = samples("LSI")[0]
    settings = {"span": 1000, "position_bias": 0.5, "seed": 3}
    recall = simulator._Recall(prompt, context | {"tokens": 64_000}, settings, 0.5, given())
    assert recall.clarity == pytest.approx(1 / 9)  # 32 times the span: 1 / (1 + 32 ** 0.6)
    # At 1/4: 1/9 · skill · (1 - 1/2 · 4 · 1/4 · 3/4 · 8/9)
    chance = (1 + random.Random("3/LSI/0").uniform(-0.15, 0.15)) * 2 / 27
    recall.rng = given(chance - 1e-9, chance + 1e-9)
    assert [recall.recalls(0.25), recall.recalls(0.25)] == [True, False]
    assert not recall.recalls(0.5)  # truncated, so that no number is used


# At eight times the span to the power of 0.6 the thread is lost with 0.7 · (8/9)² = 0.5531.
@pytest.mark.parametrize(
    ("shares", "response"),
    [((0.5530,), "[]"), ((0.5532, 0, 0.3), LIST[0]), ((0.5532, 0, 0.29), f'"{LIST[0]}"')],
)
def test_lost_thread_and_slip_have_their_chances(shares, response):
    prompt, context, _ = samples("LSI")[0]
    sample = as_sample(prompt, context | {"tokens": 640_000}, "")
    assert SIMULATOR.simulated(sample, HASTY, 1.0, given(*shares)) == response


# At a clarity of 1/2 the closeness is the random number itself.
@pytest.mark.parametrize(
    ("share", "seen", "error"),
    [
        (0.24, 1, "0" * 32),
        (0.25, 1, f"~{LIST[3]}"),
        (0.39, 0.3, f"~{LIST[1]}"),  # of two elements that are seen
        (0.4, 1, LIST[8]),
        (0.69, 0.5, LIST[3]),
        (0.7, 1, LIST[4]),
        (0.7, 0.5, LIST[3]),
        (0.7, 0.1, LIST[0]),
    ],
)
def test_error_is_the_closer_the_larger_the_number(share, seen, error):
    recall = Recall(samples("LSI")[0], "n", [share], seen)
    assert recall.element(3) == error
    assert recall.depths == [3 / 9]


@pytest.mark.parametrize(("index", "neighbour"), [(0, 0), (2, 1)])
def test_clear_recall_errs_by_one_element(index, neighbour):
    recall = Recall(samples("LSI")[0], "n", [0.5])
    recall.clarity = 1  # half of 1 + 1/2 is a closeness of 0.75
    recall.rng.choice = min
    assert recall.element(index) == LIST[neighbour]


@pytest.mark.parametrize(
    ("text", "shares", "garbled"),
    [
        ("abcdefghi", [0.29], "abcdef"),
        ("abcde", [0.29], "abcd"),
        ("abc", [0.3, 0.08, 0.07, 1], "azc"),
    ],
)
def test_garbled_text_is_cut_short_or_has_wrong_letters(text, shares, garbled):
    recall = simulator._Recall(*samples("LSI")[0][:2], PERFECT, 1, given(*shares))
    assert recall.garbled(text) == garbled


def starts(*numbers: int) -> list[float]:
    """Where sentences begin in the document."""
    document = samples("OR")[0][1]["text"]
    return [document.index(SENTENCES[number][4]) / len(document) for number in numbers]


GRANTED = "Granted, the winters were mild. [sep] -Concession-"
# Task, number of the sample, what is recalled, random numbers, the share that is seen; then the
# answer, and where in the context something was looked for.
PARTS = [
    (("LBI", 0, "yy"), LIST[8], [1 / 9, 8 / 9]),
    (("LBI", 1, "ny"), LIST[8], [1 / 9, 8 / 9]),
    (("LMI", 0, "yyyynn"), [LIST[6], LIST[1], LIST[3]], [3 / 9, 1 / 9, 6 / 9, 0, 0, 0]),
    # Labels of seven documents, 0.7 of those that are seen.
    (
        ("MB", 0, "ynyyn", (), 0.6),
        {"doc1": "banana", "doc2": "dog", "doc3": "cat"},
        [0, 1 / 7, 2 / 7, 3 / 7, 0],
    ),
    (("MB", 0, "yyn", (), 0.3), {"doc1": "banana"}, [0, 1 / 7, 0]),
    (("MB", 0, "yy", (), 0.1), {"doc1": "banana"}, [0, 0]),
    (
        ("MF", 2, "yynyny" + "ynyy"),
        '[["aQ1", None, "~The \\"grand\\" tour"], ["cQ3", "essay", None]]',
        [0, 2 / 7, 6 / 7, 1 / 7, 4 / 7] + [0] * 5,
    ),
    (("MF", 0, "ynnynyy"), '[["aQ1"], ["bQ2"]]', [0, 2 / 7, 6 / 7, 1 / 7, 4 / 7, 0, 0]),
    (("OR", 2, "nnyyn", (0.5, 0.6)), f"{GRANTED}\n~{GRANTED}", [*starts(1, 5, 8, 4), 0]),
    (("OQ", 0, "n"), "No", starts(3)),
    (
        ("OE", 0, "ynny" + "yn", (0.2, 0.19, 0.2, 0.2, 0.2, 0.2)),
        [SENTENCES[0][4], f"~{SENTENCES[2][4]}"],
        [*starts(0, 1, 2, 4), 0, 0],
    ),
]


@pytest.mark.parametrize(("recalled", "answer", "depths"), PARTS)
def test_parts_are_recalled_one_by_one(recalled, answer, depths):
    task, number, *given = recalled
    recall = Recall(samples(task)[number], *given)
    assert simulator._ANSWERS[task](recall) == answer
    assert recall.depths == pytest.approx(depths)


def test_single_document_is_no_duplicate():
    prompt, context, scenario_prompt = samples("MF")[0]
    answers = []
    for documents in (DOCUMENTS[:1], DOCUMENTS[:2]):
        few = context | {"documents": documents, "duplicate_groups": []}
        answers.append(simulator._duplicates(Recall((prompt, few, scenario_prompt), "yy")))
    assert answers == ["", '[["aQ1"], ["bQ2"]]']


def test_forms_that_were_not_requested():
    def formed(task, answer, **fields):
        return [form(answer) for form in simulator._slips(task, fields)]

    prose = "Sure! Here is what you asked for: "
    assert formed("LMI", '["a", "b"]') == [
        f'{prose}["a", "b"]',
        '```json\n["a", "b"]\n```',
        '["a", "b"',
        '- "a"\n- "b"',
        "['a', 'b']",
    ]
    assert formed("OR", "a # x\nb # y", sep="#")[1:] == [
        "1. a # x\n2. b # y",
        "a - x\nb - y",
        "a # x b # y",
    ]
    assert formed("OQ", "Yes", options=["Yes", "No"])[1:] == ["Yes.", "Yes or No"]
