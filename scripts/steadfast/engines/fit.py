"""Fits prompts to the context window: checked, truncated or left out before sending (promise 4)."""

import sys
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.tokens import load_tokenizer
from steadfast.contract.request import Item, Request, prefix_hasher, request_hash, settings_hasher
from steadfast.engines.api.body import as_text
from steadfast.engines.base import Engine, TokenCounter

if TYPE_CHECKING:
    from _hashlib import HASH


SEAM = 16  # tokens: tokenizing concatenated text may differ by a few tokens from its parts
STEPS = 512  # contexts are truncated to a multiple of this fraction of the window


class _Prefix(NamedTuple):
    text: str
    tokens: int  # 0 without a window
    hasher: "HASH"


class _Context:
    """One context after one head: its tokens, and its prefixes by the number of tokens kept."""

    def __init__(self, item: Item, settings: "HASH", tokenizer: TokenCounter | None):
        self._head = item.head
        self._context = item.context
        self._settings = settings
        self.tokenizer = tokenizer
        self._prefixes: dict[int | None, _Prefix] = {}

    def prefix(self, kept: int | None) -> _Prefix:
        """Head and the first ``kept`` tokens of the context (None: all)."""
        if kept not in self._prefixes:
            text = self._context
            if kept is not None and self.tokenizer:
                text = text[: len(self.tokenizer.decode(self.tokens[:kept].tolist()))]
            text = self._head + text
            count = self.tokenizer.count(text) if self.tokenizer else 0
            self._prefixes[kept] = _Prefix(text, count, prefix_hasher(self._settings, text))
        return self._prefixes[kept]

    @cached_property
    def tokens(self) -> "array[int]":
        assert self.tokenizer is not None, "nothing is truncated without a window"
        return array("I", self.tokenizer.encode(self._context))


def items_for_model(items: Iterable[Item], answers: Settings) -> list[Item]:
    """Items with a model's own output limits, room for its reasoning, and its few-shot examples.

    >>> item = Item("s", "c", "", "", "Why?", max_tokens=100, task="LSI")
    >>> [adapted.max_tokens for adapted in items_for_model([item], {"max_tokens": {"LSI": 300}})]
    [300]
    >>> [adapted.max_tokens for adapted in items_for_model([item], {"reasoning": {"tokens": 4096}})]
    [4196]
    """
    limits: int | Mapping[str, int] = answers.get("max_tokens") or {}
    reasoning: int = (answers.get("reasoning") or {}).get("tokens", 0)
    examples = answers.get("examples") or []
    opening = as_text([(instruction, output) for instruction, output in examples])
    heads: dict[str, str] = {}  # with the examples before them
    adapted_items: list[Item] = []
    for item in items:
        limit = limits if isinstance(limits, int) else limits.get(item.task, item.max_tokens)
        # Later turns of a conversation have the examples in its first turn.
        head = item.head if item.follows else heads.setdefault(item.head, opening + item.head)
        adapted_items.append(replace(item, head=head, max_tokens=limit + reasoning))
    return adapted_items


def fitted_requests(
    model: str, engine: Engine, answers: Settings, items: Iterable[Item]
) -> list[Request]:
    """Items as requests that fit a model's window, by its settings and its engine's tokenizer."""
    window = answers.get("window")
    tokenizer = tokenizer_of(engine, answers) if window else None
    return fit(
        items_for_model(items, answers),
        window,
        answers.get("on_overflow") or "error",
        tokenizer,
        model=model,
        answers=engine.answers,
        template_tokens=engine.template_tokens(tokenizer.count) if tokenizer else 0,
    )


def tokenizer_of(engine: Engine, answers: Settings) -> TokenCounter:
    """The tokenizer of a model: its own, else the config's tiktoken encoding."""
    return engine.tokenizer or load_tokenizer(answers.get("tokenizer") or "o200k_base")


def estimated_requests(
    model: str,
    engine: Engine | None,
    answers: Settings,
    items: Iterable[Item],
    tokenizer: TokenCounter,
) -> tuple[list[Request], int]:
    """Items as requests for a cost estimate, before any response exists.

    Returns:
        All requests with their prompt tokens, those that do not fit marked as overflow; and the
        tokens of the template.
    """
    template = engine.template_tokens(tokenizer.count) if engine else 0
    requests = fit(
        items_for_model(items, answers),
        answers.get("window") or sys.maxsize,  # without a window tokens would not be counted
        "truncate" if answers.get("on_overflow") == "truncate" else "skip",
        tokenizer,
        model=model,
        answers=engine.answers if engine else {},
        template_tokens=template,
    )
    return requests, template


