"""Corrected rubric of the List scenario, one behaviour at a time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifbench_samples import LIST, samples
from lifbench_samples import corrected_points as points
from steadfast.benchmarks.lifbench.answers import blur_indices
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score
from steadfast.benchmarks.lifbench.rubric.text import Finder

LSI = samples("LSI")[3]
LMI = samples("LMI")[0]
REFERENCE = LMI[0]["variables"]["elements"]


def list_sample(elements: list[str], element: str):
    prompt, context, scenario_prompt = samples("LSI")[0]
    variables = prompt["variables"] | {"element": element}
    return prompt | {"variables": variables}, context | {"elements": elements}, scenario_prompt


@pytest.mark.parametrize(
    "write",
    [
        str.upper,
        lambda text: text.replace('"', "”"),
        lambda text: text.rstrip("."),
        lambda text: f"4. {text}",
        lambda text: f"**{text}**",
        lambda text: f"« {text} »",
        lambda text: json.dumps({"element": text}),
        lambda text: json.dumps({LIST[0]: text}),
        lambda text: f"```\n{json.dumps([text])}\n```",
        lambda text: f"Die Antwort lautet: „{text}“",
        lambda text: f"<answer>{text}</answer>\n\nHope this helps!",
    ],
    ids=[
        *("upper case", "typographic", "no stop", "number", "bold", "quoted", "object", "named"),
        *("fenced", "German", "tags"),
    ],
)
def test_another_form_of_an_element_costs_the_format_alone(write):
    assert points(LSI, write(LIST[3])) == {"format": 0.5, "correct": 1, "ori": 1}


@pytest.mark.parametrize(
    "write", [str, lambda text: f"```json\n{text}\n```"], ids=["plain", "fenced"]
)
def test_escapes_in_an_element_are_not_interpreted(write):
    prompt, context, scenario_prompt = LMI
    escaped = '\\""'  # read as JSON escapes these are two of the list's other element
    sample = (
        prompt | {"variables": prompt["variables"] | {"elements": [escaped]}},
        context | {"elements": ['"', escaped]},
        scenario_prompt,
    )
    assert points(sample, write(json.dumps([escaped])))["correct"] == 1


def test_element_is_compared_as_a_whole_in_composed_form():
    sample = list_sample(["tea", "tea and cake", "coffee"], "tea")
    assert points(sample, "tea and cake") == {"format": 1, "correct": 0, "ori": 1}
    assert set(points(sample, "tea").values()) == {1}
    sample = list_sample(["Ein schönes Café am See", "x"], "Ein schönes Café am See")
    assert set(points(sample, "Ein scho\u0308nes Cafe\u0301\n  am See").values()) == {1}
    sample = list_sample(["7", "42", "No"], "No")
    assert points(sample, "Hm")["correct"] == 0


@pytest.mark.parametrize(
    ("text", "known"),
    [("Tea", "Tea"), ("tea", "tea"), ("green tea", "tea"), ("TEA", "Tea"), ("A cup of Tea", "Tea")],
)
def test_known_text_is_the_one_as_written_or_else_the_first(text, known):
    assert Finder(["Tea", "tea"]).find(text) == [known]


def test_longest_text_that_ends_with_a_word_is_found():
    assert Finder(["tea", "tea and cake"]).find("I had tea and cake.") == ["tea and cake"]
    assert Finder(["tea"]).find("teak, tea!") == ["tea"]
    cups = ["two cups of coffee", "two cups of coffee and cake"]
    assert Finder(cups).find(f"I had {cups[1]}.") == cups[1:]


def test_misspelt_element_has_half_of_each_point_and_none_has_nothing():
    assert set(points(LSI, LIST[3].replace("explain", "explian")).values()) == {0.5}
    assert set(points(LSI, "I do not know.").values()) == {0}


# Of 5 characters fewer than half may differ, 2; of 18 a sixth and three more, 6.
@pytest.mark.parametrize(
    ("slip", "known"),
    [
        ("coxxa", "cocoa"),
        ("cxxxa", None),
        ("two cups of xxxxxx", "two cups of coffee"),
        ("two cups ofxxxxxxx", None),
    ],
)
def test_slip_has_at_most_the_allowed_edits(slip, known):
    assert Finder(["cocoa", "two cups of coffee"]).nearest(slip) == known


@pytest.mark.parametrize("task", ["LBI", "LBE"])
def test_position_needs_the_direction_and_the_start_earns_a_third(task):
    for prompt, context, scenario_prompt in samples(task):
        sample = (prompt, context, scenario_prompt)
        correct = blur_indices(prompt, context)
        for index, element in enumerate(LIST):
            expected = 1 if index in correct else 0
            if index == prompt["variables"]["id"] - 1:
                expected = pytest.approx(1 / 3)
            assert points(sample, element)["position"] == expected


@pytest.mark.parametrize("rubric", RUBRICS)
@pytest.mark.parametrize("task", ["LSI", "LBI"])
def test_positions_of_the_named_elements_are_extracted(task, rubric):
    prompt, context, scenario_prompt = samples(task)[0]
    sample = (prompt, context | {"elements": ["a b c", "d e f", "a b c"]}, scenario_prompt)
    assert score(*sample, "a b c", rubric).extracted == {"ids": [1, 3]}


def test_repeated_element_is_right_on_either_side():
    prompt, context, scenario_prompt = samples("LBI")[0]
    for bias in (1, -1):
        directed = prompt | {"variables": {"id": 2, "bias": bias}}
        sample = (directed, context | {"elements": ["a b c", "d e f", "a b c"]}, scenario_prompt)
        assert points(sample, "a b c")["position"] == 1


def answer(elements: list[str]) -> str:
    return json.dumps(elements, ensure_ascii=False)


@pytest.mark.parametrize(
    ("elements", "order"),
    [
        (REFERENCE, 1),
        (REFERENCE[:2] + REFERENCE[3:], 0.75),
        (REFERENCE[::-1], 0),
        ([*REFERENCE, REFERENCE[0]], 0),
        ([*REFERENCE[:1], "x", *REFERENCE[1:]], 0.8),
        (REFERENCE[:1], 0.25),
        (["x"], 0),
        ([], 0),
    ],
)
def test_order_is_relative_to_the_ids(elements, order):
    assert points(LMI, answer(elements))["order"] == order


def test_element_that_is_requested_twice_has_two_places():
    prompt, context, scenario_prompt = LMI
    requested = ["a b", "c d", "a b"]
    sample = (
        prompt | {"variables": prompt["variables"] | {"elements": requested}},
        context | {"elements": requested},
        scenario_prompt,
    )
    assert set(points(sample, answer(requested)).values()) == {1}
    assert points(sample, answer(sorted(requested)))["order"] == 0


@pytest.mark.parametrize(
    "introduction", ["The entries [4, 2, 7, 1] are: ", f"{answer(LIST[4:8])}\n\nNo, these:\n"]
)
def test_last_list_of_a_response_counts(introduction):
    scored_points = points(LMI, introduction + answer(REFERENCE))
    assert scored_points == {"format": 0.75, "num": 1, "correct": 1, "order": 1}


def test_copy_of_the_whole_list_is_mostly_wrong():
    assert points(LMI, answer(LIST))["correct"] == pytest.approx(4 / 9)


@given(st.permutations(REFERENCE), st.integers(0, 3))
def test_further_correct_element_raises_correct(elements, size):
    fewer = answer(elements[:size])
    more = answer(elements[: size + 1])
    assert points(LMI, fewer)["correct"] < points(LMI, more)["correct"]
