"""What a part would take of a model, reckoned from its requests alone: nothing is sent."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache, lru_cache
from itertools import pairwise, takewhile
from operator import eq
from pathlib import Path
from typing import Any

from steadfast.base.files import Record, Settings, read_jsonl
from steadfast.contract.request import Request
from steadfast.engines.base import TokenCounter
from steadfast.engines.cost.bill import BYTES_PER_TOKEN

COUNTS = (
    "requests", "known", "to_ask", "prompt_tokens", "distinct_tokens", "output_budget", "prompt_truncated",
    "unfit",
)  # fmt: skip
LEFT_OUT = "left out"
"""What happens to a prompt that does not fit, where the config says skip."""


@dataclass(frozen=True)
class Work:
    """What is asked of a model."""

    requests: int
    prompt: int  # tokens of prompts, of each request in full
    distinct: int  # those left when prompts share their prefix
    output: int  # tokens of all answers

    @classmethod
    def sum(cls, works: Iterable["Work"]) -> "Work":
        """All that is asked in several jobs, or about several repeats."""
        return cls(*map(sum, zip(*map(astuple, works), strict=True)))


class CachedTokenizer:
    """A tokenizer that counts no text twice; the models of a part share their prompts."""

    def __init__(self, tokenizer: TokenCounter):
        self.encode, self.decode = tokenizer.encode, tokenizer.decode
        self.count = cache(tokenizer.count)


def plan_part(
    requests: Sequence[Request],
    known: Collection[str],
    tokenizer: TokenCounter,
    template_tokens: int = 0,
) -> Record:
    """What a part would take; equal requests count once wherever something is asked or computed.

    Beside ``COUNTS`` it has the ``Work`` of what is still to be asked (``ask``); answers take their
    whole limits.
    """
    fitting = [request for request in requests if not request.overflow]
    sent = {request.hash: request for request in fitting}

    def logical(chosen: Iterable[Request]) -> int:
        return sum(
            tokenizer.count(request.prefix) + tokenizer.count(request.suffix) + template_tokens
            if request.prompt_tokens is None
            else request.prompt_tokens
            for request in chosen
        )

    def work(chosen: Collection[Request]) -> Work:
        return Work(
            requests=len(chosen),
            prompt=logical(chosen),
            distinct=distinct_tokens(chosen, tokenizer, template_tokens),
            output=sum(request.max_tokens for request in chosen),
        )

    ask = work([request for name, request in sent.items() if name not in known])
    distinct = distinct_tokens(sent.values(), tokenizer, template_tokens) if known else ask.distinct
    return {
        "requests": len(requests),
        "known": sum(request.hash in known for request in fitting),
        "to_ask": ask.requests,
        "prompt_tokens": logical(fitting),
        "distinct_tokens": distinct,
        "output_budget": sum(request.max_tokens for request in fitting),
        "prompt_truncated": sum(request.prompt_truncated_tokens > 0 for request in fitting),
        "unfit": len(requests) - len(fitting),
        "ask": ask,
    }


def distinct_tokens(
    requests: Iterable[Request], tokenizer: TokenCounter, template_tokens: int = 0
) -> int:
    """Prompt tokens that are left when prompts share whatever prefix they have in common."""
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
        if request.overflow or request.prompt_truncated_tokens:
            what, cut = (
                (over, 0)
                if request.overflow
                else ("prompt_truncated", request.prompt_truncated_tokens)
            )
            yield request.sample_id, what, request.prompt_tokens or 0, cut


def asked_work(path: Path, context_tokens: int, answers: Settings) -> Work:
    """What a job asks, reckoned from its prompts; what a journal knows of it is not taken off."""
    status = path.stat()
    context_tokens = min(context_tokens, answers.get("window") or context_tokens)
    return _work(_of_file(path, status.st_mtime_ns, status.st_size), context_tokens, answers)


def judging_work(prompts: Iterable[Record], answers: Settings) -> Work:
    """What a judge's job asks, reckoned from the records of its judge prompts."""
    return _work(_counted(prompts), 0, answers)


def _work(found: Record, context_tokens: int, answers: Settings) -> Work:
    limits = answers.get("max_tokens")
    reasoning = (answers.get("reasoning") or {}).get("tokens", 0)
    repeats = answers.get("repeats") or 1
    requests = sum(found["tasks"].values())
    if isinstance(limits, int):
        output = requests * limits
    else:
        own: Mapping[str, int] = limits or {}
        output = sum(
            own[task] * count if task in own else found["limits"][task]
            for task, count in found["tasks"].items()
        )
    shared = found["shared"] + found["unsized"] * context_tokens
    in_context = found["in_context"] + found["asked_unsized"] * context_tokens
    return Work(
        requests * repeats,
        (in_context + found["instructions"]) * repeats,
        shared + found["instructions"],
        (output + requests * reasoning) * repeats,
    )


@lru_cache(maxsize=4096)  # a load of a judge may have a job for each model, benchmark and part
def _of_file(path: Path, changed: int, size: int) -> Record:
    return _counted(read_jsonl(path))


def _counted(records: Iterable[Record]) -> Record:
    """Requests and limits by task; tokens of contexts, once each and once a request."""
    tasks, limits, asked, contexts = (Counter[str]() for _ in range(4))
    instructions = 0
    for record in records:
        # A judge prompt has its context with it: the template's head and the answer.
        judged = "requests" in record
        name = str(record["answer_id" if judged else "context_id"])
        contexts[name] = _tokens(record["head"], record["answer"]) if judged else 0
        for one in record["requests"] if judged else [record]:
            task = str(one.get("task", ""))
            tasks[task] += 1
            limits[task] += one["max_tokens"]
            asked[name] += 1
            instructions += _tokens(one["tail" if judged else "instruction"])
    return {
        "tasks": tasks,
        "limits": limits,
        "shared": sum(contexts.values()),
        "unsized": sum(not tokens for tokens in contexts.values()),
        "in_context": sum(asked[name] * tokens for name, tokens in contexts.items()),
        "asked_unsized": sum(asked[name] for name, tokens in contexts.items() if not tokens),
        "instructions": instructions,
    }


def _tokens(*texts: Any) -> int:
    return sum(len(str(text).encode("utf-8", "surrogatepass")) for text in texts) // BYTES_PER_TOKEN
