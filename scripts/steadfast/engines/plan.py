"""What a part would take of a model, reckoned from its requests alone: nothing is sent."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from steadfast.engines.bill import cost
from steadfast.engines.request import Request

COLUMNS = (
    "model", "part", "judges", "engine", "requests", "known", "to_ask", "prompt_tokens",
    "distinct_tokens", "output_budget", "truncated", "unfit", "ask_prompt_tokens",
    "ask_distinct_tokens", "ask_output_budget", "gpu_hours", "cost", "currency", "tokenizer",
    "estimated",
)  # fmt: skip


class Memo:
    """A tokenizer that counts no text twice; the models of a part share their prompts."""

    def __init__(self, tokenizer: Any):
        self._tokenizer = tokenizer
        self.encode, self.decode = tokenizer.encode, tokenizer.decode
        self._counts: dict[str, int] = {}

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        if text not in self._counts:
            self._counts[text] = self._tokenizer.count(text)
        return self._counts[text]


def plan_part(
    requests: Sequence[Request],
    known: Collection[str],
    tokenizer: Any,
    template_tokens: int = 0,
    throughput: Mapping[str, float] | None = None,
    price: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """One row of the plan; equal requests count once wherever something is asked or computed.

    Args:
        requests: of the part, made to fit the model.
        known: hashes that the journal answers.
        tokenizer: counts the tokens.
        template_tokens: tokens that the model's template adds to each prompt.
        throughput: ``prefill`` and ``decode`` tokens per second, ``gpus``.
        price: as ``bill.cost`` takes it, with ``currency``.

    Returns:
        Those of ``COLUMNS`` that follow from the requests. Hours and cost are of what is still to
        be asked: distinct tokens are computed, the others come from the cache, and every answer
        takes its whole limit, so that both are upper bounds of a run whose cache holds.
    """
    sent = {request.hash: request for request in requests if not request.overflow}
    asked = [request for name, request in sent.items() if name not in known]

    def logical(chosen: Iterable[Request]) -> int:
        return sum(_tokens(request, tokenizer, template_tokens) for request in chosen)

    whole = [request for request in requests if not request.overflow]
    distinct = distinct_tokens(asked, tokenizer, template_tokens)
    prompt, output = logical(asked), sum(request.max_tokens for request in asked)
    return {
        "requests": len(requests),
        "known": sum(request.hash in known for request in whole),
        "to_ask": len(asked),
        "prompt_tokens": logical(whole),
        "distinct_tokens": distinct_tokens(sent.values(), tokenizer, template_tokens),
        "output_budget": sum(request.max_tokens for request in whole),
        "truncated": sum(request.truncated_tokens > 0 for request in whole),
        "unfit": len(requests) - len(whole),
        "ask_prompt_tokens": prompt,
        "ask_distinct_tokens": distinct,
        "ask_output_budget": output,
        "gpu_hours": _hours(throughput, distinct, output) if throughput else None,
        "cost": cost(price, prompt, max(0, prompt - distinct), output) if price else None,
        "currency": price["currency"] if price else None,
    }


def distinct_tokens(requests: Iterable[Request], tokenizer: Any, template_tokens: int = 0) -> int:
    """Prompt tokens that are left when prompts share whatever prefix they have in common.

    Prompts of one context begin alike: their prefixes are cut from one text, so that the longest
    holds the others. What follows is shared where its tokens are.
    """
    longest: dict[tuple[str, str], int] = {}
    suffixes: dict[tuple[tuple[str, str], str], set[str]] = {}
    for request in requests:
        tokens = tokenizer.count(request.prefix)
        longest[request.group] = max(tokens, longest.get(request.group, 0))
        suffixes.setdefault((request.group, request.prefix), set()).add(request.suffix)
    tails = sum(
        shared_tokens([tokenizer.encode(text) for text in texts]) + template_tokens * len(texts)
        for texts in suffixes.values()
    )
    return sum(longest.values()) + tails


def shared_tokens(sequences: Iterable[Sequence[int]]) -> int:
    """Nodes of the prefix tree of token sequences: the tokens that differ or stand apart."""
    total, previous = 0, ()
    for sequence in sorted(sequences):
        common = next(
            (i for i, (a, b) in enumerate(zip(previous, sequence, strict=False)) if a != b),
            min(len(previous), len(sequence)),
        )
        total += len(sequence) - common
        previous = sequence
    return total


def _tokens(request: Request, tokenizer: Any, template_tokens: int) -> int:
    if request.prompt_tokens is not None:
        return request.prompt_tokens
    return tokenizer.count(request.prefix) + tokenizer.count(request.suffix) + template_tokens


def _hours(throughput: Mapping[str, float], prompt: int, output: int) -> float:
    seconds = prompt / throughput["prefill"] + output / throughput["decode"]
    return seconds * throughput.get("gpus", 1) / 3600


def misfits(requests: Iterable[Request], on_overflow: str) -> Iterable[tuple[str, str, int, int]]:
    """Prompts that are cut or do not fit: sample, what happens to it, tokens left, tokens cut."""
    over = "stops the job" if on_overflow == "error" else "left out"
    for request in requests:
        if request.overflow:
            yield request.sample_id, over, request.prompt_tokens or 0, 0
        elif request.truncated_tokens:
            tokens = request.prompt_tokens or 0
            yield request.sample_id, "truncated", tokens, request.truncated_tokens


def total(rows: Iterable[Mapping[str, Any]], column: str) -> float | int | None:
    """A column's sum over the rows that have a value; None where none has."""
    values = [row[column] for row in rows if row[column] is not None]
    return sum(values) if values else None


def markdown(rows: Sequence[Mapping[str, Any]], show: Callable[[Any], str]) -> list[str]:
    """The rows as lines of a Markdown table, with a header."""
    names = [name for name in COLUMNS if any(row.get(name) not in (None, "") for row in rows)]
    head = [name.replace("_", " ") for name in names]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return lines + [f"| {' | '.join(show(row.get(name)) for name in names)} |" for row in rows]
