"""The released rubric where its description is ambiguous, counted by hand."""

import pytest

from lifbench_samples import SENTENCES, samples
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score

SENTENCE = (
    "Every garden is a kind of argument."  # 35 characters: 35 // 6 + 3 = 8 edits are let pass
)


@pytest.mark.parametrize(
    ("row", "correct"),
    [
        (f"{SENTENCE}{' ' * 8}|||||{' ' * 20}#Topic#", True),
        (f"{SENTENCE}{' ' * 9}|||||#Topic#", False),  # with a separator, blanks are edits
        (f"{' ' * 9}{SENTENCE}|||||#Topic#", False),
        (f"{' ' * 9}{SENTENCE}#Topic#", True),  # without, the row is stripped: "#Topic#" is 7 edits
    ],
)
def test_blanks_beside_a_separator_are_edits(row, correct):
    points = score(*samples("OR")[1], f"x\n{row}\nx", "released").points
    assert points["correct"] == pytest.approx(correct / 3)


def test_points_above_their_weight_count_in_the_released_total():
    # First half of ori: all 4 entries are in the documents, 3. Second half: 4 of 2 entries times
    # 1 field, the length of the first, are in the prompt, 3 * 4 / 2 = 6. Their weight is 6.
    result = score(*samples("MF")[0], '[["aQ1"], ["cQ3", "gQ7", "bQ2"]]', "released")
    assert result.points["ori"] == pytest.approx(9 / 6)
    line = '[["aQ1"], ["cQ3", "gQ7", "bQ2", "dQ4", "eQ5", "fQ6"]]'
    result = score(*samples("MF")[0], line, "released")
    # ori: 3 + 3 * 7 / 2. correct: all 5 ids, 3; of the 5 documents aQ1 alone is a group's entry, so
    # 1 of 25 pairs agrees. num_text: one line for two groups, 4 * (1 - 1 / 4). format: all 5.
    assert result.total == pytest.approx((13.5 + 3 + 1 / 25 + 3 + 5) / 20)
    assert result.total > 1


@pytest.mark.parametrize(
    ("task", "response", "point", "value"),
    [
        # The longest part in braces is JSON, 1, an object, 1, and names 2 of 7 documents, 4 / 7.
        ("MB", '{x}] {"doc1": "apple", "doc2": "cat"}', "format", (2 + 4 / 7) / 5),
        # Brackets in any order, a half; no line, so that none fails: 2.
        ("MF", "] [", "format", 2.5 / 5),
        # Longer by more than 3 than "Yes".
        ("OQ", "Maybe.", "format", 0),
        ("OQ", "Perhaps", "format", 0.5 / 2),
        # Without the backslash, which escapes nothing, one of two sentences, and no fake.
        ("OE", f"{SENTENCES[1][4]}\\", "correct", (3.5 / 2 + 0.5) / 4),
    ],
)
def test_points_of_odd_answers(task, response, point, value):
    points = score(*samples(task)[0], response, "released").points
    assert points[point] == pytest.approx(value)


def test_text_over_the_whole_context_is_in_the_prompt():
    prompt, context, _ = samples("MF")[0]
    sample = (prompt, context | {"text": "x"}, "Read {input} now")
    assert score(*sample, '[["d x n"]]', "released").points["ori"] == 3 / 6


@pytest.mark.parametrize("rubric", RUBRICS)
def test_nothing_is_correct_where_there_are_no_duplicates(rubric):
    prompt, context, scenario_prompt = samples("MF")[0]
    sample = (prompt, context | {"duplicate_groups": []}, scenario_prompt)
    assert score(*sample, '[["aQ1"], ["cQ3"]]', rubric).points["correct"] == 0


def test_corrected_points_are_within_their_weight():
    result = score(*samples("MF")[0], '[["aQ1"], ["cQ3", "gQ7", "bQ2"]]', "corrected")
    assert max(result.points.values()) <= 1
