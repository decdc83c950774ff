"""The released rubric gives every recorded response the score that the released scorer gave."""

import json

import pytest

from small_contexts import CASES, prompt_record
from steadfast.base.files import read_jsonl
from steadfast.benchmarks.lifbench.rubric import score


def as_context(name: str, released: dict, param: dict) -> dict:
    """Our context record of a released context; documents' fields come with each case."""
    context = {"context_id": name, "scenario": released["scenario"], "text": released["text"]}
    if context["scenario"] == "list":
        return context | {"elements": released["elements"]}
    if context["scenario"] == "onedoc":
        return context | {"key_sentences": as_key_sentences(released["label"])}
    groups = param.get("dup_idxs", [])
    documents = [dict.fromkeys(keys, "…") for keys in param.get("doc_keys", [])]
    if not documents:
        documents = [{} for _ in range(1 + max(map(max, groups)))]
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
def cases() -> list[tuple]:
    """Each case with the prompt, context and scenario prompt to score it with."""
    if not CASES.is_dir():
        pytest.skip(f"no directory {CASES}: set LIFEVAL_CASES to where the scorer's cases are")
    released = json.loads((CASES / "contexts.json").read_text(encoding="utf-8"))
    cases = []
    contexts = {}
    for path in sorted(CASES.glob("scorer_cases*.jsonl")):
        for case in read_jsonl(path):
            name = case["context"]
            context = released["contexts"][name]
            key = json.dumps([name, case["param"] if "multi" in name else 0])
            if key not in contexts:
                contexts[key] = as_context(name, context, case["param"])
            scenario_prompt = released["scenario_prompts"][context["scenario"]]
            prompt = prompt_record(case["task"], case["param"], case["instruction"])
            cases.append((case, (prompt, contexts[key], scenario_prompt)))
    return cases


def test_recorded_scores_are_reproduced(cases):
    wrong = []
    count = 0
    for case, sample in cases:
        if case["released"] is not None:
            count += 1
            result = score(*sample, case["response"])
            expected = pytest.approx(case["released"], rel=0, abs=1e-9)
            if result.points | {"total_score": result.total} != expected:
                wrong.append((case.get("row"), case.get("mutation"), case["released"], result))
    assert count, f"no scorer_cases*.jsonl with a released score in {CASES}"
    assert not wrong, f"{len(wrong)} of {count} differ, first: {wrong[:3]}"


def test_responses_that_crashed_the_released_scorer_have_a_score(cases):
    assert cases, f"no scorer_cases*.jsonl with a case in {CASES}"
    for case, sample in cases:
        if case["released"] is None:
            result = score(*sample, case["response"])
            assert min(*result.points.values(), result.total) >= 0, case
            assert max(*result.points.values(), result.total) <= 1, case
