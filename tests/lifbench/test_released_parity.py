"""The released rubric gives every recorded response the score that the released scorer gave."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from steadfast.base.files import read_jsonl
from steadfast.benchmarks.lifbench.rubric import score

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / os.environ.get("LIFEVAL_CASES", "../shared/lifbench")


def as_context(name: str, released: dict, param: dict) -> dict:
    """Our context record of a released context; documents' fields come with each case."""
    context = {"context_id": name, "scenario": released["scenario"], "text": released["text"]}
    if context["scenario"] == "list":
        return context | {"elements": released["elements"]}
    if context["scenario"] == "onedoc":
        return context | {"key_sentences": as_key_sentences(released["label"])}
    documents = [dict.fromkeys(keys, "…") for keys in param.get("doc_keys", [])]
    groups = param.get("dup_idxs", [])
    documents = documents or [{} for _ in range(1 + max(max(group) for group in groups))]
    for group, infos in zip(groups, param.get("dup_infos", []), strict=True):
        for index, info in zip(group, infos, strict=True):
            documents[index] |= {key: value for key, value in info.items() if value is not None}
    return context | {"documents": documents, "duplicate_groups": groups}


def as_key_sentences(label: dict) -> list[dict]:
    return [
        {"type": name, "id": number, "index": index, "fake": not is_true, "text": text}
        for name, sentences in label.items()
        for text, number, index, is_true in sentences
    ]


@pytest.fixture(scope="module")
def released() -> dict:
    if not CASES.is_dir():
        pytest.skip(f"no directory {CASES}: set LIFEVAL_CASES to where the scorer's cases are")
    return json.loads((CASES / "contexts.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def cases(released: dict) -> list[tuple]:
    """Each case with the prompt, context and scenario prompt to score it with."""
    found = []
    contexts = {}
    for path in sorted(CASES.glob("scorer_cases*.jsonl")):
        for case in read_jsonl(path):
            context = released["contexts"][case["context"]]
            key = json.dumps([case["context"], case["param"] if "multi" in case["context"] else 0])
            if key not in contexts:
                contexts[key] = as_context(case["context"], context, case["param"])
            prompt = {
                "task": case["task"],
                "instruction": case["instruction"],
                "variables": case["param"],
                "reference_answer": {},
            }
            scenario_prompt = released["scenario_prompts"][context["scenario"]]
            found.append((case, (prompt, contexts[key], scenario_prompt)))
    return found


def test_every_recorded_score_is_reproduced(cases):
    wrong = []
    count = Counter()
    for case, sample in cases:
        if case["released"] is None:
            continue
        got = score(*sample, case["response"])
        want = dict(case["released"])
        off = abs(want.pop("total_score") - got.total) > 1e-9 or want.keys() != got.points.keys()
        off = off or any(abs(want[name] - got.points[name]) > 1e-9 for name in want)
        count[case["task"]] += 1
        if off:
            wrong.append((case.get("row"), case.get("mutation"), case["released"], got))
    assert count, f"no scorer_cases*.jsonl with a released score in {CASES}"
    assert not wrong, f"{len(wrong)} of {count.total()} differ, first: {wrong[:3]}"


def test_responses_that_crashed_the_released_scorer_have_a_score(cases):
    assert cases, f"no scorer_cases*.jsonl with a case in {CASES}"
    for case, sample in cases:
        if case["released"] is None:
            got = score(*sample, case["response"])
            assert all(0 <= value <= 1 for value in [*got.points.values(), got.total]), case
