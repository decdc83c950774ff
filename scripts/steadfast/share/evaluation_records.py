"""Every Eval Ever's files of a bundle: a log of each model and benchmark, and its samples."""

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from steadfast.base.files import Record, canonical_json, file_sha256, write_json, write_jsonl
from steadfast.base.tokens import fingerprint
from steadfast.contract.components import Sample
from steadfast.contract.records import OutputRecord, ScoreRecord
from steadfast.contract.request import Item
from steadfast.run.finished import FinishedPart, FinishedRun
from steadfast.schema.models import ScoredModel
from steadfast.share import contents
from steadfast.share.every_eval_ever import SCHEMA_VERSION, EvaluatedModel, file_stem, log
from steadfast.stats.intervals import NOTHING
from steadfast.stats.tidy import read_headline


def write_evaluations(run: FinishedRun, folder: Path, commit: str | None, seconds: int) -> None:
    """Writes the logs and samples of all models into a bundle's folder."""
    for name in run.evaluation.running:
        rows = read_headline(run.metric_path(name, "headline"))
        for model in run.evaluation.models_of(name):
            headline = rows[rows["model"] == model].to_dict("records")
            of = EvaluatedModel(run, name, model, commit, seconds)
            _write_model(of, folder, [{key: _plain(one[key]) for key in one} for one in headline])


def _write_model(of: EvaluatedModel, folder: Path, headline: Sequence[Record]) -> None:
    parts = of.run.parts(of.benchmark).values()
    scores = [one for part in parts for one in part.scores(of.model).values()]
    statuses = Counter(one["status"] for one in scores)
    sums = [file_sha256(part.scores_path(of.model)) for part in parts]
    stem = file_stem(" ".join([of.id, *sums]))
    path = f"{of.folder}/{stem}_samples.jsonl"
    out = folder / contents.FURTHER / path
    samples = None
    if not isinstance(of.how, ScoredModel):
        lines = [line for part in parts for line in _lines(of, part)]
        if lines:
            write_jsonl(out, lines)
            samples = {
                "format": "jsonl",
                "file_path": path,
                "hash_algorithm": "sha256",
                "checksum": file_sha256(out),
                "total_rows": len(lines),
            }
    whole = log(of, headline, dict(sorted(statuses.items())), samples)
    write_json(out.with_name(f"{stem}.json"), whole)


def _plain(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


# --- samples -----------------------------------------------------------------------------------


def _lines(of: EvaluatedModel, part: FinishedPart) -> Iterator[Record]:
    """The samples of a part that have a score: the schema wants a number; the log counts all."""
    scores, outputs = part.scores(of.model), part.outputs(of.model)
    for sample in part.files.read(of.how.draws if not isinstance(of.how, ScoredModel) else 1):
        score = scores.get(sample.id)
        if score is not None and score["total"] is not None:
            # Where a judge scores, many answers are right.
            reference = [] if part.task.judging else [part.stand_in.reference(sample)]
            answers = [outputs[turn.id] for turn in sample.turns]
            yield _line(of, sample, part.files.joined.item(sample), reference, score, answers)


def _line(
    of: EvaluatedModel,
    sample: Sample,
    item: Item,
    reference: Sequence[str],
    score: ScoreRecord,
    answers: Sequence[OutputRecord],
) -> Record:
    """A sample of a log, with the answers to it and to the turns before it."""
    measure = next(iter(of.about.measures))
    judge = f", judge {score['judge']}" if score["judge"] else ""
    # In place of a long context that many prompts share stands where to find it.
    folder = f"{contents.ANSWERS}/{of.benchmark}"
    context = f"[{item.context_id} of {folder}]" if item.context else ""
    asked = {"raw": item.head + context + item.tail, "reference": reference}
    several, total = len(answers) > 1, score["total"]
    assert total is not None, "samples without a score are left out"
    last = 2 * len(answers) - 1 if several else 0
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": of.id,
        "model_id": of.model_id,
        "evaluation_name": f"{of.about.title}: {measure}",
        "evaluation_result_id": of.result_id(measure),
        "sample_id": sample.id,
        "sample_hash": _hash(asked),
        "interaction_type": "multi_turn" if several else "single_turn",
        "input": asked,
        "output": None if several else _output(answers[-1]),
        "messages": list(_messages(sample, answers)) if several else None,
        "answer_attribution": [
            {
                "turn_idx": last,
                "source": f"messages[{last}].content" if several else "output.raw",
                "extracted_value": canonical_json(score["extracted"]),
                "extraction_method": f"{of.benchmark} scorer{judge}",
                "is_terminal": True,
            }
        ],
        "evaluation": {
            "score": total,
            "is_correct": total >= 1 - NOTHING,
            **({"num_turns": len(answers)} if several else {}),
        },
        **_usage(answers[-1]),
        "metadata": _metadata(sample, item, score),
    }


def _messages(sample: Sample, answers: Sequence[OutputRecord]) -> Iterator[Record]:
    for place, (turn, output) in enumerate(zip(sample.turns, answers, strict=True)):
        asked = turn.prompt["instruction"]
        yield {"turn_idx": 2 * place, "role": "user", "content": asked}
        answer = {"turn_idx": 2 * place + 1, "role": "assistant", "content": output["text"]}
        thought = output["thought"]
        yield answer | ({"reasoning_trace": thought} if thought is not None else {})


def _output(output: OutputRecord) -> Record:
    thought = output["thought"]
    return {"raw": [output["text"]], **({"reasoning_trace": [thought]} if thought else {})}


def _usage(output: OutputRecord) -> Record:
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
        "input_tokens_cache_write": output.get("written_tokens"),
        "reasoning_tokens": output["thought_tokens"],
    }
    usage |= {name: count for name, count in further.items() if count is not None}
    return {"token_usage": usage}


def _metadata(sample: Sample, item: Item, score: ScoreRecord) -> Record:
    """Task, status and points; and the whole prompt's sha256, with its context."""
    whole = item.head + item.context + item.tail
    return {
        "task": str(score["task"]),
        "part": sample.part,
        "status": str(score["status"]),
        "points": canonical_json(score["points"] or {}),
        "prompt_sha256": fingerprint(whole),
    }


def _hash(content: Record) -> str:
    """As the schema's own converters give it."""
    return fingerprint(json.dumps(content, sort_keys=True, separators=(",", ":")))
