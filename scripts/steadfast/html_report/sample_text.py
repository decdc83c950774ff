"""A sample as text for a terminal; hidden characters are escaped (``steadfast.base.names``)."""

from collections.abc import Iterator

from steadfast.base.names import escape_hidden
from steadfast.contract.records import ScoreRecord
from steadfast.html_report.sample_data import ENCODER, START, as_text
from steadfast.html_report.view_sample import SampleView
from steadfast.jobs.finished import FinishedAnswer, JudgedRequest
from steadfast.show.passages import excerpts

BAR = "  | "


def sample_text(seen: SampleView) -> str:
    """A sample: its prompt, reference answer, and each model's response with its points."""
    return escape_hidden("\n".join(_lines(seen))) + "\n"


def _lines(seen: SampleView) -> Iterator[str]:
    prompt = seen.sample.prompt
    yield f"== {prompt['sample_id']} =="
    yield f"{seen.benchmark}, part {seen.sample.part}, task {prompt['task']}"
    for turn in seen.before:
        yield from _block("Previous turn", turn)
    yield from _block("Instruction", prompt["instruction"])
    if seen.passages is None:
        fields = [f"{name}: {as_text(value)}" for name, value in seen.fields.items()]
        yield from _block("Instance", "\n".join(fields))
    elif parts := excerpts(seen.passages):
        for number, excerpt in enumerate(parts, start=1):
            yield from _block(f"Context, passage {number}", excerpt)
    else:
        heading = "Context, start (the instruction is about no single passage)"
        yield from _block(heading, seen.passages.text[:START])
    yield from _block("Expected (reference answer)", seen.expected)
    for answer in seen.answers:
        yield f"\n-- {answer.model}{f', repeat {answer.repeat}' if answer.repeat else ''} --"
        yield from _answer(answer)


def _answer(seen: FinishedAnswer) -> Iterator[str]:
    """The lines about one response: status, text, score, and judges' replies."""
    if output := seen.output:
        truncated = output.get("prompt_truncated_tokens")
        note = f"; context truncated by {truncated:,} tokens" if truncated else ""
        yield f"status: {output['status']}{note}"
        if output.get("error"):
            yield from _block("Error", output["error"])
        if output["reasoning"]:
            yield from _block("Reasoning", output["reasoning"])
        yield from _block("Response", output["response"] or "")
    else:
        yield "no response: not requested yet, or not part of this trial"
    if seen.score:
        yield from _score(seen.score)
    for request in seen.judged:
        yield from _judged(request)


def _score(score: ScoreRecord) -> Iterator[str]:
    judge = f", judged by {score['judge']}" if score["judge"] else ""
    yield f"Score: {_number(score['total'])} ({score['status']}{judge})"
    for name, value in (score["points"] or {}).items():
        yield f"{BAR}{name}: {_number(value)}"
    if score["extracted"] is not None:
        yield from _block("Extracted", ENCODER.encode(score["extracted"]))
    for rater, rating in score["other_raters"].items():
        points = rating["points"] or {}
        listed = ", ".join(f"{name} {_number(value)}" for name, value in points.items())
        yield f"By {rater}: {_number(rating['total'])} ({rating['status']}): {listed}"


def _judged(request: JudgedRequest) -> Iterator[str]:
    heading = f"Prompt to the judge, after the response ({request.id})"
    yield from _block(heading, request.tail.strip())
    for judge, reply in request.replies.items():
        if reply["reasoning"]:
            yield from _block(f"Reasoning of judge {judge}", reply["reasoning"])
        yield from _block(f"Reply of judge {judge} ({reply['status']})", reply["response"] or "")
    if not request.replies:
        yield "No reply of a judge yet."


def _block(heading: str, text: str) -> Iterator[str]:
    """Yields a heading, and the text in lines that cannot be taken for headings."""
    yield f"{heading}:"
    for line in text.split("\n"):
        yield BAR + line


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"
