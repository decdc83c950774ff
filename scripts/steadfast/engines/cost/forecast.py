"""Estimates the tokens of a part from its requests, without sending any."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise, takewhile
from operator import eq
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from steadfast.base.files import Record, Settings, read_jsonl
from steadfast.contract.request import FAMILY_PREFIX, Request, distinct_requests
from steadfast.engines.base import TokenCounter
from steadfast.engines.cost.bill import BYTES_PER_TOKEN

# Of the requests that are still to be sent.
REMAINING = ("remaining_prompt_tokens", "remaining_distinct_tokens", "remaining_output_budget")
COUNTS = (
    "requests", "cached", "remaining", "prompt_tokens", "distinct_tokens", "output_budget",
    "prompt_truncated", "unfit", *REMAINING,
)  # fmt: skip
# What happens to a prompt that does not fit, with on_overflow: skip.
LEFT_OUT = "left out"


class Work(NamedTuple):
    """What takes time of requests: their tokens."""

    distinct: int  # prompt tokens when prompts share their prefixes
    output: int  # output tokens of all responses


class CachedTokenizer:
    """A tokenizer that caches counts, since the models of a part share their prompts."""

    def __init__(self, tokenizer: TokenCounter):
        self.encode = tokenizer.encode
        self.decode = tokenizer.decode
        self.count = cache(tokenizer.count)


def plan_part(
    requests: Sequence[Request],
    cached_hashes: Collection[str],
    tokenizer: TokenCounter,
    template_tokens: int = 0,
    computed: dict[str, int] | None = None,
) -> Record:
    """Counts of a part (``COUNTS``), where equal requests are sent and computed once.

    Remaining requests are those that are not cached; their responses use their output limits.

    Args:
        requests: with their prompt tokens (``engines.fit.estimated_requests``).
        computed: prefixes that the same load computes for other parts, with their tokens; those of
            this part are added. A context that begins with one of them adds only the rest.
    """
    computed = {} if computed is None else computed
    fitting = [request for request in requests if not request.overflow]
    sent = distinct_requests(fitting)
    remaining = [request for request in sent if request.hash not in cached_hashes]
    distinct = distinct_tokens(sent, tokenizer, template_tokens, computed)
    remaining_distinct = distinct
    if cached_hashes:  # else all requests remain, and counting them again would take as long
        remaining_distinct = distinct_tokens(remaining, tokenizer, template_tokens, computed)
    for request in remaining:
        if len(request.prefix) >= FAMILY_PREFIX:
            computed[request.prefix] = tokenizer.count(request.prefix)
    return {
        "requests": len(requests),
        "cached": sum(request.hash in cached_hashes for request in fitting),
        "remaining": len(remaining),
        "prompt_tokens": sum(request.prompt_tokens or 0 for request in fitting),
        "distinct_tokens": distinct,
        "output_budget": sum(request.max_tokens for request in fitting),
        "prompt_truncated": sum(request.prompt_truncated_tokens > 0 for request in fitting),
        "unfit": len(requests) - len(fitting),
        "remaining_prompt_tokens": sum(request.prompt_tokens or 0 for request in remaining),
        "remaining_distinct_tokens": remaining_distinct,
        "remaining_output_budget": sum(request.max_tokens for request in remaining),
    }


def distinct_tokens(
    requests: Iterable[Request],
    tokenizer: TokenCounter,
    template_tokens: int = 0,
    computed: Mapping[str, int] = MappingProxyType({}),
) -> int:
    """Prompt tokens when prompts share their common prefixes, and those computed for others."""
    longest: dict[tuple[str, str], int] = {}
    beginnings: dict[str, int] = {}
    suffixes: dict[tuple[tuple[str, str], str], set[str]] = defaultdict(set)
    for request in requests:
        prefix = request.prefix
        if prefix not in beginnings:
            shared = [computed[other] for other in computed if prefix.startswith(other)]
            beginnings[prefix] = max(shared, default=0)
        # The group's contexts are truncated from the right: the longest contains the others.
        tokens = tokenizer.count(prefix) - beginnings[prefix]
        longest[request.group] = max(tokens, longest.get(request.group, 0))
        suffixes[request.group, request.prefix].add(request.suffix)
    total = sum(longest.values())
    for texts in suffixes.values():
        total += shared_tokens(map(tokenizer.encode, texts)) + template_tokens * len(texts)
    return total


def shared_tokens(sequences: Iterable[list[int]]) -> int:
    """The number of nodes in the prefix tree of token sequences."""
    nodes = 0
    # Of all before it in sorted order, a sequence shares its longest prefix with the last.
    for before, sequence in pairwise([[], *sorted(sequences)]):
        shared = sum(takewhile(bool, map(eq, before, sequence)))
        nodes += len(sequence) - shared
    return nodes


def misfits(requests: Iterable[Request], on_overflow: str) -> Iterator[Record]:
    """Prompts that are truncated or do not fit, with their tokens and those removed."""
    overflow = "stops the job" if on_overflow == "error" else LEFT_OUT
    for request in requests:
        if request.overflow or request.prompt_truncated_tokens:
            yield {
                "sample_id": request.sample_id,
                "what": overflow if request.overflow else "prompt_truncated",
                "prompt_tokens": request.prompt_tokens or 0,
                "prompt_truncated_tokens": request.prompt_truncated_tokens,
            }


class PromptCounts(NamedTuple):
    """What a file of prompts has, counted without a tokenizer."""

    requests: Counter[tuple[str, int]]  # by task and output limit
    contexts: Mapping[str, int]  # tokens of each; 0: unknown
    instructions: int  # tokens


def evaluation_work(path: Path, context_tokens: int, answers: Settings) -> Work:
    """The work of a job, estimated from its prompts, including responses in the journal."""
    status = path.stat()
    context_tokens = min(context_tokens, answers.get("window") or context_tokens)
    return _work(_file_counts(path, status.st_mtime_ns, status.st_size), context_tokens, answers)


def judging_work(prompts: Iterable[Record], answers: Settings) -> Work:
    """The work of a judge's job, estimated from the records of its judge prompts."""
    return _work(_prompt_counts(prompts), 0, answers)


