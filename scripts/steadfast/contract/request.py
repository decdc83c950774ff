"""What is asked and what comes back: the records that the inference stage is made of."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steadfast.base.files import Record, Settings, canonical_json
from steadfast.contract.records import OutputRecord

if TYPE_CHECKING:
    from _hashlib import HASH

STATUSES = ("ok", "length", "unfinished", "overflow", "refused", "error")
"""What became of a request; closed. ``length`` is an answer that the limit cut, ``unfinished`` a
reasoning that it cut, or reasoning without an answer."""
ANSWERED = frozenset({"ok", "length"})
"""Statuses whose text is a model's answer."""
FINAL = frozenset({"ok", "length", "refused"})
"""Statuses of a reply, before its reasoning is split off, with which it is not re-requested."""

_DRAWN = re.compile(r"#\d+\Z")

Turns = tuple[tuple[str, str], ...]
"""Earlier turns of a conversation: prompt and answer of each."""

FAMILY_PREFIX = 2_000
"""Characters of a prefix from which it is worth to compute it once for several contexts."""


@dataclass(frozen=True, slots=True)
class Item:
    """What a benchmark hands over: D with all that precedes X, X, and what follows with I.

    The full prompt is ``head + context + tail``; ``max_tokens`` is the output limit.

    Args:
        task: of the benchmark, by whose name a model's output limit may be set.
        repeat: 0 for the first answer that is drawn, 1 for the second …
        follows: key of the item whose conversation it goes on with; None where it opens one.
        reminder: what is added when the answer could not be read and is asked for again.
        turns: the earlier ones, pairs of prompt and answer; known once ``follows`` is answered.
        system: a system message of its own, after the model's.
        attempt: 1 for the first asking.
        schema: JSON schema that the answer has to follow, as JSON; empty: it may be any text.
        barred: why it must not be asked; None where it may.
    """

    sample_id: str
    context_id: str
    head: str
    context: str
    tail: str
    max_tokens: int
    task: str = ""
    repeat: int = 0
    follows: str | None = None
    reminder: str = ""
    turns: Turns = ()
    attempt: int = 1
    schema: str = ""
    system: str = ""
    barred: str | None = None

    @property
    def key(self) -> str:
        """Its name among the items of a part."""
        return repeat_key(self.sample_id, self.repeat)


@dataclass(frozen=True, slots=True)
class Request:
    """A prompt made to fit; requests of one context share their ``prefix`` object.

    Args:
        group: equal for requests whose prompts begin with the same context, or where there is
            none with the same head, and no others.
        prompt_tokens: tokens with the template's, where they were counted.
        prompt_truncated_tokens: tokens cut from the right of the context.
        seen: fraction of the context's tokens that was kept.
        overflow: why it is not sent; None where it fits.
        hash: of all that determines the response (``request_hash``).
        turns: the earlier ones, pairs of prompt and answer.
        repeat: as the item's.
        schema, system: as the item's.
    """

    sample_id: str
    context_id: str
    group: tuple[str, str]
    prefix: str
    suffix: str
    max_tokens: int
    prompt_tokens: int | None
    prompt_truncated_tokens: int
    seen: float
    overflow: str | None
    hash: str
    turns: Turns = ()
    repeat: int = 0
    schema: str = ""
    system: str = ""

    @property
    def key(self) -> str:
        """Its name among the requests of a part."""
        return repeat_key(self.sample_id, self.repeat)

    @property
    def prompt(self) -> str:
        """The full prompt, without the model's template."""
        return self.prefix + self.suffix


