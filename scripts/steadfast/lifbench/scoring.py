"""Scoring one model's outputs at one length, by every rubric."""

from collections.abc import Iterator
from pathlib import Path

from steadfast.asked import read_outputs
from steadfast.engines.request import ANSWERED
from steadfast.errors import UserError
from steadfast.files import Record, write_jsonl
from steadfast.lifbench.gold import fields
from steadfast.lifbench.prompts import load_part
from steadfast.lifbench.rubric import RUBRICS, score

POSITIONAL = ("LSI", "LOI", "LOE", "LBI", "LBE")  # tasks with one reference position


def score_part(
    prompts: Path,
    contexts: dict[str, Path],
    expressions: dict[str, Path],
    outputs: Path,
    rubric: str,
    length: str,
    out: Path,
) -> None:
    """Write the scores of one model at one length, a record a prompt, in the prompts' order.

    The chosen rubric's points and total stand at the top of a record, those of every other rubric
    under ``also``. A sample without an answer (status overflow, refused or error) is not scored:
    its points and total are null.

    Args:
        prompts: the prompts' file of the length.
        contexts: scenario to the contexts' file of the length.
        expressions: task to its expressions' file, which holds the scenario prompt.
        outputs: the model's outputs at the length.
        rubric: the chosen one, a key of ``RUBRICS``.
        length: name of the length, such as ``4k``.
        out: file to write.

    Raises:
        UserError: a file is missing or corrupt, a prompt has no output or no context, or a status
            or the rubric is unknown.
    """
    if rubric not in RUBRICS:
        raise UserError(f"rubric: no rubric {rubric!r}; choose one of {', '.join(RUBRICS)}")
    answers = read_outputs(outputs)

    def records() -> Iterator[Record]:
        for prompt, context, scenario_prompt in load_part(prompts, contexts, expressions):
            sample_id = prompt["sample_id"]
            output = answers.of(sample_id)
            yield {
                "sample_id": sample_id,
                "task": prompt["task"],
                "context_id": prompt["context_id"],
                "expression_id": prompt["expression_id"],
                "variable_id": prompt["variable_id"],
                "length": length,
                "status": output["status"],
                "truncated": (output["truncated_tokens"] or 0) > 0,
                "rubric": rubric,
                **_scored(prompt, context, scenario_prompt, output, rubric),
                "depth": asked_depth(prompt, context),
            }

    write_jsonl(out, records())


def asked_depth(prompt: Record, context: Record) -> float | None:
    """Where in its context the thing asked for stands, from 0 (start) to 1 (end).

    Of a list task, the reference element's place among the elements; of OQ, the evidence's among
    the characters. None where there is no one place, or the evidence is not in the text.
    """
    given, task = fields(prompt), prompt["task"]
    if task in POSITIONAL:
        return (given["id"] - 1) / max(1, len(context["elements"]) - 1)
    if task != "OQ":
        return None
    place = context["text"].find(given["evidence"].strip())
    return place / len(context["text"]) if place >= 0 and context["text"] else None


def _scored(
    prompt: Record, context: Record, scenario_prompt: str, output: Record, rubric: str
) -> Record:
    others = [name for name in RUBRICS if name != rubric]
    if output["status"] not in ANSWERED:
        unscored = {"points": None, "total": None}
        return {**unscored, "extracted": None, "also": dict.fromkeys(others, unscored)}
    chosen = score(prompt, context, scenario_prompt, output["text"], rubric)
    also = {name: score(prompt, context, scenario_prompt, output["text"], name) for name in others}
    return {
        "points": chosen.points,
        "total": chosen.total,
        "extracted": chosen.extracted,
        "also": {name: {"points": s.points, "total": s.total} for name, s in also.items()},
    }
