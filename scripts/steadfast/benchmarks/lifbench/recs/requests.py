"""Stages 1 and 3 of RECS: the rewriters' requests, and their texts, each checked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.expressions import own_expressions, released_expressions
from steadfast.benchmarks.lifbench.recs import checks, released
from steadfast.contract.part_files import read_judge_prompts, read_replies
from steadfast.judging.rewriting import UnreadableError, read_rewrites, rewriting_prompt

Source = Literal["own", "released"]
ADVICE = (
    "run again with another temperature or more tokens for this model, or leave it out of rewriters"
)


def base(inputs: Mapping[str, Path], task: Settings) -> Record:
    """Returns a task's hand-written expressions: released ones if ``templates`` is an input."""
    read = released_expressions if "templates" in inputs else own_expressions
    return read(inputs, task)


def original_of(
    inputs: Mapping[str, Path], task: Settings, source: Source, directory: str | None
) -> str:
    """Returns the template of a task that is rewritten."""
    if source == "released":
        template, _ = released.rewrites(task["id"], directory)
        return template
    direction = checks.rewritten_direction(task)
    expressions = base(inputs, task)["expressions"]
    templates = [record["template"] for record in expressions if record["direction"] == direction]
    return str(templates[0])


def requests(
    inputs: Mapping[str, Path],
    tasks: Sequence[Settings],
    count: int,
    originals: Source = "own",
    directory: str | None = None,
) -> Iterator[Record]:
    """Yields one request a task (section 3.3 and Figure 8), as judge prompts."""
    for task in tasks:
        text = original_of(inputs, task, originals, directory)
        keep = checks.Original(task["id"], checks.rewritten_direction(task), text).keep
        yield asdict(rewriting_prompt(checks.request_id(task), text, keep, count))


def candidates(
    inputs: Mapping[str, Path], task: Settings, rewriters: Sequence[str]
) -> Iterator[Record]:
    """Yields a task's original and all rewrites of it, each checked; nothing is dropped."""
    prompts = {prompt.answer_id: prompt for prompt in read_judge_prompts(inputs["requests"])}
    prompt = prompts[checks.request_id(task)]
    (request,) = prompt.requests
    texts: dict[str, list[str]] = {}
    for rewriter in rewriters:
        reply = read_replies(inputs[rewriter]).get(request.id)
        where = f"{inputs[rewriter]}: {request.id}, rewriter {rewriter}"
        if reply is None or not reply.answered:
            status = reply.status if reply else "missing"
            raise UserError(f"{where}: no rewrites came (status {status}); {ADVICE}")
        try:
            texts[rewriter] = read_rewrites(reply.text, request.expected)
        except UnreadableError as error:
            message = f"{where}: the last reply has no rewrites ({error}); {ADVICE}"
            raise UserError(message) from None
    original = checks.Original(task["id"], checks.rewritten_direction(task), prompt.answer)
    return checks.checked(original, texts)
