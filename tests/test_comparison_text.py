"""Two runs side by side in a terminal, by the frames of a comparison."""

import pandas as pd
import pytest

from steadfast.compare.text import _asked, _cut, _first, _sample, _settings

PART = {"benchmark": "lifbench", "part": "4k", "same": 5, "changed": 0, "only_a": 0, "only_b": 0}


def asked(**counts):
    return _asked(pd.DataFrame([PART, {**PART, "part": "8k", **counts}]))


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"changed": 1}, "1 changed, 0 in A alone, 0 in B alone"),
        ({"only_a": 1}, "0 changed, 1 in A alone, 0 in B alone"),
        ({"only_b": 1}, "0 changed, 0 in A alone, 1 in B alone"),
    ],
)
def test_a_part_is_named_as_soon_as_one_prompt_differs(counts, said):
    assert asked(**counts) == [
        f"Prompts: 10 the same, {said}.",
        f"  lifbench 8k: 5 the same, {said}",
    ]


def test_parts_that_are_the_same_are_counted_together():
    assert asked() == ["Prompts: 10 the same, 0 changed, 0 in A alone, 0 in B alone."]


def test_a_list_ends_after_twelve_with_the_number_of_the_others():
    lines = [str(number) for number in range(14)]
    assert _first(lines) == [*lines[:12], "  … and 2 more"]
    assert _first(lines[:12]) == lines[:12]


def test_a_setting_that_changed_for_several_is_said_once():
    rows = [{"key": "seed", "a": "1", "b": "2", "where": f"model {n}"} for n in "abc"]
    rows.append({"key": "label", "a": "x" * 61, "b": "y" * 60, "where": "model a"})
    assert _settings(pd.DataFrame(rows)) == [
        "Settings: 4 changed.",
        "  model a and 2 more: seed: 1 → 2",
        f"  model a: label: {'x' * 59}… → {'y' * 60}",
    ]
    assert _settings(pd.DataFrame(rows[:0])) == ["Settings: the same."]
    assert _cut("a" * 60) == "a" * 60


def test_a_sample_has_its_status_and_where_there_is_one_its_total():
    row = pd.Series(
        {
            "sample_id": "LSI/1",
            "model": "gpt",
            "part": "4k",
            "status_a": "ok",
            "total_a": 0.5,
            "status_b": "error",
            "total_b": None,
            "points": "",
        }
    )
    assert _sample(row) == "  LSI/1 of gpt (4k): ok 0.5 → error"
    row["points"] = "format: 1 → 0"
    assert _sample(row).endswith("→ error (format: 1 → 0)")
