"""Requests to models and their responses, and the hash by which a response is cached."""

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

# All outcomes of a request. ``length``: a response truncated by the output limit; ``unfinished``:
# reasoning truncated by it, or without a response.
STATUSES = ("ok", "length", "unfinished", "overflow", "refused", "error")
# Statuses with a response.
ANSWERED = frozenset({"ok", "length"})
# Statuses, before reasoning is split off, with which a request is not sent again.
FINAL = frozenset({"ok", "length", "refused"})

_WITH_REPEAT = re.compile(r"#\d+\Z")

# Earlier turns of a conversation: prompt and response of each.
Turns = tuple[tuple[str, str], ...]

# Characters of a prefix from which it is worth computing it once for several contexts.
FAMILY_PREFIX = 2_000


@dataclass(frozen=True, slots=True)
class Item:
    """A prompt of a benchmark, before it is fitted to a model's window.

    The full prompt is ``head + context + tail`` (in the paper's terms D and what precedes X, X,
    and I); ``max_tokens`` is the output limit.

    Args:
        task: of the benchmark; a model may have output limits by task.
        repeat: number of the repeat, from 0.
        follows: key of the item of the previous turn; None: a conversation's first turn.
        reminder: added to the prompt when an unreadable reply is re-requested.
        turns: earlier turns, once ``follows`` has a response.
        system: a system message of the prompt, after the model's.
        attempt: at a readable reply, from 1.
        schema: JSON schema of the response, as JSON; empty: any text.
        barred: why it must not be sent; None where it may.
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
        """Its key among the items of a part."""
        return repeat_key(self.sample_id, self.repeat)


@dataclass(frozen=True, slots=True)
class Request:
    """A prompt that fits a model's window; requests of one context share their ``prefix`` object.

    Args:
        group: equal for requests whose prompts begin with the same context (without one, with the
            same head), and for no others.
        prompt_tokens: including the template's, where they were counted.
        prompt_truncated_tokens: tokens truncated from the right of the context.
        seen: fraction of the context's tokens that was kept.
        overflow: why it is not sent; None where it fits.
        hash: of everything that determines the response (``request_hash``).
        turns, repeat, schema, system: as the item's.
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
        """Its key among the requests of a part."""
        return repeat_key(self.sample_id, self.repeat)

    @property
    def prompt(self) -> str:
        """The full prompt, without the model's template."""
        return self.prefix + self.suffix


@dataclass(frozen=True, slots=True)
class Response:
    """A response, or why there is none; ``error`` is set for status error and overflow.

    As engines return it, and a journal keeps it, ``text`` includes reasoning in tags, and
    ``reasoning`` is what the server returned in a separate field; ``separate_reasoning`` of
    ``engines.sending.reasoning`` splits them into response and reasoning.

    Args:
        completion_tokens: including those of the reasoning.
        served_model, fingerprint: of the model, according to the server.
        cached_tokens, written_tokens: prompt tokens read from, and written to, a provider's cache.
        tier: pricing tier of the bill, ``flex`` or ``batch``; None: the standard price.
        parts: number of content parts of the prompt; None: a plain string.
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
    """The key of one repeat of a sample, unique even where the id ends like another key.

    A judge's requests about a repeat have a number in their ids already.

    >>> repeat_key("LSI/c0/e1/v2", 0), repeat_key("LSI/c0/e1/v2", 1)
    ('LSI/c0/e1/v2', 'LSI/c0/e1/v2#1')
    >>> repeat_key("LSI/c0/e1/v2#1", 0)
    'LSI/c0/e1/v2#1#0'
    """
    return f"{sample_id}#{repeat}" if repeat or _WITH_REPEAT.search(sample_id) else sample_id


def distinct_requests(requests: Iterable[Request]) -> list[Request]:
    """The requests to send: all that fit, equal ones once."""
    return list({request.hash: request for request in requests if not request.overflow}.values())


def grouped(requests: Iterable[Request]) -> list[list[Request]]:
    """The requests by group, in the order of each group's first request."""
    groups: dict[tuple[str, str], list[Request]] = defaultdict(list)
    for request in requests:
        groups[request.group].append(request)
    return list(groups.values())


def families(groups: Iterable[list[Request]]) -> list[list[Request]]:
    """The groups, merged where one context is the beginning of another; longest prefix first."""

    def prefix(group: list[Request]) -> str:
        return max((request.prefix for request in group), key=len)

    # In alphabetical order of the prefixes, the beginning of a text comes right before the text.
    merged: list[list[Request]] = []
    beginning = ""
    for group in sorted(groups, key=prefix):
        if len(beginning) >= FAMILY_PREFIX and prefix(group).startswith(beginning):
            merged[-1].extend(group)
        else:
            merged.append(list(group))
            beginning = prefix(group)
    return list(map(_longest_prefix_first, merged))


def ordered(groups: Iterable[Sequence[Request]]) -> list[Request]:
    """The requests context by context, those with the largest request first."""
    requests: list[Request] = []
    for group in sorted(groups, key=lambda group: -max(map(size, group))):
        requests += _longest_prefix_first(group)
    return requests


def _longest_prefix_first(group: Sequence[Request]) -> list[Request]:
    # Truncated contexts differ by their ends: the shorter prefixes are in the cache by then.
    return sorted(group, key=lambda request: -len(request.prefix))


def size(request: Request) -> int:
    """Maximum tokens of a request, those of its response included."""
    return (request.prompt_tokens or 0) + request.max_tokens


def output_record(request: Request, response: Response) -> OutputRecord:
    """A line of the outputs."""
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
    """A sha256 of settings, to be copied for every context."""
    return hashlib.sha256(f"{canonical_json(dict(answers))}\0".encode("utf-8", "surrogatepass"))


def prefix_hasher(settings: "HASH", prefix: str) -> "HASH":
    """A sha256 of settings and prefix, to be copied for every request that shares them.

    So a context of a million tokens is hashed once instead of 150 times. Leaves ``settings`` as is.
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
    """The hash that identifies a response: of settings, entire prompt, output limit, schema, ….

    Each repeat, and each further attempt at a readable reply, has its own. Where the prompt was
    split into prefix and suffix makes no difference. Leaves ``hasher`` as is.
    """
    # Canonical JSON contains no NUL: those before and after the prompt separate the three texts.
    parameters: Record = {"max_tokens": max_tokens}
    if turns:
        parameters["turns"] = turns
    if attempt > 1:
        parameters["attempt"] = attempt
    if repeat:
        parameters["draw"] = repeat  # version 0.1's name, which is in the hashes of its journals
    if schema:
        parameters["schema"] = schema
    if system:
        parameters["system"] = system
    hasher = hasher.copy()
    hasher.update(f"{suffix}\0{canonical_json(parameters)}".encode("utf-8", "surrogatepass"))
    return hasher.hexdigest()
