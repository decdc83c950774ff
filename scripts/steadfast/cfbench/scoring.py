"""Scoring one model's answers by the verdicts of one or more judges."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.asked import read_outputs
from steadfast.cfbench.facts import INVALID, RATES, Mode
from steadfast.cfbench.prompts import load_part
from steadfast.cfbench.reading import Reading, read_reply
from steadfast.engines.request import ANSWERED
from steadfast.errors import UserError
from steadfast.files import Record, write_jsonl

ALSO = ("status", "points", "total", *RATES)  # what is kept of a judge that does not count


def score_part(
    prompts: Path,
    data: Mapping[str, Path],
    outputs: Path,
    verdicts: Mapping[str, Path],
    mode: Mode,
    out: Path,
) -> None:
    """Writes the scores of one model, a record a prompt, in the prompts' order.

    The first judge's verdicts are the score: ``points`` by checkpoint number, ``csr``, ``isr``,
    ``psr``, and ``total``, which is the PSR; those of the others stand under ``also``. A sample
    without an answer keeps its output's status, one whose verdict is missing or unreadable is
    invalid; both have null for points and rates.

    Args:
        prompts: the prompts file.
        data: the data files by language.
        outputs: the model's outputs.
        verdicts: file of each judge's replies, the one that counts first.
        mode: strict, or as the released code does: there points are null where a reply gives
            scores that belong to no checkpoint.
        out: file to write.

    Raises:
        UserError: a file is missing or damaged, a prompt has no output, a status is unknown, or
            no judge is given.
    """
    if not verdicts:
        raise UserError("cfbench: no judge's verdicts are given; name a judge under judges")
    answers = read_outputs(outputs)
    replies = {judge: read_outputs(path) for judge, path in verdicts.items()}

    def records() -> Iterator[Record]:
        for prompt, record in load_part(prompts, data):
            output = answers.of(prompt["sample_id"])
            first, *others = (
                _judged(record, output, of_judge.get(prompt["sample_id"]), mode)
                for of_judge in replies.values()
            )
            yield {
                "sample_id": prompt["sample_id"],
                "task": prompt["task"],
                "context_id": prompt["context_id"],
                "split": prompt["split"],
                "status": first["status"],
                "truncated": (output.get("truncated_tokens") or 0) > 0,
                **first,
                "also": {
                    judge: {name: found[name] for name in ALSO}
                    for judge, found in zip(list(replies)[1:], others, strict=True)
                },
            }

    write_jsonl(out, records())


def _judged(record: Record, output: Record, verdict: Record | None, mode: Mode) -> dict[str, Any]:
    """What one judge's reply makes of one output."""
    if output["status"] not in ANSWERED:
        return _score(output["status"], None)
    if verdict is None or verdict["status"] not in ANSWERED:
        status = verdict["status"] if verdict else "missing"
        return _score(INVALID, None, {"problem": f"the judge's reply: {status}"})
    texts, priorities = (
        [checkpoint[key] for checkpoint in record["checkpoints"]] for key in ("text", "priority")
    )
    reading = read_reply(mode, texts, priorities, verdict["text"], output["text"])
    status = INVALID if reading.psr is None else output["status"]
    return _score(status, reading, reading.extracted)


def _score(
    status: str, reading: Reading | None, extracted: dict[str, Any] | None = None
) -> dict[str, Any]:
    points = None
    if reading is not None and reading.verdicts is not None:
        points = {str(n): float(v) for n, v in enumerate(reading.verdicts, start=1)}
    rates = {name: _float(getattr(reading, name, None)) for name in RATES}
    return {
        "status": status,
        "points": points,
        "total": rates["psr"],
        **rates,
        "extracted": extracted,
    }


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)
