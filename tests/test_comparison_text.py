"""Two runs side by side in a terminal, from the frames of a comparison."""

import re
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


def prompt_lines(**counts):
    return _prompts(pd.DataFrame([PART, {**PART, "part": "8k", **counts}]))


def test_parts_with_different_prompts_are_named():
    for key, counts in (
        ("changed", "1 changed, 0 only in A, 0 only in B"),
        ("only_a", "0 changed, 1 only in A, 0 only in B"),
        ("only_b", "0 changed, 0 only in A, 1 only in B"),
    ):
        assert prompt_lines(**{key: 1}) == [
            f"Prompts: 10 the same, {counts}.",
            f"  lifbench 8k: 5 the same, {counts}",
        ]
    assert prompt_lines() == ["Prompts: 10 the same, 0 changed, 0 only in A, 0 only in B."]


def test_list_ends_after_twelve_lines_with_the_number_of_the_rest():
    lines = [str(number) for number in range(14)]
    assert _first(lines) == [*lines[:12], "  … and 2 more"]
    assert _first(lines[:12]) == lines[:12]


def test_setting_changed_for_several_models_is_one_line():
    rows = [{"key": "seed", "a": "1", "b": "2", "where": f"model {n}"} for n in "abc"]
    rows.append({"key": "label", "a": "x" * 61, "b": "y" * 60, "where": "model a"})
    assert _settings(pd.DataFrame(rows)) == [
        "Settings: 4 changed.",
        "  model a and 2 more: seed: 1 → 2",
        f"  model a: label: {'x' * 59}… → {'y' * 60}",
    ]
    assert _settings(pd.DataFrame(rows[:0])) == ["Settings: the same."]
    assert _cut("a" * 60) == "a" * 60


def test_flipped_sample_has_its_statuses_totals_and_points():
    keys = {"benchmark": "lifbench", "task": "LSI", "model": "gpt"}
    sample = pd.Series({
        **keys, "sample_id": "LSI/1", "part": "4k", "kind": "status",
        "status_a": "ok", "total_a": 0.5, "status_b": "error", "total_b": None, "points": "",
    })  # fmt: skip
    assert _sample(sample) == "  LSI/1 of gpt (4k): ok 0.5 → error"
    sample["points"] = "format: 1 → 0"
    assert _sample(sample).endswith("→ error (format: 1 → 0)")
    frames = SimpleNamespace(
        samples=pd.DataFrame([sample]), compared=pd.DataFrame([{**keys, "samples": 8}])
    )
    number, counts, _, example = _samples(frames)
    assert number == "Samples: 1 of 8 flipped." and example == _sample(sample)
    heading, _, line = counts.splitlines()
    assert heading.split()[-5:] == ["better", "worse", "status", "points", "of"]
    assert line.split() == ["lifbench", "gpt", "LSI", "0", "0", "1", "0", "8"]


def test_changed_main_measures_have_their_paired_test():
    row = dict.fromkeys(TESTS, 0.0) | {"benchmark": "b", "model": "m", "cell": "task=overall"}
    changed = row | {"measure": "ARS", "difference": -0.1, "low": -0.2, "high": 0.05, "p": 0.21}
    same = changed | {"model": "n", "difference": 0.0}
    task = changed | {"measure": ""}
    *_, line = _measures(pd.DataFrame([changed, same, task]))[1].splitlines()
    assert " ".join(line.split()) == "b m ARS task=overall 0.0 -0.1 [-0.2, +0.05] p 0.21"
    assert _measures(pd.DataFrame([same, task])) == []


def test_four_largest_changes_of_each_benchmark_are_shown():
    def cell(benchmark, difference, apart="yes"):
        values = {"benchmark": benchmark, "metric": "ars", "model": "m", "cell": f"of {difference}"}
        return dict.fromkeys(COLUMNS, 0.5) | values | {"difference": difference, "apart": apart}

    cells = [cell("a", difference) for difference in (0.125, 0.25, 0.5, 0.75, 0.875)]
    cells += [cell("b", -30), cell("b", 0.9, "no"), cell("b", 0.2, "")]
    counts = pd.DataFrame({"cells": [90, 10]})
    comparison = SimpleNamespace(cells=pd.DataFrame(cells), counts=counts)
    number, overlap, _, table = _cells(comparison)
    assert number == "Cells: 8 of 100 changed."
    assert overlap.startswith("  6 of 7 with intervals ")
    rows = [re.sub(" +", " ", line) for line in table.splitlines()[2:]]
    assert [row.split(" 0.5 →")[0] for row in rows] == [
        "a ars m of 0.875", "a ars m of 0.75", "a ars m of 0.5", "a ars m of 0.25",
        "b ars m of -30",
    ]  # fmt: skip