def fit(
    items: Iterable[Item],
    window: int | None,
    on_overflow: str,
    tokenizer: TokenCounter | None,
    *,
    model: str = "",
    answers: Settings | None = None,
    template_tokens: int = 0,
) -> list[Request]:
    """Makes a request of each item that fits the window: prompt + template + output ≤ window.

    ``truncate`` is the paper's policy (appendix E): the context X is truncated from the right, D
    and I stay complete. The kept length depends only on the request, its window and its output
    limit, so that no other sample can change a prompt. It is a multiple of a 512th of the window,
    so that the requests of a context and task still share their entire prefix.

    Args:
        window: the model's tokens for prompt and response; None: no limit.
        on_overflow: ``error``, ``truncate`` or ``skip`` (marks the request, which is not sent).
        answers: the settings that determine responses, for the hashes.
        template_tokens: tokens that the model's template adds to each prompt.

    Raises:
        UserError: with ``error``, a prompt does not fit; the sentence names the first.
    """
    settings = settings_hasher(answers or {})
    contexts: dict[tuple[str, str], _Context] = {}
    requests: list[Request] = []
    overflowing: list[Request] = []
    for item in items:
        key = item.context_id, item.head
        if key not in contexts:
            contexts[key] = _Context(item, settings, tokenizer if window else None)
        request = _fit_one(item, contexts[key], window or 0, on_overflow, template_tokens)
        requests.append(request)
        if request.overflow and not item.barred:
            overflowing.append(request)
    if on_overflow == "error" and overflowing:
        raise UserError(
            f"model {model}: {len(overflowing)} of {len(requests)} prompts exceed its context "
            f"window of {window:,} tokens, first {overflowing[0].sample_id} "
            f"({overflowing[0].prompt_tokens:,} prompt tokens + {overflowing[0].max_tokens:,} for "
            "the response); set on_overflow to truncate or skip, or remove that length"
        )
    return requests


def _fit_one(
    item: Item, context: _Context, window: int, on_overflow: str, template_tokens: int
) -> Request:
    # At temperature 0 the same prompt would bring the same response: the reminder changes it.
    tail = item.tail + item.reminder if item.attempt > 1 else item.tail
    tokenizer = context.tokenizer
    if tokenizer is None:
        return _request(item, tail, context, None, None)
    tail_tokens = tokenizer.count(tail)
    # Earlier turns count with their templates: one for each prompt, one for each response.
    history = list(chain.from_iterable(item.turns))
    if item.system:
        history.append(item.system)
    template_tokens += sum(tokenizer.count(text) + template_tokens for text in history)
    limit = window - template_tokens - item.max_tokens

    def count(kept: int | None) -> int:
        prefix = context.prefix(kept)
        if abs(prefix.tokens + tail_tokens - limit) <= SEAM:
            return tokenizer.count(prefix.text + tail)
        return prefix.tokens + tail_tokens

    untruncated = count(None)
    if untruncated <= limit:
        return _request(item, tail, context, None, untruncated + template_tokens)
    if on_overflow == "truncate":
        step = max(1, window // STEPS)
        room = min(limit - tokenizer.count(item.head) - tail_tokens, len(context.tokens))
        for tokens_kept in range(room // step * step, -1, -step):
            tokens = count(tokens_kept)
            if tokens <= limit and tokens_kept < len(context.tokens):
                return _request(item, tail, context, tokens_kept, tokens + template_tokens)
    prompt_tokens = untruncated + template_tokens
    error = (
        f"{prompt_tokens} tokens of prompt and {item.max_tokens} for the response exceed the "
        f"window of {window}"
    )
    return _request(item, tail, context, None, prompt_tokens, error)


def _request(
    item: Item,
    tail: str,
    context: _Context,
    kept: int | None,
    tokens: int | None,
    overflow: str | None = None,
) -> Request:
    """The request with the first ``kept`` tokens of the context (None: all)."""
    prefix = context.prefix(kept)
    truncated_tokens = 0
    seen = 1.0
    if kept is not None:
        truncated_tokens = len(context.tokens) - kept
        seen = kept / len(context.tokens)
    if item.turns or not (item.head or item.context):
        group = (item.key, "")  # no other prompt begins like this one
    else:
        group = (item.context_id if item.context else "", item.system + item.head)
    variant = (item.turns, item.attempt, item.repeat, item.schema, item.system)
    return Request(
        sample_id=item.sample_id,
        context_id=item.context_id,
        group=group,
        prefix=prefix.text,
        suffix=tail,
        max_tokens=item.max_tokens,
        prompt_tokens=tokens,
        prompt_truncated_tokens=truncated_tokens,
        seen=seen,
        overflow=item.barred or overflow,
        hash=request_hash(prefix.hasher, tail, item.max_tokens, *variant),
        turns=item.turns,
        repeat=item.repeat,
        schema=item.schema,
        system=item.system,
    )
