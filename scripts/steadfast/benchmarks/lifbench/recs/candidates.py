"""Stage 3 of RECS: the texts that came, each checked; nothing is dropped."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.recs import checks
from steadfast.contract.part_files import read_judge_prompts, read_replies
from steadfast.judging.rewriting import UnreadableError, read

ADVICE = (
    "run again with another temperature or more tokens for this model, or leave it out "
    "of lifbench.recs.rewriters"
)
HAND_WRITTEN = "hand-written"  # the rewriter of an original


class Rewrite(NamedTuple):
    """A text as it came."""

    rewriter: str  # who worded it
    direction: checks.Direction  # of the original
    text: str  # the rewrite


def candidates(
    inputs: Mapping[str, Path], task: Settings, rewriters: Sequence[str]
) -> Iterator[Record]:
    """Yields a task's originals and all rewrites of them, as records of ``checked``."""
    prompts = {prompt.answer_id: prompt for prompt in read_judge_prompts(inputs["requests"])}
    direction = checks.rewritten(task)
    prompt = prompts[checks.request_id(task["id"], direction)]
    (request,) = prompt.requests
    texts: list[Rewrite] = []
    for rewriter in rewriters:
        reply = read_replies(inputs[rewriter]).get(request.id)
        where = f"{inputs[rewriter]}: {request.id}, rewriter {rewriter}"
        if reply is None or not reply.answered:
            status = reply.status if reply else "missing"
            raise UserError(f"{where}: no rewrites came (status {status}); {ADVICE}")
        try:
            listed = read(reply.text, request.expected)
        except UnreadableError as error:
            message = f"{where}: the last reply has no rewrites ({error}); {ADVICE}"
            raise UserError(message) from None
        texts += [Rewrite(rewriter, direction, text) for text in listed]
    return checked([checks.Original(task["id"], direction, prompt.answer)], texts)


def checked(originals: Iterable[checks.Original], texts: Iterable[Rewrite]) -> Iterator[Record]:
    """Yields originals and rewrites, numbered, each with ``pass`` or the check that failed."""
    by_direction = {original.direction: original for original in originals}
    hand = [Rewrite(HAND_WRITTEN, o.direction, o.text) for o in by_direction.values()]
    seen: set[str] = set()
    for number, (rewriter, direction, raw) in enumerate((*hand, *texts)):
        text, mended, status = by_direction[direction].check(raw)
        if status == checks.PASS and checks.folded(text) in seen:
            status = "duplicate"
        seen.add(checks.folded(text))
        yield {
            "text_id": number,
            "text": text,
            "direction": direction,
            "rewriter": rewriter,
            "mended": mended,
            "status": status,
        }
