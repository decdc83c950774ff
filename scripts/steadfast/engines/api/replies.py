"""What an OpenAI-compatible server answered: an answer, a reason to try again, or a failure."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Literal

from steadfast.base.files import Record
from steadfast.contract.request import Response
from steadfast.engines.api.body import array, clean, count, mapping, text

ENDS = {
    "stop": "ok",
    "length": "length",
    "model_length": "length",  # Mistral
    "eos": "ok",  # Together
    "eos_token": "ok",  # Text Generation Inference before 2.3
    "stop_sequence": "ok",  # Text Generation Inference
    "content_filter": "refused",
}
"""Statuses by finish reason. Any other (error, abort, insufficient_system_resource …) ends no
answer, and neither does none: vLLM, SGLang, llama.cpp and OpenRouter name one with every whole
answer, Ollama leaves it out where it was interrupted."""
TOOL_ENDS = {"tool_calls": "ok", "function_call": "ok"}
"""Likewise where the request offers tools."""
FLEX = "flex"
OVERLOADED = (429, 503, 529)
REJECTED = tuple(f"HTTP {status}" for status in OVERLOADED)
"""Reasons of attempts that a server refused since it had too many of them."""
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
REASON_CHARACTERS = 60  # of a server's word in a reason to try again


def words_of(content: object) -> tuple[str | None, str] | None:
    """A message's text (None: it has none, or is of no known form) and the reasoning beside it.

    >>> thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "2+2"}]}
    >>> words_of([thinking, {"type": "text", "text": "4"}])
    ('4', '2+2')
    """
    if content is None or isinstance(content, str):
        return text(content), ""
    if not isinstance(content, list):
        return None
    texts, reasoning = [], []
    for part in map(mapping, content):
        said, inner = part.get("text"), part.get("thinking")
        if part.get("type") == "thinking":
            reasoning += [mapping(one).get("text") for one in array(inner)] or [inner]
        elif part.get("type") == "text" and isinstance(said, str):
            texts.append(clean(said))
        else:
            return None
    return "".join(texts) if texts else None, _joined("", reasoning)


def reasoning_of(message: Mapping[str, object], listed: str) -> str | None:
    """The reasoning that a server gives apart from the answer, under the first name that has any."""
    details = map(mapping, array(message.get("reasoning_details")))
    said = [detail.get(name) for detail in details for name in ("text", "summary")]
    fields = [message.get("reasoning_content"), message.get("reasoning")]
    fields += [_joined("\n", said), listed]
    return next(
        (clean(words) for words in fields if isinstance(words, str) and words.strip()), None
    )


def _joined(between: str, words: list[object]) -> str:
    return between.join(word for word in words if isinstance(word, str))


def usage_of(reply: Mapping[str, object]) -> Record:
    """The counts of a reply and what it was served by, as fields of a response."""
    usage = mapping(reply.get("usage"))
    prompt, completion = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    total = count(usage.get("total_tokens")) or 0
    if prompt is not None and completion is not None and total > prompt + completion:
        completion = total - prompt  # Gemini counts reasoning in the total alone
    read = mapping(usage.get("prompt_tokens_details"))
    details = mapping(usage.get("completion_tokens_details"))
    reasoning = [count(place.get("reasoning_tokens")) for place in (details, usage)]
    return {
        "prompt_tokens": prompt,
        "cached_tokens": count(read.get("cached_tokens")),
        "written_tokens": count(read.get("cache_write_tokens")),
        "completion_tokens": completion,
        "reasoning_tokens": max(
            (tokens for tokens in reasoning if tokens is not None), default=None
        ),
        "served_model": text(reply.get("model")),
        "fingerprint": text(reply.get("system_fingerprint")),
        "tier": FLEX if reply.get("service_tier") == FLEX else None,
    }


@dataclass(frozen=True, slots=True)
class Retry:
    """Why an attempt failed that may succeed later."""

    reason: str
    after: float | None = None  # seconds that the server asks to wait, if it said so
    overloaded: bool = False  # fewer requests at once would help
    unreachable: bool = False  # no connection was made
    broken: bool = False  # the server itself failed, so that waiting helps everyone
    counts: Record | None = None  # of a reply that is no answer, where it says what it took


def status_of(finish_reason: object, *, tools: bool = False) -> str | None:
    """The status of a reply by its finish reason; None where it names no whole answer."""
    if not isinstance(finish_reason, str):
        return None
    return ENDS.get(finish_reason) or (TOOL_ENDS.get(finish_reason) if tools else None)


def completion(reply: object, *, tools: bool = False) -> Response | Retry:
    """The answer in a completion, a body's value; one that is none is worth another attempt."""
    whole = mapping(reply)
    counts = usage_of(whole)
    return counted(_completion(whole, counts, tools), counts)


