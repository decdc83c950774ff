"""The corrected rubric gives every recorded response a total that people judged fair."""

import json
import os
from itertools import chain
from pathlib import Path

import pytest

from small_contexts import prompt_record
from steadfast.base.files import read_jsonl
from steadfast.benchmarks.lifbench.rubric import score
from test_released_parity import as_key_sentences

ROOT = Path(__file__).resolve().parents[2]
FAIR = ROOT / os.environ.get("LIFEVAL_FAIR", "../shared/lifbench/fair")


def as_context(name: str, fields: dict) -> dict:
    """Our context record of one in the directory."""
    context = {"context_id": name, "scenario": fields["scenario"], "text": fields["text"]}
    if fields["scenario"] == "list":
        return context | {"elements": fields["elements"]}
    if fields["scenario"] == "onedoc":
        return context | {"key_sentences": as_key_sentences(fields["label"])}
    return context | {"documents": fields["documents"], "duplicate_groups": fields["groups"]}


def test_totals_are_within_their_fair_ranges():
    if not FAIR.is_dir():
        pytest.skip(f"no directory {FAIR}: set LIFEVAL_FAIR to where the fair answers are")
    data = json.loads((FAIR / "contexts.json").read_text(encoding="utf-8"))
    contexts = {name: as_context(name, fields) for name, fields in data["contexts"].items()}
    cases = list(chain(*map(read_jsonl, sorted(FAIR.glob("*.jsonl")))))
    assert cases
    failures = []
    for case in cases:
        context = contexts[case["context"]]
        prompt = prompt_record(case["task"], case["param"], case["instruction"])
        sample = (prompt, context, data["scenario_prompts"][context["scenario"]])
        result = score(*sample, case["response"], "corrected")
        if not case["low"] - 1e-9 <= result.total <= case["high"] + 1e-9:
            failures.append(
                f"{case['task']}, {case['kind']}: {case['response'][:300]!r} has {result.points}, "
                f"total {result.total:.4f}, not {case['low']} to {case['high']}: {case['why']}"
            )
    assert not failures, "\n".join(failures)
