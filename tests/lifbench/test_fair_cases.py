"""The corrected rubric gives every recorded answer a total that a careful reader finds fair."""

import json
import os
from pathlib import Path

import pytest

from steadfast.base.files import read_jsonl
from steadfast.benchmarks.lifbench.rubric import score
from test_released_parity import as_key_sentences

ROOT = Path(__file__).resolve().parents[2]
FAIR = ROOT / os.environ.get("LIFEVAL_FAIR", "../shared/lifbench/fair")


def as_context(name: str, given: dict) -> dict:
    """Our context record of one in the directory."""
    context = {"context_id": name, "scenario": given["scenario"], "text": given["text"]}
    if given["scenario"] == "list":
        return context | {"elements": given["elements"]}
    if given["scenario"] == "onedoc":
        return context | {"key_sentences": as_key_sentences(given["label"])}
    return context | {"documents": given["documents"], "duplicate_groups": given["groups"]}


@pytest.fixture(scope="module")
def fair_cases() -> list[tuple]:
    """Each case with the prompt, context and scenario prompt to score it with."""
    if not FAIR.is_dir():
        pytest.skip(f"no directory {FAIR}: set LIFEVAL_FAIR to where the fair answers are")
    known = json.loads((FAIR / "contexts.json").read_text(encoding="utf-8"))
    contexts = {name: as_context(name, given) for name, given in known["contexts"].items()}
    found = []
    for path in sorted(FAIR.glob("*.jsonl")):
        for case in read_jsonl(path):
            context = contexts[case["context"]]
            prompt = {
                "task": case["task"],
                "instruction": case["instruction"],
                "variables": case["param"],
                "reference_answer": {},
            }
            found.append((case, (prompt, context, known["scenario_prompts"][context["scenario"]])))
    return found


def test_there_are_fair_cases(fair_cases):
    assert fair_cases


def test_every_fair_case_has_a_total_within_its_range(fair_cases):
    failures = []
    for case, sample in fair_cases:
        result = score(*sample, case["response"], "corrected")
        if not case["low"] - 1e-9 <= result.total <= case["high"] + 1e-9:
            failures.append(
                f"{case['task']}, {case['kind']}: {case['response'][:300]!r} has {result.points}, "
                f"total {result.total:.4f}, not {case['low']} to {case['high']}: {case['why']}"
            )
    assert not failures, "\n".join(failures)
