"""Two runs side by side in a terminal, by the frames of a comparison."""

from types import SimpleNamespace

import pandas as pd

from steadfast.compare.changed import COLUMNS
from steadfast.compare.results import TESTS
from steadfast.compare.text import (
    _cells,
    _cut,
    _first,
    _measures,
    _prompts,
    _sample,
    _samples,
    _settings,
)

PART = {"benchmark": "lifbench", "part": "4k", "same": 5, "changed": 0, "only_a": 0, "only_b": 0}


def asked(**counts):
    return _prompts(pd.DataFrame([PART, {**PART, "part": "8k", **counts}]))


def test_a_part_is_named_where_a_prompt_differs_and_equal_parts_are_counted_together():
    for counts, said in (
        ({"changed": 1}, "1 changed, 0 only in A, 0 only in B"),
        ({"only_a": 1}, "0 changed, 1 only in A, 0 only in B"),
        ({"only_b": 1}, "0 changed, 0 only in A, 1 only in B"),
    ):
        assert asked(**counts) == [
            f"Prompts: 10 the same, {said}.",
            f"  lifbench 8k: 5 the same, {said}",
        ]
    assert asked() == ["Prompts: 10 the same, 0 changed, 0 only in A, 0 only in B."]


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
    keys = {"benchmark": "lifbench", "task": "LSI", "model": "gpt"}
    flipped = pd.DataFrame([{**row, **keys, "kind": "status"}])
    compared = pd.DataFrame([{**keys, "samples": 8}])
    number, counts, _, example = _samples(SimpleNamespace(samples=flipped, compared=compared))
    assert number == "Samples: 1 of 8 flipped." and example == _sample(row)
    heading, _, line = counts.splitlines()
    assert heading.split()[-5:] == ["better", "worse", "status", "points", "of"]
    assert line.split() == ["lifbench", "gpt", "LSI", "0", "0", "1", "0", "8"]


def test_main_measures_that_moved_have_their_paired_test():
    row = dict.fromkeys(TESTS, 0.0) | {"benchmark": "b", "model": "m", "cell": "task=overall"}
    moved = row | {"measure": "ARS", "difference": -0.1, "low": -0.2, "high": 0.05, "p": 0.21}
    same = moved | {"model": "n", "difference": 0.0}
    task = moved | {"measure": ""}
    *_, line = _measures(pd.DataFrame([moved, same, task]))[1].splitlines()
    cells = ("b", "m", "ARS", "task=overall", "0.0", "-0.1", "[-0.2,", "+0.05]", "p", "0.21")
    assert tuple(line.split()) == cells
    assert _measures(pd.DataFrame([same, task])) == []


def test_of_cells_whose_intervals_are_apart_the_four_largest_of_each_benchmark_are_shown():
    def cell(benchmark, difference, apart="yes"):
        values = {"benchmark": benchmark, "metric": "ars", "model": "m", "cell": f"of {difference}"}
        return dict.fromkeys(COLUMNS, 0.5) | values | {"difference": difference, "apart": apart}

    rows = [cell("a", 0.1 * n) for n in range(1, 6)] + [cell("b", -30), cell("b", 0.9, "no")]
    cells = pd.DataFrame([*rows, cell("b", 0.2, "")])
    comparison = SimpleNamespace(cells=cells, counts=pd.DataFrame({"cells": [90, 10]}))
    first, counts, _, table = _cells(comparison)
    assert first == "Cells: 8 of 100 changed."
    assert counts.startswith("  6 of 7 with intervals ")
    shown = [line.split()[0] + line.split(" of ")[1].split()[0] for line in table.splitlines()[2:]]
    assert shown == ["a0.5", "a0.4", "a0.30000000000000004", "a0.2", "b-30"]
