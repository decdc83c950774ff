"""Corrected rubric of the List scenario, one behaviour at a time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifbench_samples import LIST, samples
from lifbench_samples import corrected_points as points
from steadfast.benchmarks.lifbench.answers import blur_indices

LSI = samples("LSI")[3]
LMI = samples("LMI")[0]
GOLD = LMI[0]["variables"]["elements"]


def of_list(elements: list[str], element: str):
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
        lambda text: f"```\n{json.dumps([text])}\n```",
        lambda text: f"Die Antwort lautet: „{text}“",
        lambda text: f"<answer>{text}</answer>\n\nHope this helps!",
    ],
    ids=[
        *("upper case", "typographic", "no stop", "number", "bold", "quoted", "object", "fenced"),
        *("German", "tags"),
    ],
)
def test_another_form_costs_the_format_alone(write):
    assert points(LSI, write(LIST[3])) == {"format": 0.5, "correct": 1, "ori": 1}


@pytest.mark.parametrize(
    "write", [str, lambda text: f"```json\n{text}\n```"], ids=["plain", "fenced"]
)
def test_an_element_with_escapes_is_itself_and_not_what_they_say(write):
    prompt, context, scenario_prompt = LMI
    escaped = '\\""'  # read as JSON escapes these are two of the list's other element
    sample = (
        prompt | {"variables": prompt["variables"] | {"elements": [escaped]}},
        context | {"elements": ['"', escaped]},
        scenario_prompt,
    )
    assert points(sample, write(json.dumps([escaped])))["correct"] == 1


def test_only_the_same_text_is_the_element():
    sample = of_list(["tea", "tea and cake", "coffee"], "tea")
    assert points(sample, "tea and cake") == {"format": 1, "correct": 0, "ori": 1}
    assert set(points(sample, "tea").values()) == {1}
    sample = of_list(["Ein schönes Café am See", "x"], "Ein schönes Café am See")
    assert set(points(sample, "Ein scho\u0308nes Cafe\u0301\n  am See").values()) == {1}
    sample = of_list(["7", "42", "No"], "No")
    assert points(sample, "Hm")["correct"] == 0


@pytest.mark.parametrize("task", ["LBI", "LBE"])
def test_the_direction_decides_and_the_reference_earns_a_third(task):
    for prompt, context, scenario_prompt in samples(task):
        sample = (prompt, context, scenario_prompt)
        right = blur_indices(prompt, context)
        for index, element in enumerate(LIST):
            expected = 1 if index in right else 0
            if index == prompt["variables"]["id"] - 1:
                expected = pytest.approx(1 / 3)
            assert points(sample, element)["position"] == expected


def test_an_element_that_occurs_twice_is_right_on_either_side():
    prompt, context, scenario_prompt = samples("LBI")[0]
    for bias in (1, -1):
        twice = prompt | {"variables": {"id": 2, "bias": bias}}
        sample = (twice, context | {"elements": ["a b c", "d e f", "a b c"]}, scenario_prompt)
        assert points(sample, "a b c")["position"] == 1


def answer(elements: list[str]) -> str:
    return json.dumps(elements, ensure_ascii=False)


def test_order_is_that_of_the_ids_as_far_as_they_are_there():
    for elements, order in (
        (GOLD, 1),
        (GOLD[:2] + GOLD[3:], 0.75),
        (GOLD[::-1], 0),
        ([*GOLD, GOLD[0]], 0),
        ([*GOLD[:1], "x", *GOLD[1:]], 0.8),
        (GOLD[:1], 0.25),
        (["x"], 0),
        ([], 0),
    ):
        assert points(LMI, answer(elements))["order"] == order, elements


def test_the_last_list_counts_and_the_whole_list_is_no_answer():
    got = points(LMI, f"The entries [4, 2, 7, 1] are: {answer(GOLD)}")
    assert got == {"format": 0.75, "num": 1, "correct": 1, "order": 1}
    got = points(LMI, f"{answer(LIST[4:8])}\n\nNo, these:\n{answer(GOLD)}")
    assert got == {"format": 0.75, "num": 1, "correct": 1, "order": 1}
    assert points(LMI, answer(LIST))["correct"] == pytest.approx(4 / 9)


@given(st.permutations(GOLD), st.integers(0, 3))
def test_an_element_more_is_never_less_correct(elements, size):
    fewer = answer(elements[:size])
    more = answer(elements[: size + 1])
    assert points(LMI, fewer)["correct"] < points(LMI, more)["correct"]