def counted(outcome: Response | Retry, counts: Record) -> Response | Retry:
    """What a reply means, with what it says that it took, where it is no answer."""
    says_so = counts["prompt_tokens"] or counts["completion_tokens"]
    return replace(outcome, counts=counts) if says_so and isinstance(outcome, Retry) else outcome


def _completion(whole: Mapping[str, object], counts: Record, tools: bool) -> Response | Retry:
    choice = mapping(next(iter(array(whole.get("choices"))), None))
    if problem := whole.get("error") or choice.get("error"):
        return fault(problem)
    if whole.get("object") == "error" or whole.get("status") == "failed":
        return fault(whole)
    if whole.get("done") is False:
        return Retry("an answer without an end: done is false")
    message = choice.get("message", {"content": choice.get("text")} if "text" in choice else None)
    if not isinstance(message, dict):
        return Retry("a body without choices")
    reason = choice.get("finish_reason")
    known = {**counts, "finish_reason": text(reason)}
    refusal, listed = message.get("refusal"), words_of(message.get("content"))
    refused = isinstance(refusal, str) and refusal
    words = None if listed is None or refusal else (listed[0], reasoning_of(message, listed[1]))
    status = "refused" if refused else status_of(reason, tools=tools)
    return settled(status, words, known, called=known["finish_reason"] in TOOL_ENDS)


def fault(problem: object) -> Retry:
    """An error that stands in a reply which is said to be none."""
    said, codes = error_of({"error": problem})
    return Retry(f"an error in the reply: {(codes or said)[:REASON_CHARACTERS] or 'unnamed'}")


def settled(
    status: str | None,
    words: tuple[str | None, str | None] | None,
    known: Record,
    *,
    called: bool = False,
) -> Response | Retry:
    """The response that a whole reply makes.

    Args:
        status: by its finish reason; None where that ends no answer.
        words: its answer, where it has one, and its reasoning; None: of no known form.
        known: the other fields of the response.
        called: whether it calls a tool, which takes no words.
    """
    if status == "refused":
        return Response("refused", **known)
    if status is None:
        reason = known["finish_reason"]
        named = "missing" if reason is None else repr(reason[:REASON_CHARACTERS])
        return Retry(f"an answer without an end: finish_reason {named}")
    if words is None:
        return Retry("a body without content")
    answer, known["reasoning"] = words
    if known["reasoning"]:
        known["reasoning_tokens"] = known["reasoning_tokens"] or None  # 0: nobody counted
    # Reasoning may spend the whole limit, or be all that there is; a call of a tool has no words.
    silent = status == "length" or called or known["reasoning"] or known["reasoning_tokens"]
    if answer is None and not silent:
        return Retry("a body without content")
    return Response(status, answer or "", **known)


def failure(status: int, reply: object, headers: Mapping[str, str], now: float) -> Response | Retry:
    """What an HTTP status of 300 and above means, with the value of its body."""
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


def lasting(
    status: int, reply: object
) -> Literal["key", "limit", "model", "quota", "sampling", "tier"] | None:
    """What is wrong for every request alike, by an HTTP status and the value of its body."""
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
    """The message in an error's body, one short line, and its codes, whatever its shape."""
    outer = mapping(next(iter(array(reply)), reply))  # Gemini's comes in a list, or does not
    error = mapping(outer.get("error")) or outer
    inner = mapping(error.get("innererror"))
    message = error.get("message") or error.get("detail") or outer.get("error") or ""
    if isinstance(message, list):  # a FastAPI server's: where in the request, and what is wrong
        message = "; ".join(map(_wrong_field, map(mapping, message)))
    short = " ".join(message.split()) if isinstance(message, str) else ""
    details = [mapping(one) for one in array(error.get("details")) or [error.get("details")]]
    codes = [error.get("code"), error.get("type"), inner.get("code"), error.get("status")]
    codes += [one.get(name) for one in details for name in ("error_code", "reason")]
    known = " ".join(str(count(code) or text(code) or "") for code in codes)
    return clean(short)[:MESSAGE_CHARACTERS], " ".join(known.split())


def _wrong_field(detail: Mapping[str, object]) -> str:
    place = ".".join(str(step) for step in array(detail.get("loc")) if step != "body")
    return f"{place}: {detail.get('msg')}"


def retry_delay(reply: object) -> float | None:
    """Seconds to wait by an error's body, which Gemini says so; None: it does not say."""
    outer = mapping(next(iter(array(reply)), reply))
    for detail in map(mapping, array(mapping(outer.get("error")).get("details"))):
        if found := DELAY.fullmatch(text(detail.get("retryDelay")) or ""):
            return float(found[1])
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
