"""Files of the Batch API: one request a line going out, one reply a line coming back.

The format is OpenAI's; vLLM's batch runner reads and writes the same.
"""

import json
from collections.abc import Callable, Iterable, Iterator

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.contract.request import Request, Response
from steadfast.engines.openai.body import request_body, request_url
from steadfast.engines.openai.replies import REASON_CHARACTERS, Retry, completion, failure
from steadfast.engines.openai.shapes import clean, mapping, parsed

FACTS: Settings = facts("engines/batch.yaml")
"""The provider's limits and words: ``requests``, ``bytes``, ``window``, and the states."""


def files_of(
    requests: Iterable[Request], answers: Settings, max_tokens_field: str, most_requests: int
) -> Iterator[list[tuple[Request, bytes]]]:
    """The requests in batch files, each with its line, in which it is known by its hash."""

    def line(request: Request) -> bytes:
        body = request_body(answers, request, max_tokens_field)
        named = {"custom_id": request.hash, "method": "POST", "url": request_url(answers)}
        return json.dumps({**named, "body": body}, ensure_ascii=False).encode("utf-8") + b"\n"

    return split(((request, line(request)) for request in requests), most_requests, FACTS["bytes"])


def split(
    lines: Iterable[tuple[Request, bytes]], most_requests: int, most_bytes: int
) -> Iterator[list[tuple[Request, bytes]]]:
    """The lines in files of no more than so many requests and bytes, in their order."""
    chunk: list[tuple[Request, bytes]] = []
    size = 0
    for request, content in lines:
        if len(content) > most_bytes:
            raise UserError(
                f"batch: the prompt of {request.sample_id} makes a line of {len(content):,} bytes, "
                f"a file may have {most_bytes:,}; set batch to false for this model"
            )
        if chunk and (len(chunk) == most_requests or size + len(content) > most_bytes):
            yield chunk
            chunk, size = [], 0
        chunk.append((request, content))
        size += len(content)
    if chunk:
        yield chunk


def parse(
    content: bytes,
    *,
    logprobs: bool = False,
    tools: bool = False,
    redact: Callable[[bytes], bytes] = bytes,
) -> Iterator[tuple[str, Response | Retry]]:
    """The replies of an output or error file, by custom_id.

    A line that is no record of a reply is passed over: its request counts as unanswered. Where a
    secret is taken out of a line, log probabilities are not kept: they would spell it.
    """
    for line in content.split(b"\n"):
        safe = redact(line)
        record = mapping(parsed(safe))
        if isinstance(name := record.get("custom_id"), str):
            yield name, _outcome(record, logprobs and safe == line, tools)


def _outcome(record: Settings, logprobs: bool, tools: bool) -> Response | Retry:
    response, error = mapping(record.get("response")), record.get("error")
    status = response.get("status_code")
    if isinstance(status, int) and status >= 400:
        # vLLM puts what went wrong beside the response, OpenAI into its body.
        reason = response.get("body") or error
        reason = {"error": {"message": reason}} if isinstance(reason, str) else reason
        return failure(status, reason, {}, 0.0)
    if error is not None or status != 200:
        code = mapping(error).get("code")
        named = clean(code)[:REASON_CHARACTERS] if isinstance(code, str) else "no response"
        return Retry(f"batch: {named}")
    return completion(response.get("body"), logprobs=logprobs, tools=tools)
