"""Samples in the shared schema of Every Eval Ever: a line each, beside the log that counts them.

A sample without a score is in no line, since the schema wants a number there; the log counts it.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from steadfast.base.files import Record, canonical_json
from steadfast.contract.components import Sample
from steadfast.contract.records import Output, ScoreRecord
from steadfast.contract.request import Item
from steadfast.share.every_eval_ever import SCHEMA_VERSION, Evaluated
from steadfast.stats.intervals import NOTHING


@dataclass(frozen=True)
class Answered:
    """A sample with a score.

    Attributes:
        sample: that was asked.
        item: what the model was asked.
        reference: a right answer; None where a judge scores, and many are right.
        score: its score's record.
        outputs: the records of its answer, and before it of those to the turns before.
        context_folder: of the bundle, where its context is, which is not in the prompt here.
    """

    sample: Sample
    item: Item
    reference: str | None
    score: ScoreRecord
    outputs: Sequence[Output]
    context_folder: str


def line(of: Evaluated, one: Answered, measure: str, method: str) -> Record:
    """A sample of a log.

    Args:
        of: the log's.
        one: the sample.
        measure: that the log counts it for.
        method: what scored it.
    """
    raw, output = _without_context(one), one.outputs[-1]
    reference = [] if one.reference is None else [one.reference]
    turns = [turn.prompt["instruction"] for turn in one.sample.turns]
    several = len(turns) > 1
    said: Record = (
        {"messages": list(_messages(turns, one.outputs)), "output": None}
        if several
        else {"output": _output(output), "messages": None}
    )
    last = 2 * len(turns) - 1 if several else 0
    total = one.score["total"]
    assert total is not None, "samples without a score are left out"
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": of.id,
        "model_id": of.model_id,
        "evaluation_name": f"{of.title}: {measure}",
        "evaluation_result_id": of.result_id(measure),
        "sample_id": one.sample.id,
        "sample_hash": _hash({"raw": raw, "reference": reference}),
        "interaction_type": "multi_turn" if several else "single_turn",
        "input": {"raw": raw, "reference": reference},
        **said,
        "answer_attribution": [
            {
                "turn_idx": last,
                "source": f"messages[{last}].content" if several else "output.raw",
                "extracted_value": canonical_json(one.score["extracted"]),
                "extraction_method": method,
                "is_terminal": True,
            }
        ],
        "evaluation": {
            "score": total,
            "is_correct": total >= 1 - NOTHING,
            **({"num_turns": len(turns)} if several else {}),
        },
        **_usage(output),
        "metadata": _metadata(one),
    }


def _without_context(one: Answered) -> str:
    """The prompt; in place of a long context that many prompts share, where to find it."""
    item = one.item
    context = f"[{item.context_id} of {one.context_folder}]" if item.context else ""
    return item.head + context + item.tail


def _messages(turns: Sequence[str], outputs: Sequence[Output]) -> Iterator[Record]:
    for place, (instruction, output) in enumerate(zip(turns, outputs, strict=True)):
        yield {"turn_idx": 2 * place, "role": "user", "content": instruction}
        answer = {"turn_idx": 2 * place + 1, "role": "assistant", "content": output["text"]}
        thought = output["thought"]
        yield answer | ({"reasoning_trace": thought} if thought is not None else {})


def _output(output: Output) -> Record:
    thought = output["thought"]
    return {"raw": [output["text"]], **({"reasoning_trace": [thought]} if thought else {})}


def _usage(output: Output) -> Record:
    prompt, completion = output["prompt_tokens"], output["completion_tokens"]
    if prompt is None or completion is None:
        return {}
    usage = {
        "input_tokens": prompt,
        "output_tokens": completion,
        "total_tokens": prompt + completion,
    }
    further = {
        "input_tokens_cache_read": output["cached_tokens"],
        "reasoning_tokens": output["thought_tokens"],
    }
    usage |= {name: count for name, count in further.items() if count is not None}
    return {"token_usage": usage}


def _metadata(one: Answered) -> Record:
    """Task, status and points; and the whole prompt's sha256, with its context."""
    item, points = one.item, one.score["points"] or {}
    whole = item.head + item.context + item.tail
    return {
        "task": str(one.score["task"]),
        "part": one.sample.part,
        "status": str(one.score["status"]),
        "points": canonical_json(points),
        "prompt_sha256": hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest(),
    }


def _hash(content: Record) -> str:
    """As the schema's own converters give it."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
