"""What is asked and what comes back: the records that the inference stage is made of."""

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from steadfast.files import canonical_json

STATUSES = ("ok", "length", "overflow", "refused", "error")
ANSWERED = frozenset({"ok", "length"})
"""Statuses whose text is a model's answer."""
FINAL = frozenset({"ok", "length", "refused"})
"""Statuses that are not asked again."""


Turns = tuple[tuple[str, str], ...]
"""Earlier turns of a conversation: prompt and answer of each."""


@dataclass(frozen=True, slots=True)
class Item:
    """What a benchmark hands over: D with all that precedes X, X, and what follows with I.

    The full prompt is ``head + context + tail``; ``max_tokens`` is the output limit.

    Args:
        follows: sample whose conversation it goes on with; None where it opens one.
        reminder: what is added when the answer could not be read and is asked for again.
        turns: what was said before, pairs of prompt and answer; known once ``follows`` is answered.
        attempt: 1 for the first asking.
        barred: why it must not be asked; None where it may.
    """

    sample_id: str
    context_id: str
    head: str
    context: str
    tail: str
    max_tokens: int
    follows: str | None = None
    reminder: str = ""
    turns: Turns = ()
    attempt: int = 1
    barred: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A prompt made to fit; requests of one context share their ``prefix`` object.

    Args:
        group: equal for requests whose prompts begin with the same context, and no others.
        prompt_tokens: tokens with the template's, where they were counted.
        truncated_tokens: tokens cut from the right of the context.
        seen: fraction of the context's tokens that was kept.
        overflow: why it is not sent; None where it fits.
        hash: of all that determines the response (``request_hash``).
        turns: what was said before, pairs of prompt and answer.
    """

    sample_id: str
    context_id: str
    group: tuple[str, str]
    prefix: str
    suffix: str
    max_tokens: int
    prompt_tokens: int | None
    truncated_tokens: int
    seen: float
    overflow: str | None
    hash: str
    turns: Turns = ()

    @property
    def prompt(self) -> str:
        """The full prompt, without the model's template."""
        return self.prefix + self.suffix


@dataclass(frozen=True, slots=True)
class Response:
    """An answer or why there is none; ``error`` is set for status error and overflow.

    ``served_model`` and ``fingerprint`` are what a server says it answered with; ``logprobs`` has
    a triple a token (text, log probability, pairs of the alternatives) where they were asked for.
    """

    status: str
    text: str = ""
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    error: str | None = None
    served_model: str | None = None
    fingerprint: str | None = None
    logprobs: list[list[Any]] | None = None


class Oracle(Protocol):
    """What a benchmark knows that engines without a model answer from."""

    def reference(self, sample_id: str) -> str:
        """The gold answer of a sample."""

    def simulated(
        self, sample_id: str, reader: Mapping[str, Any], seen: float, rng: random.Random
    ) -> str:
        """What a reader of those settings answers, having seen that fraction of the context."""


def prefix_hasher(answers: Mapping[str, Any], prefix: str) -> Any:
    """A sha256 over settings and prefix, to be copied for every request that shares them.

    A context of a million tokens is hashed once instead of 150 times.
    """
    hasher = hashlib.sha256(canonical_json(dict(answers)).encode("utf-8", "surrogatepass"))
    hasher.update(b"\0")
    hasher.update(prefix.encode("utf-8", "surrogatepass"))
    return hasher


def request_hash(
    hasher: Any, suffix: str, max_tokens: int, turns: Turns = (), attempt: int = 1
) -> str:
    """The hash by which a response is known: settings, whole prompt, output limit.

    Canonical JSON has no raw NUL, so the two that stand between the parts keep them apart;
    where the prompt was split makes no difference.

    Args:
        hasher: from ``prefix_hasher``; it is left as it is.
        suffix: what follows the prefix.
        max_tokens: the output limit.
        turns: what was said before.
        attempt: an answer that could not be read is asked for again under another hash.
    """
    hasher = hasher.copy()
    hasher.update(suffix.encode("utf-8", "surrogatepass"))
    rest: dict[str, Any] = {"max_tokens": max_tokens}
    if turns:
        rest["turns"] = turns
    if attempt > 1:
        rest["attempt"] = attempt
    hasher.update(b"\0" + canonical_json(rest).encode("utf-8", "surrogatepass"))
    return hasher.hexdigest()
