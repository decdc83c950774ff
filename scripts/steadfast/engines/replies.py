"""What an OpenAI-compatible server answered: an answer, a reason to try again, or a failure."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from steadfast.engines.request import Response
from steadfast.files import Record, Settings

RETRIED = frozenset({408, 409, 429, *range(500, 600)})
REFUSALS = re.compile(r"content_?filter|content_?policy|responsible_?ai", re.IGNORECASE)
TOO_LONG = re.compile(r"context_length_exceeded|string_above_max_length", re.IGNORECASE)
TOO_LONG_MESSAGE = re.compile(r"maximum context length|context length exceeded", re.IGNORECASE)
SURROGATE = re.compile("[\ud800-\udfff]")
MESSAGE_CHARACTERS = 200
LOGPROB_TOKENS = 4096  # whose log probabilities are kept, at most


@dataclass(frozen=True, slots=True)
class Retry:
    """Why an attempt failed that may succeed later.

    Args:
        after: seconds that the server asks to wait; None: it did not say.
        overloaded: whether fewer requests at once would help.
        unreachable: whether no connection was made.
        broken: whether the server itself failed, so that waiting helps everyone.
    """

    reason: str
    after: float | None = None
    overloaded: bool = False
    unreachable: bool = False
    broken: bool = False


def clean(text: str) -> str:
    """The text with U+FFFD for lone surrogates, which no UTF-8 file can hold."""
    return text if text.isascii() else SURROGATE.sub("�", text)


def read_completion(body: bytes, *, logprobs: bool = False) -> Response | Retry:
    """The answer in the body of a chat completion or a completion.

    A body that is none (not JSON, no choices, no content) is worth another attempt.
    """
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        return Retry("a body that is not JSON")
    try:
        choice = reply["choices"][0]
        message = choice["message"] if "message" in choice else {"content": choice["text"]}
        content, refusal = message["content"], message.get("refusal")
        finish_reason = choice.get("finish_reason")
    except (KeyError, IndexError, TypeError, AttributeError):
        return Retry("a body without choices")
    known: Record = {**_usage(reply), "finish_reason": _text(finish_reason)}
    if logprobs:
        known["logprobs"] = _logprobs(_object(choice.get("logprobs")))
    if refusal or finish_reason == "content_filter":
        return Response("refused", **known)
    if finish_reason == "length":
        # A reasoning model may spend the whole limit before its first word.
        return Response("length", clean(content or ""), **known)
    if not isinstance(content, str):
        return Retry("a body without content")
    return Response("ok", clean(content), **known)


def _usage(reply: Settings) -> Record:
    usage = _object(reply.get("usage"))
    details = _object(usage.get("prompt_tokens_details"))
    return {
        "prompt_tokens": _count(usage.get("prompt_tokens")),
        "cached_tokens": _count(details.get("cached_tokens")),
        "completion_tokens": _count(usage.get("completion_tokens")),
        "served_model": _text(reply.get("model")),
        "fingerprint": _text(reply.get("system_fingerprint")),
    }


def _logprobs(given: Settings) -> list[list[object]] | None:
    """Per token: its text, its log probability, and the alternatives' as pairs."""
    if isinstance(content := given.get("content"), list):  # a chat completion's
        return [
            [
                *_pair(token.get("token"), token.get("logprob")),
                [
                    _pair(_object(other).get("token"), _object(other).get("logprob"))
                    for other in token.get("top_logprobs") or []
                ],
            ]
            for token in map(_object, content[:LOGPROB_TOKENS])
        ]
    if isinstance(tokens := given.get("tokens"), list):  # a completion's
        values = given.get("token_logprobs") or []
        others = given.get("top_logprobs") or [None] * len(tokens)
        return [
            [*_pair(token, value), [_pair(*pair) for pair in _object(top).items()]]
            for token, value, top in zip(tokens[:LOGPROB_TOKENS], values, others, strict=False)
        ]
    return None


def _pair(token: object, value: object) -> list[object]:
    if isinstance(value, int | float) and math.isfinite(value):
        return [_text(token), round(value, 4)]
    return [_text(token), None]


def _object(value: object) -> Settings:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: object) -> str | None:
    return clean(value) if isinstance(value, str) else None


def read_failure(
    status: int, body: bytes, headers: Mapping[str, str], now: float
) -> Response | Retry:
    """What an HTTP status of 400 and above means.

    Args:
        now: seconds since the epoch, for a Retry-After that is a date.
    """
    message, codes = error_of(body)
    if status in RETRIED:
        overloaded = status in (429, 503, 529)
        after = retry_after(headers, now)
        return Retry(f"HTTP {status}", after, overloaded, broken=status >= 500)
    if status == 413 or TOO_LONG.search(codes) or TOO_LONG_MESSAGE.search(message):
        return Response("overflow", error="the server: longer than the model's window")
    if REFUSALS.search(codes):
        return Response("refused", finish_reason="content_filter")
    return Response("error", error=f"HTTP {status}: {message}" if message else f"HTTP {status}")


def error_of(body: bytes) -> tuple[str, str]:
    """The message of an error's body, one short line, and its codes, whatever its shape."""
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        reply = None
    outer = _object(reply)
    error = _object(outer.get("error")) or outer
    inner = _object(error.get("innererror"))
    message = error.get("message") or error.get("detail") or outer.get("error") or ""
    short = " ".join(message.split()) if isinstance(message, str) else ""
    codes = (error.get("code"), error.get("type"), inner.get("code"))
    known = " ".join(code for code in codes if isinstance(code, str))
    return clean(short)[:MESSAGE_CHARACTERS], known


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
