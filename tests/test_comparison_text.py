"""Two runs side by side in a terminal, from the frames of a comparison."""

import math
import re
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from steadfast.compare import gate
from steadfast.compare.changed import COLUMNS
from steadfast.compare.results import TESTS
from steadfast.compare.text import (
    _alone,
    _cells,
    _cut,
    _first,
    _measures,
    _prompts,
    _remark,
    _sample,
    _samples,
    _settings,
    gate_text,
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


def test_what_one_run_has_alone_is_a_line_for_each_run():
    rows = [("A", "model", "b n"), ("B", "part", "b 8k"), ("A", "metric", "b csl")]
    assert _alone(pd.DataFrame(rows, columns=["run", "what", "name"])) == [
        "Only in A: model b n, metric b csl",
        "Only in B: part b 8k",
    ]


def test_list_ends_after_twelve_lines_with_the_number_of_the_rest():
    lines = [str(number) for number in range(14)]
    assert _first(lines) == [*lines[:12], "  … and 2 more"]
    assert _first(lines[:12]) == lines[:12]


def test_setting_changed_for_several_models_is_one_line():
    rows = [{"key": "seed", "a": "1", "b": "2", "where": f"model {n}"} for n in "ab"]
    rows.append({"key": "label", "a": "x" * 61, "b": "y" * 60, "where": "model a"})
    assert _settings(pd.DataFrame(rows)) == [
        "Settings: 3 changed.",
        "  model a and 1 more: seed: 1 → 2",
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
    worse = sample.replace({"LSI": "MF", "status": "worse"})
    compared = [{**keys, "samples": 8}, {**keys, "task": "MF", "samples": 3}]
    frames = SimpleNamespace(
        samples=pd.DataFrame([sample, sample, worse]), compared=pd.DataFrame(compared)
    )
    number, counts, _, *examples = _samples(frames)
    assert number == "Samples: 3 of 11 flipped." and examples == [_sample(sample), _sample(worse)]
    heading, _, line, last = counts.splitlines()
    assert last.split() == ["lifbench", "gpt", "MF", "0", "1", "0", "0", "3"]
    assert heading.split()[-5:] == ["better", "worse", "status", "points", "of"]
    assert line.split() == ["lifbench", "gpt", "LSI", "0", "0", "2", "0", "8"]


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


MEASURE = {
    "benchmark": "lifbench", "model": "m", "measure": "ARS", "difference": 0.01, "low": -0.01,
    "high": 0.03, "p": 0.5, "sampling_units": 12, "lacking": 0.0, "verdict": gate.PASS,
    "error": 0.0, "degrees_of_freedom": 11,
}  # fmt: skip
UNCLEAR = {"verdict": gate.UNCLEAR}


@pytest.mark.parametrize(
    ("changes", "remark"),
    [
        ({}, ""),
        ({"difference": 0.0}, "no difference"),
        ({"difference": 0.0, "verdict": gate.IDENTICAL}, ""),
        ({"lacking": 0.015}, "1.5% of the scores are missing in B, counted as 0"),
        (UNCLEAR | {"sampling_units": 148}, "strict needs 149 sampling units; 148 were sampled"),
        (UNCLEAR | {"sampling_units": 149}, "the difference is near the margin"),
        (UNCLEAR | {"high": 0.0}, "the difference is near the margin"),
        (
            UNCLEAR | {"high": -1e-3},
            "lower than A; whether by more than the margin is undecided",
        ),
        (UNCLEAR | {"low": math.nan, "high": math.nan}, "too few sampling units for a test"),
    ],
)
def test_measure_has_a_remark_on_its_verdict(changes, remark):
    needed = 149 if "sampling_units" in changes else None
    assert _remark(SimpleNamespace(**MEASURE | changes), needed, 0.02) == remark


@pytest.mark.parametrize(
    ("times", "remark"),
    [
        (1.54, "1.5 × as many sampling units would decide"),
        (1.0, "the difference is near the margin"),
    ],
)
def test_undecided_measure_has_its_factor_of_sampling_units(monkeypatch, times, remark):
    monkeypatch.setattr(gate, "more_units", lambda row, margin: times)
    assert _remark(SimpleNamespace(**MEASURE | UNCLEAR), None, 0.02) == remark


def shown_gate(verdict: str, *measures: dict) -> list[str]:
    frame = pd.DataFrame([MEASURE | changes for changes in measures])
    losses = pd.DataFrame({
        "sample_id": ["s", "t"], "model": "m", "part": "4k", "kind": "worse", "points": "",
        "status_a": "ok", "status_b": "ok", "total_a": 1.0, "total_b": [0.5, 0.25],
    })  # fmt: skip
    comparison = SimpleNamespace(samples=losses if verdict == gate.PASS else losses[:0])
    text = gate_text(gate.Gate(frame, verdict), comparison, 0.02, Path("x"), Path("y"))
    return text.splitlines()


def test_gate_ends_with_its_verdict():
    *_, heading, largest, smallest, _, last = shown_gate(gate.PASS, {}, {"sampling_units": 6})
    assert heading == "Samples with a lower score in B: 2, largest loss first."
    assert largest == "  t of m (4k): ok 1 → ok 0.25" and "s of m" in smallest
    # 1 − .05^(1/6) = .39
    assert last == (
        "Gate, margin 0.02 of full marks: pass (2 pass); a failure in fewer than 39% of sampling "
        "units may go undetected (6 were sampled)."
    )
    *_, reason, last = shown_gate(gate.IDENTICAL, {"verdict": gate.IDENTICAL})
    assert reason == "All responses and scores are identical: no test needed."
    assert last == "Gate, margin 0.02 of full marks: identical (1 identical)."
    *_, blank, last = shown_gate(gate.WORSE, {}, {"verdict": gate.WORSE})
    assert (blank, last) == ("", "Gate, margin 0.02 of full marks: worse (1 pass, 1 worse).")


def test_gate_has_a_row_for_each_measure():
    unknown = {"difference": math.nan, "low": math.nan, "verdict": gate.UNCLEAR}
    _, _, _, _, _, row, second, *_ = shown_gate(gate.UNCLEAR, {}, unknown)
    assert re.split("  +", row.strip()) == [
        "lifbench", "m", "ARS", "+0.010", "-0.010 to +0.030", "pass",
    ]  # fmt: skip
    assert re.split("  +", second)[3:6] == ["–", "–", "cannot tell"]
