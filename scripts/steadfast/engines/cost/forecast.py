"""What a part would take of a model, reckoned from its requests alone: nothing is sent."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from itertools import pairwise, takewhile
from operator import eq
from typing import Any

from steadfast.base.files import Record, Settings
from steadfast.contract.request import Request
from steadfast.engines.base import Tokenizer
from steadfast.engines.cost.bill import cost
from steadfast.engines.cost.roofline import Work

HOURS = ("hours", "gpu_hours", "load_gpu_hours", "requested_gpu_hours")
COSTS = ("cost", "cost_uncached")
"""With a cache that holds whatever prompts share, and with none."""
COLUMNS = (
    "model", "part", "judges", "engine", "requests", "known", "to_ask", "prompt_tokens",
    "distinct_tokens", "output_budget", "truncated", "unfit", "ask_prompt_tokens",
    "ask_distinct_tokens", "ask_output_budget", *HOURS, "speed", *COSTS, "currency", "tokenizer",
    "estimated",
)  # fmt: skip

LEFT_OUT = "left out"
"""What happens to a prompt that does not fit, where the config says skip."""


class CachedTokenizer:
    """A tokenizer that counts no text twice; the models of a part share their prompts."""

    def __init__(self, tokenizer: Tokenizer):
        self.encode, self.decode = tokenizer.encode, tokenizer.decode
        self.count = cache(tokenizer.count)


def plan_part(
    requests: Sequence[Request],
    known: Collection[str],
    tokenizer: Tokenizer,
    template_tokens: int = 0,
    seconds: Callable[[Work], float] | None = None,
    gpus: int = 1,
    price: Settings | None = None,
) -> Record:
    """One row of the plan; equal requests count once wherever something is asked or computed.

    Args:
        requests: of the part, made to fit the model.
        known: hashes that the journal answers.
        tokenizer: counts the tokens.
        template_tokens: tokens that the model's template adds to each prompt.
        seconds: that some work is expected to take; None: not known.
        gpus: that a job holds.
        price: as ``bill.cost`` takes it, with ``currency``.

    Returns:
        Those of ``COLUMNS`` that follow from the requests. Hours, of the clock and of all GPUs
        together, and costs are of what is still to be asked: distinct tokens are computed, the
        others come from the cache (of ``cost_uncached`` none does), and every answer takes its
        whole limit. Beside them ``whole_gpu_hours``, ``whole_cost`` and ``whole_cost_uncached``,
        as if the journal answered nothing.
    """
    whole = [request for request in requests if not request.overflow]
    sent = {request.hash: request for request in whole}
    asked = [request for name, request in sent.items() if name not in known]

    def logical(chosen: Iterable[Request]) -> int:
        return sum(
            tokenizer.count(request.prefix) + tokenizer.count(request.suffix) + template_tokens
            if request.prompt_tokens is None
            else request.prompt_tokens
            for request in chosen
        )

    def taken(chosen: Collection[Request]) -> tuple[int, int, int, float | None, list[Any]]:
        """Prompt, distinct and output tokens, hours, and both costs."""
        distinct = distinct_tokens(chosen, tokenizer, template_tokens)
        prompt, output = logical(chosen), sum(request.max_tokens for request in chosen)
        groups = len({request.group for request in chosen})
        work = Work(len(chosen), prompt, distinct, output, groups)
        hours = seconds(work) / 3600 if seconds else None
        cached = (max(0, prompt - distinct), 0)
        spent = [cost(price, prompt, tokens, output) if price else None for tokens in cached]
        return prompt, distinct, output, hours, spent

    prompt, distinct, output, hours, spent = taken(asked)
    _, whole_distinct, _, whole_hours, whole_cost = (
        taken(sent.values()) if known else (prompt, distinct, output, hours, spent)
    )
    return {
        "requests": len(requests),
        "known": sum(request.hash in known for request in whole),
        "to_ask": len(asked),
        "prompt_tokens": logical(whole),
        "distinct_tokens": whole_distinct,
        "output_budget": sum(request.max_tokens for request in whole),
        "truncated": sum(request.truncated_tokens > 0 for request in whole),
        "unfit": len(requests) - len(whole),
        "ask_prompt_tokens": prompt,
        "ask_distinct_tokens": distinct,
        "ask_output_budget": output,
        "hours": hours,
        "gpu_hours": None if hours is None else hours * gpus,
        "load_gpu_hours": None,
        "requested_gpu_hours": None,
        **dict(zip(COSTS, spent, strict=True)),
        "currency": price["currency"] if price else None,
        "whole_gpu_hours": None if whole_hours is None else whole_hours * gpus,
        **{f"whole_{name}": value for name, value in zip(COSTS, whole_cost, strict=True)},
    }


def distinct_tokens(
    requests: Iterable[Request], tokenizer: Tokenizer, template_tokens: int = 0
) -> int:
    """Prompt tokens that are left when prompts share whatever prefix they have in common.

    Prompts of one context begin alike: their prefixes are cut from one text, so that the longest
    holds the others. What follows is shared where its tokens are.
    """
    longest: dict[tuple[str, str], int] = {}
    suffixes: dict[tuple[tuple[str, str], str], set[str]] = defaultdict(set)
    for request in requests:
        tokens = tokenizer.count(request.prefix)
        longest[request.group] = max(tokens, longest.get(request.group, 0))
        suffixes[request.group, request.prefix].add(request.suffix)
    tails = sum(
        shared_tokens([tokenizer.encode(text) for text in texts]) + template_tokens * len(texts)
        for texts in suffixes.values()
    )
    return sum(longest.values()) + tails


def shared_tokens(sequences: Iterable[list[int]]) -> int:
    """Nodes of the prefix tree of token sequences: the tokens that differ or stand apart."""
    return sum(
        len(sequence) - sum(takewhile(bool, map(eq, before, sequence)))
        for before, sequence in pairwise([[], *sorted(sequences)])
    )


def misfits(requests: Iterable[Request], on_overflow: str) -> Iterable[tuple[str, str, int, int]]:
    """Prompts that are cut or do not fit: sample, what happens to it, tokens left, tokens cut."""
    over = "stops the job" if on_overflow == "error" else LEFT_OUT
    for request in requests:
        if request.overflow or request.truncated_tokens:
            what, cut = (over, 0) if request.overflow else ("truncated", request.truncated_tokens)
            yield request.sample_id, what, request.prompt_tokens or 0, cut


def total(rows: Iterable[Settings], column: str) -> float | int | None:
    """A column's sum over the rows that have a value; None where none has."""
    values = [row[column] for row in rows if row[column] is not None]
    return sum(values) if values else None


def cost_text(rows: Sequence[Settings]) -> str:
    """What the rows cost, in each currency: with a cache that holds, and with none where that is
    more; empty where no price is known."""
    texts = []
    for currency in sorted({row["currency"] for row in rows if row["currency"]}):
        priced = [row for row in rows if row["currency"] == currency]
        least, most = (f"{total(priced, name) or 0:,.2f} {currency}" for name in COSTS)
        texts.append(
            least if least == most else f"{least} with a cache that holds, {most} with none"
        )
    return " and ".join(texts)


def markdown(
    rows: Sequence[Settings], show: Callable[[object], str], columns: Sequence[str] = COLUMNS
) -> list[str]:
    """The rows as lines of a Markdown table, with a header; of the columns that have a value."""
    names = [name for name in columns if any(row.get(name) not in (None, "") for row in rows)]
    head = [name.replace("_", " ") for name in names]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return lines + [f"| {' | '.join(show(row.get(name)) for name in names)} |" for row in rows]
