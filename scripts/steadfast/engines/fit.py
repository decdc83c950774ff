"""Prompts against the window: checked, cut or left out before anything is sent (promise 4)."""

from array import array
from collections.abc import Iterable, Mapping
from typing import Any

from steadfast.engines.request import Item, Request, prefix_hasher, request_hash
from steadfast.errors import UserError
from steadfast.tokens import Tokenizer

SEAM = 16  # tokens: text joined to text may be split otherwise, by no more than a few tokens
STEPS = 512  # a cut falls on one of so many places in the window


class _Context:
    """One context behind one head: its tokens, and its prefixes by the tokens kept."""

    def __init__(self, item: Item, answers: Mapping[str, Any], tokenizer: Tokenizer | None):
        self._head, self._context = item.head, item.context
        self._answers, self._tokenizer = answers, tokenizer
        self._tokens: array | None = None
        self._cuts: dict[int | None, tuple[str, int, Any]] = {}

    def cut(self, kept: int | None) -> tuple[str, int, Any]:
        """Prefix with so many tokens of the context (None: all), its token count, its hasher."""
        if kept not in self._cuts:
            text = self._context
            if kept is not None:
                text = text[: len(self._tokenizer.decode(self.tokens[:kept].tolist()))]
            prefix = self._head + text
            count = self._tokenizer.count(prefix) if self._tokenizer else 0
            self._cuts[kept] = prefix, count, prefix_hasher(self._answers, prefix)
        return self._cuts[kept]

    @property
    def tokens(self) -> array:
        if self._tokens is None:
            self._tokens = array("I", self._tokenizer.encode(self._context))
        return self._tokens


def fit(
    items: Iterable[Item],
    window: int | None,
    on_overflow: str,
    tokenizer: Tokenizer | None,
    *,
    model: str = "",
    answers: Mapping[str, Any] | None = None,
    template_tokens: int = 0,
) -> list[Request]:
    """Makes requests of items, each within the window: prompt + template + output ≤ window.

    ``truncate`` is the paper's policy (appendix E): X is cut from the right, D and I stay whole.
    Where the cut falls depends on nothing but the request, its window and its output limit, so
    that no other sample can change a prompt; it is rounded down to a 512th of the window, so that
    the requests of a context and task still share their whole prefix.

    Args:
        window: tokens that the model takes, answer included; None: no limit, nothing is counted.
        on_overflow: ``error``, ``truncate`` or ``skip`` (a request that is marked and not sent).
        tokenizer: counts the tokens; may be None where there is no window.
        model: name for the error's sentence.
        answers: the settings that determine responses, for the hashes.
        template_tokens: tokens that the model's template adds.

    Returns:
        One request an item, in their order.

    Raises:
        UserError: ``error``, and a prompt does not fit; the sentence names the first.
    """
    items = list(items)
    contexts: dict[tuple[str, str], _Context] = {}
    requests = []
    for item in items:
        key = item.context_id, item.head
        if key not in contexts:
            contexts[key] = _Context(item, answers or {}, tokenizer if window else None)
        requests.append(
            _fit_one(item, contexts[key], window, on_overflow, tokenizer, template_tokens)
        )
    over = [
        request
        for request, item in zip(requests, items, strict=True)
        if request.overflow and not item.barred
    ]
    if on_overflow == "error" and over:
        raise UserError(
            f"model {model}: {len(over)} of {len(requests)} prompts do not fit its window of "
            f"{window:,} tokens, the first is {over[0].sample_id} ({over[0].prompt_tokens:,} "
            f"tokens of prompt, {over[0].max_tokens:,} for the answer); set on_overflow to "
            "truncate or skip, or leave that length out"
        )
    return requests


def _fit_one(
    item: Item,
    context: _Context,
    window: int | None,
    on_overflow: str,
    tokenizer: Tokenizer | None,
    template_tokens: int,
) -> Request:
    # The same words again would bring the same answer from a model that is asked at temperature 0.
    tail = item.tail + item.reminder if item.attempt > 1 else item.tail

    def build(kept: int | None, tokens: int | None, overflow: str | None = None) -> Request:
        prefix, _, hasher = context.cut(kept)
        whole = len(context.tokens) if kept is not None else 0
        return Request(
            sample_id=item.sample_id,
            context_id=item.context_id,
            group=(
                (item.context_id, item.head)
                if item.context and not item.turns
                else (item.sample_id, "")
            ),
            prefix=prefix,
            suffix=tail,
            max_tokens=item.max_tokens,
            prompt_tokens=tokens,
            truncated_tokens=0 if kept is None else whole - kept,
            seen=1.0 if kept is None else kept / whole,
            overflow=item.barred or overflow,
            hash=request_hash(hasher, tail, item.max_tokens, item.turns, item.attempt),
            turns=item.turns,
        )

    if window is None:
        return build(None, None)
    tail_tokens = tokenizer.count(tail)
    # What was said before counts with its templates: one for each prompt, one for each answer.
    said = sum(tokenizer.count(text) + template_tokens for turn in item.turns for text in turn)
    template_tokens += said
    limit = window - template_tokens - item.max_tokens

    def count(kept: int | None) -> int:
        prefix, tokens, _ = context.cut(kept)
        if abs(tokens + tail_tokens - limit) <= SEAM:
            return tokenizer.count(prefix + tail)
        return tokens + tail_tokens

    tokens = whole = count(None)
    if whole <= limit:
        return build(None, whole + template_tokens)
    if on_overflow == "truncate":
        step = max(1, window // STEPS)
        room = min(limit - tokenizer.count(item.head) - tail_tokens, len(context.tokens))
        for kept in range(room // step * step, -1, -step):
            tokens = count(kept)
            if tokens <= limit and kept < len(context.tokens):
                return build(kept, tokens + template_tokens)
    return build(
        None,
        whole + template_tokens,
        f"{whole + template_tokens} tokens of prompt and {item.max_tokens} for the answer exceed "
        f"the window of {window}",
    )
