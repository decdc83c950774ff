"""Scoring one model's outputs at one length."""

from collections.abc import Iterator
from pathlib import Path

from steadfast.errors import UserError
from steadfast.files import Record, read_jsonl, write_jsonl
from steadfast.lifbench.prompts import load_part
from steadfast.lifbench.rubric import score

ANSWERED = ("ok", "length")
UNANSWERED = ("overflow", "refused", "error")


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

    A sample without an answer (status overflow, refused or error) is not scored: its points and
    total are null.

    Args:
        prompts: the prompts' file of the length.
        contexts: scenario to the contexts' file of the length.
        expressions: task to its expressions' file, which holds the scenario prompt.
        outputs: the model's outputs at the length.
        rubric: name of a rubric, such as ``released``.
        length: name of the length, such as ``4k``.
        out: file to write.

    Raises:
        UserError: a file is missing or corrupt, a prompt has no output or no context, or a status
            or the rubric is unknown.
    """
    answers = {record["sample_id"]: record for record in read_jsonl(outputs)}

    def records() -> Iterator[Record]:
        for prompt, context, scenario_prompt in load_part(prompts, contexts, expressions):
            sample_id = prompt["sample_id"]
            output = answers.get(sample_id)
            if output is None:
                raise UserError(f"{outputs}: no output for sample {sample_id}; run inference again")
            if output["status"] not in ANSWERED + UNANSWERED:
                raise UserError(
                    f"{outputs}: sample {sample_id} has status {output['status']!r}; one of "
                    f"{', '.join(ANSWERED + UNANSWERED)} was expected: run inference again"
                )
            yield {
                "sample_id": sample_id,
                "task": prompt["task"],
                "context_id": prompt["context_id"],
                "expression_id": prompt["expression_id"],
                "variable_id": prompt["variable_id"],
                "length": length,
                "status": output["status"],
                "truncated": (output["truncated_tokens"] or 0) > 0,
                **_scored(prompt, context, scenario_prompt, output, rubric),
            }

    write_jsonl(out, records())


def _scored(
    prompt: Record, context: Record, scenario_prompt: str, output: Record, rubric: str
) -> Record:
    if output["status"] in UNANSWERED:
        return {"points": None, "total": None, "extracted": None}
    result = score(prompt, context, scenario_prompt, output["text"], rubric)
    return {"points": result.points, "total": result.total, "extracted": result.extracted}