@dataclass(frozen=True, slots=True)
class Response:
    """A reply or why there is none; ``error`` is set for status error and overflow.

    As an engine gives it, and a journal keeps it, ``text`` is what the model wrote, reasoning in
    tags included, and ``reasoning`` what the server gave apart from it; ``separate_reasoning`` of
    ``engines.asking.reasoning`` makes of it the answer and the whole reasoning.
    ``completion_tokens`` has those of the reasoning.
    ``served_model`` and ``fingerprint`` are what a server says it answered with.
    ``cached_tokens`` and ``written_tokens`` are those of ``prompt_tokens`` that came from a
    provider's cache and that went into it; ``tier`` is what the reply is billed by, ``flex`` or
    ``batch``, and None for the plain price; ``parts`` are the content parts in which the prompt
    went, where it was no plain string.
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
    reasoning: str | None = None
    reasoning_tokens: int | None = None
    written_tokens: int | None = None
    tier: str | None = None
    parts: int | None = None


def repeat_key(sample_id: str, repeat: int) -> str:
    """Returns the name of one of the answers that are drawn for a sample; no two are named alike.

    What is asked of a judge about a drawn answer has a number in its own name already.

    >>> repeat_key("LSI/c0/e1/v2", 0), repeat_key("LSI/c0/e1/v2", 1)
    ('LSI/c0/e1/v2', 'LSI/c0/e1/v2#1')
    >>> repeat_key("LSI/c0/e1/v2#1", 0)
    'LSI/c0/e1/v2#1#0'
    """
    return f"{sample_id}#{repeat}" if repeat or _DRAWN.search(sample_id) else sample_id


def grouped(requests: Iterable[Request]) -> list[list[Request]]:
    """Returns the requests by group, in the order in which the groups begin."""
    groups: dict[tuple[str, str], list[Request]] = defaultdict(list)
    for request in requests:
        groups[request.group].append(request)
    return list(groups.values())


def families(groups: Iterable[list[Request]]) -> list[list[Request]]:
    """Returns groups in which a context is the beginning of another's as one, longest first.

    In alphabetical order of the prefixes, the beginning of a text stands right before the text.
    """

    def prefix(group: list[Request]) -> str:
        return max((request.prefix for request in group), key=len)

    merged: list[list[Request]] = []
    beginning = ""
    for group in sorted(groups, key=prefix):
        if len(beginning) >= FAMILY_PREFIX and prefix(group).startswith(beginning):
            merged[-1].extend(group)
        else:
            merged.append(list(group))
            beginning = prefix(group)
    return [sorted(group, key=lambda request: -len(request.prefix)) for group in merged]


def ordered(groups: Sequence[Sequence[Request]]) -> list[Request]:
    """Returns the requests context by context, the longest first.

    Cut contexts differ by their ends: within a group the longest prefix comes first.
    """
    longest = sorted(groups, key=lambda group: -max(map(size, group)))
    return [
        request
        for group in longest
        for request in sorted(group, key=lambda request: -len(request.prefix))
    ]


def size(request: Request) -> int:
    """Returns the tokens that a request takes at most, its answer's included."""
    return (request.prompt_tokens or 0) + request.max_tokens


def output_record(request: Request, response: Response) -> OutputRecord:
    """Returns a line of the outputs."""
    record: OutputRecord = {
        "sample_id": request.sample_id,
        "repeat": request.repeat,
        "request_hash": request.hash,
        "status": response.status,
        "response": response.text if response.status in ANSWERED else "",
        "reasoning": response.reasoning,
        "finish_reason": response.finish_reason,
        "prompt_tokens": response.prompt_tokens,
        "cached_tokens": response.cached_tokens,
        "written_tokens": response.written_tokens,
        "completion_tokens": response.completion_tokens,
        "reasoning_tokens": response.reasoning_tokens,
        "prompt_truncated_tokens": request.prompt_truncated_tokens,
    }
    if response.error is not None:
        record["error"] = response.error
    return record


def settings_hasher(answers: Settings) -> "HASH":
    """Returns a sha256 over settings, to be copied for every context."""
    return hashlib.sha256(f"{canonical_json(dict(answers))}\0".encode("utf-8", "surrogatepass"))


def prefix_hasher(settings: "HASH", prefix: str) -> "HASH":
    """Returns a sha256 over settings and prefix, to be copied for every request that shares them.

    A context of a million tokens is hashed once instead of 150 times. ``settings`` stays as it is.
    """
    hasher = settings.copy()
    hasher.update(prefix.encode("utf-8", "surrogatepass"))
    return hasher


def request_hash(
    hasher: "HASH",
    suffix: str,
    max_tokens: int,
    turns: Turns = (),
    attempt: int = 1,
    repeat: int = 0,
    schema: str = "",
    system: str = "",
) -> str:
    """Returns the hash by which a response is known: settings, whole prompt, output limit, schema.

    Canonical JSON has no raw NUL, so the two that stand between the parts keep them apart;
    where the prompt was split makes no difference. An answer that could not be read is asked for
    again under another hash, and so is each further repeat. The hasher is left as it is.
    """
    parameters: Record = {"max_tokens": max_tokens}
    if turns:
        parameters["turns"] = turns
    if attempt > 1:
        parameters["attempt"] = attempt
    if repeat:
        parameters["draw"] = (
            repeat  # as version 0.1 named it: responses in journals are known by it
        )
    if schema:
        parameters["schema"] = schema
    if system:
        parameters["system"] = system
    hasher = hasher.copy()
    hasher.update(f"{suffix}\0{canonical_json(parameters)}".encode("utf-8", "surrogatepass"))
    return hasher.hexdigest()