def _work(counts: PromptCounts, context_tokens: int, answers: Settings) -> Work:
    limits: int | Mapping[str, int] = answers.get("max_tokens") or {}
    reasoning: int = (answers.get("reasoning") or {}).get("tokens", 0)
    output = 0
    for (task, limit), requests in counts.requests.items():
        own_limit = limits if isinstance(limits, int) else limits.get(task, limit)
        output += requests * (own_limit + reasoning)
    # Evaluation prompts name their context without its text: the config states its length.
    shared = sum(tokens or context_tokens for tokens in counts.contexts.values())
    return Work(shared + counts.instructions, output * (answers.get("repeats") or 1))


@lru_cache(maxsize=4096)  # a load of a judge may have a job for each model, benchmark and part
def _file_counts(path: Path, changed: int, size: int) -> PromptCounts:
    return _prompt_counts(read_jsonl(path))


def _prompt_counts(records: Iterable[Record]) -> PromptCounts:
    requests = Counter[tuple[str, int]]()
    contexts: dict[str, int] = {}
    instructions = 0
    for record in records:
        # The context of a judge prompt is the template's head and the response.
        judged = "requests" in record
        name = str(record["answer_id" if judged else "context_id"])
        contexts[name] = _tokens(record["head"], record["answer"]) if judged else 0
        for request in record["requests"] if judged else [record]:
            requests[str(request.get("task", "")), request["max_tokens"]] += 1
            instructions += _tokens(request["tail" if judged else "instruction"])
    return PromptCounts(requests, contexts, instructions)


def _tokens(*texts: Any) -> int:
    return sum(len(str(text).encode("utf-8", "surrogatepass")) for text in texts) // BYTES_PER_TOKEN
