"""Scoring one model's answers in one language, by the rules and by the judges' replies."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.asked import Outputs, read_outputs
from steadfast.engines.request import ANSWERED
from steadfast.errors import UserError
from steadfast.files import Record, write_jsonl
from steadfast.followbench.facts import JUDGE, RULE
from steadfast.followbench.prompts import Sources, load_part, target
from steadfast.followbench.rules import satisfied
from steadfast.followbench.verdicts import released, strict

INVALID = "invalid"
FAILURE = -1.0  # of every constraint, as released, where a reply could not be read


def score_part(
    settings: Mapping[str, Any],
    prompts: Path,
    sources: Sources,
    outputs: Path,
    verdicts: Mapping[str, Path],
    out: Path,
) -> None:
    """Writes the scores of one model in one language, a record a prompt, in the prompts' order.

    ``points`` holds 1 or 0 for each constraint, or one for a rule's whole item; ``total`` is 1 if
    all are kept. The first judge decides; other judges' verdicts stand under ``also``. Without an
    answer, points and total are null under the output's status. Without a readable verdict they
    are null under status invalid; in mode released −1, unless the judge could not be asked.

    Args:
        settings: ``mode``, strict or released.
        prompts: the prompts of the language.
        sources: ``data``: the groups' file by language.
        outputs: the model's outputs.
        verdicts: each judge's replies, those that decide first.
        out: file to write.

    Raises:
        UserError: a file is missing or damaged, a prompt has no output, or no judge is there.
    """
    if not verdicts:
        raise UserError("judges: FollowBench needs a judge; name one in the config")
    replies = {judge: read_outputs(path) for judge, path in verdicts.items()}
    write_jsonl(out, _records(settings["mode"], prompts, sources, outputs, replies))


def _records(
    mode: str,
    prompts: Path,
    sources: Sources,
    outputs: Path,
    replies: Mapping[str, Outputs],
) -> Iterator[Record]:
    answers = read_outputs(outputs)
    for prompt, group in load_part(prompts, sources):
        sample_id = prompt["sample_id"]
        output = answers.of(sample_id)
        yield {
            "sample_id": sample_id,
            "task": prompt["task"],
            "context_id": prompt["context_id"],
            "level": prompt["level"],
            "scorer": prompt["scorer"],
            "truncated": (output["truncated_tokens"] or 0) > 0,
            **_scored(mode, prompt, group, output, replies),
        }


def _scored(
    mode: str,
    prompt: Record,
    group: Record,
    output: Record,
    replies: Mapping[str, Outputs],
) -> Record:
    if output["status"] not in ANSWERED:
        unscored = {"status": output["status"], "points": None, "total": None}
        others = list(replies)[1:] if prompt["scorer"] == JUDGE else []
        return {**unscored, "extracted": None, "also": dict.fromkeys(others, unscored)}
    if prompt["scorer"] != JUDGE:
        wanted, language, level = target(prompt, group), group["language"], prompt["level"]
        kept = satisfied(prompt["scorer"], language, level, wanted, output["text"])
        points = {RULE: float(kept)}
        return {
            "status": output["status"],
            "points": points,
            "total": float(kept),
            "extracted": {"problem": None},
            "also": {},
        }
    found = {
        judge: _judged(mode, prompt, group["language"], output, by_sample.get(prompt["sample_id"]))
        for judge, by_sample in replies.items()
    }
    first, *others = found
    kept_of_others = ("status", "points", "total")
    return {
        **found[first],
        "also": {judge: {key: found[judge][key] for key in kept_of_others} for judge in others},
    }


def _judged(
    mode: str, prompt: Record, language: str, output: Record, reply: Record | None
) -> Record:
    """One judge's verdicts on an answer, and what was wrong with its reply."""
    count = prompt["level"]
    status = reply["status"] if reply else "missing"
    answered = status in ANSWERED
    verdicts = None
    if answered and mode == "released":
        verdicts = released(reply["text"], count, language)
    elif answered:
        verdicts = strict(reply["text"], output["text"], count)
    problem = None if verdicts else "unreadable" if answered else status
    extracted = {"problem": problem, "attempts": (reply or {}).get("attempts")}
    # To the released code a refusal is an empty reply; what never came says nothing in any mode.
    failed = mode == "released" and (answered or status == "refused")
    if verdicts is None and not failed:
        return {"status": INVALID, "points": None, "total": None, "extracted": extracted}
    values = [FAILURE] * count if verdicts is None else [float(verdict) for verdict in verdicts]
    total = FAILURE if verdicts is None else float(all(verdicts))
    return {
        "status": output["status"],
        "points": {str(number): value for number, value in enumerate(values, start=1)},
        "total": total,
        "extracted": extracted,
    }
