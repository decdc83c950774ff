"""Reads replies of an OpenAI-compatible server: a response, a reason to retry, or a failure."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Literal

from steadfast.base.files import Record
from steadfast.contract.request import Response
from steadfast.engines.api.body import array, clean, count, mapping, text

# Statuses by finish reason. Any other (error, abort, insufficient_system_resource …) marks an
# incomplete response, and so does a missing one: vLLM, SGLang, llama.cpp and OpenRouter name one
# with every complete response, Ollama leaves it out when interrupted.
ENDS = {
    "stop": "ok",
    "length": "length",
    "model_length": "length",  # Mistral
    "eos": "ok",  # Together
    "eos_token": "ok",  # Text Generation Inference before 2.3
    "stop_sequence": "ok",  # Text Generation Inference
    "content_filter": "refused",
}
# Additional finish reasons where the request offers tools.
TOOL_ENDS = {"tool_calls": "ok", "function_call": "ok"}
FLEX = "flex"
OVERLOADED = (429, 503, 529)
# Reasons of attempts that a server rejected as too many.
REJECTED = tuple(f"HTTP {status}" for status in OVERLOADED)
RETRIED = frozenset({408, 409, 429, *range(500, 600)})
REFUSALS = re.compile(r"content_?filter|content_?policy|responsible_?ai", re.IGNORECASE)
TOO_LONG = re.compile(r"context_length_exceeded|string_above_max_length", re.IGNORECASE)
TOO_LONG_MESSAGE = re.compile(
    r"maximum context length|context length exceeded|prompt is too long|exceed context limit"
    r"|input token count .{0,40}exceeds the maximum",
    re.IGNORECASE,
)
INVALID_KEY = re.compile(r"API_KEY_INVALID|API_KEY_EXPIRED")
SAMPLING = re.compile(r"\b(?:temperature|top_p|top_k)\b")
TIER = re.compile(r"service.?tier|\bflex\b", re.IGNORECASE)
UNSUPPORTED = re.compile(r"deprecated|removed|unsupported|not support", re.IGNORECASE)
NO_QUOTA = re.compile(
    r"\binsufficient_quota\b|spend_limit_reached|organization_on_hold|FAILED_PRECONDITION"
    r"|credit balance is too low"
)
DELAY = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")
MESSAGE_CHARACTERS = 200
REASON_CHARACTERS = 60  # of a server's message in a reason to retry


def words_of(content: object) -> tuple[str | None, str] | None:
    """A message's text (None: without text, or of unknown form) and its reasoning parts.

    >>> thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "2+2"}]}
    >>> words_of([thinking, {"type": "text", "text": "4"}])
    ('4', '2+2')
    """
    if content is None or isinstance(content, str):
        return text(content), ""
    if not isinstance(content, list):
        return None
    texts: list[str] = []
    reasoning: list[object] = []
    for part in map(mapping, content):
        part_text = part.get("text")
        thinking = part.get("thinking")
        if part.get("type") == "thinking":
            pieces = [mapping(piece).get("text") for piece in array(thinking)]
            reasoning += pieces or [thinking]
        elif part.get("type") == "text" and isinstance(part_text, str):
            texts.append(clean(part_text))
        else:
            return None
    return "".join(texts) if texts else None, _joined("", reasoning)


def reasoning_of(message: Mapping[str, object], listed: str) -> str | None:
    """The reasoning in a separate field of a message: the first field that has any."""
    pieces: list[object] = []
    for detail in map(mapping, array(message.get("reasoning_details"))):
        pieces += [detail.get("text"), detail.get("summary")]
    fields = [message.get("reasoning_content"), message.get("reasoning")]
    fields += [_joined("\n", pieces), listed]
    for field in fields:
        if isinstance(field, str) and field.strip():
            return clean(field)
    return None


def _joined(separator: str, pieces: list[object]) -> str:
    return separator.join(piece for piece in pieces if isinstance(piece, str))


def usage_of(reply: Mapping[str, object]) -> Record:
    """Token counts, served model and pricing tier of a reply, as fields of a response."""
    usage = mapping(reply.get("usage"))
    prompt = count(usage.get("prompt_tokens"))
    completion = count(usage.get("completion_tokens"))
    total = count(usage.get("total_tokens")) or 0
    if prompt is not None and completion is not None and total > prompt + completion:
        completion = total - prompt  # Gemini counts reasoning only in the total
    prompt_details = mapping(usage.get("prompt_tokens_details"))
    details = mapping(usage.get("completion_tokens_details"))
    in_details = count(details.get("reasoning_tokens"))
    in_usage = count(usage.get("reasoning_tokens"))
    reasoning = in_details if in_usage is None else max(in_usage, in_details or 0)
    return {
        "prompt_tokens": prompt,
        "cached_tokens": count(prompt_details.get("cached_tokens")),
        "written_tokens": count(prompt_details.get("cache_write_tokens")),
        "completion_tokens": completion,
        "reasoning_tokens": reasoning,
        "served_model": text(reply.get("model")),
        "fingerprint": text(reply.get("system_fingerprint")),
        "tier": FLEX if reply.get("service_tier") == FLEX else None,
    }


@dataclass(frozen=True, slots=True)
class Retry:
    """The reason of a failed attempt that may succeed later."""

    reason: str
    after: float | None = None  # seconds of the server's Retry-After, if any
    overloaded: bool = False  # lower concurrency would help
    unreachable: bool = False  # no connection was made
    broken: bool = False  # the server itself failed: all requests should wait
    counts: Record | None = None  # token counts of an incomplete reply, where it has any


def status_of(finish_reason: object, *, tools: bool = False) -> str | None:
    """The status of a reply by its finish reason; None for an incomplete response."""
    if not isinstance(finish_reason, str):
        return None
    return ENDS.get(finish_reason) or (TOOL_ENDS.get(finish_reason) if tools else None)


def completion(reply: Mapping[str, object], counts: Record, *, tools: bool) -> Response | Retry:
    """The response in a completion, or the reason to retry."""
    choice = mapping(next(iter(array(reply.get("choices"))), None))
    if problem := choice.get("error"):
        return error_in_reply(problem)
    if reply.get("object") == "error" or reply.get("status") == "failed":
        return error_in_reply(reply)
    if reply.get("done") is False:
        return Retry("incomplete response: done is false")
    message = choice.get("message", {"content": choice.get("text")} if "text" in choice else None)
    if not isinstance(message, dict):
        return Retry("invalid reply: no choices")
    reason = choice.get("finish_reason")
    fields = {**counts, "finish_reason": text(reason)}
    refusal = message.get("refusal")
    content = words_of(message.get("content"))
    refused = isinstance(refusal, str) and refusal
    words = None
    if content is not None and not refusal:
        words = (content[0], reasoning_of(message, content[1]))
    status = "refused" if refused else status_of(reason, tools=tools)
    return outcome(status, words, fields, called=fields["finish_reason"] in TOOL_ENDS)


def error_in_reply(problem: object) -> Retry:
    """The reason to retry for an error in a reply with HTTP status 200."""
    message, codes = error_of({"error": problem})
    return Retry(f"error in the reply: {(codes or message)[:REASON_CHARACTERS] or 'unnamed'}")


def outcome(
    status: str | None,
    words: tuple[str | None, str | None] | None,
    fields: Record,
    *,
    called: bool = False,
) -> Response | Retry:
    """The response in a reply, or the reason to retry.

    Args:
        status: by its finish reason; None for an incomplete response.
        words: text of the response (None: without) and its reasoning; None: of unknown form.
        fields: the other fields of the response.
        called: whether it calls a tool, which needs no text.
    """
    if status == "refused":
        return Response("refused", **fields)
    if status is None:
        reason = fields["finish_reason"]
        named = "missing" if reason is None else repr(reason[:REASON_CHARACTERS])
        return Retry(f"incomplete response: finish_reason {named}")
    if words is None:
        return Retry("invalid reply: no content")
    response_text, reasoning = words
    fields["reasoning"] = reasoning
    if reasoning:
        fields["reasoning_tokens"] = fields["reasoning_tokens"] or None  # 0: not counted
    # Reasoning may use up the output limit, or be all there is; a tool call has no text.
    may_be_empty = status == "length" or called or reasoning or fields["reasoning_tokens"]
    if response_text is None and not may_be_empty:
        return Retry("invalid reply: no content")
    return Response(status, response_text or "", **fields)


def http_failure(
    status: int, reply: object, headers: Mapping[str, str] = MappingProxyType({}), now: float = 0.0
) -> Response | Retry:
    """The outcome of an HTTP status of 300 and above, with the JSON value of its body.

    The time ``now`` is compared with that in a header, which replies in batches have none of.
    """
    message, codes = error_of(reply)
    if status in RETRIED:
        overloaded = status in OVERLOADED
        after = retry_after(headers, now)
        after = retry_delay(reply) if after is None else after
        return Retry(f"HTTP {status}", after, overloaded, broken=status >= 500)
    if status == 413 or TOO_LONG.search(codes) or TOO_LONG_MESSAGE.search(message):
        return Response("overflow", error="the server: longer than the model's window")
    if REFUSALS.search(codes):
        return Response("refused", finish_reason="content_filter")
    return Response("error", error=f"HTTP {status}: {message}" if message else f"HTTP {status}")


def permanent_error(
    status: int, reply: object
) -> Literal["key", "limit", "model", "quota", "sampling", "tier"] | None:
    """The kind of an error that every request would meet; None where it is no such error."""
    message, codes = error_of(reply)
    if status in (401, 403) or INVALID_KEY.search(codes):
        return "key"
    if status == 404:
        return "model"
    if status == 400 and "max_completion_tokens" in message:
        return "limit"
    if status == 400 and SAMPLING.search(message) and UNSUPPORTED.search(message):
        return "sampling"
    if status == 400 and TIER.search(message):
        return "tier"
    return "quota" if status == 402 or NO_QUOTA.search(f"{codes} {message}") else None


def error_of(reply: object) -> tuple[str, str]:
    """The message in an error's body as one short line, and its codes, whatever the format."""
    outer = mapping(next(iter(array(reply)), reply))  # Gemini may send it in a list
    error = mapping(outer.get("error")) or outer
    inner = mapping(error.get("innererror"))
    message = error.get("message") or error.get("detail") or outer.get("error") or ""
    if isinstance(message, list):  # of FastAPI servers: field of the request, and error
        message = "; ".join(map(_wrong_field, map(mapping, message)))
    short = " ".join(message.split()) if isinstance(message, str) else ""
    codes = [error.get("code"), error.get("type"), inner.get("code"), error.get("status")]
    for detail in map(mapping, array(error.get("details")) or [error.get("details")]):
        codes += [detail.get("error_code"), detail.get("reason")]
    joined_codes = " ".join(str(count(code) or text(code) or "") for code in codes)
    return clean(short)[:MESSAGE_CHARACTERS], " ".join(joined_codes.split())


def _wrong_field(detail: Mapping[str, object]) -> str:
    field = ".".join(str(step) for step in array(detail.get("loc")) if step != "body")
    return f"{field}: {detail.get('msg')}"


def retry_delay(reply: object) -> float | None:
    """Seconds to wait by an error's body (Gemini's RetryInfo); None where it has none."""
    outer = mapping(next(iter(array(reply)), reply))
    for detail in map(mapping, array(mapping(outer.get("error")).get("details"))):
        if delay := DELAY.fullmatch(text(detail.get("retryDelay")) or ""):
            return float(delay[1])
    return None


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait by Retry-After (seconds or an HTTP date) or OpenAI's retry-after-ms."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            seconds = float(value) * unit
        except ValueError:
            try:
                seconds = parsedate_to_datetime(value).timestamp() - now
            except (ValueError, OverflowError):
                continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None
